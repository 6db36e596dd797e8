//! What the page's structured data says: of its main thing, of the page, and of the site.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{bare, plain};
use crate::facts::evidence::{DataImage, DataSubject};
use crate::facts::jsonld::graph::local;
use crate::facts::jsonld::placeholder::is_placeholder;
use crate::facts::jsonld::tree::{TreeKind, ValueTree};
use crate::facts::jsonld::{types_of, visit};
use crate::facts::page::Html;
use crate::facts::words::words;

/// Article and the types below it (schema.org release 30.1).
pub(crate) const ARTICLES: [&str; 18] = [
    "Article",
    "AdvertiserContentArticle",
    "NewsArticle",
    "AnalysisNewsArticle",
    "AskPublicNewsArticle",
    "BackgroundNewsArticle",
    "OpinionNewsArticle",
    "ReportageNewsArticle",
    "ReviewNewsArticle",
    "Report",
    "SatiricalArticle",
    "ScholarlyArticle",
    "MedicalScholarlyArticle",
    "SocialMediaPosting",
    "BlogPosting",
    "LiveBlogPosting",
    "DiscussionForumPosting",
    "TechArticle",
];
/// Other types that a page is about as a whole.
const THINGS: [&str; 14] = [
    "Recipe",
    "Product",
    "ProductGroup",
    "Event",
    "JobPosting",
    "Course",
    "Book",
    "Movie",
    "SoftwareApplication",
    "VideoObject",
    "HowTo",
    "Dataset",
    "PodcastEpisode",
    "TVEpisode",
];
/// Types of the page itself.
const PAGES: [&str; 8] =
    ["WebPage", "ItemPage", "AboutPage", "ContactPage", "CollectionPage", "MedicalWebPage", "ProfilePage", "FAQPage"];
/// Objects of a page's data that are looked at: pages have a few dozen.
const MOST_NODES: usize = 400;

struct Data<'v> {
    nodes: Vec<&'v Map<String, Value>>,
}

impl<'v> Data<'v> {
    fn is_any(node: &Map<String, Value>, wanted: &[&str]) -> bool {
        types_of(node).map(local).any(|kind| wanted.contains(&kind))
    }

    fn member<'n>(node: &'n Map<String, Value>, name: &str) -> Option<&'n Value> {
        node.iter().find(|(known, _)| local(known) == name).map(|(_, value)| value)
    }

    /// The node that a value is or names by its `@id`.
    fn node<'n>(&self, value: &'n Value) -> Option<&'n Map<String, Value>>
    where
        'v: 'n,
    {
        let node = value.as_object()?;
        let id = node.get("@id").and_then(Value::as_str);
        let is_reference = node.keys().all(|key| key == "@id" || key == "@type");
        match id.filter(|_| is_reference) {
            None => Some(node),
            Some(id) => self.nodes.iter().copied().find(|other| {
                other.get("@id").and_then(Value::as_str) == Some(id) && other.keys().any(|key| !key.starts_with('@'))
            }),
        }
    }

    fn text(&self, node: &Map<String, Value>, name: &str) -> Option<String> {
        let value = each(Self::member(node, name)?).into_iter().find_map(Value::as_str)?;
        Some(plain(value)).filter(|text| !text.is_empty() && !is_placeholder(text))
    }

    /// The first image of a node with its sides.
    fn image(&self, node: &Map<String, Value>, name: &str) -> Option<DataImage> {
        each(Self::member(node, name)?)
            .into_iter()
            .find_map(|value| {
                if let Some(address) = value.as_str() {
                    return Some(DataImage { address: address.trim().to_owned(), sides: (None, None) });
                }
                let image = self.node(value)?;
                let address = ["url", "contentUrl"].iter().find_map(|name| self.text(image, name))?;
                let side = |name| match Self::member(image, name)? {
                    Value::Number(number) => number.as_u64().and_then(|side| u32::try_from(side).ok()),
                    Value::String(text) => text.trim().trim_end_matches("px").trim().parse().ok(),
                    _ => None,
                };
                Some(DataImage { address, sides: (side("width"), side("height")) })
            })
            .filter(|image| !image.address.is_empty())
    }

    fn authors(&self, node: &Map<String, Value>) -> Vec<String> {
        let Some(value) = Self::member(node, "author").or_else(|| Self::member(node, "creator")) else {
            return Vec::new();
        };
        let names = each(value).into_iter().filter_map(|author| {
            if let Some(name) = author.as_str() {
                return Some(plain(name));
            }
            let author = self.node(author)?;
            (!Self::is_any(author, &["Organization", "NewsMediaOrganization"])).then(|| self.text(author, "name"))?
        });
        names.filter(|name| !name.is_empty()).collect()
    }
}

