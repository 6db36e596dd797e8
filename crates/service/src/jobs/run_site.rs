//! One worker ("seat") of a site audit. Two seats make two requests at once, on one server or on two. Each server holds the same
//! frontier, built from the same pages; the database decides which seat asks for which page.

mod advance;
mod beginning;
mod watched;

use std::sync::Arc;
use std::time::Duration;

use engine::{CrawlAnswer, CrawlAsker, CrawledPage, SharedCrawl};
use fetch::KnownVersion;
use model::time::Timestamp;
use site::{FrontierEntry, PageAnswer, PageFacts, PageRole, SpillFailure};
use store::{ClaimedJob, SiteEnd, SiteKept, SiteRunRecord, SiteState, SiteTaken, StoreError, UnchangedPage};
use tokio::time::Instant;

use super::ending::{Ending, Unfinished};
use crate::job::Lane;
use crate::network::Network;
use crate::services::Services;
use crate::site_desk::Replica;
use crate::sites::program;

/// How long a seat works before it goes back into the queue, so that runs take turns. Chosen: some dozens of pages.
const TURN: Duration = Duration::from_secs(30);
/// Interval in which a seat renews its lease: three times within it.
const RENEW_EVERY: Duration = Duration::from_secs(15);
/// Longest wait in a seat; a longer one is spent in the queue.
const MOST_WAIT: Duration = Duration::from_secs(2);
/// Interval of looks while other seats ask for all pages that are known.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long a seat looks in vain before it leaves its place to seats of other runs, and for how long.
const MOST_IDLE: Duration = Duration::from_secs(2);
const IDLE_WAIT: Duration = Duration::from_secs(1);
/// Wait where the audits of all callers leave no place to fetch.
const BUSY_WAIT: Duration = Duration::from_secs(5);
/// Times that a page may be given out: more than the retries after 429 and 503, so that one more means that the page crashes its
/// worker.
const MOST_GIVEN: u32 = 6;

/// A seat at work.
struct Seat<'a> {
    services: &'a Services,
    claimed: &'a ClaimedJob,
    run: &'a SiteRunRecord,
    seat: u32,
    replica: Arc<Replica>,
}

/// What a seat does next.
enum SeatStep {
    /// The run has ended, or the lease was lost.
    Over,
    /// Goes back into the queue for a while.
    Leave(Duration),
    /// Goes on.
    GoOn,
    /// Nothing to ask for: other seats have all known pages.
    Idle,
}

/// Asks for pages of a run until they are done or it is another's turn.
pub(super) async fn run(services: &Services, claimed: &ClaimedJob, run: &str, seat: u32) -> Result<Ending, Unfinished> {
    let record = services.database().store().site_run(run).await?;
    let Some(record) = record.filter(|record| record.state == SiteState::Running) else {
        // Deleted, or ended, maybe by another server.
        services.sites().forget(run);
        return Ok(Ending::Done);
    };
    let replica = services.sites().replica(run);
    let seat = Seat { services, claimed, run: &record, seat, replica };
    tokio::select! {
        worked = seat.work() => worked,
        late = keep_lease(services, claimed) => late,
    }
}

/// Renews the lease; ends when it is lost.
#[expect(clippy::disallowed_methods, reason = "the interval between renewals")]
async fn keep_lease(services: &Services, claimed: &ClaimedJob) -> Result<Ending, Unfinished> {
    let lease_ms = i64::try_from(Lane::Site.lease().as_millis()).unwrap_or(i64::MAX);
    loop {
        tokio::time::sleep(RENEW_EVERY).await;
        let until = services.ports().now().plus_ms(lease_ms);
        if !services.database().store().renew_job(&claimed.lease, until).await? {
            return Ok(Ending::Late);
        }
    }
}

/// Ends a run whose seat was given up.
pub(super) async fn give_up(services: &Services, run: &str) -> Result<(), StoreError> {
    end_failed(services, run, "interrupted").await.map(drop)
}

