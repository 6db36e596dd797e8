//! Pages supplied by the caller: a capture without network.

use fetch::PAGE_BYTES;
use model::capture::{Body, BodyCut, Capture, Coding, Exchange, Extra, Fetched, Source, Timing, Want, WantKind};
use model::time::Timestamp;
use url::Url;

/// A supplied page, and what else the caller knows.
#[derive(Debug)]
pub struct Supplied {
    /// Its URL, published or planned.
    pub url: Url,
    /// Its bytes; truncated to [`PAGE_BYTES`].
    pub page: Vec<u8>,
    /// Response headers with lower-case names; `None` when unknown: checks on headers are then not measured.
    pub headers: Option<Vec<(String, String)>>,
    /// Its media type, when no other header is known.
    pub content_type: Option<String>,
    /// The site's robots.txt; `None` when unknown.
    pub robots_txt: Option<String>,
}

impl Supplied {
    /// A page without headers or robots.txt.
    pub fn page(url: Url, page: Vec<u8>) -> Self {
        Self { url, page, headers: None, content_type: None, robots_txt: None }
    }

    /// The capture for the core.
    pub fn capture(self, started_at: Timestamp) -> Capture {
        let Self { url, page: mut bytes, headers, content_type, robots_txt } = self;
        let cut = (bytes.len() > PAGE_BYTES).then_some(BodyCut::Size);
        bytes.truncate(PAGE_BYTES);
        let robots = robots_txt.and_then(|text| Some(robots(url.join("/robots.txt").ok()?, text)));
        let source = if headers.is_some() { Source::SuppliedWithHeaders } else { Source::Supplied };
        let headers =
            headers.unwrap_or_else(|| content_type.map(|kind| ("content-type".to_owned(), kind)).into_iter().collect());
        let coding = headers.iter().find(|(name, value)| name == "content-encoding" && value != "identity");
        let coding = coding.map_or(Coding::Identity, |(_, value)| Coding::Decoded(value.clone()));
        let page = exchange(&url, headers, Body { bytes, cut, coding });
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
    let body = Body { bytes: text.into_bytes(), ..Body::default() };
    let fetched = Fetched::Response(exchange(&url, headers, body));
    Extra { want: Want { kind: WantKind::RobotsTxt, url: url.into() }, fetched }
}

fn exchange(url: &Url, headers: Vec<(String, String)>, body: Body) -> Exchange {
    Exchange {
        hops: Vec::new(),
        url: url.to_string(),
        status: 200,
        headers,
        body,
        timing: Timing::default(),
        ambiguous_length: false,
        certificate: None,
    }
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
            let report = audit::report(&supplied.capture(Timestamp(0)));
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
}
