//! What is taken over of a page that changed is what a whole reading says.

use model::capture::Fetched;

use super::*;
use crate::example::page;
use crate::facts::document::TextSplice;
use crate::facts::walk::Page;
use crate::patch::spliced_text;

const PAGE: &str = "<!doctype html><html lang=en><head><title>T</title></head><body>\
    <header><a href=/a id=x><img src=a.png></a></header><p itemscope itemtype=https://schema.org/Thing>b<i lang=pt>c</i>\
    <meta itemprop=name content=d><link itemprop=url href=/e></p><input type=password>\
    <script type=application/ld+json>{\"@type\":\"Thing\"}</script></body></html>";
const TITLE: &str = "<title>T</title>";
const IMAGE: &str = "<img src=a.png>";
const ITEM: &str = "<p itemscope itemtype=https://schema.org/Thing>";

/// Reads the page again after changes of texts found in it; each such reading compares itself with the long way.
fn again(replaced: &[(&str, &str)]) -> (Html, Option<Kept>) {
    let (_, html, kept) = again_of(PAGE, replaced);
    (html, kept)
}

/// A page, and how it is read again.
fn again_of(source: &str, replaced: &[(&str, &str)]) -> (Html, Html, Option<Kept>) {
    let capture = page("https://example.com/page", source);
    let before = Page::read(&capture).html.unwrap();
    before.content();
    before.document.elements().for_each(|element| assert!(element.nearest_lang().is_none() || element.is("i")));
    before.document.by_id("x").unwrap();
    let changes: Vec<TextSplice<'_>> = replaced
        .iter()
        .map(|(old, new)| {
            let start = source.find(old).unwrap();
            (start..start + old.len(), *new)
        })
        .collect();
    let Fetched::Response(mut exchange) = capture.page else { panic!("no answer") };
    exchange.body.bytes = spliced_text(source, &changes).unwrap().into();
    let (html, kept) = Html::read_again(&exchange, &before, &changes).unwrap();
    (before, html, kept)
}

#[test]
fn what_a_page_says_is_the_same_however_it_is_read() {
    for (replaced, is_kept) in [
        (&[(TITLE, "<title>Other</title><meta name=description content=d>")][..], true),
        (&[(TITLE, "<base href=/b/><title>T</title>")], true),
        (&[(TITLE, "<title id=x>T</title>")], true),
        (&[("<html lang=en>", "<html lang=en hidden>")], true),
        (&[(IMAGE, "<img src=a.png alt=a>")], true),
        (&[(IMAGE, "<img src=a.png alt=a class=b>")], true),
        (&[("<a href=/a id=x>", "<a href=/b rel=nofollow id=x>")], true),
        (&[("<a href=/a id=x>", "<a id=x>"), (IMAGE, "<img src=a.png alt=a>")], true),
        (&[("<header>", "<header><script src=/s.js></script>")], false),
        (&[(TITLE, "<link rel=icon href=/i>"), (IMAGE, "<img src=b.png loading=lazy>")], true),
        (&[("\"@type\"", "\"name\":\"b\",\"@type\"")], true),
        (&[("\"Thing\"", "\"navigator.credentials\"")], true),
        (&[("<p ", "<h1>H</h1><p ")], false),
        (&[(TITLE, "<p>")], false),
    ] {
        let (html, kept) = again(replaced);
        assert_eq!(kept.is_some(), is_kept, "{replaced:?}");
        let named = html.anchors.iter().map(|anchor| anchor.named).collect::<Vec<bool>>();
        let is_link = replaced.iter().all(|(_, new)| !new.starts_with("<a id"));
        let is_named = replaced.iter().any(|(_, new)| new.contains("alt=a"));
        assert_eq!(named, [is_named][..usize::from(is_link)], "{replaced:?}");
    }
}

