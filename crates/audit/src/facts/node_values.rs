//! What a page says of itself, as values of a node that it is about: for fixes. Nothing here is invented.

use super::document;
use super::known::Facts;
use super::page::Html;
use super::placeholders::is_placeholder;
use super::resolved::{EvidenceSource, Resolved, author, dates, image};

/// The value of a property, or of a path, where the page says it, however certain it is.
pub(crate) fn value(facts: &Facts<'_>, html: &Html, path: &str) -> Option<Resolved> {
    match path {
        "name" | "title" | "headline" => html.headline().cloned(),
        "description" => html.description().cloned(),
        "url" => Some(Resolved::high(facts.own_url().ok()?, EvidenceSource::OwnAddress)),
        "image" | "thumbnailUrl" => image::of_page(facts, html).map(|image| image.resolved),
        "datePublished" | "datePosted" | "uploadDate" => dates::published(html),
        "dateModified" => dates::modified(html),
        "author.name" => author::of_page(html),
        "brand.name" => product(html, "product:brand"),
        "price" => product(html, "product:price:amount"),
        "priceCurrency" => product(html, "product:price:currency"),
        _ => None,
    }
}

/// The same where it is certain.
pub(crate) fn stated(facts: &Facts<'_>, html: &Html, path: &str) -> Option<Resolved> {
    value(facts, html, path).filter(Resolved::is_ready)
}

/// What a tag of a product states, unless a generator left it there.
fn product(html: &Html, key: &str) -> Option<Resolved> {
    let value = html.as_meant(&document::collapse(html.social(key)?));
    (!value.is_empty() && !is_placeholder(&value)).then(|| Resolved::high(value, EvidenceSource::ProductTag))
}
