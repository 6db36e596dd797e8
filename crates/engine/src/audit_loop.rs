//! The audit loop: fetch the page, parse it while the other files are fetched, judge.

mod failure;
mod field_data;
mod files;
mod given;
mod lanes;
mod pages;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use audit::{ListedPage, SiteFiles};
use fetch::Fetcher;
use model::capture::{Body, Capture, Exchange, Extra, FailureKind, Fetched, Source};
use model::report::Report;
use tokio::time::Instant;
use url::Url;

pub use failure::AuditFailure;
pub use field_data::FieldDataSource;
pub use given::{AuditInputs, AuditStep, FetchedPage, FileCount, Progress, Scheme};

use crate::cores::{CoreQueues, Cores};
use failure::on_a_core;
use lanes::Lanes;
use pages::{PageMemory, Parsed, page_bytes};

/// Timeout of a page with all its redirects.
const PAGE_TIME: Duration = Duration::from_secs(20);
/// Timeout of an audit, including the wait for a slot; what is unfinished then counts as not measured.
pub const AUDIT_TIME: Duration = Duration::from_secs(23);
/// Timeout of the wait for a core to judge on, after the audit's deadline.
const JUDGE_TIME: Duration = Duration::from_secs(1);
/// Timeout of the wait for a core, for a supplied page.
const CORE_TIME: Duration = Duration::from_secs(10);

/// The audit loop and its resources. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine {
    fetcher: Fetcher,
    /// Threads that parse and judge pages.
    cores: Cores,
    memory: PageMemory,
    field_data: Option<FieldDataSource>,
    page_time: Duration,
    audit_time: Duration,
}

/// A finished audit.
#[derive(Debug)]
pub struct Audited {
    /// The recorded network responses.
    pub capture: Capture,
    /// The core's verdict on them.
    pub report: Report,
    /// When its parts began and ended.
    pub times: AuditTimes,
}

/// When the parts of an audit began and ended. Parsing runs while files are fetched.
#[derive(Debug, Clone, Copy)]
pub struct AuditTimes {
    /// Fetching the page and what belongs to it. Its end is when the target had answered everything: what follows is this
    /// machine's own time.
    pub fetch: (Instant, Instant),
    /// Parsing the page, with the wait for a core and for memory.
    pub parse: (Instant, Instant),
    /// Judging, with the wait for a core.
    pub judge: (Instant, Instant),
}

impl Engine {
    /// An engine over a fetching client; `cores` parse and judge pages.
    pub fn new(fetcher: Fetcher, cores: Cores) -> Self {
        let (page_time, audit_time) = (PAGE_TIME, AUDIT_TIME);
        Self { fetcher, cores, memory: PageMemory::new(), field_data: None, page_time, audit_time }
    }

    /// The same engine with another timeout of a page and of an audit, for tests that hold a page back.
    pub fn waiting(self, time: Duration) -> Self {
        Self { page_time: time, audit_time: time, ..self }
    }

    /// When an audit that begins now has to end.
    pub fn deadline(&self) -> Instant {
        Instant::now() + self.audit_time
    }

    /// Deadline of a page that is requested now.
    pub(crate) fn page_deadline(&self) -> Instant {
        Instant::now() + self.page_time
    }

    /// The same engine with a source of field data, or without one.
    pub fn with_field_data(self, field_data: Option<FieldDataSource>) -> Self {
        Self { field_data, ..self }
    }

    /// Work that waits for a core.
    pub fn core_queues(&self) -> CoreQueues {
        self.cores.queues()
    }

    /// Bytes that large pages hold while they wait for their files, and the most that they may.
    pub fn large_pages(&self) -> (usize, usize) {
        self.memory.held()
    }

    /// The threads that parse and judge.
    pub(crate) fn cores(&self) -> &Cores {
        &self.cores
    }

    /// The fetching client; also parses URLs.
    pub fn fetcher(&self) -> &Fetcher {
        &self.fetcher
    }

