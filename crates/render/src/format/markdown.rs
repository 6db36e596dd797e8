//! For a pull request or a note.

use audit::score::most_urgent;
use model::change::Changed;
use model::finding::Severity;
use model::lang::{Lang, Text, text};
use model::report::Report;

use super::outcome::{PageOutcome, Unaudited, place};
use super::text::{BUILT_WITH, built_with, class, counts, json_ld_left_out, lab_lines};
use crate::edits;
use crate::shown::{address, made_in, printable};

/// Each page; before them, where there are several, a table of all.
pub(super) fn render(outcomes: &[PageOutcome], lang: Lang) -> String {
    let mut parts = Vec::new();
    if let [_, _, ..] = outcomes {
        parts.push(table(outcomes, lang));
    }
    parts.extend(outcomes.iter().map(|outcome| match &outcome.result {
        Ok(report) => page(report, lang),
        Err(error) => unaudited(&outcome.url, error, lang),
    }));
    parts.join("\n")
}

/// A row for each page.
fn table(outcomes: &[PageOutcome], lang: Lang) -> String {
    const HEAD: Text = text("| Page | Score | Findings |", "| Página | Nota | Achados |");
    const FAILED: Text = text("not audited", "não auditada");
    let mut out = format!("{}\n|---|--:|---|\n", HEAD.in_lang(lang));
    for outcome in outcomes {
        let (score, findings) = match &outcome.result {
            Ok(report) => {
                let alarm = report.alarm(lang).map(|alarm| format!("{} ", cell(alarm))).unwrap_or_default();
                (report.score.to_string(), format!("{alarm}{}", counts(report, lang)))
            }
            Err(_) => ("–".to_owned(), FAILED.in_lang(lang).to_owned()),
        };
        out.push_str(&format!("| {} | {score} | {findings} |\n", cell(&address(outcome.shown_url()))));
    }
    out
}

/// Whether search engines can show the page, if not; score and counts, then each finding with its places and its fix, the most
/// urgent first.
fn page(report: &Report, lang: Lang) -> String {
    const HEADING: Text = text("Audit of {url}: {score} of 100", "Auditoria de {url}: {score} de 100");
    let title = HEADING.phrase(&[("url", escaped(&address(&report.url)).into()), ("score", report.score.into())]);
    let alarm = report.alarm(lang).map(|alarm| format!("**{}**\n\n", escaped(alarm))).unwrap_or_default();
    let mut out = format!("# {}\n\n{alarm}{}\n", title.in_lang(lang), counts(report, lang));
    if let Some(systems) = built_with(report) {
        out.push_str(&format!("\n{}: {}\n", BUILT_WITH.in_lang(lang), escaped(&systems)));
    }
    if let Some(sentence) = json_ld_left_out(report, lang) {
        out.push_str(&format!("\n{sentence}\n"));
    }
    for (finding, fix) in most_urgent(&report.findings, &report.fixes) {
        let line = heading(finding.severity, &finding.code, Some(finding.points), lang);
        out.push_str(&format!("\n## {line}\n\n{}\n", with_code(finding.message.in_lang(lang))));
        if !finding.evidence.is_empty() {
            out.push('\n');
        }
        for (at, shown) in finding.evidence.iter().map(place) {
            out.push_str(&format!("- {}{}\n", escaped(&at), escaped(shown)));
        }
        out.push_str(&format!("\n**{}**\n", class(fix.class).in_lang(lang)));
        if let Some(note) = &fix.note {
            out.push_str(&format!("\n{}\n", with_code(note.in_lang(lang))));
        }
        if let Some(place) = &fix.place {
            out.push_str(&format!("\n{}\n", with_code(&made_in(place, lang))));
        }
        if let Some(file) = &fix.file {
            out.push_str(&format!("\n{}\n", escaped(&file.path)));
        }
        if let Some(code) = edits::ready(fix, lang).filter(|code| !code.is_empty()) {
            let code = printable(&code);
            let fence = fence(&code);
            let language = if fix.edits.is_empty() { "" } else { "diff" };
            out.push_str(&format!("\n{fence}{language}\n{}\n{fence}\n", code.trim_end()));
        }
    }
    for (nth, line) in lab_lines(report, lang).into_iter().flat_map(|lines| lines.into_iter().enumerate()) {
        let line = escaped(&line);
        out.push_str(&if nth == 0 { format!("\n## {line}\n\n") } else { format!("- {line}\n") });
    }
    out
}

