use model::capture::Capture;

use super::*;
use crate::checks;
use crate::example::{page, with_headers};
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
    audit_of(&page("https://example.com/page", SOURCE), run)
}

/// Runs something on an audit.
pub(super) fn audit_of<R>(capture: &Capture, run: impl FnOnce(&AuditedPage<'_, '_>) -> R) -> R {
    let page = Page::read(capture);
    let files = SiteFiles::read(capture, &page);
    let facts = Facts::new(capture, &page, &files);
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
        // The whole patch, then the three, which are related, each without the others.
        assert_eq!(reasons(4 * cost), []);
        assert!(!reasons(3 * cost).is_empty());
    });
}

/// The trials that fixes of a page take: with memory for one less, one of them fails.
fn trials(source: &str, items: impl Fn(&AuditedPage<'_, '_>) -> Vec<Drafted>) -> usize {
    audit_of(&page("https://example.com/page", source), |audited| {
        let items = items(audited);
        let hold = |trials: usize| {
            let proof = Proof::new(audited, &[], items.iter().collect());
            let left = trials * proof.cost;
            Proof { left, ..proof }.run().0.is_empty()
        };
        (1..20).find(|trials| hold(*trials)).unwrap()
    })
}

/// A tag that says something to robots, and hides nothing.
fn with_snippets(draft: FixDraft) -> FixDraft {
    draft.with_head(HeadKey::Name("robots".to_owned()), "<meta name=\"robots\" content=\"max-snippet:-1\">")
}

fn element<'a>(audited: &AuditedPage<'a, '_>, name: &str) -> crate::facts::document::Element<'a> {
    audited.page.html.as_ref().unwrap().document.elements().find(|element| element.is(name)).unwrap()
}

#[test]
fn a_fix_is_tried_apart_only_from_those_that_could_hide_what_it_does() {
    assert_eq!(trials(SOURCE, |_| vec![viewport()]), 1);
    assert_eq!(trials(SOURCE, |audited| vec![viewport(), good(audited).remove(1)]), 1);
    // A fix of robots directives that hides nothing is related to neither.
    let snippets = || drafted("viewport_missing", with_snippets(viewport().draft));
    assert_eq!(trials(SOURCE, |audited| vec![snippets(), good(audited).remove(1)]), 1);
    // Title, language and description are related.
    assert_eq!(trials(SOURCE, good), 4);
    // What shows the page in search is related to everything.
    let hidden = SOURCE.replace("</head>", "<meta name=robots content=noindex></head>");
    let shown = |audited: &AuditedPage<'_, '_>| {
        let robots = audited.page.html.as_ref().unwrap().metas_named("robots").next().unwrap().node;
        let robots = audited.page.html.as_ref().unwrap().element(robots).unwrap();
        let draft = FixDraft::edit(model::fix::FixTarget::Head, "").set(robots, "content", "index");
        vec![drafted("noindex_meta", draft), viewport()]
    };
    assert_eq!(trials(&hidden, shown), 3);
}

#[test]
fn what_is_found_afterwards_is_what_the_fixes_that_hold_leave() {
    audited(|audited| {
        let after = |items: Vec<Drafted>| {
            let found = proven(audited, &[], items).after.unwrap();
            found.iter().any(|(check, _)| check.code == "html_lang_missing")
        };
        assert!(!after(good(audited)));
        // The language comes with a fix that holds only by the description's.
        let [_, lang, description] = <[Drafted; 3]>::try_from(good(audited)).unwrap_or_else(|_| panic!());
        let both = FixDraft::head(HeadKey::Title, TITLE).and(description.draft);
        let items = vec![drafted("title_missing", lang.draft), drafted("meta_description_missing", both)];
        assert!(after(items));
    });
}

#[test]
fn a_fix_alone_is_judged_by_what_the_others_touch() {
    let source = SOURCE
        .replace("Bread and butter", "Lorem ipsum dolor sit amet")
        .replace("</body>", "<img src=/a.png alt='A loaf of rye bread' width=5 height=5></body>");
    audit_of(&page("https://example.com/page", source), |audited| {
        let image = FixDraft::edit(model::fix::FixTarget::Image, "").set(element(audited, "img"), "decoding", "async");
        let mut description = good(audited).remove(2);
        description.draft = description.draft.content(element(audited, "h1"), "Bread and butter");
        // The heading is what the placeholder's own fix should have changed.
        let stays = ("placeholder_text".to_owned(), Unproven::Stays, vec!["placeholder_text".to_owned()]);
        assert_eq!(demoted(vec![drafted("placeholder_text", image), description], audited), [stays]);
    });
}

#[test]
fn what_a_fix_uncovers_is_no_harm_with_any_other() {
    const DATA: &str = "{\"@context\":\"https://schema.org\",\"@type\":\"Prodct\",\"name\":\"Bread\"}";
    let script = format!("<script type=\"application/ld+json\">{DATA}</script></body>");
    let source = SOURCE.replace("</body>", &script);
    let at = source.find("Prodct").unwrap();
    audit_of(&page("https://example.com/page", source.as_str()), |audited| {
        let named = FixDraft::edit(model::fix::FixTarget::Body, "").replace(at..at + 6, "Product");
        let items =
            vec![drafted("jsonld_type_unknown", named), drafted("viewport_missing", with_snippets(viewport().draft))];
        let Proven { demoted, after, .. } = proven(audited, &[], items);
        assert_eq!(demoted, []);
        let is_known = |code: &str| audited.found.iter().any(|(check, _)| check.code == code);
        let shown: Vec<&str> =
            after.unwrap().iter().map(|(check, _)| check.code).filter(|code| !is_known(code)).collect();
        assert_eq!(shown, ["jsonld_required_missing"]);
    });
}

