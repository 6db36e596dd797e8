//! Values for fixes, taken from what the page holds. Nothing here is invented: each value occurs on the page.

use model::lang::{Text, text};

use super::document::collapse;
use super::font_metrics::{columns, columns_of, title_px};
use super::jsonld::types_of;
use super::page::Html;
use super::words::repetition;

/// Characters of a text that is taken over whole: longer ones are no headline.
pub const LONGEST_HEADLINE: usize = 200;
/// Characters a paragraph must have to serve as a description.
const SHORTEST_PARAGRAPH: usize = 50;
/// Columns of a derived description at most: what a result shows of it. A full-width character takes two.
pub const LONGEST_DESCRIPTION: usize = 155;
/// Columns from which on a description says more than a title.
pub const SHORTEST_DESCRIPTION: usize = 50;
/// Width in pixels after which a result on a desktop may cut a title (Arial 20 px; measured results of 2026-11).
pub const WIDEST_TITLE_PX: u32 = 600;

/// A derived value and where it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    /// The value, unescaped.
    pub value: String,
    /// For `fonte`.
    pub origin: Text,
}

/// A title that fits a result: the first h1 with the site's name behind it where there is room, else the social title.
pub fn title(html: &Html) -> Option<Derived> {
    let heading = html.h1_texts().iter().map(|text| html.as_meant(text)).find(|text| is_title(&fitting(text)));
    let Some(heading) = heading else {
        let social = html.social("og:title").map(|title| fitting(&html.as_meant(title)));
        return Some(Derived {
            value: social.filter(|title| is_title(title))?,
            origin: text("the page's og:title", "o og:title da página"),
        });
    };
    let with_name = site_name(html)
        .filter(|name| !heading.contains(name))
        .map(|name| format!("{heading} - {name}"))
        .filter(|title| title_px(title) <= WIDEST_TITLE_PX && is_title(title));
    Some(match with_name {
        Some(value) => {
            Derived { value, origin: text("the first h1 and the site's name", "o primeiro h1 e o nome do site") }
        }
        None => Derived { value: fitting(&heading), origin: text("the first h1", "o primeiro h1") },
    })
}

/// What the page calls its site: `og:site_name`, else the name of its `WebSite` node.
fn site_name(html: &Html) -> Option<String> {
    let of_node = || {
        let nodes = html.json_ld.nodes_as_meant();
        let site = nodes.iter().find(|node| types_of(node).any(|kind| kind == "WebSite"))?;
        site.get("name")?.as_str()
    };
    let name = html.social("og:site_name").or_else(of_node).map(collapse)?;
    Some(html.as_meant(&name)).filter(|name| !name.is_empty() && !is_placeholder(name))
}

/// A title cut at a word so that a desktop result shows it whole.
pub(crate) fn fitting(title: &str) -> String {
    // No result holds more letters than pixels; measuring all of a huge text again and again would take for ever.
    let most = title.char_indices().nth(WIDEST_TITLE_PX as usize).map_or(title.len(), |(at, _)| at);
    let mut shown = title.get(..most).unwrap_or_default();
    while title_px(shown) > WIDEST_TITLE_PX {
        shown = match shown.rfind(' ') {
            Some(at) => shown.get(..at).unwrap_or_default(),
            // One word wider than a result: characters go one by one.
            None => shown.char_indices().next_back().and_then(|(at, _)| shown.get(..at)).unwrap_or_default(),
        };
    }
    shown.trim_end_matches([' ', ',', ';', ':', '-']).to_owned()
}

/// A description: the first paragraph of the main content that is long enough, cut at a sentence or word.
pub fn description(html: &Html) -> Option<Derived> {
    let body = html.document.body()?;
    let main = body.descendants().find(|element| element.is("main")).unwrap_or(body);
    let title = html.title().unwrap_or_default().to_lowercase();
    main.descendants()
        .filter(|element| element.is("p") && !element.is_hidden())
        .map(|paragraph| html.as_meant(&paragraph.text()))
        .filter(|text| text.chars().count() >= SHORTEST_PARAGRAPH && !is_placeholder_description(text))
        .map(|text| fitting_description(&text))
        .find(|text| columns(text) >= SHORTEST_DESCRIPTION && text.to_lowercase() != title)
        .map(|value| Derived { value, origin: text_origin() })
}

/// A description cut at a sentence or word so that a result shows it whole.
pub fn fitting_description(text: &str) -> String {
    let mut taken = 0;
    let fits = |character: &char| {
        taken += columns_of(*character);
        taken <= LONGEST_DESCRIPTION
    };
    cut(text, text.chars().take_while(fits).count())
}

const fn text_origin() -> Text {
    text("the first paragraph of the main content", "o primeiro parágrafo do conteúdo principal")
}

/// Cuts at the last sentence end past the middle, else at the last word, so that at most `characters` remain.
pub fn cut(text: &str, characters: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(characters) else { return text.to_owned() };
    let head = text.get(..end).unwrap_or_default();
    let ends =
        [". ", "! ", "? ", "。", "！", "？"].iter().filter_map(|mark| Some(head.rfind(mark)? + mark.trim_end().len()));
    let sentence = ends.max().filter(|at| *at > end / 2);
    let at = sentence.or_else(|| head.rfind(' ')).unwrap_or(end);
    head.get(..at).unwrap_or_default().trim_end_matches([' ', ',', ';', ':', '-']).to_owned()
}

/// Titles that generators leave behind, in lower case; and marks of a template that was not filled.
const PLACEHOLDERS: &str = include_str!("../data/placeholder_titles.txt");

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

/// Descriptions that generators leave behind, in lower case.
const PLACEHOLDER_DESCRIPTIONS: &str = include_str!("../data/placeholder_descriptions.txt");

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
    fn texts_are_cut_at_a_sentence_or_a_word() {
        assert_eq!(cut("One two. Three four five", 12), "One two.");
        assert_eq!(cut("One two three", 9), "One two");
        assert_eq!(cut("short", 9), "short");
        assert_eq!(cut("パン。パンだ。パン屋", 8), "パン。パンだ。");
    }

    #[test]
    fn a_huge_title_is_fitted_too() {
        assert!(title_px(&fitting(&"word ".repeat(100_000))) <= WIDEST_TITLE_PX);
        assert!(title_px(&fitting(&"w".repeat(100_000))) <= WIDEST_TITLE_PX);
        assert_eq!(fitting("short title -"), "short title");
    }

    #[test]
    fn generator_defaults_are_placeholders() {
        for title in ["Untitled", "React App", "Vite + React", "{{ title }}", "Lorem ipsum dolor", "undefined"] {
            assert!(is_placeholder(title), "{title}");
        }
        assert!(!is_placeholder("Homemade bread"));
    }
}
