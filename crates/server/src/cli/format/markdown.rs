//! For a pull request or a note.

use model::lang::{Lang, text};
use model::report::Report;

use super::text::class;

/// Score, a table of counts, and each finding with its fix.
pub(super) fn render(report: &Report, lang: Lang) -> String {
    let heading = text("Audit of {url}: {score} of 100", "Auditoria de {url}: {score} de 100")
        .phrase(&[("url", escaped(&report.url).into()), ("score", report.score.into())]);
    let mut out = format!("# {}\n", heading.in_lang(lang));
    for (finding, fix) in report.findings.iter().zip(&report.fixes) {
        out.push_str(&format!(
            "\n## {} `{}`\n\n{}\n",
            finding.severity.word(),
            finding.code,
            escaped(finding.message.in_lang(lang))
        ));
        for place in &finding.evidence {
            let shown =
                place.snippet.as_deref().or(place.url.as_deref()).or(place.selector.as_deref()).unwrap_or_default();
            let line = place.line.map(|line| format!("{line}: ")).unwrap_or_default();
            out.push_str(&format!("\n- {line}{}", escaped(shown)));
        }
        out.push_str(&format!("\n\n**{}**\n", class(fix.class).in_lang(lang)));
        if let Some(note) = &fix.note {
            out.push_str(&format!("\n{}\n", escaped(note.in_lang(lang))));
        }
        let code = fix.file.as_ref().map(|file| file.content.as_str()).or(fix.snippet.as_deref());
        if let Some(code) = code.filter(|code| !code.is_empty()) {
            let fence = fence(code);
            out.push_str(&format!("\n{fence}\n{}\n{fence}\n", code.trim_end()));
        }
    }
    out
}

/// Text that Markdown shows as it is: its marks escaped, on one line.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in super::printable(text).chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' => {
                out.push('\\');
                out.push(character);
            }
            '\n' | '\r' => out.push(' '),
            character => out.push(character),
        }
    }
    out
}

/// A fence longer than any run of backticks inside.
fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;

    #[test]
    fn page_text_is_never_markup() {
        assert_eq!(escaped("|a| [x](javascript:1) <b>\n# h"), "\\|a\\| \\[x\\](javascript:1) \\<b\\> \\# h");
        assert_eq!(fence("a ```` b"), "`````");
        assert!(render(&report(), Lang::En).contains("## warn `title_multiple`"));
    }
}
