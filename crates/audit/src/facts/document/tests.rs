//! What a document promises.

use super::*;

fn parse(source: &str) -> Document {
    Document::parse(source.to_owned())
}

fn first<'d>(document: &'d Document, name: &str) -> Element<'d> {
    document.elements().find(|element| element.is(name)).unwrap()
}

#[test]
fn start_and_end_tags_are_found_in_the_source() {
    let document = parse("<!doctype html><title>a &amp; b < c</title><p class=x>one<b>two</p>three<img src=a>");
    for (name, start, end) in
        [("title", "<title>", Some("</title>")), ("p", "<p class=x>", Some("</p>")), ("img", "<img src=a>", None)]
    {
        let element = first(&document, name);
        assert_eq!(document.source().get(element.start_tag().unwrap()), Some(start));
        assert_eq!(element.end_tag().and_then(|span| document.source().get(span)), end);
    }
    assert_eq!(document.source().get(document.doctype.clone().unwrap()), Some("<!doctype html>"));
    assert_eq!(first(&document, "html").start_tag(), None);
    let bolds: Vec<bool> =
        document.elements().filter(|element| element.is("b")).map(|element| element.start_tag().is_some()).collect();
    assert_eq!(bolds, [true, false], "the clone after </p> has no place of its own");
}

#[test]
fn text_around_odd_characters_moves_no_tag() {
    for source in
        ["a < <i>x", "a<<i>x", "a&amp<i>x", "a&#x<i>x", "a\r\n<i>x", "a\0<i>x", "é\u{feff}<i>x", "<!-- - --><i>x"]
    {
        let document = parse(source);
        assert_eq!(first(&document, "i").start_tag_source(), Some("<i>"), "{source:?}");
    }
}

#[test]
fn long_texts_and_values_move_no_tag() {
    let source = format!("<p>{}<a href=\"{}\">x</a>", "y".repeat(4090), "z".repeat(9000));
    let document = parse(&source);
    assert!(first(&document, "a").start_tag_source().unwrap().starts_with("<a href="));
    assert_eq!(first(&document, "a").attribute("href").map(str::len), Some(9000));
}

#[test]
fn titles_in_svg_are_not_titles() {
    let document = parse("<svg><title>no</title></svg>");
    assert!(!document.elements().any(|element| element.is("title")));
}

#[test]
fn template_contents_and_noscript_stay_out() {
    let document = parse("<template><h1>a</h1></template><noscript><h1>b</h1></noscript><h1>c</h1>");
    let headings: Vec<String> = document.elements().filter(|e| e.is("h1")).map(Element::text).collect();
    assert_eq!(headings, ["c"]);
}

#[test]
fn depth_attributes_and_work_are_bounded() {
    let deep = parse(&"<div>".repeat(100_000));
    assert_eq!(deep.too_complex, Some(Complexity::Depth));
    let wide = parse(&format!("<p {}>after", (0..100_000).map(|n| format!("a{n} ")).collect::<String>()));
    assert_eq!(wide.too_complex, Some(Complexity::Attributes));
    assert_eq!(first(&wide, "p").attributes().count(), usize::from(Limits::default().attributes));
    assert_eq!(first(&wide, "p").text(), "after");
    let unclosed = parse(&format!("<i>x</i><p {}", (0..100_000).map(|n| format!("a{n} ")).collect::<String>()));
    assert_eq!(first(&unclosed, "i").text(), "x");
    let clones = parse(&(0..20_000).map(|n| format!("<b x{n}><p>")).collect::<String>());
    assert!(clones.too_complex.is_some());
    let quoted = parse(&format!("<p {}>after", (0..5_000).map(|n| format!("a{n}=\"> {n}\" ")).collect::<String>()));
    assert_eq!(first(&quoted, "p").text(), "after");
    let honest = parse(&"<p>a<p>b".repeat(50_000));
    assert_eq!(honest.too_complex, None);
}

#[test]
fn selectors_lead_from_the_nearest_id() {
    let document = parse("<div id=main><p>a<p>b<span>c</span></div>");
    assert_eq!(first(&document, "span").selector(), "div#main > p:nth-of-type(2) > span");
}

#[test]
fn white_space_is_collapsed_across_elements() {
    let document = parse("<h1>  a\n<b> b </b>\u{a0} c</h1>");
    assert_eq!(first(&document, "h1").text(), "a b c");
    assert_eq!(collapse(" x  y "), "x y");
}

#[test]
fn head_and_body_are_found_in_an_indented_document() {
    let document =
        parse("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>a</title>\n</head>\n<body><p>b</body>\n</html>\n");
    assert_eq!(document.head().unwrap().children().map(Element::name).collect::<Vec<_>>(), ["title"]);
    assert_eq!(document.body().unwrap().text(), "b");
    assert_eq!(document.html().unwrap().children().map(Element::name).collect::<Vec<_>>(), ["head", "body"]);
}

#[test]
fn an_element_around_a_template_keeps_its_end_tag() {
    let document = parse("<div><template><p>x</p></template>y</div>");
    for (name, source) in [("div", document.source()), ("template", "<template><p>x</p></template>")] {
        let span = first(&document, name).source_span().unwrap();
        assert_eq!(document.source().get(span), Some(source));
    }
}

#[test]
fn a_byte_order_mark_amid_text_or_after_decoding_stays() {
    let source = format!("<p>{}\u{feff}b", "y".repeat(4093));
    assert!(first(&parse(&source), "p").raw_text().ends_with("y\u{feff}b"));
    assert_eq!(parse("\u{feff}<title>a</title>").body().map(Element::raw_text).as_deref(), Some("\u{feff}a"));
}

#[test]
fn a_declared_shadow_root_is_no_child_of_its_host() {
    let shadow = "<template shadowrootmode=open><p>x</p></template>";
    for (host, stays) in [("div", 0), ("x-y", 0), ("font-face", 1), ("a", 1)] {
        let document = parse(&format!("<{host}>{shadow}<b>light</b></{host}>"));
        let element = first(&document, host);
        assert_eq!(element.children().count(), 1 + stays, "{host}");
        assert!(element.end_tag().is_some(), "{host}");
        assert_eq!(element.text(), "light");
    }
    let twice = parse(&format!("<div>{shadow}{shadow}</div>"));
    assert_eq!(first(&twice, "div").children().count(), 1, "a host has one shadow root");
}
