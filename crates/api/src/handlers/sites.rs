//! Runs over whole sites: begin one, read what it found, delete it.

mod report;

use std::time::Duration;

use http::StatusCode;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::auth::Done;
use crate::operation::{Access, IntoReply, JsonAnswer, Operation, Reply, WrittenJson};
use service::Services;
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::sites::{
    self, FindingList, FindingsWish, PageDetail, PageList, SiteOffer, SitePlan, SiteRequest, SiteRunAnswer,
    TemplateList,
};

/// Error codes of every call about one run.
const OF_A_RUN: &[Code] = &[Code::GuestTokenRequired, Code::SiteNotFound, Code::DatabaseUnavailable];
/// Error codes of every call about the report of a run.
const OF_A_REPORT: &[Code] = &[
    Code::GuestTokenRequired,
    Code::SiteNotFound,
    Code::SiteNotFinished,
    Code::InvalidParameter,
    Code::DatabaseUnavailable,
];

/// The endpoints of this file.
// Long, as it is a table: an entry for each endpoint.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/sites", "audit_site", begin)
            .title("Audit a whole site", "Auditar um site inteiro")
            .doc(
                "Begins a run: crawls the site from `url`, its sitemaps and its links, audits every page, and reports \
                 problems that span pages: broken links with their sources, duplicates, orphan pages. Findings of a \
                 template are listed once. robots.txt is obeyed. Takes minutes; poll with `GET /api/sites/{id}?wait=25`. Each \
                 audited page uses one free audit; after that it costs the price of an audit, paid from the credit in \
                 `X-Credito`, at most `max_usd`. Addresses without an HTML page cost nothing. When neither is left the \
                 run ends with a report of what it has. `dry_run` only tells the price.",
                "Inicia uma auditoria de site: rastreia o site a partir de `url`, dos sitemaps e dos links, audita \
                 todas as páginas e relata problemas que envolvem várias páginas: links quebrados com as origens, \
                 duplicatas, páginas órfãs. Os achados de um template aparecem uma vez só. O robots.txt é obedecido. \
                 Leva minutos; consulte `GET /api/sites/{id}?wait=25`. Cada página auditada usa uma auditoria grátis; \
                 depois delas, custa o preço de uma auditoria, pago pelo crédito em `X-Credito`, no máximo `max_usd`. \
                 Endereços sem página HTML não custam nada. Quando ambos acabam, a auditoria termina com um relatório \
                 do que tem. `dry_run` só mostra o preço.",
            )
            .example(r#"`{"url": "https://example.com/", "max_pages": 200}`"#)
            .or_answers(StatusCode::OK, "With `dry_run`: what a run would cost. Nothing was begun.")
            .access(Access::Owner)
            .reaches_out()
            .check(|services: &Services, input: &BeginRequest| input.plan(services).map(drop))
            .errors(&[
                Code::GuestTokenRequired,
                Code::InvalidUrl,
                Code::AddressNotAllowed,
                Code::AllowanceSpent,
                Code::CreditPending,
                Code::CreditRefused,
                Code::CreditWithoutValue,
                Code::CrawlerNotAllowed,
                Code::SiteLimit,
                Code::TargetBusy,
                Code::RateLimited,
                Code::DatabaseUnavailable,
            ]),
        Operation::get("/api/sites", "list_sites", list)
            .title("List your site audits", "Listar as suas auditorias de sites")
            .doc("Your runs over sites, newest first, 50 at a time.", "As mais novas primeiro, 50 por vez.")
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::InvalidParameter, Code::DatabaseUnavailable]),
        Operation::get("/api/sites/{id}", "get_site", read)
            .title("Get a site audit", "Obter uma auditoria de site")
            .doc(
                "State, progress, spending and, once it is finished, score and figures of a run over a site. `wait` holds \
                 the answer for at most 25 seconds, until the run has ended.",
                "Estado, progresso, gasto e, quando termina, nota e números de uma auditoria de site. `wait` adia a \
                 resposta por no máximo 25 segundos, até a auditoria terminar.",
            )
            .access(Access::Owner)
            .errors(OF_A_RUN),
        Operation::get("/api/sites/{id}/findings", "list_site_findings", findings)
            .title("List the findings of a site audit", "Listar os achados de uma auditoria de site")
            .doc(
                "Each told once, the most severe first, then by `gain`, in points. `code` selects one, with up to \
                 1,000 addresses.",
                "Cada um aparece uma vez, os mais graves primeiro, depois por `gain`, em pontos. `code` escolhe um, \
                 com até 1.000 endereços.",
            )
            .access(Access::Owner)
            .errors(OF_A_REPORT),
        Operation::get("/api/sites/{id}/templates", "list_site_templates", templates)
            .title("List the templates of a site audit", "Listar os templates de uma auditoria de site")
            .doc(
                "Groups of pages with the same markup, the largest first, 50 at a time: their score, what fixing them gains, \
                 and the codes of the findings that are fixed in them.",
                "Grupos de páginas com a mesma marcação, os maiores primeiro, 50 por vez: a nota, quanto corrigi-los \
                 rende e os códigos dos achados que são corrigidos neles.",
            )
            .without_tool()
            .access(Access::Owner)
            .errors(OF_A_REPORT),
        Operation::get("/api/sites/{id}/pages", "list_site_pages", pages)
            .title("List the pages of a site audit", "Listar as páginas de uma auditoria de site")
            .doc(
                "Addresses that are done, in the order in which they were found, 100 at a time, also while the run \
                 goes on.",
                "Endereços concluídos, na ordem em que foram encontrados, 100 por vez, também com a auditoria em \
                 andamento.",
            )
            .without_tool()
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::SiteNotFound, Code::InvalidParameter, Code::DatabaseUnavailable]),
        Operation::get("/api/sites/{id}/pages/{number}", "get_site_page", page)
            .title("Get a page of a site audit", "Obter uma página de uma auditoria de site")
            .doc(
                "Findings and fixes of one page, by its `number`.",
                "Achados e correções de uma página, pelo `number` dela.",
            )
            .access(Access::Owner)
            .errors(&[
                Code::GuestTokenRequired,
                Code::SiteNotFound,
                Code::SitePageNotFound,
                Code::InvalidParameter,
                Code::DatabaseUnavailable,
            ]),
        report::operation(),
        Operation::delete("/api/sites/{id}", "delete_site", delete)
            .title("Delete a site audit", "Excluir uma auditoria de site")
            .doc(
                "Stops the run and deletes it with its pages. What was spent stays spent.",
                "Para a auditoria e a exclui com as páginas. O que foi gasto continua gasto.",
            )
            .access(Access::Owner)
            .errors(OF_A_RUN),
    ]
}

