//! For a person at a terminal.

use std::collections::BTreeSet;

use audit::score::most_urgent;
use model::finding::Severity;
use model::fix::FixClass;
use model::lab::{LabTest, Strategy};
use model::lang::{Lang, Text, text};
use model::report::{Cut, Report};

use super::outcome::{PageOutcome, Unaudited, place};
use crate::edits;
use crate::lab;
use crate::reason;
use crate::shown::{address, made_in, printable};

/// Whether text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextStyle {
    /// ANSI colours, for a terminal.
    Colours,
    /// None.
    Plain,
}

/// Places shown of a finding: all are in the JSON.
const PLACES: usize = 3;
/// Lines shown of a fix's snippet: the whole is in the JSON.
const SNIPPET_LINES: usize = 6;

/// Each page; after them, where there are several, a line for each.
pub(super) fn render(outcomes: &[PageOutcome], lang: Lang, style: TextStyle) -> String {
    let mut parts: Vec<String> = outcomes
        .iter()
        .map(|outcome| match &outcome.result {
            Ok(report) => page(report, lang, style),
            Err(error) => unaudited(&outcome.url, error, lang, style),
        })
        .collect();
    if let [_, _, ..] = outcomes {
        parts.push(summary(outcomes, lang, style));
    }
    parts.join("\n")
}

/// All pages together: how many, and the score of each.
fn summary(outcomes: &[PageOutcome], lang: Lang, style: TextStyle) -> String {
    const AUDITED: Text = text(
        "{count} of {all} pages audited, lowest score {score}",
        "{count} de {all} páginas auditadas, menor nota {score}",
    );
    const NONE: Text = text("None of the {all} pages could be audited", "Nenhuma das {all} páginas pôde ser auditada");
    let scores: Vec<u32> = outcomes.iter().filter_map(|outcome| Some(outcome.result.as_ref().ok()?.score)).collect();
    let all = ("all", outcomes.len().into());
    let heading = match scores.iter().min() {
        Some(lowest) => AUDITED.phrase(&[("count", scores.len().into()), all, ("score", (*lowest).into())]),
        None => NONE.phrase(&[all]),
    };
    let mut out = format!("{}\n", paint(style, BOLD, heading.in_lang(lang)));
    for outcome in outcomes {
        let score = match &outcome.result {
            Ok(report) => paint(style, band(report.score), &format!("{:>3}", report.score)),
            Err(_) => paint(style, RED, "  ✗"),
        };
        let alarm = outcome.result.as_ref().ok().and_then(|report| report.alarm(lang));
        let alarm = alarm.map(|alarm| format!("  {}", paint(style, RED, &printable(alarm)))).unwrap_or_default();
        out.push_str(&format!("{score}  {}{alarm}\n", printable(&address(outcome.shown_url()))));
    }
    out
}

/// Why a page has no score.
fn unaudited(url: &str, error: &Unaudited, lang: Lang, style: TextStyle) -> String {
    const HEADING: Text = text("could not be audited", "não pôde ser auditada");
    let heading = paint(style, RED, &format!("✗ {}", HEADING.in_lang(lang)));
    let why = printable(error.message(lang));
    format!("{}\n{heading}  {}\n    {why}\n", printable(&address(url)), error.code)
}

/// Numbers of findings by severity.
pub(super) fn counts(report: &Report, lang: Lang) -> String {
    const COUNTS: Text = text(
        "{errors} {errors|error|errors}, {warnings} {warnings|warning|warnings}, {info} {info|note|notes}",
        "{errors} {errors|erro|erros}, {warnings} {warnings|aviso|avisos}, {info} {info|observação|observações}",
    );
    let counts = COUNTS.phrase(&[
        ("errors", report.counts.errors.into()),
        ("warnings", report.counts.warnings.into()),
        ("info", report.counts.info.into()),
    ]);
    counts.in_lang(lang).to_owned()
}

/// SGR parameters (ECMA-48 §8.3.117).
const BOLD: &str = "1";
const FAINT: &str = "2";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const CYAN: &str = "36";

fn paint(style: TextStyle, code: &str, text: &str) -> String {
    match style {
        TextStyle::Colours => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        TextStyle::Plain => text.to_owned(),
    }
}

