//! Hostile pages, files and answers: each gives a report within its bounds, the same one every time.

use audit::Page;
use audit::facts::document::Limits;
use model::capture::{Capture, Fetched, WantKind};
use model::report::{Cut, Report};

use crate::capture::{page, with_headers};
use crate::site::Site;

const URL: &str = "https://example.com/a/page";
/// Bytes that are read of a page.
const MOST_BYTES: usize = 2 * 1024 * 1024;
/// Bytes of a report's JSON.
const REPORT_BYTES: usize = 1024 * 1024;

/// The report of a capture, once it was seen that it keeps its bounds and comes out the same again.
fn report(capture: &Capture) -> Report {
    let report = audit::report(capture);
    let json = serde_json::to_vec(&report).unwrap();
    assert!(json.len() <= REPORT_BYTES, "{} bytes", json.len());
    assert!(json == serde_json::to_vec(&audit::report(capture)).unwrap(), "the second report differs");
    assert!(!report.coverage.not_measured.values().any(|reason| reason == "defect"));
    report
}

fn codes(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|finding| finding.code.as_str()).collect()
}

fn has(report: &Report, code: &str) -> bool {
    codes(report).contains(&code)
}

/// A page with a content type of its own.
fn typed(content_type: &str, bytes: impl Into<Vec<u8>>) -> Capture {
    with_headers(URL, &[("content-type", content_type)], bytes)
}

fn charset(report: &Report) -> Option<&str> {
    report.summary.as_ref()?.charset.as_deref()
}

fn title(report: &Report) -> Option<&str> {
    report.summary.as_ref()?.title.as_deref()
}

/// A page with `part` as often as it takes to reach a size.
fn filled(head: &str, part: &str, bytes: usize) -> String {
    format!("<!doctype html><html lang=en><title>A page</title>{head}{}", part.repeat(bytes / part.len()))
}

#[test]
fn c01_what_is_no_html_gets_no_html_checks() {
    for (kind, bytes) in [
        ("application/pdf", &b"%PDF-1.7"[..]),
        ("image/png", b"\x89PNG\r\n\x1a\n"),
        ("application/zip", b"PK\x03\x04"),
        ("application/json", b"{\"a\":1}"),
        ("text/plain; charset=utf-8", b"words"),
        ("video/mp4", b"\0\0\0\x20ftyp"),
        ("garbage", b"words"),
    ] {
        let report = report(&typed(kind, bytes));
        assert!(has(&report, "page_not_html"), "{kind}: {:?}", codes(&report));
        assert_eq!((title(&report), charset(&report)), (None, None), "{kind}");
        assert_eq!(report.coverage.not_measured.get("title_missing").map(String::as_str), Some("html"), "{kind}");
        assert!(report.coverage.not_measured.contains_key("h1_missing"), "{kind}");
    }
    for (kinds, wanted) in [
        (&["application/pdf", "text/html"][..], Some("Repeated")),
        (&["text/html", "application/pdf"], None),
        (&["text/html, garbage", "*/*"], Some("Repeated")),
        (&["garbage", ""], None),
    ] {
        let headers: Vec<_> = kinds.iter().map(|kind| ("content-type", *kind)).collect();
        let repeated = report(&with_headers(URL, &headers, "<!doctype html><title>Repeated</title>"));
        assert_eq!(title(&repeated), wanted, "{kinds:?}");
        assert_eq!(has(&repeated, "content_type_wrong"), wanted.is_none(), "{kinds:?}: {:?}", codes(&repeated));
    }
    let untyped = report(&with_headers(URL, &[], "<!doctype html><title>Sniffed</title>"));
    assert_eq!(title(&untyped), Some("Sniffed"));
    let untyped = report(&with_headers(URL, &[], "%PDF-1.7 <title>no</title>"));
    assert_eq!(title(&untyped), None);
}

#[test]
fn c02_html_of_another_type_is_told_and_xhtml_is_read() {
    let plain = report(&typed("text/plain", "<!doctype html><title>x</title>"));
    assert!(has(&plain, "content_type_wrong"), "{:?}", codes(&plain));
    let xhtml = report(&typed("application/xhtml+xml", "<html><head><title>x</title></head></html>"));
    assert_eq!(title(&xhtml), Some("x"));
    assert!(!has(&xhtml, "content_type_wrong"));
}

