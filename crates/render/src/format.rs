//! Formats of outcomes: text, JSON, Markdown, CSV, SARIF or JUnit, as pure functions.

mod csv;
mod json;
mod junit;
mod markdown;
mod outcome;
pub(crate) mod sarif;
mod text;

use model::change::Changed;
use model::lang::Lang;

pub use csv::csv_row;
pub(crate) use json::compact;
pub use json::{RequestedPages, pretty};
pub use outcome::{PageOutcome, Unaudited};
pub use text::{BUILT_WITH, TextStyle, built_with, json_ld_left_out};

/// How a result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For a person.
    Text,
    /// The whole report, as the API gives a stored audit, with its patch.
    Json,
    /// For a pull request or a note.
    Markdown,
    /// A row for each finding, for a spreadsheet.
    Csv,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML, for build servers.
    Junit,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Text, Self::Json, Self::Markdown, Self::Csv, Self::Sarif, Self::Junit];
}

/// The outcomes in a format. Ends with a line end.
pub fn render(
    format: Format,
    outcomes: &[PageOutcome],
    pages: RequestedPages,
    lang: Lang,
    style: TextStyle,
) -> serde_json::Result<String> {
    Ok(match format {
        Format::Text => text::render(outcomes, lang, style),
        Format::Json => json::render(outcomes, pages, lang)?,
        Format::Markdown => markdown::render(outcomes, lang),
        Format::Csv => csv::render(outcomes, lang),
        Format::Sarif => sarif::render(outcomes, lang)?,
        Format::Junit => junit::render(outcomes, lang),
    })
}

