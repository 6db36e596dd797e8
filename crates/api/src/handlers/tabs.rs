//! Tabs: pages that the caller follows, with the history of each.

use model::billing::Gate;
use model::id::Owner;
use model::lang::Lang;
use model::report::StoredAudit;
use model::tab::Tab;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;

use super::auth::Done;
use crate::operation::{Access, Call, JsonAnswer, Nothing, Operation, ReportWish, WrittenJson};
use crate::reading::{Reading, Reported};
use service::Services;
use service::blocking::off_worker;
use service::caller::Cx;
use service::config::Sku;
use service::error::{Code, ServiceError};
use service::gate;
use service::tabs::{self, HistoryAnswer, ReadableTab, TabAnswer, Workspace};
use service::watches::{self, SentEdit, TabEdit};
use store::StoredReport;

/// Error codes of every call about one tab.
const OF_A_TAB: &[Code] = &[Code::GuestTokenRequired, Code::TabNotFound, Code::DatabaseUnavailable];

/// The field of an answer that holds the last run of a tab.
const RESULT: &str = "result";

/// The endpoints of this file.
// Long, as it is a table: an entry for each endpoint.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/tabs", "get_workspace", workspace)
            .title("List your followed pages", "Listar as suas páginas seguidas")
            .doc(
                "Oldest first, with the last run of the focused page, and what is left of your free followed pages \
                 and audits. A followed page is called tab in names.",
                "As mais antigas primeiro, com a última auditoria da página em foco e o que resta das suas páginas \
                 seguidas grátis e auditorias grátis. Uma página seguida se chama tab nos nomes.",
            )
            .reports()
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::DatabaseUnavailable]),
        Operation::post("/api/tabs", "open_tab", open)
            .title("Follow a page", "Seguir uma página")
            .doc(
                "Adds the page to your followed pages and gives it the focus; nothing is audited yet. Idempotent: a \
                 page you already follow is returned and not charged. Beyond the free followed pages each one costs a \
                 payment.",
                "Acrescenta a página às suas páginas seguidas e lhe dá o foco; nada é auditado ainda. Idempotente: \
                 uma página que você já segue é devolvida e não é cobrada. Além das páginas seguidas grátis, cada uma \
                 custa um pagamento.",
            )
            .example(r#"`{"url": "https://example.com/", "alias": "Home"}`"#)
            .access(Access::Owner)
            .check(|services: &Services, input: &OpenRequest| {
                tabs::alias_of(input.alias.as_deref())?;
                tabs::page_of(services, &input.url).map(drop)
            })
            .price(Sku::Tab, || json!({"ok": true, "tab": {"url": "https://example.com/", "alias": "Home"}}))
            .free_when(|cx: Cx, input: OpenRequest| async move {
                let url = tabs::page_of(&cx.services, &input.url)?;
                tabs::is_free(&cx, &url).await
            })
            .errors(&[
                Code::GuestTokenRequired,
                Code::InvalidUrl,
                Code::AddressNotAllowed,
                Code::PaymentRequired,
                Code::CrawlerNotAllowed,
                Code::TabLimit,
                Code::RateLimited,
                Code::DatabaseUnavailable,
            ]),
        Operation::get("/api/tabs/{id}", "get_tab", read)
            .title("Get a followed page", "Obter uma página seguida")
            .doc(
                "The followed page with its last run; `result` is null before the first run. With a session also one of an \
                 organization that you are a member of; so is its history.",
                "A página seguida com a última auditoria; `result` é null antes da primeira. Com uma sessão, também uma \
                 de uma organização de que você é membro; o mesmo vale para o histórico.",
            )
            .reports()
            .access(Access::Owner)
            .errors(OF_A_TAB),
        Operation::patch("/api/tabs/{id}", "change_tab", change)
            .title("Change a followed page", "Alterar uma página seguida")
            .doc(
                "Renames it, tags it, keeps a note with it, gives it the focus, or watches it. With `monitor` true the page \
                 is audited once a day for free; an email is sent when its score drops or a new error or warning appears, never when it \
                 improves. Alerts go to the account's address, or to `monitor_email` once that address has confirmed \
                 by email. Guests can't watch pages.",
                "Muda o nome, as etiquetas ou a anotação da página, lhe dá o foco ou a monitora. Com `monitor` true, a \
                 página é auditada uma vez por dia, de graça; um e-mail é enviado quando a nota cai ou surge um novo \
                 erro ou aviso, nunca quando ela melhora. Os alertas vão para o endereço da conta, ou para \
                 `monitor_email` depois que esse endereço confirmar por e-mail. Visitantes não podem monitorar \
                 páginas.",
            )
            .example(r#"`{"monitor": true}`"#)
            .access(Access::Owner)
            .check(|_: &Services, input: &ChangeRequest| input.edit().map(drop))
            .errors(&[
                Code::GuestTokenRequired,
                Code::AccountRequired,
                Code::TabNotFound,
                Code::MonitorLimit,
                Code::RateLimited,
                Code::MailUnavailable,
                Code::DatabaseUnavailable,
            ]),
        Operation::delete("/api/tabs/{id}", "close_tab", close)
            .title("Stop following a page", "Deixar de seguir uma página")
            .doc("Its audits are kept.", "As auditorias dela são mantidas.")
            .access(Access::Owner)
            .errors(OF_A_TAB),
        Operation::post("/api/tabs/{id}/run", "run_tab", run)
            .title("Run a followed page again", "Auditar de novo uma página seguida")
            .doc(
                "Audits the page now and stores the run. Uses a free audit of the network, or a payment, like `POST \
                 /api/audit`. A failed audit costs nothing.",
                "Audita a página agora e guarda a auditoria. Usa uma auditoria grátis da rede, ou um pagamento, como \
                 `POST /api/audit`. Uma auditoria que falha não custa nada.",
            )
            .reports()
            .access(Access::Owner)
            .price(Sku::Audit, || json!({"ok": true, "result": {"url": "https://example.com/", "score": 82}}))
            .errors(&[
                Code::GuestTokenRequired,
                Code::TabNotFound,
                Code::InvalidUrl,
                Code::AddressNotAllowed,
                Code::AllowanceSpent,
                Code::CrawlerNotAllowed,
                Code::RateLimited,
                Code::TargetBusy,
                Code::RedirectNotAllowed,
                Code::TargetUnreachable,
                Code::TargetTimeout,
                Code::TargetBlocked,
                Code::TargetRateLimited,
                Code::FacilitatorUnavailable,
                Code::DatabaseUnavailable,
            ]),
        Operation::get("/api/tabs/{id}/history", "get_tab_history", history)
            .title("Get a followed page's history", "Obter o histórico de uma página seguida")
            .doc(
                "Runs of a followed page, newest first, including earlier audits of its URL, each with the changes \
                 since the newest earlier run with a score: by code, never by message. What only one of the two runs \
                 measured counts neither as broken nor as fixed, nor in the change of the score. `revealed` findings \
                 were hidden by another one that is now fixed: they are not new, and count for nothing either.",
                "Auditorias de uma página seguida, as mais novas primeiro, inclusive as anteriores da mesma URL, cada \
                 uma com as mudanças desde a anterior mais recente que tem nota: por código, nunca por mensagem. O \
                 que só uma das duas auditorias mediu não conta como quebrado nem como corrigido, nem na mudança da \
                 nota. Achados `revealed` estavam escondidos por outro, já corrigido: não são novos e também não \
                 contam.",
            )
            .access(Access::Owner)
            .errors(OF_A_TAB),
    ]
}

