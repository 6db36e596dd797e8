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
        "List the scripts in the head that block the browser before it shows anything, and get their tags with defer.",
        "Liste os scripts no head que bloqueiam o navegador antes que ele mostre algo e receba as tags com defer.",
    ),
    lead: text(
        "The browser stops at each classic script in the head, downloads and runs it, and shows nothing meanwhile. The defer attribute lets it continue.",
        "O navegador para em cada script clássico no head, baixa e executa o arquivo, e não mostra nada enquanto isso. O atributo defer o deixa continuar.",
    ),
    example: include_str!("scripts/bad.html"),
};

const BLOCKING: Check = Check {
    code: "render_blocking_scripts",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Render-blocking scripts in the head", "Scripts no head bloqueiam a renderização"),
    why: text(
        "The browser stops at each classic script in the head, and downloads and runs it before it shows anything.",
        "O navegador para em cada script clássico no head e o baixa e executa antes de mostrar qualquer coisa.",
    ),
    how: text(
        "Add `defer` to these scripts, or `async` to those that are independent of other scripts.",
        "Adicione `defer` a estes scripts ou `async` aos que não dependem de outros.",
    ),
    reference: "https://developer.chrome.com/docs/performance/insights/render-blocking",
    rule: text(
        "Fails when three or more `script src` in the head run as classic scripts and have none of `async`, `defer` and `nomodule`. Modules are always deferred, and data blocks don't run. A note with up to four such scripts. Not measured on a cut page with fewer than three.",
        "Falha quando três ou mais `script src` no head rodam como scripts clássicos e não têm `async`, `defer` nem `nomodule`. Módulos são sempre adiados, e blocos de dados não são executados. É uma observação com até quatro desses scripts. Não é medido em uma página cortada com menos de três.",
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
        text("{count} scripts in the head block rendering.", "{count} scripts no head bloqueiam a renderização.");
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
            "Inline scripts after these files may depend on them. Find out which files they use, and add `defer` to the others.",
            "Scripts embutidos depois destes arquivos podem depender deles. Descubra quais arquivos eles usam e adicione `defer` aos outros.",
        );
        FixDraft::instruction(FixTarget::Head, DECIDE, &[])
    } else {
        const SAME: Text =
            text("the same tags with defer, in the same order", "as mesmas tags com defer, na mesma ordem");
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
