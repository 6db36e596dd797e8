//! Stored audits.

use model::id::{AccountId, AuditId, Owner};
use model::report::Report;
use model::summary::PageSummary;
use model::time::Timestamp;
use serde::Deserialize;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::blocking::off_worker;
use crate::body::{PackedReport, unpack};
use crate::error::StoreError;
use crate::jobs::NewJob;
use crate::lab::lab_tests;
use crate::statement::{Statement, member_reads};
use crate::store::Store;
use crate::stored_report::{StoredReport, share_slug, stored_report};
use crate::withheld;

/// An audit to store.
#[derive(Debug, Clone)]
pub struct NewAudit<'a> {
    /// Its id, unique.
    pub id: AuditId,
    /// Who may read it; `None`: nobody.
    pub owner: Option<Owner>,
    /// The debit or payment that withholds it: nobody may read it until that is final, then its owner may.
    pub withheld: Option<&'a str>,
    /// The requested address without its fragment.
    pub requested_url: &'a str,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The report.
    pub report: &'a PackedReport,
}

/// An audit in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLine {
    /// Its id.
    pub id: AuditId,
    /// The final address.
    pub url: String,
    /// Its score, 0 to 100.
    pub score: u8,
    /// Time of creation.
    pub created_at: Timestamp,
}

const INSERT: &str = "INSERT INTO audits (id, owner, requested_url, url, score, created_at, body) \
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

const SELECT: &str = concat!(
    "SELECT requested_url, created_at, body, ",
    share_slug!(),
    ", ",
    lab_tests!(),
    " FROM audits WHERE id = $1 AND owner = $2"
);

const SELECT_OF_MEMBER: &str = concat!(
    "SELECT requested_url, created_at, body, ",
    share_slug!(),
    ", ",
    lab_tests!(),
    " FROM audits WHERE id = $1 AND ",
    member_reads!()
);

const LATEST: &str = concat!(
    "SELECT id, requested_url, created_at, body, ",
    share_slug!(),
    ", ",
    lab_tests!(),
    " FROM audits WHERE owner = $1 ORDER BY created_at DESC, id DESC LIMIT $2"
);

const TESTED: &str = "SELECT a.body FROM lab_tests l JOIN audits a ON a.id = l.audit_id \
    WHERE l.run = $1 AND l.state = 'running'";

const LINES: &str = "SELECT id, url, score, created_at FROM audits WHERE owner = $1 \
    ORDER BY created_at DESC, id DESC LIMIT $2";

impl Store {
    /// Packs a report on the caller's thread, which takes less than a millisecond for most. [`StoreError::Corrupt`] for
    /// one of more than 8 MiB of JSON.
    pub fn pack(&self, report: &Report) -> Result<PackedReport, StoreError> {
        self.codec.pack(report)
    }

    /// Stores an audit; it is durable when this returns. [`StoreError::Conflict`] when the id is taken.
    pub async fn insert_audit(&self, audit: NewAudit<'_>) -> Result<(), StoreError> {
        self.db.write("keeping an audit", inserting(audit)).await.map(drop)
    }

    /// Stores an audit and queues `job`, both or neither. Errors as for [`Store::insert_audit`].
    pub async fn insert_audit_and(&self, audit: NewAudit<'_>, job: NewJob) -> Result<(), StoreError> {
        let NewAudit { id, owner, withheld, requested_url, created_at, report } = audit;
        let (withheld, requested_url) = (withheld.map(str::to_owned), requested_url.to_owned());
        let report = report.clone();
        self.db
            .transact("keeping an audit", move |transaction| {
                let (id, owner, withheld, job) = (id.clone(), owner.clone(), withheld.clone(), job.clone());
                let (requested_url, report) = (requested_url.clone(), report.clone());
                Box::pin(async move {
                    let (withheld, requested_url, report) = (withheld.as_deref(), requested_url.as_str(), &report);
                    let new = NewAudit { id, owner, withheld, requested_url, created_at, report };
                    transaction.run(inserting(new)).await?;
                    transaction.enqueue(&job).await.map(drop)
                })
            })
            .await
    }

    /// The audit `id` of `owner`; [`StoreError::NotFound`] also when it is someone else's.
    pub async fn audit_of(&self, owner: &Owner, id: &AuditId) -> Result<StoredReport, StoreError> {
        let subject = "reading an audit";
        let statement = sqlx::query(SELECT).bind(id.0.clone()).bind(owner.to_string());
        let row = self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?;
        let id = id.clone();
        off_worker(subject, move || stored_report(subject, id, &row)).await
    }

    /// The audit `id` of an organization that `account` is a member of; [`StoreError::NotFound`] otherwise, and where the
    /// organization requires a second factor of members and this one has none.
    pub async fn audit_of_member(
        &self,
        account: &AccountId,
        has_second_factor: bool,
        id: &AuditId,
    ) -> Result<StoredReport, StoreError> {
        let subject = "reading an organization's audit";
        let statement =
            sqlx::query(SELECT_OF_MEMBER).bind(id.0.clone()).bind(account.0.clone()).bind(i64::from(has_second_factor));
        let row = self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?;
        let id = id.clone();
        off_worker(subject, move || stored_report(subject, id, &row)).await
    }

    /// What the audited page of a running test declares; `None` where the test has ended.
    pub async fn audited_by_lab(&self, run: &str) -> Result<Option<PageSummary>, StoreError> {
        let subject = "reading the page of a lab test";
        let row = self.db.read(subject, sqlx::query(TESTED).bind(run.to_owned())).await?;
        let Some(row) = row else { return Ok(None) };
        let body: Vec<u8> = row.try_get("body").map_err(|error| StoreError::of_driver(subject, error))?;
        off_worker(subject, move || Ok(unpack::<StoredSummary>(&body)?.summary)).await
    }

    /// At most `limit` audits of `owner`, newest first, without their reports.
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

/// The part of a report that is compared.
#[derive(Deserialize)]
struct StoredSummary {
    summary: Option<PageSummary>,
}

/// The statement that inserts `audit`.
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

/// `url` without its fragment, which no server sees and which names no other page.
fn without_fragment(url: &str) -> &str {
    url.split_once('#').map_or(url, |(page, _)| page)
}

/// `url` with NUL percent-encoded, as a URL parser does: PostgreSQL's TEXT holds none.
fn storable(url: &str) -> String {
    url.replace('\0', "%00")
}
