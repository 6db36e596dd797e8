//! Whether a page that answers 200 says of itself that it does not exist.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use model::capture::{Fetched, WantKind};

use super::challenge;
use super::charset;
use super::content_type;
use super::document::{Document, Element, NodeId, collapse};
use super::known::Facts;
use super::page_language;
use super::text::VisibleText;

/// Phrases by language, with source and date in the file.
static PHRASES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = include_str!("../data/not_found_titles.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).collect()
});
/// Words from which a page is more than a notice, whatever its title says.
pub const MOST_WORDS: usize = 200;
/// Words by which a page may differ from the one for a missing address: that address repeated, a time, a request number.
pub const MOST_DIFFERENT: usize = 5;
/// Words below which two pages are alike by chance.
pub const FEWEST_WORDS: usize = 5;
/// Words of a notice that carry none of its sense.
const FILLERS: [&str; 11] =
    ["404", "error", "erro", "errore", "fehler", "erreur", "http", "oops", "ops", "ups", "sorry"];

/// Why a page counts as missing.
#[derive(Debug)]
pub enum MissingSign {
    /// Its title or first heading says so.
    Says {
        /// The words, as on the page.
        text: String,
        /// Where.
        node: NodeId,
    },
    /// It is the page that a random missing address gets.
    SameAsMissing,
}

/// Whether there are phrases in a language.
pub fn is_known_language(language: &str) -> bool {
    phrases(primary(language)).next().is_some()
}

fn primary(language: &str) -> &str {
    match language.split('-').next().unwrap_or_default() {
        "nb" | "nn" => "no",
        primary => primary,
    }
}

fn phrases(language: &str) -> impl Iterator<Item = &'static str> {
    PHRASES.iter().filter(move |(of, _)| *of == language).map(|(_, phrase)| *phrase)
}

/// By its words: those of the page's language, and of English, which error pages speak everywhere.
pub fn by_words(facts: &Facts<'_>) -> Option<MissingSign> {
    let html = facts.markup().filter(|html| html.text.words < MOST_WORDS)?;
    let language = page_language::read(facts).unwrap_or_default();
    let title = html.titles.first();
    let heading = html.headings.iter().find(|(level, _)| *level == 1).map(|(_, id)| id);
    [title, heading].into_iter().flatten().filter_map(|id| html.element(*id)).find_map(|element| {
        let text = element.text();
        says_missing(&text, primary(&language)).then(|| MissingSign::Says { text, node: element.id() })
    })
}

/// Whether a part of a title is such a phrase. Parts are set off by the marks between a page's name and its site's.
fn says_missing(text: &str, language: &str) -> bool {
    const MARKS: [&str; 9] = [" | ", " - ", " – ", " — ", " · ", " • ", " » ", " :: ", ": "];
    /// Longer titles are no notices.
    const LONGEST: usize = 300;
    if text.len() > LONGEST {
        return false;
    }
    let mut parts = vec![text];
    for mark in MARKS {
        parts = parts.into_iter().flat_map(|part| part.split(mark)).collect();
    }
    parts.into_iter().any(|part| {
        let plain = plain(part);
        phrases(language).chain(phrases("en")).any(|phrase| phrase == plain)
    })
}

/// Words in lower case without fillers.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty() && !FILLERS.contains(word));
    words.collect::<Vec<_>>().join(" ")
}

/// By comparison with the answer to a random missing address; `None` too where there is nothing to compare.
pub fn by_comparison(facts: &Facts<'_>) -> Option<MissingSign> {
    let html = facts.markup()?;
    let url = facts.url().ok()?;
    // The start page may be what a site answers to everything.
    if url.path() == "/" && url.query().is_none() || html.text.words < FEWEST_WORDS || facts.shell().is_some() {
        return None;
    }
    let probe = facts.capture.extras.iter().find(|extra| extra.want.kind == WantKind::NotFound)?;
    let Fetched::Response(exchange) = &probe.fetched else { return None };
    let is_answer = matches!(exchange.status, 200 | 404 | 410) && exchange.hops.is_empty();
    if !is_answer || exchange.body.cut.is_some() {
        return None;
    }
    let own_title = html.title().filter(|title| !title.is_empty())?;
    // Most error pages have a title of their own, and need no parsing to be told apart.
    let written = challenge::title(&exchange.body.bytes)?;
    if !written.contains(&b'&') && collapse(&String::from_utf8_lossy(written)) != own_title {
        return None;
    }
    let charset = charset::decide(&exchange.body.bytes, content_type::declared(exchange).as_deref());
    let missing = Document::parse(charset.decode(&exchange.body.bytes).into_owned());
    let title = missing.elements().find(|element| element.is("title")).map(Element::text);
    let same_title = title.is_some_and(|title| title == own_title);
    (same_title && are_alike(&html.text.text, &VisibleText::read(&missing).text)).then_some(MissingSign::SameAsMissing)
}

/// Whether two texts have the same words but for a few.
fn are_alike(a: &str, b: &str) -> bool {
    let mut counts: BTreeMap<&str, isize> = BTreeMap::new();
    a.split_whitespace().for_each(|word| *counts.entry(word).or_default() += 1);
    b.split_whitespace().for_each(|word| *counts.entry(word).or_default() -= 1);
    let more = |sign: isize| counts.values().map(|count| count * sign).filter(|count| *count > 0).sum::<isize>();
    let most = isize::try_from(MOST_DIFFERENT).unwrap_or(isize::MAX);
    more(1) <= most && more(-1) <= most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_title_is_the_whole_phrase() {
        for (title, language) in [
            ("404 Not Found", "de"),
            ("Error 404 (Not Found)!!", ""),
            ("Oops! Page not found | The Mill", "en"),
            ("This page can’t be found.", "en"),
            ("Página não encontrada – Padaria", "pt"),
            ("The Mill: ページが見つかりません", "ja"),
        ] {
            assert!(says_missing(title, language), "{title}");
        }
        for (title, language) in [
            ("How to fix 404 Not Found in nginx", "en"),
            ("Lost and not found", "en"),
            ("404", "en"),
            ("Peugeot 404", "fr"),
            ("Página não encontrada", "de"),
            ("", "en"),
        ] {
            assert!(!says_missing(title, language), "{title}");
        }
    }

    #[test]
    fn a_few_other_words_are_the_same_page() {
        assert!(are_alike("nothing at /a here 12:00", "nothing at /b here 12:01"));
        assert!(!are_alike("a b c d e f g", "t u v w x y z"));
    }
}
