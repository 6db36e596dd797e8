//! Answers of the network as a trial has them.

use model::capture::{Body, Capture, Exchange, Extra, Fetched, Timing};

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
pub(super) fn with_body(old: &Exchange, bytes: Vec<u8>) -> Exchange {
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
        body: Body { bytes: content.as_bytes().to_vec(), ..Body::default() },
        timing: Timing::default(),
        ambiguous_length: false,
        certificate: None,
    }
}
