//! Stored captures: each gives the same report, byte for byte, on every run and machine.
//!
//! `captures/NAME.json` is a capture of our own making, as `serde` writes it; `NAME.report.json` what is made of it.

use std::path::{Path, PathBuf};

use model::capture::Capture;

use crate::stored::compared;

/// Bytes of a capture: more says nothing that a smaller one does not.
const MOST_BYTES: usize = 40 * 1024;

/// The stored captures, in order.
fn captures() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut captures: Vec<(PathBuf, String)> = files
        .filter(|path| !path.display().to_string().ends_with(".report.json"))
        .map(|path| (path.clone(), std::fs::read_to_string(path).unwrap()))
        .collect();
    captures.sort();
    captures
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

#[test]
fn a_stored_capture_gives_the_stored_report() {
    let mut wrong = Vec::new();
    for (path, text) in captures() {
        assert!(text.len() <= MOST_BYTES, "{}", path.display());
        let capture: Capture = serde_json::from_str(&text).unwrap();
        let report = json(&audit::report(&capture));
        assert!(report == json(&audit::report(&capture)), "{}: the second report differs", path.display());
        wrong.extend(compared(&path.with_extension("report.json"), &report));
        // What was stored once is read and written as then.
        wrong.extend(compared(&path, &json(&capture)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
