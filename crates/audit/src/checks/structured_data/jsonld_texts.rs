//! Texts of structured data that say more, or less, than they should.

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::escape::json_text_in_html;
use crate::facts::jsonld::graph::{Graph, Node, local};
use crate::facts::jsonld::texts::{reference, unescaped, without_byline};
use crate::facts::jsonld::tree::{Tree, TreeKind};
use crate::facts::page::Html;
use crate::facts::structured_data::NodeSource;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "json-ld-texts",
    category: Category::StructuredData,
    landing: Landing {
        title: text("JSON-LD author and text checker", "Verificador de autor e textos no JSON-LD"),
        h1: text(
            "Do the texts of your structured data read well?",
            "Os textos dos seus dados estruturados estão limpos?",
        ),
        description: text(
            "Find HTML entities such as &#8217; in JSON-LD, authors without a name and names with “By” in front, and get the texts corrected.",
            "Encontre entidades HTML como &#8217; no JSON-LD, autores sem nome e nomes com “Por” na frente, e receba os textos corrigidos.",
        ),
        lead: text(
            "Templates escape texts for HTML and put them into JSON, where `&#8217;` stays as it is, and take the by-line for the name of the author. This checker finds both and writes what was meant.",
            "Modelos escapam os textos para HTML e os põem em JSON, onde `&#8217;` fica como está, e tomam a linha de autoria pelo nome do autor. Este verificador encontra os dois casos e escreve o que se queria.",
        ),
        example: include_str!("jsonld_texts/bad_entities.html"),
    },
    checks: &[AUTHOR, ENTITIES],
};