    /// Audits a URL that was parsed by [`Fetcher::intake`]. What is unfinished at the deadline, [`AUDIT_TIME`] after
    /// the call began, counts as not measured. `finish` turns the audit into the caller's result, on the core that
    /// judged.
    pub async fn audit<T: Send + 'static>(
        &self,
        url: &Url,
        given: AuditInputs,
        deadline: Instant,
        finish: impl FnOnce(Audited) -> T + Send + 'static,
    ) -> Result<T, AuditFailure> {
        let begun = Instant::now();
        let (page, url) = self.page_of(url, given.scheme, deadline).await;
        if let Some(blocked) = audit::blocked(&page) {
            return Err(AuditFailure::Blocked(blocked));
        }
        if let Fetched::Failed(failure) = page {
            return Err(AuditFailure::Fetch(failure));
        }
        self.audit_fetched(&url, (page, begun), given, deadline, finish).await
    }

    /// The same URL over http; `None` where audits don't go there.
    fn over_http(&self, url: &Url) -> Option<Url> {
        let mut url = url.clone();
        url.set_scheme("http").ok()?;
        self.fetcher.intake(url.as_str()).ok()
    }

    /// Fetches a page with its redirects; where its https was assumed and is refused, over http. Also the URL that was asked for
    /// in the end.
    pub async fn page_of<'a>(&self, url: &'a Url, scheme: Scheme, deadline: Instant) -> (Fetched, Cow<'a, Url>) {
        let page = self.page(url, deadline).await;
        if scheme == Scheme::Assumed
            && is_https_refused(&page)
            && let Some(plain_url) = self.over_http(url)
            && let plain @ Fetched::Response(_) = self.page(&plain_url, deadline).await
        {
            return (plain, Cow::Owned(plain_url));
        }
        (page, Cow::Borrowed(url))
    }

    /// Fetches a page with its redirects, nothing else.
    pub async fn page(&self, url: &Url, deadline: Instant) -> Fetched {
        self.fetcher.page(url, deadline.min(Instant::now() + self.page_time)).await
    }

    /// Audits a fetched page, as [`Engine::audit`] does.
    pub async fn audit_page<T: Send + 'static>(
        &self,
        url: &Url,
        page: Fetched,
        given: AuditInputs,
        deadline: Instant,
        finish: impl FnOnce(Audited) -> T + Send + 'static,
    ) -> Result<T, AuditFailure> {
        self.audit_fetched(url, (page, Instant::now()), given, deadline, finish).await
    }

    /// Audits a page whose fetching began then.
    async fn audit_fetched<T: Send + 'static>(
        &self,
        url: &Url,
        (page, begun): (Fetched, Instant),
        given: AuditInputs,
        deadline: Instant,
        finish: impl FnOnce(Audited) -> T + Send + 'static,
    ) -> Result<T, AuditFailure> {
        given.tell(AuditStep::Page(fetched_page(&page)));
        let capture = Arc::new(Capture {
            requested_url: url.to_string(),
            started_at: given.started_at,
            nonce: given.nonce.clone(),
            source: Source::Network,
            page,
            extras: Vec::new(),
            field_data: None,
        });
        let (gathered, field_data) = tokio::join!(
            self.gather(&capture, &given, deadline),
            field_data::field_data(&self.fetcher, self.field_data.as_ref(), &capture, deadline)
        );
        let Gathered { page, parse, files, extras } = gathered?;
        let gathered_at = Instant::now();
        // Parsing is over, so nothing else holds the capture.
        let mut capture = Arc::unwrap_or_clone(capture);
        capture.extras = extras;
        capture.field_data = field_data;
        let bytes = page_bytes(&capture);
        let judging = move || {
            let report = audit::report_on(&capture, &page.page, &files);
            drop(page);
            let times = AuditTimes { fetch: (begun, gathered_at), parse, judge: (gathered_at, Instant::now()) };
            finish(Audited { capture, report, times })
        };
        let finished = on_a_core(&self.cores, bytes, deadline + JUDGE_TIME, judging).await?;
        given.tell(AuditStep::Judged);
        Ok(finished)
    }

    /// Judges a supplied page, without network. `finish` turns the report into the caller's result, on the same core.
    pub async fn judge<T: Send + 'static>(
        &self,
        capture: Capture,
        finish: impl FnOnce(Report) -> T + Send + 'static,
    ) -> Result<T, AuditFailure> {
        let bytes = page_bytes(&capture);
        on_a_core(&self.cores, bytes, Instant::now() + CORE_TIME, move || finish(audit::report(&capture))).await
    }

    /// Parses the page and meanwhile fetches the files that the core wants, until it wants no more or the deadline
    /// passes. Files are sorted, so that the same responses give the same capture.
    async fn gather(
        &self,
        capture: &Arc<Capture>,
        given: &AuditInputs,
        deadline: Instant,
    ) -> Result<Gathered, AuditFailure> {
        // Without the page's bytes, which may be megabytes: what is wanted depends on the parsed page.
        let mut fetched = headed(capture);
        let mut files = SiteFiles::default();
        let mut parsing = std::pin::pin!(self.memory.parse(&self.cores, Arc::clone(capture), deadline));
        let begun = Instant::now();
        let mut parsed: Option<(Parsed, Instant)> = None;
        let mut lanes = Lanes::new(self.fetcher.clone(), self.cores.clone(), given.keep_sitemaps, deadline);
        loop {
            let wants = match &parsed {
                Some((parsed, _)) => audit::wanted(&fetched, &parsed.page, &files),
                None => audit::wanted_first(&fetched),
            };
            lanes.start(&wants);
            if parsed.is_some() {
                lanes.report_ends(&wants, given);
            }
            if let Some((page, parsed_at)) = parsed.take_if(|_| lanes.is_idle()) {
                fetched.extras.sort_by(|a, b| (a.want.kind, &a.want.url).cmp(&(b.want.kind, &b.want.url)));
                return Ok(Gathered { page, parse: (begun, parsed_at), files, extras: fetched.extras });
            }
            tokio::select! {
                read = &mut parsing, if parsed.is_none() => {
                    let read = read?;
                    lanes.target = Arc::new(ListedPage::of(&fetched, &read.page));
                    parsed = Some((read, Instant::now()));
                }
                Some(file) = lanes.next() => {
                    fetched.extras.push(file.extra);
                    file.content.into_iter().for_each(|content| files.add(content));
                }
            }
        }
    }
}

/// What an audit has gathered.
struct Gathered {
    page: Parsed,
    /// When parsing began and ended.
    parse: (Instant, Instant),
    files: SiteFiles,
    extras: Vec<Extra>,
}

/// What a reader is told of the fetched page.
fn fetched_page(page: &Fetched) -> FetchedPage {
    match page {
        Fetched::Response(exchange) => {
            FetchedPage { status: exchange.status, redirects: exchange.hops.len(), bytes: exchange.body.bytes.len() }
        }
        Fetched::Failed(failure) => FetchedPage { status: 0, redirects: failure.hops.len(), bytes: 0 },
    }
}

/// Whether a site gave no response over https: no connection, or no TLS on the port. A certificate that does not hold is
/// none of these, and is never passed over.
fn is_https_refused(page: &Fetched) -> bool {
    let Fetched::Failed(failure) = page else { return false };
    let phases: &[&str] = match failure.kind {
        FailureKind::Unreachable => &["connect", "tls_handshake"],
        FailureKind::Timeout => &["connect", "tls"],
        _ => &[],
    };
    failure.hops.is_empty() && phases.contains(&failure.reason.as_str())
}

/// A copy of a capture without the bytes of its page.
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

#[cfg(test)]
mod tests;
