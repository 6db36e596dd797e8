//! Runs: the audits of a followed page.

use model::finding::{Counts, Finding};
use model::id::{AuditId, Owner, Slug};
use model::report::Coverage;
use model::time::Timestamp;
use serde::Deserialize;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::blocking::off_worker;
use crate::body::unpack;
use crate::error::StoreError;
use crate::lab::lab_tests;
use crate::store::Store;
use crate::stored_report::{StoredReport, share_slug, stored_report};
use crate::tabs::MOST_TABS;

/// A stored run.
#[derive(Debug, Clone)]
pub struct RunRecord {
    /// The audit.
    pub id: AuditId,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Run of a watch that could not reach its page: it has no score.
    pub failed: bool,
    /// Run of a watch that sent an alert.
    pub alerted: bool,
    /// Its public address, while it is shared.
    pub share_slug: Option<Slug>,
    body: Vec<u8>,
}

/// The score of a run of a followed page, without its report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunScore {
    /// The page.
    pub url: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// 0 to 100; `None` where the page could not be reached.
    pub score: Option<u32>,
}

/// The findings of a run, without the rest of its report.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RunFindings {
    /// 0 to 100.
    pub score: u32,
    /// Findings, most to least severe.
    pub findings: Vec<Finding>,
    /// Findings per severity.
    pub counts: Counts,
    /// Which checks were measured.
    pub coverage: Coverage,
}

impl RunRecord {
    /// Reads a row with `id`, `created_at`, `failed`, `alerted`, `share_slug` and `body`.
    pub(crate) fn of(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: AuditId(row.try_get("id")?),
            created_at: Timestamp(row.try_get("created_at")?),
            failed: row.try_get::<i64, _>("failed")? != 0,
            alerted: row.try_get::<i64, _>("alerted")? != 0,
            share_slug: row.try_get::<Option<String>, _>("share_slug")?.map(Slug),
            body: row.try_get("body")?,
        })
    }

    /// Its findings. Takes about a millisecond of CPU, more for a large report.
    pub fn judged(&self) -> Result<RunFindings, StoreError> {
        unpack(&self.body)
    }
}

fn run_score(row: &AnyRow) -> Result<RunScore, sqlx::Error> {
    let score: i64 = row.try_get("score")?;
    let failed: i64 = row.try_get("failed")?;
    Ok(RunScore {
        url: row.try_get("requested_url")?,
        created_at: Timestamp(row.try_get("created_at")?),
        score: u32::try_from(score).ok().filter(|_| failed == 0),
    })
}

const NEWEST: &str = concat!(
    "SELECT id, requested_url, created_at, body, ",
    share_slug!(),
    ", ",
    lab_tests!(),
    " FROM audits WHERE owner = $1 AND requested_url = $2 ORDER BY created_at DESC, id DESC LIMIT 1"
);

const RUNS: &str = concat!(
    "SELECT id, created_at, failed, alerted, body, ",
    share_slug!(),
    " FROM audits WHERE owner = $1 AND requested_url = $2 ORDER BY created_at DESC, id DESC LIMIT $3"
);

const SCORES: &str = "SELECT requested_url, created_at, score, failed FROM (SELECT requested_url, created_at, id, score, \
    failed, ROW_NUMBER() OVER (PARTITION BY requested_url ORDER BY created_at DESC, id DESC) AS place FROM audits \
    WHERE owner = $1 AND requested_url IN (SELECT url FROM tabs WHERE owner = $1)) AS runs WHERE place <= $2 \
    ORDER BY requested_url, created_at, id LIMIT $3";

// Two audits may have the same `created_at`; their ids order them.
const RUN_BEFORE: &str = concat!(
    "SELECT id, created_at, failed, alerted, body, ",
    share_slug!(),
    " FROM audits WHERE owner = $1 AND requested_url = $2 AND failed = 0 \
     AND (created_at < $3 OR (created_at = $3 AND id < $4)) ORDER BY created_at DESC, id DESC LIMIT 1"
);

impl Store {
    /// The newest audit that `owner` has of a page, if any.
    pub async fn newest_audit_of(&self, owner: &Owner, url: &str) -> Result<Option<StoredReport>, StoreError> {
        let subject = "reading the last run of a tab";
        let statement = sqlx::query(NEWEST).bind(owner.to_string()).bind(url.to_owned());
        let Some(row) = self.db.read(subject, statement).await? else { return Ok(None) };
        let id = row.try_get("id").map_err(|error| StoreError::of_driver(subject, error))?;
        off_worker(subject, move || stored_report(subject, AuditId(id), &row)).await.map(Some)
    }

    /// The newest audits that `owner` has of a page, at most `limit`, newest first.
    pub async fn runs_of(&self, owner: &Owner, url: &str, limit: u32) -> Result<Vec<RunRecord>, StoreError> {
        let subject = "reading the history of a tab";
        let statement = sqlx::query(RUNS).bind(owner.to_string()).bind(url.to_owned()).bind(i64::from(limit));
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter().map(|row| RunRecord::of(row).map_err(|error| StoreError::of_driver(subject, error))).collect()
    }

    /// Scores of the newest runs of every page that `owner` follows, at most `limit` of each, by page and then oldest first.
    pub async fn scores_of(&self, owner: &Owner, limit: u32) -> Result<Vec<RunScore>, StoreError> {
        let subject = "reading the scores of tabs";
        let most = i64::from(limit).saturating_mul(i64::from(MOST_TABS));
        let statement = sqlx::query(SCORES).bind(owner.to_string()).bind(i64::from(limit)).bind(most);
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter().map(|row| run_score(row).map_err(|error| StoreError::of_driver(subject, error))).collect()
    }

    /// The newest audit of the same page that `owner` has from before `audit` and that has a score, if any.
    pub async fn run_before(&self, owner: &Owner, audit: &StoredReport) -> Result<Option<RunRecord>, StoreError> {
        let subject = "reading the run before an audit";
        let statement = sqlx::query(RUN_BEFORE)
            .bind(owner.to_string())
            .bind(audit.requested_url.clone())
            .bind(audit.created_at.0)
            .bind(audit.id.0.clone());
        let row = self.db.read(subject, statement).await?;
        row.map(|row| RunRecord::of(&row).map_err(|error| StoreError::of_driver(subject, error))).transpose()
    }
}
