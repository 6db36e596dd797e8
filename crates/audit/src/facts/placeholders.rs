//! Titles and descriptions that say nothing: a generator's default, an unfilled template, markup that shows.

use super::document::collapse;
use super::words::repetition;

/// Titles that generators leave behind, in lower case; and marks of a template that was not filled.
const PLACEHOLDERS: &str = include_str!("../data/placeholder_titles.txt");
/// Descriptions that generators leave behind, in lower case.
const PLACEHOLDER_DESCRIPTIONS: &str = include_str!("../data/placeholder_descriptions.txt");

/// Whether a title or description is a generator's default or an unfilled template.
pub fn is_placeholder(value: &str) -> bool {
    let lower = collapse(value).to_lowercase();
    let lines = PLACEHOLDERS.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lower.contains("{{") && lower.contains("}}")
        || lower.contains("lorem ipsum")
        || matches!(lower.as_str(), "%s" | "undefined" | "null" | "nan" | "[object object]")
        || lines.into_iter().any(|line| match line.strip_suffix('*') {
            Some(start) => lower.starts_with(start),
            None => lower == line,
        })
}

/// Whether a description is a generator's default or an unfilled template.
pub fn is_placeholder_description(value: &str) -> bool {
    let lower = collapse(value).to_lowercase();
    let mut lines = PLACEHOLDER_DESCRIPTIONS.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    is_placeholder(value) || lines.any(|line| lower.trim_end_matches('.') == line)
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
