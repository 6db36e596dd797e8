//! The rendered page beside the HTML as received: what appears, or changes, only with scripts.
//!
//! Not a check of the catalog: an audit sees no rendered page, and a lab test changes neither score nor findings of the audit
//! that it belongs to.

use std::collections::BTreeSet;

use model::capture::{Body, BodyCut, Capture, Coding, Exchange, Fetched, PAGE_BYTES, Source, Timing};
use model::finding::Severity;
use model::lang::{Text, Value, text};
use model::rendered::{Rendered, RenderedDifference, RenderedFinding, RenderedPart};
use model::report::Report;
use model::summary::PageSummary;
use model::time::Timestamp;

/// The code of the finding.
pub const CODE: &str = "rendered_differs";
/// Characters that are kept of a value.
const VALUE_CHARACTERS: usize = 300;
/// Parts that decide whether and under which address a page is indexed.
const DECISIVE: [RenderedPart; 4] =
    [RenderedPart::Url, RenderedPart::Robots, RenderedPart::Canonical, RenderedPart::Title];

const WHY: Text = text(
    "Search engines run scripts later than they read the HTML, and most AI agents and link previews never run them. They see the values of the HTML.",
    "Os buscadores executam scripts depois de ler o HTML, e a maioria dos agentes de IA e das prévias de links nunca os executa. Eles veem os valores do HTML.",
);
const FIX: Text = text(
    "Send these values in the HTML: use server-side rendering, static generation or prerendering, and don't change them with scripts.",
    "Envie esses valores no HTML: use renderização no servidor, geração estática ou pré-renderização, e não os altere com scripts.",
);
const CHANGED: Text = text(
    "Scripts change {count} {count|part|parts} of the page that search engines read: {parts}.",
    "Scripts alteram {count} {count|parte|partes} da página que os buscadores leem: {parts}.",
);

/// Compares the report of a rendered page, from its [`capture`], with the summary of the HTML as received.
pub fn rendered(source: &PageSummary, page: &Report) -> Rendered {
    let differences = page.summary.as_ref().map(|page| differences(source, page)).unwrap_or_default();
    let finding = (!differences.is_empty()).then(|| finding(&differences));
    Rendered { url: cut(page.url.clone()), differences, finding }
}

/// A rendered page as a capture: bytes without a network. `at` is the time of the lab test.
pub fn capture(url: &str, html: String, at: Timestamp) -> Capture {
    let mut bytes = html.into_bytes();
    let cut = (bytes.len() > PAGE_BYTES).then_some(BodyCut::Size);
    bytes.truncate(PAGE_BYTES);
    let exchange = Exchange {
        hops: Vec::new(),
        url: url.to_owned(),
        status: 200,
        headers: vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())],
        body: Body { bytes: bytes.into(), cut, coding: Coding::Identity },
        timing: Timing::default(),
        ambiguous_length: false,
        certificate: None,
    };
    Capture {
        requested_url: url.to_owned(),
        started_at: at,
        nonce: String::new(),
        source: Source::Supplied,
        page: Fetched::Response(exchange),
        extras: Vec::new(),
        field_data: None,
    }
}

fn differences(source: &PageSummary, rendered: &PageSummary) -> Vec<RenderedDifference> {
    let parts = |page: &PageSummary| {
        let types: BTreeSet<&str> = page.json_ld_types.iter().map(String::as_str).collect();
        [
            (RenderedPart::Url, Some(without_fragment(&page.final_url))),
            (RenderedPart::Robots, page.robots.as_ref().map(|robots| robots.trim().to_ascii_lowercase())),
            (RenderedPart::Canonical, page.canonical.clone()),
            (RenderedPart::Title, page.title.clone()),
            (RenderedPart::MetaDescription, page.meta_description.clone()),
            (RenderedPart::H1s, joined(page.h1s.iter().map(String::as_str), " | ")),
            (RenderedPart::Links, Some(page.links.internal.saturating_add(page.links.external).to_string())),
            (RenderedPart::StructuredData, joined(types.into_iter(), ", ")),
        ]
    };
    let pairs = parts(source).into_iter().zip(parts(rendered));
    let unequal = pairs.filter(|((_, source), (_, rendered))| source != rendered);
    unequal
        .map(|((part, source), (_, rendered))| RenderedDifference {
            part,
            source: source.map(cut),
            rendered: rendered.map(cut),
        })
        .collect()
}

