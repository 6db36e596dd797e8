//! The report of a site as one page: no script, no file beside it, for a phone too. Templates first, then causes, then pages.

use audit::escape::{attribute, html_text};
use model::lang::{Lang, Text, text};
use site::{ChangeGroup, FoldedFinding, Scope, SiteFinding, SiteReport, title_of};

use super::charts::bars;
use super::run::{BROKE, FIXED, PageRow, RunChanges, RunNotes, STILL, UNCHANGED};
use super::style::STYLE;
use super::words;
use crate::shown::{date, undirected, without_controls};

/// Addresses shown of one finding; the tables have all.
const MOST_SHOWN: usize = 100;
/// Templates shown.
const MOST_TEMPLATES: usize = 50;

/// The page. `rows` are the pages that are shown, in order.
pub fn page(report: &SiteReport, rows: &[PageRow], notes: &RunNotes, lang: Lang) -> String {
    let report = &report.in_lang(lang);
    const TITLE: Text = text("Site audit of {url}", "Auditoria do site {url}");
    let title = TITLE.phrase(&[("url", report.url.as_str().into())]);
    let title = shown(title.in_lang(lang));
    let mut body = format!("<h1>{title}</h1>");
    head(report, notes, lang, &mut body);
    if let Some(changes) = &notes.changes {
        changed(changes, lang, &mut body);
    }
    templates(report, lang, &mut body);
    causes(report, lang, &mut body);
    pages(report, rows, lang, &mut body);
    unmeasured(report, lang, &mut body);
    without_controls(format!(
        "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{title}</title><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"robots\" content=\"noindex\"><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"><style>{STYLE}</style></head><body><main>{body}</main></body></html>\n",
        lang.tag()
    ))
}

/// Text of the site for a place between tags.
fn shown(value: &str) -> String {
    html_text(&undirected(value))
}

/// A text of ours, in which backticks mark code.
fn with_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let part = |(at, part): (usize, &&str)| match at % 2 {
        1 if at + 1 < parts.len() => format!("<code>{}</code>", shown(part)),
        1 => format!("`{}", shown(part)),
        _ => shown(part),
    };
    parts.iter().enumerate().map(part).collect()
}

/// A link to a page of the site; its text alone where it is no http(s) address.
fn link(url: &str) -> String {
    let is_page = url.starts_with("https://") || url.starts_with("http://");
    if !is_page {
        return shown(url);
    }
    format!("<a href=\"{}\" rel=\"noopener noreferrer nofollow\">{}</a>", attribute(url), shown(url))
}

/// The beginning of a table, up to its rows. The first column holds texts, the others numbers.
fn table(body: &mut String, name: Text, columns: &[Text], lang: Lang) {
    body.push_str(&format!("<table aria-label=\"{}\"><thead><tr>", name.in_lang(lang)));
    for (at, column) in columns.iter().enumerate() {
        let class = if at == 0 { "" } else { " class=\"number\"" };
        body.push_str(&format!("<th scope=\"col\"{class}>{}</th>", column.in_lang(lang)));
    }
    body.push_str("</tr></thead><tbody>");
}

/// A row of it. A narrow window shows no head, but the label of each number.
fn row(body: &mut String, columns: &[Text], first: &str, numbers: &[String], lang: Lang) {
    body.push_str(&format!("<tr><td>{first}</td>"));
    for (column, number) in columns.iter().skip(1).zip(numbers) {
        body.push_str(&format!("<td class=\"number\" data-label=\"{}\">{number}</td>", column.in_lang(lang)));
    }
    body.push_str("</tr>");
}

fn heading(body: &mut String, words: Text, lang: Lang) {
    body.push_str(&format!("<h2>{}</h2>", words.in_lang(lang)));
}

