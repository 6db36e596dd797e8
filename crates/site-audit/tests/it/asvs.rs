//! `docs/security/asvs.md`: every requirement has a test that exists, or a reason.

use crate::tidy::root;

/// What a row may say of its requirement.
const STATUSES: [&str; 4] = ["met", "partly", "not met", "n/a"];
/// Requirements of each level in ASVS 5.0.0.
const REQUIREMENTS: [(&str, usize); 2] = [("1", 70), ("2", 183)];

/// The cells of the rows that begin with the id of a requirement.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines()
        .filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'))
        .map(|row| row.split('|').map(str::trim).collect::<Vec<_>>())
        .filter(|cells| cells[0].starts_with(|c: char| c.is_ascii_digit()))
        .collect()
}

/// The tests of a cell with their files: `file`: `test`, `test`; `file`: `test`.
fn named_tests(cell: &str) -> Vec<(&str, &str)> {
    let mut tests = Vec::new();
    for part in cell.split(';').filter(|part| !part.trim().is_empty()) {
        let words: Vec<&str> = part.split('`').skip(1).step_by(2).collect();
        assert!(words.len() > 1, "{part:?} names no test");
        tests.extend(words[1..].iter().map(|test| (words[0], *test)));
    }
    tests
}

#[test]
fn tests_are_read_with_their_files() {
    assert_eq!(named_tests("`a.rs`: `b`, `c`; `d.rs`: `e`"), [("a.rs", "b"), ("a.rs", "c"), ("d.rs", "e")]);
    assert!(named_tests("").is_empty());
    assert_eq!(rows("| id | a |\n|---|---|\n| 1.2.3 | 2 | x | met | | y |"), [["1.2.3", "2", "x", "met", "", "y"]]);
}

#[test]
fn every_requirement_has_a_test_that_is_there_or_a_reason() {
    let text = std::fs::read_to_string(root().join("docs/security/asvs.md")).unwrap();
    let rows = rows(&text);
    for (level, count) in REQUIREMENTS {
        assert_eq!(rows.iter().filter(|cells| cells[1] == level).count(), count, "rows of level {level}");
    }
    let number = |id: &str| id.split('.').map(|part| part.parse::<u32>().unwrap()).collect::<Vec<_>>();
    for pair in rows.windows(2) {
        let (before, after) = (pair[0][0], pair[1][0]);
        assert!(number(before) < number(after), "{after} comes after {before}");
    }
    for cells in &rows {
        assert_eq!(cells.len(), 6, "{cells:?}");
        let (id, requirement, status, tests, reason) = (cells[0], cells[2], cells[3], cells[4], cells[5]);
        assert!(!requirement.is_empty(), "{id} says nothing");
        assert!(STATUSES.contains(&status), "{id}: {status} is no status");
        assert!(!tests.is_empty() || !reason.is_empty(), "{id} has neither a test nor a reason");
        assert!(status == "met" || !reason.is_empty(), "{id} does not say why it is {status}");
        for (file, test) in named_tests(tests) {
            let source = std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(source.contains(&format!("fn {test}(")), "{id}: {file} has no test {test}");
        }
    }
    for status in STATUSES {
        let count = rows.iter().filter(|cells| cells[3] == status).count();
        assert!(text.contains(&format!("\n| {status} | {count} |")), "{count} rows are {status}");
    }
}
