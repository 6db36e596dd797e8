//! Nodes as a graph: one thing described twice, and references that lead nowhere.

use std::collections::BTreeMap;

use crate::check::prelude::*;
use crate::escape::json_text_in_html;
use crate::facts::canonical::names_home;
use crate::facts::jsonld::Written;
use crate::facts::jsonld::graph::{Found, Graph, Node, id, local};
use crate::facts::jsonld::tree::Tree;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "json-ld-graph",
    category: Category::StructuredData,
    landing: Landing {
        title: text("JSON-LD @id and @graph checker", "Verificador de @id e @graph em JSON-LD"),
        h1: text("Do the nodes of your JSON-LD hold together?", "Os nós do seu JSON-LD estão ligados?"),
        description: text(
            "Find references by @id that no node of the page answers, and things that two JSON-LD blocks describe twice.",
            "Encontre referências por @id que nenhum nó da página atende e coisas que dois blocos JSON-LD descrevem duas vezes.",
        ),
        lead: text(
            "Themes and plugins each add their own blocks, and nobody looks at them together. This checker reads all blocks as one graph and shows where a reference leads nowhere and where the same thing is told twice.",
            "Temas e plugins acrescentam cada um os seus blocos, e ninguém olha para o conjunto. Este verificador lê todos os blocos como um só grafo e mostra onde uma referência não leva a nada e onde a mesma coisa é contada duas vezes.",
        ),
        example: include_str!("entities/bad_reference.html"),
    },
    checks: &[UNRESOLVED, DUPLICATE, MAIN_ENTITY],
};

