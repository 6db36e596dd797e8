use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::snapshot::{AskedPage, FoundCase, SnapshotReport, place_of};
use super::*;
use crate::facts::{NodeFinding, PageId};

fn snapshot(scored: &[&str], unscored: &[&str], of_pages: &[(&str, &str)], of_site: &[(&str, &str)]) -> Snapshot {
    let codes: BTreeSet<&str> = of_pages.iter().map(|(code, _)| *code).collect();
    let codes: Vec<String> = codes.into_iter().map(str::to_owned).collect();
    let report = |url: &str| {
        let of_page = of_pages.iter().filter(|(_, page)| *page == url);
        let finding = |(code, _): &(&str, &str)| NodeFinding {
            code: place_of(&codes, code).unwrap(),
            severity: Severity::Warn,
            place: 0,
        };
        SnapshotReport { findings: of_page.map(finding).collect(), unmeasured: Arc::default() }
    };
    let asked = scored.iter().map(|url| (*url, Some(report(url))));
    let asked: BTreeMap<&str, Option<SnapshotReport>> = asked.chain(unscored.iter().map(|url| (*url, None))).collect();
    let place = |url: &str| asked.keys().position(|known| *known == url).map(|at| at as PageId);
    let found = |(code, url): &(&str, &str)| {
        let case = FoundCase { severity: Severity::Warn, pages: place(url).into_iter().collect() };
        (((*code).to_owned(), (*url).to_owned()), case)
    };
    let of_site = of_site.iter().map(found).collect();
    let asked = asked.into_iter().map(|(url, audited)| AskedPage { url: url.into(), unread: None, audited });
    Snapshot { asked: asked.collect(), codes, complete: true, unmeasured: BTreeSet::new(), of_site }
}

fn codes(changes: &[SiteChange]) -> Vec<&str> {
    changes.iter().map(|change| &*change.code).collect()
}

#[test]
fn a_page_that_is_gone_fixes_nothing() {
    let before = snapshot(&["/", "/a"], &[], &[("title_missing", "/a")], &[("duplicate_title", "/a")]);
    let after = snapshot(&["/"], &["/a"], &[], &[("broken_internal_link", "/a")]);
    let changes = changes(&before, &after);
    assert_eq!(changes.fixed, []);
    assert_eq!(codes(&changes.broke), ["broken_internal_link"]);
}

#[test]
fn what_was_not_measured_neither_broke_nor_was_fixed() {
    let before = snapshot(&["/", "/a"], &[], &[("title_missing", "/a")], &[("orphan_page", "/a")]);
    let mut after = snapshot(&["/", "/a"], &[], &[], &[]);
    after.unmeasured.insert("orphan_page");
    assert_eq!(codes(&changes(&before, &after).fixed), ["title_missing"]);
    assert_eq!(codes(&changes(&after, &before).broke), ["title_missing"]);
}

#[test]
fn what_a_report_did_not_measure_neither_broke_nor_was_fixed() {
    let missing = [("title_missing", "/"), ("title_missing", "/a")];
    let before = snapshot(&["/", "/a"], &[], &missing, &[]);
    // The code is known, as the first page has it.
    let mut after = snapshot(&["/", "/a"], &[], &missing[..1], &[]);
    assert_eq!(codes(&changes(&before, &after).fixed), ["title_missing"]);
    after.asked[1].audited.as_mut().unwrap().unmeasured = Arc::from([0]);
    assert_eq!(changes(&before, &after), SiteChanges::default());
    assert_eq!(changes(&after, &before), SiteChanges::default());
}

#[test]
fn a_finding_of_the_site_is_compared_where_its_pages_were_read() {
    let unread = |snapshot: &mut Snapshot, why: &str| snapshot.asked[2].unread = Some(why.into());
    let with = || {
        let mut with = snapshot(&["/", "/a", "/b"], &[], &[], &[("duplicate_title", "/a")]);
        with.of_site.values_mut().for_each(|case| case.pages = [1, 2].into());
        with
    };
    let without = || snapshot(&["/", "/a"], &["/b"], &[], &[]);
    assert_eq!(codes(&changes(&with(), &without()).fixed), ["duplicate_title"]);
    let mut silent = without();
    unread(&mut silent, "timeout");
    assert_eq!(changes(&with(), &silent), SiteChanges::default());
    assert_eq!(changes(&silent, &with()), SiteChanges::default());
    // As little as before.
    let mut known_as_silent = with();
    unread(&mut known_as_silent, "timeout");
    assert_eq!(codes(&changes(&known_as_silent, &silent).fixed), ["duplicate_title"]);
    // A limit left the other page out.
    let mut cut = snapshot(&["/", "/a"], &[], &[], &[]);
    assert_eq!(codes(&changes(&with(), &cut).fixed), ["duplicate_title"]);
    cut.complete = false;
    assert_eq!(changes(&with(), &cut), SiteChanges::default());
    assert_eq!(changes(&cut, &with()), SiteChanges::default());
    // Two pages say that a finding is new, however many it is on; all have to say that it is fixed.
    let mut on_three = with();
    on_three.of_site.values_mut().for_each(|case| case.pages = [0, 1, 2].into());
    assert_eq!(codes(&changes(&cut, &on_three).broke), ["duplicate_title"]);
    assert_eq!(changes(&on_three, &cut), SiteChanges::default());
}

#[test]
fn what_both_runs_found_is_still_there() {
    let before = snapshot(&["/", "/a"], &[], &[("title_missing", "/a")], &[("orphan_page", "/a")]);
    let after = snapshot(
        &["/", "/a", "/b"],
        &[],
        &[("title_missing", "/a"), ("title_missing", "/b")],
        &[("orphan_page", "/a"), ("orphan_page", "/b")],
    );
    let both: Vec<_> = after.with(&before).map(|(_, code, url)| (code, url)).collect();
    assert_eq!(both, [("orphan_page", "/a"), ("title_missing", "/a")]);
}

#[test]
fn changes_are_told_once_for_each_code_and_template() {
    let change = |severity, code: &str, url: &str| SiteChange {
        severity,
        code: code.to_owned(),
        url: url.to_owned(),
        title: Phrase::verbatim(code),
    };
    let changes: Vec<SiteChange> = (0..7)
        .map(|n| change(Severity::Warn, "title_missing", &format!("/product/{n}")))
        .chain([change(Severity::Warn, "title_missing", "/about"), change(Severity::Error, "noindex", "/about")])
        .collect();
    let template = |url: &str| url.starts_with("/product/").then_some("/product/…");
    let groups = grouped(changes.iter().map(SiteChange::key), template, 5);
    let told: Vec<_> =
        groups.iter().map(|group| (&*group.code, group.template.as_deref(), group.total, group.urls.len())).collect();
    assert_eq!(
        told,
        [("noindex", None, 1, 1), ("title_missing", None, 1, 1), ("title_missing", Some("/product/…"), 7, 5)]
    );
}

#[test]
fn a_note_that_is_new_makes_no_site_worse() {
    let group = |severity| ChangeGroup { severity, code: "c".to_owned(), template: None, total: 1, urls: Vec::new() };
    for (severities, worse) in [
        (&[][..], false),
        (&[Severity::Info], false),
        (&[Severity::Info, Severity::Warn], true),
        (&[Severity::Error], true),
    ] {
        let broke = severities.iter().map(|severity| group(*severity)).collect();
        assert_eq!(ChangeSummary { broke, ..ChangeSummary::default() }.got_worse(), worse, "{severities:?}");
    }
}
