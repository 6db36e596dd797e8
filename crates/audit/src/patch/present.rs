//! Tags for a head that has them already: a patch sent to a page that took it before, or whose owner wrote their own, adds no
//! second description.

use std::collections::HashSet;

use crate::facts::document::{Document, Element};

/// What tells a tag of the head from others beside it.
#[derive(PartialEq, Eq, Hash)]
struct TagIdentity {
    element: String,
    /// Attributes with their values, sorted; of a script its text.
    which: Vec<(String, String)>,
}

/// Attributes that say which `meta` an element is; `property` counts as `name`, since Open Graph is read from either.
const OF_META: [&str; 5] = ["name", "property", "http-equiv", "itemprop", "media"];
/// The same of a `link`.
const OF_LINK: [&str; 6] = ["rel", "href", "hreflang", "type", "sizes", "media"];
/// Names of `meta` elements that stand beside each other, each with its own rules (Google Search Central: Robots meta tag).
const REPEATABLE: [&str; 4] = ["robots", "googlebot", "googlebot-news", "bingbot"];

/// The lines of `head`, one tag each, that the document's head does not have.
pub(super) fn missing<'h>(document: &Document, head: &'h str) -> Vec<&'h str> {
    let there: HashSet<TagIdentity> =
        document.head().into_iter().flat_map(Element::children).filter_map(identity).collect();
    let is_there = |line: &str| {
        let tags = Document::parse(format!("<head>{line}"));
        let mut tags = tags.head().into_iter().flat_map(Element::children).filter_map(identity).peekable();
        tags.peek().is_some() && tags.all(|tag| there.contains(&tag))
    };
    head.lines().filter(|line| !is_there(line)).collect()
}

/// Which tag an element is; `None` for one that is no declaration about the page.
fn identity(element: Element<'_>) -> Option<TagIdentity> {
    let said = |names: &[&str]| {
        let given = element.attributes().filter(|(name, _)| names.contains(name));
        given.map(|(name, value)| (name.to_owned(), value.trim().to_ascii_lowercase())).collect::<Vec<_>>()
    };
    let mut which = match element.name() {
        "title" | "base" => Vec::new(),
        "meta" if element.has("charset") => vec![("charset".to_owned(), String::new())],
        "meta" => {
            let mut which = said(&OF_META);
            if which.iter().any(|(_, value)| REPEATABLE.contains(&value.as_str())) {
                which.extend(said(&["content"]));
            }
            for (name, _) in which.iter_mut().filter(|(name, _)| name == "property") {
                "name".clone_into(name);
            }
            which
        }
        "link" if element.has_token("rel", "canonical") => vec![("rel".to_owned(), "canonical".to_owned())],
        "link" => said(&OF_LINK),
        "script" => vec![("text".to_owned(), element.raw_text().trim().to_owned())],
        _ => return None,
    };
    which.sort();
    Some(TagIdentity { element: element.name().to_owned(), which })
}
