use model::capture::Capture;

use super::*;
use crate::checks;
use crate::example::page;
use crate::facts::Facts;
use crate::facts::site_files::SiteFiles;
use crate::facts::walk::Page;
use crate::fix::HeadKey;
use crate::judge::{self, CheckOutcome};

const SOURCE: &str = "<!doctype html><html><head><meta charset=utf-8></head><body><h1>Bread and butter</h1>\
    <p>How bread is baked at home, without haste.</p><a href=/rye>Rye</a></body></html>";
const TITLE: &str = "<title>Bread and butter for every day</title>";
const VIEWPORT: &str = "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";
const NOINDEX: &str = "<meta name=\"robots\" content=\"noindex\">";

/// Runs something on the audit of [`SOURCE`].
fn audited<R>(run: impl FnOnce(&AuditedPage<'_, '_>) -> R) -> R {
    let capture: Capture = page("https://example.com/page", SOURCE);
    let page = Page::read(&capture);
    let files = SiteFiles::read(&capture, &page);
    let facts = Facts::new(&capture, &page, &files);
    let (mut outcomes, mut found) = (Vec::new(), Vec::new());
    for check in checks::all() {
        let verdict = judge::run(check, &facts);
        outcomes.push(CheckOutcome::of(&verdict));
        found.extend(verdict.ok().flatten().map(|problem| (check, problem.severity(check))));
    }
    run(&AuditedPage { facts: &facts, page: &page, files: &files, outcomes: &outcomes, found: &found })
}

fn drafted(code: &str, draft: FixDraft) -> Drafted {
    let check = checks::find(code).unwrap();
    Drafted { check, severity: check.severity, draft }
}

/// Ready fixes that hold: of title, language and description.
fn good(audited: &AuditedPage<'_, '_>) -> Vec<Drafted> {
    let root = audited.page.html.as_ref().unwrap().document.html().unwrap();
    let description = "<meta name=\"description\" content=\"How bread is baked at home, without haste: flour, water, \
                       salt and a long night of rest before the oven.\">";
    vec![
        drafted("title_missing", FixDraft::head(HeadKey::Title, TITLE)),
        drafted("html_lang_missing", FixDraft::edit(model::fix::FixTarget::Head, "").set(root, "lang", "en")),
        drafted("meta_description_missing", FixDraft::head(HeadKey::Name("description".to_owned()), description)),
    ]
}

fn viewport() -> Drafted {
    drafted("viewport_missing", FixDraft::head(HeadKey::Viewport, VIEWPORT))
}

/// A fix that makes its finding go away, and another come.
fn harmful() -> Drafted {
    let draft = viewport().draft.with_head(HeadKey::Name("robots".to_owned()), NOINDEX);
    drafted("viewport_missing", draft)
}

/// A fix that changes something else.
fn useless() -> Drafted {
    drafted("viewport_missing", FixDraft::head(HeadKey::Name("author".to_owned()), "<meta name=author content=x>"))
}

/// Code, reason and detail of what does not hold.
fn demoted(items: Vec<Drafted>, audited: &AuditedPage<'_, '_>) -> Vec<(String, Unproven, Vec<String>)> {
    let all = items.len();
    let Proven { drafted: after, demoted, .. } = proven(audited, &[], items);
    assert_eq!(after.len(), all);
    for item in &after {
        let is_demoted = demoted.iter().any(|one| one.code == item.check.code);
        assert_eq!(item.draft.class == FixClass::Instruction, is_demoted, "{}", item.check.code);
        assert_eq!(item.draft.edits.is_empty() && item.draft.head_tags.is_empty(), is_demoted, "{}", item.check.code);
    }
    demoted.into_iter().map(|one| (one.code, one.reason, one.detail)).collect()
}

#[test]
fn fixes_that_hold_stay_ready() {
    audited(|audited| {
        let mut items = good(audited);
        items.push(viewport());
        assert_eq!(demoted(items, audited), []);
        assert_eq!(demoted(Vec::new(), audited), []);
    });
}

