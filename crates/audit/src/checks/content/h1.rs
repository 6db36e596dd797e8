//! The main heading: a page without one, or with several.

use super::garbled_text::is_garbled;
use crate::check::prelude::*;
use crate::facts::derive::{LONGEST_HEADLINE, cut, is_placeholder, without_site_name};
use crate::facts::headings::{outline, says_something};
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "h1", category: Category::Content, landing: LANDING, checks: &[MISSING, MULTIPLE] };

const LANDING: Landing = Landing {
    title: text("H1 checker", "Verificador de h1"),
    h1: text("Does your page have one clear h1?", "Sua página tem um h1 claro?"),
    description: text(
        "Check the main heading of a page: missing, empty, hidden, or one of several, and get one made from the title.",
        "Verifique o título principal de uma página: ausente, vazio, oculto ou um de vários, e receba um feito a partir do title.",
    ),
    lead: text(
        "The h1 says what a page is about, to people, to screen readers and to search engines, which may show it as the headline of a result. This tool reads every h1 of a page and writes the missing one.",
        "O h1 diz do que a página trata, a pessoas, a leitores de tela e aos buscadores, que podem mostrá-lo como manchete de um resultado. Esta ferramenta lê todos os h1 de uma página e escreve o que falta.",
    ),
    example: include_str!("h1/bad_missing.html"),
};