/// What changed since an earlier audit, as more sections of a report in Markdown.
pub fn comparison(fixed: &[Changed], broke: &[Changed], revealed: &[Changed], lang: Lang) -> String {
    markdown::comparison(fixed, broke, revealed, lang)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::outcome::place;
    use super::*;
    use model::capture::{Body, Capture, Exchange, Fetched, Source, Timing};
    use model::finding::Place;
    use model::lang::text;
    use model::searchable::{SearchState, Searchable};
    use model::time::Timestamp;
    use serde_json::{Value, json};

    /// A page with an error, a warning, an info, and hostile text.
    pub(crate) fn audited() -> PageOutcome {
        let page = "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>One\u{1b}[2J\u{9b}</title><title>|two|</title></head>\n<body><h1>A & [b](c)</h1><a href='/x'><img src=a.png width=1 height=1></a></body></html>";
        let report = audit::report(&Capture {
            requested_url: "https://example.com/".to_owned(),
            started_at: Timestamp(0),
            nonce: String::new(),
            source: Source::Supplied,
            page: Fetched::Response(Exchange {
                hops: Vec::new(),
                url: "https://example.com/".to_owned(),
                status: 200,
                headers: Vec::new(),
                body: Body { bytes: page.into(), ..Body::default() },
                timing: Timing::default(),
                ambiguous_length: false,
                certificate: None,
            }),
            extras: Vec::new(),
            field_data: None,
        });
        PageOutcome { url: report.url.clone(), file: None, at: Timestamp(0), result: Ok(report) }
    }

    /// A page that a firewall kept from us, under an address with hostile text.
    pub(crate) fn blocked() -> PageOutcome {
        let message = text(
            "A firewall of the target answered instead of the page; nothing was audited (Cloudflare, 403).",
            "Um firewall do alvo respondeu no lugar da página; nada foi auditado (Cloudflare, 403).",
        );
        let fields = json!({"code": "target_blocked", "blocked": {"vendor": "Cloudflare", "status": 403}});
        let fields = fields.as_object().unwrap().clone();
        let error =
            Unaudited { code: "target_blocked", message: message.into(), fields_en: fields.clone(), fields_pt: fields };
        PageOutcome {
            url: "https://example.com/\u{1b}[2J|<b>".to_owned(),
            file: None,
            at: Timestamp(1_000),
            result: Err(error),
        }
    }

    #[test]
    fn a_page_that_no_search_engine_can_show_says_so_first_in_every_format() {
        let mut outcome = audited();
        let report = outcome.result.as_mut().unwrap();
        let text =
            text("No search engine shows this page: it is a test.", "Nenhum buscador mostra esta página: é um teste.");
        let reasons = vec!["noindex_meta".to_owned()];
        report.searchable = Some(Searchable { state: SearchState::No, reasons, text: text.into() });
        for format in Format::ALL {
            let shown = rendered(format, std::slice::from_ref(&outcome), RequestedPages::Page);
            match format {
                // A row for each finding has no room for a sentence.
                Format::Csv => assert!(shown.contains(",no,") && !shown.contains(",unknown,"), "{shown}"),
                _ => assert!(shown.contains("No search engine shows this page"), "{format:?}: {shown}"),
            }
        }
        let shown = rendered(Format::Text, std::slice::from_ref(&outcome), RequestedPages::Page);
        assert!(shown.lines().nth(1).unwrap().starts_with("No search engine"), "{shown}");
    }

    fn rendered(format: Format, outcomes: &[PageOutcome], pages: RequestedPages) -> String {
        render(format, outcomes, pages, Lang::En, TextStyle::Plain).unwrap()
    }

    fn json_of(outcomes: &[PageOutcome], pages: RequestedPages) -> Value {
        serde_json::from_str(&rendered(Format::Json, outcomes, pages)).unwrap()
    }

    #[test]
    fn a_line_of_another_file_is_told_with_its_address() {
        let robots = || Some("https://example.com/robots.txt".to_owned());
        let line = Place { url: robots(), line: Some(5), snippet: Some("Disallow: /".to_owned()), ..Place::default() };
        assert_eq!(place(&line), ("https://example.com/robots.txt 5: ".to_owned(), "Disallow: /"));
        let file = Place { url: robots(), ..Place::default() };
        assert_eq!(place(&file), (String::new(), "https://example.com/robots.txt"));
        let of_page = Place { line: Some(2), snippet: Some("<p>".to_owned()), ..Place::default() };
        assert_eq!(place(&of_page), ("2: ".to_owned(), "<p>"));
    }

    #[test]
    fn json_is_a_stored_audit_with_its_patch() {
        let outcome = audited();
        let value = json_of(std::slice::from_ref(&outcome), RequestedPages::Page);
        let report = outcome.result.unwrap();
        assert_eq!(value["score"], report.score);
        assert_eq!(value["issues"].as_array().unwrap().len(), report.findings.len());
        assert!(value["patch"]["head"].as_str().unwrap().contains("viewport"));
    }

    #[test]
    fn json_of_a_list_holds_what_failed_in_its_place() {
        let value = json_of(&[blocked(), audited()], RequestedPages::List);
        assert_eq!(value[0]["code"], "target_blocked");
        assert_eq!(value[0]["blocked"]["vendor"], "Cloudflare");
        assert_eq!(value[0]["url"], "https://example.com/\u{1b}[2J|<b>");
        assert_eq!(value[1]["url"], "https://example.com/");
        assert!(json_of(&[audited()], RequestedPages::List).is_array(), "the shape follows what was requested");
        assert_eq!(json_of(&[blocked()], RequestedPages::Page)["code"], "target_blocked");
    }

    #[test]
    fn u16_a_person_reads_a_host_in_letters_too_and_a_program_as_it_is() {
        const WIRE: &str = "https://xn--mnchen-3ya.de/";
        let (mut good, mut failed) = (audited(), blocked());
        good.result.as_mut().unwrap().url = WIRE.to_owned();
        failed.url = WIRE.to_owned();
        let outcomes = [good, failed];
        for format in [Format::Text, Format::Markdown] {
            let shown = rendered(format, &outcomes, RequestedPages::List);
            // At the head of each page, and where all are listed.
            assert_eq!(shown.matches("https://xn--mnchen-3ya.de/ (münchen.de)").count(), 4, "{shown}");
        }
        assert_eq!(json_of(&outcomes, RequestedPages::List)[0]["url"], WIRE);
        for format in [Format::Json, Format::Sarif] {
            assert!(!rendered(format, &outcomes, RequestedPages::List).contains("münchen"), "{format:?}");
        }
    }

    #[test]
    fn no_control_character_of_a_page_reaches_a_terminal() {
        for format in Format::ALL {
            // A row of CSV ends with CR and LF (RFC 4180, section 2); no other CR is in it.
            let text = rendered(format, &[audited(), blocked()], RequestedPages::List).replace("\r\n", "\n");
            assert_eq!(crate::shown::printable(&text), text, "{format:?}");
        }
    }
}
