//! One address of a crawl: asked, judged on a core, and made into what is kept of it.

use audit::facts::Facts;
use audit::facts::content_type::is_html;
use audit::{Page, report_of, unproven_report_of};
use fetch::KnownVersion;
use model::capture::{Capture, Fetched, Source};
use site::{AuditedDocument, FrontierEntry, PageAnswer, PageFacts, PageRole, read_page, read_resource};
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

use super::Shared;
use super::pace::MOST_TRIES;

/// Timeout of one request, as of a page of an audit.
pub(super) const REQUEST_TIME: Duration = Duration::from_secs(20);
/// Timeout of the wait for a core. Long: a run has no caller who waits for one page.
const CORE_TIME: Duration = Duration::from_secs(240);

/// What came of an address.
#[derive(Debug)]
pub struct CrawledPage {
    /// Its key.
    pub url: String,
    /// Its facts; `None` where it is as it was in the run whose version was named.
    pub facts: Option<PageFacts>,
    /// Its report as JSON, where it has one.
    pub report: Option<Vec<u8>>,
    /// The version that came, for a later run.
    pub version: KnownVersion,
}

impl CrawledPage {
    /// A page whose judging failed by a defect of ours.
    pub(super) fn of_defect(url: &str) -> Self {
        Self::without_report(PageFacts::unjudged(url, PageRole::Page, PageAnswer::Failed("defect".to_owned())))
    }

    /// An address without a report.
    pub fn without_report(facts: PageFacts) -> Self {
        Self { url: facts.url.clone(), facts: Some(facts), report: None, version: KnownVersion::default() }
    }
}

/// Asks for an address and judges it.
pub(super) async fn crawled(shared: &Shared, entry: &FrontierEntry) -> CrawledPage {
    let url = match admitted(shared, entry) {
        Ok(url) => url,
        Err(unasked) => return *unasked,
    };
    let known = shared.known.get(&entry.url).map(|(_, version)| version);
    let fetched = match shared.take_first(&entry.url) {
        Some(fetched) => fetched,
        None => asked(shared, &url, known.as_ref()).await,
    };
    read(shared, entry, known.as_ref(), fetched).await
}

/// The address to ask; what is kept of it where it is not asked.
pub(super) fn admitted(shared: &Shared, entry: &FrontierEntry) -> Result<Url, Box<CrawledPage>> {
    let unasked =
        |answer| Box::new(CrawledPage::without_report(PageFacts::unjudged(&entry.url, PageRole::Page, answer)));
    let url = shared.engine.fetcher().intake(&entry.url);
    let url = url.map_err(|_| unasked(PageAnswer::Failed("address".to_owned())))?;
    if shared.obeys_robots && !shared.origin.allows(&url) {
        return Err(unasked(PageAnswer::Blocked));
    }
    Ok(url)
}

/// Judges what an address answered. `known`: the version that it was asked with.
pub(super) async fn read(
    shared: &Shared,
    entry: &FrontierEntry,
    known: Option<&KnownVersion>,
    fetched: Fetched,
) -> CrawledPage {
    if known.is_some() && fetched.response().is_some_and(|exchange| exchange.status == 304) {
        let version = known.cloned().unwrap_or_default();
        return CrawledPage { url: entry.url.clone(), facts: None, report: None, version };
    }
    let is_document =
        fetched.response().is_some_and(|exchange| exchange.is_success() && is_html(exchange, Source::Network));
    if !is_document {
        return CrawledPage::without_report(read_resource(&entry.url, PageRole::Page, &fetched));
    }
    judged(shared, &entry.url, fetched).await
}

/// Asks until the site does not ask for rest, a few times.
async fn asked(shared: &Shared, url: &Url, known: Option<&KnownVersion>) -> Fetched {
    let mut tries = 1;
    loop {
        let permit = shared.pace.enter().await;
        let fetched = shared.engine.fetcher().answer(url, known, &shared.kept, Instant::now() + REQUEST_TIME).await;
        drop(permit);
        if !shared.pace.note(&fetched, tries) || tries >= MOST_TRIES {
            return fetched;
        }
        tries += 1;
    }
}

/// Judges a document on a core.
async fn judged(shared: &Shared, key: &str, fetched: Fetched) -> CrawledPage {
    let header = |name: &str| fetched.response().and_then(|exchange| exchange.header(name)).map(str::to_owned);
    let version = KnownVersion { etag: header("etag"), last_modified: header("last-modified") };
    let bytes = fetched.response().map_or(0, |exchange| exchange.body.bytes.len());
    let capture = Capture {
        requested_url: key.to_owned(),
        started_at: shared.started_at,
        nonce: shared.nonce.clone(),
        source: Source::Network,
        page: fetched,
        extras: shared.origin.extras.clone(),
        field_data: None,
    };
    let files = shared.origin.files_for(key);
    let url = key.to_owned();
    let proves = shared.proves;
    let judging = move || {
        let page = Page::read(&capture);
        let facts = Facts::new(&capture, &page, &files);
        let report = match proves {
            true => report_of(&facts, &page, &files),
            false => unproven_report_of(&facts, &page, &files),
        };
        let read = read_page(&url, AuditedDocument { facts: &facts, report: &report });
        (read, serde_json::to_vec(&report).ok())
    };
    match shared.engine.cores().run(bytes, Instant::now() + CORE_TIME, judging).await {
        Ok((facts, report)) => CrawledPage { url: key.to_owned(), facts: Some(facts), report, version },
        // A defect of ours, which the process's panic hook logs.
        Err(_) => CrawledPage::of_defect(key),
    }
}
