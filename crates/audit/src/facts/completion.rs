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
            lines.extend(gap.missing.iter().map(|one| line(item.syntax, one.path(), &filling(gap, one.path()))));
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

/// A property of an item, as markup: `<meta itemprop="price" content="…">`, inside what leads to it.
fn line(syntax: Syntax, path: &str, value: &str) -> String {
    let name = match syntax {
        Syntax::Microdata => "itemprop",
        Syntax::Rdfa => "property",
    };
    match path.split_once('.') {
        None => format!("<meta {name}=\"{path}\" content=\"{}\">", attribute(value)),
        Some((step, rest)) => {
            let thing = match syntax {
                Syntax::Microdata => "itemscope itemtype=\"https://schema.org/{{TYPE}}\"",
                Syntax::Rdfa => "typeof=\"{{TYPE}}\"",
            };
            format!("<span {name}=\"{step}\" {thing}>{}</span>", line(syntax, rest, value))
        }
    }
}
