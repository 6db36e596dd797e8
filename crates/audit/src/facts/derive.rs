//! Values for fixes, taken from what the page holds. Nothing here is invented: each value occurs on the page.

use std::collections::BTreeSet;

use model::lang::{Text, text};

use super::document::{Element, collapse, collapse_into};
use super::font_metrics::{columns, columns_of, title_px};
use super::jsonld::types_of;
use super::listed::AROUND;
use super::page::Html;
use super::text::is_seen;
use super::visibility::hides;
use super::words::{parts, repetition, words};

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
    /// Its source in words, for the field `fonte` of a fix.
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

/// What the page calls its content: the first h1, unless the title says something else, as where it is the site's slogan;
/// then the social title, then the title. As the document was read.
pub fn page_name(html: &Html) -> Option<Derived> {
    const HEADING: Text = text("the first h1", "o primeiro h1");
    const LOWER: Text = text("the heading that the title repeats", "o título de seção que o title repete");
    const SOCIAL: Text = text("the page's og:title", "o og:title da página");
    const TITLE: Text = text("the page's title, without the site's name", "o título da página, sem o nome do site");
    let usable = |text: &String| !text.is_empty() && !is_placeholder(text);
    let title = html.title().filter(usable);
    let social = html.social("og:title").map(str::to_owned).filter(usable);
    let title_words: BTreeSet<String> = title.iter().chain(&social).flat_map(|text| words(text)).collect();
    let heading = html.h1_texts().into_iter().find(usable);
    let is_of_page = |heading: &String| {
        let of_heading: Vec<String> = words(heading).collect();
        title_words.is_empty()
            || of_heading.iter().filter(|word| title_words.contains(*word)).count() * 2 >= of_heading.len()
    };
    let named = |value: String, origin: Text| Some(Derived { value: cut(&value, LONGEST_HEADLINE), origin });
    if let Some(heading) = heading.clone().filter(is_of_page) {
        return named(heading, HEADING);
    }
    // On a site whose h1 is its slogan the page's name is a lower heading, and its title repeats it.
    let lower = title.as_deref().and_then(|title| {
        let parts: BTreeSet<&str> = parts(title).into_iter().map(|(_, part)| part).collect();
        let texts = html.headings.iter().filter(|(level, _)| *level > 1).filter_map(|(_, id)| html.element(*id));
        texts.map(Element::text).find(|text| usable(text) && parts.contains(text.as_str()))
    });
    if let Some(lower) = lower {
        return named(lower, LOWER);
    }
    match (social, title, heading) {
        (Some(social), ..) => named(without_site_name(&social, html), SOCIAL),
        (None, Some(title), _) => named(without_site_name(&title, html), TITLE),
        (None, None, heading) => named(heading?, HEADING),
    }
}

/// A title without the site's name at its end and the separator before it; a name that is a domain (`Bread.com`) may stand
/// there without its end.
pub(crate) fn without_site_name(title: &str, html: &Html) -> String {
    const SEPARATORS: [char; 7] = [' ', '-', '|', '–', '—', '·', ':'];
    let Some(name) = site_name(html) else { return title.to_owned() };
    let label = name.rsplit_once('.').map(|(label, _)| label).filter(|label| !label.contains(char::is_whitespace));
    let is_parted = |rest: &&str| rest.ends_with(SEPARATORS);
    let of_label = || title.strip_suffix(label.filter(|label| !label.is_empty())?).filter(is_parted);
    let rest = title.strip_suffix(name.as_str()).or_else(of_label).map(|rest| rest.trim_end_matches(SEPARATORS));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(title).to_owned()
}

/// What the page calls its site: `og:site_name`, else the name of its `WebSite` node.
pub(crate) fn site_name(html: &Html) -> Option<String> {
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

/// A description: what the page tells networks of itself, else its first paragraph.
pub fn description(html: &Html) -> Option<Derived> {
    const SOCIAL: [(&str, Text); 2] = [
        ("og:description", text("the page's og:description", "a og:description da página")),
        ("twitter:description", text("the page's twitter:description", "a twitter:description da página")),
    ];
    let social = SOCIAL.into_iter().find_map(|(key, origin)| {
        let value = describing(html, &without_half_word(&html.as_meant(html.social(key)?)))?;
        Some(Derived { value, origin })
    });
    social.or_else(|| first_paragraph(html))
}

/// A text that was cut by its length, up to its last sentence or whole word.
fn without_half_word(text: &str) -> String {
    let Some(cut) = ["...", "…"].into_iter().find_map(|sign| text.strip_suffix(sign)) else { return text.to_owned() };
    if let Some(sentences) = last_sentence(cut, SHORTEST_DESCRIPTION).and_then(|end| cut.get(..end)) {
        return sentences.to_owned();
    }
    let words = cut.rfind(' ').and_then(|at| cut.get(..at)).unwrap_or(cut);
    format!("{}…", words.trim_end_matches([' ', ',', ';', ':', '-']))
}

/// The first paragraph of the main content that is long enough, cut at a sentence or word.
pub fn first_paragraph(html: &Html) -> Option<Derived> {
    let body = html.document.body()?;
    let main = body.descendants().find(|element| element.is("main") || element.has_token("role", "main"));
    let mut articles = body.descendants().filter(|element| element.is("article"));
    let only_article = articles.next().filter(|_| articles.next().is_none());
    let content = main.or(only_article).unwrap_or(body);
    // What every page of a site has says nothing of this one.
    let is_aside = |paragraph: Element<'_>| {
        let around = paragraph.ancestors().take_while(|element| *element != content);
        hides(paragraph)
            || around.into_iter().any(|element| hides(element) || AROUND.iter().any(|name| element.is(name)))
    };
    content
        .descendants()
        .filter(|element| element.is("p") && !element.is_hidden() && !is_aside(*element))
        .filter(|paragraph| !is_of_links(*paragraph))
        .find_map(|paragraph| describing(html, whole_sentences(&html.as_meant(&shown_text(paragraph)))))
        .map(|value| Derived { value, origin: text_origin() })
}