#[test]
fn a_fix_leaves_the_encoding_as_it_is() {
    const CHARSET: &str = "<meta charset=\"utf-8\">";
    const URL: &str = "https://example.com/page";
    let without = |header: &str, source: &str| {
        with_headers(URL, &[("content-type", header)], source.replace("<meta charset=utf-8>", ""))
    };
    // It is not the fix's to change.
    let other = || {
        drafted(
            "viewport_missing",
            viewport().draft.with_head(HeadKey::Name("x".to_owned()), "<meta charset=windows-1251>"),
        )
    };
    let reasons = |capture: &Capture, item: &dyn Fn(&AuditedPage<'_, '_>) -> Drafted| {
        audit_of(capture, |audited| {
            let all = demoted(vec![item(audited)], audited);
            all.into_iter().map(|(_, reason, _)| reason).collect::<Vec<_>>()
        })
    };
    assert_eq!(reasons(&without("text/html", SOURCE), &|_| other()), [Unproven::ChangesText]);
    // A page that is misread: the fix of its encoding may change what else it likes, as long as all else is as it was.
    let misread =
        without("text/html", &SOURCE.replace("Bread and butter", "P\u{e3}o e manteiga").replace("Rye", "P\u{e3}es"));
    let charset = |more: fn(FixDraft, &AuditedPage<'_, '_>) -> FixDraft| {
        move |audited: &AuditedPage<'_, '_>| {
            drafted("charset_missing", more(FixDraft::head(HeadKey::Charset, CHARSET), audited))
        }
    };
    assert_eq!(reasons(&misread, &charset(|draft, _| draft)), []);
    let classes = |draft: FixDraft, audited: &AuditedPage<'_, '_>| {
        let [p, a] = ["p", "a"].map(|name| element(audited, name));
        draft.set(p, "class", "b").set(a, "class", "c")
    };
    assert_eq!(reasons(&misread, &charset(classes)), []);
    let around = |draft: FixDraft, audited: &AuditedPage<'_, '_>| draft.before(element(audited, "p"), "<b>");
    assert_eq!(reasons(&misread, &charset(around)), [Unproven::ChangesText]);
    // Letters that are none in the encoding to come.
    let latin = with_headers(
        URL,
        &[("content-type", "text/html")],
        [SOURCE.replace("<meta charset=utf-8>", "").as_bytes(), b"\xe3o"].concat(),
    );
    assert_eq!(reasons(&latin, &charset(|draft, _| draft)), [Unproven::ChangesText]);
    // The declaration is pushed out of the bytes in which it is looked for.
    let far = |audited: &AuditedPage<'_, '_>| {
        let filler = format!("<!--{}-->", "x".repeat(1100));
        drafted(
            "title_missing",
            FixDraft::edit(model::fix::FixTarget::Head, "").before(element(audited, "meta"), filler),
        )
    };
    assert_eq!(reasons(&page(URL, SOURCE), &far), [Unproven::MovesCharset]);
}

#[test]
fn a_fix_moves_no_other_fact_and_doubles_no_tag() {
    let of = |head: &str, key: &str, tag: &str| {
        let source = SOURCE.replace("</head>", &format!("{head}</head>"));
        let item = || drafted("viewport_missing", viewport().draft.with_head(HeadKey::Name(key.to_owned()), tag));
        audit_of(&page("https://example.com/page", source), |audited| demoted(vec![item()], audited))
    };
    let one = |reason: Unproven, detail: &str| vec![("viewport_missing".to_owned(), reason, vec![detail.to_owned()])];
    let card = "<meta name=\"twitter:card\" content=\"summary\">";
    assert_eq!(of(card, "x", card), one(Unproven::DoublesTag, "twitter:card"));
    assert_eq!(of("", "twitter:card", card), []);
    let icon = |name: &str| format!("<link rel=\"icon\" href=\"/{name}.png\">");
    assert_eq!(of(&icon("a"), "x", &icon("b")), one(Unproven::MovesFact, "Icons"));
}

#[test]
fn what_is_not_tried_is_no_ready_change() {
    let template = drafted("title_missing", FixDraft::template(model::fix::FixTarget::Head, "<title>{{X}}</title>"));
    let Proven { drafted: after, demoted, after: found } = untried(vec![template, viewport()]);
    let demoted: Vec<(&str, Unproven)> = demoted.iter().map(|one| (one.code.as_str(), one.reason)).collect();
    assert_eq!(demoted, [("viewport_missing", Unproven::NotTried)]);
    assert_eq!([after[0].draft.class, after[1].draft.class], [FixClass::Template, FixClass::Instruction]);
    assert!(found.is_none());
}

#[test]
fn what_is_written_into_the_head_may_come_with_other_attributes_of_the_body() {
    let source = SOURCE
        .replace("</head>", "<title>Bread</title></head>")
        .replace("</body>", "<img src=/a.png alt='A loaf of rye bread' width=5 height=5></body>");
    audit_of(&page("https://example.com/page", source), |audited| {
        let draft = viewport().draft.content(element(audited, "title"), "Bread and butter for every day");
        let draft = draft.set(element(audited, "img"), "decoding", "async");
        assert_eq!(demoted(vec![drafted("viewport_missing", draft)], audited), []);
    });
}
