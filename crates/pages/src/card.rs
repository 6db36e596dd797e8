//! Metadata of a page for search engines and social networks: title, description, social tags, structured data.

use std::fmt::{self, Display, Formatter};

use askama::filters::HtmlSafe;
use audit::escape::json_in_html;
use audit::facts::fitting::{LONGEST_DESCRIPTION, WIDEST_TITLE_PX, cut};
use audit::facts::font_metrics::title_px;
use model::lang::{Lang, Text, text};
use serde_json::{Value, json};

use crate::address::Addresses;
use crate::assets;
use crate::pieces::plain;
use service::Services;

/// Metadata of one page.
#[derive(Debug)]
pub(super) struct Card {
    /// For the document and for networks.
    pub(super) title: String,
    /// In plain text.
    pub(super) description: String,
    /// Absolute address of the picture.
    pub(super) image: String,
    /// Alternative text of the picture.
    pub(super) image_alt: String,
    /// As Open Graph writes the language.
    pub(super) locale: &'static str,
    /// Structured data.
    pub(super) data: JsonLdScript,
}

/// A picture of 1,200 × 630 pixels.
#[derive(Debug)]
pub(super) struct Picture {
    /// Its path.
    pub(super) path: String,
    /// Alternative text.
    pub(super) alt: String,
}

/// A breadcrumb: name and path.
pub(super) type Breadcrumb<'a> = (&'a str, String);

/// The input of a card.
#[derive(Debug)]
pub(super) struct CardSubject<'a> {
    /// schema.org type of the page.
    pub(super) kind: &'static str,
    /// Parts of the title, the most important first; those that have no room in a result are left out.
    pub(super) title: &'a [&'a str],
    /// Text with backticks, as long as it likes.
    pub(super) description: &'a str,
    /// Breadcrumbs after the first page, this page included.
    pub(super) way: &'a [Breadcrumb<'a>],
}

impl Card {
    /// The card of a page.
    pub(super) fn new(services: &Services, addresses: &Addresses, lang: Lang, subject: &CardSubject<'_>) -> Self {
        let product = services.config().product.name.as_str();
        let title = fitting(subject.title, product);
        let description = cut(&plain(subject.description), LONGEST_DESCRIPTION);
        let first = (product, "/".to_owned());
        let steps = std::iter::once(&first).chain(subject.way).enumerate().map(
            |(at, (name, path))| json!({"@type": "ListItem", "position": at + 1, "name": name, "item": services.url(path)}),
        );
        let mut data = json!({
            "@context": "https://schema.org",
            "@type": subject.kind,
            "name": subject.title.first(),
            "description": description,
            "url": addresses.canonical,
            "inLanguage": lang.tag(),
        });
        // The first page has no breadcrumbs.
        if let (false, Some(members)) = (subject.way.is_empty(), data.as_object_mut()) {
            let way = json!({"@type": "BreadcrumbList", "itemListElement": steps.collect::<Vec<_>>()});
            members.insert("breadcrumb".to_owned(), way);
        }
        let locale = match lang {
            Lang::En => "en_US",
            Lang::PtBr => "pt_BR",
        };
        const ALT: Text =
            text("A score ring beside a list of findings", "Um anel de nota ao lado de uma lista de achados");
        let image_alt = ALT.in_lang(lang).to_owned();
        Self { title, description, image: services.url(assets::CARD_PATH), image_alt, locale, data: JsonLdScript(data) }
    }

    /// With a picture of its own.
    pub(super) fn with_picture(self, services: &Services, picture: Picture) -> Self {
        Self { image: services.url(&picture.path), image_alt: picture.alt, ..self }
    }
}

/// As many parts as a result has room for, and the product's name at their end if it fits too.
fn fitting(parts: &[&str], product: &str) -> String {
    let mut title = parts.first().copied().unwrap_or_default().to_owned();
    for part in parts.iter().skip(1).chain([&product]) {
        let longer = format!("{title} · {part}");
        if title_px(&longer) <= WIDEST_TITLE_PX {
            title = longer;
        }
    }
    title
}

/// Structured data as the content of a `script` element. No text in it can end the element or begin a comment.
#[derive(Debug)]
pub(super) struct JsonLdScript(Value);

impl Display for JsonLdScript {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // JSON has no `&` outside strings, and inside it may be written so (RFC 8259 §7).
        f.write_str(&json_in_html(&self.0).replace('&', "\\u0026"))
    }
}

impl HtmlSafe for JsonLdScript {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structured_data_stays_in_its_element() {
        let hostile = json!({"name": "</script><!-- & \u{2028}\"\\"});
        let written = JsonLdScript(hostile.clone()).to_string();
        assert!(!written.contains(['<', '>', '&', '\u{2028}']), "{written}");
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), hostile);
    }

    #[test]
    fn a_title_has_the_parts_that_fit() {
        assert_eq!(fitting(&["No title", "title_missing"], "Site Audit"), "No title · title_missing · Site Audit");
        let long = "A title that is so long that a result has no room for much of anything else";
        assert_eq!(fitting(&[long, "title_missing"], "Site Audit"), long);
        assert_eq!(fitting(&[], "Site Audit"), " · Site Audit");
    }
}
