//! JSON-LD values that can't be read as their property asks.

use crate::check::prelude::*;
use crate::checks::structured_data::rich_results::placeholder;
use crate::escape::json_text_in_html;
use crate::facts::jsonld::complete::Splice;
use crate::facts::jsonld::graph::Graph;
use crate::facts::jsonld::value::{self, Bad, Form, Setting};
use crate::facts::page::Html;
use crate::facts::page_language;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "json-ld-values",
    category: Category::StructuredData,
    landing: Landing::TO_WRITE,
    checks: &[INVALID],
};

const INVALID: Check = Check {
    code: "jsonld_value_invalid",
    severity: Severity::Warn,
    title: text("Structured data with unreadable values", "Dados estruturados com valores ilegíveis"),
    why: text(
        "A date, price or address in another form than the property asks for is dropped, and often the rich result with it.",
        "Uma data, um preço ou um endereço em forma diferente da que a propriedade pede é descartado, e muitas vezes o resultado avançado junto.",
    ),
    how: text(
        "Write dates and durations by ISO 8601, currencies by ISO 4217, prices as digits with a point, addresses with `https://`, and enumerations as addresses of schema.org.",
        "Escreva datas e durações pela ISO 8601, moedas pela ISO 4217, preços como dígitos com ponto, endereços com `https://` e enumerações como endereços do schema.org.",
    ),
    reference: "https://schema.org/docs/datamodel.html",
    rule: text("Fails when a value of a known property is not what the property asks for.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: invalid,
};

/// Values that a fix shows.
const MOST_SHOWN: usize = 20;
/// Characters shown of a value.
const SHOWN_CHARACTERS: usize = 80;

/// What of the page decides how a value is meant.
pub(super) fn setting<'h>(facts: &Facts<'_>, html: &'h Html) -> Setting<'h> {
    let language = page_language::read(facts).unwrap_or_default();
    Setting { decimal_mark: value::decimal_mark(&language), resolve: Box::new(|href| html.resolve(href)) }
}

/// Fails when a value of a known property is not what the property asks for.
fn invalid(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let written = &html.json_ld.written;
    let graph = Graph::read(written.iter().map(|block| &block.tree));
    let bad = value::read(&graph, &setting(facts, html)).ok_or(NotMeasured::Absent)?;
    let Some(first) = bad.first() else { return PASS };
    let found: String =
        written.get(first.block).and_then(|block| block.text.get(first.value.span.clone())).unwrap_or_default().into();
    let values = [
        ("count", bad.len().into()),
        ("property", property(first).into()),
        ("value", found.chars().take(SHOWN_CHARACTERS).collect::<String>().into()),
    ];
    let places = bad.iter().filter_map(|bad| written.get(bad.block)?.place(html, &bad.value.span));
    Ok(Some(problem(message(first.form), &values, fix(html, &bad)).at(places)))
}

/// `Offer.price`.
fn property(bad: &Bad<'_>) -> String {
    if bad.kind.is_empty() { bad.property.to_owned() } else { format!("{}.{}", bad.kind, bad.property) }
}

/// What is wrong with the first value, and how many there are.
fn message(form: Form) -> Text {
    match form {
        Form::Date => text(
            "{property} {value} is no ISO 8601 date ({count} wrong {count|value|values} in all).",
            "{property} {value} não é uma data ISO 8601 ({count} {count|valor errado|valores errados} ao todo).",
        ),
        Form::Duration => text(
            "{property} {value} is no ISO 8601 duration ({count} wrong {count|value|values} in all).",
            "{property} {value} não é uma duração ISO 8601 ({count} {count|valor errado|valores errados} ao todo).",
        ),
        Form::Price => text(
            "{property} {value} is not written as digits with a point ({count} wrong {count|value|values} in all).",
            "{property} {value} não está escrito como dígitos com ponto ({count} {count|valor errado|valores errados} ao todo).",
        ),
        Form::Currency => text(
            "{property} {value} is no ISO 4217 currency ({count} wrong {count|value|values} in all).",
            "{property} {value} não é uma moeda ISO 4217 ({count} {count|valor errado|valores errados} ao todo).",
        ),
        Form::Member => text(
            "{property} {value} is none of the values that are defined for it ({count} wrong {count|value|values} in all).",
            "{property} {value} não é um dos valores definidos para ela ({count} {count|valor errado|valores errados} ao todo).",
        ),
        Form::Address => text(
            "{property} {value} is no absolute http(s) address ({count} wrong {count|value|values} in all).",
            "{property} {value} não é um endereço http(s) absoluto ({count} {count|valor errado|valores errados} ao todo).",
        ),
        Form::Rating => text(
            "{property} {value} is no number on the scale of the rating ({count} wrong {count|value|values} in all).",
            "{property} {value} não é um número na escala da nota ({count} {count|valor errado|valores errados} ao todo).",
        ),
        Form::Position => text(
            "{property} {value} does not count its list from 1 ({count} wrong {count|value|values} in all).",
            "{property} {value} não numera sua lista a partir de 1 ({count} {count|valor errado|valores errados} ao todo).",
        ),
        Form::Degrees => text(
            "{property} {value} is no place on the globe ({count} wrong {count|value|values} in all).",
            "{property} {value} não é um lugar no globo ({count} {count|valor errado|valores errados} ao todo).",
        ),
        Form::Gtin => text(
            "{property} {value} is no trade item number with a right check digit ({count} wrong {count|value|values} in all).",
            "{property} {value} não é um GTIN com dígito verificador certo ({count} {count|valor errado|valores errados} ao todo).",
        ),
    }
}

/// Ready where it is plain what each value means; else a template of the members that are to be written anew.
fn fix(html: &Html, bad: &[Bad<'_>]) -> FixDraft {
    const SAME: Text =
        text("the page's own values, in the form that is asked for", "os valores da própria página, na forma pedida");
    const REPLACE: Text = text(
        "Replace these members in the JSON-LD; fill in the placeholders.",
        "Troque estes membros no JSON-LD; preencha as lacunas.",
    );
    let member = |bad: &Bad<'_>| {
        let placeholder = || format!("\"{}\"", placeholder(bad.property));
        let json = bad.repair.first().map_or_else(placeholder, |(_, json)| json_text_in_html(json));
        format!("\"{}\": {json}", bad.property)
    };
    let snippet = bad.iter().take(MOST_SHOWN).map(member).collect::<Vec<_>>().join("\n");
    let in_source: Vec<bool> = html.json_ld.written.iter().map(|block| block.is_in_source(html)).collect();
    let is_changeable = |bad: &Bad<'_>| in_source.get(bad.block).copied().unwrap_or_default();
    let edits: Option<Vec<_>> = bad.iter().map(|bad| edits(html, bad).filter(|_| is_changeable(bad))).collect();
    match edits {
        Some(edits) => edits
            .into_iter()
            .flatten()
            .fold(FixDraft::edit(FixTarget::Head, snippet), |fix, (span, json)| fix.replace(span, json))
            .from(SAME, &[]),
        None => FixDraft::template(FixTarget::Head, snippet).note(REPLACE, &[]),
    }
}

/// The changes of the source that repair a value; `None` where only a person can.
fn edits(html: &Html, bad: &Bad<'_>) -> Option<Vec<Splice>> {
    let block = html.json_ld.written.get(bad.block)?;
    let edit = |(span, json): &Splice| {
        // Letters that were misread would come out wrong.
        let is_certain = !html.unlabelled_utf8 || block.text.get(span.clone()).is_some_and(str::is_ascii);
        is_certain.then(|| (block.start + span.start..block.start + span.end, json_text_in_html(json)))
    };
    (!bad.repair.is_empty()).then(|| bad.repair.iter().map(edit).collect())?
}
