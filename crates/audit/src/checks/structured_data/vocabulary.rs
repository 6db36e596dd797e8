//! Names that the vocabulary of schema.org does not have.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::prelude::*;
use crate::facts::document::Element;
use crate::facts::jsonld::graph::{Graph, GraphNode, local};
use crate::facts::jsonld::tree::{Member, ValueTree};
use crate::facts::page::Html;
use crate::facts::schema_org;
use crate::facts::structured_data::{Item, NodeSource};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "schema-org-vocabulary",
    category: Category::StructuredData,
    landing: Landing {
        title: text("Schema.org vocabulary checker", "Verificador do vocabulário schema.org"),
        h1: text("Does schema.org define the names you use?", "O schema.org define os nomes que você usa?"),
        description: text(
            "Check types and properties in JSON-LD, microdata and RDFa against the schema.org vocabulary, and get misspelled names corrected.",
            "Confira tipos e propriedades em JSON-LD, microdados e RDFa com o vocabulário schema.org e receba os nomes corrigidos.",
        ),
        lead: text(
            "Search engines silently ignore a type or property that schema.org doesn't define. This tool compares each name with release 30.1 of the vocabulary and suggests the correct spelling.",
            "Os buscadores ignoram sem aviso um tipo ou uma propriedade que o schema.org não define. Esta ferramenta compara cada nome com a versão 30.1 do vocabulário e sugere a grafia correta.",
        ),
        example: include_str!("vocabulary/bad_types.html"),
    },
    checks: &[TYPE, PROPERTY],
};

