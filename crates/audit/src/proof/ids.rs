//! What a fix does to ids: hardly any gives one, takes one, or names another, and only one check looks at them.

use crate::facts::document::Element;
use crate::facts::page::Html;
use crate::fix::FixChange;

/// Whether a change may take or give an id, or a reference to one.
pub(super) fn may_change_ids(change: &FixChange, html: &Html) -> bool {
    let has_some = |element: Element<'_>| {
        element.descendants().next().is_some()
            || element.attributes().any(|(name, value)| is_of_ids(name) || value.contains('#'))
    };
    match change {
        FixChange::SetAttribute { node, name, value } => {
            let before = html.element(*node).and_then(|element| element.attribute(name)).unwrap_or_default();
            is_of_ids(name) || value.contains('#') || before.contains('#')
        }
        FixChange::RemoveAttribute { node, name } => {
            let before = html.element(*node).and_then(|element| element.attribute(name)).unwrap_or_default();
            is_of_ids(name) || before.contains('#')
        }
        FixChange::SetContent { node, content } => {
            let is_text = |element: Element<'_>| element.descendants().next().is_none();
            may_hold_ids(content) || !html.element(*node).is_some_and(is_text)
        }
        FixChange::Remove { node } => html.element(*node).is_none_or(has_some),
        FixChange::InsertBefore { html, .. } | FixChange::InsertInside { html, .. } => may_hold_ids(html),
        FixChange::Replace { .. } => true,
    }
}

/// Whether an attribute is an id, or names elements by theirs without a sign.
fn is_of_ids(name: &str) -> bool {
    matches!(name, "id" | "for" | "headers" | "form" | "list") || name.starts_with("aria-")
}

/// Whether new markup may hold an id or a reference to one.
pub(super) fn may_hold_ids(markup: &str) -> bool {
    markup.contains('#')
        || ["id=", "for=", "headers=", "form=", "list=", "aria-"].iter().any(|name| markup.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::page;
    use crate::facts::walk::Page;

    #[test]
    fn only_what_may_touch_an_id_or_a_reference_does() {
        const SOURCE: &str = "<!doctype html><title>a</title><link rel=canonical href=/b><link rel=icon href='/c#d' id=e>\
            <script type=application/ld+json>{\"@id\":\"#f\"}</script><body><h1>g<b id=h>i</b></h1><img src=j.png>";
        let html = Page::read(&page("https://example.com/page", SOURCE)).html.unwrap();
        let nodes = |name: &str| {
            let named = html.document.elements().filter(|element| element.is(name));
            named.map(Element::id).collect::<Vec<_>>()
        };
        let (title, h1, image) = (nodes("title")[0], nodes("h1")[0], nodes("img")[0]);
        let links = nodes("link");
        let set = |node, name: &str, value: &str| FixChange::SetAttribute {
            node,
            name: name.to_owned(),
            value: value.to_owned(),
        };
        let removed = |node, name: &str| FixChange::RemoveAttribute { node, name: name.to_owned() };
        let content = |node, content: &str| FixChange::SetContent { node, content: content.to_owned() };
        let replaced = |text: &str| {
            let start = SOURCE.find(text).unwrap();
            FixChange::Replace { span: start..start + text.len(), text: String::new() }
        };
        let inserted = |html: &str| FixChange::InsertBefore { node: h1, html: html.to_owned() };
        for (change, wanted) in [
            (set(image, "loading", "lazy"), false),
            (set(image, "id", "k"), true),
            (set(image, "aria-labelledby", "h"), true),
            (set(image, "src", "#h"), true),
            (set(links[1], "href", "/c"), true),
            (removed(links[0], "href"), false),
            (removed(links[1], "href"), true),
            (removed(links[1], "id"), true),
            (content(title, "l"), false),
            (content(title, "<b id=l>"), true),
            (content(h1, "l"), true),
            (FixChange::Remove { node: links[0] }, false),
            (FixChange::Remove { node: links[1] }, true),
            (FixChange::Remove { node: h1 }, true),
            (inserted("<h1>m</h1>"), false),
            (inserted("<label for=h>m</label>"), true),
            (replaced("<h1>"), true),
        ] {
            assert_eq!(may_change_ids(&change, &html), wanted, "{change:?}");
        }
    }
}
