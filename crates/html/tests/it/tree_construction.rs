//! The tree-construction tests of html5lib, documents, scripting on and off.

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

#[test]
fn every_document_case_of_html5lib_gives_its_tree() {
    let Some(folder) = shared::path("fixtures/html5lib/tree-construction") else { return };
    let (mut passed, mut fragments, mut failed) = (0, 0, Vec::new());
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "dat")) {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        for case in cases(&text) {
            if case.fragment {
                fragments += 1;
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
                    passed += 1;
                } else {
                    let name = file.file_name().unwrap().to_string_lossy().into_owned();
                    failed.push(format!(
                        "{name} scripting {scripting}\n{}\nwanted\n{}\ngot\n{got}",
                        case.data, case.document
                    ));
                }
            }
        }
    }
    println!(
        "{passed} passed, {} failed, {fragments} fragment cases passed over: fragments are not parsed here",
        failed.len()
    );
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}
