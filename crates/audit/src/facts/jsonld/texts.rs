//! Texts of structured data that hold more than they should say: character references of HTML, words of a by-line.

use crate::facts::document::Document;

/// Times that a text is unescaped: what a template escaped, a plugin escaped again.
const MOST_ROUNDS: usize = 3;
/// Characters of a reference at most: the longest name that HTML has is 33 with its signs.
const LONGEST_REFERENCE: usize = 40;
/// Signs of one text that are looked at: each costs a small document.
const MOST_SIGNS: usize = 50;

/// The character references of a text that end in `;`, as browsers must read them: each with its place and what it stands
/// for.
fn references(text: &str) -> impl Iterator<Item = (usize, &str, String)> {
    text.match_indices('&').take(MOST_SIGNS).filter_map(|(at, _)| {
        let rest = text.get(at..)?;
        let end = rest.bytes().take(LONGEST_REFERENCE).position(|byte| byte == b';')?;
        let written = rest.get(..=end)?;
        let is_name = written.bytes().skip(1).take(end - 1).all(|byte| byte.is_ascii_alphanumeric() || byte == b'#');
        let meant = Some(decoded(written)).filter(|meant| is_name && meant != written && !meant.ends_with(';'))?;
        Some((at, written, meant))
    })
}

/// The first character reference of a text, as written: `&#8217;`, `&amp;`.
pub(crate) fn reference(text: &str) -> Option<&str> {
    references(text).next().map(|(_, written, _)| written)
}

/// A text without references, where it has some; `None` for one that is markup then, which may be meant, or has too many.
pub(crate) fn unescaped(text: &str) -> Option<String> {
    let mut plain = text.to_owned();
    for _ in 0..MOST_ROUNDS {
        let mut next = String::with_capacity(plain.len());
        let mut end = 0;
        for (at, written, meant) in references(&plain) {
            next.push_str(plain.get(end..at)?);
            next.push_str(&meant);
            end = at + written.len();
        }
        next.push_str(plain.get(end..)?);
        plain = next;
    }
    (plain != text && !plain.contains('<') && reference(&plain).is_none()).then_some(plain)
}

/// What a reference stands for in HTML.
fn decoded(reference: &str) -> String {
    let document = Document::parse(format!("<body><p>{reference}"));
    document.elements().find(|element| element.is("p")).map_or_else(String::new, |paragraph| paragraph.raw_text())
}

/// Words that introduce an author, in lower case, and how many words of a name must follow at least: `von` and the like
/// are parts of names too.
const INTRODUCTIONS: [(&str, usize); 13] = [
    ("posted by", 1),
    ("written by", 1),
    ("story by", 1),
    ("by", 1),
    ("author", 1),
    ("text von", 1),
    ("von", 2),
    ("autor", 1),
    ("escrito por", 1),
    ("publicado por", 1),
    ("por", 2),
    ("par", 2),
    ("door", 2),
];

/// The name behind the words of a by-line; `None` for a text that is a name alone.
pub(crate) fn without_byline(text: &str) -> Option<&str> {
    let text = text.trim();
    INTRODUCTIONS.iter().find_map(|(words, least)| {
        let (start, rest) = text.split_at_checked(words.len())?;
        let is_parted = rest.starts_with(|c: char| c == ':' || c.is_whitespace());
        let name = rest.trim_start_matches(|c: char| c == ':' || c.is_whitespace());
        // Without a colon `author` and `autor` may be parts of a name.
        let is_label = !words.starts_with("aut") || rest.starts_with(':');
        let is_name = name.split_whitespace().count() >= *least && name.starts_with(|c: char| !c.is_lowercase());
        (start.eq_ignore_ascii_case(words) && is_parted && is_label && is_name).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_however_often_they_were_escaped() {
        for (text, expected) in [
            ("The baker&#8217;s rye", Some("The baker’s rye")),
            ("Salt &amp; flour", Some("Salt & flour")),
            ("Salt &amp;amp; flour", Some("Salt & flour")),
            ("https://e.com/?a=1&amp;b=2", Some("https://e.com/?a=1&b=2")),
            ("Caf&eacute; ", Some("Café ")),
            ("https://e.com/?a=1&amp;copy=2", Some("https://e.com/?a=1&copy=2")),
            ("https://e.com/?a=1&copy=2;", None),
            ("Salt & flour; bread", None),
            ("Q&A", None),
            ("a&nothing;b", None),
            ("&lt;b&gt;Rye&lt;/b&gt;", None),
            ("", None),
        ] {
            assert_eq!(unescaped(text).as_deref(), expected, "{text}");
        }
        assert_eq!(reference("Salt &amp; flour &#8217;"), Some("&amp;"));
        assert_eq!(reference("Salt & flour; Q&A"), None);
    }

    #[test]
    fn a_by_line_is_told_from_a_name() {
        for (text, name) in [
            ("By Ann Baker", Some("Ann Baker")),
            ("by Ann", Some("Ann")),
            ("Written by: Ann Baker", Some("Ann Baker")),
            ("von Max Müller", Some("Max Müller")),
            ("Por Ana Lima", Some("Ana Lima")),
            ("Autor: Ana Lima", Some("Ana Lima")),
            ("Byron Baker", None),
            ("von Hayek", None),
            ("Von Miller", None),
            ("von der Leyen", None),
            ("Author Unknown", None),
            ("By", None),
            ("Ann Baker", None),
        ] {
            assert_eq!(without_byline(text), name, "{text}");
        }
    }
}
