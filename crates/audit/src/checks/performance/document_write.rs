//! Scripts that write into the page while it is being read.

use memchr::memmem;

use crate::check::prelude::*;
use crate::facts::names::is_classic_script;
use crate::facts::source_marks::SourceMark;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "document-write", category: Category::Performance, landing: LANDING, checks: &[USED] };

const LANDING: Landing = Landing {
    title: text("document.write checker", "Verificador de document.write"),
    h1: text("Does your page use document.write?", "Sua página usa document.write?"),
    description: text(
        "Find inline scripts that call document.write, which stops the HTML parser and which browsers block on slow connections.",
        "Encontre scripts embutidos que chamam document.write, que interrompe o leitor de HTML e que os navegadores bloqueiam em conexões lentas.",
    ),
    lead: text(
        "`document.write` makes the browser stop parsing, run the script, and parse what it wrote. On slow connections, Chrome blocks the scripts it adds. This tool shows where a page still uses it.",
        "`document.write` faz o navegador interromper a leitura, executar o script e ler o que ele escreveu. Em conexões lentas, o Chrome bloqueia os scripts que ele adiciona. Esta ferramenta mostra onde a página ainda o usa.",
    ),
    example: include_str!("document_write/bad.html"),
};

const USED: Check = Check {
    code: "document_write_used",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Scripts with document.write", "Scripts com document.write"),
    why: text(
        "Such a script stops the browser from reading ahead. On slow connections, browsers also block the scripts that it adds.",
        "Um script assim impede o navegador de ler adiante. Em conexões lentas, os navegadores também bloqueiam os scripts que ele adiciona.",
    ),
    how: text(
        "Add elements with `document.createElement` and `append`, or load the other script with `async` or `defer`.",
        "Adicione elementos com `document.createElement` e `append`, ou carregue o outro script com `async` ou `defer`.",
    ),
    reference: "https://developer.chrome.com/docs/lighthouse/best-practices/no-document-write",
    rule: text(
        "Fails when an inline script calls `document.write` or `document.writeln`. The check skips calls after `||`, the usual fallback for a file that didn't load, and calls after `//` on the same line. Scripts in other files are not read. Not applicable without inline scripts.",
        "Falha quando um script embutido chama `document.write` ou `document.writeln`. A verificação ignora chamadas depois de `||`, a alternativa usual para um arquivo que não carregou, e chamadas depois de `//` na mesma linha. Scripts em outros arquivos não são lidos. Não se aplica sem scripts embutidos.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: used,
};

/// Whether a script calls it, other than as a fallback.
fn writes(source: &str) -> bool {
    const CALL: &str = "document.write";
    let mut calls = memmem::find_iter(source.as_bytes(), CALL).filter(|at| {
        let after = source.get(at + CALL.len()..).unwrap_or_default();
        let after = after.strip_prefix("ln").unwrap_or(after);
        after.trim_start().starts_with('(')
    });
    calls.any(|at| {
        // A line may be the whole script: only what stands near can belong to the call.
        let start = (at.saturating_sub(NEAR)..=at).find(|start| source.is_char_boundary(*start)).unwrap_or(at);
        let near = source.get(start..at).unwrap_or_default();
        let line = near.rsplit('\n').next().unwrap_or_default();
        let is_comment = line.contains("//") && !line.contains("://");
        !is_comment && !near.trim_end().trim_end_matches("window.").trim_end().ends_with("||")
    })
}

/// Bytes in front of a call in which a comment or a condition is looked for.
const NEAR: usize = 200;

fn used(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let is_module =
        |script: Element<'_>| script.attribute("type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("module"));
    let inline = || {
        html.elements(&html.scripts)
            .filter(|script| !script.has("src") && (is_classic_script(*script) || is_module(*script)))
    };
    if inline().next().is_none() {
        return Err(NotMeasured::Absent);
    }
    // Few pages have one.
    if html.lacks(SourceMark::Write) {
        return PASS;
    }
    let found: Vec<Element<'_>> = inline().filter(|script| script.texts().any(writes)).collect();
    if found.is_empty() {
        return PASS;
    }
    const WRITES: Text = text(
        "{count|An inline script uses|{count} inline scripts use} document.write.",
        "{count|Um script embutido usa|{count} scripts embutidos usam} document.write.",
    );
    let fix = FixDraft::instruction(FixTarget::Page, USED.how, &[]);
    problem(WRITES, &[("count", found.len().into())], fix).on(&found).fail()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_from_fallbacks_and_comments() {
        for source in ["document.write('a')", "a; document.writeln (b)", "f('http://x'); document.write(y)"] {
            assert!(writes(source), "{source}");
        }
        for source in [
            "",
            "window.jQuery || document.write('<script src=a>')",
            "// document.write(a)",
            "document.writer(a)",
            "if (document.write) a()",
        ] {
            assert!(!writes(source), "{source}");
        }
    }
}