/// Severity, code and points of a finding.
fn heading(severity: Severity, code: &str, points: Option<i32>, lang: Lang) -> String {
    const POINTS: Text = text(", {points} {points|point|points}", ", {points} {points|ponto|pontos}");
    let points =
        points.filter(|points| *points != 0).map(|points| POINTS.phrase(&[("points", i64::from(points).into())]));
    let points = points.map(|points| points.in_lang(lang).to_owned()).unwrap_or_default();
    format!("{}: `{code}`{points}", severity.name().in_lang(lang))
}

/// What changed since an earlier audit, as sections of their own.
pub(super) fn comparison(fixed: &[Changed], broke: &[Changed], revealed: &[Changed], lang: Lang) -> String {
    const NONE: Text = text("None.", "Nenhum.");
    let sections = [
        (text("Fixed", "Corrigidos"), fixed),
        (text("New", "Novos"), broke),
        (text("Revealed by a fix", "Revelados por uma correção"), revealed),
    ];
    let mut out = String::new();
    for (title, findings) in sections {
        out.push_str(&format!("\n## {}\n\n", title.in_lang(lang)));
        if findings.is_empty() {
            out.push_str(&format!("{}\n", NONE.in_lang(lang)));
        }
        for finding in findings {
            let heading = heading(finding.severity, &finding.code, None, lang);
            out.push_str(&format!("- {heading}. {}\n", with_code(&finding.message)));
        }
    }
    out
}

/// Why there is no report.
fn unaudited(url: &str, error: &Unaudited, lang: Lang) -> String {
    const HEADING: Text = text("Audit of {url}: failed", "Auditoria de {url}: falhou");
    let heading = HEADING.phrase(&[("url", escaped(&address(url)).into())]);
    let why = escaped(error.message(lang));
    format!("# {}\n\n`{}`: {why}\n", heading.in_lang(lang), error.code)
}