/// Which site, and how much of it.
#[derive(Debug, Deserialize, JsonSchema)]
struct BeginRequest {
    /// Address of the first page: absolute http or https URL, at most 2,048 bytes.
    url: String,
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
    /// Maximum amount in USD to take from the credit; all of it by default.
    #[serde(default)]
    #[schemars(range(min = 0))]
    max_usd: Option<f64>,
    /// Only tell what it would cost.
    #[serde(default)]
    dry_run: bool,
}

impl BeginRequest {
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

/// A run that began, or would.
#[derive(Debug, Serialize, JsonSchema)]
struct SiteStarted {
    /// Always true.
    ok: bool,
    /// The run; null with `dry_run`.
    site: Option<SiteRunAnswer>,
    /// Price of the run, and the pages that can be paid now.
    offer: SiteOffer,
}

impl IntoReply for SiteStarted {
    const STATUS: StatusCode = StatusCode::ACCEPTED;

    fn reply(self) -> Result<Reply, ServiceError> {
        let status = if self.site.is_some() { Self::STATUS } else { StatusCode::OK };
        Ok(Reply { status, ..WrittenJson::plain(&self)?.reply()? })
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        JsonAnswer::<Self>::describe(generator)
    }
}

async fn begin(cx: Cx, input: BeginRequest) -> Result<SiteStarted, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let plan = input.plan(&cx.services)?;
    if input.dry_run {
        return Ok(SiteStarted { ok: true, site: None, offer: sites::offer(&cx, &plan).await? });
    }
    let begun = sites::begin(&cx, &owner, plan).await?;
    let site = SiteRunAnswer::of(&cx.services, &begun.run, cx.lang)?;
    Ok(SiteStarted { ok: true, site: Some(site), offer: begun.offer })
}

/// Which part of the list.
#[derive(Debug, Deserialize, JsonSchema)]
struct ListRequest {
    /// The `cursor` of the previous answer.
    #[schemars(extend("x-pt" = "O `cursor` da resposta anterior."))]
    #[serde(default)]
    cursor: Option<String>,
}

