//! For a person at a terminal.

use model::finding::Severity;
use model::fix::FixClass;
use model::lang::{Lang, Text, text};
use model::report::Report;

use super::{Style, printable};

/// Lines kept of a fix's snippet: the whole is in the JSON.
const SNIPPET_LINES: usize = 6;

/// Each page, and a line for all of them where there are several.
pub(super) fn render(reports: &[&Report], lang: Lang, style: Style) -> String {
    let pages: Vec<String> = reports.iter().map(|report| page(report, lang, style)).collect();
    let mut out = pages.join("\n");
    if let [_, _, ..] = reports {
        const ALL: Text = text("{count} pages, lowest score {score}", "{count} páginas, menor nota {score}");
        let lowest = reports.iter().map(|report| report.score).min().unwrap_or_default();
        let line = ALL.phrase(&[("count", reports.len().into()), ("score", lowest.into())]);
        out.push_str(&format!("\n{}\n", line.in_lang(lang)));
    }
    out
}

/// Score, findings by severity with the fix under each, and what was not measured.
fn page(report: &Report, lang: Lang, style: Style) -> String {
    const SCORE: Text = text("{score} of 100", "{score} de 100");
    const COUNTS: Text = text(
        "{errors} {errors|error|errors}, {warnings} {warnings|warning|warnings}, {info} {info|note|notes}",
        "{errors} {errors|erro|erros}, {warnings} {warnings|aviso|avisos}, {info} {info|nota|notas}",
    );
    const UNMEASURED: Text = text(
        "{count} {count|check was|checks were} not measured ({reasons}).",
        "{count} {count|verificação não foi medida|verificações não foram medidas} ({reasons}).",
    );
    let paint = |code: &str, text: &str| match style {
        Style::Colours => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        Style::Plain => text.to_owned(),
    };
    let score = SCORE.phrase(&[("score", report.score.into())]);
    let counts = COUNTS.phrase(&[
        ("errors", report.counts.errors.into()),
        ("warnings", report.counts.warnings.into()),
        ("info", report.counts.info.into()),
    ]);
    let band = match report.score {
        90.. => "32",
        50..90 => "33",
        _ => "31",
    };
    let mut out =
        format!("{}\n{}  {}\n", printable(&report.url), paint(band, score.in_lang(lang)), counts.in_lang(lang));
    for (finding, fix) in report.findings.iter().zip(&report.fixes) {
        let (mark, code) = match finding.severity {
            Severity::Error => ("✗", "31"),
            Severity::Warn => ("!", "33"),
            Severity::Info => ("i", "36"),
        };
        let message = printable(finding.message.in_lang(lang));
        out.push_str(&format!("\n{} {}  {message}\n", paint(code, mark), paint("1", &finding.code)));
        for place in finding.evidence.iter().take(3) {
            let line = place.line.map(|line| format!("{line}: ")).unwrap_or_default();
            let shown =
                place.snippet.as_deref().or(place.url.as_deref()).or(place.selector.as_deref()).unwrap_or_default();
            out.push_str(&format!("    {line}{}\n", paint("2", &printable(&shown.replace('\n', " ")))));
        }
        out.push_str(&format!("  → {}\n", class(fix.class).in_lang(lang)));
        let snippet =
            fix.file.as_ref().map(|file| format!("{}\n{}", file.path, file.content)).or_else(|| fix.snippet.clone());
        let note = fix.note.as_ref().map(|note| note.in_lang(lang).to_owned());
        for shown in [snippet, note].into_iter().flatten() {
            for line in printable(&shown).lines().take(SNIPPET_LINES) {
                out.push_str(&format!("    {line}\n"));
            }
        }
    }
    if !report.coverage.not_measured.is_empty() {
        let mut reasons: Vec<&str> = report.coverage.not_measured.values().map(String::as_str).collect();
        reasons.sort_unstable();
        reasons.dedup();
        let values = [("count", report.coverage.not_measured.len().into()), ("reasons", reasons.join(", ").into())];
        out.push_str(&format!("\n{}\n", UNMEASURED.phrase(&values).in_lang(lang)));
    }
    out
}

/// How ready a fix is, in words.
pub(super) fn class(class: FixClass) -> Text {
    match class {
        FixClass::Deterministic => text("ready to paste", "pronto para colar"),
        FixClass::Template => text("fill in", "preencher"),
        FixClass::Instruction => text("needs a decision or the server", "pede uma decisão ou o servidor"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;

    #[test]
    fn every_finding_is_shown_with_its_fix_and_no_escape_of_the_page() {
        let report = report();
        let shown = render(&[&report], Lang::PtBr, Style::Plain);
        for finding in &report.findings {
            assert!(shown.contains(&finding.code));
        }
        assert!(!shown.contains('\u{1b}'));
        assert!(shown.contains("pronto para colar"));
        assert!(render(&[&report, &report], Lang::En, Style::Colours).contains("\u{1b}[31m"));
    }
}