/// A value, or the members of an array.
fn each(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(members) => members.iter().collect(),
        one => vec![one],
    }
}

/// An item of markup in the form of JSON-LD.
fn value_of(tree: &ValueTree) -> Value {
    match &tree.kind {
        TreeKind::Object(members) => {
            let mut out = Map::new();
            for member in members {
                let value = value_of(&member.value);
                match out.get_mut(&member.name) {
                    Some(Value::Array(known)) => known.push(value),
                    Some(_) => {}
                    None => {
                        out.insert(member.name.clone(), value);
                    }
                }
            }
            Value::Object(out)
        }
        TreeKind::Array(values) => Value::Array(values.iter().map(value_of).collect()),
        TreeKind::Text(text) => Value::String(text.clone()),
        TreeKind::Number(_) | TreeKind::Bool(_) | TreeKind::Null => Value::Null,
    }
}

impl Html {
    /// What structured data in any syntax says of the page, broken blocks as they are plainly meant.
    pub(crate) fn subject(&self) -> &DataSubject {
        self.resolved.subject.get_or_init(|| read(self))
    }
}

fn read(html: &Html) -> DataSubject {
    let items: Vec<Value> = html.items.iter().map(|item| value_of(&item.tree)).collect();
    let mut nodes = html.json_ld.nodes_as_meant();
    items.iter().for_each(|item| visit(item, &mut |node| nodes.push(node)));
    nodes.truncate(MOST_NODES);
    let data = Data { nodes };
    let mut out = DataSubject::default();
    let named = |kinds: &[&str]| -> Vec<&Map<String, Value>> {
        data.nodes.iter().copied().filter(|node| Data::is_any(node, kinds)).collect()
    };
    let meant = |text: String| html.as_meant(&text);
    for node in named(&["WebSite"]) {
        out.web_site = out.web_site.or_else(|| data.text(node, "name").map(meant));
        out.of_site.extend(data.text(node, "description").map(meant));
    }
    let organizations = named(&["Organization", "NewsMediaOrganization", "OnlineStore", "Corporation"]);
    out.of_site.extend(organizations.iter().filter_map(|node| data.text(node, "description").map(meant)));
    let names: BTreeSet<String> = organizations.iter().filter_map(|node| data.text(node, "name").map(meant)).collect();
    out.organization = names.into_iter().next().filter(|_| organizations.len() == 1);
    if let Some(node) = main_thing(html, &data) {
        out.is_article = Data::is_any(node, &ARTICLES);
        out.headline = data.text(node, "headline").or_else(|| data.text(node, "name")).map(meant);
        fill(&mut out, &data, node, "image", &meant);
        out.authors = data.authors(node).into_iter().map(meant).collect();
        if let Some(publisher) = Data::member(node, "publisher").and_then(|value| data.node(each(value).first()?)) {
            out.organization = out.organization.or_else(|| data.text(publisher, "name").map(meant));
        }
    }
    let pages = named(&PAGES);
    if let [page] = pages.as_slice() {
        fill(&mut out, &data, page, "primaryImageOfPage", &meant);
    }
    out
}

/// Takes over from a node what is not known yet.
fn fill(
    out: &mut DataSubject,
    data: &Data<'_>,
    node: &Map<String, Value>,
    image: &str,
    meant: &impl Fn(String) -> String,
) {
    out.description = out.description.take().or_else(|| data.text(node, "description").map(meant));
    out.image = out.image.take().or_else(|| data.image(node, image));
    out.published = out.published.take().or_else(|| data.text(node, "datePublished"));
    out.modified = out.modified.take().or_else(|| data.text(node, "dateModified"));
}