/// Text that Markdown shows as it is, on one line: what it would read as a mark there is escaped, and nothing else, so that
/// names and addresses can be copied (CommonMark 0.31 §2.4, §6.2).
fn escaped(text: &str) -> String {
    let text: Vec<char> = printable(text).chars().map(|c| if c == '\n' { ' ' } else { c }).collect();
    let mut out = String::with_capacity(text.len());
    for (index, character) in text.iter().copied().enumerate() {
        let before = index.checked_sub(1).and_then(|at| text.get(at)).copied();
        let after = text.get(index + 1).copied();
        let is_at = |neighbour: Option<char>, test: fn(char) -> bool| neighbour.is_some_and(test);
        let is_mark = match character {
            '`' | '[' => true,
            '\\' => is_at(after, |c| c.is_ascii_punctuation()),
            // A tag, a comment or an address; `a < b` is none.
            '<' => is_at(after, |c| c.is_ascii_alphabetic() || "/!?".contains(c)),
            '*' => is_at(before, |c| !c.is_whitespace()) || is_at(after, |c| !c.is_whitespace()),
            // Inside a word it is no emphasis.
            '_' => !(is_at(before, char::is_alphanumeric) && is_at(after, char::is_alphanumeric)),
            // At the beginning of a line: a heading, a quotation, a list.
            '#' | '>' => before.is_none(),
            '-' | '+' => before.is_none() && is_at(after, char::is_whitespace),
            _ => false,
        };
        if is_mark {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// A sentence of ours, which has code between backticks and may quote the page: code stays code, in which Markdown reads no
/// mark (CommonMark 0.31 §6.1), and the rest is escaped.
fn with_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let mut out = String::with_capacity(text.len());
    for (index, part) in parts.iter().enumerate() {
        let has_end = index + 1 < parts.len();
        if index % 2 == 1 && has_end && !part.trim().is_empty() {
            out.push_str(&format!("`{}`", printable(part).replace('\n', " ")));
        } else if index % 2 == 1 {
            // A backtick without its pair, or a pair with nothing between.
            out.push_str(&format!("\\`{}{}", escaped(part), if has_end { "\\`" } else { "" }));
        } else {
            out.push_str(&escaped(part));
        }
    }
    out
}

/// The same in a cell of a table.
fn cell(text: &str) -> String {
    escaped(text).replace('|', "\\|")
}

/// A fence longer than any run of backticks inside.
fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{audited, blocked};
    use super::*;

    #[test]
    fn page_text_is_never_markup() {
        for (text, wanted) in [
            ("|a| [x](javascript:1) <b>\n# h", "|a| \\[x](javascript:1) \\<b> # h"),
            ("# h", "\\# h"),
            ("> q", "\\> q"),
            ("- a - b", "\\- a - b"),
            ("*a* _b_ `c` \\* \\a", "\\*a\\* \\_b\\_ \\`c\\` \\\\\\* \\a"),
            ("og:image_alt of /a_b.html?c=[1]", "og:image_alt of /a_b.html?c=\\[1]"),
            ("3 < 4 > 2, 2 * 2", "3 < 4 > 2, 2 * 2"),
        ] {
            assert_eq!(escaped(text), wanted, "{text}");
        }
        assert_eq!(cell("a|b"), "a\\|b");
        assert_eq!(fence("a ```` b"), "`````");
        assert!(render(&[audited()], Lang::En).contains("## Warning: `title_multiple`, 8 points"));
    }

    #[test]
    fn code_in_a_sentence_of_ours_stays_code_and_nothing_else_acts() {
        for (text, wanted) in [
            ("Put `<meta name=\"robots\">` there", "Put `<meta name=\"robots\">` there"),
            ("a `b` c `d", "a `b` c \\`d"),
            ("``[x](y)", "\\`\\`\\[x](y)"),
            ("`a\nb` <b>", "`a b` \\<b>"),
            ("<b> *x*", "\\<b> \\*x\\*"),
        ] {
            assert_eq!(with_code(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_heading_has_severity_and_points_in_words() {
        let shown = |points, lang| heading(Severity::Warn, "title_multiple", points, lang);
        assert_eq!(shown(Some(8), Lang::En), "Warning: `title_multiple`, 8 points");
        assert_eq!(shown(Some(1), Lang::PtBr), "Aviso: `title_multiple`, 1 ponto");
        assert_eq!(heading(Severity::Info, "text_thin", Some(0), Lang::En), "Note: `text_thin`");
    }

    #[test]
    fn a_comparison_says_what_was_fixed_and_what_is_new() {
        let changed = |code: &str| Changed {
            code: code.to_owned(),
            severity: Severity::Warn,
            message: "The `title` is long.".to_owned(),
        };
        let shown = comparison(&[changed("title_too_long")], &[], &[], Lang::En);
        assert!(
            shown.starts_with("\n## Fixed\n\n- Warning: `title_too_long`. The `title` is long.\n\n## New\n\nNone.\n"),
            "{shown}"
        );
        assert!(comparison(&[], &[], &[], Lang::PtBr).contains("## Revelados por uma correção"));
    }

    #[test]
    fn several_pages_begin_with_a_table_and_a_failed_one_says_why() {
        let text = render(&[audited(), blocked()], Lang::PtBr);
        assert!(text.starts_with("| Página | Nota | Achados |\n|---|--:|---|\n| https://example.com/ | "), "{text}");
        assert!(text.contains("\\|\\<b> | – | não auditada |\n"));
        assert!(text.contains("`target_blocked`: Um firewall do alvo"));
        assert!(!render(&[audited()], Lang::En).contains("|---|"));
    }
}
