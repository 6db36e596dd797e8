//! Captures for tests.

use std::path::PathBuf;

pub(crate) use audit::example::{page, with_headers};
use model::capture::{Capture, Fetched};

/// The same capture with another body.
pub(crate) fn replaced(capture: &Capture, body: Vec<u8>) -> Capture {
    let mut capture = capture.clone();
    if let Fetched::Response(exchange) = &mut capture.page {
        exchange.body.bytes = body.into();
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
