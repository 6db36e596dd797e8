//! Style sheets that keep the page from showing.

use crate::check::prelude::*;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "render-blocking-css", category: Category::Performance, landing: LANDING, checks: &[BLOCKING] };

const LANDING: Landing = Landing {
    title: text("Render-blocking CSS checker", "Verificador de CSS que bloqueia a página"),
    h1: text("How many style sheets hold your page up?", "Quantas folhas de estilo seguram sua página?"),
    description: text(
        "Lists the style sheets in the head that a browser must fetch before it shows anything, and @import in styles.",
        "Lista as folhas de estilo no head que o navegador precisa buscar antes de mostrar algo, e @import nos estilos.",
    ),
    lead: text(
        "A browser shows nothing before it has every style sheet of the head. Few files, sent soon, let the page appear; an @import makes it wait twice.",
        "O navegador não mostra nada antes de ter todas as folhas de estilo do head. Poucos arquivos, enviados cedo, fazem a página aparecer; um @import faz esperar duas vezes.",
    ),
    example: include_str!("styles/bad.html"),
};

/// Style sheets in the head that are few enough.
const MOST_SHEETS: usize = 4;

const BLOCKING: Check = Check {
    code: "render_blocking_styles",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Many style sheets hold the page up", "Muitas folhas de estilo seguram a página"),
    why: text(
        "The browser shows nothing before all of them have come; one that another imports is asked for only after that one.",
        "O navegador não mostra nada antes que todas cheguem; uma importada por outra só é pedida depois dela.",
    ),
    how: text(
        "Bundle them, give `media` to those that are not for every screen, and name imported sheets in `link` elements.",
        "Junte-as, use `media` nas que não servem para toda tela e declare as importadas em elementos `link`.",
    ),
    reference: "https://developer.chrome.com/docs/performance/insights/render-blocking",
    rule: text(
        "Fails at more than 4 `link rel=stylesheet` in the head that apply to screens (no `media`, `all`, `screen`, or a query of features), neither disabled nor alternative, or at an `@import` at the start of a `style` element.",
        "Falha com mais de 4 `link rel=stylesheet` no head que valem para telas (sem `media`, `all`, `screen` ou uma consulta de recursos), nem desativados nem alternativos, ou com um `@import` no começo de um elemento `style`.",
    ),
    thresholds: &[threshold("style_sheets", MOST_SHEETS as u64, "files")],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: blocking,
};

/// Style sheets in the head that hold rendering up.
fn sheets(html: &Html) -> Vec<Element<'_>> {
    let links = html.links_rel("stylesheet").filter(|link| link.in_head && link.url.is_some() && !link.is("alternate"));
    let elements = links.filter_map(|link| html.element(link.node)).filter(|element| !element.has("disabled"));
    elements.filter(|element| is_for_screens(element.attribute("media").unwrap_or_default())).collect()
}

/// Whether a media query list may apply to a screen: a list of types for print and the like does not.
fn is_for_screens(media: &str) -> bool {
    let media = media.trim().to_ascii_lowercase();
    media.is_empty()
        || media.split(',').map(str::trim).any(|query| {
            let query = query.strip_prefix("only ").unwrap_or(query).trim_start();
            query.starts_with('(') || query.starts_with("all") || query.starts_with("screen")
        })
}

/// Whether a sheet begins with an import: only there it is one (CSS Cascade 5 §2).
fn imports(style: Element<'_>) -> bool {
    let text = style.raw_text();
    let mut rest = text.as_str();
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        } else if let Some(legacy) = rest.strip_prefix("<!--") {
            rest = legacy;
        } else if starts(rest, "@charset") || starts(rest, "@layer") {
            // A statement; a block of a layer ends what may be imported.
            let end = rest.find([';', '{']).map(|end| rest.split_at(end)).map(|(_, end)| end);
            rest = end.and_then(|end| end.strip_prefix(';')).unwrap_or_default();
        } else {
            return starts(rest, "@import");
        }
    }
}

fn starts(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Fails on many style sheets in the head, or an import in a style element.
fn blocking(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let sheets = sheets(html);
    let importing: Vec<Element<'_>> = html.elements(&html.styles).filter(|style| imports(*style)).collect();
    if sheets.len() <= MOST_SHEETS && importing.is_empty() {
        facts.whole_page()?;
        return PASS;
    }
    const HOLD: Text = text(
        "{count} style {count|sheet|sheets} in the head and {imports} {imports|import|imports} in style elements hold up rendering.",
        "{count} {count|folha de estilo|folhas de estilo} no head e {imports} {imports|importação|importações} em elementos style seguram a renderização.",
    );
    const SHEETS: Text = text(
        "{count} style {count|sheet|sheets} in the head {count|holds|hold} up rendering.",
        "{count} {count|folha de estilo no head segura|folhas de estilo no head seguram} a renderização.",
    );
    let message = if importing.is_empty() { SHEETS } else { HOLD };
    const BUNDLE: Text = text(
        "Join what every page needs in one file, name imported sheets in link elements, and load the rest when it is needed.",
        "Junte em um arquivo o que toda página precisa, declare as folhas importadas em elementos link e carregue o resto quando for preciso.",
    );
    let values = [("count", sheets.len().into()), ("imports", importing.len().into())];
    problem(message, &values, FixDraft::instruction(FixTarget::Head, BUNDLE, &[]))
        .on(importing.iter().chain(&sheets))
        .fail()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_of_features_and_screens_hold_rendering_up() {
        for screen in
            ["", "ALL", "screen and (min-width: 1px)", "only screen", "(prefers-color-scheme: dark)", "print, screen"]
        {
            assert!(is_for_screens(screen), "{screen}");
        }
        for other in ["print", "speech", "not all", "print and (color)"] {
            assert!(!is_for_screens(other), "{other}");
        }
    }
}