fn head(report: &SiteReport<String>, notes: &RunNotes, lang: Lang, body: &mut String) {
    const OF: Text = text(
        "of 100, each page weighted by its internal links",
        "de 100, cada página com o peso de seus links internos",
    );
    const NO_SCORE: Text = text("No page could be audited.", "Nenhuma página pôde ser auditada.");
    const SCORES: Text = text("Pages by score", "Páginas por nota");
    const DEPTHS: Text = text("Pages by clicks from the first page", "Páginas por cliques a partir da primeira página");
    const ANSWERS: Text = text("Addresses by response", "Endereços por resposta");
    const UNREACHED: Text = text("not linked", "sem links");
    body.push_str(&format!("<p>{}</p>", date(notes.started_at, lang)));
    match report.score {
        Some(score) => body.push_str(&format!("<p><span class=\"score\">{score}</span> {}</p>", OF.in_lang(lang))),
        None => body.push_str(&format!("<p>{}</p>", NO_SCORE.in_lang(lang))),
    }
    let limits =
        words::limits(report, notes.option_names).into_iter().map(|sentence| sentence.in_lang(lang).to_owned());
    let told = notes.why_ended.iter().chain(&notes.failed_bars).map(|sentence| sentence.in_lang(lang).to_owned());
    for sentence in limits.chain(words::gaps(report, lang)).chain(told) {
        body.push_str(&format!("<p>{}</p>", shown(&sentence)));
    }
    let answers: Vec<(String, u32)> =
        report.answers.iter().map(|(word, count)| (words::answer(word).in_lang(lang).to_owned(), *count)).collect();
    let scores: Vec<(String, u32)> = report
        .scores
        .iter()
        .enumerate()
        .map(|(at, count)| (if at == 9 { "90–100".to_owned() } else { format!("{}–{}", at * 10, at * 10 + 9) }, *count))
        .collect();
    let mut depths: Vec<(String, u32)> =
        report.depths.iter().enumerate().map(|(at, count)| (depth_label(at), *count)).collect();
    if report.unreached > 0 {
        depths.push((UNREACHED.in_lang(lang).to_owned(), report.unreached));
    }
    for (words, values) in [(SCORES, scores), (DEPTHS, depths), (ANSWERS, answers)] {
        heading(body, words, lang);
        body.push_str(&bars(words.in_lang(lang), &values, lang));
    }
}

/// The label of a bar of depths: the last one counts all that are deeper too.
fn depth_label(depth: usize) -> String {
    if depth == site::DEEPEST_BAR as usize { format!("{depth}+") } else { depth.to_string() }
}

fn changed(changes: &RunChanges, lang: Lang, body: &mut String) {
    const SINCE: Text = text("Changes since the audit of {date}", "Mudanças desde a auditoria de {date}");
    const BEFORE: Text = text("Changes since the previous audit", "Mudanças desde a auditoria anterior");
    const MORE: Text =
        text("{count} more {count|entry|entries} left out.", "Mais {count} {count|item omitido|itens omitidos}.");
    let words = changes.since.map(|since| SINCE.phrase(&[("date", date(since, lang).into())]));
    body.push_str(&format!("<h2>{}</h2>", shown(words.unwrap_or_else(|| BEFORE.into()).in_lang(lang))));
    let summary = &changes.summary;
    if summary.broke.is_empty() && summary.fixed.is_empty() {
        body.push_str(&format!("<p>{}</p>", UNCHANGED.in_lang(lang)));
    }
    for (words, groups) in [(BROKE, &summary.broke), (FIXED, &summary.fixed)] {
        if !groups.is_empty() {
            let items: String = groups.iter().map(|group| change(group, lang)).collect();
            body.push_str(&format!("<h3>{} ({})</h3>{items}", words.in_lang(lang), words::count(groups.len(), lang)));
        }
    }
    // Folded: the lists of the report have them with their fixes.
    if !summary.still.is_empty() {
        let items: String = summary.still.iter().map(|group| change(group, lang)).collect();
        let count = words::count(summary.still.len(), lang);
        body.push_str(&format!("<details><summary>{} ({count})</summary>{items}</details>", STILL.in_lang(lang)));
    }
    if summary.left_out > 0 {
        let more = MORE.phrase(&[("count", summary.left_out.into())]);
        body.push_str(&format!("<p>{}</p>", more.in_lang(lang)));
    }
}

/// A finding that is new, gone or still there, with the addresses that are named.
fn change(group: &ChangeGroup, lang: Lang) -> String {
    const TEMPLATE: Text = text(
        "On {count} {count|page|pages} of the template of {name}.",
        "Em {count} {count|página|páginas} do template de {name}.",
    );
    const ADDRESSES: Text = text("{count} {count|address|addresses}.", "{count} {count|endereço|endereços}.");
    let count = ("count", group.total.into());
    let place = match &group.template {
        Some(name) => TEMPLATE.phrase(&[count, ("name", name.as_str().into())]),
        None => ADDRESSES.phrase(&[count]),
    };
    format!(
        "<details><summary>{}<strong>{}</strong><br>{}</summary>{}</details>",
        tag(group.severity, lang),
        with_code(title_of(&group.code).in_lang(lang)),
        shown(place.in_lang(lang)),
        addresses(group.urls.iter().map(|url| link(url)), group.total, lang)
    )
}

fn tag(severity: model::finding::Severity, lang: Lang) -> String {
    format!("<span class=\"tag {}\">{}</span>", severity.word(), severity.name().in_lang(lang))
}

