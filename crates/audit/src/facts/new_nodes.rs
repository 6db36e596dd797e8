//! Blocks of structured data that a page lacks, made of nothing but what the page itself says.

use model::lang::{Phrase, Text, text};
use serde_json::{Map, Value, json};

use super::breadcrumbs::{Trail, TrailStep};
use super::derive::{self, Derived};
use super::document::{Element, collapse};
use super::jsonld::graph::Found;
use super::jsonld::tree::Tree;
use super::known::Facts;
use super::node_values;
use super::page::Html;
use crate::escape::json_text_in_html;

/// Characters of a site's name; a longer text is a slogan.
const LONGEST_SITE_NAME: usize = 60;

/// A block to add.
#[derive(Debug)]
pub(crate) struct NewBlock {
    /// Its type: a page gets one of each.
    key: &'static str,
    json: Value,
    /// Where each property comes from.
    origins: Vec<(String, Text)>,
}

impl NewBlock {
    /// The `@type` that it is for: a head has one block of each.
    pub(crate) fn key(&self) -> &'static str {
        self.key
    }

    /// The block as a `script` element.
    pub(crate) fn tag(&self, html: &Html) -> String {
        let json = html.as_meant(&self.json.to_string());
        format!("<script type=\"application/ld+json\">{}</script>", json_text_in_html(&json))
    }

    /// Where each property comes from, in words.
    pub(crate) fn origin(&self) -> Phrase {
        let in_words = |language: fn(&Text) -> &'static str| {
            let parts = self.origins.iter().map(|(property, origin)| format!("{property}: {}", language(origin)));
            parts.collect::<Vec<_>>().join("; ")
        };
        Phrase { en: in_words(|text| text.en), pt: in_words(|text| text.pt) }
    }
}

/// The trail as a `BreadcrumbList`.
pub(crate) fn breadcrumbs(trail: &Trail) -> NewBlock {
    const SHOWN: Text = text("the trail that the page shows", "a trilha que a página mostra");
    const LINKS: Text =
        text("the page's own links to the folders above it", "os links da própria página para as pastas acima dela");
    let item = |(at, step): (usize, &TrailStep)| {
        let mut item = json!({"@type": "ListItem", "position": at + 1, "name": step.name});
        if let (Some(members), Some(url)) = (item.as_object_mut(), &step.url) {
            members.insert("item".to_owned(), url.as_str().into());
        }
        item
    };
    let items: Vec<Value> = trail.steps.iter().enumerate().map(item).collect();
    let json = json!({"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": items});
    let origin = if trail.node.is_some() { SHOWN } else { LINKS };
    NewBlock { key: "BreadcrumbList", json, origins: vec![("itemListElement".to_owned(), origin)] }
}

/// The page as an `Article`, where it says that it is one.
pub(crate) fn article(facts: &Facts<'_>, html: &Html) -> Option<NewBlock> {
    let is_article = html.social("og:type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("article"))
        || html.social("article:published_time").is_some();
    if !is_article {
        return None;
    }
    let mut node = node_of("Article");
    let mut origins = Vec::new();
    for path in ["headline", "description", "image", "datePublished", "dateModified", "author.name", "url"] {
        let Some(Derived { value, origin }) = node_values::stated(facts, html, path) else { continue };
        match path.split_once('.') {
            None => node.insert(path.to_owned(), value.into()),
            Some((property, _)) => node.insert(property.to_owned(), json!({"@type": "Person", "name": value})),
        };
        origins.push((path.to_owned(), origin));
    }
    node.contains_key("headline").then(|| NewBlock { key: "Article", json: node.into(), origins })
}

/// The site, for its home page: as a `WebSite`, and as an `Organization` where the page shows its logo.
pub(crate) fn web_site(facts: &Facts<'_>, html: &Html) -> Option<NewBlock> {
    const ROOT: Text = text("the site's root", "a raiz do site");
    const LOGO: Text = text("the image that links to the home page", "a imagem que leva à página inicial");
    let root = facts.own_url().ok()?.join("/").ok()?;
    let Derived { value: name, origin } = site_name(facts, html)?;
    let mut origins = vec![("name".to_owned(), origin), ("url".to_owned(), ROOT)];
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
            let (name, root) = (name.as_str(), root.as_str());
            json!({"@context": "https://schema.org", "@graph": [
                {"@type": "WebSite", "name": name, "url": root},
                {"@type": "Organization", "name": name, "url": root, "logo": logo},
            ]})
        }
    };
    Some(NewBlock { key: "WebSite", json, origins })
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
    let leads_home = |anchor: &&super::elements::Anchor| {
        anchor.url.as_ref().is_some_and(|url| super::url_identity::same_page(url, root))
    };
    let links = html.anchors.iter().filter(leads_home).filter_map(|anchor| html.element(anchor.node));
    let image = links.filter_map(|link| link.descendants().find(|below| below.is("img") && is_logo(below))).next()?;
    let url = html.resolve(image.attribute("src")?)?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

/// What the page calls its site.
pub(crate) fn site_name(facts: &Facts<'_>, html: &Html) -> Option<Derived> {
    const SITE: Text = text("og:site_name", "og:site_name");
    const APPLICATION: Text = text("application-name", "application-name");
    const APPLE: Text = text("apple-mobile-web-app-title", "apple-mobile-web-app-title");
    const NODE: Text = text("the name of the page's Organization", "o nome da Organization da página");
    const TITLE: Text =
        text("the part of the title that is the domain's name", "a parte do título que é o nome do domínio");
    let usable =
        |name: &String| !name.is_empty() && name.chars().count() <= LONGEST_SITE_NAME && !derive::is_placeholder(name);
    let stated = [
        (html.social("og:site_name"), SITE),
        (html.meta("application-name"), APPLICATION),
        (html.meta("apple-mobile-web-app-title"), APPLE),
    ];
    let of_tag = stated.into_iter().find_map(|(name, origin)| {
        let value = name.map(collapse).filter(usable)?;
        Some(Derived { value, origin })
    });
    let of_node = || {
        let graph = facts.graph().ok()?;
        let mut organizations = graph.nodes.iter().filter(|node| graph.is_any(node, &["Organization"]));
        let organization = organizations.next().filter(|_| organizations.next().is_none())?;
        let Found::Value(Tree { kind: super::jsonld::tree::TreeKind::Text(name), .. }) =
            graph.look(organization.tree, "name")
        else {
            return None;
        };
        Some(Derived { value: collapse(name), origin: NODE }).filter(|name| usable(&name.value))
    };
    let of_title = || {
        let title = html.title()?;
        let label = domain_label(html)?;
        let mut parts = title.split(['|', '–', '—', '·', ':', '•', '»']).flat_map(|part| part.split(" - "));
        let part = parts.find(|part| bare(part) == label)?.trim().to_owned();
        Some(Derived { value: part, origin: TITLE }).filter(|name| usable(&name.value))
    };
    of_tag.or_else(of_node).or_else(of_title)
}

/// The name in the site's domain: `themill` of `www.the-mill.com.br`.
fn domain_label(html: &Html) -> Option<String> {
    let domain = domains::registrable_domain(html.url.host_str()?)?;
    Some(bare(domain.split('.').next()?)).filter(|label| !label.is_empty())
}

/// Letters and digits in lower case.
fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
