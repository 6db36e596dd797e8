//! Style sheets that keep the page from showing.

use crate::check::prelude::*;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "render-blocking-css", category: Category::Performance, landing: LANDING, checks: &[BLOCKING] };

const LANDING: Landing = Landing {
    title: text("Render-blocking CSS checker", "Verificador de CSS que bloqueia a página"),
    h1: text("How many style sheets block your page?", "Quantas folhas de estilo bloqueiam sua página?"),
    description: text(
        "List the style sheets in the head that a browser must download before it shows anything, and @import rules in style elements.",
        "Liste as folhas de estilo no head que o navegador precisa baixar antes de mostrar algo e as regras @import em elementos style.",
    ),
    lead: text(
        "A browser shows nothing until it has every style sheet in the head. With few files the page appears sooner; an @import makes it wait twice.",
        "O navegador não mostra nada até ter todas as folhas de estilo do head. Com poucos arquivos, a página aparece antes; um @import faz esperar duas vezes.",
    ),
    example: include_str!("styles/bad.html"),
};

/// Style sheets in the head that are few enough.
const MOST_SHEETS: usize = 4;

const BLOCKING: Check = Check {
    code: "render_blocking_styles",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Render-blocking style sheets", "Folhas de estilo que bloqueiam a renderização"),
    why: text(
        "The browser shows nothing until all style sheets have loaded. It requests an imported sheet only after the sheet that imports it.",
        "O navegador não mostra nada até carregar todas as folhas de estilo. Uma folha importada só é pedida depois da que a importa.",
    ),
    how: text(
        "Bundle the style sheets, add `media` to those that don't apply to every screen, and replace `@import` with `link` elements.",
        "Junte as folhas de estilo, use `media` nas que não valem para toda tela e troque `@import` por elementos `link`.",
    ),
    reference: "https://developer.chrome.com/docs/performance/insights/render-blocking",
    rule: text(
        "Fails when the head has more than 4 `link rel=stylesheet` that apply to screens, or when a `style` element begins with `@import`. A link applies to screens when its `media` is missing, `all`, `screen` or a media feature query, and when it is neither disabled nor alternate.",
        "Falha quando o head tem mais de 4 `link rel=stylesheet` que valem para telas ou quando um elemento `style` começa com `@import`. Um link vale para telas quando seu `media` falta, é `all`, `screen` ou uma consulta de recursos, e quando não está desativado nem é alternativo.",
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
        "{count} style sheets in the head and {imports|an @import rule|{imports} @import rules} block rendering.",
        "{count} folhas de estilo no head e {imports|uma regra @import|{imports} regras @import} bloqueiam a renderização.",
    );
    const SHEETS: Text = text(
        "{count} style sheets in the head block rendering.",
        "{count} folhas de estilo no head bloqueiam a renderização.",
    );
    const IMPORTS: Text = text(
        "{imports|A style element begins|{imports} style elements begin} with @import, which delays rendering.",
        "{imports|Um elemento style começa|{imports} elementos style começam} com @import, o que atrasa a renderização.",
    );
    let is_many = sheets.len() > MOST_SHEETS;
    let message = match (is_many, importing.is_empty()) {
        (false, _) => IMPORTS,
        (true, false) => HOLD,
        (true, true) => SHEETS,
    };
    const BUNDLE: Text = text(
        "Bundle the styles that every page needs in one file, replace @import with link elements, and load the other styles when they are needed.",
        "Junte em um arquivo os estilos de que toda página precisa, troque @import por elementos link e carregue os outros quando forem necessários.",
    );
    let values = [("count", sheets.len().into()), ("imports", importing.len().into())];
    problem(message, &values, FixDraft::instruction(FixTarget::Head, BUNDLE, &[]))
        .on(importing.iter().chain(sheets.iter().filter(|_| is_many)))
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
