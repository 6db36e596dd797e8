//! Captures for tests.

use std::path::PathBuf;

use model::capture::{Body, Capture, Coding, Exchange, Fetched, Source, Timing};
use model::time::Timestamp;

/// A response that a well-kept server would give for these bytes.
pub(crate) fn page(url: &str, bytes: impl Into<Vec<u8>>) -> Capture {
    with_headers(
        url,
        &[
            ("content-type", "text/html; charset=utf-8"),
            ("strict-transport-security", "max-age=31536000"),
            ("content-security-policy", "default-src 'self'; frame-ancestors 'self'"),
            ("x-content-type-options", "nosniff"),
            ("etag", "\"1\""),
        ],
        bytes,
    )
}

/// The same with headers of its own.
pub(crate) fn with_headers(url: &str, headers: &[(&str, &str)], bytes: impl Into<Vec<u8>>) -> Capture {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Capture {
        requested_url: url.to_owned(),
        started_at: Timestamp(1_795_219_200_000),
        nonce: "0123456789abcdef0123456789abcdef".to_owned(),
        source: Source::Network,
        page: Fetched::Response(Exchange {
            hops: Vec::new(),
            url: url.to_owned(),
            status: 200,
            headers,
            // Compressed, as pages are: else a patch that makes a small page larger would make compression worth it.
            body: Body { bytes: bytes.into(), coding: Coding::Decoded("gzip".to_owned()), cut: None },
            timing: Timing { ttfb_ms: Some(20), total_ms: 30, ..Timing::default() },
            ambiguous_length: false,
            certificate: None,
        }),
        extras: Vec::new(),
        field_data: None,
    }
}

/// The same capture with another body.
pub(crate) fn replaced(capture: &Capture, body: Vec<u8>) -> Capture {
    let mut capture = capture.clone();
    if let Fetched::Response(exchange) = &mut capture.page {
        exchange.body.bytes = body;
    }
    capture
}

/// Data that others made, read in place; `None` where it is absent, after a line that says so.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let root = std::env::var("SITE_AUDIT_SHARED")
        .map_or_else(|_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let found = root.join(path);
    if found.exists() {
        return Some(found);
    }
    println!("passed over: no {path} in the shared data (set SITE_AUDIT_SHARED)");
    None
}

/// Name and bytes of every page of the corpus, in order.
pub(crate) fn corpus() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = shared("corpus") else { return Vec::new() };
    let mut pages: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "html"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect();
    pages.sort();
    pages
}
