//! Facts of odd pages by the standard. Each was once read otherwise, and found with `cargo xtask compare-browser`.

use model::summary::PageSummary;

use crate::capture::with_headers;

fn summary(source: impl Into<Vec<u8>>) -> PageSummary {
    audit::report(&with_headers("http://www.example.com/a/page", &[("content-type", "text/html")], source))
        .summary
        .unwrap()
}

/// The canonical URL of a page with that markup before its `link rel=canonical href=x`.
fn canonical_after(markup: &str) -> String {
    summary(format!("{markup}<link rel=canonical href=x>")).canonical.unwrap()
}

#[test]
fn the_first_base_decides_even_where_it_is_unusable() {
    const SECOND: &str = "<base href=//other.example>";
    for (first, canonical) in [
        ("", "http://other.example/x"),
        ("<base href=/b/>", "http://www.example.com/b/x"),
        ("<base target=_top>", "http://other.example/x"),
        ("<base href='http://[/'>", "http://www.example.com/a/x"),
        ("<base href=data:,y>", "http://www.example.com/a/x"),
        ("<base href=javascript:1>", "http://www.example.com/a/x"),
        ("<base href=ftp://files.example/z/>", "ftp://files.example/z/x"),
        ("<base href=mailto:me@example.com>", "x"),
    ] {
        assert_eq!(canonical_after(&format!("{first}{SECOND}")), canonical, "{first}");
    }
}

#[test]
fn only_the_spaces_of_a_url_are_trimmed() {
    let links = summary(
        "<meta charset=utf-8><a href=' \x0C\x1Fhttp://other.example/'>a</a><a href='\u{a0}http://other.example/'>b</a>",
    )
    .links;
    assert_eq!((links.external, links.internal), (1, 1));
}

#[test]
fn a_query_is_in_the_encoding_of_its_page() {
    let canonical = |charset, href: &[u8]| {
        let head = format!("<meta charset={charset}><link rel=canonical href=\"");
        summary([head.as_bytes(), href, b"\">"].concat()).canonical.unwrap()
    };
    assert_eq!(canonical("latin1", b"/\xFC?q=\xFC#\xFC"), "http://www.example.com/%C3%BC?q=%FC#%C3%BC");
    assert_eq!(canonical("gbk", b"/?q=\xD6\xD0&#9731;a"), "http://www.example.com/?q=%D6%D0%26%239731%3Ba");
    assert_eq!(canonical("utf-8", "/?q=ü".as_bytes()), "http://www.example.com/?q=%C3%BC");
}

#[test]
fn a_late_declaration_of_no_encoding_is_passed_over() {
    let filler = format!("<title>t</title><style>{}</style>", "x".repeat(2000));
    for (metas, charset) in [
        ("<meta charset=klingon><meta charset=koi8-r>", "KOI8-R"),
        ("<meta charset=klingon http-equiv=content-type content='text/html; charset=koi8-r'>", "KOI8-R"),
        ("<meta charset=koi8-r><meta charset=gbk>", "KOI8-R"),
        ("<meta charset=klingon>", "windows-1252"),
    ] {
        assert_eq!(summary(format!("{filler}{metas}")).charset.as_deref(), Some(charset), "{metas}");
    }
}

#[test]
fn an_xml_declaration_decides_where_no_meta_does() {
    const XML: &str = "<?xml version='1.0' encoding='koi8-r'?><!doctype html>";
    let late = format!("{XML}<style>{}</style><meta charset=gbk>", "x".repeat(2000));
    for (source, charset) in [
        (XML.to_owned(), "KOI8-R"),
        (format!("{XML}<meta charset=gbk>"), "GBK"),
        (late, "GBK"),
        (format!("<!doctype html>{XML}"), "windows-1252"),
    ] {
        assert_eq!(summary(&*source).charset.as_deref(), Some(charset));
    }
    let report = audit::report(&with_headers("http://www.example.com/", &[], format!("{XML}é")));
    assert!(report.findings.iter().all(|finding| finding.code != "charset_missing"));
}
