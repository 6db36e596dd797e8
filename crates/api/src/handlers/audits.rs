//! Audits: make one, read it again, ask its robots.txt.

use model::id::Owner;
use model::lang::Lang;
use model::report::{Audit, AuditLinks, AuditQuota, StoredAudit};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::operation::{Access, Call, JsonAnswer, Operation, ReportWish};
use crate::reading::{self, NamedReading, Reading, Reported};
use engine::Scheme;
use service::Services;
use service::audits::{self, Finished, ReadableHead, readable, readable_head};
use service::blocking::off_worker;
use service::caller::Cx;
use service::config::Sku;
use service::error::{Code, ServiceError};
use service::guests;
use service::robots_answer::{RobotsAnswer, robots_answer};
use service::snoozes;
use store::AuditHead;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/audit", "audit_page", run)
            .title("Audit one page", "Auditar uma página")
            .doc(
                "Fetches `url` like a careful crawler and returns a score, findings, what the page declares, and the \
                 fix for each finding. Takes up to 24 seconds; with an x402 payment also up to 10 seconds to \
                 verify it and usually a few seconds, at most four minutes, to settle it. A guest token \
                 (`X-Guest-Token`, or `guest_token` in the body) lets that guest read the audit again; `guest` \
                 creates one in the same call. Without one, nobody can. Each network has a daily number of free \
                 audits (`GET /api/gate`). A failed audit costs nothing.",
                "Busca `url` como um robô cuidadoso e devolve a nota, os achados, o que a página declara e a \
                 correção de cada achado. Leva até 24 segundos; com um pagamento x402, mais até 10 segundos \
                 para verificá-lo e, para liquidá-lo, em geral alguns segundos, no máximo quatro minutos. Com um \
                 token de visitante (`X-Guest-Token`, ou `guest_token` no corpo), esse visitante pode ler a auditoria \
                 de novo; `guest` cria um na mesma chamada. Sem token, ninguém pode. Cada rede tem um número diário \
                 de auditorias grátis (`GET /api/gate`). Uma auditoria que falha não custa nada.",
            )
            .example(r#"`{"url": "https://example.com/"}`"#)
            .reports()
            .reaches_out()
            .price(Sku::Audit, || json!({"score": 82}))
            .check(|services: &Services, input: &AuditRequest| {
                Ok(services.engine().fetcher().intake(&input.url).map(drop)?)
            })
            .errors(&[
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
            ]),
        Operation::get("/api/audits/{id}", "get_audit", read)
            .title("Get an audit", "Obter uma auditoria")
            .doc(
                "Returns the stored audit. Free; does not use the daily allowance. Texts are in the language of the \
                 request. `fields` selects fields; `budget` limits the answer to about that many tokens, most urgent \
                 findings first, with a `cursor` for the rest; `format` (or `Accept`) selects Markdown, CSV or SARIF. \
                 The answer has an `ETag`.",
                "Devolve a auditoria guardada. Grátis; não usa a franquia diária. Os textos vêm no idioma da \
                 requisição. `fields` escolhe campos; `budget` limita a resposta a cerca desse número de tokens, com \
                 os achados mais urgentes primeiro e um `cursor` para o resto; `format` (ou `Accept`) escolhe \
                 Markdown, CSV ou SARIF. A resposta tem um `ETag`.",
            )
            .reports()
            .cacheable(reading::OWN)
            .access(Access::Owner)
            .reads_audit_head()
            .errors(&[Code::GuestTokenRequired, Code::AuditNotFound, Code::DatabaseUnavailable]),
        Operation::get("/api/audits/{id}/robots", "get_robots", robots)
            .title("Check robots.txt for a crawler", "Verificar o robots.txt para um robô")
            .doc(
                "Whether a crawler (`agent`: `Googlebot`, `MJ12bot`, `*`, or a whole `User-Agent`) may fetch the audited \
                 page, and which group, rule and line of robots.txt decide. Uses the file that the audit read; \
                 nothing is fetched. Well-known crawlers are in `summary.robotsTxt.agents` too.",
                "Se um robô (`agent`: `Googlebot`, `MJ12bot`, `*`, ou um `User-Agent` inteiro) pode buscar a página \
                 auditada, e qual grupo, regra e linha do robots.txt decidem. Usa o arquivo que a auditoria leu; nada \
                 é buscado. Os robôs conhecidos estão também em `summary.robotsTxt.agents`.",
            )
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::AuditNotFound, Code::DatabaseUnavailable]),
    ]
}

/// What to audit.
#[derive(Debug, Deserialize, JsonSchema)]
struct AuditRequest {
    /// Absolute http or https URL, at most 2,048 bytes.
    url: String,
    /// Makes a guest for a caller without a credential, and answers with its token in `guest_token`: the audit is that
    /// guest's, who can read it again, take its patch, share it and follow pages.
    #[serde(default)]
    guest: bool,
    /// Ties the audit to this guest; the same as the header `X-Guest-Token`.
    #[serde(default)]
    #[expect(dead_code, reason = "read at the gate; here for the schema and the type")]
    guest_token: Option<String>,
}

