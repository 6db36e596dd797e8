//! The audit loop: fetch the page, parse it while the other files are fetched, judge.

mod field_data;

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

pub use field_data::FieldDataSource;

use audit::{Blocked, PROBE_GETS, Page, SiteFile, SiteFiles, SitemapTarget};
use fetch::{Budget, Fetcher, Room};
use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use model::capture::{Body, Capture, Exchange, Extra, FailureKind, FetchFailure, Fetched, Source, Want, WantKind};
use model::report::Report;
use model::time::Timestamp;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::cores::{Cores, Undone};

/// A page with all its redirects.
const PAGE_TIME: Duration = Duration::from_secs(20);
/// An audit as a whole, the wait for a place included; what is unfinished then was not measured.
pub const AUDIT_TIME: Duration = Duration::from_secs(23);
/// For judging at the end, when the time of an audit is spent: the wait for a core.
const JUDGE_TIME: Duration = Duration::from_secs(1);
/// The wait for a core of a page that was supplied.
const CORE_TIME: Duration = Duration::from_secs(10);
/// Discovery probes together (interface §8).
const PROBE_TIME: Duration = Duration::from_secs(8);
/// Sitemaps together (hostile-inputs §2).
const SITEMAP_TIME: Duration = Duration::from_secs(10);
/// Bytes of a parsed page that any audit may hold while its other files come: real pages take less.
const LIGHT_PAGE: usize = 2 * 1024 * 1024;
/// KiB that all heavier pages may take together while they wait: with 64 light ones 224 MiB.
const HEAVY_PAGES_KIB: u32 = 96 * 1024;
/// Bytes of a robots.txt or sitemap that are read on the spot: it takes less time than going to a core and back.
const READ_HERE: usize = 8 * 1024;
/// The first bytes of a file packed by gzip (RFC 1952 §2.3.1).
const GZIP_MAGIC: [u8; 2] = [0x1F, 0x8B];
/// Probes in flight at once; and as many files besides.
const AT_ONCE: usize = 2;

/// Everything an audit needs. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine {
    fetcher: Fetcher,
    /// Where pages are parsed and judged.
    cores: Cores,
    /// KiB of memory for parsed pages that are not light.
    heavy: Arc<Semaphore>,
    field_data: Option<FieldDataSource>,
}

/// A parsed page, with the room that it takes if it is not light.
#[derive(Debug)]
struct Parsed {
    page: Page,
    _room: Option<OwnedSemaphorePermit>,
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
    /// Keeps the bytes of sitemaps in the capture, so that it can be replayed; else they are dropped as they are read.
    pub keep_sitemaps: bool,
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
    /// An engine over a client; pages are parsed and judged on `cores`.
    pub fn new(fetcher: Fetcher, cores: Cores) -> Self {
        Self { fetcher, cores, heavy: Arc::new(Semaphore::new(HEAVY_PAGES_KIB as usize)), field_data: None }
    }

    /// The same engine, which asks there for field data of each page; nobody when `None`.
    pub fn with_field_data(self, field_data: Option<FieldDataSource>) -> Self {
        Self { field_data, ..self }
    }

    /// The client, for reading the text of a URL.
    pub fn fetcher(&self) -> &Fetcher {
        &self.fetcher
    }

