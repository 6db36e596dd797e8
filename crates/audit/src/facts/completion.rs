//! The structured data of a page with what it lacks.

use super::jsonld::complete::Additions;
use super::jsonld::rich_results::Gap;
use super::page::Html;
use super::structured_data::{NodeSource, Syntax};
use crate::escape::{attribute, json_text_in_html};

/// Bytes of blocks that a template repeats whole; past it, it shows only what is to be added.
const MOST_SNIPPET_BYTES: usize = 16 * 1024;

/// Whether the node of a gap stands in markup.
pub(crate) fn is_markup(html: &Html, gap: &Gap<'_>) -> bool {
    matches!(html.source(gap.block), Some(NodeSource::Item(_)))
}

/// The blocks with what they lack, and what is to be added to items of markup. `filling`: what is put at a path of a node.
pub(crate) fn completed(html: &Html, gaps: &[Gap<'_>], filling: &dyn Fn(&Gap<'_>, &str) -> String) -> String {
    let mut blocks: Vec<(usize, Additions<'_>)> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for gap in gaps {
        if let Some(NodeSource::Item(item)) = html.source(gap.block) {
            let missing: Vec<(&str, String)> =
                gap.missing.iter().map(|one| (one.path(), filling(gap, one.path()))).collect();
            lines.append(&mut markup(item.syntax, &missing));
            continue;
        }
        if blocks.last().is_none_or(|(block, _)| *block != gap.block) {
            blocks.push((gap.block, Additions::default()));
        }
        let Some((_, additions)) = blocks.last_mut() else { continue };
        for missing in &gap.missing {
            additions.add(gap.node, missing.path(), filling(gap, missing.path()));
        }
    }
    let texts =
        || blocks.iter().filter_map(|(block, additions)| Some((&html.source(*block)?.block()?.text, additions)));
    if texts().map(|(text, _)| text.len()).sum::<usize>() <= MOST_SNIPPET_BYTES {
        let script = |json: &str| format!("<script type=\"application/ld+json\">{}</script>", json_text_in_html(json));
        let whole = texts().map(|(text, additions)| script(additions.apply(text).trim()));
        let mut whole: Vec<String> = whole.collect();
        whole.append(&mut lines);
        return cut(html.as_meant(&whole.join("\n")));
    }
    let mut alone: Vec<String> = blocks.iter().map(|(_, additions)| json_text_in_html(&additions.alone())).collect();
    alone.append(&mut lines);
    cut(html.as_meant(&alone.join("\n")))
}

/// Whole lines, as many as a report takes.
fn cut(mut text: String) -> String {
    // Twice: what is completed is longer than what was there.
    if let Some((cut, _)) = text.char_indices().nth(2 * MOST_SNIPPET_BYTES) {
        let last_line = text.get(..cut).and_then(|start| start.rfind('\n')).unwrap_or_default();
        text.truncate(last_line);
    }
    text
}

/// Properties of an item, as markup, a line each: `<meta itemprop="price" content="…">`. Those of one thing within the item
/// stand in one element for it.
fn markup(syntax: Syntax, properties: &[(&str, String)]) -> Vec<String> {
    let name = match syntax {
        Syntax::Microdata => "itemprop",
        Syntax::Rdfa => "property",
    };
    let thing = |step: &str| match syntax {
        Syntax::Microdata => format!("itemscope itemtype=\"https://schema.org/{}\"", only_type(step)),
        Syntax::Rdfa => format!("typeof=\"{}\"", only_type(step)),
    };
    let mut lines = Vec::new();
    let mut rest = properties;
    while let Some(((path, value), others)) = rest.split_first() {
        let Some((step, _)) = path.split_once('.') else {
            lines.push(format!("<meta {name}=\"{path}\" content=\"{}\">", attribute(value)));
            rest = others;
            continue;
        };
        let within = |(path, _): &&(&str, String)| path.split_once('.').is_some_and(|(first, _)| first == step);
        let count = rest.iter().take_while(within).count();
        let (own, others) = rest.split_at(count);
        let own: Vec<(&str, String)> =
            own.iter().filter_map(|(path, value)| Some((path.split_once('.')?.1, value.clone()))).collect();
        lines.push(format!("<span {name}=\"{step}\" {}>{}</span>", thing(step), markup(syntax, &own).concat()));
        rest = others;
    }
    lines
}

/// The type of what a property holds, where Google takes one alone; else a placeholder.
fn only_type(property: &str) -> &'static str {
    match property {
        "hasPart" => "WebPageElement",
        "aggregateRating" => "AggregateRating",
        "reviewRating" => "Rating",
        "acceptedAnswer" => "Answer",
        "address" => "PostalAddress",
        "jobLocation" => "Place",
        _ => "{{TYPE}}",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_of_one_thing_stand_in_one_element() {
        let missing =
            ["hasPart.isAccessibleForFree", "hasPart.cssSelector", "image"].map(|path| (path, "x".to_owned()));
        assert_eq!(
            markup(Syntax::Microdata, &missing),
            [
                "<span itemprop=\"hasPart\" itemscope itemtype=\"https://schema.org/WebPageElement\">\
                 <meta itemprop=\"isAccessibleForFree\" content=\"x\"><meta itemprop=\"cssSelector\" content=\"x\"></span>",
                "<meta itemprop=\"image\" content=\"x\">",
            ]
        );
        // An author may be a person or an organization.
        assert_eq!(
            markup(Syntax::Rdfa, &[("author.name", "x".to_owned())]),
            ["<span property=\"author\" typeof=\"{{TYPE}}\"><meta property=\"name\" content=\"x\"></span>"]
        );
    }
}