const TYPE: Check = Check {
    code: "jsonld_type_unknown",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("Unknown schema.org type", "Tipo desconhecido no schema.org"),
    why: text(
        "Search engines know schema.org types only by their exact names. They ignore a node of any other type.",
        "Os buscadores só conhecem os tipos do schema.org pelo nome exato. Eles ignoram um nó de qualquer outro tipo.",
    ),
    how: text(
        "Use the exact name of the schema.org type, including upper and lower case.",
        "Use o nome exato do tipo do schema.org, com maiúsculas e minúsculas.",
    ),
    reference: "https://schema.org/docs/full.html",
    rule: text(
        "Fails when a schema.org node, in any syntax, has a type that release 30.1 of the vocabulary, including pending terms, doesn't define. Names are compared exactly. The check suggests a name that differs only in letter case, or by one letter (two in names of eight letters or more). It skips types of other vocabularies, blocks whose context defines its own terms, and placeholders.",
        "Falha quando um nó schema.org, em qualquer sintaxe, tem um tipo que a versão 30.1 do vocabulário, com os termos pendentes, não define. Os nomes são comparados exatamente. A verificação sugere um nome que só difere em maiúsculas ou por uma letra (duas em nomes de oito letras ou mais). Ignora tipos de outros vocabulários, blocos cujo contexto define termos próprios e marcadores de template.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: |facts| facts.unless_unread(types(facts)),
};

const PROPERTY: Check = Check {
    code: "jsonld_property_unknown",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Unknown schema.org properties", "Propriedades desconhecidas no schema.org"),
    why: text(
        "Search engines ignore a property that schema.org doesn't define for the type. Often it is misspelled or belongs to another node.",
        "Os buscadores ignoram uma propriedade que o schema.org não define para o tipo. Muitas vezes ela está escrita errado ou pertence a outro nó.",
    ),
    how: text(
        "Correct the spelling, or move the property to the right node. For example, a price belongs to the offer, not to the product.",
        "Corrija a grafia ou mova a propriedade para o nó certo. Por exemplo, o preço pertence à oferta, não ao produto.",
    ),
    reference: "https://schema.org/docs/datamodel.html",
    rule: text(
        "Fails when a schema.org node has a property that release 30.1 of the vocabulary, including pending terms, doesn't define at all or for any of its types and their parent types. The check skips nodes of an unknown type or without a type, roles, blocks whose context defines its own terms, names with a prefix, and the `-input` and `-output` forms of actions.",
        "Falha quando um nó schema.org tem uma propriedade que a versão 30.1 do vocabulário, com os termos pendentes, não define, ou não define para nenhum de seus tipos nem para os tipos pais. A verificação ignora nós de tipo desconhecido ou sem tipo, papéis (Role), blocos cujo contexto define termos próprios, nomes com prefixo e as formas `-input` e `-output` de ações.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: |facts| facts.unless_unread(properties(facts)),
};

/// Names that a message lists.
const MOST_LISTED: usize = 8;
/// Different unknown names for which the meant one is looked for.
const MOST_GUESSED: usize = 50;
/// Characters shown of a name.
const SHOWN_CHARACTERS: usize = 40;

/// For each source, whether its context defines terms of its own: then no name in it can be called unknown.
fn own_terms(html: &Html) -> Vec<bool> {
    let defines = |root: &ValueTree| {
        let contexts = root.members().into_iter().flatten().filter(|member| member.name == "@context");
        contexts.flat_map(|context| context.value.each()).any(|one| match one.members() {
            Some(terms) => terms.iter().any(|term| !term.name.starts_with('@')),
            None => one.text().is_some_and(|name| !name.contains("schema.org")),
        })
    };
    html.sources().map(|source| source.tree().each().iter().any(defines)).collect()
}

/// A name that the vocabulary does not have.
struct Unknown<'h, 't> {
    source: NodeSource<'h>,
    /// The type, and the property where it is one.
    shown: String,
    /// The name as it is written.
    written: &'t str,
    /// What holds it, for its place.
    value: &'t ValueTree,
    /// Where the name of a property stands in its block.
    at: Option<usize>,
    meant: Option<&'static str>,
    /// The name that is meant is free.
    is_free: bool,
}

/// Fails when a node has a type that the vocabulary lacks.
fn types(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph()?;
    let own_terms = own_terms(html);
    let mut guesses: BTreeMap<&str, Option<&'static str>> = BTreeMap::new();
    let mut unknown: Vec<Unknown<'_, '_>> = Vec::new();
    for node in &graph.nodes {
        let Some(source) = html.source(node.block).filter(|_| own_terms.get(node.block) == Some(&false)) else {
            continue;
        };
        let declared = node.tree.members().into_iter().flatten().filter(|member| member.name == "@type");
        for value in declared.flat_map(|member| member.value.each()) {
            let Some(written) = value.text() else { continue };
            let name = local(written.trim());
            if !is_name(name) || schema_org::is_type(name) {
                continue;
            }
            let room = guesses.len() < MOST_GUESSED;
            let meant = *guesses.entry(name).or_insert_with(|| room.then(|| schema_org::meant_type(name)).flatten());
            let shown = shortened(name);
            unknown.push(Unknown { source, shown, written, value, at: None, meant, is_free: true });
        }
    }
    const UNKNOWN: Text = text(
        "schema.org has no type {name}{count|| ({count} unknown types in total)}.",
        "O schema.org não tem o tipo {name}{count|| ({count} tipos desconhecidos no total)}.",
    );
    const MEANT: Text = text(
        "schema.org has no type {name}; the correct name is {meant}{count|| ({count} unknown types in total)}.",
        "O schema.org não tem o tipo {name}; o nome correto é {meant}{count|| ({count} tipos desconhecidos no total)}.",
    );
    const CHOOSE: Text = text(
        "Replace these types with schema.org types: {list}.",
        "Troque estes tipos por tipos do schema.org: {list}.",
    );
    verdict(html, &unknown, [UNKNOWN, MEANT], |list| {
        FixDraft::template(FixTarget::Head, "\"@type\": \"{{TYPE}}\"").note(CHOOSE, &[("list", list.into())])
    })
}

/// Whether a text can be meant as a name: not one of another vocabulary, a template's gap or nothing.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains([':', '/', '{', '}', '<', '#'])
}

/// Fails when a node has a property that its types lack.
fn properties(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph()?;
    let own_terms = own_terms(html);
    let mut guesses: BTreeMap<(&str, &str), Option<&'static str>> = BTreeMap::new();
    let mut unknown: Vec<Unknown<'_, '_>> = Vec::new();
    for node in graph.nodes.iter().filter(|node| is_judged(graph, node)) {
        let Some(source) = html.source(node.block).filter(|_| own_terms.get(node.block) == Some(&false)) else {
            continue;
        };
        let members = node.tree.members().unwrap_or_default();
        let mut taken: Vec<&'static str> = Vec::new();
        for member in members {
            let name = local(&member.name);
            let plain = name.strip_suffix("-input").or_else(|| name.strip_suffix("-output")).unwrap_or(name);
            if name.starts_with('@') || !is_name(name) || graph.may_have(node, plain) {
                continue;
            }
            let room = guesses.len() < MOST_GUESSED && !schema_org::is_property(name);
            let guess = || schema_org::meant_property(name, |known| graph.may_have(node, known));
            let kind = node.types.first().copied().unwrap_or_default();
            let meant = *guesses.entry((kind, name)).or_insert_with(|| room.then(guess).flatten());
            // A name that is there already, or that another slip becomes, would be there twice.
            let is_free = meant
                .is_none_or(|meant| members.iter().all(|other| local(&other.name) != meant) && !taken.contains(&meant));
            taken.extend(meant);
            unknown.push(unknown_property(source, node, member, meant, is_free));
        }
    }
    const UNKNOWN: Text = text(
        "{count|A property isn't defined for its type|{count} properties aren't defined for their types}: {list}.",
        "{count|Uma propriedade não está definida para o tipo|{count} propriedades não estão definidas para os tipos}: {list}.",
    );
    const MEANT: Text = text(
        "{count|A property isn't defined for its type: {list}. The correct name is {meant}.|{count} properties aren't defined for their types: {list}. The first should be {meant}.}",
        "{count|Uma propriedade não está definida para o tipo: {list}. O nome correto é {meant}.|{count} propriedades não estão definidas para os tipos: {list}. A primeira deveria ser {meant}.}",
    );
    const MOVE: Text = text(
        "Correct, move or remove these properties: {list}.",
        "Corrija, mova ou remova estas propriedades: {list}.",
    );
    verdict(html, &unknown, [UNKNOWN, MEANT], |list| {
        FixDraft::instruction(FixTarget::Head, MOVE, &[("list", list.into())])
    })
}

/// Whether the properties of a node can be judged: all its types are known, and it is no role, which has those of others.
fn is_judged<'t>(graph: &Graph<'t>, node: &GraphNode<'t>) -> bool {
    !node.types.is_empty() && node.types.iter().all(|kind| schema_org::is_type(kind)) && !graph.is_any(node, &["Role"])
}

