//! The audit loop: fetch the page, parse it while the other files are fetched, judge.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use audit::{Blocked, PROBE_GETS, Page};
use fetch::{Budget, Fetcher};
use model::capture::{Body, Capture, Exchange, Extra, FetchFailure, Fetched, Source, Want, WantKind};
use model::report::Report;
use model::time::Timestamp;
use tokio::sync::Semaphore;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::Instant;
use url::Url;

/// A page with all its redirects.
const PAGE_TIME: Duration = Duration::from_secs(20);
/// An audit as a whole; what is unfinished then was not measured.
const AUDIT_TIME: Duration = Duration::from_secs(24);
/// The longest wait for a core: with as many audits as may fetch at once, each at its worst, it is half of this.
const CORE_TIME: Duration = Duration::from_secs(20);
/// Discovery probes together (interface §8).
const PROBE_TIME: Duration = Duration::from_secs(8);
/// Sitemaps together (hostile-inputs §2).
const SITEMAP_TIME: Duration = Duration::from_secs(10);
/// Probes in flight at once; and as many files besides.
const AT_ONCE: usize = 2;

/// Everything an audit needs. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine {
    fetcher: Fetcher,
    /// Parsing and judging at once: as many as there are cores, never on the async workers.
    cores: Arc<Semaphore>,
}

/// What comes from outside besides the network, so that a test can fix it.
#[derive(Clone)]
pub struct Given {
    /// The only "now" of the audit.
    pub started_at: Timestamp,
    /// 32 hex digits for the not-found probe.
    pub nonce: String,
    /// Told of each step as it ends.
    pub progress: Option<Progress>,
}

/// Who is told of the steps of an audit.
pub type Progress = Arc<dyn Fn(Step) + Send + Sync>;

/// A step of an audit that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The page has come, with its redirects.
    Page,
    /// robots.txt and the sitemaps have come, or have not.
    Files,
    /// The discovery files have come, or have not.
    Discovery,
    /// The page was judged.
    Judged,
}

impl Given {
    fn tell(&self, step: Step) {
        if let Some(progress) = &self.progress {
            progress(step);
        }
    }
}

/// A finished audit.
#[derive(Debug)]
pub struct Audited {
    /// What the network answered.
    pub capture: Capture,
    /// What the core made of it.
    pub report: Report,
}

/// Why there is no audit.
#[derive(Debug)]
pub enum AuditFailure {
    /// No response: refused by us, unreachable, or out of time.
    Fetch(FetchFailure),
    /// A firewall or a rate limit of the target answered instead of the page.
    Blocked(Blocked),
    /// No core came free in time.
    Overloaded,
    /// The core panicked: a defect of ours.
    Defect,
}

impl Engine {
    /// An engine over a client; `cores` pages are parsed at once.
    pub fn new(fetcher: Fetcher, cores: usize) -> Self {
        Self { fetcher, cores: Arc::new(Semaphore::new(cores.max(1))) }
    }

    /// The client, for reading the text of a URL.
    pub fn fetcher(&self) -> &Fetcher {
        &self.fetcher
    }

    /// Audits a URL that was read by [`Fetcher::intake`].
    pub async fn audit(&self, url: &Url, given: Given) -> Result<Audited, AuditFailure> {
        let begun = Instant::now();
        let page = self.fetcher.page(url, begun + PAGE_TIME).await;
        if let Some(blocked) = audit::blocked(&page) {
            return Err(AuditFailure::Blocked(blocked));
        }
        if let Fetched::Failed(failure) = page {
            return Err(AuditFailure::Fetch(failure));
        }
        given.tell(Step::Page);
        let capture = Arc::new(Capture {
            requested_url: url.to_string(),
            started_at: given.started_at,
            nonce: given.nonce.clone(),
            source: Source::Network,
            page,
            extras: Vec::new(),
        });
        let (page, extras) = self.gather(&capture, &given, begun + AUDIT_TIME).await?;
        // The parse is over, so nothing else holds the capture.
        let mut capture = Arc::unwrap_or_clone(capture);
        capture.extras = extras;
        let audited = self.judge(capture, page).await?;
        given.tell(Step::Judged);
        Ok(audited)
    }

    /// Parses the page and meanwhile fetches what the core wants, until it wants nothing more or time is out. The files
    /// come sorted, so that the same answers give the same capture.
    async fn gather(
        &self,
        capture: &Arc<Capture>,
        given: &Given,
        deadline: Instant,
    ) -> Result<(Page, Vec<Extra>), AuditFailure> {
        // Without the page's bytes: they may be megabytes, and what is wanted is read off the parsed page.
        let mut known = headed(capture);
        let mut parsing = std::pin::pin!(self.parse(Arc::clone(capture)));
        let mut parsed = None;
        let mut lanes = Lanes::new(deadline);
        loop {
            let wants = audit::wanted(&known, parsed.as_ref());
            lanes.start(&self.fetcher, &wants);
            if let Some(page) = parsed.take_if(|_| lanes.is_idle()) {
                known.extras.sort_by(|a, b| (a.want.kind, &a.want.url).cmp(&(b.want.kind, &b.want.url)));
                return Ok((page, known.extras));
            }
            tokio::select! {
                page = &mut parsing, if parsed.is_none() => parsed = Some(page?),
                Some(extra) = lanes.next() => known.extras.push(extra),
            }
            if parsed.is_some() {
                lanes.tell_of_ends(&audit::wanted(&known, parsed.as_ref()), given);
            }
        }
    }

