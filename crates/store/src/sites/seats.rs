//! Seats of a run: which page each of them asks for, and when.

use model::time::Timestamp;
use sqlx::Row as _;

use crate::error::StoreError;
use crate::jobs::{JobLease, NewJob};
use crate::site_runs::{packed, packed_facts, unpacked};
use crate::statement::of_id;
use crate::store::Store;

/// Pages that may be given out before the one that is to be committed next: what is fetched in vain when a run ends early.
const AHEAD: i64 = 16;

/// What a seat is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SiteTaken {
    /// Ask for this page.
    Page {
        /// Its place in the order.
        place: i64,
        /// Its key.
        url: String,
        /// How often it was given out, from 1.
        tries: u32,
    },
    /// Wait so many milliseconds: the site is to be left alone.
    Wait(i64),
    /// Wait for other seats: no page is known that nobody asks for.
    Idle,
    /// The run has ended, or the lease was lost.
    Over,
}

/// The beginning of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SiteBeginning {
    /// Nothing was asked yet.
    NotYet,
    /// What the site answered, in the caller's encoding.
    Begun(Vec<u8>),
    /// The run has ended.
    Over,
}

/// A page that was asked.
#[derive(Debug, Clone)]
pub struct SiteKept {
    /// Its place.
    pub place: i64,
    /// Its facts, in the caller's encoding.
    pub facts: Vec<u8>,
    /// Its report, in the caller's encoding; `None` for an address without one.
    pub report: Option<Vec<u8>>,
    /// What it answered, in a word.
    pub answer: &'static str,
    /// HTTP status.
    pub status: Option<u16>,
    /// Score of its report.
    pub score: Option<u32>,
    /// Number of its findings.
    pub findings: usize,
    /// `ETag` of its answer, for the next run.
    pub etag: Option<String>,
    /// `Last-Modified` of its answer.
    pub last_modified: Option<String>,
}

const LOCK: &str =
    "UPDATE site_runs SET asked = asked WHERE id = $1 AND state = 'running' RETURNING asked, done, next_at";

const BEGUN: &str = "SELECT begun FROM site_runs WHERE id = $1 AND state = 'running'";

const KEEP_BEGUN: &str = "UPDATE site_runs SET begun = $2, gap_ms = $3, url = $4 WHERE id = $1 AND begun IS NULL";

const MINE: &str = "UPDATE site_pages SET tries = tries + 1 WHERE run_id = $1 AND place = (SELECT place FROM site_pages \
    WHERE run_id = $1 AND place >= $2 AND seat = $3 AND facts IS NULL ORDER BY place LIMIT 1) \
    RETURNING place, url, tries";

const GIVE: &str = "INSERT INTO site_pages (run_id, place, url, seat, tries) VALUES ($1, $2, $3, $4, 1)";

const GIVEN: &str = "UPDATE site_runs SET asked = asked + $2, next_at = $3 + gap_ms WHERE id = $1";

const KEEP: &str = "UPDATE site_pages SET facts = $4, report = $5, answer = $6, status = $7, score = $8, findings = $9, \
    etag = $10, last_modified = $11 \
    WHERE run_id = $1 AND place = $2 AND seat = $3 AND facts IS NULL";

const REST: &str = "UPDATE site_runs SET next_at = $2 WHERE id = $1 AND next_at < $2 RETURNING id";

impl Store {
    /// What the site of a run answered at its beginning, if the run goes on.
    pub async fn begun_site(&self, run: &str) -> Result<SiteBeginning, StoreError> {
        let subject = "reading the beginning of a run over a site";
        let Some(row) = self.db.read(subject, of_id(BEGUN, run)).await? else { return Ok(SiteBeginning::Over) };
        let begun: Option<Vec<u8>> = row.try_get("begun").map_err(|error| StoreError::of_driver(subject, error))?;
        Ok(begun.as_deref().map(unpacked).transpose()?.map_or(SiteBeginning::NotYet, SiteBeginning::Begun))
    }