#[test]
fn who_asks_for_a_passkey_is_known_though_one_who_did_is_gone() {
    const FIELD: &str = "<input autocomplete=webauthn>";
    const SCRIPT: &str = "<script>navigator.credentials</script>";
    let asks = |head: &str, body: &str, new: &str| {
        let source = format!("<head>{head}{TITLE}</head><body><i id=x>a</i>{body}</body>");
        let (before, html, kept) = again_of(&source, &[(head, new)]);
        assert!(before.asks_passkey && kept.is_some_and(|kept| can_be_taken_over(&html.document, &before, &kept)));
        html.asks_passkey
    };
    assert!(!asks(SCRIPT, "", "<meta name=a>"));
    assert!(asks(SCRIPT, FIELD, "<meta name=a>"));
    assert!(asks(SCRIPT, SCRIPT, "<meta name=a>"));
    assert!(asks("<meta name=a>", FIELD, ""));
    assert!(asks("<meta name=a>", &format!("{FIELD}<script src=/s.js></script>"), SCRIPT));
}

#[test]
fn a_link_may_be_named_by_what_changed_elsewhere() {
    let named = |link: &str, new: &str| {
        let source = format!("<head>{TITLE}</head><body><b id=x>a</b><div id=y>{IMAGE}</div><p>{link}</p></body>");
        let (_, html, kept) = again_of(&source, &[(IMAGE, new)]);
        assert_eq!(kept.map(|kept| kept.rewritten().len()), Some(1));
        html.anchors.iter().map(|anchor| anchor.named).collect::<Vec<bool>>()
    };
    const ALT: &str = "<img src=a.png alt=a>";
    assert_eq!(named("<a href=/a aria-labelledby=y></a><a href=/b></a>", ALT), [true, false]);
    assert_eq!(named("<a href=/a><i aria-labelledby=y></i></a>", ALT), [true]);
    assert_eq!(named("<a href=/a><svg aria-labelledby=y></svg></a>", ALT), [true]);
    assert_eq!(named("<a href=/a aria-labelledby=z></a>", ALT), [false]);
    assert_eq!(named("<a href=/a aria-labelledby=y></a>", "<img src=b.png>"), [false]);
}

#[test]
fn what_properties_say_is_settled_anew() {
    let source = format!("<head>{TITLE}</head><body><i id=x></i><div itemprop=a><p>b</p></div></body>");
    let (before, html, kept) = again_of(&source, &[("<div itemprop=a>", "<div itemprop=articleBody>")]);
    assert!(kept.is_some() && before.content().is_none());
    assert_eq!(html.content().map(Element::name), Some("div"));
}

#[test]
fn what_stands_around_is_taken_over() {
    let (html, _) = again(&[("<title>T</title>", "<title>Other</title><meta name=a>")]);
    let italic = html.document.elements().find(|element| element.is("i")).unwrap();
    assert_eq!(italic.nearest_lang(), Some("pt"));
    assert!(html.document.head().unwrap().children().all(Element::is_in_head));
    assert_eq!(html.document.by_id("x").map(Element::name), Some("a"));
}

