//! Watches of sites: a run each day or week.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::auth::Done;
use crate::operation::{Access, JsonAnswer, Nothing, Operation, WrittenJson};
use service::Services;
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::site_watches::{self, SiteWatchAnswer, SiteWatchEdit, WatchInterval};
use service::sites::{self, SitePlan, SiteRequest};

/// Error codes of every call about one watch.
const OF_A_WATCH: &[Code] =
    &[Code::GuestTokenRequired, Code::AccountRequired, Code::SiteWatchNotFound, Code::DatabaseUnavailable];

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/site-watches", "watch_site", add)
            .title("Watch a site", "Monitorar um site")
            .doc(
                "Repeats a site audit daily or weekly, with one email of what broke and what was fixed since the run before.\
                 \n\nNo email is sent when nothing broke. Pages that answer 304 keep their findings. Runs use the trial of the \
                 account, then the credit in `X-Credito`, at most `max_usd` each; free audits don't apply. For accounts and \
                 organizations; at most 10 watches unless the operator allows more.",
                "Repete uma auditoria de site todo dia ou toda semana, com um e-mail do que quebrou e do que foi \
                 corrigido desde a auditoria anterior.\n\nSem e-mail quando nada quebrou. Páginas que respondem 304 \
                 mantêm os achados. As auditorias usam o período de teste da conta e, depois, o crédito em \
                 `X-Credito`, no máximo `max_usd` cada; as auditorias grátis não valem aqui. Para contas e \
                 organizações; no máximo 10 sites monitorados, a menos que o operador permita mais.",
            )
            .example(r#"`{"url": "https://example.com/", "every": "weekly"}`"#)
            .without_tool()
            .access(Access::Account)
            .check(|services: &Services, input: &AddRequest| input.plan(services).map(drop))
            .errors(&[
                Code::GuestTokenRequired,
                Code::AccountRequired,
                Code::InvalidUrl,
                Code::AddressNotAllowed,
                Code::CreditRequired,
                Code::CreditPending,
                Code::CreditRefused,
                Code::CreditWithoutValue,
                Code::SiteWatchLimit,
                Code::DatabaseUnavailable,
            ]),
        Operation::get("/api/site-watches", "list_site_watches", list)
            .title("List watched sites", "Listar os sites monitorados")
            .doc("Each with its newest run.", "Cada um com a auditoria mais recente.")
            .without_tool()
            .access(Access::Account)
            .errors(&[Code::GuestTokenRequired, Code::AccountRequired, Code::DatabaseUnavailable]),
        Operation::patch("/api/site-watches/{id}", "change_site_watch", change)
            .title("Change a watched site", "Alterar um site monitorado")
            .doc(
                "Changes how often it runs, how far, or whether.\n\nA credit in `X-Credito` pays from now on.",
                "Muda com que frequência ele é auditado, até onde, ou se é auditado.\n\nUm crédito em `X-Credito` \
                 paga a partir de agora.",
            )
            .example(r#"`{"on": false}`"#)
            .without_tool()
            .access(Access::Account)
            .check(|_: &Services, input: &ChangeRequest| input.edit().map(drop))
            .errors(&[
                Code::GuestTokenRequired,
                Code::AccountRequired,
                Code::SiteWatchNotFound,
                Code::CreditPending,
                Code::CreditRefused,
                Code::CreditWithoutValue,
                Code::DatabaseUnavailable,
            ]),
        Operation::delete("/api/site-watches/{id}", "delete_site_watch", delete)
            .title("Stop watching a site", "Deixar de monitorar um site")
            .doc("Its runs stay.", "As auditorias dele são mantidas.")
            .without_tool()
            .access(Access::Account)
            .errors(OF_A_WATCH),
    ]
}

/// Which site, how much of it, and how often.
#[derive(Debug, Deserialize, JsonSchema)]
struct AddRequest {
    /// Address of the first page: absolute http or https URL, at most 2,048 bytes.
    url: String,
    /// How often it runs.
    every: WatchInterval,
    /// Maximum number of URLs to request; 1,000 by default, or the server's own limit.
    #[serde(default)]
    #[schemars(range(min = 1))]
    max_pages: Option<u32>,
    /// Maximum clicks from the first page.
    #[serde(default)]
    #[schemars(range(max = 1000), extend("default" = 1000))]
    max_depth: Option<u32>,
    /// Regular expressions; only URLs that match one are requested; at most 20 of at most 200 characters.
    #[serde(default)]
    include: Vec<String>,
    /// Regular expressions; URLs that match one are skipped; at most 20 of at most 200 characters.
    #[serde(default)]
    exclude: Vec<String>,
    /// Sitemaps besides those that the site names; at most 10.
    #[serde(default)]
    sitemaps: Vec<String>,
    /// Maximum amount in USD to take from the credit for each run; the price of its pages by default.
    #[serde(default)]
    #[schemars(range(min = 0))]
    max_usd: Option<f64>,
}

