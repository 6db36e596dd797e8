//! What must not change a finding: how the same page is written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use audit::facts::document::{Document, Element};
use audit::score;
use model::finding::Severity;
use proptest::prelude::*;

use crate::capture::page;
use crate::parallel;

/// A page among the fixtures, and the codes of its findings.
struct Told {
    name: String,
    source: String,
    codes: BTreeSet<String>,
}

/// Every page among the fixtures, judged once for all properties.
fn pages() -> &'static [Told] {
    static PAGES: OnceLock<Vec<Told>> = OnceLock::new();
    PAGES.get_or_init(|| {
        parallel::map(&read(), |(name, source)| Told {
            name: name.clone(),
            source: source.clone(),
            codes: codes(source),
        })
    })
}

/// Names and sources of the pages.
fn read() -> Vec<(String, String)> {
    fn below(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                below(&entry, out);
            } else if entry.extension().is_some_and(|extension| extension == "html") {
                out.push(entry);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/checks");
    let mut files = Vec::new();
    below(&root, &mut files);
    files.sort();
    let read = |file: &PathBuf| {
        Some((file.strip_prefix(&root).unwrap().display().to_string(), std::fs::read_to_string(file).ok()?))
    };
    files.iter().filter_map(read).collect()
}

fn codes(source: &str) -> BTreeSet<String> {
    let report = audit::unproven_report(&page("https://example.com/page", source));
    report.findings.into_iter().map(|finding| finding.code).collect()
}

/// The source with each start tag written otherwise.
fn rewritten(source: &str, tag: impl Fn(Element<'_>, &str) -> Option<String>) -> String {
    let document = Document::parse(source.to_owned());
    let mut tags: Vec<(std::ops::Range<usize>, String)> = document
        .elements()
        .filter_map(|element| Some((element.start_tag()?, tag(element, element.start_tag_source()?)?)))
        .collect();
    tags.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut out = source.to_owned();
    for (span, text) in tags {
        out.replace_range(span, &text);
    }
    out
}

/// Asserts that the codes of every page stay, however `change` writes it. `but`: pages whose subject is the writing.
fn holds(change: impl Fn(&str) -> String + Sync, but: &[&str]) {
    let compared = parallel::map(pages(), |page| {
        let other = change(&page.source);
        if other == page.source || but.iter().any(|known| page.name.contains(known)) {
            return None;
        }
        let after = codes(&other);
        let (gone, new): (Vec<_>, Vec<_>) =
            (page.codes.difference(&after).collect(), after.difference(&page.codes).collect());
        Some((!gone.is_empty() || !new.is_empty()).then(|| format!("{}: gone {gone:?}, new {new:?}", page.name)))
    });
    let changed: Vec<Option<String>> = compared.into_iter().flatten().collect();
    assert!(changed.len() > 100, "only {} pages were changed", changed.len());
    let wrong: Vec<String> = changed.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tags_in_upper_case_change_no_finding() {
    holds(
        |source| {
            rewritten(source, |_, tag| {
                let end = tag.find(|c: char| !c.is_ascii_alphanumeric() && c != '<')?;
                Some(format!("{}{}", tag.get(..end)?.to_ascii_uppercase(), tag.get(end..)?))
            })
        },
        &[],
    );
}

#[test]
fn the_order_of_attributes_changes_no_finding() {
    holds(
        |source| {
            rewritten(source, |_, tag| {
                let attributes = html::attributes_of(tag);
                let names: BTreeSet<String> = attributes
                    .iter()
                    .filter_map(|attribute| Some(tag.get(attribute.name.clone())?.to_ascii_lowercase()))
                    .collect();
                // Of a name that stands twice the first counts, so there the order says something.
                if attributes.len() < 2 || names.len() < attributes.len() {
                    return None;
                }
                let first = tag.get(..attributes.first()?.whole.start)?;
                let last = tag.get(attributes.last()?.whole.end..)?;
                let all: Option<Vec<&str>> = attributes.iter().rev().map(|one| tag.get(one.whole.clone())).collect();
                Some(format!(
                    "{}{}{}",
                    first,
                    all?.join(" "),
                    if last.starts_with('/') { format!(" {last}") } else { last.to_owned() }
                ))
            })
        },
        // The words after a quotation mark in an alternative are read as attributes, so their order matters here.
        &["image_alt/bad_cut"],
    );
}

#[test]
fn white_space_in_tags_changes_no_finding() {
    holds(
        |source| {
            rewritten(source, |_, tag| {
                let attributes = html::attributes_of(tag);
                let first = attributes.first()?;
                Some(format!("{}\n\t {}", tag.get(..first.whole.start)?, tag.get(first.whole.start..)?))
            })
        },
        &[],
    );
}

#[test]
fn comments_change_no_finding() {
    holds(
        |source| source.replace("</p>", "</p><!-- a comment -->").replace("</title>", "</title><!-- and one -->"),
        // In a title that is not closed a comment is text.
        &["bad_open_title"],
    );
}

proptest! {
    #[test]
    fn the_score_falls_with_each_finding(severities in prop::collection::vec(0..3_u8, 0..20), more in 0..3_u8) {
        let severity = |number: &u8| match number {
            0 => Severity::Error,
            1 => Severity::Warn,
            _ => Severity::Info,
        };
        let fewer = score::score(severities.iter().map(severity));
        let with = score::score(severities.iter().chain([&more]).map(severity));
        prop_assert!(with <= fewer && fewer <= score::FULL);
        prop_assert_eq!(fewer - with, score::weight(severity(&more)).min(fewer));
    }
}
