//! What the page says about itself, settled once for all fixes: each value with its source and how certain it is.
//!
//! Evidence in order: tags meant for the value, structured data, social tags, then what the page shows. A value below
//! `Confidence::High` is offered as a draft and enters no ready change.

pub(crate) mod author;
pub(crate) mod breadcrumb;
pub(crate) mod content;
pub(crate) mod dates;
pub(crate) mod description;
pub(crate) mod headline;
pub(crate) mod image;
pub(crate) mod page_type;
pub(crate) mod site_name;
pub(crate) mod subject;
pub(crate) mod title;

use std::collections::BTreeMap;

use model::summary::ResolvedValue;

use super::document::{Document, collapse};
pub(crate) use super::evidence::{EvidenceSource, Resolved};
use super::known::Facts;
use super::page::Html;

/// The most certain of several values, the first of equals.
fn best(candidates: impl IntoIterator<Item = Resolved>) -> Option<Resolved> {
    let mut best: Option<Resolved> = None;
    for candidate in candidates {
        if candidate.is_ready() {
            return Some(candidate);
        }
        if best.as_ref().is_none_or(|known| candidate.confidence > known.confidence) {
            best = Some(candidate);
        }
    }
    best
}

/// What the report tells of the values: name, value, source and confidence.
pub(crate) fn summary(facts: &Facts<'_>, html: &Html) -> BTreeMap<String, ResolvedValue> {
    let all = [
        ("title", title::of_page(html)),
        ("headline", html.headline().cloned()),
        ("description", html.description().cloned()),
        ("image", image::of_page(facts, html).map(|image| image.resolved)),
        ("author", author::of_page(html)),
        ("datePublished", dates::published(html)),
        ("dateModified", dates::modified(html)),
        ("type", Some(html.page_type().clone())),
        ("siteName", html.site_name().cloned()),
        ("breadcrumb", breadcrumb::of_page(facts, html).map(|trail| trail.summary())),
    ];
    let told = all.into_iter().filter_map(|(name, resolved)| {
        let Resolved { value, source, confidence } = resolved?;
        let value = value.chars().take(MOST_TOLD).collect();
        Some((name.to_owned(), ResolvedValue { value, source: source.word().to_owned(), confidence }))
    });
    told.collect()
}

/// Characters that the report tells of a value: what a page may say of itself has no limit, a report has one.
const MOST_TOLD: usize = 500;

/// What a tag of a key says, as it was meant: also where its value stands in `value` in place of `content`.
fn stated(html: &Html, key: &str) -> Option<String> {
    let sound = html.social(key).or_else(|| html.meta(key));
    let misspelt = || {
        let (meta, _) = html.misspelt_metas().find(|(_, known)| *known == key)?;
        meta.misspelt_content.as_deref()
    };
    sound.or_else(misspelt).map(|text| html.as_meant(&collapse(text)))
}

/// Text of data as a reader would see it: markup and character references in it resolved, white space collapsed.
fn plain(text: &str) -> String {
    /// Bytes of a text that is read as markup: what is longer is no title or description.
    const LONGEST: usize = 8 * 1024;
    let has_markup = text.contains('<') || text.contains('&') && text.contains(';');
    if !has_markup || text.len() > LONGEST {
        return collapse(text);
    }
    // Twice escaped ones too, as templates leave them.
    let once = Document::parse(text.to_owned());
    let read =
        |document: &Document| document.body().map(|body| body.read_text(super::text::is_seen)).unwrap_or_default();
    let text = read(&once);
    if text.contains('&') && text.contains(';') { read(&Document::parse(text)) } else { text }
}

/// Letters and digits in lower case: what two writings of one name have in common.
pub(crate) fn bare(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            'a'..='z' | '0'..='9' => bare.push(character),
            'A'..='Z' => bare.push(character.to_ascii_lowercase()),
            other if !other.is_ascii() && other.is_alphanumeric() => bare.extend(other.to_lowercase()),
            _ => {}
        }
    }
    bare
}

#[cfg(test)]
pub(in crate::facts) mod testing {
    use model::capture::Capture;

    use crate::example;
    use crate::facts::page::Html;
    use crate::facts::walk::Page;

    /// The document of a page of `https://example.com/page`.
    pub(crate) fn html(source: &str) -> Html {
        at("https://example.com/page", source)
    }

    /// The document of a page at an address.
    pub(crate) fn at(url: &str, source: &str) -> Html {
        let capture: Capture = example::page(url, source);
        Page::read(&capture).html.unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_data_is_read_as_a_reader_would() {
        for (text, expected) in [
            ("Rye &amp; wheat", "Rye & wheat"),
            ("Baker&#8217;s  rye", "Baker’s rye"),
            ("Rye &amp;#8211; wheat", "Rye – wheat"),
            ("<p>Rye<br>bread</p>", "Rye bread"),
            ("1 < 2 & 3", "1 < 2 & 3"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn the_most_certain_value_wins_and_the_first_of_equals() {
        let [low, medium, other] = [
            Resolved::low("a", EvidenceSource::H1),
            Resolved::medium("b", EvidenceSource::H1),
            Resolved::medium("c", EvidenceSource::H1),
        ];
        let high = Resolved::high("d", EvidenceSource::H1);
        assert_eq!(best([low.clone(), medium.clone(), other.clone()]), Some(medium.clone()));
        assert_eq!(best([low, medium, high.clone(), other]), Some(high));
        assert_eq!(best([]), None);
    }
}
