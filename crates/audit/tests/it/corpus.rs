//! Real pages: reports are the same on every run, and every text is whole.

use crate::capture::{corpus, page};

#[test]
fn a_capture_gives_the_same_bytes_every_time_and_after_a_file() {
    for (name, bytes) in corpus().into_iter().step_by(7) {
        let capture = page("https://www.example.com/a/page", bytes);
        let first = serde_json::to_string(&audit::report(&capture)).unwrap();
        let replayed = serde_json::from_str(&serde_json::to_string(&capture).unwrap()).unwrap();
        assert!(first == serde_json::to_string(&audit::report(&replayed)).unwrap(), "{name} differs on replay");
    }
}

#[test]
fn every_finding_has_one_fix_and_filled_texts() {
    for (name, bytes) in corpus() {
        let report = audit::report(&page("https://www.example.com/a/page", bytes));
        let findings: Vec<&str> = report.findings.iter().map(|finding| finding.code.as_str()).collect();
        let fixes: Vec<&str> = report.fixes.iter().map(|fix| fix.code.as_str()).collect();
        assert_eq!(findings, fixes, "{name}");
        for finding in &report.findings {
            for text in [&finding.message.en, &finding.message.pt] {
                let unfilled = finding.values.keys().any(|key| text.contains(&format!("{{{key}")));
                assert!(!text.is_empty() && !unfilled, "{name}: {text}");
            }
            assert!(finding.evidence.len() <= 10, "{name}");
        }
    }
}
