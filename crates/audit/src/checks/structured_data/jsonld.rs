//! JSON-LD blocks that can't be read, or don't say what they are about.

use model::lang::Phrase;

use crate::check::prelude::*;
use crate::checks::structured_data::jsonld_values::setting;
use crate::escape::json_text_in_html;
use crate::facts::completion::completed;
use crate::facts::document::Position;
use crate::facts::jsonld::context::{self, ContextFault, with_context};
use crate::facts::jsonld::graph::{GraphNode, PathValue};
use crate::facts::jsonld::rich_results::Gap;
use crate::facts::jsonld::tree::{LARGEST_BLOCK, ValueTree};
use crate::facts::jsonld::{BlockError, Written, repaired, value};
use crate::facts::page::Html;
use crate::facts::structured_data::NodeSource;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "json-ld",
    category: Category::StructuredData,
    landing: Landing {
        title: text("JSON-LD validator with repair", "Validador de JSON-LD com correção"),
        h1: text("Can search engines read your JSON-LD?", "Os buscadores conseguem ler seu JSON-LD?"),
        description: text(
            "Find JSON-LD syntax errors by line and column, missing or wrong @context, and nodes without @type. Get the corrected block.",
            "Encontre erros de sintaxe no JSON-LD por linha e coluna, @context ausente ou errado e nós sem @type. Receba o bloco corrigido.",
        ),
        lead: text(
            "Search engines drop a whole JSON-LD block if it isn't valid JSON or has no context, and nothing on the page shows it. This tool finds the line and column of the error and, if no data is lost, writes the corrected block.",
            "Os buscadores descartam um bloco JSON-LD inteiro se ele não é JSON válido ou não tem contexto, e nada na página mostra isso. Esta ferramenta encontra a linha e a coluna do erro e, se nenhum dado se perde, escreve o bloco corrigido.",
        ),
        example: include_str!("jsonld/bad_syntax.html"),
    },
    checks: &[SYNTAX, CONTEXT, TYPE_MISSING],
};

/// Characters of a defect that evidence shows.
const SHOWN_CHARACTERS: usize = 40;

