//! Headings: a page without its main one, and levels that are left out.

use super::garbled_text::is_garbled;
use crate::check::prelude::*;
use crate::facts::derive::{LONGEST_HEADLINE, cut};
use crate::facts::names::has_text;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "headings",
    category: Category::Content,
    landing: Landing::TO_WRITE,
    checks: &[H1_MISSING, LEVEL_SKIPPED],
};

const H1_MISSING: Check = Check {
    code: "h1_missing",
    severity: Severity::Warn,
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
    rule: text("Fails when no h1 that is not hidden has text or an image alternative.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Body),
    since: FIRST,
    run: h1_missing,
};

const LEVEL_SKIPPED: Check = Check {
    code: "heading_level_skipped",
    severity: Severity::Info,
    title: text("Heading level left out", "Nível de título pulado"),
    why: text(
        "Screen-reader users move by heading levels; a level left out looks like a missing part.",
        "Quem usa leitor de tela navega pelos níveis de título; um nível pulado parece uma parte que falta.",
    ),
    how: text("Use the next level down and style it with CSS.", "Use o nível seguinte e ajuste a aparência com CSS."),
    reference: "https://www.w3.org/WAI/WCAG22/Techniques/general/G141",
    rule: text("Fails when a heading is more than one level deeper than the one before it; the first is exempt.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: FIRST,
    run: level_skipped,
};

/// Whether a heading says something: text, or an image with an alternative.
fn says_something(heading: Element<'_>) -> bool {
    has_text(heading)
        || heading
            .descendants()
            .any(|below| below.is("img") && below.attribute("alt").is_some_and(|alt| !alt.trim().is_empty()))
}

/// Fails when no h1 that is not hidden has text or an image alternative.
fn h1_missing(facts: &Facts<'_>) -> Verdict {
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
    Ok(Some(problem(message, &[], h1_fix(html, &h1s)).at(h1s.iter().map(|h1| h1.place()))))
}

/// The heading whose words, or place, are the owner's to say.
const TEMPLATE: &str = "<h1>{{HEADING}}</h1>";

/// A heading out of the title, without the site's name; into an empty h1 that is there, else first in main or body.
fn h1_fix(html: &Html, h1s: &[Element<'_>]) -> FixDraft {
    let Some(title) = html
        .title()
        .map(|title| cut(&html.as_meant(&without_site_name(&title, html)), LONGEST_HEADLINE))
        .filter(|title| !title.is_empty() && !is_garbled(title))
    else {
        return FixDraft::template(FixTarget::Body, TEMPLATE);
    };
    const FROM_TITLE: Text = text("the title, without the site's name", "o título, sem o nome do site");
    let tag = format!("<h1>{}</h1>", html_text(&title));
    let fix = FixDraft::edit(FixTarget::Body, tag.clone()).from(FROM_TITLE, &[]);
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
                text("the title, without the site's name: {title}", "o título, sem o nome do site: {title}");
            FixDraft::template(FixTarget::Body, TEMPLATE).from(SUGGESTED, &[("title", title.into())])
        }
    }
}

/// Whether an h1 first in an element would stand in front of a heading deeper than h2: where it goes is then the owner's
/// to say.
fn leaves_level_out(html: &Html, place: Element<'_>) -> bool {
    let start = place.start_tag().map_or(0, |span| span.start);
    let is_behind =
        |id| html.element(id).and_then(|heading| heading.start_tag()).is_some_and(|span| span.start > start);
    html.headings.iter().find(|(_, id)| is_behind(*id)).is_some_and(|(level, _)| *level > 2)
}

/// A title without `og:site_name` at its end and the separator before it.
fn without_site_name(title: &str, html: &Html) -> String {
    let Some(name) = html.social("og:site_name") else { return title.to_owned() };
    title
        .strip_suffix(name)
        .map(|rest| rest.trim_end_matches([' ', '-', '|', '–', '—', '·', ':']).to_owned())
        .filter(|rest| !rest.is_empty())
        .unwrap_or_else(|| title.to_owned())
}

/// Fails when a heading is more than one level deeper than the one before it; the first is exempt.
fn level_skipped(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    if html.headings.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let skipped: Vec<(u8, u8, Element<'_>)> = html
        .headings
        .windows(2)
        .filter_map(|pair| match pair {
            [(before, _), (level, id)] if *level > *before + 1 => Some((*before, *level, html.element(*id)?)),
            _ => None,
        })
        .collect();
    let Some((before, level, first)) = skipped.first() else { return PASS };
    const SKIPPED: Text = text(
        "{count} {count|heading skips|headings skip} a level; the first is an h{level} after an h{before}: “{text}”.",
        "{count} {count|título pula|títulos pulam} um nível; o primeiro é um h{level} depois de um h{before}: “{text}”.",
    );
    const USE: Text = text("Make “{text}” an h{wanted}.", "Faça de “{text}” um h{wanted}.");
    let fix = FixDraft::instruction(
        FixTarget::Body,
        USE,
        &[("text", first.text().into()), ("wanted", usize::from(*before + 1).into())],
    );
    let values = [
        ("count", skipped.len().into()),
        ("level", usize::from(*level).into()),
        ("before", usize::from(*before).into()),
        ("text", first.text().into()),
    ];
    Ok(Some(problem(SKIPPED, &values, fix).at(skipped.iter().map(|(_, _, heading)| heading.place()))))
}
