//! Scripts that keep the page from showing.

use crate::check::prelude::*;
use crate::facts::names::is_classic_script;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "blocking-scripts", category: Category::Performance, landing: LANDING, checks: &[BLOCKING] };

const LANDING: Landing = Landing {
    title: text("Render-blocking scripts checker", "Verificador de scripts que bloqueiam a página"),
    h1: text("Which scripts keep your page blank?", "Que scripts deixam sua página em branco?"),
    description: text(
        "Lists the scripts in the head that stop the browser before it shows anything, with the tags repaired by defer.",
        "Lista os scripts no head que param o navegador antes que ele mostre algo, com as tags corrigidas com defer.",
    ),
    lead: text(
        "At each classic script in the head a browser stops, fetches and runs it, and shows nothing meanwhile. One attribute, defer, lets it go on.",
        "A cada script clássico no head, o navegador para, busca e executa, sem mostrar nada enquanto isso. Um atributo, defer, o deixa seguir.",
    ),
    example: include_str!("scripts/bad.html"),
};

const BLOCKING: Check = Check {
    code: "render_blocking_scripts",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Scripts in the head hold the page up", "Scripts no cabeçalho seguram a página"),
    why: text(
        "At each classic script in the head the browser stops, fetches and runs it before it shows anything.",
        "A cada script clássico no cabeçalho o navegador para, busca e executa o script antes de mostrar qualquer coisa.",
    ),
    how: text(
        "Add `defer` to scripts that the page does not need while it is read, or `async` to independent ones.",
        "Adicione `defer` aos scripts de que a página não precisa durante a leitura, ou `async` aos independentes.",
    ),
    reference: "https://developer.chrome.com/docs/performance/insights/render-blocking",
    rule: text(
        "Fails at three or more `script src` in the head that run as classic scripts and have none of `async`, `defer` and `nomodule`. Modules are deferred anyway, and data blocks run nothing. A note up to four of them. Fewer than three on a cut page are not measured.",
        "Falha com três ou mais `script src` no head que rodam como scripts clássicos e não têm `async`, `defer` nem `nomodule`. Módulos já são adiados, e blocos de dados não executam nada. Até quatro, é só uma nota. Menos de três em uma página cortada não é medido.",
    ),
    thresholds: &[
        threshold("scripts", TOO_MANY as u64, "scripts"),
        threshold("note_below", NOTE_BELOW as u64, "scripts"),
    ],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: blocking,
};

/// Scripts from which on they are too many.
const TOO_MANY: usize = 3;
/// Scripts below which they are a note. Half of the real pages with three or more have at least so many as to pass it.
const NOTE_BELOW: usize = 5;

fn blocking_scripts(html: &Html) -> Vec<Element<'_>> {
    html.elements(&html.scripts)
        .filter(|script| script.has("src") && is_classic_script(*script))
        .filter(|script| !["async", "defer", "nomodule"].iter().any(|name| script.has(name)))
        .filter(|script| script.is_in_head())
        .collect()
}

/// Fails at three or more classic scripts in the head without `async`, `defer` or `nomodule`.
fn blocking(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if html.scripts.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let found = blocking_scripts(html);
    if found.len() < TOO_MANY {
        facts.whole_page()?;
        return PASS;
    }
    const HOLD: Text =
        text("{count} scripts in the head hold up rendering.", "{count} scripts no cabeçalho seguram a renderização.");
    let inline_after = html.elements(&html.scripts).any(|script| {
        !script.has("src")
            && is_classic_script(script)
            && script
                .start_tag()
                .zip(found.first().and_then(|first| first.start_tag()))
                .is_some_and(|(a, b)| a.start > b.start)
    });
    let fix = if inline_after {
        const DECIDE: Text = text(
            "Inline scripts follow and may use these files: find out which, then add `defer` to the others.",
            "Há scripts embutidos depois que podem usar estes arquivos: descubra quais e adicione `defer` aos outros.",
        );
        FixDraft::instruction(FixTarget::Head, DECIDE, &[])
    } else {
        const SAME: Text =
            text("the same tags with defer; their order stays", "as mesmas tags com defer; a ordem fica");
        let snippet = found
            .iter()
            .filter_map(|script| {
                // What else the tag says, such as the hash of its file, stays.
                Some(format!("{} defer></script>", script.start_tag_source()?.strip_suffix('>')?.trim_end()))
            })
            .collect::<Vec<_>>()
            .join("\n");
        found
            .iter()
            .fold(FixDraft::edit(FixTarget::Head, snippet).from(SAME, &[]), |fix, script| fix.set(*script, "defer", ""))
    };
    let is_minor = found.len() < NOTE_BELOW;
    problem(HOLD, &[("count", found.len().into())], fix).on(&found).minor_if(is_minor).fail()
}
