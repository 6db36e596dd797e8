//! Fetching one file beside the page, and reading it where the audit needs its content.

use std::sync::Arc;

use audit::{ListedPage, SiteFile};
use fetch::{Budget, Fetcher, Room};
use model::capture::{Extra, FailureKind, FetchFailure, Fetched, Want, WantKind};
use tokio::time::Instant;

use super::failure::on_a_core;
use crate::cores::Cores;

/// Bytes of a robots.txt or sitemap that are parsed on the async worker: that takes less time than a handover to a
/// core.
const READ_HERE: usize = 8 * 1024;
/// Magic number of gzip (RFC 1952 §2.3.1).
const GZIP_MAGIC: [u8; 2] = [0x1F, 0x8B];
/// Decoded bytes that each byte of a gzip file counts as, for how large the work on it is. Sitemaps compress by 10 to 30.
const GZIP_RATIO: usize = 20;

/// Request for one file.
pub(super) struct FileRequest {
    pub(super) want: Want,
    pub(super) target: Arc<ListedPage>,
    pub(super) budget: Arc<Budget>,
    pub(super) until: Instant,
    pub(super) keep_sitemaps: bool,
}

/// Result of a request: the file, or why there is none.
pub(super) struct FetchedFile {
    pub(super) extra: Extra,
    /// The parsed file, for robots.txt and sitemaps.
    pub(super) content: Option<SiteFile>,
}

impl FetchedFile {
    /// A file that could not be parsed for lack of a core: reported as a timeout.
    fn without(want: Want, target: &ListedPage) -> Self {
        let kind = FailureKind::Timeout;
        let failure = FetchFailure { kind, reason: "overloaded".to_owned(), hops: Vec::new(), url: want.url.clone() };
        let extra = Extra { want, fetched: Fetched::Failed(failure) };
        let content = SiteFile::read(&extra, target);
        Self { extra, content }
    }
}

/// Fetches one file beside the page; parses robots.txt and sitemaps.
pub(super) async fn file(fetcher: &Fetcher, cores: &Cores, request: FileRequest) -> FetchedFile {
    let FileRequest { want, target, budget, until, keep_sitemaps } = request;
    if want.kind == WantKind::Sitemap {
        let (fetched, room) = fetcher.large(&want, until).await;
        return read(cores, Extra { want, fetched }, target, until, (!keep_sitemaps).then_some(room)).await;
    }
    let fetched = fetcher.extra(&want, &budget, until).await;
    let extra = Extra { want, fetched };
    match extra.want.kind {
        WantKind::RobotsTxt => read(cores, extra, target, until, None).await,
        _ => FetchedFile { extra, content: None },
    }
}

/// Parses a file, on a core unless it is small. With a reservation in `room`, its bytes are dropped after parsing.
async fn read(
    cores: &Cores,
    mut extra: Extra,
    target: Arc<ListedPage>,
    until: Instant,
    room: Option<Room>,
) -> FetchedFile {
    let bytes = extra.fetched.response().map_or(&[][..], |exchange| &exchange.body.bytes);
    // A gzip file may decompress to megabytes.
    let is_gzip = bytes.starts_with(&GZIP_MAGIC);
    let small = bytes.len() <= READ_HERE && !is_gzip;
    let size = if is_gzip { bytes.len().saturating_mul(GZIP_RATIO) } else { bytes.len() };
    let want = extra.want.clone();
    let search = Arc::clone(&target);
    let reading = move || {
        let content = SiteFile::read(&extra, &search);
        if let (Fetched::Response(exchange), Some(room)) = (&mut extra.fetched, room) {
            exchange.body.bytes = Vec::new();
            drop(room);
        }
        FetchedFile { extra, content }
    };
    if small {
        return reading();
    }
    let read = on_a_core(cores, size, until, reading).await;
    read.unwrap_or_else(|_| FetchedFile::without(want, &target))
}