#[test]
fn c03_utf_7_is_never_decoded() {
    let report = report(&typed("text/html; charset=utf-7", "<!doctype html><title>+ADw-script+AD4-</title>"));
    assert_eq!(title(&report), Some("+ADw-script+AD4-"));
    assert!(has(&report, "charset_invalid"), "{:?}", codes(&report));
}

#[test]
fn c04_a_mark_goes_before_the_header_and_the_header_before_the_meta() {
    let source = "<!doctype html><meta charset=windows-1251><title>caf\u{e9}</title>";
    let marked = format!("\u{feff}{source}");
    let with_mark = report(&typed("text/html; charset=shift_jis", marked));
    assert_eq!((charset(&with_mark), title(&with_mark)), (Some("UTF-8"), Some("café")));
    assert!(has(&with_mark, "charset_invalid"), "{:?}", codes(&with_mark));
    let with_header = report(&typed("text/html; charset=utf-8", source));
    assert_eq!((charset(&with_header), title(&with_header)), (Some("UTF-8"), Some("café")));
    assert!(has(&with_header, "charset_invalid"), "{:?}", codes(&with_header));
}

#[test]
fn c05_bytes_that_are_no_utf_8_are_told() {
    let head = b"<!doctype html><html lang=en><title>A page</title><body><p>".to_vec();
    for broken in [&b"a\xff b"[..], b"overlong \xc0\xaf", b"surrogate \xed\xa0\x80"] {
        let report = report(&page(URL, [&head[..], broken].concat()));
        assert!(has(&report, "mojibake_detected"), "{broken:?}: {:?}", codes(&report));
    }
    let nul = report(&page(URL, "<!doctype html><title>a\0b</title><p>c\0d"));
    assert_eq!(title(&nul), Some("a\u{fffd}b"), "as the standard has it for a title");
    let told = nul.findings.iter().find(|finding| finding.code == "mojibake_detected").unwrap();
    assert!(told.message.en.contains("2 NUL characters"), "{}", told.message.en);
}

#[test]
fn c06_utf_16_is_read_by_its_mark_or_its_label() {
    let source = "<!doctype html><title>caf\u{e9}</title>";
    let little: Vec<u8> = source.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = source.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (kind, mark, bytes) in [
        ("text/html", &b"\xff\xfe"[..], &little),
        ("text/html", b"\xfe\xff", &big),
        ("text/html; charset=utf-16", b"", &little),
        ("text/html; charset=utf-16be", b"", &big),
    ] {
        let report = report(&typed(kind, [mark, bytes].concat()));
        assert_eq!(title(&report), Some("café"), "{kind}");
    }
    let unknown = report(&typed("text/html; charset=utf-32", source));
    assert!(has(&unknown, "charset_invalid"), "{:?}", codes(&unknown));
}

#[test]
fn c07_a_late_declaration_counts_and_is_told() {
    let source = format!("<!doctype html><!--{}--><meta charset=utf-8><title>café</title>", "x".repeat(1_100));
    let late = report(&typed("text/html", source));
    assert_eq!((charset(&late), title(&late)), (Some("UTF-8"), Some("café")));
    assert!(has(&late, "charset_late"), "{:?}", codes(&late));
    let many = filled("<meta charset=windows-1252>", "<meta charset=utf-8>", 500 * 20);
    assert_eq!(charset(&report(&typed("text/html", many))), Some("windows-1252"), "the first counts");
}

#[test]
fn c08_an_encoding_that_is_refused_is_told() {
    for label in ["iso-2022-kr", "hz-gb-2312"] {
        let report = report(&typed(&format!("text/html; charset={label}"), "<!doctype html><title>x</title>"));
        assert_eq!(charset(&report), Some("replacement"));
        assert!(has(&report, "charset_invalid"), "{label}: {:?}", codes(&report));
    }
}

