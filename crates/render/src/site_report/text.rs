//! The report of a site for a terminal.

use model::lang::{Lang, Text, text as both};
use site::{Scope, SiteChanges, SiteReport};

use super::run::UNCHANGED;
use super::words::{self, OptionNames};
use crate::shown::printable;

/// Cases of a finding that are shown: the report page and the tables have all.
const MOST_CASES: usize = 5;
/// Findings of pages that are shown.
const MOST_FINDINGS: usize = 20;
/// Findings that are shown of what broke, and of what was fixed.
const MOST_CHANGES: usize = 50;

/// The report in lines. Ends with a line end.
pub fn text(report: &SiteReport, lang: Lang) -> String {
    const SCORE: Text = both("Score {score} of 100", "Nota {score} de 100");
    const NO_SCORE: Text = both("No page could be audited", "Nenhuma página pôde ser auditada");
    const TEMPLATES: Text = both("Fix once, for many pages", "Corrija uma vez, para muitas páginas");
    const SITE: Text = both("Findings across pages", "Achados entre páginas");
    const PAGES: Text = both("Findings on individual pages", "Achados em páginas individuais");
    let mut lines = vec![printable(&report.url)];
    let score = report.score.map(|score| SCORE.phrase(&[("score", score.into())]));
    lines.push(score.unwrap_or_else(|| NO_SCORE.into()).in_lang(lang).to_owned());
    let answers = report
        .answers
        .iter()
        .map(|(word, count)| format!("{}: {}", words::answer(word).in_lang(lang), words::count(*count as usize, lang)));
    lines.push(answers.collect::<Vec<_>>().join(" · "));
    lines.extend(
        words::limits(report, OptionNames::CommandLine).into_iter().map(|sentence| sentence.in_lang(lang).to_owned()),
    );
    lines.extend(words::gaps(report, lang).iter().map(|sentence| printable(sentence)));
    let (alone, folded): (Vec<_>, Vec<_>) =
        report.page_findings.iter().partition(|finding| finding.scope == Scope::Pages);
    for (heading, findings) in [(TEMPLATES, folded), (PAGES, alone)] {
        if heading == PAGES {
            site_findings(report, lang, SITE, &mut lines);
        }
        if findings.is_empty() {
            continue;
        }
        lines.extend([String::new(), heading.in_lang(lang).to_owned()]);
        for finding in findings.iter().take(MOST_FINDINGS) {
            let severity = finding.severity.name().in_lang(lang);
            let (title, place) = (finding.title.in_lang(lang), finding.message.in_lang(lang));
            let gain = words::gain(finding.gain, lang);
            lines.push(printable(format!("  {severity}: {title}. {place} {gain}").trim_end()));
        }
        lines.extend(
            findings
                .len()
                .checked_sub(MOST_FINDINGS)
                .filter(|left| *left > 0)
                .map(|left| format!("  {}", more(left, lang))),
        );
    }
    lines.join("\n") + "\n"
}

fn site_findings(report: &SiteReport, lang: Lang, heading: Text, lines: &mut Vec<String>) {
    if report.findings.is_empty() {
        return;
    }
    lines.extend([String::new(), heading.in_lang(lang).to_owned()]);
    for finding in &report.findings {
        let severity = finding.severity.name().in_lang(lang);
        let gain = words::gain(finding.gain, lang);
        lines.push(printable(format!("  {severity}: {} {gain}", finding.message.in_lang(lang)).trim_end()));
        lines.push(format!("    {}", finding.fix.in_lang(lang)));
        for case in finding.cases.iter().take(MOST_CASES) {
            lines.push(printable(&format!("    - {}: {}", case.url, case.note.in_lang(lang))));
        }
        lines.extend(
            finding
                .total
                .checked_sub(MOST_CASES)
                .filter(|left| *left > 0)
                .map(|left| format!("    {}", more(left, lang))),
        );
    }
}

/// What changed since another run, in lines. Ends with a line end.
pub fn changes_text(changes: &SiteChanges, lang: Lang) -> String {
    const NEW: Text = both("New", "Novo");
    const FIXED: Text = both("Fixed", "Corrigido");
    let mut lines = vec![String::new()];
    for (word, found) in [(NEW, &changes.broke), (FIXED, &changes.fixed)] {
        for change in found.iter().take(MOST_CHANGES) {
            let (severity, title) = (change.severity.name().in_lang(lang), change.title.in_lang(lang));
            lines.push(printable(&format!("{}: {severity}: {title}: {}", word.in_lang(lang), change.url)));
        }
        let left = found.len().saturating_sub(MOST_CHANGES);
        if left > 0 {
            lines.push(more(left, lang));
        }
    }
    if lines.len() == 1 {
        lines.push(UNCHANGED.in_lang(lang).to_owned());
    }
    lines.join("\n") + "\n"
}

fn more(count: usize, lang: Lang) -> String {
    const MORE: Text = both("… and {count} more", "… e mais {count}");
    MORE.phrase(&[("count", count.into())]).in_lang(lang).to_owned()
}
