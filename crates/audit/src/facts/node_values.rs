//! What a page says of itself, as values of a node that it is about: for fixes. Nothing here is invented.

use super::derive::{self, Derived};
use super::document;
use super::jsonld::value::is_date;
use super::known::Facts;
use super::measured_images::large_image;
use super::page::Html;
use model::lang::{Text, text};

const DESCRIPTION: Text = text("the meta description", "a meta description");
const ADDRESS: Text = text("the page's own address", "o endereço da própria página");
const IMAGE: Text = text("og:image", "og:image");
const LARGE_IMAGE: Text = text("the first large image of the content", "a primeira imagem grande do conteúdo");
const PUBLISHED: Text = text("article:published_time", "article:published_time");
const MODIFIED: Text = text("article:modified_time", "article:modified_time");
const TIME: Text = text("the first time element", "o primeiro elemento time");
const AUTHOR: Text = text("the meta author", "a meta author");
const BRAND: Text = text("product:brand", "product:brand");
const AMOUNT: Text = text("product:price:amount", "product:price:amount");
const CURRENCY: Text = text("product:price:currency", "product:price:currency");

/// The value of a property, or of a path, where the page states it; as the document was read, so that what it is put
/// into passes [`Html::as_meant`] as a whole.
pub(crate) fn value(facts: &Facts<'_>, html: &Html, path: &str) -> Option<Derived> {
    stated(facts, html, path).or_else(|| {
        let is_date = matches!(path, "datePublished" | "datePosted" | "uploadDate");
        let time = || html.document.elements().find(|element| element.is("time"))?.attribute("datetime");
        let date = is_date.then(time).flatten()?.trim().to_owned();
        Some(Derived { value: date, origin: TIME }).filter(|date| self::is_date(&date.value))
    })
}

/// The same without guesses: a time element may be of anything.
pub(crate) fn stated(facts: &Facts<'_>, html: &Html, path: &str) -> Option<Derived> {
    let found = |value: String, origin: Text| Some(Derived { value, origin });
    match path {
        "name" | "title" | "headline" => derive::page_name(html),
        "description" => match filled(html.meta("description")) {
            Some(description) => found(description, DESCRIPTION),
            // What the tag that the page lacks is made of.
            None => derive::description(html).filter(|_| !html.unlabelled_utf8),
        },
        "url" => Some(Derived { value: facts.own_url().ok()?.into(), origin: ADDRESS }),
        "image" | "thumbnailUrl" => {
            let Some(image) = html.social("og:image") else {
                return Some(Derived { value: large_image(facts, html)?, origin: LARGE_IMAGE });
            };
            let image = html.resolve(image).filter(|image| matches!(image.scheme(), "http" | "https"))?;
            Some(Derived { value: image.into(), origin: IMAGE })
        }
        "datePublished" | "datePosted" | "uploadDate" => {
            let date = html.social("article:published_time")?.trim();
            found(date.to_owned(), PUBLISHED).filter(|date| is_date(&date.value))
        }
        "dateModified" => {
            let date = html.social("article:modified_time")?.trim();
            found(date.to_owned(), MODIFIED).filter(|date| is_date(&date.value))
        }
        "author.name" => found(filled(html.meta("author"))?, AUTHOR).filter(|name| !name.value.contains("://")),
        "brand.name" => found(filled(html.social("product:brand"))?, BRAND),
        "price" => found(filled(html.social("product:price:amount"))?, AMOUNT),
        "priceCurrency" => found(filled(html.social("product:price:currency"))?, CURRENCY),
        _ => None,
    }
}

/// A text that a tag states, unless a generator left it there.
fn filled(text: Option<&str>) -> Option<String> {
    text.map(document::collapse).filter(|text| !text.is_empty() && !derive::is_placeholder(text))
}
