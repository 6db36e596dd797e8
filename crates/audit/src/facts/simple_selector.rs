//! CSS selectors without combinators: `.paywall`, `div.closed`, `#rest`, and lists of them.

use super::document::{Document, Element};

/// Selectors of one list that are looked for.
const MOST_SELECTORS: usize = 20;

/// One compound selector.
#[derive(Debug, PartialEq, Eq)]
struct Compound {
    tag: Option<String>,
    ids: Vec<String>,
    classes: Vec<String>,
}

/// Whether an element of the document matches a selector list; `None` for one that this does not read.
pub(crate) fn matches_any(document: &Document, selectors: &str) -> Option<bool> {
    let compounds: Option<Vec<Compound>> =
        selectors.split(',').take(MOST_SELECTORS).map(|one| read(one.trim())).collect();
    let compounds = compounds?;
    Some(document.elements().any(|element| compounds.iter().any(|compound| compound.matches(element))))
}

fn read(selector: &str) -> Option<Compound> {
    let end = selector.find(['.', '#']).unwrap_or(selector.len());
    let (tag, mut rest) = selector.split_at(end);
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let mut compound = Compound { tag: None, ids: Vec::new(), classes: Vec::new() };
    if !matches!(tag, "" | "*") {
        compound.tag = Some(is_name(tag).then(|| tag.to_ascii_lowercase())?);
    }
    if rest.is_empty() && tag.is_empty() {
        return None;
    }
    while let Some(after) = rest.get(1..) {
        let end = after.find(['.', '#']).unwrap_or(after.len());
        let (name, next) = after.split_at(end);
        let name = is_name(name).then(|| name.to_owned())?;
        if rest.starts_with('.') {
            compound.classes.push(name)
        } else {
            compound.ids.push(name)
        }
        rest = next;
    }
    Some(compound)
}

impl Compound {
    fn matches(&self, element: Element<'_>) -> bool {
        let has_class = |class: &String| {
            element.attribute("class").is_some_and(|names| names.split_ascii_whitespace().any(|name| name == class))
        };
        self.tag.as_ref().is_none_or(|tag| element.name() == tag)
            && self.ids.iter().all(|id| element.attribute("id") == Some(id))
            && self.classes.iter().all(has_class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_without_combinators_are_read_and_no_others() {
        let document = Document::parse("<div class='a paywall' id=rest><p class=B>x".to_owned());
        for (selector, found) in [
            (".paywall", Some(true)),
            ("div.a.paywall#rest", Some(true)),
            ("P.B", Some(true)),
            ("*", Some(true)),
            (".none, .paywall", Some(true)),
            (".b", Some(false)),
            ("p.a", Some(false)),
            (".a > .b", None),
            (".a .b", None),
            ("[data-x]", None),
            ("", None),
            (".", None),
        ] {
            assert_eq!(matches_any(&document, selector), found, "{selector}");
        }
    }
}
