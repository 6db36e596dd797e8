//! The report of a site for a terminal.

use model::lang::{Lang, Text, text as both};
use site::{Scope, SiteReport};

use super::words;
use crate::shown::printable;

/// Cases of a finding that are shown: the report page and the tables have all.
const MOST_CASES: usize = 5;
/// Findings of pages that are shown.
const MOST_FINDINGS: usize = 20;

/// The report in lines. Ends with a line end.
pub fn text(report: &SiteReport, lang: Lang) -> String {
    const SCORE: Text = both("Score {score} of 100", "Pontuação {score} de 100");
    const NO_SCORE: Text = both("No page could be audited", "Nenhuma página pôde ser auditada");
    const INCOMPLETE: Text = both(
        "The limits of the run left pages out. Raise --max-pages to audit them.",
        "Os limites da execução deixaram páginas de fora. Aumente --max-pages para auditá-las.",
    );
    const TEMPLATES: Text = both("Fix once, for many pages", "Corrija uma vez, para muitas páginas");
    const SITE: Text = both("Across pages", "Entre páginas");
    const PAGES: Text = both("On single pages", "Em páginas isoladas");
    const MORE: Text = both("… and {count} more", "… e mais {count}");
    let more = |count: usize| MORE.phrase(&[("count", count.into())]).in_lang(lang).to_owned();
    let mut lines = vec![printable(&report.url)];
    let score = report.score.map(|score| SCORE.phrase(&[("score", score.into())]));
    lines.push(score.unwrap_or_else(|| NO_SCORE.into()).in_lang(lang).to_owned());
    let answers = report.answers.iter().map(|(word, count)| format!("{}: {count}", words::answer(word).in_lang(lang)));
    lines.push(answers.collect::<Vec<_>>().join(" · "));
    if !report.complete {
        lines.push(INCOMPLETE.in_lang(lang).to_owned());
    }
    let (alone, folded): (Vec<_>, Vec<_>) =
        report.page_findings.iter().partition(|finding| finding.scope == Scope::Pages);
    for (heading, findings) in [(TEMPLATES, folded), (PAGES, alone)] {
        if heading == PAGES {
            site_findings(report, lang, SITE, &more, &mut lines);
        }
        if findings.is_empty() {
            continue;
        }
        lines.extend([String::new(), heading.in_lang(lang).to_owned()]);
        for finding in findings.iter().take(MOST_FINDINGS) {
            let severity = words::severity(finding.severity).in_lang(lang);
            let (title, place) = (words::title(finding, lang), words::place(finding, lang));
            let gain = words::gain(finding.gain, lang);
            lines.push(printable(format!("  {severity}: {title}. {place} {gain}").trim_end()));
        }
        lines.extend(
            findings.len().checked_sub(MOST_FINDINGS).filter(|left| *left > 0).map(|left| format!("  {}", more(left))),
        );
    }
    lines.join("\n") + "\n"
}

fn site_findings(
    report: &SiteReport,
    lang: Lang,
    heading: Text,
    more: &impl Fn(usize) -> String,
    lines: &mut Vec<String>,
) {
    if report.findings.is_empty() {
        return;
    }
    lines.extend([String::new(), heading.in_lang(lang).to_owned()]);
    for finding in &report.findings {
        let severity = words::severity(finding.severity).in_lang(lang);
        let gain = words::gain(finding.gain, lang);
        lines.push(printable(format!("  {severity}: {} {gain}", finding.message.in_lang(lang)).trim_end()));
        lines.push(format!("    {}", finding.fix.in_lang(lang)));
        for case in finding.cases.iter().take(MOST_CASES) {
            lines.push(printable(&format!("    - {}: {}", case.url, case.note.in_lang(lang))));
        }
        lines.extend(
            finding.total.checked_sub(MOST_CASES).filter(|left| *left > 0).map(|left| format!("    {}", more(left))),
        );
    }
}