fn unknown_property<'h, 't>(
    source: NodeSource<'h>,
    node: &GraphNode<'t>,
    member: &'t Member,
    meant: Option<&'static str>,
    is_free: bool,
) -> Unknown<'h, 't> {
    let kind = node.types.first().copied().unwrap_or_default();
    let shown = format!("{kind}.{}", shortened(local(&member.name)));
    Unknown { source, shown, written: &member.name, value: &member.value, at: Some(member.at), meant, is_free }
}

fn shortened(name: &str) -> String {
    name.chars().take(SHOWN_CHARACTERS).collect()
}

fn verdict(
    html: &Html,
    unknown: &[Unknown<'_, '_>],
    [message, with_meant]: [Text; 2],
    undecided: impl FnOnce(String) -> FixDraft,
) -> Verdict {
    let Some(first) = unknown.first() else { return PASS };
    let mut list: Vec<&str> = Vec::new();
    for shown in unknown.iter().map(|one| one.shown.as_str()).take(10 * MOST_LISTED) {
        if !list.contains(&shown) {
            list.push(shown);
        }
    }
    list.truncate(MOST_LISTED);
    let list = list.join(", ");
    // A name that several nodes have counts once, as the list shows it once.
    let count = unknown.iter().map(|one| one.shown.as_str()).collect::<BTreeSet<_>>().len();
    let mut values =
        vec![("count", count.into()), ("name", first.shown.as_str().into()), ("list", list.as_str().into())];
    let message = match first.meant {
        Some(meant) => {
            values.push(("meant", meant.into()));
            with_meant
        }
        None => message,
    };
    values.retain(|(name, _)| message.en.contains(&format!("{{{name}")));
    const SPELLED: Text =
        text("the page's own names, in schema.org spelling", "os nomes da própria página, na grafia do schema.org");
    let edits: Option<Vec<Rename<'_>>> = unknown.iter().map(|one| renamed(html, one)).collect();
    let fix = match edits {
        Some(edits) => {
            let snippet = edits.iter().take(MOST_LISTED).filter_map(Rename::shown).collect::<Vec<_>>().join("\n");
            let fix = FixDraft::edit(first.source.target(), snippet).from(SPELLED, &[]);
            edits.into_iter().fold(fix, |fix, edit| match edit {
                Rename::Json(span, text) => fix.replace(span, text),
                Rename::Attribute(element, name, value) => fix.set(element, name, &value),
            })
        }
        None => undecided(list),
    };
    let places = unknown.iter().filter_map(|one| {
        let name = one.at.map(|at| at..at + one.written.len() + 2).filter(|_| one.source.block().is_some());
        one.source.place(html, &name.unwrap_or_else(|| one.value.span.clone()))
    });
    problem(message, &values, fix).at(places).fail()
}

