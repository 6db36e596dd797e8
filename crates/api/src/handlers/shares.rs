//! Shares: a public address for an audit, what it shows, and its badge.

use model::report::StoredAudit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ShareState;

use super::audits::AuditPath;
use crate::operation::{Access, Call, JsonAnswer, Operation};
use crate::reading::{self, Reading};
use render::badge;
use service::blocking::off_worker;
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::shares::{self, Snippets, badge_path, report_path};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/audits/{id}/share", "share_audit", share)
            .text(
                "Publish an audit",
                "Gives the audit a public address that can't be guessed: a page that search engines may list, the \
                 same as JSON, and a badge for a README. Nothing about its owner is shown. Idempotent: the address \
                 stays the same until it is revoked.",
            )
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::AuditNotFound, Code::DatabaseUnavailable]),
        Operation::delete("/api/audits/{id}/share", "unshare_audit", unshare)
            .text(
                "Stop sharing an audit",
                "Its page and JSON answer 404 and its badge turns grey. The address is never used again: sharing \
                 again creates a new one. Idempotent.",
            )
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::AuditNotFound, Code::DatabaseUnavailable]),
        Operation::get("/api/shared/{slug}", "get_shared", shared)
            .text(
                "Get a shared audit",
                "The audit at a public address, as its owner reads it: whole, in parts (`fields`, `budget`), or with \
                 `format` (or `Accept`) as Markdown, CSV or SARIF. Needs no credential; a revoked address answers \
                 404. Its page is `/r/{slug}`.",
            )
            .reports()
            .errors(&[Code::ShareNotFound, Code::DatabaseUnavailable]),
        Operation::get("/api/badge/{slug}", "get_badge", badge)
            .text(
                "Get a badge",
                "The score on the badge of a shared audit, and the code that embeds it in a README or a page. The \
                 image is `/badge/{slug}.svg`, with `label` (at most 24 printable ASCII characters) and `style` \
                 (`flat`, `flat-square`) in its query.",
            )
            .errors(&[Code::ShareNotFound, Code::DatabaseUnavailable]),
    ]
}

/// The public address of an audit (Compartilhamento).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Compartilhamento")]
struct Shared {
    /// Always true.
    ok: bool,
    /// Whether the audit is shared now.
    shared: bool,
    /// The unguessable part of the address.
    slug: String,
    /// Path of the page.
    path: String,
    /// Path of the badge.
    badge: String,
    #[serde(rename = "_links")]
    links: ShareLinks,
}

/// Absolute addresses of a shared audit.
#[derive(Debug, Serialize, JsonSchema)]
struct ShareLinks {
    /// The page.
    report: String,
    /// The same as JSON.
    json: String,
    /// The badge.
    badge: String,
}

/// Confirmation that an audit is not shared.
#[derive(Debug, Serialize, JsonSchema)]
struct Unshared {
    /// Always true.
    ok: bool,
    /// Always false.
    shared: bool,
}

async fn share(cx: Cx, input: AuditPath) -> Result<JsonAnswer<Shared>, ServiceError> {
    let slug = shares::publish(&cx, &cx.caller.required_owner()?, input.id).await?;
    let links = ShareLinks {
        report: cx.services.url(&report_path(&slug)),
        json: cx.services.url(&format!("/api/shared/{slug}")),
        badge: cx.services.url(&badge_path(&slug)),
    };
    Ok(JsonAnswer::new(Shared {
        ok: true,
        shared: true,
        path: report_path(&slug),
        badge: badge_path(&slug),
        slug: slug.0,
        links,
    }))
}

async fn unshare(cx: Cx, input: AuditPath) -> Result<JsonAnswer<Unshared>, ServiceError> {
    shares::revoke(&cx, &cx.caller.required_owner()?, input.id).await?;
    Ok(JsonAnswer::new(Unshared { ok: true, shared: false }))
}

/// Which shared audit.
#[derive(Debug, Deserialize, JsonSchema)]
struct SharePath {
    /// The `slug` that sharing was answered with.
    slug: String,
}

async fn shared(call: Call, input: SharePath) -> Result<Reading<StoredAudit>, ServiceError> {
    let Call { cx, wish, .. } = call;
    let head = shares::head(&cx.services, &input.slug).await?;
    let name = reading::name(&cx.services, &head, &[], &wish, cx.lang);
    if let Some(kept) = Reading::kept(&cx.services, &name) {
        return Ok(kept);
    }
    let audit = shares::report(&cx.services, &input.slug).await?;
    let (services, lang) = (cx.services, cx.lang);
    let written = off_worker(move || reading::stored(&audit, &[], &wish, lang)).await??;
    Ok(written.keep(&services, name))
}

/// Score and label of a badge (Badge).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Badge")]
struct BadgeAnswer {
    /// Address of the shared audit.
    slug: String,
    /// 0 to 100; null when the share was revoked, and when the page could not be reached.
    score: Option<u32>,
    /// The text at the left of the badge.
    label: String,
    /// False when the share was revoked.
    available: bool,
    /// The badge as a link to the report, in Markdown, for a README.
    markdown: String,
    /// The same in HTML.
    html: String,
    /// The same in reStructuredText.
    rst: String,
    #[serde(rename = "_links")]
    links: BadgeLinks,
}

/// Absolute addresses of a badge.
#[derive(Debug, Serialize, JsonSchema)]
struct BadgeLinks {
    /// The badge.
    svg: String,
    /// The report.
    report: String,
}

async fn badge(cx: Cx, input: SharePath) -> Result<JsonAnswer<BadgeAnswer>, ServiceError> {
    let slug = shares::slug_of(&input.slug)?;
    let (available, score) = match shares::state(&cx.services, &slug).await? {
        ShareState::InForce { score } => (true, score),
        ShareState::Revoked => (false, None),
    };
    let snippets = Snippets::new(&cx.services, &slug, score);
    Ok(JsonAnswer::new(BadgeAnswer {
        score,
        label: badge::LABEL.to_owned(),
        available,
        markdown: snippets.markdown,
        html: snippets.html,
        rst: snippets.rst,
        links: BadgeLinks { svg: cx.services.url(&badge_path(&slug)), report: cx.services.url(&report_path(&slug)) },
        slug: slug.0,
    }))
}
