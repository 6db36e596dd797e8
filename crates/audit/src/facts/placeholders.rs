//! Titles and descriptions that say nothing: a generator's default, an unfilled template, markup that shows.

use std::sync::LazyLock;

use super::document::collapse;
use super::word_set::{TextList, WordSet};
use super::words::repetition;

/// Titles that generators leave behind, in lower case.
static PLACEHOLDERS: LazyLock<TextList> =
    LazyLock::new(|| TextList::of_lines(include_str!("../data/placeholder_titles.txt")));
/// Descriptions that generators leave behind, in lower case, without a full stop.
static PLACEHOLDER_DESCRIPTIONS: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::of_lines(include_str!("../data/placeholder_descriptions.txt")));

/// Whether a title or description is a generator's default or an unfilled template.
pub fn is_placeholder(value: &str) -> bool {
    is_default(&collapse(value).to_lowercase())
}

/// Whether a description is a generator's default or an unfilled template.
pub fn is_placeholder_description(value: &str) -> bool {
    let lower = collapse(value).to_lowercase();
    is_default(&lower) || PLACEHOLDER_DESCRIPTIONS.contains(lower.trim_end_matches('.'))
}

/// The first of a text in lower case, collapsed.
fn is_default(lower: &str) -> bool {
    lower.contains("{{") && lower.contains("}}")
        || lower.contains("lorem ipsum")
        || matches!(lower, "%s" | "undefined" | "null" | "nan" | "[object object]")
        || PLACEHOLDERS.contains(lower)
}

/// Whether a text says something as a title: no generator's default, no markup that shows, nothing said again.
pub fn is_title(text: &str) -> bool {
    !text.is_empty() && !is_placeholder(text) && without_visible_markup(text) == text && repetition(text).is_none()
}

/// Whether a text shows an entity that a template engine escaped twice: `&quot;` where a quotation mark was meant.
pub fn shows_entity(text: &str) -> bool {
    ["&amp;", "&quot;", "&#39;", "&#039;", "&lt;", "&gt;", "&nbsp;"].iter().any(|entity| text.contains(entity))
}

/// Undoes one layer of what a template engine escaped twice, and takes out line-break tags.
pub fn without_visible_markup(title: &str) -> String {
    if !title.contains(['&', '<']) {
        return collapse(title);
    }
    let mut out = title.to_owned();
    for (markup, plain) in [
        ("&amp;", "&"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#039;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", " "),
        ("<br>", " "),
        ("<br/>", " "),
        ("<br />", " "),
    ] {
        out = out.replace(markup, plain);
    }
    collapse(&out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generator_defaults_are_placeholders() {
        for title in ["Untitled", "React App", "Vite + React", "{{ title }}", "Lorem ipsum dolor", "undefined"] {
            assert!(is_placeholder(title), "{title}");
        }
        assert!(!is_placeholder("Homemade bread"));
    }
}