/// The caller's tabs.
async fn workspace(call: Call, _: Nothing) -> Result<Reading<Workspace>, ServiceError> {
    let Call { cx, wish, .. } = call;
    let owner = cx.caller.required_owner()?;
    let workspace = tabs::workspace(&cx, &owner).await?;
    let run = match workspace.tabs.iter().find(|tab| tab.active) {
        Some(tab) if wish.is_document() => tabs::last_report(&cx.services, &owner, tab).await?,
        _ => None,
    };
    off_worker(move || of_run(&workspace, "active_result", run.as_ref(), &wish, cx.lang)).await?
}

/// An answer with a run in one of its fields.
fn of_run<T: Serialize>(
    answer: &T,
    within: &'static str,
    run: Option<&StoredReport>,
    wish: &ReportWish,
    lang: Lang,
) -> Result<Reading<T>, ServiceError> {
    let report = run.map(|run| (&run.report, run.created_at));
    Reading::of(answer, Reported { report, within: Some(within), leads_on: true, comparison: None }, wish, lang)
}

/// A page to follow.
#[derive(Debug, Deserialize, JsonSchema)]
struct OpenRequest {
    /// Absolute http or https URL, at most 2,048 bytes; a fragment is dropped.
    url: String,
    /// Its name, at most 100 characters.
    #[serde(default)]
    alias: Option<String>,
}

/// A new or changed followed page.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Changed")]
struct ChangedTab {
    /// Always true.
    ok: bool,
    /// The followed page.
    tab: Tab,
}

/// Opens a tab.
async fn open(cx: Cx, input: OpenRequest) -> Result<JsonAnswer<ChangedTab>, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let (url, alias) = (tabs::page_of(&cx.services, &input.url)?, tabs::alias_of(input.alias.as_deref())?);
    let tab = tabs::open(&cx, &owner, &url, alias).await?;
    Ok(JsonAnswer::new(ChangedTab { ok: true, tab }))
}

/// The followed page to run.
#[derive(Debug, Deserialize, JsonSchema)]
struct TabPath {
    /// Its id.
    #[schemars(extend("x-pt" = "Id da página seguida."))]
    id: String,
}

async fn found(cx: &Cx, id: &str) -> Result<(Owner, Tab), ServiceError> {
    let owner = cx.caller.required_owner()?;
    let tab = tabs::tab(&cx.services, &owner, id).await?;
    Ok((owner, tab))
}