#[test]
fn a_fix_that_causes_a_finding_is_found_among_the_others_wherever_it_stands() {
    let wanted = [("viewport_missing".to_owned(), Unproven::CausesFinding, vec!["noindex_meta".to_owned()])];
    audited(|audited| {
        for at in 0..=3 {
            let mut items = good(audited);
            items.insert(at, harmful());
            assert_eq!(demoted(items, audited), wanted, "at {at}");
        }
        assert_eq!(demoted(vec![harmful()], audited), wanted);
    });
}

#[test]
fn a_fix_that_leaves_its_finding_is_taken_out() {
    let wanted = [("viewport_missing".to_owned(), Unproven::Stays, Vec::new())];
    audited(|audited| {
        for at in 0..=3 {
            let mut items = good(audited);
            items.insert(at, useless());
            assert_eq!(demoted(items, audited), wanted, "at {at}");
        }
    });
}

#[test]
fn several_that_do_not_hold_are_each_taken_out() {
    audited(|audited| {
        let mut items = good(audited);
        let og = FixDraft::head(HeadKey::Name("x".to_owned()), "<meta name=x content=y>");
        items.insert(1, harmful());
        items.push(drafted("og_title_missing", og));
        let reasons: Vec<_> = demoted(items, audited).into_iter().map(|(code, reason, _)| (code, reason)).collect();
        let wanted = [
            ("viewport_missing".to_owned(), Unproven::CausesFinding),
            ("og_title_missing".to_owned(), Unproven::Stays),
        ];
        assert_eq!(reasons, wanted);
    });
}

#[test]
fn a_fix_that_holds_only_by_a_related_one_is_taken_out() {
    audited(|audited| {
        // The title comes with the description's fix.
        let mut items = good(audited);
        let nothing = FixDraft::head(HeadKey::Name("author".to_owned()), "<meta name=author content=x>");
        items[0].draft = nothing;
        items[2].draft = std::mem::replace(&mut items[2].draft, FixDraft::head(HeadKey::Title, TITLE))
            .with_head(HeadKey::Title, TITLE);
        assert_eq!(
            demoted(items, audited),
            [("title_missing".to_owned(), Unproven::Stays, vec!["title_missing".to_owned()])]
        );
    });
}

#[test]
fn what_is_no_ready_change_is_left_as_it_is() {
    audited(|audited| {
        let template =
            || drafted("title_missing", FixDraft::template(model::fix::FixTarget::Head, "<title>{{X}}</title>"));
        let Proven { drafted: after, demoted: none, .. } = proven(audited, &[], vec![template(), viewport()]);
        assert!(none.is_empty());
        assert_eq!(after[0].draft.class, FixClass::Template);
        let Proven { drafted: after, demoted, .. } = proven(audited, &[], vec![template(), useless()]);
        assert_eq!((demoted.len(), after[0].draft.class), (1, FixClass::Template));
        let Proven { drafted: after, demoted: none, .. } = proven(audited, &[], vec![template()]);
        assert_eq!((after.len(), none.len()), (1, 0));
    });
}

#[test]
fn what_the_budget_does_not_cover_is_not_offered() {
    audited(|audited| {
        let items = good(audited);
        let proof = || Proof::new(audited, &[], items.iter().collect());
        let cost = proof().cost;
        assert!(cost > 0);
        let reasons = |left: usize| {
            let (failures, _) = Proof { left, ..proof() }.run();
            failures.into_iter().map(|(_, failure)| failure.reason).collect::<Vec<_>>()
        };
        assert_eq!(reasons(0), [Unproven::TooLarge; 3]);
        assert_eq!(reasons(cost - 1), [Unproven::TooLarge; 3]);
        // The whole patch, then the two that are related, each without the other.
        assert_eq!(reasons(10 * cost), []);
        assert!(!reasons(cost).is_empty());
    });
}