const UNRESOLVED: Check = Check {
    code: "jsonld_id_unresolved",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Reference to a node that is not there", "Referência a um nó que não existe"),
    why: text(
        "What the reference should have brought, such as a publisher or an author, is missing from the node.",
        "O que a referência deveria trazer, como um editor ou um autor, falta no nó.",
    ),
    how: text(
        "Add the node with that `@id`, or write the reference as the node's `@id` is written.",
        "Adicione o nó com esse `@id`, ou escreva a referência como o `@id` do nó.",
    ),
    reference: "https://www.w3.org/TR/json-ld11/#node-identifiers",
    rule: text(
        "Fails when an object in a JSON-LD block that has nothing but an `@id` refers to a fragment of this page (`#author`, or the page's address with one) and no node of the page has that `@id` once both are resolved. References to other pages and to addresses without a fragment are left alone: what they name may be described there. Not measured on a page with more than 5,000 nodes.",
        "Falha quando um objeto num bloco JSON-LD que só tem um `@id` se refere a um fragmento desta página (`#autor`, ou o endereço da página com um) e nenhum nó da página tem esse `@id` depois de resolvidos os dois. Referências a outras páginas e a endereços sem fragmento ficam de fora: o que nomeiam pode estar descrito lá. Não é medido em página com mais de 5.000 nós.",
    ),
    thresholds: &[threshold("nodes_most", MOST_NODES as u64, "nodes")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: |facts| facts.unless_unread(unresolved(facts)),
};

const DUPLICATE: Check = Check {
    code: "jsonld_duplicate_entity",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("The same thing described in two blocks", "A mesma coisa descrita em dois blocos"),
    why: text(
        "Two descriptions without a common `@id` are two things to a machine; where they differ, it picks one.",
        "Duas descrições sem um `@id` em comum são duas coisas para uma máquina; onde diferem, ela escolhe uma.",
    ),
    how: text(
        "Keep one of the blocks, or give both nodes the same `@id`.",
        "Mantenha um dos blocos, ou dê aos dois nós o mesmo `@id`.",
    ),
    reference: "https://www.w3.org/TR/json-ld11/#node-identifiers",
    rule: text(
        "Fails when main nodes of two JSON-LD blocks have the same first type and the same name or headline, for articles, products, recipes, organizations, persons, websites, pages, videos, jobs and software, and nothing tells them apart: the same `@id` joins them, and different `url`, `contentUrl`, `embedUrl`, `sku`, `mpn`, GTIN, `productID` or `identifier` separate them. Nodes of one block, and the same thing in JSON-LD and in markup, are left alone.",
        "Falha quando nós principais de dois blocos JSON-LD têm o mesmo primeiro tipo e o mesmo nome ou título, entre artigos, produtos, receitas, organizações, pessoas, sites, páginas, vídeos, vagas e programas, e nada os distingue: o mesmo `@id` os une, e `url`, `contentUrl`, `embedUrl`, `sku`, `mpn`, GTIN, `productID` ou `identifier` diferentes os separam. Nós de um mesmo bloco, e a mesma coisa em JSON-LD e na marcação, ficam de fora.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: |facts| facts.unless_unread(duplicate(facts)),
};

const MAIN_ENTITY: Check = Check {
    code: "jsonld_main_entity_home",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("mainEntityOfPage names the home page", "mainEntityOfPage indica a página inicial"),
    why: text(
        "The node says that the home page is the page about it, as a template does that writes the address of the site for all of them.",
        "O nó diz que a página sobre ele é a inicial, como faz um modelo que escreve o endereço do site em todas.",
    ),
    how: text(
        "Write the address of this page into `mainEntityOfPage`, or leave it out.",
        "Escreva o endereço desta página em `mainEntityOfPage`, ou omita-o.",
    ),
    reference: "https://schema.org/docs/datamodel.html#mainEntityBackground",
    rule: text(
        "Fails when a main node (article, recipe, product, video, event, job, course, movie, book) of a page that is not the home page has the root of the same site as its `mainEntityOfPage`, as an address or as the `@id` of an object.",
        "Falha quando um nó principal (artigo, receita, produto, vídeo, evento, vaga, curso, filme, livro) de uma página que não é a inicial tem a raiz do mesmo site como `mainEntityOfPage`, como endereço ou como `@id` de um objeto.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: PRECISION,
    run: |facts| facts.unless_unread(main_entity(facts)),
};

/// Characters shown of a name.
const SHOWN_CHARACTERS: usize = 80;

/// Nodes of a page whose references are followed: each costs an address to resolve.
const MOST_NODES: usize = 5_000;

/// A reference that no node answers.
struct Dangling<'t> {
    block: usize,
    value: &'t Tree,
    id: &'t str,
    /// The one node that is meant.
    meant: Option<&'t str>,
}

/// Fails when a reference to a place of this page finds no node there.
fn unresolved(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph()?;
    if graph.nodes.len() > MOST_NODES {
        return Err(NotMeasured::Truncated);
    }
    if html.json_ld.dropped {
        // The node that is meant may be among those past the cap.
        return Err(NotMeasured::JsonLd);
    }
    let dangling = dangling(html, graph)?;
    let Some(first) = dangling.first() else { return PASS };
    const NOWHERE: Text = text(
        "No node of the page has the @id “{id}” ({count} {count|reference leads|references lead} nowhere).",
        "Nenhum nó da página tem o @id “{id}” ({count} {count|referência não leva|referências não levam} a nada).",
    );
    const KNOWN: Text =
        text("the @id of the one node that has this fragment", "o @id do único nó que tem esse fragmento");
    const ADD: Text = text(
        "Add the node with that @id, or take the reference out.",
        "Adicione o nó com esse @id, ou tire a referência.",
    );
    let shown: String = first.id.chars().take(SHOWN_CHARACTERS).collect();
    let edits: Option<Vec<_>> = dangling.iter().map(|one| edit(html, one)).collect();
    let fix = match edits {
        Some(edits) => {
            let snippet = edits.iter().map(|(_, json)| format!("\"@id\": {json}")).collect::<Vec<_>>().join("\n");
            let fix = FixDraft::edit(FixTarget::Head, snippet).from(KNOWN, &[]);
            edits.into_iter().fold(fix, |fix, (span, json)| fix.replace(span, json))
        }
        None => FixDraft::instruction(FixTarget::Head, ADD, &[]),
    };
    let places = dangling.iter().filter_map(|one| html.source(one.block)?.place(html, &one.value.span));
    let values = [("id", shown.into()), ("count", dangling.len().into())];
    problem(NOWHERE, &values, fix).at(places).fail()
}

/// The references to places of this page that no node has. `Err(Absent)` where nothing refers to such a place.
fn dangling<'g>(html: &Html, graph: &'g Graph<'_>) -> Result<Vec<Dangling<'g>>, NotMeasured> {
    let resolved = |id: &str| html.resolve(id.trim()).map(String::from);
    let described = graph.nodes.iter().filter(|node| !is_bare(node.tree));
    let ids: Vec<&str> = described.filter_map(|node| id(node.tree.members()?)).collect();
    let known: std::collections::BTreeSet<String> = ids.iter().filter_map(|id| resolved(id)).collect();
    let mut by_fragment: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for id in &ids {
        if let Some(fragment) = fragment(id) {
            let same = by_fragment.entry(fragment.to_ascii_lowercase()).or_default();
            if !same.contains(id) && same.len() < 2 {
                same.push(id);
            }
        }
    }
    let is_here = |id: &str| {
        let mut page = html.url.clone();
        page.set_fragment(None);
        html.resolve(id.trim()).is_some_and(|mut url| {
            let has_fragment = url.fragment().is_some_and(|fragment| !fragment.is_empty());
            url.set_fragment(None);
            has_fragment && url == page
        })
    };
    let mut seen = false;
    let mut dangling: Vec<Dangling<'_>> = Vec::new();
    for node in graph.nodes.iter().filter(|node| is_bare(node.tree)) {
        let Some(member) = node.tree.members().into_iter().flatten().find(|member| member.name == "@id") else {
            continue;
        };
        let Some(id) = member.value.text().filter(|id| is_here(id)) else { continue };
        seen = true;
        if resolved(id).is_some_and(|id| known.contains(&id)) {
            continue;
        }
        let same = fragment(id).and_then(|fragment| by_fragment.get(&fragment.to_ascii_lowercase()));
        let meant = same.and_then(|same| same.first().copied().filter(|_| same.len() == 1));
        dangling.push(Dangling { block: node.block, value: &member.value, id, meant });
    }
    if !seen {
        return Err(NotMeasured::Absent);
    }
    Ok(dangling)
}

/// Whether an object has nothing but its `@id`; one that states its type says something of what it names.
fn is_bare(node: &Tree) -> bool {
    let members = node.members().unwrap_or_default();
    !members.is_empty() && members.iter().all(|member| member.name == "@id")
}

fn fragment(id: &str) -> Option<&str> {
    id.trim().split_once('#').map(|(_, fragment)| fragment).filter(|fragment| !fragment.is_empty())
}

fn edit(html: &Html, one: &Dangling<'_>) -> Option<(std::ops::Range<usize>, String)> {
    let block = html.source(one.block)?.block().filter(|block| block.is_in_source(&html.document))?;
    let json = serde_json::Value::from(one.meant?).to_string();
    Some((block.start + one.value.span.start..block.start + one.value.span.end, json_text_in_html(&json)))
}

/// Types of which a page has one of a name.
const SINGLE: [&str; 10] = [
    "Article",
    "Product",
    "Recipe",
    "Organization",
    "Person",
    "WebSite",
    "WebPage",
    "VideoObject",
    "JobPosting",
    "SoftwareApplication",
];
/// What tells two things of one name apart.
const MARKS: [&str; 13] = [
    "url",
    "contentUrl",
    "embedUrl",
    "sku",
    "mpn",
    "gtin",
    "gtin8",
    "gtin12",
    "gtin13",
    "gtin14",
    "productID",
    "identifier",
    "jobLocation",
];
/// Nodes of one type and name that are compared with one another.
const MOST_OF_ONE_NAME: usize = 8;

/// Fails when two blocks describe one thing.
fn duplicate(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph()?;
    let mut by_name: BTreeMap<(&str, String), Vec<&Node<'_>>> = BTreeMap::new();
    for node in
        graph.nodes.iter().filter(|node| node.is_root && html.source(node.block).is_some_and(|s| s.block().is_some()))
    {
        let Some(kind) = node.types.first().filter(|_| graph.is_any(node, &SINGLE)) else {
            continue;
        };
        let Some(name) = text_at(graph, node, "name").or_else(|| text_at(graph, node, "headline")) else { continue };
        let same = by_name.entry((kind, name.to_lowercase())).or_default();
        if same.len() < MOST_OF_ONE_NAME {
            same.push(node);
        }
    }
    if by_name.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let mut found: Vec<(&Node<'_>, &Node<'_>)> = Vec::new();
    for same in by_name.values() {
        for (at, node) in same.iter().enumerate() {
            found.extend(same.iter().take(at).find(|other| is_same(graph, other, node)).map(|other| (*other, *node)));
        }
    }
    found.sort_by_key(|(_, node)| (node.block, node.tree.span.start));
    let Some((_, first)) = found.first() else { return PASS };
    const TWICE: Text = text(
        "More than one block describes the {kind} “{name}” ({count} {count|repetition|repetitions} in all).",
        "Mais de um bloco descreve {kind} “{name}” ({count} {count|repetição|repetições} ao todo).",
    );
    const ONE_ID: Text = text(
        "Keep one description, or give both the same @id.",
        "Mantenha uma das descrições, ou dê às duas o mesmo @id.",
    );
    let kind = first.types.first().copied().unwrap_or_default();
    let name = text_at(graph, first, "name").or_else(|| text_at(graph, first, "headline")).unwrap_or_default();
    let shown: String = name.chars().take(SHOWN_CHARACTERS).collect();
    let values = [("kind", kind.into()), ("name", shown.into()), ("count", found.len().into())];
    let fix = without_copies(html, &found).unwrap_or_else(|| FixDraft::instruction(FixTarget::Head, ONE_ID, &[]));
    let places = found.iter().flat_map(|(one, other)| [one, other]);
    let places = places.filter_map(|node| html.source(node.block)?.place(html, &node.tree.span));
    problem(TWICE, &values, fix).at(places).fail()
}

fn text_at<'t>(graph: &Graph<'t>, node: &Node<'t>, property: &str) -> Option<&'t str> {
    match graph.look(node.tree, property) {
        Found::Value(value) => value.text().map(str::trim).filter(|text| !text.is_empty()),
        Found::Absent | Found::Unknown => None,
    }
}

/// Whether two nodes of one type and name, in different blocks, are one thing that no `@id` joins.
fn is_same<'t>(graph: &Graph<'t>, one: &Node<'t>, other: &Node<'t>) -> bool {
    let id_of = |node: &Node<'t>| node.tree.members().and_then(id);
    let is_joined = id_of(one).is_some() && id_of(one) == id_of(other);
    let is_apart = MARKS.iter().any(|mark| match (graph.look(one.tree, mark), graph.look(other.tree, mark)) {
        (Found::Value(one), Found::Value(other)) => one.kind != other.kind,
        _ => false,
    });
    one.block != other.block && !is_joined && !is_apart
}

/// The page without blocks that repeat another word for word; `None` where one of them says something else.
fn without_copies(html: &Html, found: &[(&Node<'_>, &Node<'_>)]) -> Option<FixDraft> {
    const COPY: Text = text("the block repeats another one word for word", "o bloco repete outro palavra por palavra");
    let block = |node: &Node<'_>| html.source(node.block)?.block();
    let mut copies: Vec<&Written> = Vec::new();
    for (one, other) in found {
        let (one, other) = (block(one)?, block(other)?);
        if one.text.trim() != other.text.trim() {
            return None;
        }
        if copies.iter().all(|known| known.block != other.block) {
            copies.push(other);
        }
    }
    let scripts: Option<Vec<Element<'_>>> = copies
        .iter()
        .map(|copy| {
            let script = html.element(*html.json_ld_scripts.get(copy.block)?)?;
            script.start_tag().zip(script.end_tag()).map(|_| script)
        })
        .collect();
    let fix = FixDraft::edit(FixTarget::Head, "").from(COPY, &[]);
    Some(scripts?.into_iter().fold(fix, FixDraft::remove))
}

/// Types that a page of its own is about.
const SUBJECTS: [&str; 9] =
    ["Article", "Recipe", "Product", "VideoObject", "Event", "JobPosting", "Course", "Movie", "Book"];

/// Fails when a node's own page is said to be the home page.
fn main_entity(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph()?;
    let page = facts.url()?;
    let subjects = graph.nodes.iter().filter(|node| graph.leads(node) && graph.is_any(node, &SUBJECTS));
    let stated: Vec<(&Node<'_>, &Tree)> = subjects
        .flat_map(|node| {
            let members = node.tree.members().into_iter().flatten();
            members.filter(|member| local(&member.name) == "mainEntityOfPage").map(move |member| (node, &member.value))
        })
        .filter_map(|(node, value)| Some((node, address(value)?)))
        .collect();
    if stated.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let is_home = |value: &Tree| {
        let url = value.text().and_then(|address| html.resolve(address.trim()));
        url.is_some_and(|url| names_home(page, &url))
    };
    let bad: Vec<(&Node<'_>, &Tree)> = stated.into_iter().filter(|(_, value)| is_home(value)).collect();
    let Some((first, value)) = bad.first() else { return PASS };
    const HOME: Text = text(
        "{kind}.mainEntityOfPage is the home page, {url}, not this page ({count} in all).",
        "{kind}.mainEntityOfPage é a página inicial, {url}, não esta página ({count} ao todo).",
    );
    const OWN: Text = text("the page's own address", "o endereço da própria página");
    let values = [
        ("kind", first.types.first().copied().unwrap_or_default().into()),
        ("url", value.text().unwrap_or_default().into()),
        ("count", bad.len().into()),
    ];
    let own = facts.own_url()?;
    let json = json_text_in_html(&serde_json::Value::from(own.as_str()).to_string());
    let ready = FixDraft::edit(FixTarget::Head, format!("\"mainEntityOfPage\": {json}")).from(OWN, &[]);
    let ready = bad.iter().try_fold(ready, |fix, (node, value)| {
        let block = html.source(node.block)?.block().filter(|block| block.is_in_source(&html.document))?;
        let span = block.start + value.span.start..block.start + value.span.end;
        graph.is_subject(node).then(|| fix.replace(span, json.clone()))
    });
    let fix = ready.unwrap_or_else(|| FixDraft::instruction(FixTarget::Head, MAIN_ENTITY.how, &[]));
    let places = bad.iter().filter_map(|(node, value)| html.source(node.block)?.place(html, &value.span));
    problem(HOME, &values, fix).at(places).fail()
}

/// The address that a value is, or the `@id` of one that names nothing else.
fn address(value: &Tree) -> Option<&Tree> {
    match value.members() {
        Some(members) => Some(&members.iter().find(|member| member.name == "@id")?.value),
        None => Some(value).filter(|value| value.text().is_some()),
    }
}
