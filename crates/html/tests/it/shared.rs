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

/// Name and text of every page of the corpus, in order; what is not in UTF-8 is read as far as it is.
pub(crate) fn corpus() -> Vec<(String, String)> {
    let Some(folder) = path("corpus") else { return Vec::new() };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "html"));
    files.sort();
    let name = |file: &PathBuf| file.file_name().unwrap().to_string_lossy().into_owned();
    let text = |file: &PathBuf| {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        // A byte order mark is no part of a source.
        text.strip_prefix('\u{FEFF}').map_or(text.clone(), str::to_owned)
    };
    files.iter().map(|file| (name(file), text(file))).collect()
}
