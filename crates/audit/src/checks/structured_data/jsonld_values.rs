//! Values of structured data that can't be read as their property asks, or were never filled in.

use crate::check::prelude::*;
use crate::checks::structured_data::rich_results::placeholder;
use crate::escape::json_text_in_html;
use crate::facts::document::Element;
use crate::facts::jsonld::complete::{Insertion, spliced};
use crate::facts::jsonld::graph::local;
use crate::facts::jsonld::placeholder::{is_placeholder, is_sample_address};
use crate::facts::jsonld::tree::{Member, TreeKind, ValueTree};
use crate::facts::jsonld::value::{self, Bad, Setting, ValueRepair};
use crate::facts::page::Html;
use crate::facts::page_language;
use crate::facts::resolved::dates;
use crate::facts::structured_data::{Item, NodeSource};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "json-ld-values",
    category: Category::StructuredData,
    landing: Landing {
        title: text("Structured data value checker", "Verificador de valores dos dados estruturados"),
        h1: text(
            "Are the dates, prices and URLs in your structured data valid?",
            "As datas, os preços e as URLs dos seus dados estruturados são válidos?",
        ),
        description: text(
            "Check dates, durations, prices, currencies, ratings, GTINs, coordinates and URLs in JSON-LD, microdata and RDFa, and get them corrected.",
            "Confira datas, durações, preços, moedas, notas, GTINs, coordenadas e URLs em JSON-LD, microdados e RDFa e receba-os corrigidos.",
        ),
        lead: text(
            "A price with a comma or a date with slashes is valid JSON, but search engines drop it. This tool compares each value with the format its property requires, and corrects it if only one meaning is possible.",
            "Um preço com vírgula ou uma data com barras é JSON válido, mas os buscadores o descartam. Esta ferramenta compara cada valor com o formato que a propriedade exige e o corrige se só há uma leitura possível.",
        ),
        example: include_str!("jsonld_values/bad_price.html"),
    },
    checks: &[INVALID, PLACEHOLDER],
};