/// Ends a run without a report.
async fn end_failed(services: &Services, run: &str, reason: &str) -> Result<bool, StoreError> {
    let watched = match services.database().store().site_run(run).await? {
        Some(record) => watched::failed(services, &record, reason).await?,
        None => None,
    };
    let end = SiteEnd {
        state: SiteState::Failed,
        reason: Some(reason.to_owned()),
        inputs: None,
        figures: None,
        jobs: Vec::new(),
        watched,
    };
    let ended = services.database().store().end_site(run, None, end, services.ports().now()).await?;
    services.sites().forget(run);
    services.sites().waiting.look(services.database()).await;
    tracing::warn!(site_run.id = %run, reason, "a run over a site failed");
    Ok(ended)
}

impl Seat<'_> {
    fn now(&self) -> Timestamp {
        self.services.ports().now()
    }

    async fn work(&self) -> Result<Ending, Unfinished> {
        let ends_at = Instant::now() + TURN;
        let mut busy_at = Instant::now();
        loop {
            match self.step().await? {
                SeatStep::Over => return Ok(Ending::Done),
                SeatStep::Leave(wait) => return Ok(Ending::Continued(wait)),
                SeatStep::Idle if busy_at.elapsed() >= MOST_IDLE => return Ok(Ending::Continued(IDLE_WAIT)),
                SeatStep::Idle => {}
                SeatStep::GoOn => busy_at = Instant::now(),
            }
            if Instant::now() >= ends_at {
                return Ok(Ending::Continued(Duration::ZERO));
            }
        }
    }

    /// Commits what is there, and asks for a page.
    async fn step(&self) -> Result<SeatStep, Unfinished> {
        let Ok(url) = self.services.engine().fetcher().intake(&self.run.url) else {
            // The operator changed the rules for target addresses.
            end_failed(self.services, &self.run.id, "address_not_allowed").await?;
            return Ok(SeatStep::Over);
        };
        // As audits are: at most so many at once of one target. The first page and the sitemaps take a place too.
        let concurrency = self.services.concurrency();
        let ours = Network::of(std::net::Ipv4Addr::LOCALHOST.into());
        let Ok(slots) = concurrency.enter(ours, concurrency.target(&url).as_deref()).await else {
            return Ok(SeatStep::Leave(BUSY_WAIT));
        };
        let changed = self.replica.changed.notified();
        let (asker, known) = {
            // Taken out while it advances: after an error it is dropped and not put back half-way, and the next seat builds it
            // again.
            let mut held = self.replica.crawl.lock().await;
            let mut crawl = match held.take() {
                Some(crawl) => crawl,
                None => match Box::pin(self.begun()).await? {
                    Some(crawl) => crawl,
                    None => return Ok(SeatStep::Over),
                },
            };
            if Box::pin(self.advance(&mut crawl)).await? {
                return Ok(SeatStep::Over);
            }
            let next = (crawl.asker(), known(&crawl));
            *held = Some(crawl);
            next
        };
        let store = self.services.database().store();
        let urls = known.iter().map(|(place, entry)| (*place, entry.url.clone())).collect();
        let taken = store.take_site_page(&self.run.id, self.seat, &self.claimed.lease, urls, self.now()).await?;
        match taken {
            SiteTaken::Over => Ok(SeatStep::Over),
            SiteTaken::Wait(ms) => {
                drop(slots);
                Ok(pause(Duration::from_millis(ms.unsigned_abs())).await)
            }
            SiteTaken::Idle => {
                drop(slots);
                // Whatever the end, the next step looks.
                let _ended = tokio::time::timeout(LOOK_EVERY, changed).await;
                Ok(SeatStep::Idle)
            }
            SiteTaken::Page { place, url, tries } => {
                let Some((_, entry)) = known.into_iter().find(|(known, entry)| *known == place && entry.url == url)
                else {
                    return Err(Unfinished::Later("the order of the pages has changed".to_owned()));
                };
                let asked = if tries > MOST_GIVEN {
                    let answer = PageAnswer::Failed("defect".to_owned());
                    let facts = PageFacts::unjudged(&url, PageRole::Page, answer);
                    CrawlAnswer::Page(Box::new(CrawledPage::without_report(facts)), None)
                } else {
                    Box::pin(asker.ask(&entry, tries)).await
                };
                let asked = match asked {
                    CrawlAnswer::Page(page, _)
                        if page.facts.is_none() && !self.took_over(&asker, place, &url).await? =>
                    {
                        Box::pin(asker.ask_unconditionally(&entry, tries)).await
                    }
                    asked => asked,
                };
                self.check(asker.check())?;
                let (page, rest) = match asked {
                    CrawlAnswer::Page(page, rest) => (Some(page), rest),
                    CrawlAnswer::Rest(rest) => (None, Some(rest)),
                };
                if let Some(rest) = rest {
                    let until = self.now().plus_ms(i64::try_from(rest.as_millis()).unwrap_or(i64::MAX));
                    store.rest_site(&self.run.id, until).await?;
                }
                match page {
                    Some(page) => self.keep(place, *page).await,
                    None => Ok(SeatStep::GoOn),
                }
            }
        }
    }

    /// Gives the frontier up where what was kept of the site's addresses could not be read again: the next try builds it from the
    /// stored pages.
    fn check(&self, checked: Result<(), SpillFailure>) -> Result<(), Unfinished> {
        checked.map_err(|failure| {
            self.services.sites().forget(&self.run.id);
            Unfinished::Later(failure.to_string())
        })
    }

    /// Takes a page over that has not changed since the run before; `false` where that run has it no more.
    async fn took_over(&self, asker: &CrawlAsker, place: i64, url: &str) -> Result<bool, Unfinished> {
        let (Some(before), Some(place_before)) = (self.run.before.clone(), asker.place_before(url)) else {
            return Ok(false);
        };
        self.check(asker.check())?;
        let page = UnchangedPage { place, before, place_before };
        let store = self.services.database().store();
        Ok(store.keep_unchanged_site_page(&self.run.id, self.seat, &self.claimed.lease, page).await?)
    }

    /// Keeps what came of a page.
    async fn keep(&self, place: i64, page: CrawledPage) -> Result<SeatStep, Unfinished> {
        // Taken over from the run before.
        let Some(facts) = page.facts else {
            self.replica.changed.notify_waiters();
            return Ok(SeatStep::GoOn);
        };
        // Another version of the program judges otherwise than the run began.
        let is_ours = self.run.program.as_deref() == Some(&*program());
        let version = if is_ours { page.version } else { KnownVersion::default() };
        let kept = SiteKept {
            place,
            facts: serde_json::to_vec(&facts).map_err(|error| Unfinished::Never(error.to_string()))?,
            report: page.report,
            answer: facts.answer.word(),
            status: facts.status,
            score: facts.score,
            findings: facts.findings.len(),
            etag: version.etag.filter(|value| can_be_sent(value)),
            last_modified: version.last_modified.filter(|value| can_be_sent(value)),
        };
        let store = self.services.database().store();
        store.keep_site_page(&self.run.id, self.seat, &self.claimed.lease, kept).await?;
        self.replica.changed.notify_waiters();
        Ok(SeatStep::GoOn)
    }
}

/// Whether a version is one that a conditional request can name.
fn can_be_sent(value: &str) -> bool {
    /// Bytes of a version: what servers send has some dozens.
    const MOST_BYTES: usize = 256;
    value.len() <= MOST_BYTES && value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Waits a little here, or longer in the queue.
#[expect(clippy::disallowed_methods, reason = "politeness is a wait")]
async fn pause(wait: Duration) -> SeatStep {
    if wait > MOST_WAIT {
        return SeatStep::Leave(wait);
    }
    tokio::time::sleep(wait).await;
    SeatStep::GoOn
}

/// Addresses that may be asked next, with their places.
fn known(crawl: &SharedCrawl) -> Vec<(i64, FrontierEntry)> {
    /// As many as are given out at once, and some that other servers have committed meanwhile.
    const MOST: usize = 64;
    let (_, committed) = crawl.progress();
    let entries = (committed..).map_while(|at| Some((i64::try_from(at).ok()?, crawl.entry(at)?)));
    entries.take(MOST).collect()
}