    async fn parse(&self, capture: Arc<Capture>) -> Result<Page, AuditFailure> {
        self.on_a_core(move || Page::read(&capture)).await
    }

    async fn judge(&self, capture: Capture, page: Page) -> Result<Audited, AuditFailure> {
        self.on_a_core(move || {
            let report = audit::report_on(&capture, &page);
            Audited { capture, report }
        })
        .await
    }

    /// Runs work of the core on one of its cores. A panic there is a defect, and was logged by the process's hook.
    async fn on_a_core<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, AuditFailure> {
        let waiting = tokio::time::timeout(CORE_TIME, self.cores.acquire());
        let Ok(Ok(_core)) = waiting.await else { return Err(AuditFailure::Overloaded) };
        spawn_blocking(work).await.map_err(|error| {
            tracing::error!(%error, "the core failed");
            AuditFailure::Defect
        })
    }
}

/// The files in flight: probes in one lane, robots.txt and sitemaps in the other, each with its time.
struct Lanes {
    running: JoinSet<Extra>,
    /// What was ever started.
    asked: HashSet<Want>,
    probes: Lane,
    files: Lane,
    budget: Arc<Budget>,
    deadline: Instant,
}

/// One lane.
#[derive(Default)]
struct Lane {
    in_flight: usize,
    /// Set by the first request of a kind that has a time of its own.
    until: Option<Instant>,
    told: bool,
}

impl Lanes {
    fn new(deadline: Instant) -> Self {
        Self {
            running: JoinSet::new(),
            asked: HashSet::new(),
            probes: Lane::default(),
            files: Lane::default(),
            budget: Arc::new(Budget::new(PROBE_GETS)),
            deadline,
        }
    }

    /// Starts what is wanted, was not asked for yet, and has room.
    fn start(&mut self, fetcher: &Fetcher, wants: &[Want]) {
        let now = Instant::now();
        for want in wants {
            let (lane, time) = match want.kind {
                WantKind::RobotsTxt => (&mut self.files, None),
                WantKind::Sitemap => (&mut self.files, Some(SITEMAP_TIME)),
                _ => (&mut self.probes, Some(PROBE_TIME)),
            };
            if lane.in_flight >= AT_ONCE || self.asked.contains(want) {
                continue;
            }
            let until = time.map_or(self.deadline, |time| *lane.until.get_or_insert(now + time)).min(self.deadline);
            lane.in_flight += 1;
            self.asked.insert(want.clone());
            let (fetcher, budget, want) = (fetcher.clone(), Arc::clone(&self.budget), want.clone());
            self.running.spawn(async move {
                let fetched = fetcher.extra(&want, &budget, until).await;
                Extra { want, fetched }
            });
        }
    }

    /// The next file that comes; `None` when nothing is in flight.
    async fn next(&mut self) -> Option<Extra> {
        // Only a panic of ours ends a fetch without an answer; the file is then missing from the capture, as if it had
        // never been asked for, and is not asked for again.
        loop {
            match self.running.join_next().await? {
                Ok(extra) => {
                    self.lane(extra.want.kind).in_flight -= 1;
                    return Some(extra);
                }
                Err(error) => tracing::error!(%error, "a fetch failed"),
            }
        }
    }

    fn lane(&mut self, kind: WantKind) -> &mut Lane {
        if kind.rules().probe { &mut self.probes } else { &mut self.files }
    }

    fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Tells once of each lane that has ended: nothing in it is in flight or wanted.
    fn tell_of_ends(&mut self, wants: &[Want], given: &Given) {
        for (lane, step, is_probe) in [(&mut self.files, Step::Files, false), (&mut self.probes, Step::Discovery, true)]
        {
            let waits = wants.iter().any(|want| want.kind.rules().probe == is_probe && !self.asked.contains(want));
            if !lane.told && lane.in_flight == 0 && !waits {
                lane.told = true;
                given.tell(step);
            }
        }
    }
}

/// A capture without the bytes of its page.
fn headed(capture: &Capture) -> Capture {
    let page = match &capture.page {
        Fetched::Response(exchange) => Fetched::Response(Exchange {
            hops: exchange.hops.clone(),
            url: exchange.url.clone(),
            status: exchange.status,
            headers: exchange.headers.clone(),
            body: Body::default(),
            timing: exchange.timing.clone(),
            ambiguous_length: exchange.ambiguous_length,
            certificate: exchange.certificate.clone(),
        }),
        Fetched::Failed(failure) => Fetched::Failed(failure.clone()),
    };
    Capture {
        requested_url: capture.requested_url.clone(),
        started_at: capture.started_at,
        nonce: capture.nonce.clone(),
        source: capture.source,
        page,
        extras: capture.extras.clone(),
    }
}