fn finding(differences: &[RenderedDifference]) -> RenderedFinding {
    let decisive = differences.iter().any(|difference| DECISIVE.contains(&difference.part));
    let names = |lang: fn(Text) -> &'static str| {
        differences.iter().map(|difference| lang(part_name(difference.part))).collect::<Vec<_>>().join(", ")
    };
    let count = Value::from(differences.len());
    let in_english = CHANGED.phrase(&[("count", count.clone()), ("parts", names(|text| text.en).into())]);
    let in_portuguese = CHANGED.phrase(&[("count", count), ("parts", names(|text| text.pt).into())]);
    RenderedFinding {
        code: CODE.to_owned(),
        severity: if decisive { Severity::Warn } else { Severity::Info },
        message: model::lang::Phrase { en: in_english.en, pt: in_portuguese.pt },
        why: WHY.into(),
        fix: FIX.into(),
    }
}

/// The name of a part, for people.
pub fn part_name(part: RenderedPart) -> Text {
    match part {
        RenderedPart::Url => text("address", "endereço"),
        RenderedPart::Robots => text("robots directives", "diretivas robots"),
        RenderedPart::Canonical => text("canonical URL", "URL canônica"),
        RenderedPart::Title => text("title", "título"),
        RenderedPart::MetaDescription => text("meta description", "meta description"),
        RenderedPart::H1s => text("h1 headings", "títulos h1"),
        RenderedPart::Links => text("number of links", "número de links"),
        RenderedPart::StructuredData => text("structured data", "dados estruturados"),
    }
}

/// Texts in one; `None` without any.
fn joined<'t>(texts: impl Iterator<Item = &'t str>, between: &str) -> Option<String> {
    let joined = texts.collect::<Vec<_>>().join(between);
    (!joined.is_empty()).then_some(joined)
}

fn without_fragment(url: &str) -> String {
    url.split('#').next().unwrap_or_default().to_owned()
}

fn cut(text: String) -> String {
    if text.chars().count() <= VALUE_CHARACTERS { text } else { text.chars().take(VALUE_CHARACTERS).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://example.com/page";
    const SOURCE: &str = include_str!("rendered/source.html");

    fn compared(url: &str, html: &str) -> Rendered {
        let report = |url: &str, html: &str| crate::report(&capture(url, html.to_owned(), Timestamp(0)));
        rendered(&report(URL, SOURCE).summary.unwrap(), &report(url, html))
    }

    #[test]
    fn a_page_that_scripts_leave_alone_has_no_finding() {
        let same = compared(&format!("{URL}#part"), SOURCE);
        assert_eq!((same.differences, same.finding), (Vec::new(), None));
    }

    #[test]
    fn what_scripts_change_has_both_values() {
        let found = compared(URL, include_str!("rendered/changed.html"));
        let values: Vec<_> =
            found.differences.iter().map(|one| (one.part, one.source.as_deref(), one.rendered.as_deref())).collect();
        assert_eq!(
            values,
            [
                (RenderedPart::Robots, None, Some("noindex")),
                (RenderedPart::Canonical, Some("https://example.com/page"), Some("https://example.com/other")),
                (RenderedPart::Title, Some("Blue chairs"), Some("Red chairs")),
                (RenderedPart::MetaDescription, Some("Chairs in blue, made to order."), None),
                (RenderedPart::H1s, Some("Blue chairs"), Some("Red chairs | Blue chairs")),
                (RenderedPart::Links, Some("1"), Some("3")),
                (RenderedPart::StructuredData, None, Some("Product")),
            ]
        );
        let finding = found.finding.unwrap();
        assert_eq!((finding.code.as_str(), finding.severity), (CODE, Severity::Warn));
        assert_eq!(
            finding.message.en,
            "Scripts change 7 parts of the page that search engines read: robots directives, canonical URL, title, \
             meta description, h1 headings, number of links, structured data."
        );
        assert!(finding.message.pt.starts_with("Scripts alteram 7 partes da página que os buscadores leem: diretivas"));
    }

    #[test]
    fn more_links_alone_are_a_note() {
        let html = SOURCE.replace("</main>", "<a href=/more>More chairs</a></main>");
        let finding = compared(URL, &html).finding.unwrap();
        assert_eq!(finding.severity, Severity::Info);
        assert_eq!(finding.message.en, "Scripts change 1 part of the page that search engines read: number of links.");
    }

    #[test]
    fn a_script_that_leads_elsewhere_and_a_long_value_are_told() {
        let long = SOURCE.replace("Blue chairs</title>", &format!("{}</title>", "é".repeat(1_000)));
        let found = compared("https://example.com/elsewhere", &long);
        assert_eq!(found.differences[0].part, RenderedPart::Url);
        let title = found.differences.iter().find(|one| one.part == RenderedPart::Title).unwrap();
        assert_eq!(title.rendered.as_ref().unwrap().chars().count(), VALUE_CHARACTERS);
    }
}
