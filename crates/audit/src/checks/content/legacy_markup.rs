//! Elements and attributes that HTML calls obsolete.

use std::collections::BTreeMap;

use crate::check::prelude::*;
use crate::facts::document::trimmed;
use crate::facts::layout_table::is_layout_table;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "legacy-markup", category: Category::Content, landing: LANDING, checks: &[LEGACY] };

const LANDING: Landing = Landing {
    title: text("Obsolete HTML checker", "Verificador de HTML obsoleto"),
    h1: text("Does your page use obsolete HTML?", "Sua página usa HTML obsoleto?"),
    description: text(
        "Find font, center, marquee, frames and layout tables on a page, count them, and see the modern replacement for each.",
        "Encontre font, center, marquee, frames e tabelas de layout na página, conte-os e veja o substituto atual de cada um.",
    ),
    lead: text(
        "Browsers still show old pages, but frames and applets hide their content from search, and table layouts don't fit on phones. This tool lists obsolete markup and its modern replacement.",
        "Os navegadores ainda mostram páginas antigas, mas frames e applets escondem o conteúdo da busca, e layouts em tabela não cabem no celular. Esta ferramenta lista a marcação obsoleta e o substituto atual.",
    ),
    example: include_str!("legacy_markup/bad_elements.html"),
};

const LEGACY: Check = Check {
    code: "legacy_markup",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Obsolete HTML", "HTML obsoleto"),
    why: text(
        "These elements and attributes are no longer part of HTML. Frames and applets hide their content from search, and presentational markup conflicts with CSS.",
        "Esses elementos e atributos não fazem mais parte do HTML. Frames e applets escondem o conteúdo da busca, e marcação de apresentação conflita com o CSS.",
    ),
    how: text("Replace them with current elements and CSS.", "Substitua-os por elementos atuais e CSS."),
    reference: "https://html.spec.whatwg.org/multipage/obsolete.html#non-conforming-features",
    rule: text(
        "Fails on the elements `frameset`, `frame`, `applet`, `font`, `center`, `marquee`, `blink`, `big`, `strike` and `tt`, and on the attributes `bgcolor` and `align`. It also fails on a table inside another one that has no `th`, `caption` or `role` and holds more than half of the page's visible text; all such nested tables are then counted. Markup that only styles the page (all but frames, applets and such tables) passes with fewer than 3 uses. Kinds that hide content are listed first.",
        "Falha com os elementos `frameset`, `frame`, `applet`, `font`, `center`, `marquee`, `blink`, `big`, `strike` e `tt`, e com os atributos `bgcolor` e `align`. Falha também com uma tabela dentro de outra que não tem `th`, `caption` nem `role` e contém mais da metade do texto visível da página; todas as tabelas aninhadas assim são então contadas. Marcação que só dá estilo à página (tudo menos frames, applets e essas tabelas) passa com menos de 3 usos. Os tipos que escondem conteúdo vêm primeiro.",
    ),
    thresholds: &[threshold("layout_table_text", 50, "percent"), threshold("styling", LEAST_STYLING as u64, "uses")],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: FIRST,
    run: legacy,
};

/// Obsolete elements, those of `is_obsolete`, and what replaces each, in words of no language (WHATWG HTML §16.2). Those that
/// hide content first.
const ELEMENTS: &[(&str, &str)] = &[
    ("frameset", "<a>"),
    ("frame", "<a>"),
    ("applet", "<object>, <script>"),
    ("font", "CSS: font, color"),
    ("center", "CSS: text-align"),
    ("marquee", "CSS: animation"),
    ("blink", "CSS: animation"),
    ("big", "CSS: font-size"),
    ("strike", "<s>, <del>"),
    ("tt", "<code>"),
];

/// Attributes of the kind, with their replacement.
const ATTRIBUTES: [(&str, &str); 3] =
    [("bgcolor", "CSS: background-color"), ("align", "CSS: text-align"), ("img align", "CSS: float, vertical-align")];