#[test]
fn c09_a_page_of_next_to_nothing_is_told() {
    for body in ["", "  \n\t ", "x"] {
        let report = report(&page(URL, body));
        assert_eq!(has(&report, "html_empty"), body.trim().is_empty(), "{body:?}: {:?}", codes(&report));
    }
}

#[test]
fn m01_m02_depth_has_an_end_and_ends_are_told() {
    for part in ["<div>", "<ul><li>", "<b>", "<svg><g>", "<table><tr><td>"] {
        let capture = page(URL, filled("", part, 500_000));
        let html = Page::read(&capture).html.unwrap();
        let most = usize::try_from(Limits::default().depth).unwrap();
        let deepest = html.document.elements().map(|element| element.ancestors().take(most + 1).count()).max();
        assert!(deepest.unwrap() <= most, "{part}: {deepest:?}");
        assert!(has(&report(&capture), "html_too_complex"), "{part}");
    }
}

#[test]
fn m03_an_element_keeps_256_attributes() {
    let attributes: String = (0..200_000).map(|n| format!(" a{n}=1")).collect();
    let capture = page(URL, format!("<!doctype html><html lang=en><title>A page</title><p{attributes}>x"));
    let html = Page::read(&capture).html.unwrap();
    let paragraph = html.document.elements().find(|element| element.is("p")).unwrap();
    assert_eq!(paragraph.attributes().count(), 256);
    assert!(has(&report(&capture), "html_too_complex"));
}

#[test]
fn m04_m06_long_texts_are_cut_and_counted_whole() {
    let long = "x".repeat(600_000);
    let source = format!(
        "<!doctype html><html lang=en><title>{long}</title><meta name=description content=\"{long}\"><h1>{long}</h1>"
    );
    let report = report(&page(URL, source));
    let summary = report.summary.as_ref().unwrap();
    for text in [&summary.title, &summary.meta_description, &summary.h1s.first().cloned()] {
        assert_eq!(text.as_ref().map(|text| text.chars().count()), Some(2_000));
    }
    assert!(report.truncated.contains(&Cut::TextOver2000));
    let too_long = report.findings.iter().find(|finding| finding.code == "title_too_long").unwrap();
    assert!(too_long.message.en.contains("600,000"), "{}", too_long.message.en);
}

#[test]
fn m05_size_alone_is_no_fault() {
    let one_line = filled("<body>", "word ", MOST_BYTES - 1_000);
    let references = filled("<body><p>", "&amp;", 400_000 * 5);
    let siblings = filled("<body>", "<p>x", 300_000 * 4);
    for source in [one_line, references, siblings] {
        assert!(!has(&report(&page(URL, source)), "html_too_complex"));
    }
}

#[test]
fn m07_counts_are_exact_where_lists_are_cut() {
    let links = report(&page(URL, filled("<body>", "<a href=/x>y</a>", 16 * 100_000)));
    assert_eq!(links.summary.as_ref().map(|summary| summary.links.total), Some(100_000));
    let images = report(&page(URL, filled("<body>", "<img src=/x alt=y>", 18 * 50_000)));
    assert_eq!(images.summary.as_ref().map(|summary| summary.images.total), Some(50_000));
    let headings = report(&page(URL, filled("<body><h1>a</h1>", "<h2>x</h2>", 10 * 20_000)));
    let summary = headings.summary.as_ref().unwrap();
    assert_eq!((summary.headings.h2, summary.headings.outline.len()), (20_000, 100));
    let h1s = report(&page(URL, filled("<body>", "<h1>x</h1>", 10 * 1_000)));
    let summary = h1s.summary.as_ref().unwrap();
    assert_eq!((summary.headings.h1, summary.h1s.len()), (1_000, 200));
    assert!(h1s.truncated.contains(&Cut::ListOver200));
}

#[test]
fn m08_odd_markup_is_read_as_browsers_read_it() {
    for (source, expected) in [
        ("<title>a</title><!-- <title>b</title>", 1),
        ("<script><title>a</title>", 0),
        ("<plaintext><title>a</title>", 0),
        ("<noscript><noscript><title>a</title>", 0),
        ("<form><form><title>a</title>", 1),
        ("<frameset><frame><title>a</title>", 0),
        ("<ti\u{feff}tle>a</title>", 0),
        ("<title\0>a</title>", 0),
    ] {
        let capture = page(URL, source);
        assert_eq!(Page::read(&capture).html.unwrap().titles.len(), expected, "{source:?}");
        report(&capture);
    }
    report(&page(URL, filled("", "<template>", 5_000 * 10)));
}

