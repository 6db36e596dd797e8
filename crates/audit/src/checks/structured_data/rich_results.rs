//! Nodes that lack what Google requires for a rich result, or what it recommends and the page holds.

use std::collections::BTreeMap;

use crate::check::prelude::*;
use crate::facts::completion::{completed, is_markup};
use crate::facts::jsonld::graph::{Graph, local};
use crate::facts::jsonld::rich_results::{self, Gap, Need};
use crate::facts::jsonld::tree::ValueTree;
use crate::facts::new_nodes::in_words;
use crate::facts::node_values;
use crate::facts::page::Html;
use crate::facts::resolved::{EvidenceSource, Resolved};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "rich-results",
    category: Category::StructuredData,
    landing: Landing {
        title: text("Rich results test by type", "Teste de resultados avançados por tipo"),
        h1: text(
            "Does your structured data meet Google's requirements?",
            "Seus dados estruturados atendem às exigências do Google?",
        ),
        description: text(
            "Check JSON-LD, microdata and RDFa for the required and recommended properties of 30 Google rich results, and get the completed block.",
            "Confira em JSON-LD, microdados e RDFa as propriedades exigidas e recomendadas de 30 resultados avançados do Google e receba o bloco completo.",
        ),
        lead: text(
            "Each Google rich result has required and recommended properties. This tool reads every node on the page, including nested ones and those joined by `@id`, and lists the missing properties.",
            "Cada resultado avançado do Google tem propriedades exigidas e recomendadas. Esta ferramenta lê todos os nós da página, inclusive os aninhados e os ligados por `@id`, e lista as propriedades que faltam.",
        ),
        example: include_str!("rich_results/bad_recipe.html"),
    },
    checks: &[REQUIRED, RECOMMENDED],
};

const GALLERY: &str = "https://developers.google.com/search/docs/appearance/structured-data/search-gallery";

const REQUIRED: Check = Check {
    code: "jsonld_required_missing",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("Structured data lacks required properties", "Faltam propriedades obrigatórias nos dados estruturados"),
    why: text(
        "Google shows a rich result only if the node has all required properties of its type.",
        "O Google só mostra um resultado avançado se o nó tem todas as propriedades obrigatórias do tipo.",
    ),
    how: text(
        "Add each missing property with the value shown on the page. If you can't fill the required properties, don't use the type.",
        "Adicione cada propriedade ausente com o valor que a página mostra. Se não puder preencher as propriedades obrigatórias, não use o tipo.",
    ),
    reference: GALLERY,
    rule: text(
        "Fails when a schema.org node in JSON-LD, microdata or RDFa has the type of a Google rich result and lacks a required property. The node must be where Google reads that result: at the root, in `@graph`, as main entity, or as the value of the property defined for the result. Descriptions with the same `@id` count together, and a node that is only referred to is not judged. An empty value counts as missing, and a text instead of a node counts as its name. Not measured on a page with noindex.",
        "Falha quando um nó schema.org em JSON-LD, microdados ou RDFa tem o tipo de um resultado avançado do Google e não tem uma propriedade obrigatória. O nó deve estar onde o Google lê esse resultado: na raiz, em `@graph`, como entidade principal ou como valor da propriedade definida para o resultado. Descrições com o mesmo `@id` valem juntas, e um nó apenas referido não é julgado. Um valor vazio conta como ausente, e um texto no lugar de um nó conta como o nome dele. Não é medido em página com noindex.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: FIRST,
    run: |facts| facts.unless_unread(required(facts)),
};

const RECOMMENDED: Check = Check {
    code: "jsonld_recommended_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text(
        "Structured data lacks recommended properties",
        "Faltam propriedades recomendadas nos dados estruturados",
    ),
    why: text(
        "Recommended properties make a rich result more complete and eligible for more formats. The page already states these values, but not in its structured data.",
        "Propriedades recomendadas deixam o resultado avançado mais completo e permitem mais formatos dele. A página já declara estes valores, mas não nos dados estruturados.",
    ),
    how: text(
        "Add the properties with the values that the page states elsewhere.",
        "Adicione as propriedades com os valores que a página declara em outro lugar.",
    ),
    reference: GALLERY,
    rule: text(
        "Fails when the page's only main node lacks a property that Google recommends for its rich result, and the page clearly states the value elsewhere: in its h1 or title, meta description or first paragraph, meta author, canonical URL, `og:image` or first large image, `article:` or `product:` tags, or other structured data. Values that the page doesn't state are not required. A property in the wrong letter case is reported by `jsonld_property_unknown` instead. Several nodes of one type and members of lists are skipped. Not measured on a page with noindex.",
        "Falha quando o único nó principal da página não tem uma propriedade que o Google recomenda para o resultado avançado, e a página declara claramente o valor em outro lugar: no h1 ou título, na meta description ou no primeiro parágrafo, na meta author, na URL canônica, em `og:image` ou na primeira imagem grande, nas tags `article:` ou `product:`, ou em outros dados estruturados. Valores que a página não declara não são exigidos. Uma propriedade com maiúsculas erradas é apontada por `jsonld_property_unknown`. Vários nós do mesmo tipo e membros de listas são ignorados. Não é medido em página com noindex.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: WHOLE,
    run: |facts| facts.unless_unread(recommended(facts)),
};

/// Types that are listed in a message.
const MOST_TYPES: usize = 12;

const FILL: Text = text(
    "Fill in the placeholders with what the page shows, and replace the old block. Properties of {type}: {url}",
    "Preencha os marcadores com o que a página mostra e troque o bloco antigo. Propriedades de {type}: {url}",
);
const FILL_INSIDE: Text = text(
    "Fill in the placeholders, if there are any, with what the page shows, and put these lines inside the item's element. Properties of {type}: {url}",
    "Preencha os marcadores, se houver, com o que a página mostra e coloque estas linhas dentro do elemento do item. Propriedades de {type}: {url}",
);

/// Fails when a node of a rich result's type lacks a required property.
fn required(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    facts.indexable()?;
    let requirements = rich_results::read(facts.graph()?, facts.url()?.path() == "/", Need::Required);
    if !requirements.applied {
        return Err(NotMeasured::Absent);
    }
    let Some(first) = requirements.gaps.first() else { return PASS };
    const LACKS: Text = text(
        "Required properties of Google rich results are missing: {missing}.",
        "Faltam propriedades obrigatórias de resultados avançados do Google: {missing}.",
    );
    let (kinds, missing) = listed(&requirements.gaps);
    let count: usize = requirements.gaps.iter().map(|gap| gap.missing.len()).sum();
    let values = [("count", count.into()), ("types", kinds.into()), ("missing", missing.into())];
    let positions = positions(facts.graph()?);
    let filling = |gap: &Gap<'_>, path: &str| -> String {
        if path == "position"
            && let Some(position) = positions.get(&(gap.block, gap.node.span.start))
        {
            return position.to_string();
        }
        let known = gap.is_subject.then(|| node_values::value(facts, html, path)).flatten();
        known.map_or_else(|| placeholder(path), |known| html.as_read(&known.value))
    };
    let block = completed(html, &requirements.gaps, &filling);
    let is_whole = !block.contains("{{") && !is_markup(html, first);
    let known = |gap: &Gap<'_>, path: &str| gap.is_subject.then(|| node_values::value(facts, html, path)).flatten();
    let fix = with_origins(FixDraft::template(target(html, first), block), &requirements.gaps, &known);
    const REPLACE: Text = text(
        "If these values are correct, replace the old block with this one. Properties of {type}: {url}",
        "Se estes valores estão corretos, troque o bloco antigo por este. Propriedades de {type}: {url}",
    );
    let fix = match is_whole {
        true => fix.note(REPLACE, &[("type", first.kind.into()), ("url", documentation(first).into())]),
        false => noted(fix, html, first),
    };
    problem(LACKS, &values, fix).at(places(html, &requirements.gaps)).fail()
}

