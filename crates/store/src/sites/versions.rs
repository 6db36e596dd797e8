//! Versions of the pages of a run, for the conditional requests of the next one.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::jobs::JobLease;
use crate::statement::of_id;
use crate::store::Store;

/// The version of a page of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePageVersion {
    /// The page's place in the order.
    pub place: i64,
    /// Its key.
    pub url: String,
    /// `ETag` of its answer.
    pub etag: Option<String>,
    /// `Last-Modified` of its answer.
    pub last_modified: Option<String>,
}

/// A page that is as it was in the run before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnchangedPage {
    /// Its place in this run.
    pub place: i64,
    /// The run before.
    pub before: String,
    /// Its place there.
    pub place_before: i64,
}

const VERSIONS: &str = "SELECT place, url, etag, last_modified FROM site_pages WHERE run_id = $1 AND place >= $2 \
    AND facts IS NOT NULL AND (etag IS NOT NULL OR last_modified IS NOT NULL) ORDER BY place LIMIT $3";

const TAKE_OVER: &str = "UPDATE site_pages SET facts = b.facts, report = b.report, answer = b.answer, status = b.status, \
    score = b.score, findings = b.findings, etag = b.etag, last_modified = b.last_modified FROM site_pages AS b \
    WHERE site_pages.run_id = $1 AND site_pages.place = $2 AND site_pages.seat = $3 AND site_pages.facts IS NULL \
    AND b.run_id = $4 AND b.place = $5 AND b.facts IS NOT NULL";

impl Store {
    /// Versions of the pages of a run from a place on, in order, at most so many.
    pub async fn site_versions(&self, run: &str, from: i64, most: i64) -> Result<Vec<SitePageVersion>, StoreError> {
        let subject = "reading versions of the pages of a site";
        let rows = self.db.read_all(subject, of_id(VERSIONS, run).bind(from).bind(most)).await?;
        let version = |row: &AnyRow| {
            Ok(SitePageVersion {
                place: row.try_get("place")?,
                url: row.try_get("url")?,
                etag: row.try_get("etag")?,
                last_modified: row.try_get("last_modified")?,
            })
        };
        let versions = rows.iter().map(version).collect::<Result<_, sqlx::Error>>();
        versions.map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Keeps what the run before had of a page that a seat was given. `false` where that run has the page no more; nothing is
    /// done where the lease was lost.
    pub async fn keep_unchanged_site_page(
        &self,
        run: &str,
        seat: u32,
        lease: &JobLease,
        page: UnchangedPage,
    ) -> Result<bool, StoreError> {
        let (run, lease) = (run.to_owned(), lease.clone());
        self.db
            .transact("keeping an unchanged page of a site", move |transaction| {
                let (run, lease, page) = (run.clone(), lease.clone(), page.clone());
                Box::pin(async move {
                    if !transaction.holds_job(&lease).await? {
                        return Ok(true);
                    }
                    let take_over = of_id(TAKE_OVER, &run).bind(page.place).bind(i64::from(seat));
                    let taken = transaction.run(take_over.bind(page.before).bind(page.place_before)).await?;
                    Ok(taken == 1)
                })
            })
            .await
    }
}
