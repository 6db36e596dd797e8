//! The real pages that are measured on, read in place.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use model::capture::{Body, Capture, Coding, Exchange, Fetched, Source, Timing};
use model::time::Timestamp;

/// Bytes of every page; `None`, after a line that says so, where the corpus is absent.
pub(crate) fn pages() -> Result<Option<Vec<Vec<u8>>>> {
    let shared = std::env::var("SITE_AUDIT_SHARED")
        .map_or_else(|_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let corpus = shared.join("corpus");
    if !corpus.exists() {
        println!("passed over: no corpus in the shared data (set SITE_AUDIT_SHARED)");
        return Ok(None);
    }
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(&corpus).context("the corpus could not be listed")? {
        pages.push(std::fs::read(entry?.path())?);
    }
    pages.sort();
    if pages.is_empty() {
        bail!("the corpus is empty");
    }
    Ok(Some(pages))
}

/// A page as a network would have brought it.
pub(crate) fn capture(bytes: Vec<u8>) -> Capture {
    let url = "https://www.example.com/a/page".to_owned();
    Capture {
        requested_url: url.clone(),
        started_at: Timestamp(0),
        nonce: String::new(),
        source: Source::Network,
        page: Fetched::Response(Exchange {
            hops: Vec::new(),
            url,
            status: 200,
            headers: vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())],
            body: Body { bytes: bytes.into(), cut: None, coding: Coding::Decoded("gzip".to_owned()) },
            timing: Timing::default(),
            ambiguous_length: false,
            certificate: None,
        }),
        extras: Vec::new(),
        field_data: None,
    }
}
