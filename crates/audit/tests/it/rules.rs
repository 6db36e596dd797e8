//! Rules of single checks that the catalog states and a change could lose.

use audit::report;
use model::capture::{BodyCut, Fetched};
use model::finding::Finding;
use model::fix::{Fix, FixClass};
use model::report::Report;

use crate::capture::page;

fn of(source: &str) -> Report {
    report(&page("https://www.example.com/bread", source))
}

fn told(source: &str, code: &str) -> Option<(Finding, Fix)> {
    let report = of(source);
    let finding = report.findings.iter().find(|finding| finding.code == code)?.clone();
    Some((finding, report.fixes.iter().find(|fix| fix.code == code)?.clone()))
}

#[test]
fn a_cut_page_may_hold_more_titles_canonicals_and_scripts() {
    let mut capture =
        page("https://www.example.com/bread", "<title>a</title><link rel=canonical href=/bread><script src=a>");
    if let Fetched::Response(exchange) = &mut capture.page {
        exchange.body.cut = Some(BodyCut::Size);
    }
    let report = report(&capture);
    for code in ["title_multiple", "canonical_multiple", "render_blocking_scripts"] {
        assert_eq!(report.coverage.not_measured.get(code).map(String::as_str), Some("trunc"), "{code}");
    }
}

#[test]
fn a_long_title_is_shown_with_its_cut() {
    let title = "Rye bread ".repeat(12);
    let (_, fix) = told(&format!("<title>{title}</title>"), "title_too_long").unwrap();
    let origin = fix.origin.unwrap().en;
    assert!(origin.starts_with("Search results show “Rye bread Rye bread"), "{origin}");
    assert!(origin.ends_with("bread”."), "{origin}");
}

#[test]
fn a_missing_title_takes_the_sites_name_from_its_node_too() {
    let site = r#"<script type=application/ld+json>{"@type":"WebSite","name":"The Mill"}</script><h1>Rye bread</h1>"#;
    let (_, fix) = told(site, "title_missing").unwrap();
    assert_eq!(fix.snippet.as_deref(), Some("<title>Rye bread - The Mill</title>"));
}

#[test]
fn a_local_address_keeps_its_path_and_query_on_the_public_origin() {
    let (_, fix) = told("<a href='http://localhost:3000//a?b=c'>a</a>", "link_local_target").unwrap();
    assert!(fix.origin.unwrap().en.ends_with("https://www.example.com//a?b=c"));
}

#[test]
fn tables_that_lay_the_page_out_are_obsolete_markup() {
    let inner =
        |content: &str| format!("<table><tr><td><table>{content}<tr><td>Rye bread, baked daily</table></table><p>x");
    let (finding, fix) = told(&inner(""), "legacy_markup").unwrap();
    assert_eq!(finding.message.en, "The page uses obsolete HTML: table > table ×1.");
    assert!(fix.note.unwrap().pt.ends_with("table > table → CSS: grid."));
    assert!(told(&inner("<caption>Loaves</caption>"), "legacy_markup").is_none());
    assert!(told(&format!("{}{}", inner(""), "<p>Much more text".repeat(9)), "legacy_markup").is_none());
    let (finding, _) = told("<center><font>x</font></center><p align=left>y", "legacy_markup").unwrap();
    assert_eq!(finding.message.en, "The page uses obsolete HTML: <font> ×1, <center> ×1, align ×1.");
}

#[test]
fn images_are_counted_among_all_that_need_an_alternative() {
    let source =
        "<img src=a alt=a><map name=m><area href=b><area href=c alt=c></map><input type=image><img src=d role=NONE>";
    let (finding, _) = told(source, "image_alt_missing").unwrap();
    assert!(finding.message.en.starts_with("2 of 5 images, image buttons and map areas need an alt attribute"));
}

#[test]
fn a_deferred_script_keeps_what_its_tag_says() {
    let head =
        "<head><script src=a.js integrity=x></script><script src=b.js></script><script src=c.js></script></head>";
    let (_, fix) = told(head, "render_blocking_scripts").unwrap();
    assert!(fix.snippet.unwrap().starts_with("<script src=a.js integrity=x defer></script>\n"));
}

#[test]
fn a_form_that_sends_over_http_is_told_once() {
    let source = "<form action=http://www.example.com/order></form>";
    let (_, fix) = told(source, "form_action_insecure").unwrap();
    assert_eq!(fix.class, FixClass::Deterministic);
    assert!(told(source, "mixed_content_active").is_none());
    assert!(told("<form action=/order></form>", "form_action_insecure").is_none());
    assert!(told("<button formaction=http://www.example.com/a>a</button>", "form_action_insecure").is_some());
}

#[test]
fn a_social_image_is_taken_from_the_structured_data() {
    let of_node = |image: &str| {
        let source = format!("<script type=application/ld+json>{{\"@type\":\"Article\",\"image\":{image}}}</script>");
        told(&source, "og_image_missing").unwrap().1
    };
    for image in [r#""https://e.com/a""#, r#"["https://e.com/a","x"]"#, r#"{"url":"https://e.com/a"}"#] {
        let fix = of_node(image);
        assert_eq!(fix.snippet.as_deref(), Some("<meta property=\"og:image\" content=\"https://e.com/a\">"), "{image}");
    }
    assert!(of_node(r#""/a""#).snippet.unwrap().contains("https://www.example.com/a"));
    assert_eq!(of_node(r#""""#).class, FixClass::Template);
}

#[test]
fn robots_directives_conflict_by_what_they_mean_and_are_spelled_one_by_one() {
    let metas = |content: &str| format!("<meta name=robots content='{content}'>");
    for content in ["index, none", "follow, none", "all, nofollow"] {
        assert!(told(&metas(content), "robots_directives_conflict").is_some(), "{content}");
    }
    assert!(told(&metas("none, noindex"), "robots_directives_conflict").is_none());
    let (_, fix) = told(&metas("inde, indexifembedded"), "robots_directive_unknown").unwrap();
    assert_eq!(fix.snippet.as_deref(), Some("<meta name=\"robots\" content=\"index, indexifembedded\">"));
}

#[test]
fn a_licence_in_a_robots_txt_that_nobody_read_is_unknown_not_absent() {
    let mut capture = page("https://example.com/page", "<!doctype html><title>Rye bread</title>");
    capture.source = model::capture::Source::Supplied;
    let coverage = report(&capture).coverage;
    assert_eq!(coverage.not_measured.get("rsl_license_broken").map(String::as_str), Some("offline"));
}