fn gain(points: f64, lang: Lang) -> String {
    let gain = words::gain(points, lang);
    if gain.is_empty() { gain } else { format!(" <span class=\"tag\">{gain}</span>") }
}

fn addresses(urls: impl Iterator<Item = String>, total: usize, lang: Lang) -> String {
    const MORE: Text = text("… and {count} more", "… e mais {count}");
    let items: Vec<String> = urls.take(MOST_SHOWN).map(|item| format!("<li>{item}</li>")).collect();
    let left = total.saturating_sub(items.len());
    let more = MORE.phrase(&[("count", left.into())]);
    let more = if left > 0 { format!("<li>{}</li>", more.in_lang(lang)) } else { String::new() };
    format!("<ul>{}{more}</ul>", items.concat())
}

fn folded(finding: &FoldedFinding<String>, lang: Lang) -> String {
    const WHY: Text = text("How to fix it", "Como corrigir");
    const EXCEPTIONS: Text = text("Pages of the template without this finding", "Páginas do template sem este achado");
    let mut inside = format!("<p>{}: {}</p>", WHY.in_lang(lang), with_code(&finding.fix));
    inside.push_str(&addresses(finding.pages.iter().map(|url| link(url)), finding.total, lang));
    if !finding.exceptions.is_empty() {
        inside.push_str(&format!("<p>{}</p>", EXCEPTIONS.in_lang(lang)));
        let total = finding.of.saturating_sub(finding.total);
        inside.push_str(&addresses(finding.exceptions.iter().map(|url| link(url)), total, lang));
    }
    format!(
        "<details><summary>{}<strong>{}</strong>{}<br>{}</summary>{inside}</details>",
        tag(finding.severity, lang),
        with_code(&finding.title),
        gain(finding.gain, lang),
        shown(&finding.message)
    )
}

fn templates(report: &SiteReport<String>, lang: Lang, body: &mut String) {
    const ONCE: Text = text("Fix once, for many pages", "Corrija uma vez, para muitas páginas");
    const TEMPLATE: Text = text("Template", "Template");
    const TEMPLATES: Text = text("Templates", "Templates");
    const COLUMNS: [Text; 4] =
        [TEMPLATE, text("Pages", "Páginas"), text("Average score", "Nota média"), text("Gain", "Ganho")];
    heading(body, TEMPLATES, lang);
    table(body, TEMPLATES, &COLUMNS, lang);
    for template in report.templates.iter().take(MOST_TEMPLATES) {
        let score = template.score.map(|score| score.to_string()).unwrap_or_default();
        let first = format!("{}<br>{}", shown(&template.name), link(&template.example));
        let numbers = [words::count(template.pages, lang), score, words::gain(template.gain, lang)];
        row(body, &COLUMNS, &first, &numbers, lang);
    }
    body.push_str("</tbody></table>");
    let once: String = report
        .page_findings
        .iter()
        .filter(|finding| finding.scope != Scope::Pages)
        .map(|finding| folded(finding, lang))
        .collect();
    if !once.is_empty() {
        heading(body, ONCE, lang);
        body.push_str(&once);
    }
}

fn causes(report: &SiteReport<String>, lang: Lang, body: &mut String) {
    const CAUSES: Text = text("Findings across pages", "Achados entre páginas");
    const NONE: Text = text("No findings across pages.", "Nenhum achado entre páginas.");
    heading(body, CAUSES, lang);
    if report.findings.is_empty() {
        body.push_str(&format!("<p>{}</p>", NONE.in_lang(lang)));
    }
    for finding in &report.findings {
        body.push_str(&cause(finding, lang));
    }
}

fn cause(finding: &SiteFinding<String>, lang: Lang) -> String {
    let case = |case: &site::CaseView<String>| {
        let sources = case.pages.iter().filter(|(url, _)| *url != case.url).map(|(url, detail)| {
            if detail.is_empty() { link(url) } else { format!("{} “{}”", link(url), shown(detail)) }
        });
        let sources: Vec<String> = sources.collect();
        let others = case.total.saturating_sub(case.pages.len() - sources.len());
        let inside = if sources.is_empty() { String::new() } else { addresses(sources.into_iter(), others, lang) };
        format!("{}: {}{inside}", link(&case.url), shown(&case.note))
    };
    format!(
        "<details><summary>{}<strong>{}</strong>{}<br>{}</summary><p>{}</p>{}</details>",
        tag(finding.severity, lang),
        with_code(&finding.title),
        gain(finding.gain, lang),
        shown(&finding.message),
        with_code(&finding.fix),
        addresses(finding.cases.iter().map(case), finding.total, lang)
    )
}