#[test]
fn m09_the_first_base_that_can_be_one_counts() {
    for (bases, expected) in [
        ("<base href=https://cdn.example.org/x/>", "https://cdn.example.org/x/y"),
        ("<base href=javascript:alert(1)>", "https://example.com/a/y"),
        ("<base href=/one/><base href=/two/>", "https://example.com/one/y"),
    ] {
        let html = Page::read(&page(URL, format!("{bases}<a href=y>z</a>"))).html.unwrap();
        assert_eq!(html.anchors.first().and_then(|anchor| anchor.url()).map(url::Url::as_str), Some(expected));
    }
}

#[test]
fn m10_thousands_of_one_tag_are_counted_and_ten_are_shown() {
    let canonicals: String = (0..2_000).map(|n| format!("<link rel=canonical href=/{n}>")).collect();
    let many = report(&page(URL, filled(&canonicals, " ", 1)));
    let found = many.findings.iter().find(|finding| finding.code == "canonical_multiple").unwrap();
    assert!(found.message.en.contains("2,000"), "{}", found.message.en);
    assert_eq!(found.evidence.len(), 10);
    let alternates = filled("", "<link rel=alternate hreflang=xx href=/x>", 40 * 2_000);
    let many = report(&page(URL, alternates));
    assert!(many.findings.iter().all(|finding| finding.evidence.len() <= 10));
    report(&page(URL, format!("<link rel=canonical href=\"/{}\">", "x".repeat(1_000_000))));
}

#[test]
fn r11_refreshes_are_told_and_scripts_are_not_followed() {
    let source = "<!doctype html><html lang=en><title>A page</title><script>location='/by-script'</script>";
    let by_header = with_headers(URL, &[("content-type", "text/html"), ("refresh", "0; url=/by-header")], source);
    let by_meta = page(URL, format!("{source}<meta http-equiv=refresh content='0; url=/by-meta'>"));
    let by_script = page(URL, source);
    for (capture, target) in [(by_header, Some("/by-header")), (by_meta, Some("/by-meta")), (by_script, None)] {
        let report = report(&capture);
        let redirects: Vec<(String, String)> =
            report.summary.unwrap().redirects.into_iter().map(|redirect| (redirect.kind, redirect.location)).collect();
        let wanted = target.map(|path| ("meta".to_owned(), format!("https://example.com{path}")));
        assert_eq!(redirects, Vec::from_iter(wanted));
    }
}

#[test]
fn t22_of_an_error_page_only_the_status_and_the_host_are_judged() {
    for status in [401, 403, 404, 410, 500, 503] {
        let mut capture = page(URL, "<!doctype html><title></title><h1></h1>");
        if let Fetched::Response(exchange) = &mut capture.page {
            exchange.status = status;
        }
        let report = report(&capture);
        let wanted = if status < 500 { "http_status_client_error" } else { "http_status_server_error" };
        assert_eq!(codes(&report), [wanted], "{status}");
        for code in ["title_missing", "h1_missing", "canonical_missing", "html_lang_missing"] {
            assert_eq!(report.coverage.not_measured.get(code).map(String::as_str), Some("status"), "{status} {code}");
        }
        assert!(report.coverage.passed.iter().any(|code| code == "hsts_missing"), "{status}");
    }
}

#[test]
fn x06_the_entries_of_a_sitemap_are_counted_and_never_fetched() {
    let entry = "<url><loc>https://example.com/other</loc></url>";
    let many = format!("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{}</urlset>", entry.repeat(50_001));
    let site = Site::new(page(URL, "<title>x</title>")).with("/sitemap.xml", many);
    let (capture, rounds) = site.capture();
    let summary = audit::report(&capture).summary.unwrap();
    assert_eq!((summary.sitemap.state.as_str(), summary.sitemap.urls), ("tooLarge", 50_001));
    assert!(rounds.concat().iter().all(|want| !want.url.ends_with("/other")));
    let nested = format!("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{}", "<a>".repeat(100_000));
    let site = Site::new(page(URL, "<title>x</title>")).with("/sitemap.xml", nested);
    assert!(has(&site.report(), "sitemap_parse_error"));
}