/// Audits `url` now. Spends one of the network's free audits, or a payment.
async fn run(call: Call, input: AuditRequest) -> Result<Reading<Audit>, ServiceError> {
    let Call { cx, wish, .. } = call;
    let url = cx.services.engine().fetcher().intake(&input.url)?;
    let (cx, guest_token) = if input.guest { guests::or_new(cx).await? } else { (cx, None) };
    let (services, lang) = (cx.services.clone(), cx.lang);
    let written = move |finished: Finished| {
        // The audit takes the report apart, and a document needs the whole.
        let report = wish.is_document().then(|| (finished.report.clone(), finished.created_at));
        let leads_on = finished.is_owned && finished.id.is_some();
        let answer = Audit { guest_token: guest_token.clone(), ..answer(&services, finished, lang)? };
        let report = report.as_ref().map(|(report, at)| (report, *at));
        Reading::of(&answer, Reported { report, within: None, leads_on, comparison: None }, &wish, lang)
    };
    audits::audit(&cx, &url, Scheme::Typed, written).await?
}

fn answer(services: &Services, finished: Finished, lang: Lang) -> Result<Audit, ServiceError> {
    let Finished { id, is_owned, report, .. } = finished;
    let (issues, fixes, searchable) = (report.issues_in(lang), report.fixes_in(lang), report.searchable_in(lang));
    let readable = id.as_ref().filter(|_| is_owned);
    let links = AuditLinks {
        this: readable.map(|id| services.url(&format!("/api/audits/{id}"))),
        share: readable.map(|id| services.url(&format!("/api/audits/{id}/share"))),
        patch: id.as_ref().map(|_| readable.map(|id| services.url(&format!("/api/audits/{id}/patch")))),
        api_index: services.url("/api/"),
    };
    Ok(Audit {
        audit_id: id.as_ref().map(|id| id.0.clone()),
        id: id.map(|id| id.0),
        guest_token: None,
        searchable,
        score: report.score,
        fix_first: report.fix_first,
        issues,
        // Only a capture without a page has none, and that is a refusal before it comes here.
        summary: report.summary.ok_or_else(|| ServiceError::new(Code::Internal))?.in_lang(lang),
        counts: report.counts,
        hygiene: report.hygiene,
        path: report.path,
        headers: report.headers,
        html_truncated: report.html_truncated,
        json_ld: report.json_ld,
        json_ld_stored: report.json_ld_stored,
        truncated: report.truncated,
        fixes,
        coverage: report.coverage,
        requests: report.requests,
        quota: AuditQuota {
            free_per_day: services.config().limits.free_audits_per_day,
            price_usd: services.config().prices.audit_usd.dollars(),
        },
        links,
    })
}

/// Which audit.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AuditPath {
    /// The audit's `id`.
    #[schemars(extend("x-pt" = "O `id` da auditoria."))]
    pub id: String,
}

/// The stored audit in the language of the call.
async fn read(call: Call, input: AuditPath) -> Result<NamedReading<StoredAudit>, ServiceError> {
    let Call { cx, wish, known, .. } = call;
    let owner = cx.caller.required_owner()?;
    let own = readable_head(&cx, &owner, input.id).await?;
    let name = reading::name(&cx.services, &own.head, &own.snoozed, &wish, cx.lang);
    match NamedReading::at_hand(&cx.services, &name, &known)? {
        Some(at_hand) => Ok(at_hand),
        // In a box: most calls don't need it, and it takes kilobytes of their future otherwise.
        None => Box::pin(written(cx, &owner, own, wish)).await,
    }
}

/// A stored audit that is read whole and written.
async fn written(
    cx: Cx,
    owner: &Owner,
    own: ReadableHead,
    wish: ReportWish,
) -> Result<NamedReading<StoredAudit>, ServiceError> {
    let ReadableHead { head, is_own, .. } = own;
    let snoozes = if is_own { snoozes::of_page(&cx.services, owner, &head.requested_url).await? } else { Vec::new() };
    let stored = readable(&cx, owner, head.id.0.clone()).await?.stored;
    // Something may be put off since, and it may be shared since, or no longer be. A lab test that has ended since never runs
    // again, so its name leads nobody here.
    let head = AuditHead { share_slug: stored.share_slug.clone(), ..head };
    let snoozed = snoozes.iter().map(|snooze| snooze.code.as_str()).collect::<Vec<_>>().join(",");
    let name = reading::name(&cx.services, &head, &snoozed, &wish, cx.lang);
    let (services, lang) = (cx.services, cx.lang);
    let written = off_worker(move || reading::stored(&stored, &snoozes, &wish, lang)).await??;
    NamedReading::written(&services, name, written)
}

/// Which audit, and which crawler.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReadRobots {
    /// The audit's `id`.
    #[schemars(extend("x-pt" = "O `id` da auditoria."))]
    id: String,
    /// Product token of the crawler (letters, digits, `-`, `_`), `*` for any crawler, or a whole `User-Agent`.
    #[schemars(extend("x-pt" = "Token de produto do robô (letras, dígitos, `-`, `_`), `*` para qualquer robô, ou um \
        `User-Agent` inteiro."))]
    #[schemars(length(min = 1))]
    agent: String,
}

/// What robots.txt says of the page to a crawler.
async fn robots(cx: Cx, input: ReadRobots) -> Result<JsonAnswer<RobotsAnswer>, ServiceError> {
    let stored = readable(&cx, &cx.caller.required_owner()?, input.id).await?.stored;
    robots_answer(&cx.services, &stored, &input.agent).map(JsonAnswer::new)
}
