//! Fetching one file beside the page, and reading it where the audit needs its content.

use std::sync::Arc;

use audit::{ListedPage, SiteFile};
use fetch::{Budget, Fetcher, Room};
use model::capture::{BodyBytes, Extra, FailureKind, FetchFailure, Fetched, Want, WantKind};
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
            exchange.body.bytes = BodyBytes::default();
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fetch::FetchConfig;
    use futures_util::poll;
    use model::capture::{Body, Exchange, Timing};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;
    use crate::audit_loop::tests::hold;
    use crate::cores::CoreQueues;

    fn robots(bytes: Vec<u8>) -> Extra {
        let url = "https://example.com/robots.txt".to_owned();
        let fetched = Fetched::Response(Exchange {
            hops: Vec::new(),
            url: url.clone(),
            status: 200,
            headers: Vec::new(),
            body: Body { bytes: bytes.into(), ..Body::default() },
            timing: Timing::default(),
            ambiguous_length: false,
            certificate: None,
        });
        Extra { want: Want { kind: WantKind::RobotsTxt, url }, fetched }
    }

    #[tokio::test]
    async fn a_file_of_8_kib_is_read_at_once_and_what_is_longer_or_packed_waits_for_a_core() {
        let gzip = |length: usize| [&GZIP_MAGIC[..], &vec![0; length - 2]].concat();
        let waits = |usual, large| Some(CoreQueues { usual, large });
        for (bytes, waiting) in [
            (vec![b'#'; 8_192], None),
            (vec![b'#'; 8_193], waits(1, 0)),
            (gzip(100), waits(1, 0)),
            // Twenty times as many bytes are half a MiB.
            (gzip(26_214), waits(1, 0)),
            (gzip(26_215), waits(0, 1)),
        ] {
            let length = bytes.len();
            let cores = Cores::start(1).unwrap();
            let (_release, begun) = hold(&cores).await;
            let until = begun + Duration::from_secs(600);
            let mut reading = Box::pin(read(&cores, robots(bytes), Arc::default(), until, None));
            let is_read = poll!(&mut reading).is_ready();
            assert_eq!((!is_read).then(|| cores.queues()), waiting, "{length} bytes");
        }
    }

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "a site on this machine")]
    async fn the_bytes_of_a_sitemap_are_kept_only_where_they_are_asked_for() {
        const SITEMAP: &str = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"/>";
        let allow_private = vec!["127.0.0.0/8".parse().unwrap()];
        let config = FetchConfig { allow_private, allow_ports: Vec::new(), ..FetchConfig::default() };
        let (fetcher, cores) = (Fetcher::new(config).unwrap(), Cores::start(1).unwrap());
        let site = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/sitemap.xml", site.local_addr().unwrap());
        for (keep_sitemaps, kept) in [(true, SITEMAP.as_bytes()), (false, b"")] {
            let request = FileRequest {
                want: Want { kind: WantKind::Sitemap, url: url.clone() },
                target: Arc::default(),
                budget: Arc::new(Budget::new(1)),
                until: Instant::now() + Duration::from_secs(60),
                keep_sitemaps,
            };
            let answer = async {
                let (mut connection, _) = site.accept().await.unwrap();
                let _request = connection.read(&mut [0; 4_096]).await.unwrap();
                let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{SITEMAP}", SITEMAP.len());
                connection.write_all(answer.as_bytes()).await.unwrap();
                // Open until the answer was read.
                connection
            };
            let (file, _connection) = tokio::join!(file(&fetcher, &cores, request), answer);
            let exchange = file.extra.fetched.response().unwrap();
            assert_eq!((&*exchange.body.bytes, file.content.is_some()), (kept, true), "{keep_sitemaps}");
        }
    }
}
