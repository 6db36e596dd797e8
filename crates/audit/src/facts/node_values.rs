//! What a page says of itself, as values of a node that it is about: for fixes. Nothing here is invented.

use super::derive::{self, Derived};
use super::jsonld::value::is_date;
use super::page::Html;
use super::{Facts, document};
use model::lang::{Text, text};

const HEADING: Text = text("the first h1", "o primeiro h1");
const TITLE: Text = text("the page's title", "o título da página");
const DESCRIPTION: Text = text("the meta description", "a meta description");
const ADDRESS: Text = text("the page's own address", "o endereço da própria página");
const IMAGE: Text = text("og:image", "og:image");
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
    let found = |value: String, origin: Text| Some(Derived { value, origin });
    match path {
        "name" | "title" | "headline" => {
            let usable = |text: &String| !text.is_empty() && !derive::is_placeholder(text);
            let heading = html.h1_texts().into_iter().find(usable).map(|text| (text, HEADING));
            let (text, origin) = heading.or_else(|| Some((html.title().filter(usable)?, TITLE)))?;
            found(derive::cut(&text, derive::LONGEST_HEADLINE), origin)
        }
        "description" => found(stated(html.meta("description"))?, DESCRIPTION),
        "url" => Some(Derived { value: facts.own_url().ok()?.into(), origin: ADDRESS }),
        "image" | "thumbnailUrl" => {
            let image = html.resolve(html.social("og:image")?)?;
            matches!(image.scheme(), "http" | "https").then(|| Derived { value: image.into(), origin: IMAGE })
        }
        "datePublished" | "datePosted" | "uploadDate" => {
            let time = || html.document.elements().find(|element| element.is("time"))?.attribute("datetime");
            let published = html.social("article:published_time").map(|date| (date, PUBLISHED));
            let (date, origin) = published.or_else(|| Some((time()?, TIME)))?;
            found(date.trim().to_owned(), origin).filter(|date| is_date(&date.value))
        }
        "dateModified" => {
            let date = html.social("article:modified_time")?.trim();
            found(date.to_owned(), MODIFIED).filter(|date| is_date(&date.value))
        }
        "author.name" => found(stated(html.meta("author"))?, AUTHOR).filter(|name| !name.value.contains("://")),
        "brand.name" => found(stated(html.social("product:brand"))?, BRAND),
        "price" => found(stated(html.social("product:price:amount"))?, AMOUNT),
        "priceCurrency" => found(stated(html.social("product:price:currency"))?, CURRENCY),
        _ => None,
    }
}

/// A text that a tag states, unless a generator left it there.
fn stated(text: Option<&str>) -> Option<String> {
    text.map(document::collapse).filter(|text| !text.is_empty() && !derive::is_placeholder(text))
}
