//! JSON-LD: blocks that can't be read, results that have ended, and pages without any structured data.

use model::lang::Phrase;

use crate::check::prelude::*;
use crate::checks::structured_data::jsonld_values::setting;
use crate::escape::{json_in_html, json_text_in_html};
use crate::facts::derive;
use crate::facts::document::Position;
use crate::facts::jsonld::{BlockError, repaired, types_of, value};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "json-ld",
    category: Category::StructuredData,
    landing: Landing::TO_WRITE,
    checks: &[SYNTAX, RETIRED, MISSING],
};

/// Characters of a defect that evidence shows.
const SHOWN_CHARACTERS: usize = 40;

const INTRO: &str = "https://developers.google.com/search/docs/appearance/structured-data/intro-structured-data";

const SYNTAX: Check = Check {
    code: "jsonld_syntax_error",
    severity: Severity::Error,
    title: text("Structured data that is not JSON", "Dados estruturados que não são JSON"),
    why: text(
        "One comma too many, and consumers drop the whole block: no rich result comes of it.",
        "Uma vírgula a mais, e os consumidores descartam o bloco inteiro: nenhum resultado avançado sai dele.",
    ),
    how: text("Write valid JSON; let a library print it.", "Escreva JSON válido; deixe uma biblioteca gerá-lo."),
    reference: "https://www.rfc-editor.org/rfc/rfc8259",
    rule: text("Fails when a block is not JSON, its root is no object, or one of its objects has a name twice.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: syntax,
};

const RETIRED: Check = Check {
    code: "jsonld_retired_type",
    severity: Severity::Info,
    title: text(
        "Structured data without a Google result any more",
        "Dados estruturados que já não geram resultado no Google",
    ),
    why: text(
        "Google ended the rich result of this type. The vocabulary stays valid, and others may read it.",
        "O Google encerrou o resultado avançado deste tipo. O vocabulário continua válido, e outros podem lê-lo.",
    ),
    how: text(
        "Nothing has to go; just don't expect a rich result from it.",
        "Nada precisa sair; só não espere um resultado avançado dele.",
    ),
    reference: "https://developers.google.com/search/updates",
    rule: text("Says which types no longer give a rich result. Never advises to delete them.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: FIRST,
    run: retired,
};

const MISSING: Check = Check {
    code: "structured_data_missing",
    severity: Severity::Info,
    title: text("No structured data", "Sem dados estruturados"),
    why: text(
        "Structured data tells machines what the page is about, and makes rich results possible. It is optional.",
        "Dados estruturados dizem às máquinas do que a página trata e permitem resultados avançados. São opcionais.",
    ),
    how: text(
        "Add a JSON-LD block of the type that fits the page: Article, Product, Organization, BreadcrumbList.",
        "Adicione um bloco JSON-LD do tipo que combina com a página: Article, Product, Organization, BreadcrumbList.",
    ),
    reference: INTRO,
    rule: text("Fails when there is neither JSON-LD nor microdata nor RDFa Lite on a page that may be indexed.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: missing,
};

/// Bytes of repaired blocks that a report takes: it holds them as fix and as edit, beside what they replace.
const MOST_REPAIRED_BYTES: usize = 128 * 1024;

/// Fails when a block is not JSON, its root is no object, or one of its objects has a name twice.
fn syntax(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if html.json_ld_scripts.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let errors: Vec<&BlockError> = html.json_ld.errors.iter().chain(&html.json_ld.duplicates).collect();
    let Some(first) = errors.iter().min_by_key(|error| error.offset) else { return PASS };
    if html.cut {
        return Err(NotMeasured::Truncated);
    }
    const BROKEN: Text = text(
        "{count} JSON-LD {count|block is|blocks are} not JSON; line {line}, column {column}: {reason}.",
        "{count} {count|bloco JSON-LD não é|blocos JSON-LD não são} JSON; linha {line}, coluna {column}: {reason}.",
    );
    let Position { line, column } = html.document.position(first.offset);
    let values = [("count", errors.len().into()), ("line", line.into()), ("column", column.into())];
    let element = |block: usize| html.json_ld_scripts.get(block).and_then(|id| html.element(*id));
    let repairs: Option<Vec<(Element<'_>, String)>> = errors
        .iter()
        .map(|error| {
            let script =
                element(error.block).filter(|script| script.start_tag().is_some() && script.end_tag().is_some())?;
            // What could not be read before may hold values to repair: one patch mends both.
            Some((script, value::repaired(&repaired(&script.raw_text())?, &setting(facts, html))))
        })
        .collect();
    let is_short =
        |repairs: &Vec<(_, String)>| repairs.iter().map(|(_, json)| json.len()).sum::<usize>() <= MOST_REPAIRED_BYTES;
    let fix = match repairs.filter(is_short).filter(|_| !html.unlabelled_utf8) {
        Some(repairs) => {
            const SAME: Text =
                text("the page's own block, repaired without loss", "o bloco da própria página, consertado sem perda");
            let snippet = repairs.iter().map(|(_, json)| json_text_in_html(json)).collect::<Vec<_>>().join("\n");
            let fix = FixDraft::edit(FixTarget::Head, snippet).from(SAME, &[]);
            repairs.iter().fold(fix, |fix, (script, json)| fix.content(*script, json_text_in_html(json)))
        }
        None => {
            const CORRECT: Text = text(
                "Correct the JSON at line {line}, column {column}: {reason}.",
                "Corrija o JSON na linha {line}, coluna {column}: {reason}.",
            );
            let mut fix = FixDraft::instruction(FixTarget::Head, CORRECT, &values);
            fix.note.iter_mut().for_each(|note| give_reason(note, &first.reason));
            fix
        }
    };
    let places = errors.iter().filter_map(|error| {
        let script = element(error.block)?;
        let selector = Some(script.selector());
        let source = html.document.source();
        let end = script.end_tag().map_or(source.len(), |tag| tag.start);
        let rest = source.get(error.offset..end.max(error.offset))?;
        let shown = rest.chars().take(SHOWN_CHARACTERS).take_while(|c| !matches!(c, '\n' | '\r'));
        let length = shown.map(char::len_utf8).sum::<usize>();
        Some(Place { selector, ..html.document.place_of(error.offset..error.offset + length) })
    });
    let mut found = problem(BROKEN, &values, fix);
    found.values.insert("reason".to_owned(), first.reason.en.as_str().into());
    give_reason(&mut found.message, &first.reason);
    Ok(Some(found.at(places)))
}

/// What is wrong differs by language, so it is filled in after the values.
fn give_reason(sentence: &mut Phrase, reason: &Phrase) {
    sentence.en = sentence.en.replacen("{reason}", &reason.en, 1);
    sentence.pt = sentence.pt.replacen("{reason}", &reason.pt, 1);
}

/// Types whose result has ended, with source and date in the file.
const RETIRED_TYPES: &str = include_str!("../../data/retired_types.tsv");

/// Says which types no longer give a rich result. Never advises to delete them.
fn retired(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if html.json_ld.blocks.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let table = || RETIRED_TYPES.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
    let found: Vec<(&str, &str)> = table()
        .filter(|(name, _)| html.json_ld.nodes().into_iter().any(|node| types_of(node).any(|kind| kind == *name)))
        .collect();
    if found.is_empty() {
        return PASS;
    }
    const ENDED: Text = text(
        "Google ended the rich {count|result of this type|results of these types}: {list}.",
        "O Google encerrou {count|o resultado avançado deste tipo|os resultados avançados destes tipos}: {list}.",
    );
    const KEEP: Text = text(
        "The markup may stay; expect no rich result from it.",
        "A marcação pode ficar; não espere um resultado avançado dela.",
    );
    let list = found.iter().map(|(name, since)| format!("{name} ({since})")).collect::<Vec<_>>().join(", ");
    let types = found.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let values = [("count", found.len().into()), ("list", list.into()), ("types", types.into())];
    fail(ENDED, &values, FixDraft::instruction(FixTarget::Head, KEEP, &[]))
}

/// Fails when there is neither JSON-LD nor microdata nor RDFa Lite on a page that may be indexed.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    facts.indexable()?;
    if facts.shell().is_some() {
        return Err(NotMeasured::Shell);
    }
    let marked = html.document.elements().any(|element| element.has("itemscope") || element.has("typeof"));
    if marked || !html.json_ld_scripts.is_empty() {
        return PASS;
    }
    const NONE: Text =
        text("The page has no JSON-LD, microdata or RDFa.", "A página não tem JSON-LD, microdados nem RDFa.");
    const TYPE: Text = text("Choose the type that fits the page.", "Escolha o tipo que combina com a página.");
    let name = html.title().filter(|title| !title.is_empty() && !derive::is_placeholder(title));
    let block = serde_json::json!({
        "@context": "https://schema.org",
        "@type": "{{TYPE}}",
        "name": name.map_or_else(|| "{{NAME}}".to_owned(), |name| derive::cut(&html.as_meant(&name), derive::LONGEST_HEADLINE)),
        "url": facts.own_url()?.as_str(),
    });
    let snippet = format!("<script type=\"application/ld+json\">{}</script>", json_in_html(&block));
    fail(NONE, &[], FixDraft::template(FixTarget::Head, snippet).note(TYPE, &[]))
}