    /// Keeps what the site of a run answered at its beginning, with the address that answered and the milliseconds between two
    /// requests, and enqueues the jobs of its other seats. Nothing is done where another seat was faster, the run has ended, or
    /// the lease was lost.
    pub async fn keep_begun_site(
        &self,
        run: &str,
        lease: &JobLease,
        begun: &[u8],
        url: &str,
        gap_ms: i64,
        jobs: Vec<NewJob>,
    ) -> Result<(), StoreError> {
        let (run, lease, begun, url) = (run.to_owned(), lease.clone(), packed(begun)?, url.to_owned());
        self.db
            .transact("keeping the beginning of a run over a site", move |transaction| {
                let (run, lease, jobs) = (run.clone(), lease.clone(), jobs.clone());
                let keep = of_id(KEEP_BEGUN, &run).bind(begun.clone()).bind(gap_ms).bind(url.clone());
                Box::pin(async move {
                    let is_held =
                        transaction.first(of_id(LOCK, &run)).await?.is_some() && transaction.holds_job(&lease).await?;
                    if !is_held || transaction.run(keep).await? == 0 {
                        return Ok(());
                    }
                    for job in &jobs {
                        transaction.enqueue(job).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    /// Gives a page to a seat: the one that it had, or the next one. `known` are addresses with their places, from the first
    /// that is not committed on.
    pub async fn take_site_page(
        &self,
        run: &str,
        seat: u32,
        lease: &JobLease,
        known: Vec<(i64, String)>,
        now: Timestamp,
    ) -> Result<SiteTaken, StoreError> {
        let subject = "giving out a page of a site";
        let (run, lease) = (run.to_owned(), lease.clone());
        self.db
            .transact(subject, move |transaction| {
                let (run, lease, known) = (run.clone(), lease.clone(), known.clone());
                Box::pin(async move {
                    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
                    let Some(row) = transaction.first(of_id(LOCK, &run)).await? else { return Ok(SiteTaken::Over) };
                    if !transaction.holds_job(&lease).await? {
                        return Ok(SiteTaken::Over);
                    }
                    let number = |name: &str| row.try_get::<i64, _>(name).map_err(failed);
                    let (asked, done, next_at) = (number("asked")?, number("done")?, number("next_at")?);
                    if next_at > now.0 {
                        return Ok(SiteTaken::Wait(next_at - now.0));
                    }
                    let mine = of_id(MINE, &run).bind(done).bind(i64::from(seat));
                    if let Some(row) = transaction.first(mine).await? {
                        let tries: i64 = row.try_get("tries").map_err(failed)?;
                        transaction.run(of_id(GIVEN, &run).bind(0_i64).bind(now.0)).await?;
                        return Ok(SiteTaken::Page {
                            place: row.try_get("place").map_err(failed)?,
                            url: row.try_get("url").map_err(failed)?,
                            tries: u32::try_from(tries).unwrap_or(u32::MAX),
                        });
                    }
                    let next = known.into_iter().find(|(place, _)| *place == asked);
                    let Some((place, url)) = next.filter(|_| asked < done + AHEAD) else {
                        return Ok(SiteTaken::Idle);
                    };
                    transaction.run(of_id(GIVE, &run).bind(place).bind(url.clone()).bind(i64::from(seat))).await?;
                    transaction.run(of_id(GIVEN, &run).bind(1_i64).bind(now.0)).await?;
                    Ok(SiteTaken::Page { place, url, tries: 1 })
                })
            })
            .await
    }

    /// Keeps what came of a page that a seat was given. Nothing is done where the lease was lost.
    pub async fn keep_site_page(
        &self,
        run: &str,
        seat: u32,
        lease: &JobLease,
        page: SiteKept,
    ) -> Result<(), StoreError> {
        let (run, lease) = (run.to_owned(), lease.clone());
        let (facts, report) = (packed_facts(&page.facts)?, page.report.as_deref().map(packed).transpose()?);
        self.db
            .transact("keeping a page of a site", move |transaction| {
                let (run, lease, facts, report) = (run.clone(), lease.clone(), facts.clone(), report.clone());
                let (place, answer, status) = (page.place, page.answer, page.status);
                let (score, findings) = (page.score, i64::try_from(page.findings).unwrap_or(i64::MAX));
                let (etag, last_modified) = (page.etag.clone(), page.last_modified.clone());
                Box::pin(async move {
                    if !transaction.holds_job(&lease).await? {
                        return Ok(());
                    }
                    let keep = of_id(KEEP, &run).bind(place).bind(i64::from(seat)).bind(facts).bind(report);
                    let keep = keep.bind(answer).bind(status.map(i64::from)).bind(score.map(i64::from));
                    transaction.run(keep.bind(findings).bind(etag).bind(last_modified)).await.map(drop)
                })
            })
            .await
    }

    /// Leaves the site of a run alone until a time.
    pub async fn rest_site(&self, run: &str, until: Timestamp) -> Result<(), StoreError> {
        self.db.write("resting a run over a site", of_id(REST, run).bind(until.0)).await.map(drop)
    }
}
