//! Audits: make one, read it again, take its patch.

use model::lang::{Lang, Text, text};
use model::report::{Audit, AuditLinks, AuditQuota};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::operation::{Access, Operation, WrittenJson};
use crate::reading::{self, FORMS, ReadAudit, Reading};
use engine::Scheme;
use service::Services;
use service::audits::{self, Finished, PatchAnswer, patch_answer, readable};
use service::blocking::off_worker;
use service::caller::Cx;
use service::config::Sku;
use service::error::{Code, ServiceError};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/audit", "audit_page", run)
            .text(
                "Audit one page",
                "Fetches `url` as a careful crawler would and answers with a score, findings, what the page declares, \
                 and a ready fix for each finding. Takes up to 24 seconds; with a payment by x402 also the time to \
                 verify it, at most 10 seconds, and to settle it, a few seconds as a rule and four minutes at most. A \
                 guest token (`X-Guest-Token`, or `guest_token` in the body) ties the audit to that guest, who can then \
                 read it again; without one nobody can. Each network has a number of free audits a day (`GET \
                 /api/gate`); what failed costs nothing.\n\nExample: `{\"url\": \"https://example.com/\"}`",
            )
            .reaches_out()
            .price(Sku::Audit, || json!({"score": 82}))
            .check(|services: &Services, input: &AuditRequest| Ok(services.engine().fetcher().intake(&input.url).map(drop)?))
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
            .text(
                "Read an audit again",
                "The stored audit, as it was made. Free, and no part of the daily allowance. Texts come in the \
                 language of the call, whatever that of the audit was. `fields` takes a part of it; `budget` as many \
                 findings as fit into about so many tokens, the most urgent first, with a `cursor` for \
                 the rest; `format` (or `Accept`) Markdown, CSV or SARIF. The answer has an `ETag`.",
            )
            .also_as(FORMS)
            .cacheable(reading::OWN)
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::AuditNotFound, Code::DatabaseUnavailable]),
        Operation::get("/api/audits/{id}/patch", "get_patch", patch)
            .text(
                "Take an audit's patch",
                "All fixes of an audit together: tags for the head in their order, exact replacements in the page's \
                 source, files for the host's root, templates for what only the owner can fill in, and instructions. \
                 `target` asks for the ready fixes alone that bring the page to a score with the fewest changes.",
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
    /// Ties the audit to this guest; the same as the header `X-Guest-Token`.
    #[serde(default)]
    #[expect(dead_code, reason = "read at the gate; here for the schema and the type")]
    guest_token: Option<String>,
}

/// Audits `url` now. Spends one of the network's free audits, or a payment.
async fn run(cx: Cx, input: AuditRequest) -> Result<WrittenJson<Audit>, ServiceError> {
    let url = cx.services.engine().fetcher().intake(&input.url)?;
    let (services, lang) = (cx.services.clone(), cx.lang);
    let written = move |finished| WrittenJson::spoken(&answer(&services, finished, lang)?);
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
        id: id.map(|id| id.0),
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
    /// The `id` that the audit was answered with.
    pub id: String,
}

/// The stored audit in the language of the call.
async fn read(cx: Cx, input: ReadAudit) -> Result<Reading, ServiceError> {
    let stored = readable(&cx, &cx.caller.required_owner()?, input.id.clone()).await?.stored;
    off_worker(move || reading::read(&stored, &input, cx.lang)).await?
}

/// Which patch.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReadPatch {
    /// The `id` that the audit was answered with.
    id: String,
    /// Only the ready fixes on the cheapest path to this score, with the fewest changes; where they don't reach it, all of
    /// the path, and `target` of the answer says how far it goes.
    #[serde(default)]
    #[schemars(range(max = 100))]
    target: Option<u32>,
}

/// All fixes of an audit together, or those on the way to a score.
async fn patch(cx: Cx, input: ReadPatch) -> Result<WrittenJson<PatchAnswer>, ServiceError> {
    const RANGE: Text =
        text("target: takes a whole number from 0 to 100", "target: recebe um número inteiro de 0 a 100");
    if input.target.is_some_and(|score| score > audit::score::FULL) {
        return Err(ServiceError::new(Code::InvalidParameter).explained(RANGE.into()));
    }
    let stored = readable(&cx, &cx.caller.required_owner()?, input.id).await?.stored;
    WrittenJson::speaking(move || Ok(patch_answer(&cx.services, &stored, input.target, cx.lang))).await
}
