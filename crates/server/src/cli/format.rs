//! A report as text, JSON, Markdown, SARIF or JUnit: pure functions from report to string.

mod junit;
mod markdown;
mod sarif;
mod text;

use anyhow::Result;
use clap::ValueEnum;
use model::lang::Lang;
use model::report::Report;
use model::time::Timestamp;

/// How a result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person.
    Text,
    /// The whole report, as the API gives a stored audit, with its patch.
    Json,
    /// For a pull request or a note.
    Markdown,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML, for build servers.
    Junit,
}

/// Whether text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// ANSI colours, for a terminal.
    Colours,
    /// None.
    Plain,
}

/// A report and when it was made.
#[derive(Debug, Clone, Copy)]
pub struct Audited<'r> {
    /// The report.
    pub report: &'r Report,
    /// When its capture began.
    pub at: Timestamp,
}

/// The results in a format. Ends with a line end. `several`: more than one page was asked for, whatever came of it.
pub fn render(format: Format, audited: &[Audited<'_>], lang: Lang, style: Style, several: bool) -> Result<String> {
    let reports: Vec<&Report> = audited.iter().map(|audited| audited.report).collect();
    Ok(match format {
        Format::Text => text::render(&reports, lang, style),
        Format::Json => json(audited, lang, several)?,
        Format::Markdown => reports.iter().map(|report| markdown::render(report, lang)).collect::<Vec<_>>().join("\n"),
        Format::Sarif => sarif::render(&reports, lang)?,
        Format::Junit => junit::render(&reports, lang),
    })
}

/// One page that was asked for as an object, several as an array of them.
fn json(audited: &[Audited<'_>], lang: Lang, several: bool) -> Result<String> {
    let values = audited.iter().map(|audited| object(audited, lang)).collect::<Result<Vec<_>>>()?;
    let text = match values.as_slice() {
        [one] if !several => serde_json::to_string_pretty(one)?,
        many => serde_json::to_string_pretty(many)?,
    };
    Ok(text + "\n")
}

fn object(audited: &Audited<'_>, lang: Lang) -> Result<serde_json::Value> {
    let report = audited.report;
    let mut value = serde_json::to_value(report.stored_audit("", audited.at, lang))?;
    if let Some(fields) = value.as_object_mut() {
        // Nothing was stored, so there is nothing to name.
        fields.insert("audit_id".to_owned(), serde_json::Value::Null);
        fields.insert("patch".to_owned(), serde_json::to_value(report.patch.in_lang(lang))?);
    }
    Ok(value)
}

/// Page text made safe for a terminal or a log: control and bidirectional characters become visible escapes.
fn printable(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' | '\t' => character.to_string(),
            '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
                character.escape_unicode().to_string()
            }
            character if character.is_control() => character.escape_unicode().to_string(),
            character => character.to_string(),
        })
        .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use model::capture::{Body, Capture, Exchange, Fetched, Source, Timing};

    /// A page with an error, a warning, an info, and hostile text.
    pub(crate) fn report() -> Report {
        let page = "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>One\u{1b}[2J</title><title>|two|</title></head>\n<body><h1>A & [b](c)</h1><a href='/x'><img src=a.png width=1 height=1></a></body></html>";
        audit::report(&Capture {
            requested_url: "https://example.com/".to_owned(),
            started_at: Timestamp(0),
            nonce: String::new(),
            source: Source::Supplied,
            page: Fetched::Response(Exchange {
                hops: Vec::new(),
                url: "https://example.com/".to_owned(),
                status: 200,
                headers: Vec::new(),
                body: Body { bytes: page.as_bytes().to_vec(), ..Body::default() },
                timing: Timing::default(),
                ambiguous_length: false,
                certificate: None,
            }),
            extras: Vec::new(),
        })
    }

    #[test]
    fn json_is_a_stored_audit_with_its_patch() {
        let report = report();
        let text =
            render(Format::Json, &[Audited { report: &report, at: Timestamp(0) }], Lang::En, Style::Plain, false)
                .unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["score"], report.score);
        assert_eq!(value["issues"].as_array().unwrap().len(), report.findings.len());
        assert!(value["patch"]["head"].as_str().unwrap().contains("viewport"));
    }

    #[test]
    fn no_control_character_of_a_page_reaches_a_terminal() {
        assert_eq!(printable("a\u{1b}[2J\u{202e}b"), "a\\u{1b}[2J\\u{202e}b");
    }
}
