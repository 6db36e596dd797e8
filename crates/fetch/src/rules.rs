//! What a fetch asks for, how much it takes, and how far it goes.

use hyper::header;
use model::capture::PAGE_BYTES;
use url::Url;

use crate::kept::KeptConnections;
use crate::request::{Asks, GetRequest};

/// Redirects followed to a page, as many as Googlebot follows.
pub const PAGE_REDIRECTS: u8 = 10;

/// Rules of one fetch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FetchRules<'r> {
    pub(crate) asks: Asks,
    pub(crate) accept: &'static str,
    pub(crate) max_bytes: usize,
    pub(crate) max_redirects: u8,
    /// Requests only the first `max_bytes` of the file, with a `Range`.
    pub(crate) start_only: bool,
    /// Asks for the page only if it is another than that of an earlier run.
    pub(crate) known: Option<&'r KnownVersion>,
    /// Connections of a crawl, used and kept; `None` for a connection for each request.
    pub(crate) kept: Option<&'r KeptConnections>,
}

/// The version of a page that is known of an earlier run (RFC 9110 §13.1).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownVersion {
    /// `ETag`, as it came.
    pub etag: Option<String>,
    /// `Last-Modified`, as it came.
    pub last_modified: Option<String>,
}

impl FetchRules<'_> {
    /// A GET of a whole page, with its redirects.
    pub(crate) const fn of_page(accept: &'static str) -> Self {
        Self {
            asks: Asks::Whole,
            accept,
            max_bytes: PAGE_BYTES,
            max_redirects: PAGE_REDIRECTS,
            start_only: false,
            known: None,
            kept: None,
        }
    }

    /// Whether redirects are followed; otherwise one is an answer like any other.
    pub(crate) const fn follows(self) -> bool {
        self.max_redirects > 0
    }

    /// The request for an address.
    pub(crate) const fn request<'a>(self, url: &'a Url, fields: &'a [(header::HeaderName, String)]) -> GetRequest<'a> {
        GetRequest {
            asks: self.asks,
            url,
            fields,
            max_bytes: self.max_bytes,
            follows: self.follows(),
            keeps: self.kept.is_some(),
        }
    }

    /// Header fields of a request beside those that the version of HTTP requires.
    pub(crate) fn fields(self, user_agent: &str) -> Vec<(header::HeaderName, String)> {
        // The start of a coded body could not be decoded.
        let codings = if self.start_only { "identity" } else { "gzip, br, zstd, deflate" };
        let range = self.start_only.then(|| (header::RANGE, format!("bytes=0-{}", self.max_bytes.saturating_sub(1))));
        [
            (header::USER_AGENT, user_agent.to_owned()),
            (header::ACCEPT, self.accept.to_owned()),
            (header::ACCEPT_ENCODING, codings.to_owned()),
            (header::ACCEPT_LANGUAGE, "en;q=0.9, *;q=0.5".to_owned()),
        ]
        .into_iter()
        .chain(range)
        .chain(self.known.into_iter().flat_map(KnownVersion::fields))
        .collect()
    }
}

impl KnownVersion {
    /// The conditional headers; a value that no header may hold is left out.
    fn fields(&self) -> impl Iterator<Item = (header::HeaderName, String)> {
        let etag = self.etag.clone().map(|etag| (header::IF_NONE_MATCH, etag));
        let date = self.last_modified.clone().map(|date| (header::IF_MODIFIED_SINCE, date));
        etag.into_iter().chain(date).filter(|(_, value)| header::HeaderValue::from_str(value).is_ok())
    }
}