    /// Audits a URL that was read by [`Fetcher::intake`]. What is unfinished at the deadline, [`AUDIT_TIME`] from when the
    /// caller came, was not measured. `finish` makes of the audit what the caller wants, on the core that judged.
    pub async fn audit<T: Send + 'static>(
        &self,
        url: &Url,
        given: Given,
        deadline: Instant,
        finish: impl FnOnce(Audited) -> T + Send + 'static,
    ) -> Result<T, AuditFailure> {
        let page = self.page(url, deadline).await;
        if let Some(blocked) = audit::blocked(&page) {
            return Err(AuditFailure::Blocked(blocked));
        }
        if let Fetched::Failed(failure) = page {
            return Err(AuditFailure::Fetch(failure));
        }
        self.audit_page(url, page, given, deadline, finish).await
    }

    /// Fetches a page with its redirects, and nothing else.
    pub async fn page(&self, url: &Url, deadline: Instant) -> Fetched {
        self.fetcher.page(url, deadline.min(Instant::now() + PAGE_TIME)).await
    }

    /// Audits a page that was fetched, as [`Engine::audit`] does.
    pub async fn audit_page<T: Send + 'static>(
        &self,
        url: &Url,
        page: Fetched,
        given: Given,
        deadline: Instant,
        finish: impl FnOnce(Audited) -> T + Send + 'static,
    ) -> Result<T, AuditFailure> {
        given.tell(Step::Page);
        let capture = Arc::new(Capture {
            requested_url: url.to_string(),
            started_at: given.started_at,
            nonce: given.nonce.clone(),
            source: Source::Network,
            page,
            extras: Vec::new(),
            field_data: None,
        });
        let (gathered, field_data) =
            tokio::join!(self.gather(&capture, &given, deadline), self.field_data(&capture, deadline));
        let (page, files, extras) = gathered?;
        // The parse is over, so nothing else holds the capture.
        let mut capture = Arc::unwrap_or_clone(capture);
        capture.extras = extras;
        capture.field_data = field_data;
        let judging = move || {
            let report = audit::report_on(&capture, &page.page, &files);
            drop(page);
            finish(Audited { capture, report })
        };
        let finished = self.on_a_core(deadline + JUDGE_TIME, judging).await?;
        given.tell(Step::Judged);
        Ok(finished)
    }

    /// Judges a page that was supplied, with no request to anybody. `finish` makes of the report what the caller wants, on
    /// the same core.
    pub async fn judge<T: Send + 'static>(
        &self,
        capture: Capture,
        finish: impl FnOnce(Report) -> T + Send + 'static,
    ) -> Result<T, AuditFailure> {
        self.on_a_core(Instant::now() + CORE_TIME, move || finish(audit::report(&capture))).await
    }

    /// Parses the page and meanwhile fetches what the core wants, until it wants nothing more or time is out. The files
    /// come sorted, so that the same answers give the same capture.
    async fn gather(
        &self,
        capture: &Arc<Capture>,
        given: &Given,
        deadline: Instant,
    ) -> Result<(Parsed, SiteFiles, Vec<Extra>), AuditFailure> {
        // Without the page's bytes: they may be megabytes, and what is wanted is read off the parsed page.
        let mut known = headed(capture);
        let mut files = SiteFiles::default();
        let mut parsing = std::pin::pin!(self.parse(Arc::clone(capture), deadline));
        let mut parsed: Option<Parsed> = None;
        let mut lanes = Lanes::new(self.clone(), given.keep_sitemaps, deadline);
        loop {
            let wants = match &parsed {
                Some(parsed) => audit::wanted(&known, &parsed.page, &files),
                None => audit::wanted_first(&known),
            };
            lanes.start(&wants);
            if parsed.is_some() {
                lanes.tell_of_ends(&wants, given);
            }
            if let Some(parsed) = parsed.take_if(|_| lanes.is_idle()) {
                known.extras.sort_by(|a, b| (a.want.kind, &a.want.url).cmp(&(b.want.kind, &b.want.url)));
                return Ok((parsed, files, known.extras));
            }
            tokio::select! {
                read = &mut parsing, if parsed.is_none() => {
                    let read = read?;
                    lanes.target = Arc::new(SitemapTarget::of(&known, &read.page));
                    parsed = Some(read);
                }
                Some(came) = lanes.next() => {
                    known.extras.push(came.extra);
                    came.file.into_iter().for_each(|file| files.add(file));
                }
            }
        }
    }

    /// Parses the page. One that takes much memory, and finds no room for it, is dropped, and parsed again when there is
    /// some: so nobody fills the memory with pages that wait for slow files, and nobody waits for a core meanwhile.
    async fn parse(&self, capture: Arc<Capture>, until: Instant) -> Result<Parsed, AuditFailure> {
        let read = || {
            let capture = Arc::clone(&capture);
            self.on_a_core(until, move || Page::read(&capture))
        };
        let page = read().await?;
        let kib = u32::try_from(page.memory() / 1024).unwrap_or(u32::MAX).min(HEAVY_PAGES_KIB);
        if kib as usize * 1024 <= LIGHT_PAGE {
            return Ok(Parsed { page, _room: None });
        }
        if let Ok(room) = Arc::clone(&self.heavy).try_acquire_many_owned(kib) {
            return Ok(Parsed { page, _room: Some(room) });
        }
        drop(page);
        let waiting = timeout_at(until, Arc::clone(&self.heavy).acquire_many_owned(kib));
        let Ok(Ok(room)) = waiting.await else { return Err(AuditFailure::Overloaded) };
        Ok(Parsed { page: read().await?, _room: Some(room) })
    }

    async fn on_a_core<T: Send + 'static>(
        &self,
        until: Instant,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, AuditFailure> {
        self.cores.run(until, work).await.map_err(|undone| match undone {
            Undone::Overloaded => AuditFailure::Overloaded,
            Undone::Panicked => AuditFailure::Defect,
        })
    }

    /// Fetches one file beside the page, and reads it where the audit needs to know what is in it.
    async fn file(&self, ask: Ask) -> Came {
        let Ask { want, target, budget, until, keep_sitemaps } = ask;
        if want.kind == WantKind::Sitemap {
            let (fetched, room) = self.fetcher.large(&want, until).await;
            return self.read(Extra { want, fetched }, target, until, (!keep_sitemaps).then_some(room)).await;
        }
        let fetched = self.fetcher.extra(&want, &budget, until).await;
        let extra = Extra { want, fetched };
        match extra.want.kind {
            WantKind::RobotsTxt => self.read(extra, target, until, None).await,
            _ => Came { extra, file: None },
        }
    }

    /// Reads a file, on a core unless it is small. With its `room` the bytes go once they were read.
    async fn read(&self, mut extra: Extra, target: Arc<SitemapTarget>, until: Instant, room: Option<Room>) -> Came {
        let bytes = extra.fetched.response().map_or(&[][..], |exchange| &exchange.body.bytes);
        // A packed file may unfold to megabytes.
        let small = bytes.len() <= READ_HERE && !bytes.starts_with(&GZIP_MAGIC);
        let want = extra.want.clone();
        let search = Arc::clone(&target);
        let reading = move || {
            let file = SiteFile::read(&extra, &search);
            if let (Fetched::Response(exchange), Some(room)) = (&mut extra.fetched, room) {
                exchange.body.bytes = Vec::new();
                drop(room);
            }
            Came { extra, file }
        };
        if small {
            return reading();
        }
        let read = self.on_a_core(until, reading).await;
        read.unwrap_or_else(|_| Came::without(want, &target))
    }
}