/// Text of an element, collapsed, without scripts, styles and what is hidden in it.
fn shown_text(element: Element<'_>) -> String {
    let mut out = String::new();
    collapse_into(element.texts_where(|below| is_seen(below) && !hides(below)), &mut out);
    out
}

/// Whether half of a paragraph or more is links: a trail or a menu.
fn is_of_links(paragraph: Element<'_>) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let of_links: usize =
        paragraph.descendants().filter(|below| below.is("a")).map(|link| letters(&shown_text(link))).sum();
    of_links * 2 >= letters(&shown_text(paragraph))
}

/// A text as a description, where it can be one: of words rather than numbers and signs.
fn describing(html: &Html, text: &str) -> Option<String> {
    let text = &without_visible_markup(text);
    let title = html.title().unwrap_or_default().to_lowercase();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let is_prose = letters * 2 >= text.chars().filter(|c| !c.is_whitespace()).count();
    let is_long = text.chars().count() >= SHORTEST_PARAGRAPH && !is_placeholder_description(text);
    let fitting = (is_long && is_prose).then(|| fitting_description(text))?;
    (columns(&fitting) >= SHORTEST_DESCRIPTION && fitting.to_lowercase() != title).then_some(fitting)
}

/// A paragraph without a last sentence that leads on to what stands behind it, such as a list or a formula.
fn whole_sentences(text: &str) -> &str {
    let is_ended = text.ends_with(|last: char| !last.is_alphanumeric() && !matches!(last, ':' | ',' | ';'));
    let end = last_sentence(text, SHORTEST_DESCRIPTION).filter(|_| !is_ended);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Where the last sentence of a text ends that is followed by more; `None` where fewer than `least` columns remain.
fn last_sentence(text: &str, least: usize) -> Option<usize> {
    let ends = [". ", "! ", "? ", "。", "！", "？"].iter().flat_map(|mark| {
        text.match_indices(mark).filter(|(at, mark)| {
            // "Dr." and "e.g." end no sentence.
            let word = text.get(..*at).unwrap_or_default().rsplit(' ').next().unwrap_or_default();
            *mark != ". " || word.chars().count() > 2 && !word.contains('.')
        })
    });
    let end = ends.map(|(at, mark)| at + mark.trim_end().len()).max()?;
    text.get(..end).filter(|whole| columns(whole) >= least).map(str::len)
}

/// A description cut at a sentence or word so that a result shows it whole. `…` stands for what a sentence lacks.
pub fn fitting_description(text: &str) -> String {
    if columns(text) <= LONGEST_DESCRIPTION {
        return text.to_owned();
    }
    let mut taken = columns_of('…');
    let fits = |character: &char| {
        taken += columns_of(*character);
        taken <= LONGEST_DESCRIPTION
    };
    let end: usize = text.chars().take_while(fits).map(char::len_utf8).sum();
    let head = text.get(..end).unwrap_or_default();
    if let Some(sentence) = last_sentence(head, LONGEST_DESCRIPTION / 2).and_then(|end| head.get(..end)) {
        return sentence.to_owned();
    }
    // Scripts without spaces between words may be cut anywhere.
    let at = head.rfind(' ').filter(|at| *at > end / 2).unwrap_or(end);
    let words = head.get(..at).unwrap_or_default().trim_end_matches([' ', ',', ';', ':', '-']);
    format!("{words}…")
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
    fn a_description_is_whole_sentences_where_it_can_be() {
        let long = "I bake with rye flour and nothing else, as my mother did, who had it from hers. I have an oven that she built of clay and straw, and a mill on the river that grinds.";
        assert_eq!(
            fitting_description(long),
            "I bake with rye flour and nothing else, as my mother did, who had it from hers."
        );
        let one = "A loaf of rye that has been baked in a wood-fired oven for three hours and then left to rest under a linen cloth until the crumb has set and the crust sings, which takes";
        let shown = fitting_description(one);
        assert_eq!(
            shown,
            "A loaf of rye that has been baked in a wood-fired oven for three hours and then left to rest under a linen cloth until the crumb has set and the crust…"
        );
        assert_eq!(fitting_description(&shown), shown);
        assert_eq!(
            last_sentence("A loaf of rye that has been baked for an hour by Dr. Roggen himself", SHORTEST_DESCRIPTION),
            None
        );
        assert_eq!(fitting_description("Short, and whole"), "Short, and whole");
        assert!(columns(&fitting_description(&"パン".repeat(100))) <= LONGEST_DESCRIPTION);
        assert_eq!(
            whole_sentences("The crust is done when it sounds hollow on the underside. This expression"),
            "The crust is done when it sounds hollow on the underside."
        );
        assert_eq!(whole_sentences("It sounds hollow. Then it is done"), "It sounds hollow. Then it is done");
    }

    #[test]
    fn what_was_cut_within_a_word_loses_the_word() {
        for (text, expected) in [
            ("Rye flour and water rest for a night. In the morn...", "Rye flour and water rest for a night. In the…"),
            (
                "Rye flour and water rest for a night, and the dough is kneaded. In the morn…",
                "Rye flour and water rest for a night, and the dough is kneaded.",
            ),
            ("Rye flour and water", "Rye flour and water"),
        ] {
            assert_eq!(without_half_word(text), expected);
        }
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
