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

/// What a block holds that can't be read is not known.
#[track_caller]
fn assert_unread(code: &str) {
    assert_eq!(of_block("{").coverage.not_measured.get(code).map(String::as_str), Some("jsonld"));
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
        "Required properties of Google rich results are missing: Product (name, image), \
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
    for json in [r#"{"@context":"https://schema.org","@type":"Article"}"#, r#"{"@type":"Recipe"}"#, "[]"] {
        assert!(of_block(json).coverage.not_applicable.iter().any(|known| known == code), "{json}");
    }
    assert_unread(code);
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
    // Whole but for its owner's word: a draft, with the source of what was added.
    let added = "{\"@type\":\"Recipe\",\"image\":\"https://example.com/rye.jpg\"}";
    assert_eq!((fix.class, fix.snippet.as_deref()), (FixClass::Template, Some(added)));
    assert!(fix.origin.unwrap().en.starts_with("image: "));
}

#[test]
fn values_are_repaired_where_they_stand() {
    let report = of_block(
        "{\"@context\":\"https://schema.org\",\"@type\":\"Article\",\n\"datePublished\": \"31/12/2026\",\n\
         \"image\":[\"/a/<b>.png\"], \"n\": 100000000000000000000000000001.50}",
    );
    let (finding, fix) = finding(&report, "jsonld_value_invalid").unwrap();
    assert_eq!(
        finding.message.en,
        "Article.datePublished is not an ISO 8601 date: \"31/12/2026\" (2 invalid values in total)."
    );
    let places: Vec<_> = finding.evidence.iter().map(|place| (place.line, place.snippet.as_deref())).collect();
    assert_eq!(places, [(Some(2), Some("\"31/12/2026\"")), (Some(3), Some("\"/a/<b>.png\""))]);
    assert_eq!(fix.class, FixClass::Deterministic);
    assert_eq!(
        fix.snippet.as_deref(),
        Some("\"datePublished\": \"2026-12-31\"\n\"image\": \"https://example.com/a/%3Cb%3E.png\"")
    );
    let edits: Vec<_> = report.patch.edits.iter().map(|edit| (&*edit.original, &*edit.snippet)).collect();
    assert!(edits.contains(&("\"31/12/2026\"", "\"2026-12-31\"")), "{edits:?}");
}

#[test]
fn values_are_found_past_line_ends_of_every_kind() {
    let json = "{\r\n\"@context\":\"https://schema.org\",\r\"datePublished\":\r\n\"31/12/2026\"}";
    let report = of_block(json);
    let (finding, fix) = finding(&report, "jsonld_value_invalid").unwrap();
    assert_eq!(fix.class, FixClass::Deterministic);
    assert_eq!(finding.evidence.first().unwrap().line, Some(4));
    let patched = audit::patch::apply(&source(json), &report.patch).unwrap();
    assert!(patched.contains("\r\n\"2026-12-31\"}"));
}

#[test]
fn one_value_that_only_a_person_can_mend_makes_it_a_template() {
    let json = r#"{"@context":"https://schema.org","@type":"Offer","price":"from 10","priceCurrency":"brl"}"#;
    let (finding, fix) = finding(&of_block(json), "jsonld_value_invalid").unwrap();
    assert!(
        finding.message.en.starts_with("Offer.price is not a number with a decimal point: \"from 10\""),
        "{}",
        finding.message.en
    );
    assert_eq!(fix.class, FixClass::Template);
    assert_eq!(fix.snippet.as_deref(), Some("\"price\": \"{{PRICE}}\"\n\"priceCurrency\": \"BRL\""));
}

#[test]
fn prices_are_read_in_the_language_of_the_page() {
    let json = r#"{"@context":"https://schema.org","@type":"Offer","price":"R$ 1.299,00","priceCurrency":"BRL"}"#;
    let class = |source: &str| {
        finding(&report(&page("https://example.com/bread", source)), "jsonld_value_invalid").unwrap().1.class
    };
    assert_eq!(class(&source(json)), FixClass::Deterministic);
    assert_eq!(class(&source(json).replace("pt-BR", "es")), FixClass::Template);
}

#[test]
fn good_values_pass_and_pages_without_known_ones_have_nothing_to_measure() {
    let code = "jsonld_value_invalid";
    let good = of_block(r#"{"@context":"https://schema.org","@type":"Article","dateModified":"2026-11-21"}"#);
    assert!(good.coverage.passed.iter().any(|known| known == code));
    for json in [r#"{"@context":"https://schema.org","name":"a"}"#, r#"{"dateModified":"never"}"#] {
        assert!(of_block(json).coverage.not_applicable.iter().any(|known| known == code), "{json}");
    }
    assert_unread(code);
}

#[test]
fn a_defect_of_syntax_is_told_with_line_and_column_and_repaired_without_loss() {
    let report = of_block("{\"@context\":\"https://schema.org\",\n  \"n\": 100000000000000000000000000001.50,}");
    let (found, fix) = finding(&report, "jsonld_syntax_error").unwrap();
    assert_eq!(found.message.en, "A JSON-LD block is not valid JSON. Line 2, column 42: there is an extra comma.");
    assert_eq!(fix.class, FixClass::Deterministic);
    assert!(fix.snippet.unwrap().contains("100000000000000000000000000001.50}"));
    let twice = of_block("{\"@context\":\"https://schema.org\",\"name\":\"a\",\"name\":\"b\"}");
    let (found, fix) = finding(&twice, "jsonld_syntax_error").unwrap();
    assert!(found.message.en.ends_with("\"name\" appears twice."), "{}", found.message.en);
    assert_eq!(fix.class, FixClass::Instruction);
}

#[test]
fn blocks_too_long_for_a_report_are_not_repaired_in_it() {
    for length in [200_000, 600_000] {
        let report = of_block(&format!("{{\"name\":\"{}\",}}", "x".repeat(length)));
        let (_, fix) = finding(&report, "jsonld_syntax_error").unwrap();
        assert_eq!(fix.class, FixClass::Instruction, "{length}");
        assert!(serde_json::to_vec(&report).unwrap().len() < 64 * 1024);
    }
}