impl AddRequest {
    fn plan(&self, services: &Services) -> Result<SitePlan, ServiceError> {
        let request = SiteRequest {
            url: self.url.clone(),
            assumes_https: false,
            max_pages: self.max_pages,
            max_depth: self.max_depth,
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            sitemaps: self.sitemaps.clone(),
            max_usd: self.max_usd.map(sites::dollars).transpose()?,
        };
        request.plan(services)
    }
}

/// A watch.
#[derive(Debug, Serialize, JsonSchema)]
struct SiteWatched {
    /// Always true.
    ok: bool,
    /// The watch.
    watch: SiteWatchAnswer,
}

async fn add(cx: Cx, input: AddRequest) -> Result<WrittenJson<SiteWatched>, ServiceError> {
    let owner = site_watches::owner(&cx)?;
    let plan = input.plan(&cx.services)?;
    let watch = site_watches::add(&cx, &owner, plan, input.every, None).await?;
    WrittenJson::spoken(&SiteWatched { ok: true, watch: SiteWatchAnswer::of(&cx, &watch, None)? })
}

/// Watches of sites.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SiteWatches")]
struct SiteWatchList {
    /// Oldest first.
    watches: Vec<SiteWatchAnswer>,
}

async fn list(cx: Cx, _: Nothing) -> Result<WrittenJson<SiteWatchList>, ServiceError> {
    let owner = site_watches::owner(&cx)?;
    let watches = site_watches::list(&cx.services, &owner).await?;
    let answers = watches.iter().map(|(watch, last)| SiteWatchAnswer::of(&cx, watch, last.as_ref()));
    WrittenJson::spoken(&SiteWatchList { watches: answers.collect::<Result<_, _>>()? })
}

/// What to change of a watch; at least one of its fields.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("minProperties" = 1))]
struct ChangeRequest {
    /// Id of the watch.
    #[schemars(extend("x-pt" = "Id do monitoramento."))]
    id: String,
    /// How often it runs.
    #[serde(default)]
    every: Option<WatchInterval>,
    /// Whether it runs.
    #[serde(default)]
    on: Option<bool>,
    /// Maximum number of URLs to request.
    #[serde(default)]
    #[schemars(range(min = 1))]
    max_pages: Option<u32>,
    /// Maximum clicks from the first page.
    #[serde(default)]
    #[schemars(range(max = 1000))]
    max_depth: Option<u32>,
    /// Regular expressions; only URLs that match one are requested; at most 20 of at most 200 characters.
    #[serde(default)]
    include: Option<Vec<String>>,
    /// Regular expressions; URLs that match one are skipped; at most 20 of at most 200 characters.
    #[serde(default)]
    exclude: Option<Vec<String>>,
    /// Sitemaps besides those that the site names; at most 10.
    #[serde(default)]
    sitemaps: Option<Vec<String>>,
    /// Maximum amount in USD to take from the credit for each run.
    #[serde(default)]
    #[schemars(range(min = 0))]
    max_usd: Option<f64>,
}

impl ChangeRequest {
    fn edit(&self) -> Result<SiteWatchEdit, ServiceError> {
        let edit = SiteWatchEdit {
            every: self.every,
            on: self.on,
            max_pages: self.max_pages,
            max_depth: self.max_depth,
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            sitemaps: self.sitemaps.clone(),
            max_usd: self.max_usd.map(sites::dollars).transpose()?,
        };
        edit.check()?;
        Ok(edit)
    }
}

async fn change(cx: Cx, input: ChangeRequest) -> Result<WrittenJson<SiteWatched>, ServiceError> {
    let owner = site_watches::owner(&cx)?;
    let watch = site_watches::change(&cx, &owner, &input.id, input.edit()?).await?;
    let last = site_watches::last_run(&cx.services, &watch.id).await?;
    let watch = SiteWatchAnswer::of(&cx, &watch, last.as_ref())?;
    WrittenJson::spoken(&SiteWatched { ok: true, watch })
}

/// Which watch.
#[derive(Debug, Deserialize, JsonSchema)]
struct WatchPath {
    /// Id of the watch.
    #[schemars(extend("x-pt" = "Id do monitoramento."))]
    id: String,
}

async fn delete(cx: Cx, input: WatchPath) -> Result<JsonAnswer<Done>, ServiceError> {
    let owner = site_watches::owner(&cx)?;
    site_watches::delete(&cx.services, &owner, &input.id).await?;
    Ok(JsonAnswer::new(Done::OK))
}
