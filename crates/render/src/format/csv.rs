//! CSV (RFC 4180) for spreadsheets and databases: a row for each finding, and one for each page without a report.

use audit::checks;
use audit::score::most_urgent;
use model::finding::Impact;
use model::lang::{Lang, Text, text};
use model::report::Report;

use super::outcome::{PageOutcome, Unaudited, place};
use super::text::class;
use crate::edits;
use crate::shown::{made_in, printable};

/// Names of the columns, the same in every language. `places` has a line for each; `fix` is what to change (`-` goes, `+`
/// comes) or a file's content; `searchable` says on each row whether a search engine can show the page; `where` is the place of the fix in the page's system.
const COLUMNS: [&str; 14] = [
    "url",
    "severity",
    "code",
    "points",
    "title",
    "message",
    "places",
    "fix_class",
    "fix",
    "reference",
    "impact",
    "part_of",
    "searchable",
    "where",
];
/// A cell that begins with one of these is a formula to a spreadsheet (OWASP, CSV injection).
const FORMULA: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

/// A line of names, then the rows.
pub(super) fn render(outcomes: &[PageOutcome], lang: Lang) -> String {
    let mut out = String::new();
    row(&mut out, &COLUMNS.map(str::to_owned));
    for outcome in outcomes {
        match &outcome.result {
            Ok(report) => page(&mut out, report, lang),
            Err(error) => unaudited(&mut out, &outcome.url, error, lang),
        }
    }
    out
}

fn page(out: &mut String, report: &Report, lang: Lang) {
    let searchable = report.searchable.as_ref().map_or("", |searchable| searchable.state.word());
    for (finding, fix) in most_urgent(&report.findings, &report.fixes) {
        let check = checks::find(&finding.code);
        let places = finding.evidence.iter().map(place).map(|(at, shown)| format!("{at}{shown}"));
        let ready = edits::ready(fix, lang).filter(|ready| !ready.is_empty());
        let note = || fix.note.as_ref().map(|note| note.in_lang(lang));
        row(
            out,
            &[
                report.url.clone(),
                finding.severity.word().to_owned(),
                finding.code.clone(),
                finding.points.to_string(),
                check.map_or("", |check| check.title.in_lang(lang)).to_owned(),
                finding.message.in_lang(lang).to_owned(),
                places.collect::<Vec<_>>().join("\n"),
                class(fix.class).in_lang(lang).to_owned(),
                ready.unwrap_or_else(|| note().unwrap_or_default().to_owned()),
                check.map_or("", |check| check.reference).to_owned(),
                finding.impact.map_or("", Impact::word).to_owned(),
                finding.part_of.clone().unwrap_or_default(),
                searchable.to_owned(),
                fix.place.as_ref().map(|place| made_in(place, lang)).unwrap_or_default(),
            ],
        );
    }
}

/// Why there is no report.
fn unaudited(out: &mut String, url: &str, error: &Unaudited, lang: Lang) {
    const FAILED: Text = text("not audited", "não auditada");
    let cells = COLUMNS.map(|column| match column {
        "url" => url.to_owned(),
        "code" => error.code.to_owned(),
        "title" => FAILED.in_lang(lang).to_owned(),
        "message" => error.message(lang).to_owned(),
        _ => String::new(),
    });
    row(out, &cells);
}

fn row(out: &mut String, cells: &[String; COLUMNS.len()]) {
    out.push_str(&csv_row(cells));
}

/// A row with its line end. Each cell stays text in a spreadsheet.
pub fn csv_row(cells: &[impl AsRef<str>]) -> String {
    let mut row = String::new();
    for (at, text) in cells.iter().map(AsRef::as_ref).enumerate() {
        if at > 0 {
            row.push(',');
        }
        if is_plain(text) { row.push_str(text) } else { row.push_str(&cell(text)) }
    }
    row + "\r\n"
}

/// Whether a text is its own cell: most are, and a site run writes millions.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b',' | b'"')) && !text.starts_with(FORMULA)
}

/// A text that stays text in a spreadsheet too. A number of ours may be negative.
fn cell(text: &str) -> String {
    let is_number = || text.parse::<i32>().is_ok();
    let guard = if text.starts_with(FORMULA) && !is_number() { "'" } else { "" };
    let text = format!("{guard}{}", printable(text));
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{audited, blocked};
    use super::*;

    #[test]
    fn a_cell_is_text_whatever_is_in_it() {
        for (text, wanted) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"no\"\nor not", "\"say \"\"no\"\"\nor not\""),
            ("=HYPERLINK(\"//evil.example\")", "\"'=HYPERLINK(\"\"//evil.example\"\")\""),
            ("@sum", "'@sum"),
            ("-1+1", "'-1+1"),
            ("+cmd", "'+cmd"),
            ("\t=1", "'\t=1"),
            ("＝1", "'＝1"),
            ("-18", "-18"),
            ("a\u{202e}b\u{1b}", "a\\u{202e}b\\u{1b}"),
        ] {
            assert_eq!(cell(text), wanted, "{text:?}");
            assert_eq!(csv_row(&["a", text]), format!("a,{wanted}\r\n"), "{text:?}");
        }
    }

    #[test]
    fn every_finding_has_a_row_and_so_has_a_page_that_failed() {
        let outcome = audited();
        let findings = outcome.result.as_ref().unwrap().findings.clone();
        let text = render(&[outcome, blocked()], Lang::PtBr);
        assert!(
            text.starts_with(
                "url,severity,code,points,title,message,places,fix_class,fix,reference,impact,part_of,searchable,where\r\n"
            ),
            "{text}"
        );
        for finding in &findings {
            let start = format!("\r\nhttps://example.com/,{},{},", finding.severity.word(), finding.code);
            assert_eq!(text.matches(&start).count(), 1, "{start}");
        }
        assert!(text.contains(",,target_blocked,,não auditada,\"Um firewall do alvo"), "{text}");
        assert!(text.ends_with("\r\n"));
    }
}
