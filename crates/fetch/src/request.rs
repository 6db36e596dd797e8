//! A request as both versions of HTTP send it.

use hyper::Method;
use hyper::header::HeaderName;
use url::Url;

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    /// GET.
    Whole,
    /// HEAD: whether it is there.
    Head,
}

impl Asks {
    /// As the libraries name it.
    pub(crate) const fn method(self) -> Method {
        match self {
            Self::Whole => Method::GET,
            Self::Head => Method::HEAD,
        }
    }
}

/// A GET or HEAD request, and how much of its response is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GetRequest<'a> {
    pub(crate) asks: Asks,
    pub(crate) url: &'a Url,
    /// Header fields beside those that the version of HTTP requires.
    pub(crate) fields: &'a [(HeaderName, String)],
    /// Size limit of the body.
    pub(crate) max_bytes: usize,
    /// Whether a redirect is followed, so that its body is not read.
    pub(crate) follows: bool,
    /// Whether another request may follow on the connection.
    pub(crate) keeps: bool,
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