fn pages(report: &SiteReport<String>, rows: &[PageRow], lang: Lang, body: &mut String) {
    const ALONE: Text = text("Findings on individual pages", "Achados em páginas individuais");
    const PAGES: Text = text("Pages", "Páginas");
    const SOME: Text = text(
        "The {shown} pages with the lowest scores, of {pages}. pages.csv has all of them.",
        "As {shown} páginas com as menores notas, de {pages}. pages.csv tem todas.",
    );
    const COLUMNS: [Text; 5] = [
        text("Page", "Página"),
        text("Score", "Nota"),
        text("Clicks", "Cliques"),
        text("Weight", "Peso"),
        text("Findings", "Achados"),
    ];
    let alone: String = report
        .page_findings
        .iter()
        .filter(|finding| finding.scope == Scope::Pages)
        .map(|finding| folded(finding, lang))
        .collect();
    if !alone.is_empty() {
        heading(body, ALONE, lang);
        body.push_str(&alone);
    }
    heading(body, PAGES, lang);
    let pages = report.page_scores.len();
    if rows.len() < pages {
        let values = [("shown", rows.len().into()), ("pages", pages.into())];
        body.push_str(&format!("<p>{}</p>", SOME.phrase(&values).in_lang(lang)));
    }
    table(body, PAGES, &COLUMNS, lang);
    for page in rows {
        let number = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
        let rank = words::decimal(page.rank, 2, lang);
        let numbers = [number(page.score), number(page.depth), rank, words::count(page.findings, lang)];
        row(body, &COLUMNS, &link(&page.url), &numbers, lang);
    }
    body.push_str("</tbody></table>");
}

fn unmeasured(report: &SiteReport<String>, lang: Lang, body: &mut String) {
    const NOT_MEASURED: Text = text("Not measured", "Não medido");
    let told: String = report
        .not_measured
        .iter()
        .filter(|(_, reason)| **reason != "absent")
        .filter_map(|(code, reason)| Some((site::checks::find(code)?, reason)))
        .map(|(check, reason)| {
            format!("<li>{}: {}</li>", check.title.in_lang(lang), words::unmeasured(reason).in_lang(lang))
        })
        .collect();
    if !told.is_empty() {
        heading(body, NOT_MEASURED, lang);
        body.push_str(&format!("<ul>{told}</ul>"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::finding::Severity;
    use model::lang::Phrase;
    use model::time::{Day, Timestamp};

    use super::super::words::OptionNames;

    #[test]
    fn a_page_is_written_as_its_language_writes_numbers_and_says_what_it_leaves_out() {
        let mut report = site::report(&site::SiteBuilder::default().finish(site::SiteInputs::default()));
        report.depths = vec![1; 11];
        report.answers.insert("client_error", 1_234);
        report.limits.insert(site::RunLimit::Depth);
        report.page_scores = (0..1_600).map(|id| (id, 50)).collect();
        let words = Phrase::verbatim("No `title`");
        report.page_findings.push(FoldedFinding {
            code: "title_missing".to_owned(),
            severity: Severity::Error,
            title: words.clone(),
            message: words.clone(),
            fix: words,
            scope: Scope::Pages,
            total: 1,
            of: 0,
            gain: 10.34,
            pages: Vec::new(),
            exceptions: Vec::new(),
        });
        let row =
            PageRow { url: "https://e.com/".to_owned(), score: Some(50), depth: Some(0), rank: 1.25, findings: 2 };
        let started_at: Timestamp = Day::from_civil(2026, 5, 3).start();
        let notes = RunNotes {
            option_names: OptionNames::CommandLine,
            started_at,
            why_ended: None,
            changes: None,
            failed_bars: vec![Phrase::verbatim("Below the <bar>.")],
        };
        let html = page(&report, std::slice::from_ref(&row), &notes, Lang::PtBr);
        for part in [
            ">10+<",
            ">1.234<",
            "Não encontradas e outros 4xx",
            "<code>title</code>",
            ">+10,3 pontos<",
            "<th scope=\"col\" class=\"number\">Cliques</th>",
            ">1,25<",
            "de 1.600.",
            "3 de maio de 2026",
            "--max-depth",
            "Below the &lt;bar&gt;.",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains("--max-pages"));
        let notes = RunNotes { option_names: OptionNames::Service, ..notes };
        let html = page(&report, &[row], &notes, Lang::En);
        assert!(html.contains(">+10.3 points<"));
        assert!(html.contains("Raise max_depth"), "{html}");
    }
}
