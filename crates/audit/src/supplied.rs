//! Pages supplied by the caller: their limits, and the capture of one without a network.

use model::capture::{
    Body, BodyCut, Capture, Coding, Exchange, Extra, Fetched, PAGE_BYTES, ROBOTS_BYTES, Source, Timing, Want, WantKind,
};
use model::lang::{Phrase, Text, text};
use model::time::Timestamp;
use url::Url;

/// Size limit of the page's URL in bytes.
pub const URL_BYTES: usize = 2048;
/// Limit on response headers.
pub const MOST_HEADERS: usize = 100;
/// Size limit of all their names and values in bytes.
pub const HEADERS_BYTES: usize = 64 * 1024;
/// Size limit of one header's name in bytes.
const HEADER_NAME_BYTES: usize = 65_535;

/// A supplied page, and what else the caller knows.
#[derive(Debug)]
pub struct Supplied {
    /// Its URL, published or planned.
    pub url: Url,
    /// Its bytes; truncated to [`PAGE_BYTES`].
    pub page: Vec<u8>,
    /// The status of its response.
    pub status: u16,
    /// Response headers with lower-case names; `None` when unknown: checks on headers are then not measured.
    pub headers: Option<Vec<(String, String)>>,
    /// Its media type, when no other header is known.
    pub content_type: Option<String>,
    /// The site's robots.txt; `None` when unknown.
    pub robots_txt: Option<String>,
}

/// Why a supplied page can't be audited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SuppliedFault {
    /// The URL isn't an absolute http(s) URL without a user name, or it is over [`URL_BYTES`].
    Url,
    /// A part is over its limit.
    TooLarge {
        /// Name of the part.
        field: &'static str,
        /// The limit.
        most: usize,
        /// Its size.
        size: usize,
    },
    /// The header of this name isn't valid.
    Header(String),
    /// The status isn't one that a response may have, 100 to 999.
    Status(i64),
}

impl SuppliedFault {
    /// What happened and what to do.
    pub fn message(&self) -> Phrase {
        const URL: Text = text(
            "url: use an absolute http or https URL of at most {most} bytes, without a user name",
            "url: use uma URL http ou https absoluta de no máximo {most} bytes, sem nome de usuário",
        );
        const TOO_LARGE: Text =
            text("{field}: can have at most {most}, not {size}", "{field}: pode ter no máximo {most}, não {size}");
        const NO_HEADER: Text =
            text("headers.{name}: is not a valid HTTP header", "headers.{name}: não é um cabeçalho HTTP válido");
        const NO_STATUS: Text = text(
            "status: use an HTTP status from 100 to 999, not {status}",
            "status: use um status HTTP de 100 a 999, não {status}",
        );
        match self {
            Self::Url => URL.phrase(&[("most", URL_BYTES.into())]),
            Self::TooLarge { field, most, size } => {
                TOO_LARGE.phrase(&[("field", (*field).into()), ("most", (*most).into()), ("size", (*size).into())])
            }
            Self::Header(name) => NO_HEADER.phrase(&[("name", name.as_str().into())]),
            Self::Status(status) => NO_STATUS.phrase(&[("status", (*status).into())]),
        }
    }
}

impl Supplied {
    /// A page without headers or robots.txt.
    pub fn page(url: Url, page: Vec<u8>) -> Self {
        Self { url, page, status: 200, headers: None, content_type: None, robots_txt: None }
    }

    /// The capture for the core.
    pub fn capture(self, started_at: Timestamp) -> Capture {
        let Self { url, page: mut bytes, status, headers, content_type, robots_txt } = self;
        let cut = (bytes.len() > PAGE_BYTES).then_some(BodyCut::Size);
        bytes.truncate(PAGE_BYTES);
        let robots = robots_txt.and_then(|text| Some(robots(url.join("/robots.txt").ok()?, text)));
        let source = if headers.is_some() { Source::SuppliedWithHeaders } else { Source::Supplied };
        let headers =
            headers.unwrap_or_else(|| content_type.map(|kind| ("content-type".to_owned(), kind)).into_iter().collect());
        let coding = headers.iter().find(|(name, value)| name == "content-encoding" && value != "identity");
        let coding = coding.map_or(Coding::Identity, |(_, value)| Coding::Decoded(value.clone()));
        let page = exchange(&url, status, headers, Body { bytes: bytes.into(), cut, coding });
        Capture {
            requested_url: url.into(),
            started_at,
            nonce: String::new(),
            source,
            page: Fetched::Response(page),
            extras: robots.into_iter().collect(),
            field_data: None,
        }
    }
}

fn robots(url: Url, text: String) -> Extra {
    let headers = vec![("content-type".to_owned(), "text/plain; charset=utf-8".to_owned())];
    let body = Body { bytes: text.into(), ..Body::default() };
    let fetched = Fetched::Response(exchange(&url, 200, headers, body));
    Extra { want: Want { kind: WantKind::RobotsTxt, url: url.into() }, fetched }
}

fn exchange(url: &Url, status: u16, headers: Vec<(String, String)>, body: Body) -> Exchange {
    Exchange {
        hops: Vec::new(),
        url: url.to_string(),
        status,
        headers,
        body,
        timing: Timing::default(),
        ambiguous_length: false,
        certificate: None,
    }
}

/// The URL of a page, which need not be reachable.
pub fn page_url(typed: &str) -> Result<Url, SuppliedFault> {
    let url = Some(typed).filter(|typed| typed.len() <= URL_BYTES).and_then(|typed| Url::parse(typed).ok());
    let is_page = |url: &Url| matches!(url.scheme(), "http" | "https") && url.username().is_empty();
    url.filter(is_page).ok_or(SuppliedFault::Url)
}

