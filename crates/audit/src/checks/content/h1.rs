//! The main heading: a page without one, or with several.

use crate::check::prelude::*;
use crate::facts::fitting::{LONGEST_HEADLINE, cut};
use crate::facts::garbled::is_garbled;
use crate::facts::headings::{MOST_READ, outline, says_something};
use crate::facts::page::Html;
use crate::facts::resolved::site_name::{is_site_name, names_the_site};
use crate::facts::resolved::{EvidenceSource, headline};

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "h1", category: Category::Content, landing: LANDING, checks: &[MISSING, SITE_NAME, MULTIPLE] };

const LANDING: Landing = Landing {
    title: text("H1 checker", "Verificador de h1"),
    h1: text("Does your page have one clear h1?", "Sua página tem um h1 claro?"),
    description: text(
        "Check the main heading of a page: missing, empty, hidden or repeated. A missing h1 is drafted from the title.",
        "Verifique o título principal da página: ausente, vazio, oculto ou repetido. Um h1 ausente é redigido a partir do title.",
    ),
    lead: text(
        "The h1 tells visitors, screen readers and search engines what a page is about, and search engines may show it as the title of a result. This tool reads every h1 of a page and writes a missing one.",
        "O h1 diz a visitantes, leitores de tela e buscadores do que a página trata, e os buscadores podem mostrá-lo como título de um resultado. Esta ferramenta lê todos os h1 da página e escreve o que falta.",
    ),
    example: include_str!("h1/bad_missing.html"),
};

