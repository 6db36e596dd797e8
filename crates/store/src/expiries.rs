//! Dates on which something of followed pages ends: what their latest audits found, and links that wait for an answer.

use model::expiry::Expiry;
use model::id::{AuditId, Owner, TabId};
use model::time::Timestamp;
use serde::Deserialize;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::blocking::off_worker;
use crate::body::unpack;
use crate::error::StoreError;
use crate::store::Store;
use crate::tabs::MOST_TABS;

/// The dates that the latest audit of a followed page found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabExpiries {
    /// The followed page.
    pub tab: TabId,
    /// Its address.
    pub url: String,
    /// Its name.
    pub alias: Option<String>,
    /// The audit.
    pub audit: AuditId,
    /// When that was.
    pub audited_at: Timestamp,
    /// Earliest first.
    pub expiries: Vec<Expiry>,
}

/// A link that was mailed to confirm an address for alerts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingLink {
    /// The followed page.
    pub tab: TabId,
    /// Its address.
    pub url: String,
    /// Its name.
    pub alias: Option<String>,
    /// When the link expires.
    pub expires_at: Timestamp,
}

const LATEST: &str = "SELECT t.id, t.url, t.alias, a.id AS audit_id, a.created_at, a.body FROM tabs t \
    JOIN audits a ON a.id = (SELECT l.id FROM audits l WHERE l.owner = t.owner AND l.requested_url = t.url AND l.failed = 0 \
    ORDER BY l.created_at DESC, l.id DESC LIMIT 1) WHERE t.owner = $1 ORDER BY t.created_at, t.id LIMIT $2";

const LINKS: &str = "SELECT t.id, t.url, t.alias, l.expires_at FROM tabs t JOIN watch_links l ON l.tab_id = t.id \
    WHERE t.owner = $1 AND l.purpose = 'agree' AND l.expires_at > $2 ORDER BY l.expires_at, t.id LIMIT $3";

/// The part of a report that is read.
#[derive(Deserialize)]
struct DatedReport {
    summary: Option<DatedSummary>,
}

#[derive(Deserialize)]
struct DatedSummary {
    #[serde(default)]
    expiries: Vec<Expiry>,
}

impl Store {
    /// What the latest audits of an owner's followed pages found, oldest page first. A run that did not reach its page is
    /// passed over.
    pub async fn expiries_of(&self, owner: &Owner) -> Result<Vec<TabExpiries>, StoreError> {
        let subject = "reading dates of followed pages";
        let statement = sqlx::query(LATEST).bind(owner.to_string()).bind(i64::from(MOST_TABS));
        let rows = self.db.read_all(subject, statement).await?;
        off_worker(subject, move || rows.iter().map(|row| found(subject, row)).collect()).await
    }

    /// Links of an owner's followed pages that are not expired at `now`, the earliest first.
    pub async fn waiting_links_of(&self, owner: &Owner, now: Timestamp) -> Result<Vec<WaitingLink>, StoreError> {
        let subject = "listing links of followed pages";
        let statement = sqlx::query(LINKS).bind(owner.to_string()).bind(now.0).bind(i64::from(MOST_TABS));
        let rows = self.db.read_all(subject, statement).await?;
        let link = |row: &AnyRow| {
            Ok(WaitingLink {
                tab: TabId(row.try_get("id")?),
                url: row.try_get("url")?,
                alias: row.try_get("alias")?,
                expires_at: Timestamp(row.try_get("expires_at")?),
            })
        };
        let links = rows.iter().map(link).collect::<Result<_, sqlx::Error>>();
        links.map_err(|error| StoreError::of_driver(subject, error))
    }
}

fn found(subject: &'static str, row: &AnyRow) -> Result<TabExpiries, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let body: Vec<u8> = row.try_get("body").map_err(failed)?;
    let summary = unpack::<DatedReport>(&body)?.summary;
    Ok(TabExpiries {
        tab: TabId(row.try_get("id").map_err(failed)?),
        url: row.try_get("url").map_err(failed)?,
        alias: row.try_get("alias").map_err(failed)?,
        audit: AuditId(row.try_get("audit_id").map_err(failed)?),
        audited_at: Timestamp(row.try_get("created_at").map_err(failed)?),
        expiries: summary.map(|summary| summary.expiries).unwrap_or_default(),
    })
}
