//! The order in which pages and links come changes nothing of a report, nor whether its facts are in memory or in a file.

use std::io::Cursor;
use std::sync::LazyLock;

use model::capture::Fetched;
use proptest::prelude::*;
use proptest::sample::Index;
use site::offline::{OfflineRun, crawl};
use site::{FrontierLimits, PageAnswer, PageFacts, SiteBuilder, SiteInputs, SiteReport, Spill, report};
use url::Url;

const START: &str = "https://example.com/";

static SITE: LazyLock<(Vec<PageFacts>, SiteInputs)> = LazyLock::new(|| crawled(["a", "b", "c"]));

fn pages() -> (Vec<PageFacts>, SiteInputs) {
    SITE.clone()
}

/// A site of 40 pages in three templates, of a folder each, with links, titles and texts of which some are shared.
fn crawled(folders: [&str; 3]) -> (Vec<PageFacts>, SiteInputs) {
    let answers = (0..40).map(|at| {
        let url = if at == 0 { START.to_owned() } else { format!("{START}{}/{at}", folders[at % 3]) };
        let links: String = [at * 3 + 1, at * 5 + 2, at + 7, at / 2]
            .map(|to| format!("<a href='/{}/{}'>To {to}</a> ", folders[to % 3], to % 43))
            .concat();
        let words: String = (0..60).map(|word| format!("word{} ", word * (at % 7 + 1))).collect();
        let source = format!(
            "<!doctype html><html lang=en><title>Title {}</title><main class={}><h1>Heading</h1><p>{words}</main>{links}",
            at % 9,
            ["first", "second", "third"][at % 3]
        );
        (url.clone(), audit::example::page(&url, source).page)
    });
    let answers: std::collections::BTreeMap<String, Fetched> = answers.collect();
    let start = Url::parse(START).unwrap();
    crawl(OfflineRun { answers: &answers, start: &start, limits: FrontierLimits { pages: 100, depth: 50 } })
}

fn judged(pages: Vec<PageFacts>, inputs: SiteInputs) -> SiteReport {
    judged_in(&Spill::default(), pages, inputs)
}

fn judged_in(spill: &Spill, pages: Vec<PageFacts>, inputs: SiteInputs) -> SiteReport {
    let mut builder = SiteBuilder::new(spill);
    pages.into_iter().for_each(|page| builder.add(page));
    let report = report(&builder.finish(inputs));
    assert_eq!(spill.check(), Ok(()));
    report
}

fn shuffle<T>(items: &mut [T], by: &[Index]) {
    let count = items.len();
    for (at, index) in by.iter().enumerate().take(count) {
        items.swap(at, index.index(count));
    }
}

#[test]
fn templates_of_one_folder_have_names_of_their_own() {
    let (pages, inputs) = crawled(["p"; 3]);
    let told = judged(pages, inputs);
    let names: std::collections::BTreeSet<&str> =
        told.templates.iter().map(|template| template.name.as_str()).collect();
    assert_eq!(names.len(), told.templates.len(), "{names:?}");
    assert_eq!(names.iter().filter(|name| name.starts_with("/p/… (/p/")).count(), 3, "{names:?}");
}

#[test]
fn texts_that_two_versions_read_are_not_said_to_have_no_near_duplicates() {
    let (mut pages, inputs) = pages();
    let code = "near_duplicate_content";
    assert!(judged(pages.clone(), inputs.clone()).passed.contains(&code));
    let mut documents = pages.iter_mut().filter_map(|page| match &mut page.answer {
        PageAnswer::Document(document) => document.content.as_mut(),
        _ => None,
    });
    documents.next().unwrap().sketch_kind = 0;
    let told = judged(pages, inputs);
    assert!(!told.passed.contains(&code));
    assert_eq!(told.not_measured.get(code), Some(&"limit"));
}

#[test]
fn a_site_of_three_templates_is_told_as_such() {
    let (pages, inputs) = pages();
    let told = judged(pages, inputs);
    let names: Vec<&str> = told.templates.iter().take(3).map(|template| template.name.as_str()).collect();
    assert!(["/a/…", "/b/…", "/c/…"].iter().all(|name| names.contains(name)), "{names:?}");
    assert!(told.findings.iter().any(|finding| finding.code == "duplicate_content"));
    assert!(told.findings.iter().any(|finding| finding.code == "broken_internal_link"));
    assert!(told.score.is_some_and(|score| score < 100));
    let of_server = told.page_findings.iter().find(|finding| finding.code == "robots_txt_missing").unwrap();
    assert_eq!(of_server.scope, site::Scope::Site);
    assert!(of_server.message.en.ends_with("Fix it on the server."), "{}", of_server.message.en);
    let site_wide = told.page_findings.iter().filter(|finding| finding.scope == site::Scope::Site);
    assert!(site_wide.clone().all(|finding| finding.total * 100 >= finding.of * 80));
    assert!(site_wide.count() > 0);
    let gained: Vec<f64> = told.findings.iter().map(|finding| finding.gain).collect();
    assert!(gained.iter().any(|gain| *gain > 0.0), "{gained:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn any_order_gives_the_same_report(order in prop::collection::vec(any::<Index>(), 48)) {
        let (pages, inputs) = pages();
        let mut shuffled = pages.clone();
        shuffle(&mut shuffled, &order);
        for page in &mut shuffled {
            if let PageAnswer::Document(document) = &mut page.answer {
                shuffle(&mut document.links, &order);
                document.images.reverse();
                document.entities.reverse();
            }
            page.findings.reverse();
            page.unmeasured.reverse();
        }
        let mut other = inputs.clone();
        other.listed = other.listed.map(|listed| listed.iter().collect::<Vec<_>>().iter().rev().collect());
        // Nearly all of it in a file.
        let spill = Spill::new(0, || Ok(Box::new(Cursor::new(Vec::new()))));
        prop_assert_eq!(judged(pages, inputs), judged_in(&spill, shuffled, other));
    }
}
