//! Findings of a followed page that its owner puts off.

use model::tab::Snooze;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Access, JsonAnswer, Operation};
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::{snoozes, tabs};

/// Errors of all of them.
const OF_A_SNOOZE: &[Code] = &[Code::GuestTokenRequired, Code::TabNotFound, Code::DatabaseUnavailable];

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/tabs/{id}/snoozes", "list_snoozes", list)
            .title("List snoozed findings", "Listar os achados adiados")
            .doc(
                "The findings of a followed page that are put off now, the first to end first. They stay in reports and in \
                 the score; alerts leave them out, and so does the list of what to fix first on the pages.",
                "Os achados de uma página seguida que estão adiados agora, primeiro os que voltam antes. Eles \
                 continuam nos relatórios e na nota; os alertas os ignoram, e também a lista do que corrigir primeiro \
                 nas páginas.",
            )
            .access(Access::Owner)
            .errors(OF_A_SNOOZE),
        Operation::post("/api/tabs/{id}/snoozes", "snooze_finding", snooze)
            .title("Snooze a finding", "Adiar um achado")
            .doc(
                "Puts a finding of a followed page off until the start of a day (UTC), within a year, with the reason. It ends \
                 by itself. Snoozing it again changes the day and the reason. Idempotent.",
                "Adia um achado de uma página seguida até o início de um dia (UTC), em até um ano, com o motivo. O \
                 adiamento termina sozinho. Adiar de novo muda o dia e o motivo. Idempotente.",
            )
            .example(r#"`{"code": "title_missing", "reason": "The new template comes in May", "until": "2027-01-31"}`"#)
            .access(Access::Owner)
            .errors(&[
                Code::GuestTokenRequired,
                Code::TabNotFound,
                Code::CheckNotFound,
                Code::DatabaseUnavailable,
            ]),
        Operation::delete("/api/tabs/{id}/snoozes/{code}", "end_snooze", end)
            .title("End a snooze", "Encerrar um adiamento")
            .doc(
                "The finding counts in alerts and in what to fix first again. Idempotent.",
                "O achado volta a contar nos alertas e no que corrigir primeiro. Idempotente.",
            )
            .access(Access::Owner)
            .errors(OF_A_SNOOZE),
    ]
}

/// Which tab.
#[derive(Debug, Deserialize, JsonSchema)]
struct SnoozesPath {
    /// Id of the followed page.
    #[schemars(extend("x-pt" = "Id da página seguida."))]
    id: String,
}

/// Which finding to put off, why, and until when.
#[derive(Debug, Deserialize, JsonSchema)]
struct SnoozeRequest {
    /// Id of the followed page.
    #[schemars(extend("x-pt" = "Id da página seguida."))]
    id: String,
    /// Code of the finding, as reports have it.
    code: String,
    /// Why, in 1 to 500 characters.
    reason: String,
    /// The day on whose start (UTC) it ends, after today and within a year: `2027-01-31`.
    until: String,
}

/// Which snooze.
#[derive(Debug, Deserialize, JsonSchema)]
struct SnoozePath {
    /// Id of the followed page.
    #[schemars(extend("x-pt" = "Id da página seguida."))]
    id: String,
    /// Code of the finding.
    #[schemars(extend("x-pt" = "Código do achado."))]
    code: String,
}

/// The findings that are put off.
#[derive(Debug, Serialize, JsonSchema)]
struct SnoozesAnswer {
    /// Always true.
    ok: bool,
    /// The first to end first.
    snoozes: Vec<Snooze>,
}

async fn list(cx: Cx, input: SnoozesPath) -> Result<JsonAnswer<SnoozesAnswer>, ServiceError> {
    let tab = tabs::readable(&cx, &input.id).await?.tab;
    Ok(JsonAnswer::new(SnoozesAnswer { ok: true, snoozes: snoozes::list(&cx.services, &tab).await? }))
}

async fn snooze(cx: Cx, input: SnoozeRequest) -> Result<JsonAnswer<SnoozesAnswer>, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let tab = tabs::tab(&cx.services, &owner, &input.id).await?;
    let snoozes = snoozes::snooze(&cx, &owner, &tab, &input.code, &input.reason, &input.until).await?;
    Ok(JsonAnswer::new(SnoozesAnswer { ok: true, snoozes }))
}

async fn end(cx: Cx, input: SnoozePath) -> Result<JsonAnswer<SnoozesAnswer>, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let tab = tabs::tab(&cx.services, &owner, &input.id).await?;
    Ok(JsonAnswer::new(SnoozesAnswer { ok: true, snoozes: snoozes::end(&cx, &owner, &tab, &input.code).await? }))
}