const INVALID: Check = Check {
    code: "jsonld_value_invalid",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("Invalid values in structured data", "Valores inválidos nos dados estruturados"),
    why: text(
        "Search engines drop a date, price or URL in the wrong format, and often the rich result with it.",
        "Os buscadores descartam uma data, um preço ou uma URL em formato errado, e muitas vezes o resultado avançado junto.",
    ),
    how: text(
        "Write dates and durations in ISO 8601, currencies as ISO 4217 codes, prices as digits with a decimal point, URLs with `https://`, and enumeration values as schema.org URLs.",
        "Escreva datas e durações em ISO 8601, moedas como códigos ISO 4217, preços como dígitos com ponto decimal, URLs com `https://` e valores de enumerações como URLs do schema.org.",
    ),
    reference: "https://schema.org/docs/datamodel.html",
    rule: text(
        "Fails when a plain value of a known property has the wrong format. Dates and durations must be ISO 8601; prices digits with at most one point; currencies ISO 4217 codes; enumeration values the name or URL of a member; URLs absolute http(s); the `ratingValue` of an `AggregateRating` or `reviewRating` a number between `worstRating` (default 1) and `bestRating` (default 5); `position` counted from 1; coordinates on the globe; GTINs with a valid check digit. A note when the only fault is a space between date and time, which many readers accept. Empty values, placeholders, percentages, fractions, and objects instead of a value are skipped.",
        "Falha quando um valor simples de uma propriedade conhecida tem o formato errado. Datas e durações devem ser ISO 8601; preços, dígitos com no máximo um ponto; moedas, códigos ISO 4217; valores de enumerações, o nome ou a URL de um membro; URLs, http(s) absolutas; o `ratingValue` de um `AggregateRating` ou `reviewRating`, um número entre `worstRating` (padrão 1) e `bestRating` (padrão 5); `position`, contada a partir de 1; coordenadas, no globo; GTINs, com dígito verificador válido. É uma observação quando a única falha é um espaço entre data e hora, que muitos leitores aceitam. Valores vazios, marcadores de template, porcentagens, frações e objetos no lugar de um valor são ignorados.",
    ),
    thresholds: &[threshold("worst_rating", 1, "points"), threshold("best_rating", 5, "points")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: |facts| facts.unless_unread(invalid(facts)),
};

const PLACEHOLDER: Check = Check {
    code: "jsonld_placeholder_value",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("Placeholders in structured data", "Marcadores não preenchidos nos dados estruturados"),
    why: text(
        "A placeholder or sample value tells search engines something untrue about the page. They drop the node, or show the placeholder as it is.",
        "Um marcador ou valor de exemplo diz aos buscadores algo falso sobre a página. Eles descartam o nó ou mostram o marcador como está.",
    ),
    how: text(
        "Fill in what the page shows, or remove the property if there is no value.",
        "Preencha com o que a página mostra ou remova a propriedade se não há valor.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/sd-policies#content",
    rule: text(
        "Fails when a value of a schema.org node is only a template placeholder (`{{name}}`, `${name}`, `<% name %>`), a word left by samples or broken scripts (`string`, `TODO`, `undefined`, `[object Object]`), or a URL on example.com, example.org or example.net on a page of another site. Empty values are skipped, and so are placeholders inside a longer text and the templates of search actions.",
        "Falha quando um valor de um nó schema.org é só um marcador de template (`{{name}}`, `${name}`, `<% name %>`), uma palavra deixada por exemplos ou scripts quebrados (`string`, `TODO`, `undefined`, `[object Object]`), ou uma URL em example.com, example.org ou example.net numa página de outro site. Valores vazios são ignorados, assim como marcadores dentro de um texto maior e os templates de ações de busca.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: WHOLE,
    run: |facts| facts.unless_unread(placeholders(facts)),
};

/// Values that a fix shows.
const MOST_SHOWN: usize = 20;
/// Characters shown of a value.
const SHOWN_CHARACTERS: usize = 80;

/// What of the page decides how a value is meant.
pub(super) fn setting<'h>(facts: &Facts<'_>, html: &'h Html) -> Setting<'h> {
    let language = page_language::read(facts).unwrap_or_default();
    Setting {
        decimal_mark: value::decimal_mark(&language),
        resolve: Box::new(|href| html.resolve(href)),
        zoned: Box::new(|date| dates::zoned(html, date)),
    }
}

/// Fails when a value of a known property is not what the property asks for.
fn invalid(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let bad = value::read(facts.graph()?, &setting(facts, html)).ok_or(NotMeasured::Absent)?;
    let Some(first) = bad.first() else { return PASS };
    let values = [
        ("count", bad.len().into()),
        ("property", property(first.kind, first.property).into()),
        ("value", shown(html, first.block, first.value).into()),
    ];
    let places = bad.iter().filter_map(|bad| html.source(bad.block)?.place(html, &bad.value.span));
    const SPACED: Text = text(
        "{property} has a space instead of the T of ISO 8601: {value}{count|| ({count} dates in total)}.",
        "{property} tem um espaço no lugar do T da ISO 8601: {value}{count|| ({count} datas no total)}.",
    );
    let is_minor = bad.iter().all(Bad::is_spaced_date);
    let message = if is_minor { SPACED } else { first.form.message() };
    problem(message, &values, fix(html, &bad)).minor_if(is_minor).at(places).fail()
}

/// `Offer.price`.
fn property(kind: &str, property: &str) -> String {
    if kind.is_empty() { property.to_owned() } else { format!("{kind}.{property}") }
}

/// A value as it is written, shortened.
fn shown(html: &Html, block: usize, value: &ValueTree) -> String {
    let written = match html.source(block).and_then(NodeSource::block) {
        Some(block) => block.text.get(value.span.clone()).unwrap_or_default().to_owned(),
        None => format!("\"{}\"", value::plain(value).unwrap_or_default()),
    };
    written.chars().take(SHOWN_CHARACTERS).collect()
}

/// Ready where it is plain what each value means; else a template of the members to rewrite.
fn fix(html: &Html, bad_values: &[Bad<'_>]) -> FixDraft {
    const SAME: Text =
        text("the page's own values, in the required format", "os valores da própria página, no formato exigido");
    const REPLACE: Text = text(
        "Replace these values in the structured data, and fill in the placeholders with what the page shows.",
        "Troque estes valores nos dados estruturados e preencha os marcadores com o que a página mostra.",
    );
    let gap = |bad: &Bad<'_>| format!("\"{}\"", placeholder(bad.property));
    let json_of = |bad: &Bad<'_>| bad.repair.first().map_or_else(|| gap(bad), |one| json_text_in_html(&one.json));
    let in_markup = |block: usize, value: &ValueTree, json: &str| {
        let Some(NodeSource::Item(item)) = html.source(block) else { return None };
        let (element, attribute) = stating(html, item, value)?;
        element.start_tag_with(attribute, &plain_text(json)?)
    };
    let unfilled = |bad: &Bad<'_>| {
        let among_others = || {
            let all = bad_values.iter().filter(|other| other.block == bad.block);
            let all = all.map(|other| (other.value, json_of(other)));
            Some(format!("\"{}\": {}", bad.property, among_others(html, bad.block, bad.value, all)?))
        };
        in_markup(bad.block, bad.value, &gap(bad))
            .or_else(among_others)
            .unwrap_or_else(|| format!("\"{}\": {}", bad.property, gap(bad)))
    };
    // What is repaired is shown alone, as it is changed; a gap needs its neighbours.
    let repaired = |bad: &Bad<'_>, repair: &ValueRepair<'_>| {
        let json = json_text_in_html(&repair.json);
        in_markup(bad.block, repair.value, &json).unwrap_or_else(|| format!("\"{}\": {json}", repair.property))
    };
    let lines_of = |bad: &Bad<'_>| match bad.repair.is_empty() {
        true => vec![unfilled(bad)],
        false => bad.repair.iter().map(|repair| repaired(bad, repair)).collect(),
    };
    let mut lines: Vec<String> = bad_values.iter().take(MOST_SHOWN).flat_map(lines_of).collect();
    lines.dedup();
    let snippet = lines.join("\n");
    let in_source: Vec<bool> = html.json_ld.written.iter().map(|block| block.is_in_source(&html.document)).collect();
    let is_changeable = |bad: &Bad<'_>| in_source.get(bad.block).copied().unwrap_or(true);
    let edits: Option<Vec<_>> = bad_values.iter().map(|bad| edits(html, bad).filter(|_| is_changeable(bad))).collect();
    let target = bad_values.first().and_then(|bad| html.source(bad.block)).map_or(FixTarget::Head, NodeSource::target);
    match edits {
        Some(edits) => edits
            .into_iter()
            .flatten()
            .fold(FixDraft::edit(target, snippet), |fix, edit| match edit {
                Repair::Json((span, json)) => fix.replace(span, json),
                Repair::Markup(element, name, value) => fix.set(element, name, &value),
            })
            .from(SAME, &[]),
        None => FixDraft::template(target, snippet).note(REPLACE, &[]),
    }
}

/// The array in which a value stands, with what takes the place of each of `all`: the other values stay. `None` of a value
/// that stands alone, and of a long array.
fn among_others<'t>(
    html: &Html,
    block: usize,
    value: &ValueTree,
    all: impl Iterator<Item = (&'t ValueTree, String)>,
) -> Option<String> {
    /// Bytes of an array that a fix shows whole.
    const LONGEST: usize = 2_048;
    let written = html.source(block)?.block()?;
    let mut open: Vec<&ValueTree> = vec![&written.tree];
    let array = loop {
        let tree = open.pop()?;
        match &tree.kind {
            TreeKind::Array(values) if values.iter().any(|one| one.span == value.span) => break tree,
            TreeKind::Array(values) => open.extend(values),
            TreeKind::Object(members) => open.extend(members.iter().map(|member| &member.value)),
            _ => {}
        }
    };
    let text = written.text.get(array.span.clone()).filter(|text| text.len() <= LONGEST)?;
    let start = array.span.start;
    let within = all.filter(|(one, _)| start <= one.span.start && one.span.end <= array.span.end);
    let insertions = within.map(|(one, json)| (one.span.start - start..one.span.end - start, json)).collect();
    Some(html.as_meant(&spliced(text, insertions)))
}

/// One change that repairs a value.
enum Repair<'h> {
    /// A span of the source.
    Json(Insertion),
    /// An attribute of an element.
    Markup(Element<'h>, &'static str, String),
}

/// The changes that repair a value; `None` where only a person can.
fn edits<'h>(html: &'h Html, bad: &Bad<'_>) -> Option<Vec<Repair<'h>>> {
    let edit = |repair: &ValueRepair<'_>| match html.source(bad.block)? {
        NodeSource::Block(block) => {
            let span = &repair.value.span;
            // Letters that were misread would come out wrong.
            let is_certain = !html.unlabelled_utf8 || block.text.get(span.clone()).is_some_and(str::is_ascii);
            let span = block.start + span.start..block.start + span.end;
            is_certain.then(|| Repair::Json((span, json_text_in_html(&repair.json))))
        }
        NodeSource::Item(item) => markup_repair(html, item, repair),
    };
    (!bad.repair.is_empty()).then(|| bad.repair.iter().map(edit).collect())?
}