const SYNTAX: Check = Check {
    code: "jsonld_syntax_error",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("JSON-LD syntax error", "Erro de sintaxe no JSON-LD"),
    why: text(
        "A single extra comma makes search engines drop the whole block, so it brings no rich result.",
        "Uma única vírgula a mais faz os buscadores descartarem o bloco inteiro, e ele não gera resultado avançado.",
    ),
    how: text(
        "Write valid JSON, ideally with a JSON library.",
        "Escreva JSON válido, de preferência com uma biblioteca JSON.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc8259",
    rule: text(
        "Fails when a `script` of type `application/ld+json` is not JSON by RFC 8259, its root is neither an object nor an array of objects, or it is longer than 512 KB. The message gives line and column of the first error. A note when all blocks can be read, but an object has the same name twice. These defects can be corrected without loss: a comment or CDATA wrapper, HTML-escaped or typographic quotes, a trailing comma, and raw line breaks in a text. Not measured on a cut page.",
        "Falha quando um `script` do tipo `application/ld+json` não é JSON pela RFC 8259, sua raiz não é um objeto nem uma lista de objetos, ou tem mais de 512 KB. A mensagem dá a linha e a coluna do primeiro erro. É uma observação quando todos os blocos podem ser lidos, mas um objeto tem o mesmo nome duas vezes. Estes defeitos podem ser corrigidos sem perda: um comentário ou CDATA em volta, aspas escapadas como HTML ou tipográficas, uma vírgula no fim e quebras de linha dentro de um texto. Não é medido em página cortada.",
    ),
    thresholds: &[threshold("block_size", LARGEST_BLOCK as u64, "bytes")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: syntax,
};

const CONTEXT: Check = Check {
    code: "jsonld_context_invalid",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("JSON-LD without schema.org @context", "JSON-LD sem o @context do schema.org"),
    why: text(
        "Without `@context`, search engines can't tell what the names in the block mean, and ignore it.",
        "Sem `@context`, os buscadores não sabem o que significam os nomes do bloco e o ignoram.",
    ),
    how: text(
        "Start each root object with `\"@context\": \"https://schema.org\"`.",
        "Comece cada objeto raiz com `\"@context\": \"https://schema.org\"`.",
    ),
    reference: "https://www.w3.org/TR/json-ld11/#the-context",
    rule: text(
        "Fails when a root object of a JSON-LD block has no `@context` or an empty one, or one that is clearly meant to be schema.org but isn't its URL (`schema.org` without scheme, `https://schema.com`, the URL of a type). The check skips contexts of other vocabularies or with definitions, and empty objects, because JSON-LD has other uses too. Members of `@graph` share the context of their root; members of a root array need their own.",
        "Falha quando um objeto raiz de um bloco JSON-LD não tem `@context`, tem um vazio ou um que claramente deveria ser o schema.org mas não é a URL dele (`schema.org` sem esquema, `https://schema.com`, a URL de um tipo). A verificação ignora contextos de outros vocabulários ou com definições e objetos vazios, porque JSON-LD tem também outros usos. Membros de `@graph` têm o contexto da raiz; membros de uma lista na raiz precisam do próprio.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: |facts| facts.unless_unread(wrong_context(facts)),
};

const TYPE_MISSING: Check = Check {
    code: "jsonld_type_missing",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("JSON-LD node without @type", "Nó JSON-LD sem @type"),
    why: text(
        "Without `@type`, search engines don't know what a node describes, so it brings no rich result.",
        "Sem `@type`, os buscadores não sabem o que um nó descreve, e ele não gera resultado avançado.",
    ),
    how: text(
        "Give each root node and each member of `@graph` a fitting `@type`.",
        "Dê a cada nó raiz e a cada membro de `@graph` o `@type` adequado.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/intro-structured-data#format-placement",
    rule: text(
        "Fails when a root object or a member of the root's `@graph`, in a JSON-LD block with the schema.org context, has no `@type` or only empty ones. The check skips an object that holds only `@graph`, an empty object, a plain reference by `@id`, and a node that gets its type from another node with the same `@id`.",
        "Falha quando um objeto raiz ou um membro do `@graph` da raiz, num bloco JSON-LD com o contexto do schema.org, não tem `@type` ou só tem vazios. A verificação ignora um objeto que só contém `@graph`, um objeto vazio, uma simples referência por `@id` e um nó que recebe o tipo de outro com o mesmo `@id`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: WHOLE,
    run: |facts| facts.unless_unread(type_missing(facts)),
};

/// Bytes of repaired blocks that a report takes: it holds them as fix and as edit, beside what they replace.
const MOST_REPAIRED_BYTES: usize = 128 * 1024;

/// Fails when a block is not JSON, its root is no object, or one of its objects has a name twice.
fn syntax(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    if html.json_ld_scripts.is_empty() {
        return Err(NotMeasured::Absent);
    }
    // JSON may have a name twice (RFC 8259 §4), and readers take the last: told where all blocks can be read.
    let is_json = html.json_ld.errors.is_empty();
    let errors: Vec<&BlockError> =
        if is_json { &html.json_ld.duplicates } else { &html.json_ld.errors }.iter().collect();
    let Some(first) = errors.iter().min_by_key(|error| error.offset) else { return PASS };
    if html.cut {
        return Err(NotMeasured::Truncated);
    }
    const BROKEN: Text = text(
        "{count|A JSON-LD block is|{count} JSON-LD blocks are} not valid JSON. Line {line}, column {column}: {reason}.",
        "{count|Um bloco JSON-LD não é|{count} blocos JSON-LD não são} JSON válido. Linha {line}, coluna {column}: {reason}.",
    );
    const TWICE: Text = text(
        "{count|A JSON-LD block repeats|{count} JSON-LD blocks repeat} a name, so only its last value counts. Line {line}, column {column}: {reason}.",
        "{count|Um bloco JSON-LD repete|{count} blocos JSON-LD repetem} um nome, e só o último valor conta. Linha {line}, coluna {column}: {reason}.",
    );
    let Position { line, column } = html.document.position(first.offset);
    let values = [("count", errors.len().into()), ("line", line.into()), ("column", column.into())];
    let element = |block: usize| html.json_ld_scripts.get(block).and_then(|id| html.element(*id));
    let repairs: Option<Vec<(Element<'_>, String)>> = errors
        .iter()
        .map(|error| {
            let script =
                element(error.block).filter(|script| script.start_tag().is_some() && script.end_tag().is_some())?;
            // What could not be read before may hold values to repair: one patch fixes both.
            Some((script, mended(facts, html, repaired(&script.raw_text())?)))
        })
        .collect();
    let fix = match repairs.and_then(|repairs| rewritten(html, &repairs)) {
        Some(fix) => fix,
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
    let mut found = problem(if is_json { TWICE } else { BROKEN }, &values, fix).minor_if(is_json);
    found.values.insert("reason".to_owned(), first.reason.en.as_str().into());
    give_reason(&mut found.message, &first.reason);
    found.at(places).fail()
}

/// What is wrong differs by language, so it is filled in after the values.
fn give_reason(sentence: &mut Phrase, reason: &Phrase) {
    sentence.en = sentence.en.replacen("{reason}", &reason.en, 1);
    sentence.pt = sentence.pt.replacen("{reason}", &reason.pt, 1);
}

/// A block that was made readable, with all else that is plain repaired too: one patch fixes both.
fn mended(facts: &Facts<'_>, html: &Html, json: String) -> String {
    let json = with_context(&json).unwrap_or(json);
    value::repaired(&json, &setting(facts, html))
}

/// Blocks rewritten as a whole; `None` where they are too long for a report, or their letters were misread.
fn rewritten(html: &Html, blocks: &[(Element<'_>, String)]) -> Option<FixDraft> {
    const SAME: Text =
        text("the page's own block, corrected without loss", "o bloco da própria página, corrigido sem perda");
    let bytes: usize = blocks.iter().map(|(_, json)| json.len()).sum();
    if bytes > MOST_REPAIRED_BYTES || html.unlabelled_utf8 {
        return None;
    }
    let snippet = blocks.iter().map(|(_, json)| json_text_in_html(json)).collect::<Vec<_>>().join("\n");
    let fix = FixDraft::edit(FixTarget::Head, snippet).from(SAME, &[]);
    Some(blocks.iter().fold(fix, |fix, (script, json)| fix.content(*script, json_text_in_html(json))))
}

/// Fails when a root has no context, or one that is a slip of schema.org.
fn wrong_context(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let written = &html.json_ld.written;
    let roots = || written.iter().flat_map(|block| context::roots(&block.tree).map(move |root| (block, root)));
    if roots().next().is_none() {
        return Err(NotMeasured::Absent);
    }
    let faults: Vec<(&Written, &ValueTree, ContextFault<'_>)> =
        roots().filter_map(|(block, root)| Some((block, root, context::fault(root)?))).collect();
    let Some((block, _, first)) = faults.first() else { return PASS };
    const NONE: Text = text(
        "{count|A JSON-LD root node has|{count} JSON-LD root nodes have} no schema.org @context.",
        "{count|Um nó raiz do JSON-LD não tem|{count} nós raiz do JSON-LD não têm} o @context do schema.org.",
    );
    const WRONG: Text = text(
        "The @context is {value} instead of \"https://schema.org\"{count|| ({count} root nodes in total)}.",
        "O @context é {value} em vez de \"https://schema.org\"{count|| ({count} nós raiz no total)}.",
    );
    let count = ("count", faults.len().into());
    let shown = |value: &ValueTree| -> String {
        block.text.get(value.span.clone()).unwrap_or_default().chars().take(SHOWN_CHARACTERS).collect()
    };
    let repairs: Option<Vec<(Element<'_>, String)>> = faulty(&faults)
        .into_iter()
        .map(|block| {
            let script = html.element(*html.json_ld_scripts.get(block.block)?)?;
            let script = script.start_tag().zip(script.end_tag()).map(|_| script)?;
            Some((script, mended(facts, html, with_context(&block.text)?)))
        })
        .collect();
    const ADD: Text = text(
        "If the names are those of schema.org, put this line first in each root object.",
        "Se os nomes são do schema.org, coloque esta linha no início de cada objeto raiz.",
    );
    let fix = repairs
        .and_then(|repairs| rewritten(html, &repairs))
        .unwrap_or_else(|| FixDraft::template(FixTarget::Head, "\"@context\": \"https://schema.org\",").note(ADD, &[]));
    let places = faults.iter().filter_map(|(block, root, fault)| {
        let span = match fault {
            ContextFault::Wrong(context) => &context.span,
            ContextFault::Missing => &root.span,
        };
        block.place(&html.document, &html.json_ld_scripts, span)
    });
    let found = match first {
        ContextFault::Missing => problem(NONE, &[count], fix),
        ContextFault::Wrong(context) => problem(WRONG, &[("value", shown(context).into()), count], fix),
    };
    found.at(places).fail()
}

/// Each block that has a fault, once.
fn faulty<'h>(faults: &[(&'h Written, &ValueTree, ContextFault<'_>)]) -> Vec<&'h Written> {
    let mut blocks: Vec<&Written> = faults.iter().map(|(block, ..)| *block).collect();
    blocks.dedup_by_key(|block| block.block);
    blocks
}

/// Fails when a root node of schema.org has no type.
fn type_missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph()?;
    let says_something = |node: &ValueTree| {
        let mut members = node.members().into_iter().flatten();
        members.any(|member| !matches!(member.name.as_str(), "@context" | "@graph" | "@id" | "@type"))
    };
    let in_block = |node: &GraphNode<'_>| matches!(html.source(node.block), Some(NodeSource::Block(_)));
    if !graph.nodes.iter().any(in_block) {
        return Err(NotMeasured::Absent);
    }
    let untyped = graph.nodes.iter().filter(|node| {
        node.is_root
            && node.types.iter().all(|kind| kind.trim().is_empty())
            && says_something(node.tree)
            && in_block(node)
            && graph.look(node.tree, "@type") == PathValue::Absent
    });
    let gaps: Vec<Gap<'_>> = untyped.map(Gap::untyped).collect();
    if gaps.is_empty() {
        return PASS;
    }
    const UNTYPED: Text = text(
        "{count|A JSON-LD node has|{count} JSON-LD nodes have} no @type.",
        "{count|Um nó JSON-LD não tem|{count} nós JSON-LD não têm} @type.",
    );
    const CHOOSE: Text = text(
        "Choose the type that fits the node's content, and replace the old block.",
        "Escolha o tipo adequado ao conteúdo do nó e troque o bloco antigo.",
    );
    let filling = |_: &Gap<'_>, _: &str| "{{TYPE}}".to_owned();
    let fix = FixDraft::template(FixTarget::Head, completed(html, &gaps, &filling)).note(CHOOSE, &[]);
    let places = gaps.iter().filter_map(|gap| html.source(gap.block)?.place(html, &gap.node.span));
    problem(UNTYPED, &[("count", gaps.len().into())], fix).at(places).fail()
}
