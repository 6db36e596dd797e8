//! A request as both versions of HTTP send it.

use hyper::header::HeaderName;
use url::Url;

/// A GET request, and how much of its response is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GetRequest<'a> {
    pub(crate) url: &'a Url,
    /// Header fields beside those that the version of HTTP requires.
    pub(crate) fields: &'a [(HeaderName, String)],
    /// Size limit of the body.
    pub(crate) max_bytes: usize,
    /// Whether a redirect is followed, so that its body is not read.
    pub(crate) follows: bool,
}

/// The request target: path and query (RFC 9112 §3.2.1).
pub(crate) fn target(url: &Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

/// Host and port of a request, without the dot that may end a host name.
pub(crate) fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