/// The status of a response.
pub fn page_status(status: i64) -> Result<u16, SuppliedFault> {
    let status_code = u16::try_from(status).ok().filter(|status| (100..1000).contains(status));
    status_code.ok_or(SuppliedFault::Status(status))
}

/// The source of a page, within its limit.
pub fn check_page(bytes: usize) -> Result<(), SuppliedFault> {
    within("html", bytes, PAGE_BYTES)
}

/// The text of a robots.txt, within its limit.
pub fn check_robots_txt(bytes: usize) -> Result<(), SuppliedFault> {
    within("robots_txt", bytes, ROBOTS_BYTES)
}

/// Response headers in their order, with names in lower case, as a capture has them.
pub fn page_headers(headers: Vec<(String, String)>) -> Result<Vec<(String, String)>, SuppliedFault> {
    within("headers", headers.len(), MOST_HEADERS)?;
    within("headers", headers.iter().map(|(name, value)| name.len() + value.len()).sum(), HEADERS_BYTES)?;
    let read = headers.into_iter().map(|(name, value)| {
        if is_header_name(&name) && !value.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
            Ok((name.to_ascii_lowercase(), value))
        } else {
            Err(SuppliedFault::Header(name))
        }
    });
    read.collect()
}

/// Whether a text is a token (RFC 9110 §5.6.2), as names of fields are.
fn is_header_name(name: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    (1..=HEADER_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_token)
}

fn within(field: &'static str, size: usize, most: usize) -> Result<(), SuppliedFault> {
    if size <= most { Ok(()) } else { Err(SuppliedFault::TooLarge { field, most, size }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supplied(page: &[u8]) -> Supplied {
        Supplied::page(Url::parse("https://example.com/a").unwrap(), page.to_vec())
    }

    #[test]
    fn a_page_over_the_limit_is_cut_and_told() {
        let capture = supplied(&vec![b'a'; PAGE_BYTES + 1]).capture(Timestamp(0));
        let body = &capture.page.response().unwrap().body;
        assert_eq!((body.bytes.len(), body.cut), (PAGE_BYTES, Some(BodyCut::Size)));
    }

    #[test]
    fn what_is_not_supplied_was_not_measured() {
        let reason = |supplied: Supplied, code: &str| {
            let report = crate::report(&supplied.capture(Timestamp(0)));
            report.coverage.not_measured.get(code).cloned()
        };
        let offline = Some("offline".to_owned());
        assert_eq!(reason(supplied(b"<p>a"), "hsts_missing"), offline);
        assert_eq!(reason(supplied(b"<p>a"), "robots_txt_blocks_page"), offline);
        assert_eq!(reason(supplied(b"<p>a"), "server_response_slow"), offline);
        let known = || Supplied {
            headers: Some(vec![("content-type".to_owned(), "text/html".to_owned())]),
            robots_txt: Some("User-agent: *\nDisallow: /".to_owned()),
            ..supplied(b"<p>a")
        };
        for code in ["hsts_missing", "robots_txt_blocks_page"] {
            assert_eq!(reason(known(), code), None, "{code}");
        }
        assert_eq!(reason(known(), "server_response_slow"), offline);
        assert_eq!(reason(known(), "sitemap_missing"), offline);
    }

    #[test]
    fn the_status_of_a_supplied_page_is_judged() {
        let is_found = |status: u16| {
            let page = Supplied { status, ..supplied(b"<!doctype html><title>a</title>") };
            let report = crate::report(&page.capture(Timestamp(0)));
            report.findings.iter().any(|found| found.code == "http_status_client_error")
        };
        assert_eq!((is_found(200), is_found(404)), (false, true));
        assert_eq!(page_status(404), Ok(404));
        for status in [-1, 0, 99, 1000, 70_000] {
            assert_eq!(page_status(status), Err(SuppliedFault::Status(status)));
        }
    }

    #[test]
    fn an_address_is_absolute_and_short() {
        assert_eq!(page_url("https://example.com/a").unwrap().as_str(), "https://example.com/a");
        let long = format!("https://example.com/{}", "a".repeat(URL_BYTES));
        for typed in ["", "/a", "ftp://example.com/", "https://me@example.com/", "data:text/html,a", long.as_str()] {
            assert_eq!(page_url(typed), Err(SuppliedFault::Url), "{typed}");
        }
    }

    #[test]
    fn a_header_has_a_token_for_a_name_and_one_line_for_a_value() {
        let read = |name: &str, value: &str| page_headers(vec![(name.to_owned(), value.to_owned())]);
        assert_eq!(read("X-Robots-Tag", "noindex"), Ok(vec![("x-robots-tag".to_owned(), "noindex".to_owned())]));
        assert_eq!(read("a!#$%&'*+-.^_`|~9", "é").map(|read| read.len()), Ok(1));
        for (name, value) in
            [("", "a"), ("a b", "a"), ("a:", "a"), ("a\"", "a"), ("é", "a"), ("a", "b\r\nc: d"), ("a", "\0")]
        {
            assert_eq!(read(name, value), Err(SuppliedFault::Header(name.to_owned())), "{name:?}: {value:?}");
        }
        let size = HEADERS_BYTES + 1;
        let too_large = SuppliedFault::TooLarge { field: "headers", most: HEADERS_BYTES, size };
        assert_eq!(read("a", &"b".repeat(HEADERS_BYTES)), Err(too_large));
    }
}
