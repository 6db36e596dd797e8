//! Who wrote the page: a person, by name.

use super::site_name::is_site_name;
use super::{EvidenceSource, Resolved, bare, best, stated};
use crate::facts::document::Element;
use crate::facts::evidence::DataSubject;
use crate::facts::page::Html;
use crate::facts::placeholders::is_placeholder;
use crate::facts::text::is_seen;

/// Characters of a name; a longer text is none.
const LONGEST: usize = 80;
/// Words of a name.
const MOST_WORDS: usize = 6;
/// What by-lines begin with, in lower case.
const LEAD_INS: [&str; 11] = [
    "by ",
    "written by ",
    "posted by ",
    "author: ",
    "von ",
    "por ",
    "autor: ",
    "autora: ",
    "escrito por ",
    "par ",
    "door ",
];
/// Accounts that stand for nobody.
const ACCOUNTS: [&str; 10] =
    ["admin", "administrator", "administrador", "webmaster", "editor", "root", "user", "guest", "staff", "redação"];

/// The author's name: of structured data or of the tags meant for it, else of a by-line.
pub(crate) fn of_page(html: &Html) -> Option<Resolved> {
    let subject = html.subject();
    // One of several would leave the others out.
    let of_data = || subject.authors.first().filter(|_| subject.authors.len() == 1).and_then(|name| person(html, name));
    let tag = |key: &str| person(html, &stated(html, key)?);
    let candidates: [&dyn Fn() -> Option<Resolved>; 5] = [
        &|| Some(Resolved::high(of_data()?, DataSubject::SOURCE)),
        &|| Some(Resolved::high(tag("author")?, EvidenceSource::MetaAuthor)),
        &|| Some(Resolved::high(tag("article:author")?, EvidenceSource::AuthorTag)),
        &|| Some(Resolved::medium(by_line(html)?, EvidenceSource::ByLine)),
        &|| Some(Resolved::medium(author_link(html)?, EvidenceSource::AuthorLink)),
    ];
    best(candidates.into_iter().filter_map(|candidate| candidate()))
}

/// A text as the name of a person, without what by-lines begin with; `None` for an address, an account, or the site.
fn person(html: &Html, text: &str) -> Option<String> {
    let mut name = text.trim();
    while let Some(lead_in) =
        LEAD_INS.iter().find(|lead_in| name.get(..lead_in.len()).is_some_and(|start| start.to_lowercase() == **lead_in))
    {
        name = name.get(lead_in.len()..).unwrap_or_default().trim_start();
    }
    let is_name = !name.is_empty()
        && name.chars().count() <= LONGEST
        && name.split_whitespace().count() <= MOST_WORDS
        && !name.contains(['@', '/', '|', ';', ':', '<'])
        && !name.contains("www.")
        && !name.chars().any(|c| c.is_ascii_digit())
        && name.chars().next().is_some_and(|first| !first.is_lowercase())
        && !ACCOUNTS.contains(&name.to_lowercase().as_str())
        && !is_placeholder(name)
        && !is_site_name(html, name);
    is_name.then(|| name.to_owned())
}

fn by_line(html: &Html) -> Option<String> {
    const CLASSES: [&str; 6] = ["byline", "author-name", "author", "p-author", "entry-author", "post-author"];
    let content = html.content()?;
    let is_by_line = |element: &Element<'_>| {
        let class = element.attribute("class").unwrap_or_default();
        class.split_ascii_whitespace().any(|class| CLASSES.iter().any(|known| class.eq_ignore_ascii_case(known)))
    };
    let found = || content.descendants().filter(is_by_line).map(Element::id).collect();
    let by_lines = html.resolved.of_body.by_lines.get_or_init(found);
    let mut names = html.elements(by_lines).filter_map(|element| person(html, &text(html, element)));
    let first = names.next()?;
    // Comments have authors too.
    names.all(|other| bare(&other).contains(&bare(&first)) || bare(&first).contains(&bare(&other))).then_some(first)
}

fn author_link(html: &Html) -> Option<String> {
    let links = html.anchors.iter().filter_map(|anchor| html.element(anchor.node));
    let mut links = links.filter(|link| link.has_token("rel", "author"));
    let first = person(html, &text(html, links.next()?))?;
    links.all(|link| text(html, link) == first).then_some(first)
}

/// Text of an element, as far as a name may reach. By-lines in one another would each be read whole.
fn text(html: &Html, element: Element<'_>) -> String {
    /// Bytes of text and nodes that are read, white space among them.
    const MOST_READ: usize = 4 * 1024;
    html.as_meant(&element.read_start(is_seen, MOST_READ))
}

#[cfg(test)]
mod tests {
    use super::super::testing::html;
    use super::*;

    fn author(source: &str) -> Option<(String, EvidenceSource, bool)> {
        of_page(&html(source)).map(|name| (name.value.clone(), name.source, name.is_ready()))
    }

    #[test]
    fn names_lose_what_by_lines_begin_with() {
        let meta = |name: &str| author(&format!("<meta name=author content='{name}'>")).map(|(name, ..)| name);
        for (text, expected) in [
            ("Ana Moinho", Some("Ana Moinho")),
            ("By Ana Moinho", Some("Ana Moinho")),
            ("von Ana Moinho", Some("Ana Moinho")),
            ("Por Ana Moinho", Some("Ana Moinho")),
            ("admin", None),
            ("ana@example.com", None),
            ("https://example.com/ana", None),
            ("Example", None),
            ("User 17", None),
        ] {
            assert_eq!(meta(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_by_line_is_a_draft_and_that_of_a_comment_none() {
        let of = |rest: &str| author(&format!("<main><span class=author>Ana Moinho</span>{rest}</main>"));
        assert_eq!(of(""), Some(("Ana Moinho".to_owned(), EvidenceSource::ByLine, false)));
        assert_eq!(of("<span class=author>Rui Forno</span>"), None);
        let several =
            "<script type=application/ld+json>{\"@type\":\"Article\",\"author\":[\"Ana A\",\"Rui B\"]}</script>";
        assert_eq!(author(several), None);
    }
}