const AUTHOR: Check = Check {
    code: "jsonld_author_invalid",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("Author who is no name", "Autor que não é um nome"),
    why: text(
        "Google shows the author of an article and asks for the name alone: an empty one names nobody, and “By Ann Baker” is nobody's name.",
        "O Google mostra o autor de um artigo e pede só o nome: um vazio não nomeia ninguém, e “Por Ana Lima” não é o nome de ninguém.",
    ),
    how: text(
        "Write the name of the author and nothing else into `author.name`; leave `author` out where there is none.",
        "Escreva o nome do autor e nada mais em `author.name`; omita `author` quando não houver nenhum.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/article#author-bp",
    rule: text(
        "Fails when the `author` of a main node (article or recipe) is there but empty: an empty text or list, or an object without name, `@id`, `url` and `sameAs`; or when the name of the author of any node begins with words of a by-line (`By`, `Written by`, `von`, `Por`, `Par`) and a name follows them. `von`, `por` and `par` count in front of two words only, since names begin so too.",
        "Falha quando o `author` de um nó principal (artigo ou receita) está lá, mas vazio: um texto ou lista vazia, ou um objeto sem nome, `@id`, `url` e `sameAs`; ou quando o nome do autor de qualquer nó começa com palavras de autoria (`By`, `Written by`, `von`, `Por`, `Par`) seguidas de um nome. `von`, `por` e `par` só contam antes de duas palavras, pois também iniciam nomes.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: PRECISION,
    run: |facts| facts.unless_unread(author(facts)),
};

const ENTITIES: Check = Check {
    code: "jsonld_entities_escaped",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("HTML entities in structured data", "Entidades HTML nos dados estruturados"),
    why: text(
        "JSON has no entities: `&#8217;` stands in a name as it is, and an address with `&amp;` is another address.",
        "JSON não tem entidades: `&#8217;` fica no nome como está, e um endereço com `&amp;` é outro endereço.",
    ),
    how: text(
        "Encode texts for JSON, not for HTML, before they are put into the block.",
        "Codifique os textos para JSON, não para HTML, antes de pô-los no bloco.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc8259#section-7",
    rule: text(
        "Fails when an address in a JSON-LD block (`url`, `image`, `contentUrl` and the like) holds `&amp;`; a note where only texts do (`name`, `headline`, `description` and the like) hold a character reference that ends in `;`. Left alone are texts with tags, descriptions of jobs, which may be HTML, references that the page shows as they are, and markup.",
        "Falha quando um endereço num bloco JSON-LD (`url`, `image`, `contentUrl` e semelhantes) contém `&amp;`; é só uma nota quando apenas textos (`name`, `headline`, `description` e semelhantes) contêm uma referência de caractere terminada em `;`. Ficam de fora textos com tags, descrições de vagas, que podem ser HTML, referências que a página mostra como são, e a marcação.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: PRECISION,
    run: |facts| facts.unless_unread(entities(facts)),
};

/// Characters shown of a value.
const SHOWN_CHARACTERS: usize = 80;
/// Values of one page that are looked at closer.
const MOST_VALUES: usize = 500;

fn shown(value: &Tree) -> String {
    value.text().unwrap_or_default().chars().take(SHOWN_CHARACTERS).collect()
}

/// The change that puts another text in place of a value of a block.
fn replaced(fix: FixDraft, html: &Html, block: usize, value: &Tree, text: &str) -> Option<FixDraft> {
    let block = html.source(block)?.block().filter(|block| block.is_in_source(&html.document))?;
    // Letters that were misread would come out wrong.
    let is_certain = !html.unlabelled_utf8 || block.text.get(value.span.clone()).is_some_and(str::is_ascii);
    let json = json_text_in_html(&serde_json::Value::from(text).to_string());
    is_certain.then(|| fix.replace(block.start + value.span.start..block.start + value.span.end, json))
}

/// A value of `author` that is no name.
struct BadAuthor<'t> {
    block: usize,
    kind: &'t str,
    value: &'t Tree,
    /// The name that was meant; `None` where there is none.
    name: Option<&'t str>,
}

/// Fails when the author of a node is nobody, or a by-line.
fn author(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph()?;
    let mut has_authors = false;
    let mut bad: Vec<BadAuthor<'_>> = Vec::new();
    for node in &graph.nodes {
        let authors = node.tree.members().into_iter().flatten().filter(|member| local(&member.name) == "author");
        for member in authors {
            has_authors = true;
            let (block, kind) = (node.block, node.types.first().copied().unwrap_or_default());
            let bylines = member.value.each().iter().filter_map(|value| {
                let value = name_of(value)?;
                Some(BadAuthor { block, kind, value, name: Some(without_byline(value.text()?)?) })
            });
            bad.extend(bylines);
            if is_subject(graph, node) && member.value.each().iter().all(is_nobody) {
                bad.push(BadAuthor { block, kind, value: &member.value, name: None });
            }
        }
    }
    if !has_authors {
        return Err(NotMeasured::Absent);
    }
    let Some(first) = bad.first() else { return PASS };
    const NOBODY: Text = text(
        "{kind}.author is there, but names nobody ({count} {count|author|authors} in all).",
        "{kind}.author está lá, mas não nomeia ninguém ({count} {count|autor|autores} ao todo).",
    );
    const BY_LINE: Text = text(
        "{kind}.author is “{value}”: the name alone belongs there, “{name}” ({count} {count|author|authors} in all).",
        "{kind}.author é “{value}”: ali vai só o nome, “{name}” ({count} {count|autor|autores} ao todo).",
    );
    const NAME: Text = text("the name in the page's own value", "o nome no próprio valor da página");
    const REPLACE: Text = text(
        "Write the author's name here; where there is none, take author out.",
        "Escreva aqui o nome do autor; se não houver nenhum, tire author.",
    );
    let mut values = vec![("kind", first.kind.into()), ("count", bad.len().into())];
    if let Some(name) = first.name {
        values.extend([("value", shown(first.value).into()), ("name", name.into())]);
    }
    let names: Vec<String> = bad.iter().filter_map(|one| Some(format!("\"name\": \"{}\"", one.name?))).collect();
    let ready = FixDraft::edit(FixTarget::Head, json_text_in_html(&names.join("\n"))).from(NAME, &[]);
    let ready = bad.iter().try_fold(ready, |fix, one| replaced(fix, html, one.block, one.value, one.name?));
    let target = html.source(first.block).map_or(FixTarget::Head, NodeSource::target);
    let fix = match (ready, target) {
        (Some(ready), _) => ready,
        (None, FixTarget::Head) => {
            let author = "\"author\": {\"@type\": \"{{PERSON_OR_ORGANIZATION}}\", \"name\": \"{{AUTHOR_NAME}}\"}";
            FixDraft::template(target, author).note(REPLACE, &[])
        }
        (None, _) => FixDraft::instruction(target, AUTHOR.how, &[]),
    };
    let places = bad.iter().filter_map(|one| html.source(one.block)?.place(html, &one.value.span));
    problem(if first.name.is_some() { BY_LINE } else { NOBODY }, &values, fix).at(places).fail()
}

/// The name in a value of `author`.
fn name_of(value: &Tree) -> Option<&Tree> {
    match value.members() {
        Some(members) => Some(&members.iter().find(|member| local(&member.name) == "name")?.value),
        None => Some(value).filter(|value| value.text().is_some()),
    }
}

/// Whether a node is what a page is about, and needs an author. Where Google requires one, its absence is told as that.
fn is_subject<'t>(graph: &Graph<'t>, node: &Node<'t>) -> bool {
    graph.leads(node) && graph.is_any(node, &["Article", "Recipe"]) && !graph.is_any(node, &["DiscussionForumPosting"])
}

/// Whether a value names nobody, not even elsewhere.
fn is_nobody(value: &Tree) -> bool {
    match &value.kind {
        TreeKind::Text(text) => text.trim().is_empty(),
        TreeKind::Null => true,
        TreeKind::Object(members) => members.iter().all(|member| match local(&member.name) {
            "@type" => true,
            "name" | "url" | "sameAs" | "@id" => member.value.each().iter().all(is_nobody),
            _ => false,
        }),
        TreeKind::Array(_) | TreeKind::Number(_) | TreeKind::Bool(_) => false,
    }
}

/// Properties that hold a plain text.
const TEXTS: [&str; 9] = [
    "name",
    "headline",
    "alternativeHeadline",
    "alternateName",
    "caption",
    "articleSection",
    "keywords",
    "description",
    "creditText",
];
/// Properties that hold an address.
const ADDRESSES: [&str; 8] = ["url", "image", "logo", "contentUrl", "embedUrl", "thumbnailUrl", "item", "@id"];

/// A value of a block that is escaped for HTML.
struct Escaped<'t> {
    block: usize,
    value: &'t Tree,
    /// Its first character reference.
    reference: &'t str,
    is_address: bool,
}

/// The values of blocks that are.
fn escaped<'t>(html: &Html, graph: &Graph<'t>) -> Vec<Escaped<'t>> {
    let title = html.title().unwrap_or_default();
    // A text about HTML means what it says.
    let is_shown = |reference: &str| html.text.text.contains(reference) || title.contains(reference);
    let nodes = graph.nodes.iter().filter(|node| html.source(node.block).is_some_and(|s| s.block().is_some()));
    let values = nodes.flat_map(|node| {
        let members = node.tree.members().into_iter().flatten();
        let judged = members.filter(move |member| {
            let name = local(&member.name);
            let is_html = name == "description" && graph.is_any(node, &["JobPosting"]);
            !is_html && (ADDRESSES.contains(&name) || TEXTS.contains(&name))
        });
        judged.flat_map(move |member| {
            let is_address = ADDRESSES.contains(&local(&member.name));
            member.value.each().iter().map(move |value| (node.block, value, is_address))
        })
    });
    let candidates = values.filter(|(_, value, _)| {
        value.text().is_some_and(|text| text.contains('&') && text.contains(';') && !text.contains('<'))
    });
    let found = candidates.take(MOST_VALUES).filter_map(|(block, value, is_address)| {
        let reference = reference(value.text()?)?;
        let is_meant = if is_address { reference != "&amp;" } else { is_shown(reference) };
        (!is_meant).then_some(Escaped { block, value, reference, is_address })
    });
    found.collect()
}

