//! Stored audits.

use model::id::{AuditId, Owner, Slug};
use model::lang::Lang;
use model::report::{Report, StoredAudit};
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::body::{PackedReport, unpack};
use crate::db::Statement;
use crate::{Store, StoreError, withheld};

/// An audit to keep.
#[derive(Debug, Clone)]
pub struct NewAudit<'a> {
    /// Its id, unique.
    pub id: AuditId,
    /// Who may read it again; `None`: nobody.
    pub owner: Option<Owner>,
    /// The debit or payment that is not final yet: until then nobody may read it, and afterwards its owner.
    pub withheld: Option<&'a str>,
    /// The address as it was asked for; its fragment is not kept.
    pub requested_url: &'a str,
    /// When it was made.
    pub created_at: Timestamp,
    /// What it found.
    pub report: &'a PackedReport,
}

/// An audit as it was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredReport {
    /// Its id.
    pub id: AuditId,
    /// The address as it was asked for; its fragment is not kept.
    pub requested_url: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Its public address, while it is shared.
    pub share_slug: Option<Slug>,
    /// What it found.
    pub report: Report,
}

impl StoredReport {
    /// The audit as it is read again in `lang`.
    pub fn stored_audit(&self, lang: Lang) -> StoredAudit {
        self.report.stored_audit(&self.id, self.created_at, self.share_slug.as_ref(), lang)
    }
}

/// An audit at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLine {
    /// Its id.
    pub id: AuditId,
    /// The address that was audited in the end.
    pub url: String,
    /// Its score, 0 to 100.
    pub score: u8,
    /// When it was made.
    pub created_at: Timestamp,
}

const INSERT: &str = "INSERT INTO audits (id, owner, requested_url, url, score, created_at, body) \
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// The column of a row of `audits` with its public address, while it is shared. A macro, because a constant can be joined
/// with another only so.
macro_rules! share_slug {
    () => {
        "(SELECT slug FROM shares WHERE audit_id = audits.id AND revoked_at IS NULL) AS share_slug"
    };
}
pub(crate) use share_slug;

const SELECT: &str =
    concat!("SELECT requested_url, created_at, body, ", share_slug!(), " FROM audits WHERE id = $1 AND owner = $2");

const LATEST: &str = concat!(
    "SELECT id, requested_url, created_at, body, ",
    share_slug!(),
    " FROM audits WHERE owner = $1 ORDER BY created_at DESC, id DESC LIMIT $2"
);

const LINES: &str = "SELECT id, url, score, created_at FROM audits WHERE owner = $1 \
    ORDER BY created_at DESC, id DESC LIMIT $2";

impl Store {
    /// A report as it is kept, made by the caller's thread: a part of a millisecond for most. [`StoreError::Corrupt`] for
    /// one of more than 8 MiB of JSON.
    pub fn pack(&self, report: &Report) -> Result<PackedReport, StoreError> {
        self.codec.pack(report)
    }

    /// Keeps an audit; it is on disk when this answers. [`StoreError::Conflict`] when the id is taken.
    pub async fn insert_audit(&self, audit: NewAudit<'_>) -> Result<(), StoreError> {
        self.db.write("keeping an audit", inserting(audit)).await.map(drop)
    }

    /// The audit `id` of `owner`; [`StoreError::NotFound`] also when it is someone else's.
    pub async fn audit_of(&self, owner: &Owner, id: &AuditId) -> Result<StoredReport, StoreError> {
        let subject = "reading an audit";
        let statement = sqlx::query(SELECT).bind(id.0.clone()).bind(owner.to_string());
        let row = self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?;
        let id = id.clone();
        off_worker(subject, move || stored_report(subject, id, &row)).await
    }

    /// At most `limit` audits of `owner`, newest first, each at a glance.
    pub async fn audit_lines(&self, owner: &Owner, limit: u32) -> Result<Vec<AuditLine>, StoreError> {
        let subject = "listing audits";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let statement = sqlx::query(LINES).bind(owner.to_string()).bind(i64::from(limit));
        let rows = self.db.read_all(subject, statement).await?;
        let line = |row: &AnyRow| {
            let score: i64 = row.try_get("score").map_err(failed)?;
            Ok(AuditLine {
                id: AuditId(row.try_get("id").map_err(failed)?),
                url: row.try_get("url").map_err(failed)?,
                score: u8::try_from(score).map_err(|error| StoreError::corrupt(subject, error))?,
                created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
            })
        };
        rows.iter().map(line).collect()
    }

    /// The at most `limit` latest audits of `owner`, newest first.
    pub async fn latest_audits(&self, owner: &Owner, limit: u32) -> Result<Vec<StoredReport>, StoreError> {
        let subject = "reading the latest audits";
        let statement = sqlx::query(LATEST).bind(owner.to_string()).bind(i64::from(limit));
        let rows = self.db.read_all(subject, statement).await?;
        let read = move |row: &AnyRow| {
            let id: String = row.try_get("id").map_err(|error| StoreError::of_driver(subject, error))?;
            stored_report(subject, AuditId(id), row)
        };
        off_worker(subject, move || rows.iter().map(read).collect()).await
    }
}

/// The audit in a row with `requested_url`, `created_at`, `share_slug` and `body`.
pub(crate) fn stored_report(subject: &'static str, id: AuditId, row: &AnyRow) -> Result<StoredReport, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let body: Vec<u8> = row.try_get("body").map_err(failed)?;
    Ok(StoredReport {
        id,
        requested_url: row.try_get("requested_url").map_err(failed)?,
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
        share_slug: row.try_get::<Option<String>, _>("share_slug").map_err(failed)?.map(Slug),
        report: unpack(&body)?,
    })
}

/// The statement that keeps `audit`.
pub(crate) fn inserting(audit: NewAudit<'_>) -> Statement {
    sqlx::query(INSERT)
        .bind(audit.id.0)
        .bind(audit.withheld.map(withheld::owner).or_else(|| audit.owner.map(|owner| owner.to_string())))
        .bind(storable(without_fragment(audit.requested_url)))
        .bind(storable(&audit.report.url))
        .bind(i64::from(audit.report.score))
        .bind(audit.created_at.0)
        .bind(audit.report.body.clone())
}

/// Does what takes long on a thread that no other call waits for.
pub(crate) async fn off_worker<T: Send + 'static>(
    subject: &'static str,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(ended) => match ended.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(ended) => Err(StoreError::unavailable(subject, ended)),
        },
    }
}

/// `url` up to its fragment, which no server sees: pages are told apart by the rest.
fn without_fragment(url: &str) -> &str {
    url.split_once('#').map_or(url, |(page, _)| page)
}

/// `url` without NUL, which PostgreSQL's TEXT can't hold; escaped, as a URL parser does.
fn storable(url: &str) -> String {
    url.replace('\0', "%00")
}