/// The colour of a score.
fn band(score: u32) -> &'static str {
    match score {
        90.. => GREEN,
        50..90 => YELLOW,
        _ => RED,
    }
}

/// Whether search engines can show the page, if not; score, the most urgent findings first with the fix under each, and what
/// was not measured.
fn page(report: &Report, lang: Lang, style: TextStyle) -> String {
    const SCORE: Text = text("{score} of 100", "{score} de 100");
    const UNMEASURED: Text = text(
        "{count} {count|check was|checks were} not measured: {reasons}.",
        "{count} {count|verificação não foi medida|verificações não foram medidas}: {reasons}.",
    );
    let score = SCORE.phrase(&[("score", report.score.into())]);
    let alarm = report.alarm(lang).map(|alarm| format!("{}\n", paint(style, RED, &printable(alarm))));
    let mut out = format!(
        "{}\n{}{}  {}\n",
        printable(&address(&report.url)),
        alarm.unwrap_or_default(),
        paint(style, band(report.score), score.in_lang(lang)),
        counts(report, lang)
    );
    if let Some(systems) = built_with(report) {
        out.push_str(&format!("{}: {}\n", BUILT_WITH.in_lang(lang), printable(&systems)));
    }
    if let Some(sentence) = json_ld_left_out(report, lang) {
        out.push_str(&format!("{sentence}\n"));
    }
    for (finding, fix) in most_urgent(&report.findings, &report.fixes) {
        let (mark, code) = match finding.severity {
            Severity::Error => ("✗", RED),
            Severity::Warn => ("!", YELLOW),
            Severity::Info => ("i", CYAN),
        };
        let message = printable(finding.message.in_lang(lang));
        out.push_str(&format!("\n{} {}  {message}\n", paint(style, code, mark), paint(style, BOLD, &finding.code)));
        for (at, shown) in finding.evidence.iter().take(PLACES).map(place) {
            let shown = printable(&shown.replace('\n', " "));
            out.push_str(&format!("    {}{}\n", printable(&at), paint(style, FAINT, &shown)));
        }
        out.push_str(more(finding.evidence.len(), PLACES));
        out.push_str(&format!("  → {}\n", class(fix.class).in_lang(lang)));
        let path = fix.file.as_ref().map_or(String::new(), |file| format!("{}\n", file.path));
        let snippet = edits::ready(fix, lang).map(|ready| path + &ready);
        let note = fix.note.as_ref().map(|note| note.in_lang(lang).to_owned());
        let place = fix.place.as_ref().map(|place| made_in(place, lang));
        for shown in [snippet, note, place].into_iter().flatten() {
            let shown = printable(&shown);
            for line in shown.lines().take(SNIPPET_LINES) {
                out.push_str(&format!("    {line}\n"));
            }
            out.push_str(more(shown.lines().count(), SNIPPET_LINES));
        }
    }
    for (nth, line) in lab_lines(report, lang).into_iter().flat_map(|lines| lines.into_iter().enumerate()) {
        let line = printable(&line);
        out.push_str(&if nth == 0 { format!("\n{}\n", paint(style, BOLD, &line)) } else { format!("    {line}\n") });
    }
    if !report.coverage.not_measured.is_empty() {
        let words = report.coverage.not_measured.values().map(|word| reason::in_words(word).in_lang(lang).to_owned());
        let reasons: BTreeSet<String> = words.collect();
        let reasons = reasons.into_iter().collect::<Vec<_>>().join("; ");
        let values = [("count", report.coverage.not_measured.len().into()), ("reasons", reasons.into())];
        out.push_str(&format!("\n{}\n", UNMEASURED.phrase(&values).in_lang(lang)));
    }
    out
}

/// The lines of each lab test of the page.
pub(super) fn lab_lines(report: &Report, lang: Lang) -> Vec<Vec<String>> {
    let Some(summary) = &report.summary else { return Vec::new() };
    let tests = summary.lab.iter().flat_map(|tests| Strategy::ALL.into_iter().filter_map(|of| tests.of(of)));
    let rendered = |test: &LabTest| summary.rendered.as_ref().and_then(|pages| pages.of(test.strategy));
    tests.map(|test| lab::lines(test, summary.crux.as_ref(), rendered(test), lang)).collect()
}