/// Fails when texts of a block are escaped for HTML.
fn entities(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph()?;
    if html.json_ld.written.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let found = escaped(html, graph);
    let Some(first) = found.iter().find(|one| one.is_address).or(found.first()) else { return PASS };
    const ESCAPED: Text = text(
        "{count} {count|value of structured data holds|values of structured data hold} HTML entities, which JSON does not have: {entity} in “{value}”.",
        "{count} {count|valor dos dados estruturados contém|valores dos dados estruturados contêm} entidades HTML, que JSON não tem: {entity} em “{value}”.",
    );
    const SAME: Text = text("the page's own texts, without entities", "os próprios textos da página, sem entidades");
    let values =
        [("count", found.len().into()), ("entity", first.reference.into()), ("value", shown(first.value).into())];
    let meant: Option<Vec<String>> = found.iter().map(|one| unescaped(one.value.text().unwrap_or_default())).collect();
    let ready = meant.and_then(|meant| {
        let lines = meant.iter().take(MAX_PLACES).map(|text| serde_json::Value::from(text.as_str()).to_string());
        let snippet = json_text_in_html(&lines.collect::<Vec<_>>().join("\n"));
        let fix = FixDraft::edit(FixTarget::Head, snippet).from(SAME, &[]);
        let mut pairs = found.iter().zip(&meant);
        pairs.try_fold(fix, |fix, (one, text)| replaced(fix, html, one.block, one.value, text))
    });
    let fix = ready.unwrap_or_else(|| FixDraft::instruction(FixTarget::Head, ENTITIES.how, &[]));
    let is_minor = found.iter().all(|one| !one.is_address);
    let places = found.iter().filter_map(|one| html.source(one.block)?.place(html, &one.value.span));
    problem(ESCAPED, &values, fix).minor_if(is_minor).at(places).fail()
}
