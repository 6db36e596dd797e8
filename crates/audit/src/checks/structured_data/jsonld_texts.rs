//! Texts of structured data that say more, or less, than they should.

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::escape::json_text_in_html;
use crate::facts::jsonld::graph::{Graph, GraphNode, local};
use crate::facts::jsonld::texts::{reference, unescaped, without_byline};
use crate::facts::jsonld::tree::{TreeKind, ValueTree};
use crate::facts::page::Html;
use crate::facts::structured_data::NodeSource;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "json-ld-texts",
    category: Category::StructuredData,
    landing: Landing {
        title: text("JSON-LD author and text checker", "Verificador de autor e textos no JSON-LD"),
        h1: text("Are the texts in your structured data clean?", "Os textos dos seus dados estruturados estão limpos?"),
        description: text(
            "Find HTML entities such as &#8217; in JSON-LD, authors without a name, and names that begin with “By”. Get the texts corrected.",
            "Encontre entidades HTML como &#8217; no JSON-LD, autores sem nome e nomes que começam com “Por”. Receba os textos corrigidos.",
        ),
        lead: text(
            "Some templates escape texts for HTML and put them in JSON, where `&#8217;` is not decoded. Others use the whole byline as the author's name. This tool finds both and writes the correct values.",
            "Alguns templates escapam os textos para HTML e os colocam em JSON, onde `&#8217;` não é decodificado. Outros usam a linha de autoria inteira como nome do autor. Esta ferramenta encontra os dois casos e escreve os valores corretos.",
        ),
        example: include_str!("jsonld_texts/bad_entities.html"),
    },
    checks: &[AUTHOR, ENTITIES],
};