/// The heading of [`built_with`].
pub const BUILT_WITH: Text = text("Built with", "Feita com");

/// The systems that the page was made with, each with its version where the page states it.
pub fn built_with(report: &Report) -> Option<String> {
    let systems = report.summary.as_ref().map(|summary| summary.platform.as_slice()).filter(|all| !all.is_empty())?;
    let named = systems.iter().map(|system| match &system.version {
        Some(version) => format!("{} {version}", system.name),
        None => system.name.clone(),
    });
    Some(named.collect::<Vec<_>>().join(", "))
}

/// The sentence about JSON-LD nodes that were left out; `None` where all were read.
pub fn json_ld_left_out(report: &Report, lang: Lang) -> Option<String> {
    const LEFT_OUT: Text = text(
        "Only the first 50 of {count} JSON-LD nodes were read.",
        "Só os primeiros 50 de {count} nós de JSON-LD foram lidos.",
    );
    let is_cut = report.truncated.contains(&Cut::JsonldNodesOver50);
    let count = report.summary.as_ref().filter(|_| is_cut)?.json_ld_count;
    Some(LEFT_OUT.phrase(&[("count", count.into())]).in_lang(lang).to_owned())
}

/// The line that says how much is left out.
fn more(all: usize, shown: usize) -> &'static str {
    if all > shown { "    …\n" } else { "" }
}

/// How ready a fix is, in words.
pub(super) fn class(class: FixClass) -> Text {
    match class {
        FixClass::Deterministic => text("ready to paste", "pronto para colar"),
        FixClass::Template => text("template: fill in", "modelo: preencher"),
        FixClass::Instruction => text(
            "needs your decision or a change on the server",
            "precisa da sua decisão ou de uma mudança no servidor",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{audited, blocked};
    use super::*;

    #[test]
    fn every_finding_is_shown_with_its_fix() {
        let outcome = audited();
        let shown = render(std::slice::from_ref(&outcome), Lang::PtBr, TextStyle::Plain);
        for finding in &outcome.result.unwrap().findings {
            assert!(shown.contains(&finding.code));
        }
        assert!(shown.contains("pronto para colar"));
        assert!(shown.contains("nada foi requisitado"), "why checks were not measured is said in words");
    }

    #[test]
    fn json_ld_that_was_left_out_is_told() {
        let mut report = audited().result.unwrap();
        assert_eq!(json_ld_left_out(&report, Lang::En), None);
        report.truncated.push(Cut::JsonldNodesOver50);
        report.summary.as_mut().unwrap().json_ld_count = 80;
        let outcome = PageOutcome { result: Ok(report), ..audited() };
        for (lang, sentence) in [
            (Lang::En, "\nOnly the first 50 of 80 JSON-LD nodes were read.\n"),
            (Lang::PtBr, "\nSó os primeiros 50 de 80 nós de JSON-LD foram lidos.\n"),
        ] {
            assert!(render(std::slice::from_ref(&outcome), lang, TextStyle::Plain).contains(sentence));
            assert!(super::super::markdown::render(std::slice::from_ref(&outcome), lang).contains(sentence));
        }
    }

    #[test]
    fn only_a_terminal_gets_escapes() {
        let outcomes = [audited(), blocked()];
        assert!(!render(&outcomes, Lang::En, TextStyle::Plain).contains('\u{1b}'));
        assert!(render(&outcomes, Lang::En, TextStyle::Colours).contains("\u{1b}[31m"));
    }

    #[test]
    fn several_pages_end_with_a_line_for_each() {
        let both = render(&[audited(), blocked()], Lang::En, TextStyle::Plain);
        let (_, summary) = both.split_once("1 of 2 pages audited, lowest score ").unwrap();
        assert_eq!(summary.lines().count(), 3);
        assert!(summary.ends_with("  ✗  https://example.com/\\u{1b}[2J|<b>\n"), "{summary}");
        let none = render(&[blocked(), blocked()], Lang::En, TextStyle::Plain);
        assert!(none.contains("None of the 2 pages could be audited\n"));
        assert!(!render(&[blocked()], Lang::En, TextStyle::Plain).contains("pages"));
    }
}
