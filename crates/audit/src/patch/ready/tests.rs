//! The ready changes of some fixes, together.

use super::*;
use crate::checks;
use crate::example::page;
use crate::facts::walk::Page;
use crate::fix::FixDraft;

fn drafted(code: &str, draft: FixDraft) -> Drafted {
    let check = checks::find(code).unwrap();
    Drafted { check, severity: check.severity, draft }
}

/// What fixes of a page come to; `drafts` makes them of its elements by name.
fn ready<R>(source: &str, drafts: impl Fn(&Html) -> Vec<FixDraft>, wanted: impl FnOnce(Ready<'_>) -> R) -> R {
    let capture = page("https://example.com/page", source);
    let html = Page::read(&capture).html.unwrap();
    let codes = ["title_missing", "h1_missing", "html_lang_missing"];
    let items: Vec<Drafted> = codes.into_iter().zip(drafts(&html)).map(|(code, draft)| drafted(code, draft)).collect();
    let items: Vec<&Drafted> = items.iter().collect();
    wanted(Ready::of(Some(PageSource { html: &html, bytes: source.as_bytes() }), &[], &items))
}

/// The first element of a name.
fn named<'h>(html: &'h Html, name: &str) -> crate::facts::document::Element<'h> {
    html.document.elements().find(|element| element.is(name)).unwrap()
}

fn head(key: HeadKey, tag: &str) -> FixDraft {
    FixDraft::head(key, tag)
}

#[test]
fn a_head_gets_one_tag_of_each_key_in_the_order_of_a_head() {
    let drafts = |_: &Html| {
        vec![
            head(HeadKey::Icon, "<link rel=icon href=/a>"),
            head(HeadKey::Title, "<title>a</title>").with_head(HeadKey::Icon, "<link rel=icon href=/b>"),
            head(HeadKey::Title, "<title>c</title>"),
        ]
    };
    let of = |source: &str| ready(source, drafts, |ready| (ready.head(), ready.edits(), ready.splices()));
    let (lines, edits, splices) = of("<head></head><p>a");
    assert_eq!(lines, "<title>a</title>\n<link rel=icon href=/a>");
    assert!(edits.is_empty());
    let shown = |splices: &[Splice<'_>]| -> Vec<(usize, usize, String, String)> {
        let of = |one: &Splice<'_>| (one.span.start, one.span.end, one.text.clone(), one.code.to_owned());
        splices.iter().map(of).collect()
    };
    assert_eq!(shown(&splices), [(6, 6, format!("\n{lines}"), "title_missing".to_owned())]);
    // Where a page has no head tag it gets one: behind the html tag, the doctype, or at the start.
    for (source, at) in [("<html><p>a", 6), ("<!doctype html><p>a", 15), ("<p>a", 0)] {
        let (_, edits, splices) = of(source);
        assert_eq!(shown(&splices), [(at, at, format!("<head>\n{lines}"), "title_missing".to_owned())], "{source}");
        assert_eq!(edits.len(), 1, "{source}");
        let anchor = &source[at..];
        assert_eq!((edits[0].offset, edits[0].original.as_str()), (at, anchor), "{source}");
        assert_eq!(edits[0].snippet, format!("<head>{anchor}"), "{source}");
    }
}

#[test]
fn what_is_not_ready_changes_nothing() {
    let drafts = |html: &Html| {
        let edit = FixDraft::edit(FixTarget::Body, "").set(named(html, "p"), "id", "x");
        let open = |draft: FixDraft| FixDraft { class: FixClass::Template, ..draft };
        vec![open(head(HeadKey::Title, "<title>a</title>")), open(edit)]
    };
    let shown = ready("<head></head><p>a", drafts, |ready| (ready.head(), ready.edits().len(), ready.splices().len()));
    assert_eq!(shown, (String::new(), 0, 0));
}

#[test]
fn a_tag_that_moves_into_the_head_takes_the_changes_of_other_fixes_along() {
    const SOURCE: &str = "<head></head><body><base href=/b><meta name=a content=b><p>a";
    let drafts = |html: &Html| {
        let (meta, base) = (named(html, "meta"), named(html, "base"));
        vec![
            head(HeadKey::Name("a".to_owned()), "<meta name=a content=b>").remove(meta),
            head(HeadKey::Base, "<base href=/b>").remove(base),
            FixDraft::edit(FixTarget::Head, "").set(meta, "content", "c"),
        ]
    };
    ready(SOURCE, drafts, |ready| {
        assert_eq!(ready.head(), "<base href=/b>\n<meta name=a content=\"c\">");
        let edits = ready.edits();
        assert!(edits.iter().all(|edit| edit.snippet.is_empty()), "{edits:?}");
        let gone: String = edits.into_iter().map(|edit| edit.original).collect();
        assert_eq!(gone, "<base href=/b><meta name=a content=b>");
    });
}

#[test]
fn changes_of_one_file_are_one_file() {
    let own = [("/other.txt", "x\n".to_owned()), ("/robots.txt", "a\nb\n".to_owned())];
    let append = |path: &str, text: &str| {
        FixDraft::instruction(FixTarget::File, model::lang::text("a", "b"), &[])
            .with_file_change(path, FileChange::Append(text.to_owned()))
    };
    let ready = |draft: FixDraft| FixDraft { class: FixClass::Deterministic, ..draft };
    let items = [
        drafted("title_missing", ready(append("/robots.txt", "c"))),
        drafted("h1_missing", ready(append("/new.txt", "n"))),
        drafted("html_lang_missing", ready(append("/robots.txt", "d"))),
        drafted("viewport_missing", append("/robots.txt", "e")),
    ];
    let items: Vec<&Drafted> = items.iter().collect();
    let files = Ready::of(None, &own, &items).files;
    let shown: Vec<(&str, &str, &str)> =
        files.iter().map(|file| (file.code.as_str(), file.path.as_str(), file.content.trim_end())).collect();
    assert_eq!(shown, [("title_missing", "/robots.txt", "a\nb\nc\nd"), ("h1_missing", "/new.txt", "n")]);
}
