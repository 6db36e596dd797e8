//! Shares: a public address for an audit, what it shows, and its badge.

use model::id::{Owner, Slug};
use model::report::StoredAudit;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use store::{NewShare, SharePictures, ShareState, StoredReport};
use url::Url;

use super::audits::{AuditPath, FORMS, Reading, ReportFormat, audit_id, no_such_audit, stored, whole};
use crate::app::App;
use crate::badge;
use crate::blocking::off_worker;
use crate::database::Trouble;
use crate::error::{ApiError, Code};
use crate::operation::{Access, Answer, Cx, Json, Operation, Reply};
use crate::picture::{self, Scene};
use model::lang::Lang;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/audits/{id}/share", "share_audit", share)
            .text(
                "Publish an audit",
                "Gives the audit a public address that nobody can guess: a page that search engines may list, the same as \
                 JSON, and a badge for a README. Nothing of its owner is shown. The same address comes back however often \
                 this is called, until it is revoked.",
            )
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::AuditNotFound, Code::DatabaseUnavailable]),
        Operation::delete("/api/audits/{id}/share", "unshare_audit", unshare)
            .text(
                "Take an audit's public address away",
                "From now on page and JSON answer 404 and the badge is grey. The address is never given again: sharing \
                 the audit anew makes another one. Harmless where the audit is not shared.",
            )
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::AuditNotFound, Code::DatabaseUnavailable]),
        Operation::get("/api/shared/{slug}", "get_shared", shared)
            .text(
                "Read a shared audit",
                "The audit at a public address, as its owner reads it; `format` (or `Accept`) Markdown, CSV or SARIF. Needs \
                 no credential; a revoked address is gone. The same as a page: `/r/{slug}`.",
            )
            .also_as(FORMS)
            .errors(&[Code::ShareNotFound, Code::DatabaseUnavailable]),
        Operation::get("/api/badge/{slug}", "get_badge", badge)
            .text(
                "See what a badge says",
                "The score that the badge of a shared audit shows, and the lines that put it into a README or a page. The \
                 badge itself is `/badge/{slug}.svg`, with `label` (24 printable ASCII characters at most) and `style` \
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
    /// The part of the address that nobody can guess.
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

/// That an audit is not shared.
#[derive(Debug, Serialize, JsonSchema)]
struct Unshared {
    /// Always true.
    ok: bool,
    /// Always false.
    shared: bool,
}

/// Path of the page of a shared audit.
pub(crate) fn report_path(slug: &Slug) -> String {
    format!("/r/{slug}")
}

/// Path of the badge of a shared audit.
pub(crate) fn badge_path(slug: &Slug) -> String {
    format!("/badge/{slug}.svg")
}

async fn share(cx: Cx, input: AuditPath) -> Result<Json<Shared>, ApiError> {
    let slug = publish(&cx, &cx.caller.required_owner()?, input.id).await?;
    let links = ShareLinks {
        report: cx.app.url(&report_path(&slug)),
        json: cx.app.url(&format!("/api/shared/{slug}")),
        badge: cx.app.url(&badge_path(&slug)),
    };
    Ok(Json::new(Shared {
        ok: true,
        shared: true,
        path: report_path(&slug),
        badge: badge_path(&slug),
        slug: slug.0,
        links,
    }))
}

/// Gives an audit of an owner its public address, and draws the pictures of it.
pub(crate) async fn publish(cx: &Cx, owner: &Owner, id: String) -> Result<Slug, ApiError> {
    let audit = stored(cx, owner, id).await?;
    if let Some(slug) = audit.share_slug {
        return Ok(slug);
    }
    let (app, id) = (cx.app.clone(), audit.id.clone());
    let pictures = off_worker(move || pictures(&app, &audit)).await??;
    let slug = Slug::random(cx.app.ports().entropy.bytes());
    let new = NewShare { slug, audit: id.clone(), created_at: cx.app.ports().now(), pictures };
    let slug = cx.app.database().ask(|store| store.share_audit(owner, new)).await.map_err(no_such_audit)?;
    tracing::info!(audit.id = %id, "shared");
    Ok(slug)
}

fn pictures(app: &App, audit: &StoredReport) -> Result<SharePictures, ApiError> {
    let url = Url::parse(&audit.report.url).ok();
    let scene = Scene {
        host: url.as_ref().and_then(Url::host_str).unwrap_or_default(),
        // Only a run that found no page has no summary.
        score: audit.report.summary.is_some().then_some(audit.report.score),
        counts: audit.report.counts,
        created_at: audit.created_at,
        product: &app.config().product.name,
    };
    let drawn = |lang| {
        picture::png(&scene, lang).map_err(|error| {
            tracing::error!(%error, "the picture of a shared report could not be drawn");
            ApiError::new(Code::Internal)
        })
    };
    Ok(SharePictures { en: drawn(Lang::En)?, pt: drawn(Lang::PtBr)? })
}

async fn unshare(cx: Cx, input: AuditPath) -> Result<Json<Unshared>, ApiError> {
    revoke(&cx, &cx.caller.required_owner()?, input.id).await?;
    Ok(Json::new(Unshared { ok: true, shared: false }))
}

/// Takes the public address of an owner's audit away.
pub(crate) async fn revoke(cx: &Cx, owner: &Owner, id: String) -> Result<(), ApiError> {
    let (id, now) = (audit_id(id)?, cx.app.ports().now());
    cx.app.database().ask(|store| store.revoke_share(owner, &id, now)).await.map_err(no_such_audit)?;
    tracing::info!(audit.id = %id, "no longer shared");
    Ok(())
}

/// Which shared audit.
#[derive(Debug, Deserialize, JsonSchema)]
struct SharePath {
    /// The `slug` that sharing was answered with.
    slug: String,
}

/// Which shared audit, and how.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReadShared {
    /// The `slug` that sharing was answered with.
    slug: String,
    /// `markdown`, `csv` or `sarif` instead of JSON; `Accept: text/markdown`, `text/csv` and `application/sarif+json` ask
    /// for the same.
    #[serde(default)]
    format: Option<ReportFormat>,
}