#[test]
fn facts_are_taken_over_where_only_local_attributes_changed() {
    let check = |source: &str, replaced: &[(&str, &str)], wanted: bool| {
        let (before, html, kept) = again_of(source, replaced);
        let kept = kept.unwrap_or_else(|| panic!("{replaced:?} leaves nothing"));
        assert_eq!(can_be_taken_over(&html.document, &before, &kept), wanted, "{replaced:?}");
    };
    check(PAGE, &[(TITLE, "<title>Other</title>")], true);
    check(PAGE, &[(IMAGE, "<img src=b.png alt=a>")], true);
    check(PAGE, &[(IMAGE, "<img alt=a>")], true);
    check(PAGE, &[("\"Thing\"", "\"Person\"")], true);
    check(PAGE, &[("\"Thing\"", "\"navigator.credentials\"")], false);
    check(&PAGE.replace("</body>", "<script>first()</script></body>"), &[("first()", "second()")], false);
    check(&PAGE.replace(IMAGE, "<img itemprop=a>"), &[("<img itemprop=a>", "<img itemprop=b>")], true);
    check(&PAGE.replace(IMAGE, "<object data=/a>"), &[("<object data=/a>", "<object data=/b>")], true);
    // All is hidden now, or was.
    const HIDDEN: &str = "<html lang=en hidden>";
    check(PAGE, &[("<html lang=en>", HIDDEN)], false);
    const UNSEEN: &str = "<html lang=en style='display: none'>";
    let unseen = PAGE.replace("<html lang=en>", UNSEEN);
    check(&unseen, &[(UNSEEN, "<html lang=en style='color: red'>")], false);
    // An attribute that came, went or changed, of which others know.
    check(PAGE, &[(IMAGE, "<img src=a.png class=b>")], false);
    check(
        PAGE,
        &[(IMAGE, "<img src=a.png alt=a>"), (ITEM, "<p class=b itemscope itemtype=https://schema.org/Thing>")],
        false,
    );
    check(&PAGE.replace("src=a.png", "id=i src=a.png"), &[("<img id=i src=a.png>", IMAGE)], false);
    check(&PAGE.replace("src=a.png", "id=i src=a.png"), &[("<img id=i src=a.png>", "<img id=j src=a.png>")], false);
    let script = PAGE.replace("</header>", "<script src=/s.js></script></header>");
    check(&script, &[("<script src=/s.js>", "<script src=/s.js async>")], true);
    check(&script, &[("<script src=/s.js>", "<script src=/t.js>")], true);
    // One without an address is looked through.
    check(&script, &[("<script src=/s.js>", "<script>")], false);
    check(&script, &[("<a href=/a id=x>", "<a href=/b rel=nofollow id=x>")], true);
    check(&script, &[("<a href=/a id=x>", "<a id=x>")], false);
    check(&PAGE.replace("href=/a ", ""), &[("<a id=x>", "<a href=/a id=x>")], false);
    let base = PAGE.replace("</header>", "<base href=/b></header>");
    check(&base, &[("<base href=/b>", "<base href=/c>")], false);
}

#[test]
fn items_are_taken_over_where_nothing_changed_around_them() {
    let check = |source: &str, replaced: &[(&str, &str)], wanted: bool| {
        let (before, html, kept) = again_of(source, replaced);
        let items = before.items_kept(&html.document, &kept.unwrap());
        assert_eq!(items.is_some(), wanted, "{replaced:?}");
        if let Some(items) = items {
            assert_eq!(items, html.items);
            assert_eq!(items.len(), 1);
        }
    };
    check(PAGE, &[(TITLE, "<title>Other</title><meta name=a>")], true);
    check(PAGE, &[(IMAGE, "<img src=a.png alt=a>")], false);
    check(PAGE, &[("<html lang=en>", "<html lang=pt>")], false);
    check(PAGE, &[(TITLE, "<meta id=x name=a>")], true);
    for front in ["<meta itemscope>", "<meta typeof=a>"] {
        check(PAGE, &[(TITLE, front)], false);
    }
    check(&PAGE.replace("<p ", "<p itemref=x "), &[(TITLE, "<meta id=x name=a>")], false);
    // An item of the front, and one whose part stands there.
    for (front, now) in [("<meta itemscope name=a>", "<meta name=a>"), ("<meta typeof=a>", "<meta name=a>")] {
        check(&PAGE.replace(TITLE, front), &[(front, now)], false);
    }
    let listed = PAGE.replace(TITLE, "<meta name=a id=r itemprop=b content=c>").replace("<p ", "<p itemref=r ");
    check(&listed, &[("<meta name=a id=r itemprop=b content=c>", "<meta name=a>")], false);
}

#[test]
fn a_reading_that_differs_is_noticed() {
    let read = |source: &str| Page::read(&page("https://example.com/page", source)).html.unwrap();
    let whole = read(PAGE);
    let is_same =
        |other: Html| std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| compare(&other, &whole))).is_ok();
    assert!(is_same(read(PAGE)));
    assert!(!is_same(read(&PAGE.replace("src=a.png", "src=b.png"))));
    let mut without = read(PAGE);
    without.images.clear();
    assert!(!is_same(without));
}
