//! Captures as a network would have made them.

use model::capture::{Body, Capture, Coding, Exchange, Extra, Fetched, Source, Timing, Want, WantKind};
use model::time::Timestamp;

/// A page of a URL with its `Content-Type`, and no other file.
pub(crate) fn page(url: &str, content_type: &str, bytes: &[u8]) -> Capture {
    Capture {
        requested_url: url.to_owned(),
        started_at: Timestamp(1_795_219_200_000),
        nonce: "0123456789abcdef0123456789abcdef".to_owned(),
        source: Source::Network,
        page: answer(url, content_type, bytes),
        extras: Vec::new(),
        field_data: None,
    }
}

/// The same capture with one more file.
pub(crate) fn with_extra(mut capture: Capture, kind: WantKind, url: &str, bytes: &[u8]) -> Capture {
    let want = Want { kind, url: url.to_owned() };
    capture.extras.push(Extra { want, fetched: answer(url, "text/plain", bytes) });
    capture
}

fn answer(url: &str, content_type: &str, bytes: &[u8]) -> Fetched {
    Fetched::Response(Exchange {
        hops: Vec::new(),
        url: url.to_owned(),
        status: 200,
        headers: vec![("content-type".to_owned(), content_type.to_owned())],
        // Compressed, as pages are: else a patch that makes a small page larger would make compression worth it.
        body: Body { bytes: bytes.into(), coding: Coding::Decoded("gzip".to_owned()), cut: None },
        timing: Timing { ttfb_ms: Some(20), total_ms: 30, ..Timing::default() },
        ambiguous_length: false,
        certificate: None,
    })
}
