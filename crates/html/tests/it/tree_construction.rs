//! The tree-construction tests of html5lib, documents, scripting on and off; and cases of our own in the same form.

use html::Options;

use crate::dump::dump;
use crate::shared;

/// Cases that a later standard overturned: processing instructions became nodes in 2026 (whatwg/html pull request
/// 12118), and one that the source ends in is dropped. What holds now is in `instructions.rs`.
const OVERTURNED: [&str; 4] =
    ["<?import namespace=\"foo\" implementation=\"#bar\">", "<?", "<?COMMENT?>", "<?COM--MENT?>"];

struct Case {
    data: String,
    fragment: bool,
    scripting: Option<bool>,
    document: String,
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for part in text.split("#data\n").skip(1) {
        let (data, rest) = part.split_once("#errors\n").unwrap();
        let (head, document) = rest.split_once("#document\n").unwrap_or(("", ""));
        cases.push(Case {
            data: data.strip_suffix('\n').unwrap_or(data).to_owned(),
            fragment: head.contains("#document-fragment\n"),
            scripting: match (head.contains("#script-on\n"), head.contains("#script-off\n")) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            },
            document: document.trim_end_matches('\n').to_owned(),
        });
    }
    cases
}

/// Fewest trees that html5lib's cases ask for: 1,561 with scripting on and off, 35 with one of them.
const FEWEST: usize = 3_157;

/// Branches of the tree builder that no case of html5lib takes, or that its trees don't tell apart. Each tree is Chromium's
/// (`cargo xtask html-referee --sources FILE`).
const BRANCHES: &str = include_str!("branches.dat");

/// What became of cases.
#[derive(Default)]
struct Outcome {
    passed: usize,
    fragments: usize,
    failed: Vec<String>,
}

impl Outcome {
    /// Parses the cases of a file.
    fn add(&mut self, name: &str, text: &str) {
        for case in cases(text) {
            if case.fragment {
                self.fragments += 1;
                continue;
            }
            if OVERTURNED.contains(&case.data.as_str()) {
                continue;
            }
            for scripting in [true, false] {
                if case.scripting.is_some_and(|wanted| wanted != scripting) {
                    continue;
                }
                let tree = html::parse(case.data.clone(), &Options { scripting, ..Options::default() });
                let got = dump(&tree);
                if got.trim_end_matches('\n') == case.document {
                    self.passed += 1;
                    continue;
                }
                let (data, document) = (&case.data, &case.document);
                self.failed.push(format!("{name} scripting {scripting}\n{data}\nwanted\n{document}\ngot\n{got}"));
            }
        }
    }
}

#[test]
fn every_document_case_of_html5lib_gives_its_tree() {
    let Some(folder) = shared::path("fixtures/html5lib/tree-construction") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut outcome = Outcome::default();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "dat")) {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        outcome.add(&file.file_name().unwrap().to_string_lossy(), &text);
    }
    let Outcome { passed, fragments, failed } = outcome;
    println!(
        "{passed} passed, {} failed, {fragments} fragment cases passed over: fragments are not parsed here",
        failed.len()
    );
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
    assert!(passed >= FEWEST, "{passed} trees: where are the others?");
}

#[test]
fn every_branch_gives_the_tree_of_chromium() {
    let mut outcome = Outcome::default();
    outcome.add("branches.dat", BRANCHES);
    assert!(outcome.failed.is_empty() && outcome.passed > 0, "{}", outcome.failed.join("\n\n"));
}