/// A shared audit, which is always read whole.
#[derive(Debug)]
struct SharedReading(Reading);

impl Answer for SharedReading {
    fn reply(self) -> Result<Reply, ApiError> {
        self.0.reply()
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        ("application/json", Some(generator.subschema_for::<StoredAudit>()))
    }
}

async fn shared(cx: Cx, input: ReadShared) -> Result<SharedReading, ApiError> {
    let audit = shared_report(&cx.app, &input.slug).await?;
    let read = off_worker(move || whole(&audit, input.format.unwrap_or_default(), cx.lang)).await?;
    read.map(SharedReading)
}

/// The audit at a public address.
pub(crate) async fn shared_report(app: &App, slug: &str) -> Result<StoredReport, ApiError> {
    let slug = known(slug)?;
    app.database().ask(|store| store.shared_report(&slug)).await.map_err(no_such_share)
}

/// What a public address stands for.
pub(crate) async fn share_state(app: &App, slug: &Slug) -> Result<ShareState, ApiError> {
    app.database().ask(|store| store.share_state(slug)).await.map_err(no_such_share)
}

/// The picture of a public address.
pub(crate) async fn share_picture(app: &App, slug: &str, lang: Lang) -> Result<Vec<u8>, ApiError> {
    let slug = known(slug)?;
    app.database().ask(|store| store.share_picture(&slug, lang)).await.map_err(no_such_share)
}

/// What can't be a slug of ours needs no look-up.
fn known(slug: &str) -> Result<Slug, ApiError> {
    Slug::parse(slug).ok_or_else(|| ApiError::new(Code::ShareNotFound))
}

fn no_such_share(trouble: Trouble) -> ApiError {
    match trouble {
        Trouble::NotFound => ApiError::new(Code::ShareNotFound),
        other => other.into(),
    }
}

/// What a badge says (Badge).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Badge")]
struct BadgeAnswer {
    /// Of the shared audit.
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
    /// What it tells about.
    report: String,
}

async fn badge(cx: Cx, input: SharePath) -> Result<Json<BadgeAnswer>, ApiError> {
    let slug = known(&input.slug)?;
    let (available, score) = match share_state(&cx.app, &slug).await? {
        ShareState::InForce { score } => (true, score),
        ShareState::Revoked => (false, None),
    };
    let snippets = Snippets::new(&cx.app, &slug, score);
    Ok(Json::new(BadgeAnswer {
        score,
        label: badge::LABEL.to_owned(),
        available,
        markdown: snippets.markdown,
        html: snippets.html,
        rst: snippets.rst,
        links: BadgeLinks { svg: cx.app.url(&badge_path(&slug)), report: cx.app.url(&report_path(&slug)) },
        slug: slug.0,
    }))
}

/// What puts a badge elsewhere, as a link to its report.
#[derive(Debug)]
pub(crate) struct Snippets {
    pub(crate) markdown: String,
    pub(crate) html: String,
    pub(crate) rst: String,
}

impl Snippets {
    /// Those of a share. Nothing in them is from outside: slug and score are ours, the origin is configured.
    pub(crate) fn new(app: &App, slug: &Slug, score: Option<u32>) -> Self {
        let (svg, report) = (app.url(&badge_path(slug)), app.url(&report_path(slug)));
        let name = format!("{}: {}", badge::LABEL, badge::message(score));
        Self {
            markdown: format!("[![{name}]({svg})]({report})"),
            html: format!("<a href=\"{report}\"><img src=\"{svg}\" alt=\"{name}\" height=\"20\"></a>"),
            rst: format!(".. image:: {svg}\n   :alt: {name}\n   :target: {report}"),
        }
    }
}