#[test]
fn x07_json_ld_of_any_kind_is_bounded() {
    let block = |json: &str| format!("<script type=\"application/ld+json\">{json}</script>");
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for (json, line) in [(deep.as_str(), 1), ("{\"a\":\nNaN}", 2), ("{\"a\":1,}", 1), ("<!-- -->{", 1)] {
        let report = report(&page(URL, format!("<!doctype html><title>A page</title>{}", block(json))));
        let found = report.findings.iter().find(|finding| finding.code == "jsonld_syntax_error");
        let place = found.and_then(|finding| finding.evidence.first()).unwrap();
        assert_eq!(place.line, Some(line), "{:?}", json.get(..20));
    }
    let digits = "1".repeat(4_000);
    let kept = report(&page(URL, block(&format!("{{\"@type\":\"Thing\",\"n\":{digits},\"n2\":1,\"n2\":2}}"))));
    assert!(serde_json::to_string(&kept.json_ld).unwrap().contains(&digits), "a number was rounded");
    let large = report(&page(URL, block(&format!("{{\"a\":\"{}\"}}", "x".repeat(600 * 1024)))));
    assert!(large.truncated.contains(&Cut::JsonldSize), "{:?}", large.truncated);
    let many = report(&page(URL, block("{\"@type\":\"Thing\",\"name\":\"x\"}").repeat(5_000)));
    assert!(many.truncated.contains(&Cut::JsonldNodesOver50), "{:?}", many.truncated);
    assert_eq!(many.summary.map(|summary| (summary.json_ld_blocks, summary.json_ld_dropped)), Some((5_000, true)));
    // What lies past the cap is neither judged nor taken for absent.
    let node = |n: u32| {
        format!("{{\"@context\":\"https://schema.org\",\"@type\":\"T{n}\",\"author\":{{\"@id\":\"#n{}\"}}}}", n + 40)
    };
    let past = report(&page(URL, block(&format!("[{}]", (0..60).map(node).collect::<Vec<_>>().join(",")))));
    assert_eq!(past.summary.map(|summary| (summary.json_ld_count, summary.json_ld_types.len())), Some((60, 50)));
    assert!(past.findings.iter().all(|finding| finding.code != "jsonld_id_unresolved"));
}

#[test]
fn x08_x09_addresses_that_a_page_names_are_not_asked_for() {
    let source = "<!doctype html><html lang=en><title>A page</title><link rel=manifest href=http://10.0.0.1/m.json>
        <link rel=canonical href=http://10.0.0.2/><link rel=alternate hreflang=pt href=http://10.0.0.3/>
        <meta property=og:image content=http://10.0.0.4/i.png>
        <script type=\"application/ld+json\">{\"@context\":\"http://10.0.0.5/c\",\"$ref\":\"http://10.0.0.6/\"}</script>";
    let (capture, rounds) = Site::new(page(URL, source)).capture();
    let foreign: Vec<String> = rounds
        .concat()
        .into_iter()
        .filter(|want| !want.url.starts_with("https://example.com/") && want.kind != WantKind::PlainHttp)
        .map(|want| want.url)
        .collect();
    assert_eq!(foreign, Vec::<String>::new());
    assert!(
        capture.extras.iter().all(|extra| extra.want.kind != WantKind::Sitemap || extra.fetched.response().is_some())
    );
    // An icon may be on another host: it is asked for through the guarded client, which refuses the address.
    let (capture, _) = Site::new(page(URL, "<title>x</title><link rel=icon href=http://10.0.0.7/i.png>")).capture();
    let icon = capture.extras.iter().find(|extra| extra.want.kind == WantKind::Favicon).unwrap();
    assert_eq!(icon.want.url, "http://10.0.0.7/i.png");
    assert!(matches!(icon.fetched, Fetched::Response(_)), "the site of this test answers for every host");
}
