//! The same `id` on several elements.

use std::collections::{BTreeSet, HashMap};

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "duplicate-ids", category: Category::Content, landing: LANDING, checks: &[DUPLICATE] };

const LANDING: Landing = Landing {
    title: text("Duplicate id checker", "Verificador de ids duplicados"),
    h1: text("Does one id stand on several elements?", "Um mesmo id está em vários elementos?"),
    description: text(
        "Find ids that stand on more than one element of a page, those first that labels, ARIA attributes or links refer to.",
        "Encontre ids que estão em mais de um elemento da página, primeiro os que labels, atributos ARIA ou links usam.",
    ),
    lead: text(
        "Labels, ARIA attributes, fragment links and scripts find elements by their id and take the first. This tool lists the ids that stand twice and says which of them something on the page depends on.",
        "Labels, atributos ARIA, links para trechos e scripts acham elementos pelo id e pegam o primeiro. Esta ferramenta lista os ids repetidos e diz de quais deles algo na página depende.",
    ),
    example: include_str!("duplicate_ids/bad_label.html"),
};

const DUPLICATE: Check = Check {
    code: "duplicate_id",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("The same id more than once", "O mesmo id mais de uma vez"),
    why: text(
        "Whatever refers to the id gets the first element that has it: a label names the wrong field, a link jumps to the wrong place.",
        "Quem se refere ao id recebe o primeiro elemento que o tem: um label nomeia o campo errado, um link pula para o lugar errado.",
    ),
    how: text("Give each element an id of its own.", "Dê a cada elemento um id só dele."),
    reference: "https://html.spec.whatwg.org/multipage/dom.html#the-id-attribute",
    rule: text(
        "Fails when two or more elements of the document, those of SVG and MathML among them, have the same `id`, compared exactly: an id is one of the whole tree (DOM §4.2.4). Contents of `template` are no part of the document. Listed first are ids that a `for`, `headers`, `form`, `list` or `aria-*` attribute, a link or reference to `#…`, or a `url(#…)` names. With none found, a document that was cut is not measured.",
        "Falha quando dois ou mais elementos do documento, também os de SVG e MathML, têm o mesmo `id`, comparado exatamente: um id vale para a árvore inteira (DOM §4.2.4). Conteúdo de `template` não faz parte do documento. Vêm primeiro os ids que um atributo `for`, `headers`, `form`, `list` ou `aria-*`, um link ou referência a `#…`, ou um `url(#…)` nomeia. Sem nenhum encontrado, um documento cortado não é medido.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Body),
    since: WHOLE,
    run: duplicate,
};

/// Ids that a message lists.
const SHOWN: usize = 5;
/// Attributes that name other elements by their ids, besides `aria-*`, links, and references of drawings.
const REFERENCES: [&str; 4] = ["for", "headers", "form", "list"];
/// ARIA attributes that name other elements.
const ARIA: [&str; 8] = [
    "aria-labelledby",
    "aria-describedby",
    "aria-controls",
    "aria-owns",
    "aria-activedescendant",
    "aria-details",
    "aria-flowto",
    "aria-errormessage",
];

/// Which of some ids something on the page names.
fn referenced<'h>(html: &'h Html, ids: &BTreeSet<&'h str>) -> BTreeSet<&'h str> {
    let mut out = BTreeSet::new();
    for element in html.document.elements() {
        for (name, value) in element.attributes() {
            if matches!(name, "href" | "xlink:href") {
                out.extend(value.trim().strip_prefix('#').and_then(|id| ids.get(id)));
            } else if let Some((_, id)) = value.split_once("url(#") {
                out.extend(id.split_once(')').and_then(|(id, _)| ids.get(id)));
            } else if REFERENCES.contains(&name) || ARIA.contains(&name) {
                out.extend(value.split_ascii_whitespace().filter_map(|id| ids.get(id)));
            }
        }
    }
    out
}

/// Elements of any namespace with an id that is not empty.
fn with_id(html: &Html) -> impl Iterator<Item = (Element<'_>, &str)> {
    let elements = html.document.elements();
    elements.filter_map(|element| Some((element, element.attribute("id").filter(|id| !id.is_empty())?)))
}

fn duplicate(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for id in with_id(html).map(|(_, id)| id) {
        *seen.entry(id).or_default() += 1;
    }
    let twice: BTreeSet<&str> = seen.iter().filter(|(_, count)| **count > 1).map(|(id, _)| *id).collect();
    if twice.is_empty() {
        facts.whole_page()?;
        return if seen.is_empty() { Err(NotMeasured::Absent) } else { PASS };
    }
    let named = referenced(html, &twice);
    let ordered: Vec<&str> = named.iter().chain(twice.difference(&named)).copied().collect();
    const SAME: Text = text(
        "{count} {count|id stands|ids stand} on several elements, {named} of them referred to: {list}.",
        "{count} {count|id está|ids estão} em vários elementos, {named} {named|deles usado|deles usados} por outros: {list}.",
    );
    const UNUSED: Text = text(
        "{count} {count|id stands|ids stand} on several elements, and nothing refers to {count|it|them}: {list}.",
        "{count} {count|id está|ids estão} em vários elementos, e nada se refere a {count|ele|eles}: {list}.",
    );
    let message = if named.is_empty() { UNUSED } else { SAME };
    let shown = ordered.iter().take(SHOWN).map(|id| format!("{id} ×{}", seen.get(id).copied().unwrap_or_default()));
    let list = shown.collect::<Vec<_>>().join(", ");
    let values = [("count", twice.len().into()), ("named", named.len().into()), ("list", list.into())];
    let rank = |id: &str| ordered.iter().take(MAX_PLACES).position(|known| *known == id);
    let all = with_id(html).filter_map(|(element, id)| Some((rank(id)?, element)));
    let mut places: Vec<(usize, Element<'_>)> = all.collect();
    places.sort_by_key(|(rank, _)| *rank);
    let fix = FixDraft::instruction(FixTarget::Body, DUPLICATE.how, &[]);
    problem(message, &values, fix).on(places.into_iter().map(|(_, element)| element)).fail()
}
