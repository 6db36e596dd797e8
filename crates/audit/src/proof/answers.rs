//! Answers of the network as a trial has them.

use model::capture::{Body, BodyBytes, Capture, Exchange, Extra, Fetched, Timing};

/// A capture whose page is still to come: the bytes of a page are not copied to be replaced.
pub(super) fn without_page(capture: &Capture) -> Capture {
    let none = Fetched::Response(served(&capture.requested_url, ""));
    Capture {
        requested_url: capture.requested_url.clone(),
        started_at: capture.started_at,
        nonce: capture.nonce.clone(),
        source: capture.source,
        page: none,
        extras: capture.extras.clone(),
        field_data: capture.field_data.clone(),
    }
}

/// An answer with other bytes.
pub(super) fn with_body(old: &Exchange, bytes: BodyBytes) -> Exchange {
    Exchange {
        hops: old.hops.clone(),
        url: old.url.clone(),
        status: old.status,
        headers: old.headers.clone(),
        body: Body { bytes, cut: old.body.cut, coding: old.body.coding.clone() },
        timing: old.timing.clone(),
        ambiguous_length: old.ambiguous_length,
        certificate: old.certificate.clone(),
    }
}

/// Whether a file was asked for at an address, or came from there.
pub(super) fn is_at(extra: &Extra, url: &str) -> bool {
    extra.want.url == url || extra.fetched.response().is_some_and(|exchange| exchange.url == url)
}

/// A file as a server sends it.
pub(super) fn served(url: &str, content: &str) -> Exchange {
    let kind = match url.rsplit_once('.').map(|(_, ending)| ending) {
        Some("xml") => "application/xml",
        _ => "text/plain; charset=utf-8",
    };
    Exchange {
        hops: Vec::new(),
        url: url.to_owned(),
        status: 200,
        headers: vec![("content-type".to_owned(), kind.to_owned())],
        body: Body { bytes: content.into(), ..Body::default() },
        timing: Timing::default(),
        ambiguous_length: false,
        certificate: None,
    }
}

#[cfg(test)]
mod tests {
    use model::capture::{Want, WantKind};

    use super::*;
    use crate::example::{page, with_headers};

    #[test]
    fn a_trial_has_all_but_the_page() {
        let mut capture = page("https://example.com/page", "<p>a");
        let want = Want { kind: WantKind::RobotsTxt, url: "https://example.com/robots.txt".to_owned() };
        capture.extras.push(Extra { fetched: Fetched::Response(served(&want.url, "a")), want });
        let bare = without_page(&capture);
        assert_eq!((bare.requested_url.as_str(), bare.nonce.as_str()), ("https://example.com/page", &*capture.nonce));
        assert_eq!((bare.started_at, bare.extras.len()), (capture.started_at, 1));
        let answer = bare.page.response().unwrap();
        assert_eq!((answer.url.as_str(), answer.body.bytes.len()), ("https://example.com/page", 0));
    }

    #[test]
    fn other_bytes_come_with_the_same_answer() {
        let capture = with_headers("https://example.com/page", &[("x-a", "b")], "<p>a");
        let old = capture.page.response().unwrap();
        let new = with_body(old, "<p>b".into());
        assert_eq!((new.url.as_str(), new.status, &new.headers), (old.url.as_str(), 200, &old.headers));
        assert_eq!((new.body.bytes.as_slice(), &new.body.coding), (&b"<p>b"[..], &old.body.coding));
    }

    #[test]
    fn a_file_is_where_it_was_asked_for_and_where_it_came_from() {
        let want = Want { kind: WantKind::RobotsTxt, url: "https://example.com/robots.txt".to_owned() };
        let moved = Extra { fetched: Fetched::Response(served("https://www.example.com/robots.txt", "a")), want };
        assert!(is_at(&moved, "https://example.com/robots.txt"));
        assert!(is_at(&moved, "https://www.example.com/robots.txt"));
        assert!(!is_at(&moved, "https://example.com/sitemap.xml"));
    }

    #[test]
    fn a_file_has_the_type_of_its_ending() {
        let kind = |path: &str| {
            let file = served(&format!("https://example.com{path}"), "a");
            assert_eq!((file.status, file.body.bytes.as_slice()), (200, &b"a"[..]));
            file.header("content-type").unwrap().to_owned()
        };
        assert_eq!(kind("/sitemap.xml"), "application/xml");
        assert_eq!(kind("/robots.txt"), "text/plain; charset=utf-8");
        assert_eq!(kind("/xml"), "text/plain; charset=utf-8");
    }
}