/// The element that states a value in markup, and the attribute that does or may.
fn stating<'h>(html: &'h Html, item: &Item, value: &ValueTree) -> Option<(Element<'h>, &'static str)> {
    let origin = item.origin(value)?;
    let element = html.element(origin.node).filter(|element| element.start_tag().is_some())?;
    Some((element, origin.attribute.unwrap_or(if element.is("time") { "datetime" } else { "content" })))
}

/// A value of JSON as an attribute has it.
fn plain_text(json: &str) -> Option<String> {
    Some(match serde_json::from_str(json).ok()? {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    })
}

fn markup_repair<'h>(html: &'h Html, item: &Item, repair: &ValueRepair<'_>) -> Option<Repair<'h>> {
    let (element, attribute) = stating(html, item, repair.value)?;
    // An element that states several properties would change them all.
    let names = element.attribute("itemprop").or_else(|| element.attribute("property"))?;
    if names.split_ascii_whitespace().count() > 1 {
        return None;
    }
    Some(Repair::Markup(element, attribute, plain_text(&repair.json)?))
}

/// A value that was never filled in.
struct UnfilledValue<'t> {
    block: usize,
    kind: &'t str,
    property: &'t str,
    value: &'t ValueTree,
}

/// Fails when a value is a placeholder.
fn placeholders(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph()?;
    let is_unfilled = |text: &str| is_placeholder(text) || is_sample_address(text, &html.url);
    // The template of an address is meant to have gaps (schema.org, `urlTemplate`).
    let is_template =
        |member: &Member| matches!(local(&member.name), "target" | "urlTemplate") || member.name.starts_with('@');
    let mut gaps: Vec<UnfilledValue<'_>> = Vec::new();
    for node in &graph.nodes {
        for member in node.tree.members().into_iter().flatten().filter(|member| !is_template(member)) {
            let unfilled = member.value.each().iter().filter(|value| value.text().is_some_and(is_unfilled));
            let (kind, property) = (node.types.first().copied().unwrap_or_default(), local(&member.name));
            gaps.extend(unfilled.map(|value| UnfilledValue { block: node.block, kind, property, value }));
        }
    }
    let Some(first) = gaps.first() else { return PASS };
    const UNFILLED: Text = text(
        "{property} contains a placeholder or sample value: {value}{count|| ({count} such values in total)}.",
        "{property} contém um marcador ou valor de exemplo: {value}{count|| ({count} valores assim no total)}.",
    );
    const REPLACE: Text = text(
        "Replace these values with what the page shows, or remove the properties.",
        "Troque estes valores pelo que a página mostra ou remova as propriedades.",
    );
    let values = [
        ("count", gaps.len().into()),
        ("property", property(first.kind, first.property).into()),
        ("value", shown(html, first.block, first.value).into()),
    ];
    let mut lines: Vec<String> = Vec::new();
    for gap in gaps.iter().take(MOST_SHOWN) {
        let all = gaps.iter().filter(|other| other.block == gap.block);
        let all = all.map(|other| (other.value, format!("\"{}\"", placeholder(other.property))));
        let filled = among_others(html, gap.block, gap.value, all);
        let json = filled.unwrap_or_else(|| format!("\"{}\"", placeholder(gap.property)));
        let line = format!("\"{}\": {json}", json_text_in_html(gap.property));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let target = html.source(first.block).map_or(FixTarget::Head, NodeSource::target);
    let fix = FixDraft::template(target, lines.join("\n")).note(REPLACE, &[]);
    let places = gaps.iter().filter_map(|gap| html.source(gap.block)?.place(html, &gap.value.span));
    problem(UNFILLED, &values, fix).at(places).fail()
}
