//! Blocks of structured data that a page lacks, made of nothing but what the page itself says.

use model::lang::{Phrase, Text, text};
use serde_json::{Map, Value, json};

use super::document::Element;
use super::known::Facts;
use super::node_values;
use super::page::Html;
use super::resolved::breadcrumb::{Trail, TrailStep};
use super::resolved::{Resolved, image};
use crate::escape::json_text_in_html;

/// A block to add.
#[derive(Debug)]
pub(crate) struct NewBlock {
    /// Its type: a page gets one of each.
    key: &'static str,
    json: Value,
    /// Where each property comes from.
    origins: Vec<(String, Text)>,
    is_ready: bool,
}

impl NewBlock {
    /// The `@type` that it is for: a head has one block of each.
    pub(crate) fn key(&self) -> &'static str {
        self.key
    }

    /// Whether all that it says is certain.
    pub(crate) fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// The block as a `script` element.
    pub(crate) fn tag(&self) -> String {
        format!("<script type=\"application/ld+json\">{}</script>", json_text_in_html(&self.json.to_string()))
    }

    /// Where each property comes from, in words.
    pub(crate) fn origin(&self) -> Phrase {
        in_words(&self.origins)
    }
}

/// Properties with the source of each, in words.
pub(crate) fn in_words(origins: &[(String, Text)]) -> Phrase {
    let in_language = |language: fn(&Text) -> &'static str| {
        let parts = origins.iter().map(|(property, origin)| format!("{property}: {}", language(origin)));
        parts.collect::<Vec<_>>().join("; ")
    };
    Phrase { en: in_language(|text| text.en), pt: in_language(|text| text.pt) }
}

/// The trail as a `BreadcrumbList`.
pub(crate) fn breadcrumbs(trail: &Trail) -> NewBlock {
    let item = |(at, step): (usize, &TrailStep)| {
        let mut item = json!({"@type": "ListItem", "position": at + 1, "name": step.name});
        if let (Some(members), Some(url)) = (item.as_object_mut(), &step.url) {
            members.insert("item".to_owned(), url.as_str().into());
        }
        item
    };
    let items: Vec<Value> = trail.steps.iter().enumerate().map(item).collect();
    let json = json!({"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": items});
    let origins = vec![("itemListElement".to_owned(), trail.source().words())];
    NewBlock { key: "BreadcrumbList", json, origins, is_ready: trail.is_ready() }
}

/// The page as an `Article`, where it is one. Of its properties it has those that are certain; without a certain headline
/// it is a draft.
pub(crate) fn article(facts: &Facts<'_>, html: &Html) -> Option<NewBlock> {
    if !html.is_article() {
        return None;
    }
    let mut node = node_of("Article");
    let mut origins = Vec::new();
    let mut is_ready = true;
    for path in ["headline", "description", "image", "datePublished", "dateModified", "author.name", "url"] {
        let Some(resolved) = node_values::value(facts, html, path) else { continue };
        if !resolved.is_ready() && path != "headline" {
            continue;
        }
        is_ready &= resolved.is_ready();
        let Resolved { value, source, .. } = resolved;
        match path.split_once('.') {
            None => node.insert(path.to_owned(), value.into()),
            Some((property, _)) => node.insert(property.to_owned(), json!({"@type": "Person", "name": value})),
        };
        origins.push((path.to_owned(), source.words()));
    }
    node.contains_key("headline").then(|| NewBlock { key: "Article", json: node.into(), origins, is_ready })
}

/// The site, for its home page: as a `WebSite`, and as an `Organization` where the page shows its logo.
pub(crate) fn web_site(facts: &Facts<'_>, html: &Html) -> Option<NewBlock> {
    const ROOT: Text = text("the root of the site", "a raiz do site");
    const LOGO: Text =
        text("the logo image that links to the home page", "a imagem do logo, com link para a página inicial");
    let root = facts.own_url().ok()?.join("/").ok()?;
    let resolved = html.site_name()?;
    let is_ready = resolved.is_ready();
    let name = resolved.value.as_str();
    let mut origins = vec![("name".to_owned(), resolved.source.words()), ("url".to_owned(), ROOT)];
    let has_organization =
        facts.graph().is_ok_and(|graph| graph.nodes.iter().any(|node| graph.is_any(node, &["Organization"])));
    let logo = logo(html, &root).filter(|_| !has_organization);
    let json = match logo {
        None => json!({
            "@context": "https://schema.org",
            "@type": "WebSite",
            "name": name,
            "url": root.as_str(),
        }),
        Some(logo) => {
            origins.push(("logo".to_owned(), LOGO));
            let root = root.as_str();
            json!({"@context": "https://schema.org", "@graph": [
                {"@type": "WebSite", "name": name, "url": root},
                {"@type": "Organization", "name": name, "url": root, "logo": logo},
            ]})
        }
    };
    Some(NewBlock { key: "WebSite", json, origins, is_ready })
}

fn node_of(kind: &str) -> Map<String, Value> {
    let members = [("@context", "https://schema.org"), ("@type", kind)];
    members.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
}

/// The one image of a link to the home page that calls itself a logo.
fn logo(html: &Html, root: &url::Url) -> Option<String> {
    let is_logo = |image: &Element<'_>| {
        ["alt", "class", "id", "src"]
            .iter()
            .filter_map(|name| image.attribute(name))
            .any(|value| value.to_ascii_lowercase().contains("logo"))
    };
    let leads_home =
        |anchor: &&super::elements::Anchor| anchor.url().is_some_and(|url| super::url_identity::same_page(url, root));
    let links = html.anchors.iter().filter(leads_home).filter_map(|anchor| html.element(anchor.node));
    let image = links.filter_map(|link| link.descendants().find(|below| below.is("img") && is_logo(below))).next()?;
    let url = image::address_of(html, image)?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}
