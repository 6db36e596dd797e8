//! Elements and attributes that HTML calls obsolete.

use std::collections::BTreeMap;

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family = Family { slug: "legacy-markup", category: Category::Content, checks: &[LEGACY] };

const LEGACY: Check = Check {
    code: "legacy_markup",
    severity: Severity::Info,
    title: text("Obsolete markup", "Marcação obsoleta"),
    why: text(
        "These elements and attributes were dropped from HTML. Browsers still try, but frames and plug-ins hide content from search, and styling by markup fights with CSS.",
        "Esses elementos e atributos saíram do HTML. Os navegadores ainda tentam, mas frames e plug-ins escondem conteúdo da busca, e estilo por marcação briga com o CSS.",
    ),
    how: text("Replace them by current elements and CSS.", "Troque-os por elementos atuais e CSS."),
    reference: "https://html.spec.whatwg.org/multipage/obsolete.html#non-conforming-features",
    run: legacy,
};

/// Obsolete elements, and what replaces each (WHATWG HTML §16.2). Those that hide content first.
const ELEMENTS: &[(&str, &str)] = &[
    ("frameset", "a page of its own with links"),
    ("frame", "a page of its own with links"),
    ("applet", "<object> or a script"),
    ("font", "CSS font and color"),
    ("center", "CSS text-align"),
    ("marquee", "CSS animation"),
    ("blink", "CSS animation"),
    ("big", "CSS font-size"),
    ("strike", "<s> or <del>"),
    ("tt", "<code>"),
];

/// Fails on obsolete elements and on `bgcolor` and `align` attributes; each kind is counted.
fn legacy(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let mut counts: BTreeMap<usize, (String, usize)> = BTreeMap::new();
    let mut places = Vec::new();
    for element in html.document.elements() {
        let known = ELEMENTS.iter().position(|(name, _)| element.is(name));
        let attribute = ["bgcolor", "align"].iter().position(|name| element.has(name));
        let kind = known.map(|at| (at, format!("<{}>", element.name()))).or_else(|| {
            attribute.map(|at| (ELEMENTS.len() + at, if at == 0 { "bgcolor" } else { "align" }.to_owned()))
        });
        if let Some((order, name)) = kind {
            counts.entry(order).or_insert((name, 0)).1 += 1;
            places.push(element.place_if(places.len() < crate::check::MAX_PLACES));
        }
    }
    if counts.is_empty() {
        return PASS;
    }
    let list = counts.values().map(|(name, count)| format!("{name} ×{count}")).collect::<Vec<_>>().join(", ");
    const FOUND: Text = text("The page uses obsolete markup: {list}.", "A página usa marcação obsoleta: {list}.");
    const REPLACE: Text = text("Replace: {list}.", "Troque: {list}.");
    let replacements = counts
        .keys()
        .filter_map(|order| ELEMENTS.get(*order))
        .map(|(name, instead)| format!("<{name}> → {instead}"))
        .chain(counts.keys().any(|order| *order >= ELEMENTS.len()).then(|| "bgcolor, align → CSS".to_owned()))
        .collect::<Vec<_>>()
        .join("; ");
    let fix = FixDraft::instruction(FixTarget::Body, REPLACE, &[("list", replacements.into())]);
    Ok(Some(problem(FOUND, &[("list", list.into())], fix).at(places.into_iter().flatten())))
}
