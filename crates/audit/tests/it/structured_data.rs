//! JSON-LD in, findings and fixes out.

use audit::report;
use model::finding::Finding;
use model::fix::{Fix, FixClass};
use model::report::Report;

use crate::capture::page;

fn of_block(json: &str) -> Report {
    report(&page("https://example.com/bread", source(json)))
}

fn source(json: &str) -> String {
    format!(
        "<!doctype html><html lang=pt-BR><head><meta charset=utf-8><title>Rye bread</title>\
         <meta property=og:image content=https://example.com/rye.jpg>\
         <script type=\"application/ld+json\">{json}</script></head><body><h1>Rye &lt;bread&gt;</h1></body></html>"
    )
}

fn finding(report: &Report, code: &str) -> Option<(Finding, Fix)> {
    let finding = report.findings.iter().find(|finding| finding.code == code)?.clone();
    Some((finding, report.fixes.iter().find(|fix| fix.code == code)?.clone()))
}

#[test]
fn a_node_without_what_its_result_requires_gets_its_block_completed() {
    let report = of_block(
        "{\"@context\":\"https://schema.org\", \"@type\":\"Product\",\n\
         \"offers\":{\"@type\":\"Offer\",\"price\":100000000000000000000000000001.50}}",
    );
    let (finding, fix) = finding(&report, "jsonld_required_missing").unwrap();
    assert_eq!(
        finding.message.en,
        "Properties that Google requires are missing: Product (name, image), \
         Offer (priceCurrency / priceSpecification.priceCurrency)."
    );
    assert_eq!(finding.evidence.iter().filter_map(|place| place.line).collect::<Vec<_>>(), [1, 1, 2]);
    assert_eq!(fix.class, FixClass::Template);
    assert_eq!(
        fix.snippet.as_deref(),
        Some(
            "<script type=\"application/ld+json\">{\"name\": \"Rye \\u003cbread\\u003e\", \
             \"image\": \"https://example.com/rye.jpg\", \"@context\":\"https://schema.org\", \"@type\":\"Product\",\n\
             \"offers\":{\"priceCurrency\": \"{{PRICE_CURRENCY}}\", \"@type\":\"Offer\",\
             \"price\":100000000000000000000000000001.50}}</script>"
        )
    );
    assert!(fix.note.unwrap().en.ends_with("structured-data/product-snippet"));
}

#[test]
fn a_complete_node_passes_and_pages_without_such_types_have_nothing_to_measure() {
    let code = "jsonld_required_missing";
    let recipe = of_block(r#"{"@context":"https://schema.org","@type":"Recipe","name":"a","image":"https://e.com/a"}"#);
    assert!(recipe.coverage.passed.iter().any(|known| known == code));
    for json in [r#"{"@context":"https://schema.org","@type":"Article"}"#, r#"{"@type":"Recipe"}"#, "{", "[]"] {
        assert!(of_block(json).coverage.not_applicable.iter().any(|known| known == code), "{json}");
    }
    let hidden = source(r#"{"@context":"https://schema.org","@type":"Recipe"}"#)
        .replace("<title>", "<meta name=robots content=noindex><title>");
    let report = report(&page("https://example.com/bread", hidden));
    assert_eq!(report.coverage.not_measured.get(code).map(String::as_str), Some("noindex"));
}

#[test]
fn a_long_block_is_not_repeated_whole() {
    let text = "x".repeat(20_000);
    let report = of_block(&format!(
        "{{\"@context\":\"https://schema.org\",\"@type\":\"Recipe\",\"name\":\"a\",\"description\":\"{text}\"}}"
    ));
    let (_, fix) = finding(&report, "jsonld_required_missing").unwrap();
    assert_eq!(fix.snippet.as_deref(), Some(r#"{"@type":"Recipe","image":"https://example.com/rye.jpg"}"#));
}
