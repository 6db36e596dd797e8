//! Scripts that write into the page while it is being read.

use crate::check::prelude::*;
use crate::facts::names::is_classic_script;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "document-write", category: Category::Performance, landing: LANDING, checks: &[USED] };

const LANDING: Landing = Landing {
    title: text("document.write checker", "Verificador de document.write"),
    h1: text("Does your page use document.write?", "Sua página usa document.write?"),
    description: text(
        "Find inline scripts of a page that call document.write, which stops the parser and which browsers refuse on slow connections.",
        "Encontre scripts embutidos que chamam document.write, que para o leitor e que os navegadores recusam em conexões lentas.",
    ),
    lead: text(
        "`document.write` makes the browser stop reading, run the script, and read what it wrote. On slow connections Chrome does not run what it adds at all; this tool shows where a page still uses it.",
        "`document.write` faz o navegador parar de ler, rodar o script e ler o que ele escreveu. Em conexões lentas o Chrome nem executa o que ele adiciona; esta ferramenta mostra onde a página ainda o usa.",
    ),
    example: include_str!("document_write/bad.html"),
};

const USED: Check = Check {
    code: "document_write_used",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Scripts that use document.write", "Scripts que usam document.write"),
    why: text(
        "The browser can't read ahead past such a script, and on slow connections refuses the scripts that it adds.",
        "O navegador não consegue ler adiante de um script assim e, em conexões lentas, recusa os scripts que ele adiciona.",
    ),
    how: text(
        "Add elements with `document.createElement` and `append`, or load the other script with `async` or `defer`.",
        "Adicione elementos com `document.createElement` e `append`, ou carregue o outro script com `async` ou `defer`.",
    ),
    reference: "https://developer.chrome.com/docs/lighthouse/best-practices/no-document-write",
    rule: text(
        "Fails when an inline script calls `document.write` or `document.writeln`. Left alone are calls behind `||`, the usual fallback for a file that did not load, those behind `//` on their line, and scripts in other files, which are not read. Not applicable without inline scripts.",
        "Falha quando um script embutido chama `document.write` ou `document.writeln`. Ficam de fora chamadas depois de `||`, a alternativa usual para um arquivo que não carregou, as que vêm depois de `//` na linha, e scripts em outros arquivos, que não são lidos. Não se aplica sem scripts embutidos.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: used,
};

/// Whether a script calls it, other than as a fallback.
fn writes(source: &str) -> bool {
    let calls = source.match_indices("document.write").filter(|(at, call)| {
        let after = source.get(at + call.len()..).unwrap_or_default();
        let after = after.strip_prefix("ln").unwrap_or(after);
        after.trim_start().starts_with('(')
    });
    calls.into_iter().any(|(at, _)| {
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
    let found: Vec<Element<'_>> = inline().filter(|script| script.texts().any(writes)).collect();
    if found.is_empty() {
        return PASS;
    }
    const WRITES: Text = text(
        "{count} inline {count|script writes|scripts write} into the page with document.write.",
        "{count} {count|script embutido escreve|scripts embutidos escrevem} na página com document.write.",
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
