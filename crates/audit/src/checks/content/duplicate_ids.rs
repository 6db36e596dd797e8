//! The same `id` on several elements.

use std::collections::BTreeSet;

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "duplicate-ids", category: Category::Content, landing: LANDING, checks: &[DUPLICATE] };

const LANDING: Landing = Landing {
    title: text("Duplicate id checker", "Verificador de ids duplicados"),
    h1: text("Is one id used on several elements?", "Algum id se repete na página?"),
    description: text(
        "Find ids that several elements of a page share and that labels, ARIA attributes or links refer to.",
        "Encontre ids que vários elementos da página compartilham e que labels, atributos ARIA ou links usam.",
    ),
    lead: text(
        "Labels, ARIA attributes and fragment links find elements by id and take the first one. This tool lists the duplicate ids that the page depends on.",
        "Labels, atributos ARIA e links para âncoras encontram elementos pelo id e pegam o primeiro. Esta ferramenta lista os ids duplicados de que a página depende.",
    ),
    example: include_str!("duplicate_ids/bad_label.html"),
};

const DUPLICATE: Check = Check {
    code: "duplicate_id",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Duplicate ids", "Ids duplicados"),
    why: text(
        "A reference to the id reaches only the first element: a label names the wrong field, a link jumps to the wrong place.",
        "Uma referência ao id chega só ao primeiro elemento: um label nomeia o campo errado, um link pula para o lugar errado.",
    ),
    how: text("Give each element a unique id.", "Dê a cada elemento um id único."),
    reference: "https://html.spec.whatwg.org/multipage/dom.html#the-id-attribute",
    rule: text(
        "Fails when two or more elements of the document, including SVG and MathML, have exactly the same `id` (DOM §4.2.4), and a `for`, `headers`, `form`, `list` or `aria-*` attribute, a link to that place of this page or a `url(#…)` refers to it. Ids that nothing on the page refers to are ignored. The contents of `template` elements are not counted. When no such duplicate is found, a page that was cut off is not measured.",
        "Falha quando dois ou mais elementos do documento, inclusive de SVG e MathML, têm exatamente o mesmo `id` (DOM §4.2.4), e um atributo `for`, `headers`, `form`, `list` ou `aria-*`, um link para esse ponto desta página ou um `url(#…)` se refere a ele. Ids a que nada na página se refere são ignorados. O conteúdo de elementos `template` não conta. Quando nenhuma duplicata assim é encontrada, uma página cortada não é medida.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: WHOLE,
    run: duplicate,
};

/// Ids that a message lists.
const SHOWN: usize = 5;
/// Whether an attribute names other elements by a list of their ids: some, and eight of ARIA's.
fn is_list_of_ids(name: &str) -> bool {
    matches!(name, "for" | "headers" | "form" | "list")
        || name.strip_prefix("aria-").is_some_and(|name| {
            matches!(
                name,
                "labelledby"
                    | "describedby"
                    | "controls"
                    | "owns"
                    | "activedescendant"
                    | "details"
                    | "flowto"
                    | "errormessage"
            )
        })
}

/// Which of some ids something on the page names.
fn referenced<'h>(html: &'h Html, ids: &BTreeSet<&'h str>) -> BTreeSet<&'h str> {
    let mut out = BTreeSet::new();
    if ids.is_empty() {
        return out;
    }
    for element in html.document.elements() {
        for (name, value) in element.attributes() {
            // Names by an id have a sign, but for those of a few attributes: most values are told by their name and this.
            let is_list = is_list_of_ids(name);
            if !is_list && memchr::memchr(b'#', value.as_bytes()).is_none() {
                continue;
            }
            if matches!(name, "href" | "xlink:href") {
                let id = value.split_once('#').and_then(|(_, id)| ids.get(id.trim_end()));
                out.extend(id.filter(|_| leads_into_page(html, value)));
            } else if let Some((_, id)) = value.split_once("url(#") {
                out.extend(id.split_once(')').and_then(|(id, _)| ids.get(id)));
            } else if is_list {
                out.extend(value.split_ascii_whitespace().filter_map(|id| ids.get(id)));
            }
        }
    }
    out
}

/// Whether an address with a fragment leads to a place of this page.
fn leads_into_page(html: &Html, address: &str) -> bool {
    let page = html.url.as_str().split('#').next();
    address.trim().starts_with('#') || html.resolve(address).is_some_and(|url| url.as_str().split('#').next() == page)
}

fn duplicate(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let all: Vec<(&str, Element<'_>)> = html.document.elements_by_id().collect();
    let ids = || all.iter().map(|(id, _)| *id);
    // Those of one id follow each other.
    let twice: BTreeSet<&str> = ids().zip(ids().skip(1)).filter(|(id, next)| id == next).map(|(id, _)| id).collect();
    let named: Vec<&str> = referenced(html, &twice).into_iter().collect();
    if named.is_empty() {
        facts.whole_page()?;
        return if all.is_empty() { Err(NotMeasured::Absent) } else { PASS };
    }
    const SAME: Text = text(
        "{count} {count|id that the page refers to is|ids that the page refers to are} used on several elements: {list}.",
        "{count} {count|id usado em referências se repete|ids usados em referências se repetem} em vários elementos: {list}.",
    );
    let shown = named.iter().take(SHOWN).map(|id| format!("{id} ×{}", ids().filter(|own| own == id).count()));
    let list = shown.collect::<Vec<_>>().join(", ");
    let values = [("count", named.len().into()), ("list", list.into())];
    let rank = |id: &str| named.iter().take(MAX_PLACES).position(|known| *known == id);
    let places: Vec<(usize, Element<'_>)> =
        all.iter().filter_map(|(id, element)| Some((rank(id)?, *element))).collect();
    let fix = FixDraft::instruction(FixTarget::Body, DUPLICATE.how, &[]);
    problem(SAME, &values, fix).on(places.into_iter().map(|(_, element)| element)).fail()
}