/// Fails when the node that the page is about lacks what Google recommends and the page states.
fn recommended(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    facts.indexable()?;
    let mut requirements = rich_results::read(facts.graph()?, facts.url()?.path() == "/", Need::Recommended);
    if !requirements.applied {
        return Err(NotMeasured::Absent);
    }
    for gap in &mut requirements.gaps {
        let (node, is_subject) = (gap.node, gap.is_subject);
        gap.missing.retain(|missing| {
            is_subject
                && !is_misspelt(node, missing.path())
                && node_values::stated(facts, html, missing.path()).is_some()
        });
    }
    requirements.gaps.retain(|gap| !gap.missing.is_empty());
    let Some(first) = requirements.gaps.first() else { return PASS };
    const COULD_HAVE: Text = text(
        "The page states these values, but its structured data lacks them: {missing}.",
        "A página declara estes valores, mas eles faltam nos dados estruturados: {missing}.",
    );
    const REPLACE: Text = text(
        "Replace the old block with this one. Properties of {type}: {url}",
        "Troque o bloco antigo por este. Propriedades de {type}: {url}",
    );
    let (kinds, missing) = listed(&requirements.gaps);
    let count: usize = requirements.gaps.iter().map(|gap| gap.missing.len()).sum();
    let values = [("count", count.into()), ("types", kinds.into()), ("missing", missing.into())];
    // A node's own name is its headline; the page's may be of something else.
    let known = |gap: &Gap<'_>, path: &str| {
        let own = own_name(gap.node).filter(|_| path == "headline");
        let own = own.map(|name| Resolved::medium(html.as_meant(name), EvidenceSource::StructuredData));
        own.or_else(|| node_values::stated(facts, html, path))
    };
    let filling = |gap: &Gap<'_>, path: &str| {
        known(gap, path).map_or_else(|| placeholder(path), |known| html.as_read(&known.value))
    };
    let fix = FixDraft::template(target(html, first), completed(html, &requirements.gaps, &filling));
    let fix = with_origins(fix, &requirements.gaps, &known);
    let fix = match is_markup(html, first) {
        true => noted(fix, html, first),
        false => fix.note(REPLACE, &[("type", first.kind.into()), ("url", documentation(first).into())]),
    };
    problem(COULD_HAVE, &values, fix).at(places(html, &requirements.gaps)).fail()
}

