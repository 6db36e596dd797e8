//! JSON-LD that lacks what Google requires for a rich result.

use crate::check::prelude::*;
use crate::escape::json_text_in_html;
use crate::facts::derive;
use crate::facts::jsonld::complete::Additions;
use crate::facts::jsonld::graph::Graph;
use crate::facts::jsonld::rich_results::{self, Gap};
use crate::facts::page::Html;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "rich-results",
    category: Category::StructuredData,
    landing: Landing::TO_WRITE,
    checks: &[REQUIRED],
};

const REQUIRED: Check = Check {
    code: "jsonld_required_missing",
    severity: Severity::Warn,
    title: text("Structured data without required properties", "Dados estruturados sem propriedades obrigatórias"),
    why: text(
        "Google shows a rich result only when the node has every required property of its type.",
        "O Google só mostra um resultado avançado quando o nó tem todas as propriedades obrigatórias do seu tipo.",
    ),
    how: text(
        "Add each missing property with what the page itself says; leave out a type whose properties you can't fill.",
        "Adicione cada propriedade ausente com o que a própria página diz; não use um tipo cujas propriedades você não possa preencher.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/search-gallery",
    rule: text("Fails when a node of a rich result's type lacks a required property.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: FIRST,
    run: required,
};

/// Types that are listed in a message.
const MOST_TYPES: usize = 12;
/// Bytes of blocks that a template repeats whole; past it, it shows only what is to be added.
const MOST_SNIPPET_BYTES: usize = 16 * 1024;

/// Fails when a node of a rich result's type lacks a required property.
fn required(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    facts.indexable()?;
    let written = &html.json_ld.written;
    let graph = Graph::read(written.iter().map(|block| &block.tree));
    let is_home = facts.url()?.path() == "/";
    let requirements = rich_results::read(&graph, is_home);
    if !requirements.applied {
        return Err(NotMeasured::Absent);
    }
    let Some(first) = requirements.gaps.first() else { return PASS };
    const LACKS: Text = text(
        "Properties that Google requires are missing: {missing}.",
        "Faltam propriedades que o Google exige: {missing}.",
    );
    const COMPLETED: Text = text(
        "the page's own blocks, completed from its title, address and social tags",
        "os blocos da própria página, completados com título, endereço e tags sociais dela",
    );
    const FILL: Text = text(
        "Fill in the placeholders with what the page shows, and replace the old block. What {type} needs: {url}",
        "Preencha as lacunas com o que a página mostra e troque o bloco antigo. O que {type} precisa: {url}",
    );
    let (kinds, missing) = listed(&requirements.gaps);
    let count: usize = requirements.gaps.iter().map(|gap| gap.missing.len()).sum();
    let values = [("count", count.into()), ("types", kinds.into()), ("missing", missing.into())];
    let page = format!("https://developers.google.com/search/docs/appearance/structured-data/{}", first.page);
    let fix = FixDraft::template(FixTarget::Head, completed(facts, html, &requirements.gaps))
        .from(COMPLETED, &[])
        .note(FILL, &[("type", first.kind.into()), ("url", page.into())]);
    let places = requirements.gaps.iter().filter_map(|gap| written.get(gap.block)?.place(html, &gap.node.span));
    Ok(Some(problem(LACKS, &values, fix).at(places)))
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

/// The blocks with what they lack: from the page where it says it, else a placeholder.
fn completed(facts: &Facts<'_>, html: &Html, gaps: &[Gap<'_>]) -> String {
    let mut blocks: Vec<(usize, Additions<'_>)> = Vec::new();
    for gap in gaps {
        if blocks.last().is_none_or(|(block, _)| *block != gap.block) {
            blocks.push((gap.block, Additions::default()));
        }
        let Some((_, additions)) = blocks.last_mut() else { continue };
        for missing in &gap.missing {
            let path = missing.path();
            let known = derived(facts, html, path).filter(|_| gap.leads);
            additions.add(gap.node, path, known.unwrap_or_else(|| placeholder(path)));
        }
    }
    let texts =
        || blocks.iter().filter_map(|(block, additions)| Some((&html.json_ld.written.get(*block)?.text, additions)));
    if texts().map(|(text, _)| text.len()).sum::<usize>() <= MOST_SNIPPET_BYTES {
        let script = |json: &str| format!("<script type=\"application/ld+json\">{}</script>", json_text_in_html(json));
        let whole: Vec<String> = texts().map(|(text, additions)| script(additions.apply(text).trim())).collect();
        return html.as_meant(&whole.join("\n"));
    }
    let mut alone = blocks.iter().map(|(_, additions)| additions.alone()).collect::<Vec<_>>().join("\n");
    if let Some((cut, _)) = alone.char_indices().nth(MOST_SNIPPET_BYTES) {
        let last_line = alone.get(..cut).and_then(|kept| kept.rfind('\n')).unwrap_or_default();
        alone.truncate(last_line);
    }
    html.as_meant(&json_text_in_html(&alone))
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

/// What the page says of itself, for a node that it is about.
fn derived(facts: &Facts<'_>, html: &Html, property: &str) -> Option<String> {
    match property {
        "name" | "title" => {
            let heading = html.h1_texts().into_iter().find(|heading| !heading.is_empty()).or_else(|| html.title());
            let heading = heading.filter(|heading| !heading.is_empty() && !derive::is_placeholder(heading))?;
            Some(derive::cut(&heading, derive::LONGEST_HEADLINE))
        }
        "description" => html.meta("description").map(str::to_owned),
        "url" => facts.own_url().ok().map(Into::into),
        "image" | "thumbnailUrl" => {
            let image = html.resolve(html.social("og:image")?)?;
            matches!(image.scheme(), "http" | "https").then(|| image.into())
        }
        "datePublished" | "datePosted" | "uploadDate" => {
            let time = || html.document.elements().find(|element| element.is("time"))?.attribute("datetime");
            html.social("article:published_time").or_else(time).map(|date| date.trim().to_owned())
        }
        "price" => html.social("product:price:amount").map(str::to_owned),
        "priceCurrency" => html.social("product:price:currency").map(str::to_owned),
        _ => None,
    }
}
