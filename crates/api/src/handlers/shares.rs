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
            .title("Publish an audit", "Compartilhar uma auditoria")
            .doc(
                "Gives the audit a public address that can't be guessed: a page that search engines may list, the \
                 same as JSON, and a badge for a README. Nothing about its owner is shown. Idempotent: the address \
                 stays the same until it is revoked.",
                "Dá à auditoria um endereço público que não pode ser adivinhado: uma página que os buscadores podem \
                 listar, o mesmo em JSON, e um selo para um README. Nada sobre o dono é mostrado. Idempotente: o \
                 endereço continua o mesmo até ser revogado.",
            )
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::AuditNotFound, Code::DatabaseUnavailable]),
        Operation::delete("/api/audits/{id}/share", "unshare_audit", unshare)
            .title("Stop sharing an audit", "Parar de compartilhar uma auditoria")
            .doc(
                "Its page and JSON answer 404 and its badge turns grey. The address is never used again: sharing \
                 again creates a new one. Idempotent.",
                "A página e o JSON respondem 404 e o selo fica cinza. O endereço nunca é usado de novo: compartilhar \
                 outra vez cria um novo. Idempotente.",
            )
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::AuditNotFound, Code::DatabaseUnavailable]),
        Operation::get("/api/shared/{slug}", "get_shared", shared)
            .title("Get a shared audit", "Obter uma auditoria compartilhada")
            .doc(
                "The audit at a public address, as its owner reads it: whole, in parts (`fields`, `budget`), or with \
                 `format` (or `Accept`) as Markdown, CSV or SARIF. Needs no credential; a revoked address answers \
                 404. Its page is `/r/{slug}`.",
                "A auditoria de um endereço público, como o dono a lê: inteira, em partes (`fields`, `budget`), ou \
                 com `format` (ou `Accept`) em Markdown, CSV ou SARIF. Não precisa de credencial; um endereço \
                 revogado responde 404. A página dela é `/r/{slug}`.",
            )
            .reports()
            .errors(&[Code::ShareNotFound, Code::DatabaseUnavailable]),
        Operation::get("/api/badge/{slug}", "get_badge", badge)
            .title("Get a badge", "Obter um selo")
            .doc(
                "The score on the badge of a shared audit, and the code that embeds it in a README or a page. The \
                 image is `/badge/{slug}.svg`, with `label` (at most 24 printable ASCII characters) and `style` \
                 (`flat`, `flat-square`) in its query.",
                "A nota no selo de uma auditoria compartilhada, e o código que o põe em um README ou em uma página. A \
                 imagem é `/badge/{slug}.svg`, com `label` (no máximo 24 caracteres ASCII imprimíveis) e `style` \
                 (`flat`, `flat-square`) na query.",
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
    /// Addresses of the shared report and its badge.
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
    #[schemars(extend("x-pt" = "O `slug` que veio na resposta ao compartilhar."))]
    slug: String,
}

async fn shared(call: Call, input: SharePath) -> Result<Reading<StoredAudit>, ServiceError> {
    let Call { cx, wish, .. } = call;
    let head = shares::head(&cx.services, &input.slug).await?;
    let name = reading::name(&cx.services, &head, "", &wish, cx.lang);
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
    /// Addresses of the badge and the report.
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
