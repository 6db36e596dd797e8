//! Shared reports: public address, pictures and badge.

use model::id::{Owner, Slug};
use model::lang::Lang;
use model::searchable::Searchable;
use render::badge;
use render::picture::Scene;
use store::{AuditHead, NewShare, SharePictures, ShareState, StoredReport};
use url::Url;

use crate::audits::{audit_id, no_such_audit, stored};
use crate::blocking::off_worker;
use crate::caller::Cx;
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
use crate::services::Services;

/// Path of the page of a shared audit.
pub fn report_path(slug: &Slug) -> String {
    format!("/r/{slug}")
}

/// Path of the badge of a shared audit.
pub fn badge_path(slug: &Slug) -> String {
    format!("/badge/{slug}.svg")
}

/// Publishes an audit of an owner under a public address, and renders its pictures. Idempotent.
pub async fn publish(cx: &Cx, owner: &Owner, id: String) -> Result<Slug, ServiceError> {
    let audit = stored(cx, owner, id).await?;
    if let Some(slug) = audit.share_slug {
        return Ok(slug);
    }
    let (product, id) = (cx.services.config().product.name.clone(), audit.id.clone());
    let pictures = off_worker(move || pictures(&product, &audit)).await??;
    let slug = Slug::random(cx.services.ports().entropy.bytes());
    let new = NewShare { slug, audit: id.clone(), created_at: cx.services.ports().now(), pictures };
    let slug = cx.services.database().write(|store| store.share_audit(owner, new)).await.map_err(no_such_audit)?;
    tracing::info!(audit.id = %id, "shared");
    Ok(slug)
}

fn pictures(product: &str, audit: &StoredReport) -> Result<SharePictures, ServiceError> {
    let url = Url::parse(&audit.report.url).ok();
    let scene = Scene {
        host: url.as_ref().and_then(Url::host_str).unwrap_or_default(),
        // Only the report of an unreachable page has no summary.
        score: audit.report.summary.is_some().then_some(audit.report.score),
        searchable: audit.report.searchable.as_ref(),
        counts: audit.report.counts,
        created_at: audit.created_at,
        product,
    };
    let drawn = |lang| {
        render::picture::png(&scene, lang).map_err(|error| {
            tracing::error!(%error, "the picture of a shared report could not be drawn");
            ServiceError::new(Code::Internal)
        })
    };
    Ok(SharePictures { en: drawn(Lang::En)?, pt: drawn(Lang::PtBr)? })
}

/// Revokes the public address of an owner's audit.
pub async fn revoke(cx: &Cx, owner: &Owner, id: String) -> Result<(), ServiceError> {
    let (id, now) = (audit_id(id)?, cx.services.ports().now());
    cx.services.database().write(|store| store.revoke_share(owner, &id, now)).await.map_err(no_such_audit)?;
    tracing::info!(audit.id = %id, "no longer shared");
    Ok(())
}

/// The audit at a public address.
pub async fn report(services: &Services, slug: &str) -> Result<StoredReport, ServiceError> {
    let slug = slug_of(slug)?;
    services.database().ask(|store| store.shared_report(&slug)).await.map_err(no_such_share)
}

/// The audit at a public address without its report: a fraction of the work of [`report`], and the same refusals.
pub async fn head(services: &Services, slug: &str) -> Result<AuditHead, ServiceError> {
    let slug = slug_of(slug)?;
    services.database().ask(|store| store.shared_head(&slug)).await.map_err(no_such_share)
}

/// Whether a search engine can show the page of a shared audit; `None` of an audit that did not tell.
pub async fn searchable(services: &Services, slug: &Slug) -> Result<Option<Searchable>, ServiceError> {
    services.database().ask(|store| store.shared_searchable(slug)).await.map_err(no_such_share)
}

/// Score and state behind a public address.
pub async fn state(services: &Services, slug: &Slug) -> Result<ShareState, ServiceError> {
    services.database().ask(|store| store.share_state(slug)).await.map_err(no_such_share)
}

/// The picture of a shared report.
pub async fn picture(services: &Services, slug: &str, lang: Lang) -> Result<Vec<u8>, ServiceError> {
    let slug = slug_of(slug)?;
    services.database().ask(|store| store.share_picture(&slug, lang)).await.map_err(no_such_share)
}

/// Parses a slug; an invalid one is "not found", without a query.
pub fn slug_of(slug: &str) -> Result<Slug, ServiceError> {
    Slug::parse(slug).ok_or_else(|| ServiceError::new(Code::ShareNotFound))
}

fn no_such_share(error: DatabaseError) -> ServiceError {
    match error {
        DatabaseError::NotFound => ServiceError::new(Code::ShareNotFound),
        other => other.into(),
    }
}

/// Snippets that embed a badge with a link to its report.
#[derive(Debug)]
pub struct Snippets {
    /// For Markdown.
    pub markdown: String,
    /// For HTML.
    pub html: String,
    /// For reStructuredText.
    pub rst: String,
}

impl Snippets {
    /// The snippets of a share. They need no escaping: slug and score are ours, the origin is configured.
    pub fn new(services: &Services, slug: &Slug, score: Option<u32>) -> Self {
        let (svg, report) = (services.url(&badge_path(slug)), services.url(&report_path(slug)));
        let name = format!("{}: {}", badge::LABEL, badge::message(score));
        Self {
            markdown: format!("[![{name}]({svg})]({report})"),
            html: format!("<a href=\"{report}\"><img src=\"{svg}\" alt=\"{name}\" height=\"20\"></a>"),
            rst: format!(".. image:: {svg}\n   :alt: {name}\n   :target: {report}"),
        }
    }
}
