//! Nodes as a graph: one thing described twice, and references that lead nowhere.

use std::collections::BTreeMap;

use crate::check::prelude::*;
use crate::escape::json_text_in_html;
use crate::facts::canonical::names_home;
use crate::facts::jsonld::Written;
use crate::facts::jsonld::graph::{Graph, GraphNode, PathValue, id, local};
use crate::facts::jsonld::tree::ValueTree;
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "json-ld-graph",
    category: Category::StructuredData,
    landing: Landing {
        title: text("JSON-LD @id and @graph checker", "Verificador de @id e @graph em JSON-LD"),
        h1: text("Are the nodes of your JSON-LD connected?", "Os nós do seu JSON-LD estão ligados?"),
        description: text(
            "Find @id references to nodes that don't exist, and entities that two JSON-LD blocks describe twice.",
            "Encontre referências @id a nós que não existem e entidades que dois blocos JSON-LD descrevem duas vezes.",
        ),
        lead: text(
            "Themes and plugins each add their own JSON-LD blocks, and nobody checks them together. This tool reads all blocks as one graph and shows broken references and duplicate entities.",
            "Temas e plugins adicionam cada um seus blocos JSON-LD, e ninguém verifica o conjunto. Esta ferramenta lê todos os blocos como um só grafo e mostra referências quebradas e entidades duplicadas.",
        ),
        example: include_str!("entities/bad_reference.html"),
    },
    checks: &[UNRESOLVED, DUPLICATE, MAIN_ENTITY],
};