/// The replacement of one name.
enum Rename<'h> {
    /// A span of the source.
    Json(std::ops::Range<usize>, String),
    /// An attribute of an element.
    Attribute(Element<'h>, &'static str, String),
}

impl Rename<'_> {
    /// What stands there afterwards.
    fn shown(&self) -> Option<String> {
        match self {
            Self::Json(_, text) => Some(text.clone()),
            Self::Attribute(element, name, value) => element.start_tag_with(name, value),
        }
    }
}

/// The change that writes the meant name; `None` where it is not known, or can't be put there safely.
fn renamed<'h>(html: &'h Html, unknown: &Unknown<'h, '_>) -> Option<Rename<'h>> {
    let meant = unknown.meant.filter(|_| unknown.is_free)?;
    // What stands before the name, as the address of the vocabulary, stays.
    let prefix = unknown.written.trim().strip_suffix(local(unknown.written.trim()))?;
    let new = format!("{prefix}{meant}");
    match unknown.source {
        NodeSource::Block(block) => {
            let start = unknown.at.unwrap_or(unknown.value.span.start);
            let span = start..start + unknown.written.len() + 2;
            let is_there = block.text.get(span.clone()) == Some(&format!("\"{}\"", unknown.written));
            (is_there && block.is_in_source(&html.document))
                .then(|| Rename::Json(block.start + span.start..block.start + span.end, format!("\"{new}\"")))
        }
        NodeSource::Item(item) => attribute_renamed(html, item, unknown, meant),
    }
}

fn attribute_renamed<'h>(html: &'h Html, item: &Item, unknown: &Unknown<'_, '_>, meant: &str) -> Option<Rename<'h>> {
    let element = html.element(item.origin(unknown.value)?.node).filter(|element| element.start_tag().is_some())?;
    let names = match unknown.at {
        Some(_) => ["itemprop", "property"],
        None => ["itemtype", "typeof"],
    };
    let name = names.into_iter().find(|name| element.has(name))?;
    let (written, old) = (element.attribute(name)?.trim(), local(unknown.written.trim()));
    // One that has several names would lose the others.
    let is_alone = written.split_ascii_whitespace().count() == 1;
    let prefix = written.strip_suffix(old).filter(|_| is_alone)?;
    Some(Rename::Attribute(element, name, format!("{prefix}{meant}")))
}