/// The node that the page is about: an article, else another thing. Of several the one whose name the title or a heading
/// repeats: others are teasers of other pages.
fn main_thing<'v>(html: &Html, data: &Data<'v>) -> Option<&'v Map<String, Value>> {
    let shown = shown_words(html);
    let name = |node: &Map<String, Value>| data.text(node, "headline").or_else(|| data.text(node, "name"));
    let repeats = |text: &str| {
        let all: Vec<String> = words(text).collect();
        let known = all.iter().filter(|word| shown.contains(*word)).count();
        !all.is_empty() && known * 2 >= all.len()
    };
    [&ARTICLES[..], &THINGS[..]].into_iter().find_map(|kinds| {
        let found: Vec<&Map<String, Value>> =
            data.nodes.iter().copied().filter(|node| Data::is_any(node, kinds) && says_something(node)).collect();
        let is_alone = found.len() == 1;
        let whole = |node: &&&Map<String, Value>| {
            name(node).is_some_and(|name| {
                let title = html.title().map(|title| bare(&html.as_meant(&title))).unwrap_or_default();
                !name.is_empty() && title.contains(&bare(&html.as_meant(&name)))
            })
        };
        let one = found.iter().find(whole).or_else(|| {
            found
                .iter()
                .find(|node| name(node).map_or(is_alone, |name| shown.is_empty() || repeats(&html.as_meant(&name))))
        });
        one.copied()
    })
}

/// Whether a node says more than which thing it is.
fn says_something(node: &Map<String, Value>) -> bool {
    node.keys().any(|key| !key.starts_with('@'))
}

/// Words of the title, the social title and the first headings.
fn shown_words(html: &Html) -> BTreeSet<String> {
    let texts = html.title().into_iter().chain(html.social("og:title").map(str::to_owned)).chain(html.h1_texts());
    texts.flat_map(|text| words(&html.as_meant(&text)).collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::html;
    use super::*;

    fn of(json: &str) -> String {
        format!("<title>Rye bread - The Mill</title><script type=application/ld+json>{json}</script>")
    }

    #[test]
    fn the_main_thing_is_what_the_title_repeats() {
        let html = html(&of(r##"{"@graph":[{"@type":"NewsArticle","headline":"Wheat prices"},
            {"@type":"BlogPosting","headline":"Rye&#32;bread","author":{"@id":"#a"},"image":{"@id":"#i"}},
            {"@type":"Person","@id":"#a","name":"Ana Moinho"},
            {"@type":"ImageObject","@id":"#i","url":"/a.jpg","width":"1200px","height":630},
            {"@type":"WebPage","description":"Dark.","datePublished":"2026-01-02"},
            {"@type":"WebSite","name":"The Mill","description":"Bread since 1932."}]}"##));
        let subject = html.subject();
        assert!(subject.is_article);
        assert_eq!(subject.headline.as_deref(), Some("Rye bread"));
        assert_eq!(subject.authors, ["Ana Moinho"]);
        let image = DataImage { address: "/a.jpg".to_owned(), sides: (Some(1200), Some(630)) };
        assert_eq!(subject.image, Some(image));
        assert_eq!(subject.description.as_deref(), Some("Dark."));
        assert_eq!(subject.published.as_deref(), Some("2026-01-02"));
        assert_eq!((subject.web_site.as_deref(), subject.of_site.len()), (Some("The Mill"), 1));
    }

    #[test]
    fn teasers_of_other_pages_are_not_the_main_thing() {
        let teasers =
            r#"[{"@type":"NewsArticle","headline":"Wheat prices"},{"@type":"NewsArticle","headline":"Oats"}]"#;
        assert_eq!(html(&of(teasers)).subject().headline, None);
        assert!(!html(&of(teasers)).subject().is_article);
    }

    #[test]
    fn markup_says_the_same_as_blocks() {
        let html = html(
            "<title>Rye bread</title><div itemscope itemtype=https://schema.org/Article><h2 itemprop=headline>Rye bread\
             </h2><span itemprop=author>Ana Moinho</span></div>",
        );
        let subject = html.subject();
        assert_eq!((subject.headline.as_deref(), subject.is_article), (Some("Rye bread"), true));
        assert_eq!(subject.authors, ["Ana Moinho"]);
    }
}