/// A tab.
async fn read(call: Call, input: TabPath) -> Result<Reading<TabAnswer>, ServiceError> {
    let Call { cx, wish, .. } = call;
    let ReadableTab { owner, tab, .. } = tabs::readable(&cx, &input.id).await?;
    let run = tabs::last_report(&cx.services, &owner, &tab).await?;
    let snoozes = tabs::snoozed(&cx.services, &tab).await?;
    let read = move || {
        let result = run.as_ref().map(|run| tabs::without_snoozed(run.stored_audit(cx.lang), &snoozes));
        of_run(&TabAnswer { tab, result, snoozes }, RESULT, run.as_ref(), &wish, cx.lang)
    };
    off_worker(read).await?
}

/// The fields to change; at least one of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("minProperties" = 1))]
struct ChangeRequest {
    /// Id of the followed page.
    #[schemars(extend("x-pt" = "Id da página seguida."))]
    id: String,
    /// Its name, at most 100 characters; empty for no name. Null in a body is the same; tools leave null out.
    #[serde(default, deserialize_with = "given")]
    alias: Option<Option<String>>,
    /// Words to find it by, at most 10 of at most 40 characters; an empty list removes them.
    #[serde(default)]
    tags: Option<Vec<String>>,
    /// What you write down of it, at most 2,000 characters; empty for nothing, as null in a body.
    #[serde(default, deserialize_with = "given")]
    note: Option<Option<String>>,
    /// Whether it has the focus; the page that had it loses it.
    #[serde(default)]
    active: Option<bool>,
    /// Whether its page is watched.
    #[serde(default)]
    monitor: Option<bool>,
    /// Where alerts go; empty for the account's own address, as null in a body.
    #[serde(default, deserialize_with = "given")]
    monitor_email: Option<Option<String>>,
}

/// Tells a field that is null from one that is absent.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(deserializer).map(Some)
}

impl ChangeRequest {
    fn edit(&self) -> Result<TabEdit, ServiceError> {
        TabEdit::sent(&SentEdit {
            alias: self.alias.as_ref().map(Option::as_deref),
            tags: self.tags.as_deref(),
            note: self.note.as_ref().map(Option::as_deref),
            active: self.active,
            monitor: self.monitor,
            alert_email: self.monitor_email.as_ref().map(Option::as_deref),
        })
    }
}

/// Changes a tab.
async fn change(cx: Cx, input: ChangeRequest) -> Result<JsonAnswer<ChangedTab>, ServiceError> {
    let (owner, tab) = found(&cx, &input.id).await?;
    let tab = watches::change(&cx, &owner, &tab, input.edit()?).await?;
    Ok(JsonAnswer::new(ChangedTab { ok: true, tab }))
}

/// Closes a tab.
async fn close(cx: Cx, input: TabPath) -> Result<JsonAnswer<Done>, ServiceError> {
    tabs::close(&cx.services, &cx.caller.required_owner()?, &input.id).await?;
    Ok(JsonAnswer::new(Done::OK))
}

/// A finished run.
#[derive(Debug, Serialize, JsonSchema)]
struct RunAnswer {
    /// Always true.
    ok: bool,
    /// The followed page.
    tab: Tab,
    /// Allowance left after this run.
    gate: Gate,
    /// The new audit. Findings that are snoozed are not in its `fixFirst`.
    result: StoredAudit,
}

/// Audits a tab's page again.
async fn run(call: Call, input: TabPath) -> Result<Reading<RunAnswer>, ServiceError> {
    let Call { cx, wish, .. } = call;
    let (owner, tab) = found(&cx, &input.id).await?;
    let (tab, run) = tabs::run_again(&cx, &owner, &tab).await?;
    let gate = gate::allowance(&cx).await?;
    let snoozes = tabs::snoozed(&cx.services, &tab).await?;
    let read = move || {
        let result = tabs::without_snoozed(run.stored_audit(cx.lang), &snoozes);
        of_run(&RunAnswer { ok: true, tab, gate, result }, RESULT, Some(&run), &wish, cx.lang)
    };
    off_worker(read).await?
}

/// Whose history, and how much of it.
#[derive(Debug, Deserialize, JsonSchema)]
struct HistoryRequest {
    /// Id of the followed page.
    #[schemars(extend("x-pt" = "Id da página seguida."))]
    id: String,
    /// Runs at most: 20 by default; more than 100 is 100.
    #[schemars(extend("x-pt" = "Máximo de auditorias: 20 por padrão; acima de 100 vale 100."))]
    #[serde(default)]
    #[schemars(range(min = 1, max = 100), extend("default" = 20))]
    limit: Option<u32>,
}

/// A tab's runs.
async fn history(cx: Cx, input: HistoryRequest) -> Result<WrittenJson<HistoryAnswer>, ServiceError> {
    let ReadableTab { owner, tab, .. } = tabs::readable(&cx, &input.id).await?;
    let history = tabs::history(&cx.services, &owner, tab, input.limit, cx.lang).await?;
    WrittenJson::speaking(move || Ok(history)).await
}