/// Positions of list items, from 1 in the order of their list, by the place of each: of lists in which no item has its own.
fn positions(graph: &Graph<'_>) -> BTreeMap<(usize, usize), usize> {
    let mut positions = BTreeMap::new();
    for node in &graph.nodes {
        let lists = node.tree.members().into_iter().flatten().filter(|member| local(&member.name) == "itemListElement");
        for items in lists.map(|list| list.value.each()) {
            let is_numbered =
                |item: &ValueTree| item.members().into_iter().flatten().any(|member| local(&member.name) == "position");
            if !items.iter().any(is_numbered) {
                positions.extend(items.iter().zip(1..).map(|(item, at)| ((node.block, item.span.start), at)));
            }
        }
    }
    positions
}

/// A fix with the source of each value that was filled in.
fn with_origins(fix: FixDraft, gaps: &[Gap<'_>], known: &dyn Fn(&Gap<'_>, &str) -> Option<Resolved>) -> FixDraft {
    let missing = gaps.iter().flat_map(|gap| gap.missing.iter().map(move |missing| (gap, missing.path())));
    let mut origins: Vec<(String, Text)> = Vec::new();
    for (path, resolved) in missing.filter_map(|(gap, path)| Some((path, known(gap, path)?))) {
        if origins.iter().all(|(other, _)| other != path) {
            origins.push((path.to_owned(), resolved.source.words()));
        }
    }
    if origins.is_empty() { fix } else { FixDraft { origin: Some(in_words(&origins)), ..fix } }
}

/// Whether a node has the property in other letters, which is `jsonld_property_unknown`.
fn is_misspelt(node: &ValueTree, path: &str) -> bool {
    let property = path.split('.').next().unwrap_or_default();
    let names = || node.members().into_iter().flatten().map(|member| local(&member.name));
    names().all(|name| name != property) && names().any(|name| name.eq_ignore_ascii_case(property))
}

/// The name that a node has already; on a link `itemprop` takes the address instead.
fn own_name(node: &ValueTree) -> Option<&str> {
    let mut members = node.members().into_iter().flatten();
    members
        .find(|member| local(&member.name) == "name")?
        .value
        .text()
        .filter(|name| !name.trim().is_empty() && !name.contains("://"))
}

fn noted(fix: FixDraft, html: &Html, first: &Gap<'_>) -> FixDraft {
    let note = if is_markup(html, first) { FILL_INSIDE } else { FILL };
    fix.note(note, &[("type", first.kind.into()), ("url", documentation(first).into())])
}

fn target(html: &Html, first: &Gap<'_>) -> FixTarget {
    if is_markup(html, first) { FixTarget::Body } else { FixTarget::Head }
}

fn documentation(gap: &Gap<'_>) -> String {
    format!("https://developers.google.com/search/docs/appearance/structured-data/{}", gap.page)
}

fn places(html: &Html, gaps: &[Gap<'_>]) -> impl Iterator<Item = Place> {
    gaps.iter().filter_map(|gap| html.source(gap.block)?.place(html, &gap.node.span))
}

/// The types that lack something, and what, each type and property once: `Product (image), Event (location)`.
fn listed(gaps: &[Gap<'_>]) -> (String, String) {
    let mut kinds: Vec<(&str, Vec<String>)> = Vec::new();
    for gap in gaps {
        let at = kinds.iter().position(|(kind, _)| *kind == gap.kind);
        let at = at.unwrap_or_else(|| {
            kinds.push((gap.kind, Vec::new()));
            kinds.len() - 1
        });
        let Some((_, known)) = kinds.get_mut(at) else { continue };
        for shown in gap.missing.iter().map(|missing| missing.shown()) {
            if !known.contains(&shown) {
                known.push(shown);
            }
        }
    }
    kinds.truncate(MOST_TYPES);
    let missing = kinds.iter().map(|(kind, missing)| format!("{kind} ({})", missing.join(", ")));
    let missing = missing.collect::<Vec<_>>().join(", ");
    (kinds.iter().map(|(kind, _)| *kind).collect::<Vec<_>>().join(", "), missing)
}

/// `{{OFFERS_PRICE}}` for `offers.price`.
pub(super) fn placeholder(path: &str) -> String {
    let mut name = String::new();
    for character in path.chars() {
        if character.is_ascii_uppercase() || !character.is_ascii_alphanumeric() {
            name.push('_');
        }
        if character.is_ascii_alphanumeric() {
            name.push(character.to_ascii_uppercase());
        }
    }
    format!("{{{{{name}}}}}")
}