const MISSING: Check = Check {
    code: "h1_missing",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("No main heading", "Sem título principal"),
    why: text(
        "The h1 tells people, screen readers and search engines what the page is about; search engines also take title links from it.",
        "O h1 diz a pessoas, leitores de tela e buscadores do que a página trata; os buscadores também tiram dele os títulos dos resultados.",
    ),
    how: text(
        "Give the page one visible `<h1>` that names its subject.",
        "Dê à página um `<h1>` visível que diga o assunto.",
    ),
    reference: "https://www.w3.org/WAI/WCAG22/Techniques/html/H42",
    rule: text(
        "Fails when no `h1` of HTML, outside of elements with `hidden`, has text other than white space or an image with an alternative. Not measured when the document was cut or is an empty app shell.",
        "Falha quando nenhum `h1` do HTML, fora de elementos com `hidden`, tem texto além de espaços ou uma imagem com texto alternativo. Não é medido quando o documento foi cortado ou é a casca vazia de um aplicativo.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Body),
    since: FIRST,
    run: missing,
};

const MULTIPLE: Check = Check {
    code: "h1_multiple",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Several main headings", "Vários títulos principais"),
    why: text(
        "HTML and search engines allow several h1. With one, everybody agrees on what the page is called.",
        "O HTML e os buscadores permitem vários h1. Com um só, todos concordam sobre como a página se chama.",
    ),
    how: text(
        "Keep the h1 that names the page and make the others h2, unless each begins a part that stands on its own.",
        "Mantenha o h1 que diz o nome da página e faça dos outros h2, a não ser que cada um comece uma parte independente.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/sections.html#headings-and-outlines-2",
    rule: text(
        "Fails on two or more `h1` with text or an image alternative that are not hidden by `hidden`, `aria-hidden` or an inline style. Two with the same text are counted once, since layouts for phones repeat it. Not measured on an empty app shell.",
        "Falha com dois ou mais `h1` com texto ou imagem com texto alternativo que não estejam ocultos por `hidden`, `aria-hidden` ou estilo embutido. Dois com o mesmo texto contam uma vez, pois layouts para celular o repetem. Não é medido na casca vazia de um aplicativo.",
    ),
    thresholds: &[threshold("h1", 1, "headings")],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: WHOLE,
    run: multiple,
};

/// Headings that a message lists.
const SHOWN: usize = 5;

fn missing(facts: &Facts<'_>) -> Verdict {
    facts.filled_page()?;
    let html = facts.whole_page()?;
    let h1s: Vec<Element<'_>> =
        html.headings.iter().filter(|(level, _)| *level == 1).filter_map(|(_, id)| html.element(*id)).collect();
    if h1s.iter().any(|h1| says_something(*h1) && !h1.is_hidden()) {
        return PASS;
    }
    const NONE: Text = text("The page has no h1.", "A página não tem h1.");
    const EMPTY: Text = text("The page's h1 is empty or hidden.", "O h1 da página está vazio ou oculto.");
    let message = if h1s.is_empty() { NONE } else { EMPTY };
    problem(message, &[], h1_fix(html, &h1s)).on(&h1s).fail()
}

/// The heading whose words, or place, are the owner's to say.
const TEMPLATE: &str = "<h1>{{HEADING}}</h1>";

/// A heading out of the social title, else the title, without the site's name; into an empty h1 that is there, else first
/// in main or body. Where a lower heading says the same already, that one is to become it.
fn h1_fix(html: &Html, h1s: &[Element<'_>]) -> FixDraft {
    const OF_TITLE: Text = text("the title, without the site's name", "o título, sem o nome do site");
    const OF_SOCIAL: Text =
        text("the page's og:title, without the site's name", "o og:title da página, sem o nome do site");
    let named = |title: &str| {
        let name = cut(&without_site_name(&html.as_meant(title), html), LONGEST_HEADLINE);
        Some(name).filter(|name| !name.is_empty() && !is_garbled(name) && !is_placeholder(name))
    };
    let social = html.social("og:title").and_then(named).map(|name| (name, OF_SOCIAL));
    let Some((title, origin)) = social.or_else(|| Some((named(&html.title()?)?, OF_TITLE))) else {
        return FixDraft::template(FixTarget::Body, TEMPLATE);
    };
    let says_it = |(level, heading): &(u8, Element<'_>)| *level > 1 && html.as_meant(&heading.text()) == title;
    let saying = outline(html).filter(says_it).min_by_key(|(level, _)| *level);
    if let Some((level, heading)) = saying {
        const RAISE: Text = text(
            "Make the h{level} “{title}” on line {line} the h1.",
            "Faça do h{level} “{title}” na linha {line} o h1.",
        );
        let line = heading.line().unwrap_or_default() as usize;
        let values = [("level", usize::from(level).into()), ("title", title.into()), ("line", line.into())];
        return FixDraft::instruction(FixTarget::Body, RAISE, &values);
    }
    let tag = format!("<h1>{}</h1>", html_text(&title));
    let fix = FixDraft::edit(FixTarget::Body, tag.clone()).from(origin, &[]);
    let empty = h1s.iter().find(|h1| h1.end_tag().is_some() && !h1.is_hidden());
    if let Some(h1) = empty {
        return fix.inside(*h1, html_text(&title));
    }
    let main = html
        .document
        .elements()
        .find(|element| element.is("main") && element.start_tag().is_some() && !element.is_hidden());
    let body = html.document.body().filter(|body| body.is("body") && body.start_tag().is_some() && !body.is_hidden());
    match main.or(body).filter(|place| !leaves_level_out(html, *place)) {
        Some(place) => fix.inside(place, tag),
        None => {
            const SUGGESTED: Text =
                text("“{title}”, as the page's title says", "“{title}”, como diz o título da página");
            FixDraft::template(FixTarget::Body, TEMPLATE).from(SUGGESTED, &[("title", title.into())])
        }
    }
}

/// Whether an h1 first in an element would stand in front of a heading deeper than h2: where it goes is then the owner's
/// to say.
fn leaves_level_out(html: &Html, place: Element<'_>) -> bool {
    let start = place.start_tag().map_or(0, |span| span.start);
    let is_behind = |heading: Element<'_>| heading.start_tag().is_some_and(|span| span.start > start);
    outline(html).find(|(_, heading)| is_behind(*heading)).is_some_and(|(level, _)| level > 2)
}

fn multiple(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    let h1s = html.headings.iter().filter(|(level, _)| *level == 1).filter_map(|(_, id)| html.element(*id));
    let mut texts: Vec<String> = Vec::new();
    let mut found: Vec<Element<'_>> = Vec::new();
    for h1 in h1s.filter(|h1| says_something(*h1) && !html.listed.is_unseen(*h1)) {
        let text = cut(&h1.text(), LONGEST_HEADLINE);
        // A list of the first few is told; to compare with all would take the square of them.
        if texts.iter().take(SHOWN).all(|known| *known != text) {
            found.push(h1);
            texts.push(text);
        }
    }
    if found.is_empty() {
        return Err(NotMeasured::Absent);
    }
    if found.len() < 2 {
        return PASS;
    }
    const SEVERAL: Text = text("The page has {count} h1: {list}.", "A página tem {count} h1: {list}.");
    let list = texts.iter().take(SHOWN).map(|text| format!("“{text}”")).collect::<Vec<_>>().join(", ");
    let values = [("count", found.len().into()), ("list", list.into())];
    let fix = FixDraft::instruction(FixTarget::Body, MULTIPLE.how, &[]);
    problem(SEVERAL, &values, fix).on(&found).fail()
}
