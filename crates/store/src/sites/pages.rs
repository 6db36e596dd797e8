//! Pages of a run, read.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::site_runs::unpacked;
use crate::statement::of_id;
use crate::store::Store;

/// What came of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteResult {
    /// Its place in the order.
    pub place: i64,
    /// Its facts, in the caller's encoding.
    pub facts: Vec<u8>,
    /// Whether it has a report.
    pub is_audited: bool,
}

/// An address of a run in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePageLine {
    /// Its place in the order.
    pub place: i64,
    /// Its key.
    pub url: String,
    /// What it answered, in a word.
    pub answer: String,
    /// HTTP status.
    pub status: Option<u16>,
    /// Score of its own report.
    pub score: Option<u32>,
    /// Number of its findings.
    pub findings: u32,
}

/// An address of a run with its report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePageReport {
    /// The address.
    pub line: SitePageLine,
    /// Its report, in the caller's encoding.
    pub report: Option<Vec<u8>>,
}

const RESULTS: &str = "SELECT place, facts, CASE WHEN report IS NULL THEN 0 ELSE 1 END AS audited FROM site_pages \
    WHERE run_id = $1 AND place >= $2 AND facts IS NOT NULL ORDER BY place LIMIT $3";

// Committed ones only.
const LINES: &str = "SELECT place, url, answer, status, score, findings FROM site_pages \
    WHERE run_id = $1 AND place >= $2 AND place < (SELECT done FROM site_runs WHERE id = $1) ORDER BY place LIMIT $3";

const REPORTS: &str = "SELECT place, url, answer, status, score, findings, report FROM site_pages \
    WHERE run_id = $1 AND place >= $2 AND place < (SELECT done FROM site_runs WHERE id = $1) ORDER BY place LIMIT $3";

const PLACE: &str = "SELECT place FROM site_pages \
    WHERE run_id = $1 AND url = $2 AND place < (SELECT done FROM site_runs WHERE id = $1) ORDER BY place LIMIT 1";

impl Store {
    /// What came of addresses from a place on, in order, at most so many. There are gaps where pages are still asked.
    pub async fn site_results(&self, run: &str, from: i64, most: i64) -> Result<Vec<SiteResult>, StoreError> {
        let subject = "reading pages of a site";
        let rows = self.db.read_all(subject, of_id(RESULTS, run).bind(from).bind(most)).await?;
        let result = |row: &AnyRow| {
            let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
            let facts: Vec<u8> = row.try_get("facts").map_err(failed)?;
            Ok(SiteResult {
                place: row.try_get("place").map_err(failed)?,
                facts: unpacked(&facts)?,
                is_audited: row.try_get::<i64, _>("audited").map_err(failed)? != 0,
            })
        };
        rows.iter().map(result).collect()
    }

    /// Committed addresses of a run from a place on, in order, at most so many.
    pub async fn site_lines(&self, run: &str, from: i64, most: i64) -> Result<Vec<SitePageLine>, StoreError> {
        let subject = "listing pages of a site";
        let rows = self.db.read_all(subject, of_id(LINES, run).bind(from).bind(most)).await?;
        rows.iter().map(|row| line(subject, row)).collect()
    }

    /// The same with their reports.
    pub async fn site_reports(&self, run: &str, from: i64, most: i64) -> Result<Vec<SitePageReport>, StoreError> {
        let subject = "reading reports of a site";
        let rows = self.db.read_all(subject, of_id(REPORTS, run).bind(from).bind(most)).await?;
        let page = |row: &AnyRow| {
            let report: Option<Vec<u8>> =
                row.try_get("report").map_err(|error| StoreError::of_driver(subject, error))?;
            Ok(SitePageReport { line: line(subject, row)?, report: report.as_deref().map(unpacked).transpose()? })
        };
        rows.iter().map(page).collect()
    }

    /// The place of a committed address of a run by its key; `None` where the run has it not.
    pub async fn site_place(&self, run: &str, key: &str) -> Result<Option<i64>, StoreError> {
        let subject = "looking for a page of a site";
        let row = self.db.read(subject, of_id(PLACE, run).bind(key.to_owned())).await?;
        row.map(|row| row.try_get("place").map_err(|error| StoreError::of_driver(subject, error))).transpose()
    }
}

fn line(subject: &'static str, row: &AnyRow) -> Result<SitePageLine, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let number = |name: &str| row.try_get::<Option<i64>, _>(name).map_err(failed);
    Ok(SitePageLine {
        place: row.try_get("place").map_err(failed)?,
        url: row.try_get("url").map_err(failed)?,
        answer: row.try_get::<Option<String>, _>("answer").map_err(failed)?.unwrap_or_default(),
        status: number("status")?.and_then(|status| u16::try_from(status).ok()),
        score: number("score")?.and_then(|score| u32::try_from(score).ok()),
        findings: number("findings")?.and_then(|findings| u32::try_from(findings).ok()).unwrap_or_default(),
    })
}