const MISSING: Check = Check {
    code: "h1_missing",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("No h1 heading", "Sem título h1"),
    why: text(
        "The h1 tells visitors, screen readers and search engines what the page is about. Search engines also use it for the titles of results.",
        "O h1 diz a visitantes, leitores de tela e buscadores do que a página trata. Os buscadores também o usam nos títulos dos resultados.",
    ),
    how: text(
        "Add one visible `<h1>` that names the subject of the page.",
        "Adicione um `<h1>` visível que diga o assunto da página.",
    ),
    reference: "https://www.w3.org/WAI/WCAG22/Techniques/html/H42",
    rule: text(
        "Fails when no `h1` has visible text, an image with alternative text, or a label (`aria-label`, or `aria-labelledby` that leads to text). An `h1` within an element with `hidden` is not counted. Not measured when the page was cut off or is an empty app shell.",
        "Falha quando nenhum `h1` tem texto visível, uma imagem com texto alternativo ou um rótulo (`aria-label`, ou `aria-labelledby` que leve a um texto). Um `h1` dentro de um elemento com `hidden` não conta. Não é medido quando a página foi cortada ou é a casca vazia de um aplicativo.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Body),
    since: FIRST,
    run: missing,
};

const SITE_NAME: Check = Check {
    code: "h1_site_name",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("h1 is the site's name, not the page's topic", "h1 com o nome do site, não o assunto da página"),
    why: text(
        "An h1 with the logo or site name is the same on every page. Screen reader users and search engines look there for what this page is about.",
        "Um h1 com o logo ou o nome do site é igual em todas as páginas. Quem usa leitor de tela e os buscadores procuram ali do que esta página trata.",
    ),
    how: text(
        "Make the page's own headline the h1, and use a `<p>` or `<div>` for the logo on all pages except the home page.",
        "Transforme o título da própria página no h1 e use um `<p>` ou `<div>` para o logo em todas as páginas, menos na inicial.",
    ),
    reference: "https://www.w3.org/WAI/WCAG22/Techniques/html/H42",
    rule: text(
        "Fails when every visible `h1` is the site's name or logo while the page's title says something else. The site's name is taken from `og:site_name`, a `WebSite` node, the domain, or the end of the title where the site's header says it too, and matches with or without the word “logo”. A logo is recognized by its image's `alt`, class, id or file name. The home page is ignored. Not applicable without a visible `h1`. Not measured on an empty app shell.",
        "Falha quando todo `h1` visível é o nome ou o logo do site, enquanto o title da página diz outra coisa. O nome do site vem de `og:site_name`, de um nó `WebSite`, do domínio ou do fim do title, se o cabeçalho do site diz o mesmo, com ou sem a palavra “logo”. Um logo é reconhecido pelo `alt`, classe, id ou nome do arquivo da imagem. A página inicial é ignorada. Não se aplica sem um `h1` visível. Não é medido na casca vazia de um aplicativo.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: PRECISION,
    run: site_name,
};

const MULTIPLE: Check = Check {
    code: "h1_multiple",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Several h1 headings", "Vários títulos h1"),
    why: text(
        "HTML and search engines allow several h1. With only one, there is no doubt about the page's main heading.",
        "O HTML e os buscadores permitem vários h1. Com um só, não há dúvida sobre o título principal da página.",
    ),
    how: text(
        "Keep the h1 that names the page, and change the others to h2 unless each begins an independent section.",
        "Mantenha o h1 que nomeia a página e mude os outros para h2, a menos que cada um comece uma seção independente.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/sections.html#headings-and-outlines-2",
    rule: text(
        "Fails on two or more `h1` with different text or image alternative. Those hidden by `hidden`, `aria-hidden` or an inline style are not counted, and those with the same text count once, since mobile layouts repeat it. Not measured on an empty app shell.",
        "Falha com dois ou mais `h1` com texto ou texto alternativo diferente. Os ocultos por `hidden`, `aria-hidden` ou estilo embutido não contam, e os de mesmo texto contam uma vez, pois layouts para celular o repetem. Não é medido na casca vazia de um aplicativo.",
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
    const NONE: Text = text("The page has no h1 heading.", "A página não tem título h1.");
    const EMPTY: Text =
        text("The page's h1 heading is empty or hidden.", "O título h1 da página está vazio ou oculto.");
    let message = if h1s.is_empty() { NONE } else { EMPTY };
    problem(message, &[], h1_fix(html, &h1s)).on(&h1s).fail()
}

/// The heading whose words, or place, are the owner's to say.
const TEMPLATE: &str = "<h1>{{HEADING}}</h1>";

/// The headline as h1: into an empty h1 that is there, else first in main or body. Where a lower heading says the same
/// already, that one is to become it.
fn h1_fix(html: &Html, h1s: &[Element<'_>]) -> FixDraft {
    let headline = html.headline().filter(|headline| !is_garbled(&headline.value));
    let Some(resolved) = headline.filter(|headline| html.is_home() || !is_site_name(html, &headline.value)) else {
        return FixDraft::template(FixTarget::Body, TEMPLATE);
    };
    if let Some(raise) = raised(html) {
        return raise;
    }
    if let Some((element, shown)) = headline::unmarked(html) {
        const MARK: Text = text(
            "Make “{title}” on line {line} an h1 if it is the page's headline: it looks like one, but is not marked as a heading.",
            "Transforme “{title}”, na linha {line}, em um h1 se for o título do conteúdo: parece um título, mas não está marcado como tal.",
        );
        let line = element.line().unwrap_or_default() as usize;
        return FixDraft::instruction(FixTarget::Body, MARK, &[("title", shown.into()), ("line", line.into())]);
    }
    let title = resolved.value.as_str();
    let tag = format!("<h1>{}</h1>", html_text(title));
    let fix = FixDraft::edit(FixTarget::Body, tag.clone());
    let empty = h1s.iter().find(|h1| h1.end_tag().is_some() && !h1.is_hidden());
    if let Some(h1) = empty {
        return fix.inside(*h1, html_text(title)).of(resolved);
    }
    let mut mains = html.elements(&html.listed.mains);
    let main = mains.find(|element| element.is("main") && element.start_tag().is_some() && !element.is_hidden());
    // At the start of the body it would stand above the site's header.
    let body = html.document.body().filter(|body| body.is("body") && body.start_tag().is_some() && !body.is_hidden());
    let body = body.filter(|_| html.content().is_none() && !has_site_header(html));
    let content = html.content().filter(|content| content.is("article") && content.start_tag().is_some());
    match main.or(content).or(body).filter(|place| !leaves_level_out(html, *place)) {
        Some(place) => fix.inside(place, tag).of(resolved),
        // Where it goes is the owner's to say.
        None => fix.of(resolved).into_draft(),
    }
}

/// Whether a page begins with what every page of its site has.
fn has_site_header(html: &Html) -> bool {
    !html.listed.bars.is_empty()
}

/// The instruction to make the lower heading the h1 that is the page's headline; the line of an h1 where that heading stands
/// in a bar or a menu and the content has headings of its own.
fn raised(html: &Html) -> Option<FixDraft> {
    const RAISE: Text = text(
        "Change the h{level} “{title}” on line {line} to an h1.",
        "Mude o h{level} “{title}” na linha {line} para h1.",
    );
    let (level, heading) = headline::element(html).filter(|(level, _)| *level > 1)?;
    let line = heading.line().unwrap_or_default() as usize;
    let title = headline::heading_text(html, heading);
    if let Some(content) = html.content()
        && !heading.ancestors().any(|around| around == content)
        && outline(html).any(|(_, other)| other.ancestors().any(|around| around == content))
    {
        const FIRST: Text = text(
            "Make the first heading of the content the h1. You can keep its own words or use these.",
            "Transforme o primeiro título do conteúdo no h1. Você pode manter as palavras dele ou usar estas.",
        );
        let tag = format!("<h1>{}</h1>", html_text(&title));
        let fix = FixDraft::template(FixTarget::Body, tag).note(FIRST, &[]);
        return Some(match html.headline() {
            Some(resolved) => fix.of(resolved),
            None => fix,
        });
    }
    let values = [("level", usize::from(level).into()), ("title", title.into()), ("line", line.into())];
    Some(FixDraft::instruction(FixTarget::Body, RAISE, &values))
}

/// Fails when the only main headings are the site's name or logo.
fn site_name(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    let shown = outline(html).filter(|(level, h1)| *level == 1 && says_something(*h1));
    let h1s: Vec<Element<'_>> = shown.map(|(_, h1)| h1).collect();
    let Some(first) = h1s.first() else { return Err(NotMeasured::Absent) };
    if html.is_home() || !h1s.iter().all(|h1| names_the_site(html, *h1)) {
        return PASS;
    }
    // A page that is called as its site in every place has no other name.
    let Some(own) = html.headline().filter(|own| own.source != EvidenceSource::H1 && !is_site_name(html, &own.value))
    else {
        return PASS;
    };
    const NAMES: Text = text(
        "The h1 is the site's name or logo, “{h1}”, although the page's headline is “{headline}”.",
        "O h1 é o nome ou o logo do site, “{h1}”, mas o título do conteúdo é “{headline}”.",
    );
    let text = cut(&headline::heading_text(html, *first), LONGEST_HEADLINE);
    let values = [("h1", text.into()), ("headline", own.value.as_str().into())];
    let fix = raised(html).unwrap_or_else(|| FixDraft::instruction(FixTarget::Body, SITE_NAME.how, &[]));
    problem(NAMES, &values, fix).on(&h1s).fail()
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
        let text = cut(&h1.text_start(MOST_READ), LONGEST_HEADLINE);
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
    const SEVERAL: Text = text("The page has {count} h1 headings: {list}.", "A página tem {count} títulos h1: {list}.");
    const OF_ALL: Text = text(
        "The page has {count} different visible h1 headings: {list}. With hidden, empty and repeated ones there are {all}.",
        "A página tem {count} títulos h1 visíveis e diferentes: {list}. Com os ocultos, vazios e repetidos, são {all}.",
    );
    let all = html.headings.iter().filter(|(level, _)| *level == 1).count();
    let message = if all == found.len() { SEVERAL } else { OF_ALL };
    let list = texts.iter().take(SHOWN).map(|text| format!("“{text}”")).collect::<Vec<_>>().join(", ");
    let values = [("count", found.len().into()), ("list", list.into()), ("all", all.into())];
    let fix = FixDraft::instruction(FixTarget::Body, MULTIPLE.how, &[]);
    problem(message, &values, fix).on(&found).fail()
}