const AUTHOR: Check = Check {
    code: "jsonld_author_invalid",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("Invalid author name", "Nome de autor inválido"),
    why: text(
        "Google shows the author of an article and requires the name alone. An empty author names nobody, and “By Ann Baker” is not a name.",
        "O Google mostra o autor de um artigo e exige só o nome. Um autor vazio não nomeia ninguém, e “Por Ana Lima” não é um nome.",
    ),
    how: text(
        "Put only the author's name in `author.name`. If there is no author, remove `author`.",
        "Coloque em `author.name` só o nome do autor. Se não há autor, remova `author`.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/article#author-bp",
    rule: text(
        "Fails when the `author` of a main node (article or recipe) is empty: an empty text or list, or an object without name, `@id`, `url` and `sameAs`. Also fails when the author's name in any node begins with byline words (`By`, `Written by`, `von`, `Por`, `Par`) followed by a name. `von`, `por` and `par` count only before two words, because names can begin with them.",
        "Falha quando o `author` de um nó principal (artigo ou receita) está vazio: um texto ou lista vazia, ou um objeto sem nome, `@id`, `url` e `sameAs`. Falha também quando o nome do autor em qualquer nó começa com palavras de autoria (`By`, `Written by`, `von`, `Por`, `Par`) seguidas de um nome. `von`, `por` e `par` só contam antes de duas palavras, porque nomes podem começar com elas.",
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
        "JSON doesn't decode HTML entities: `&#8217;` appears literally in a name, and a URL with `&amp;` is a different URL.",
        "JSON não decodifica entidades HTML: `&#8217;` aparece literalmente em um nome, e uma URL com `&amp;` é outra URL.",
    ),
    how: text(
        "Encode texts for JSON, not for HTML, before you put them in the block.",
        "Codifique os textos para JSON, não para HTML, antes de colocá-los no bloco.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc8259#section-7",
    rule: text(
        "Fails when a URL in a JSON-LD block (`url`, `image`, `contentUrl` and the like) contains `&amp;`. A note when only texts (`name`, `headline`, `description` and the like) contain a character reference that ends in `;`. The check skips texts with tags, job descriptions, which may be HTML, references that the page itself shows literally, and microdata and RDFa.",
        "Falha quando uma URL num bloco JSON-LD (`url`, `image`, `contentUrl` e semelhantes) contém `&amp;`. É uma observação quando só textos (`name`, `headline`, `description` e semelhantes) contêm uma referência de caractere terminada em `;`. A verificação ignora textos com tags, descrições de vagas, que podem ser HTML, referências que a própria página mostra literalmente, e microdados e RDFa.",
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

fn shown(value: &ValueTree) -> String {
    value.text().unwrap_or_default().chars().take(SHOWN_CHARACTERS).collect()
}

/// The change that puts another text in place of a value of a block.
fn replaced(fix: FixDraft, html: &Html, block: usize, value: &ValueTree, text: &str) -> Option<FixDraft> {
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
    value: &'t ValueTree,
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
        "{kind}.author is empty{count|| ({count} invalid authors in total)}.",
        "{kind}.author está vazio{count|| ({count} autores inválidos no total)}.",
    );
    const BY_LINE: Text = text(
        "{kind}.author is “{value}” instead of only the name, “{name}”{count|| ({count} invalid authors in total)}.",
        "{kind}.author é “{value}” em vez de só o nome, “{name}”{count|| ({count} autores inválidos no total)}.",
    );
    const NAME: Text = text("the name in the page's own value", "o nome no valor da própria página");
    const REPLACE: Text = text(
        "Put the author's name here, and Person or Organization as its type. If there is no author, remove the author property.",
        "Coloque aqui o nome do autor e, como tipo, Person ou Organization. Se não há autor, remova a propriedade author.",
    );
    let mut values = vec![("kind", first.kind.into()), ("count", bad.len().into())];
    if let Some(name) = first.name {
        values.extend([("value", shown(first.value).into()), ("name", name.into())]);
    }
    let names: Vec<String> = bad.iter().filter_map(|one| Some(format!("\"name\": \"{}\"", one.name?))).collect();
    let ready = FixDraft::edit(FixTarget::Head, json_text_in_html(&names.join("\n"))).from(NAME, &[]);
    let ready = bad.iter().try_fold(ready, |fix, one| replaced(fix, html, one.block, one.value, one.name?));
    let target = html.source(first.block).map_or(FixTarget::Head, NodeSource::target);
    const EACH: Text = text(
        "Keep only names in author. If there are several authors, give each an entry of their own.",
        "Deixe só nomes em author. Se há vários autores, dê a cada um uma entrada própria.",
    );
    let fix = match (ready, target) {
        _ if bad.iter().filter_map(|one| one.name).any(names_several) => FixDraft::instruction(target, EACH, &[]),
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

/// Whether a text may name several people.
fn names_several(name: &str) -> bool {
    const AND: [&str; 7] = ["and", "&", "und", "e", "y", "et", "en"];
    name.contains(',') || name.split_whitespace().any(|word| AND.contains(&word))
}

/// The name in a value of `author`.
fn name_of(value: &ValueTree) -> Option<&ValueTree> {
    match value.members() {
        Some(members) => Some(&members.iter().find(|member| local(&member.name) == "name")?.value),
        None => Some(value).filter(|value| value.text().is_some()),
    }
}

/// Whether a node is what a page is about, and needs an author. Where Google requires one, its absence is told as that.
fn is_subject<'t>(graph: &Graph<'t>, node: &GraphNode<'t>) -> bool {
    graph.leads(node) && graph.is_any(node, &["Article", "Recipe"]) && !graph.is_any(node, &["DiscussionForumPosting"])
}

/// Whether a value names nobody, not even elsewhere.
fn is_nobody(value: &ValueTree) -> bool {
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
    value: &'t ValueTree,
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
        "{count|A structured data value contains|{count} structured data values contain} HTML entities, which JSON doesn't decode: {entity} in “{value}”.",
        "{count|Um valor dos dados estruturados contém|{count} valores dos dados estruturados contêm} entidades HTML, que o JSON não decodifica: {entity} em “{value}”.",
    );
    const SAME: Text = text("the page's own texts, without entities", "os textos da própria página, sem entidades");
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