/// One file to fetch, and how.
struct Ask {
    want: Want,
    target: Arc<SitemapTarget>,
    budget: Arc<Budget>,
    until: Instant,
    keep_sitemaps: bool,
}

/// A file that came, or did not.
struct Came {
    extra: Extra,
    /// What was read of it, for robots.txt and sitemaps.
    file: Option<SiteFile>,
}

impl Came {
    /// A file that could not be read here: for the audit as if it had not come.
    fn without(want: Want, target: &SitemapTarget) -> Self {
        let kind = FailureKind::Timeout;
        let failure = FetchFailure { kind, reason: "overloaded".to_owned(), hops: Vec::new(), url: want.url.clone() };
        let extra = Extra { want, fetched: Fetched::Failed(failure) };
        let file = SiteFile::read(&extra, target);
        Self { extra, file }
    }
}

/// The files in flight: probes in one lane, robots.txt and sitemaps in the other, each with its time.
struct Lanes {
    engine: Engine,
    keep_sitemaps: bool,
    /// The page that sitemaps are searched for; known once the page was parsed.
    target: Arc<SitemapTarget>,
    /// Within the audit's own task: a task of its own for each would cost more than most of them take.
    running: FuturesUnordered<BoxFuture<'static, std::thread::Result<Came>>>,
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
    fn new(engine: Engine, keep_sitemaps: bool, deadline: Instant) -> Self {
        Self {
            engine,
            keep_sitemaps,
            target: Arc::default(),
            running: FuturesUnordered::new(),
            asked: HashSet::new(),
            probes: Lane::default(),
            files: Lane::default(),
            budget: Arc::new(Budget::new(PROBE_GETS)),
            deadline,
        }
    }

    /// Starts what is wanted, was not asked for yet, and has room.
    fn start(&mut self, wants: &[Want]) {
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
            let (engine, keep_sitemaps) = (self.engine.clone(), self.keep_sitemaps);
            let (want, target, budget) = (want.clone(), Arc::clone(&self.target), Arc::clone(&self.budget));
            let coming = async move { engine.file(Ask { want, target, budget, until, keep_sitemaps }).await };
            self.running.push(AssertUnwindSafe(coming).catch_unwind().boxed());
        }
    }

    /// The next file that comes; `None` when nothing is in flight.
    async fn next(&mut self) -> Option<Came> {
        // Only a panic of ours ends a fetch without an answer; the file is then missing from the capture, as if it had
        // never been asked for, and is not asked for again.
        loop {
            match self.running.next().await? {
                Ok(came) => {
                    self.lane(came.extra.want.kind).in_flight -= 1;
                    return Some(came);
                }
                // The process's panic hook told of it.
                Err(_) => continue,
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
        field_data: capture.field_data.clone(),
    }
}
