//! Data that others made, read where it lies.

use std::path::PathBuf;

/// A path in the shared data; `None`, with a line that says so, where it is absent.
pub(crate) fn path(path: &str) -> Option<PathBuf> {
    let root = std::env::var("SITE_AUDIT_SHARED")
        .map_or_else(|_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let path = root.join(path);
    if path.exists() {
        return Some(path);
    }
    println!("passed over: no {} (set SITE_AUDIT_SHARED)", path.display());
    None
}
