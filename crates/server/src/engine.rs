//! The audit loop: fetch the page, parse it while the other files are fetched, judge.

use std::sync::Arc;
use std::time::Duration;

use audit::{Blocked, Page};
use fetch::Fetcher;
use model::capture::{Body, Capture, Exchange, Extra, FetchFailure, Fetched, Source};
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
/// Rounds of asking what is wanted next: each adds files, so this only ends a loop of a defect of ours.
const MOST_ROUNDS: usize = 16;

/// Everything an audit needs. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine {
    fetcher: Fetcher,
    /// Parsing and judging at once: as many as there are cores, never on the async workers.
    cores: Arc<Semaphore>,
}

/// What comes from outside besides the network, so that a test can fix it.
#[derive(Debug, Clone)]
pub struct Given {
    /// The only "now" of the audit.
    pub started_at: Timestamp,
    /// 32 hex digits for the not-found probe.
    pub nonce: String,
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
        let capture = Capture {
            requested_url: url.to_string(),
            started_at: given.started_at,
            nonce: given.nonce,
            source: Source::Network,
            page,
            extras: Vec::new(),
        };
        let capture = Arc::new(capture);
        let (parsed, extras) =
            tokio::join!(self.parse(Arc::clone(&capture)), self.extras(&capture, None, begun + AUDIT_TIME));
        let page = parsed?;
        // The parse is over, so nothing else holds the capture.
        let mut capture = Arc::unwrap_or_clone(capture);
        capture.extras = extras;
        capture.extras = self.extras(&capture, Some(&page), begun + AUDIT_TIME).await;
        self.judge(capture, page).await
    }

    async fn parse(&self, capture: Arc<Capture>) -> Result<Page, AuditFailure> {
        let _core = self.cores.acquire().await.map_err(|_| AuditFailure::Defect)?;
        spawn_blocking(move || Page::read(&capture)).await.map_err(|_| AuditFailure::Defect)
    }

    async fn judge(&self, capture: Capture, page: Page) -> Result<Audited, AuditFailure> {
        let _core = self.cores.acquire().await.map_err(|_| AuditFailure::Defect)?;
        let judged = spawn_blocking(move || {
            let report = audit::report_on(&capture, &page);
            Audited { capture, report }
        });
        judged.await.map_err(|_| AuditFailure::Defect)
    }

    /// Fetches what the core wants until it wants nothing more or time is out. Sorted, so that the same answers give
    /// the same capture.
    async fn extras(&self, capture: &Capture, page: Option<&Page>, deadline: Instant) -> Vec<Extra> {
        // Without the page's bytes: what is wanted next depends on the parsed page only, and they may be megabytes.
        let mut known = headed(capture);
        for _ in 0..MOST_ROUNDS {
            let wants = audit::wanted(&known, page);
            if wants.is_empty() {
                break;
            }
            let mut running = JoinSet::new();
            for want in wants {
                let fetcher = self.fetcher.clone();
                running.spawn(async move {
                    let fetched = fetcher.extra(&want, deadline).await;
                    Extra { want, fetched }
                });
            }
            known.extras.extend(running.join_all().await);
        }
        known.extras.sort_by(|a, b| (a.want.kind, &a.want.url).cmp(&(b.want.kind, &b.want.url)));
        known.extras
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
