//! What changed between two runs of a site: what one of them did not measure is neither fixed nor new.

use std::collections::BTreeMap;

use model::capture::{FailureKind, Fetched};
use site::offline::{OfflineRun, site};
use site::{FrontierLimits, SiteChange, Snapshot, changes};
use url::Url;

const START: &str = "https://example.com/";
const DESCRIPTION: &str =
    "<meta name=description content='How bread is baked, what it is made of, and when it comes out of the oven.'>";

/// A page of a site: its path, and what its head holds besides the title.
type MadePage<'a> = (&'a str, &'a str, &'a str);

fn fetched(pages: &[MadePage<'_>]) -> BTreeMap<String, Fetched> {
    let links: String = pages.iter().map(|(path, ..)| format!("<a href=/{path}>To the page {path}</a> ")).collect();
    let page = |(path, title, head): &MadePage<'_>| {
        let source = format!(
            "<!doctype html><html lang=en><head><title>{title}</title>{head}</head><body><main><h1>Page {path}</h1>\
             <p>Bread of the kind {path}</main><nav>{links}</nav></body></html>"
        );
        let url = format!("{START}{path}");
        (url.clone(), audit::example::page(&url, source).page)
    };
    pages.iter().map(page).collect()
}

fn run(answers: &BTreeMap<String, Fetched>, pages: usize) -> Snapshot {
    let start = Url::parse(START).unwrap();
    let site = site(OfflineRun { answers, start: &start, limits: FrontierLimits { pages, depth: 50 } });
    let complete = answers.len() <= pages;
    Snapshot::of(&site, complete)
}

fn of(changes: &[SiteChange], path: &str) -> Vec<String> {
    let url = format!("{START}{path}");
    changes.iter().filter(|change| change.url == url).map(|change| change.code.clone()).collect()
}

fn has(changes: &[SiteChange], path: &str, code: &str) -> bool {
    of(changes, path).iter().any(|found| found == code)
}

#[test]
fn a_page_that_became_noindex_fixed_nothing() {
    let with = |head: &str| run(&fetched(&[("", "Home of bread", DESCRIPTION), ("a", "Rye bread", head)]), 9);
    let (shown, described) = (with(""), with(DESCRIPTION));
    let hidden = with("<meta name=robots content=noindex>");
    assert!(has(&changes(&shown, &described).fixed, "a", "meta_description_missing"));
    assert!(has(&changes(&described, &shown).broke, "a", "meta_description_missing"));
    let became = changes(&shown, &hidden);
    assert!(has(&became.broke, "a", "noindex_meta"), "{:?}", of(&became.broke, "a"));
    assert!(!has(&became.fixed, "a", "meta_description_missing"), "{:?}", of(&became.fixed, "a"));
    let back = changes(&hidden, &shown);
    assert!(has(&back.fixed, "a", "noindex_meta"), "{:?}", of(&back.fixed, "a"));
    assert!(!has(&back.broke, "a", "meta_description_missing"), "{:?}", of(&back.broke, "a"));
}

#[test]
fn pages_that_a_run_did_not_reach_fixed_nothing() {
    let pages =
        |title| [("", "Home of bread", DESCRIPTION), ("a", "Rye bread", DESCRIPTION), ("b", title, DESCRIPTION)];
    let same = fetched(&pages("Rye bread"));
    let before = run(&same, 9);
    let is_fixed = |after: &Snapshot| has(&changes(&before, after).fixed, "a", "duplicate_title");
    let is_new = |before: &Snapshot| has(&changes(before, &run(&same, 9)).broke, "a", "duplicate_title");
    let other = run(&fetched(&pages("Wheat bread")), 9);
    assert!(is_fixed(&other) && is_new(&other));
    // A limit left out the page that shares the title.
    let cut = run(&same, 2);
    assert!(!is_fixed(&cut) && !is_new(&cut));
    // It gave no answer, or one for us alone.
    let url = format!("{START}b");
    for lost in [
        audit::example::failed(FailureKind::Unreachable, "connect", Vec::new(), &url),
        audit::example::file(&url, 503, ""),
        audit::example::file(&url, 403, ""),
    ] {
        let mut answers = same.clone();
        answers.insert(url.clone(), lost);
        let lost = run(&answers, 9);
        assert!(!is_fixed(&lost) && !is_new(&lost), "{:?}", answers.get(&url));
    }
    // Gone for good, it shares nothing any more.
    let mut answers = same.clone();
    answers.insert(url.clone(), audit::example::file(&url, 404, ""));
    assert!(is_fixed(&run(&answers, 9)));
}