const UNRESOLVED: Check = Check {
    code: "jsonld_id_unresolved",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Broken @id reference", "Referência @id quebrada"),
    why: text(
        "The node lacks the data that the reference should provide, such as its publisher or author.",
        "Faltam no nó os dados que a referência deveria trazer, como o editor ou o autor.",
    ),
    how: text(
        "Add the node with that `@id`, or correct the reference to match the node's `@id`.",
        "Adicione o nó com esse `@id` ou corrija a referência para o `@id` do nó.",
    ),
    reference: "https://www.w3.org/TR/json-ld11/#node-identifiers",
    rule: text(
        "Fails when an object in a JSON-LD block has only an `@id`, this `@id` is a fragment of this page (`#author`, or the page's URL with a fragment), and no node on the page has the same `@id` after both are resolved. References to other pages and to URLs without a fragment are skipped, because the other page may describe the node. Not measured on a page with more than 5,000 nodes.",
        "Falha quando um objeto num bloco JSON-LD só tem um `@id`, esse `@id` é um fragmento desta página (`#autor`, ou a URL da página com um fragmento), e nenhum nó da página tem o mesmo `@id` depois de resolvidos os dois. Referências a outras páginas e a URLs sem fragmento são ignoradas, porque a outra página pode descrever o nó. Não é medido em página com mais de 5.000 nós.",
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
    title: text("Duplicate entity in two JSON-LD blocks", "Entidade duplicada em dois blocos JSON-LD"),
    why: text(
        "Search engines treat two descriptions without a common `@id` as two entities. If they differ, search engines pick one.",
        "Os buscadores tratam duas descrições sem um `@id` em comum como duas entidades. Se elas diferem, os buscadores escolhem uma.",
    ),
    how: text(
        "Remove one of the blocks, or give both nodes the same `@id`.",
        "Remova um dos blocos ou dê aos dois nós o mesmo `@id`.",
    ),
    reference: "https://www.w3.org/TR/json-ld11/#node-identifiers",
    rule: text(
        "Fails when main nodes of two JSON-LD blocks have the same first type and the same name or headline, and nothing tells them apart. It applies to articles, products, recipes, organizations, persons, websites, pages, videos, jobs and software. The same `@id` joins two nodes; different values of `url`, `contentUrl`, `embedUrl`, `sku`, `mpn`, GTIN, `productID`, `identifier` or `jobLocation` separate them. Nodes in the same block are skipped, and so is an entity that appears in both JSON-LD and HTML markup.",
        "Falha quando nós principais de dois blocos JSON-LD têm o mesmo primeiro tipo e o mesmo nome ou título, e nada os distingue. Vale para artigos, produtos, receitas, organizações, pessoas, sites, páginas, vídeos, vagas e programas. O mesmo `@id` une dois nós; valores diferentes de `url`, `contentUrl`, `embedUrl`, `sku`, `mpn`, GTIN, `productID`, `identifier` ou `jobLocation` os separam. Nós de um mesmo bloco são ignorados, assim como uma entidade que aparece em JSON-LD e na marcação HTML.",
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
    title: text("mainEntityOfPage points to the home page", "mainEntityOfPage aponta para a página inicial"),
    why: text(
        "The markup says that the home page, not this page, is about this entity. This happens when a template writes the site's URL on every page.",
        "A marcação diz que a página inicial, e não esta, trata desta entidade. Isso acontece quando um template escreve a URL do site em todas as páginas.",
    ),
    how: text(
        "Set `mainEntityOfPage` to the URL of this page, or remove it.",
        "Defina `mainEntityOfPage` com a URL desta página ou remova-o.",
    ),
    reference: "https://schema.org/docs/datamodel.html#mainEntityBackground",
    rule: text(
        "Fails when the `mainEntityOfPage` of a main node (article, recipe, product, video, event, job, course, movie, book) is the site's home page, but the page itself is not. The value can be a URL or the `@id` of an object.",
        "Falha quando o `mainEntityOfPage` de um nó principal (artigo, receita, produto, vídeo, evento, vaga, curso, filme, livro) é a página inicial do site, mas a própria página não é. O valor pode ser uma URL ou o `@id` de um objeto.",
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
    value: &'t ValueTree,
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
        "{count|A reference points to “{id}”, but no node on the page has this @id.|{count} references point to @ids that no node on the page has; the first is “{id}”.}",
        "{count|Uma referência aponta para “{id}”, mas nenhum nó da página tem esse @id.|{count} referências apontam para @ids que nenhum nó da página tem; o primeiro é “{id}”.}",
    );
    const KNOWN: Text = text("the @id of the only node with this fragment", "o @id do único nó com esse fragmento");
    const ADD: Text = text(
        "Add the node with that @id, or remove the reference.",
        "Adicione o nó com esse @id ou remova a referência.",
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
fn is_bare(node: &ValueTree) -> bool {
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
    let mut by_name: BTreeMap<(&str, String), Vec<&GraphNode<'_>>> = BTreeMap::new();
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
    let mut found: Vec<(&GraphNode<'_>, &GraphNode<'_>)> = Vec::new();
    for same in by_name.values() {
        for (at, node) in same.iter().enumerate() {
            found.extend(same.iter().take(at).find(|other| is_same(graph, other, node)).map(|other| (*other, *node)));
        }
    }
    found.sort_by_key(|(_, node)| (node.block, node.tree.span.start));
    let Some((_, first)) = found.first() else { return PASS };
    const TWICE: Text = text(
        "More than one JSON-LD block describes the {kind} “{name}”{count|| ({count} repetitions in total)}.",
        "Mais de um bloco JSON-LD descreve a entidade {kind} “{name}”{count|| ({count} repetições no total)}.",
    );
    const ONE_ID: Text = text(
        "Remove one description, or give both the same @id.",
        "Remova uma das descrições ou dê às duas o mesmo @id.",
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

fn text_at<'t>(graph: &Graph<'t>, node: &GraphNode<'t>, property: &str) -> Option<&'t str> {
    match graph.look(node.tree, property) {
        PathValue::Value(value) => value.text().map(str::trim).filter(|text| !text.is_empty()),
        PathValue::Absent | PathValue::Unknown => None,
    }
}

/// Whether two nodes of one type and name, in different blocks, are one thing that no `@id` joins.
fn is_same<'t>(graph: &Graph<'t>, one: &GraphNode<'t>, other: &GraphNode<'t>) -> bool {
    let id_of = |node: &GraphNode<'t>| node.tree.members().and_then(id);
    let is_joined = id_of(one).is_some() && id_of(one) == id_of(other);
    let is_apart = MARKS.iter().any(|mark| match (graph.look(one.tree, mark), graph.look(other.tree, mark)) {
        (PathValue::Value(one), PathValue::Value(other)) => one.kind != other.kind,
        _ => false,
    });
    one.block != other.block && !is_joined && !is_apart
}

/// The page without blocks that repeat another word for word; `None` where one of them says something else.
fn without_copies(html: &Html, found: &[(&GraphNode<'_>, &GraphNode<'_>)]) -> Option<FixDraft> {
    const COPY: Text = text("the block is an exact copy of another one", "o bloco é uma cópia exata de outro");
    let block = |node: &GraphNode<'_>| html.source(node.block)?.block();
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
    let stated: Vec<(&GraphNode<'_>, &ValueTree)> = subjects
        .flat_map(|node| {
            let members = node.tree.members().into_iter().flatten();
            members.filter(|member| local(&member.name) == "mainEntityOfPage").map(move |member| (node, &member.value))
        })
        .filter_map(|(node, value)| Some((node, address(value)?)))
        .collect();
    if stated.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let is_home = |value: &ValueTree| {
        let url = value.text().and_then(|address| html.resolve(address.trim()));
        url.is_some_and(|url| names_home(page, &url))
    };
    let bad: Vec<(&GraphNode<'_>, &ValueTree)> = stated.into_iter().filter(|(_, value)| is_home(value)).collect();
    let Some((first, value)) = bad.first() else { return PASS };
    const HOME: Text = text(
        "{kind}.mainEntityOfPage is the home page ({url}) instead of this page{count|| ({count} nodes in total)}.",
        "{kind}.mainEntityOfPage é a página inicial ({url}) em vez desta página{count|| ({count} nós no total)}.",
    );
    const OWN: Text = text("the page's own URL", "a URL da própria página");
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
fn address(value: &ValueTree) -> Option<&ValueTree> {
    match value.members() {
        Some(members) => Some(&members.iter().find(|member| member.name == "@id")?.value),
        None => Some(value).filter(|value| value.text().is_some()),
    }
}