/// What `align` moves as a whole, instead of the text within.
const MOVED_WHOLE: [&str; 6] = ["img", "iframe", "object", "embed", "input", "table"];
/// Uses of markup for style from which on they are worth a change: each of them shows as it should.
const LEAST_STYLING: usize = 3;
/// Elements of [`ELEMENTS`] that hide content: one is enough.
const HIDING: usize = 3;
/// Tables looked at: deeply nested ones each hold the text of those within.
const MOST_TABLES: usize = 50;
/// Tables within tables, with theirs.
const LAYOUT_TABLE: (&str, &str) = ("table > table", "CSS: grid");

/// Every kind, in the order in which a reader wants them.
fn kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    ELEMENTS.iter().chain(&ATTRIBUTES).chain(std::iter::once(&LAYOUT_TABLE)).copied()
}

/// Whether a table holds most of the page's text.
fn holds_most(html: &Html, table: Element<'_>) -> bool {
    let texts = || table.texts_where(|below| !below.is("script") && !below.is("style"));
    texts().map(|run| trimmed(run).len()).sum::<usize>() * 2 > html.text.text.len()
}

/// Fails on obsolete elements, `bgcolor` and `align` attributes, and tables that lay the page out; each kind is counted.
fn legacy(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut found = Vec::new();
    let tables: Vec<Element<'_>> = html.elements(&html.listed.tables).collect();
    for element in html.elements(&html.listed.obsolete) {
        let by_name = ELEMENTS.iter().position(|(name, _)| *name == element.name());
        let is_moved = MOVED_WHOLE.iter().any(|name| element.is(name));
        let has = |name: &str| match name {
            "img align" => is_moved && element.has("align"),
            "align" => !is_moved && element.has("align"),
            other => element.has(other),
        };
        // A counting pixel shows nothing that could stand elsewhere.
        let is_shown = !element.is("img") || !html.listed.is_unseen(element);
        let by_attribute = ATTRIBUTES.iter().enumerate().filter(|(_, (name, _))| has(name) && is_shown);
        let mut is_obsolete = false;
        for kind in by_name.into_iter().chain(by_attribute.map(|(at, _)| ELEMENTS.len() + at)) {
            *counts.entry(kind).or_default() += 1;
            is_obsolete = true;
        }
        if is_obsolete {
            found.push(element);
        }
    }
    // The innermost one that holds most of the text is shown; those around it hold as much and are the same layout.
    let most = tables.iter().take(MOST_TABLES).filter(|table| holds_most(html, **table));
    if let Some(table) = most.filter(|table| is_layout_table(**table)).last() {
        let count = tables.iter().filter(|table| is_layout_table(**table)).count();
        counts.insert(ELEMENTS.len() + ATTRIBUTES.len(), count);
        found.push(*table);
    }
    let styling: usize = counts.range(HIDING..ELEMENTS.len() + ATTRIBUTES.len()).map(|(_, count)| count).sum();
    if styling == counts.values().sum::<usize>() && styling < LEAST_STYLING {
        return PASS;
    }
    let by_kind = || kinds().enumerate().filter_map(|(at, kind)| Some((kind, counts.get(&at)?)));
    let list = by_kind().map(|((name, _), count)| format!("{} ×{count}", shown(name))).collect::<Vec<_>>().join(", ");
    const FOUND: Text = text("The page uses obsolete HTML: {list}.", "A página usa HTML obsoleto: {list}.");
    const REPLACE: Text = text("Replace as follows: {list}.", "Substitua assim: {list}.");
    let replacements: Vec<String> =
        by_kind().map(|((name, instead), _)| format!("{} → {instead}", shown(name))).collect();
    let fix = FixDraft::instruction(FixTarget::Body, REPLACE, &[("list", replacements.join("; ").into())]);
    problem(FOUND, &[("list", list.into())], fix).on(found).fail()
}

/// `<font>` for an element, other names as they are.
fn shown(name: &str) -> String {
    if ELEMENTS.iter().any(|(element, _)| *element == name) { format!("<{name}>") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::listed::is_obsolete;

    #[test]
    fn elements_are_those_that_are_listed() {
        assert!(ELEMENTS.iter().all(|(name, _)| is_obsolete(name)));
        assert!(!is_obsolete("table") && !is_obsolete("b"));
    }
}
