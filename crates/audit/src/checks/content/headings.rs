//! The outline that headings give a page: levels that are left out, and headings that say nothing.

use crate::check::prelude::*;
use crate::facts::headings::{MOST_READ, outline, says_something};
use crate::facts::names::has_name;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "headings", category: Category::Content, landing: LANDING, checks: &[EMPTY, LEVEL_SKIPPED] };

const LANDING: Landing = Landing {
    title: text("Heading structure checker", "Verificador da estrutura de títulos"),
    h1: text("Do your headings form a clear outline?", "Seus títulos formam uma estrutura clara?"),
    description: text(
        "Check the headings h1 to h6 of a page for skipped levels and headings without text, each with its line in the source.",
        "Verifique se os títulos h1 a h6 da página pulam níveis ou não têm texto, cada um com sua linha no código.",
    ),
    lead: text(
        "Screen reader users jump from heading to heading, and search engines read headings as the outline of a page. This tool reads the outline the same way and lists skipped levels and empty headings.",
        "Quem usa leitor de tela navega de título em título, e os buscadores leem os títulos como a estrutura da página. Esta ferramenta lê a estrutura da mesma forma e lista níveis pulados e títulos vazios.",
    ),
    example: include_str!("headings/bad_skipped.html"),
};

const LEVEL_SKIPPED: Check = Check {
    code: "heading_level_skipped",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Skipped heading level", "Nível de título pulado"),
    why: text(
        "Screen reader users navigate by heading level. A skipped level looks like a missing section.",
        "Quem usa leitor de tela navega pelos níveis de título. Um nível pulado parece uma seção que falta.",
    ),
    how: text(
        "Use the next level down, and style the heading with CSS.",
        "Use o nível seguinte e ajuste a aparência do título com CSS.",
    ),
    reference: "https://www.w3.org/WAI/WCAG22/Techniques/general/G141",
    rule: text(
        "Fails when a heading is more than one level deeper than the heading before it, in document order from `h1` to `h6`. Hidden headings (`hidden`, `aria-hidden`, inline style) are not counted. The first heading may have any level, and a heading may go up any number of levels. Not measured on an empty app shell. Not applicable without headings.",
        "Falha quando um título está mais de um nível abaixo do título anterior, de `h1` a `h6` na ordem do documento. Títulos ocultos (`hidden`, `aria-hidden`, estilo embutido) não contam. O primeiro título pode ter qualquer nível, e um título pode subir quantos níveis for. Não é medido na casca vazia de um aplicativo. Não se aplica sem títulos.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: FIRST,
    run: level_skipped,
};

const EMPTY: Check = Check {
    code: "heading_empty",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Empty headings", "Títulos vazios"),
    why: text(
        "A screen reader announces a heading and then nothing. In an outline it is an empty line.",
        "O leitor de tela anuncia um título e depois nada. Na estrutura da página, é uma linha vazia.",
    ),
    how: text(
        "Add text to the heading, or replace it with CSS spacing if it only adds space.",
        "Escreva o texto do título, ou troque-o por espaçamento com CSS se ele só serve para abrir espaço.",
    ),
    reference: "https://www.w3.org/WAI/standards-guidelines/act/rules/ffd0e9/",
    rule: text(
        "Fails on `h1` to `h6` without a name: no visible text, image alternative, `aria-label` or `title`, and no `aria-labelledby` that leads to text. Hidden headings (`hidden`, `aria-hidden`, inline style) and those with `role` `none` or `presentation` are ignored, and so are headings with an id or class that begins with `js-`, which a script fills. An empty `h1` on a page without another one is reported by `h1_missing`. Not measured on an empty app shell. Not applicable without headings.",
        "Falha com `h1` a `h6` sem nome: nenhum texto visível, texto alternativo de imagem, `aria-label` ou `title`, e nenhum `aria-labelledby` que leve a um texto. Títulos ocultos (`hidden`, `aria-hidden`, estilo embutido) e os com `role` `none` ou `presentation` são ignorados, assim como títulos com id ou classe que começa com `js-`, que um script preenche. Um `h1` vazio em uma página sem outro é relatado por `h1_missing`. Não é medido na casca vazia de um aplicativo. Não se aplica sem títulos.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Body),
    since: WHOLE,
    run: empty,
};

/// A heading in words: its text, the alternative of its image, else its tag.
fn called(heading: Element<'_>) -> String {
    let alternative = || {
        let image = heading.descendants().find_map(|below| below.attribute("alt").filter(|alt| !alt.trim().is_empty()));
        image.map(str::to_owned)
    };
    Some(heading.text_start(MOST_READ))
        .filter(|text| !text.is_empty())
        .or_else(alternative)
        .unwrap_or_else(|| heading.start_tag_source().unwrap_or_default().to_owned())
}

fn level_skipped(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    if html.headings.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let outline: Vec<(u8, Element<'_>)> = outline(html).collect();
    let skipped: Vec<(u8, u8, Element<'_>)> = outline
        .windows(2)
        .filter_map(|pair| match pair {
            // A nameless one is a finding of its own.
            [(before, _), (level, heading)] if *level > *before + 1 && has_name(*heading) => {
                Some((*before, *level, *heading))
            }
            _ => None,
        })
        .collect();
    let Some((before, level, first)) = skipped.first() else { return PASS };
    const SKIPPED: Text = text(
        "{count|A heading skips a level:|{count} headings skip a level; the first is} an h{level} after an h{before}, “{text}”.",
        "{count|Um título pula um nível:|{count} títulos pulam um nível; o primeiro é} um h{level} depois de um h{before}, “{text}”.",
    );
    const USE: Text = text("Change the heading “{text}” to an h{wanted}.", "Mude o título “{text}” para h{wanted}.");
    let shown = called(*first);
    let values = [("text", shown.as_str().into()), ("wanted", usize::from(*before + 1).into())];
    let fix = FixDraft::instruction(FixTarget::Body, USE, &values);
    let values = [
        ("count", skipped.len().into()),
        ("level", usize::from(*level).into()),
        ("before", usize::from(*before).into()),
        ("text", shown.into()),
    ];
    problem(SKIPPED, &values, fix).on(skipped.iter().map(|(_, _, heading)| heading)).fail()
}

/// Levels that are left out in a row of headings.
fn skips(levels: impl Iterator<Item = u8>) -> usize {
    let mut before = None;
    let mut count = 0;
    for level in levels {
        count += usize::from(before.is_some_and(|before: u8| level > before + 1));
        before = Some(level);
    }
    count
}

fn empty(facts: &Facts<'_>) -> Verdict {
    let html = facts.filled_page()?;
    if html.headings.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let all = || html.headings.iter().filter_map(|(level, id)| Some((*level, html.element(*id)?)));
    let has_h1 = all().any(|(level, heading)| level == 1 && says_something(heading) && !heading.is_hidden());
    let is_out = |heading: Element<'_>| {
        heading.attribute("role").is_some_and(|role| matches!(role.trim(), "none" | "presentation"))
    };
    let found: Vec<Element<'_>> = all()
        .filter(|(level, _)| *level > 1 || has_h1)
        .map(|(_, heading)| heading)
        .filter(|heading| !has_name(*heading) && !is_out(*heading) && !html.listed.is_unseen(*heading))
        .filter(|heading| !is_for_script(*heading))
        .collect();
    if found.is_empty() {
        return PASS;
    }
    const SAY_NOTHING: Text = text(
        "{count} {count|heading is|headings are} empty.",
        "{count} {count|título está vazio|títulos estão vazios}.",
    );
    problem(SAY_NOTHING, &[("count", found.len().into())], without(html, &found)).on(&found).fail()
}

/// Whether an id or a class says that a script fills the heading.
fn is_for_script(heading: Element<'_>) -> bool {
    let names = ["id", "class"].into_iter().filter_map(|name| heading.attribute(name));
    names.flat_map(str::split_ascii_whitespace).any(|name| name.starts_with("js-") || name.starts_with("js_"))
}

/// Takes the headings away where nothing can hang on them: no attribute, no element within, no level left out for it.
fn without(html: &Html, found: &[Element<'_>]) -> FixDraft {
    let is_bare = |heading: &Element<'_>| {
        heading.end_tag().is_some() && heading.attributes().next().is_none() && heading.children().next().is_none()
    };
    let gone: std::collections::BTreeSet<_> = found.iter().map(|heading| heading.id()).collect();
    let levels = |without: bool| {
        let gone = &gone;
        outline(html).filter(move |(_, heading)| !without || !gone.contains(&heading.id())).map(|(level, _)| level)
    };
    if !found.iter().all(is_bare) || skips(levels(true)) > skips(levels(false)) {
        return FixDraft::instruction(FixTarget::Body, EMPTY.how, &[]);
    }
    const GONE: Text = text("Removes the empty headings.", "Remove os títulos vazios.");
    found.iter().fold(FixDraft::edit(FixTarget::Body, "").note(GONE, &[]), |fix, heading| fix.remove(*heading))
}
