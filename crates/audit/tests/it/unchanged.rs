//! What a fix leaves as it was: what the page says about itself, and the attributes of its elements.

use std::collections::BTreeMap;

use audit::facts::page::Html;

/// What a page says about itself, each with the beginnings of the codes whose fixes are meant to change it.
const FACTS: [(&str, &[&str]); 9] = [
    ("title", &["title_", "head_broken"]),
    ("description", &["meta_description_", "meta_content_", "head_broken"]),
    ("canonical", &["canonical_", "base_", "head_broken"]),
    ("robots", &["robots_", "max_image_preview", "meta_content_"]),
    ("viewport", &["viewport_", "meta_content_"]),
    ("lang", &["html_lang_", "content_language_"]),
    ("base", &["base_", "mixed_content_"]),
    ("h1", &["h1_", "heading_"]),
    ("og:title", &["og_", "meta_content_", "meta_description_"]),
];
/// Beginnings of codes whose fixes change how every text is read.
const OF_ENCODING: [&str; 2] = ["charset_", "mojibake_"];
/// Attributes that a fix is meant to take away from an element of the body.
const TAKEN: [(&str, &str); 1] = [("rel", "link_internal_nofollow")];
/// Elements of the head, which fixes remove, merge and move as a whole.
const OF_HEAD: [&str; 8] = ["html", "head", "title", "meta", "link", "base", "script", "style"];

fn values(html: &Html, fact: &str) -> Vec<String> {
    let metas = |name: &str| html.metas_named(name).filter_map(|meta| meta.content.clone()).collect();
    match fact {
        "title" => html.title().into_iter().collect(),
        "canonical" => html.links_rel("canonical").filter_map(|link| Some(link.url.as_ref()?.to_string())).collect(),
        "lang" => html.document.html().and_then(|root| root.attribute("lang")).map(str::to_owned).into_iter().collect(),
        "base" => vec![html.base.to_string()],
        "h1" => html.h1_texts(),
        "og:title" => html.social(fact).map(str::to_owned).into_iter().collect(),
        name => metas(name),
    }
}

/// Elements of the body by name and attribute: how many have it.
fn attributes(html: &Html) -> BTreeMap<(String, String), usize> {
    let mut counts = BTreeMap::new();
    for element in html.document.elements().filter(|element| !OF_HEAD.contains(&element.name())) {
        for (name, _) in element.attributes() {
            *counts.entry((element.name().to_owned(), name.to_owned())).or_default() += 1;
        }
    }
    counts
}

/// What else changed with the fixes of these codes.
pub(crate) fn changed(name: &str, before: &Html, after: &Html, mended: &[&str]) -> Vec<String> {
    let is_meant = |starts: &[&str]| mended.iter().any(|code| starts.iter().any(|start| code.starts_with(start)));
    let mut faults = Vec::new();
    for (fact, starts) in FACTS {
        let [old, new] = [before, after].map(|html| values(html, fact));
        if old != new && !is_meant(starts) && !is_meant(&OF_ENCODING) {
            faults.push(format!("{name}: {fact} was {old:?} and is {new:?}"));
        }
    }
    let now = attributes(after);
    for ((element, attribute), old) in attributes(before) {
        let new = now.get(&(element.clone(), attribute.clone())).copied().unwrap_or_default();
        let is_taken = TAKEN.iter().any(|(of, code)| *of == attribute && mended.contains(code));
        if new < old && !is_taken {
            faults.push(format!("{name}: {old} <{element}> had {attribute}, {new} have it now"));
        }
    }
    faults
}