/// Runs over sites.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SiteRuns")]
struct SiteList {
    /// Newest first.
    sites: Vec<SiteRunAnswer>,
    /// Leads to the next ones; null at the end.
    cursor: Option<String>,
}

async fn list(cx: Cx, input: ListRequest) -> Result<WrittenJson<SiteList>, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let runs = sites::list(&cx.services, &owner, input.cursor.as_deref()).await?;
    let answers = runs.runs.iter().map(|run| SiteRunAnswer::of(&cx.services, run, cx.lang));
    WrittenJson::spoken(&SiteList { sites: answers.collect::<Result<_, _>>()?, cursor: runs.cursor })
}

/// Which run, and how long to wait.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReadRequest {
    /// Id of the run.
    #[schemars(extend("x-pt" = "Id da auditoria de site."))]
    id: String,
    /// Seconds to wait for the end of the run, 0 to 25; more is 25.
    #[schemars(extend("x-pt" = "Segundos de espera pelo fim da auditoria, de 0 a 25; acima de 25 vale 25."))]
    #[serde(default)]
    #[schemars(range(max = 25), extend("default" = 0))]
    wait: Option<u32>,
}

async fn read(cx: Cx, input: ReadRequest) -> Result<WrittenJson<SiteRunAnswer>, ServiceError> {
    let wait = Duration::from_secs(input.wait.unwrap_or_default().into());
    let run = sites::read(&cx, &input.id, wait).await?;
    WrittenJson::spoken(&SiteRunAnswer::whole(&cx.services, &run, cx.lang)?)
}

/// Which run, and which part of its list.
#[derive(Debug, Deserialize, JsonSchema)]
struct PartRequest {
    /// Id of the run.
    #[schemars(extend("x-pt" = "Id da auditoria de site."))]
    id: String,
    /// The `cursor` of the previous answer.
    #[schemars(extend("x-pt" = "O `cursor` da resposta anterior."))]
    #[serde(default)]
    cursor: Option<String>,
}

async fn pages(cx: Cx, input: PartRequest) -> Result<WrittenJson<PageList>, ServiceError> {
    WrittenJson::plain(&sites::pages(&cx, &input.id, input.cursor.as_deref()).await?)
}

async fn templates(cx: Cx, input: PartRequest) -> Result<WrittenJson<TemplateList>, ServiceError> {
    WrittenJson::plain(&sites::templates(&cx, &input.id, input.cursor.as_deref()).await?)
}

/// Which page of which run.
#[derive(Debug, Deserialize, JsonSchema)]
struct PageRequest {
    /// Id of the run.
    #[schemars(extend("x-pt" = "Id da auditoria de site."))]
    id: String,
    /// The page's `number` in the run.
    #[schemars(extend("x-pt" = "O `number` da página na auditoria."))]
    number: u32,
}

async fn page(cx: Cx, input: PageRequest) -> Result<WrittenJson<PageDetail>, ServiceError> {
    let detail = sites::page(&cx, &input.id, input.number, cx.lang).await?;
    WrittenJson::speaking(move || Ok(detail)).await
}

/// Which findings of which run.
#[derive(Debug, Deserialize, JsonSchema)]
struct FindingsRequest {
    /// Id of the run.
    #[schemars(extend("x-pt" = "Id da auditoria de site."))]
    id: String,
    /// Only the findings of this code, with all addresses that are kept.
    #[schemars(extend("x-pt" = "Só os achados com este código, com todos os endereços guardados."))]
    #[serde(default)]
    code: Option<String>,
    /// The `cursor` of the previous answer.
    #[schemars(extend("x-pt" = "O `cursor` da resposta anterior."))]
    #[serde(default)]
    cursor: Option<String>,
}

async fn findings(cx: Cx, input: FindingsRequest) -> Result<WrittenJson<FindingList>, ServiceError> {
    let wish = FindingsWish { code: input.code, ..FindingsWish::default() };
    let list = sites::findings(&cx, &input.id, wish, input.cursor.as_deref()).await?;
    WrittenJson::speaking(move || Ok(list)).await
}

/// Which run.
#[derive(Debug, Deserialize, JsonSchema)]
struct RunPath {
    /// Id of the run.
    #[schemars(extend("x-pt" = "Id da auditoria de site."))]
    id: String,
}

async fn delete(cx: Cx, input: RunPath) -> Result<JsonAnswer<Done>, ServiceError> {
    sites::delete(&cx.services, &cx.caller.required_owner()?, &input.id).await?;
    Ok(JsonAnswer::new(Done::OK))
}
