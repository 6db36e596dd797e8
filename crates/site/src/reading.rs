//! How the facts of one page are taken from what was fetched and judged of it.

use audit::facts::canonical::numbered;
use audit::facts::jsonld::types_of;
use audit::facts::names::shown_texts;
use audit::facts::other_content::is_other_than_text;
use audit::facts::page::Html;
use audit::facts::url_identity::without_tracking;
use audit::facts::{Facts, page_language, soft_404};
use model::capture::{Exchange, Fetched};
use model::report::Report;
use serde_json::{Map, Value};
use url::Url;

use crate::address::key;
use crate::page_facts::{
    DocumentFacts, EntityFacts, OrganizationFacts, PageAnswer, PageFacts, PageFinding, PageLink, PageRole,
};
use crate::{content, skeleton};

/// Links kept of one page: more than any page that is made for readers has. One with more is told as cut.
const MOST_LINKS: usize = 5_000;
/// Images kept of one page.
const MOST_IMAGES: usize = 200;
/// Language versions kept of one page.
const MOST_ALTERNATES: usize = 500;
/// Entities kept of one page.
const MOST_ENTITIES: usize = 50;
/// Steps kept of a breadcrumb.
const MOST_STEPS: usize = 20;
/// Characters kept of a title, description or heading: two that differ only behind them are rare, and long ones many.
const MOST_CHARACTERS: usize = 300;
/// Characters kept of the text of a link.
const MOST_ANCHOR: usize = 80;

/// A page that was judged: its facts while they last, and its report.
#[derive(Debug, Clone, Copy)]
pub struct AuditedDocument<'a> {
    /// What its report was made of.
    pub facts: &'a Facts<'a>,
    /// Its report.
    pub report: &'a Report,
}

/// The facts of a page that was judged. `url` is its key.
pub fn read_page(url: &str, page: AuditedDocument<'_>) -> PageFacts {
    let answer = match page.facts.page() {
        Ok(html) => {
            let has_words = page.report.coverage.passed.iter().any(|code| code == "text_thin");
            let facts = document(page.facts, html);
            let is_spaced = facts.content.as_ref().is_some_and(|content| content.is_spaced);
            let is_prose = has_words && is_spaced && !is_other_than_text(html);
            PageAnswer::Document(Box::new(DocumentFacts { is_prose, ..facts }))
        }
        Err(_) => read_answer(&page.facts.capture.page),
    };
    let is_document = matches!(answer, PageAnswer::Document(_));
    let findings = page.report.findings.iter().filter(|_| is_document);
    let unmeasured = page.report.coverage.not_measured.keys().filter(|_| is_document);
    PageFacts {
        url: url.to_owned(),
        role: PageRole::Page,
        status: page.facts.capture.page.response().map(|exchange| exchange.status),
        answer,
        score: is_document.then_some(page.report.score),
        findings: findings
            .map(|finding| PageFinding {
                code: finding.code.clone(),
                severity: finding.severity,
                place: finding.evidence.first().and_then(|place| place.selector.as_deref()).map_or(0, skeleton::place),
            })
            .collect(),
        unmeasured: unmeasured.cloned().collect(),
    }
}

/// The facts of an address that is not judged: an image, a page of another site, or a page that answered with no document.
pub fn read_resource(url: &str, role: PageRole, fetched: &Fetched) -> PageFacts {
    let facts = PageFacts::unjudged(url, role, read_answer(fetched));
    PageFacts { status: fetched.response().map(|exchange| exchange.status), ..facts }
}

/// What an address answered that is no document, or is not judged. Redirects were not followed.
fn read_answer(fetched: &Fetched) -> PageAnswer {
    let exchange = match fetched {
        Fetched::Response(exchange) => exchange,
        Fetched::Failed(failure) => return PageAnswer::Failed(failure.reason.clone()),
    };
    match exchange.status {
        status @ (301 | 302 | 303 | 307 | 308) => PageAnswer::Redirect { status, to: target(exchange) },
        200..=299 => PageAnswer::File,
        status => PageAnswer::Error(status),
    }
}

/// Where a redirect leads.
fn target(exchange: &Exchange) -> Option<String> {
    let from = Url::parse(&exchange.url).ok()?;
    known(&from.join(exchange.header("location")?).ok()?)
}

fn known(url: &Url) -> Option<String> {
    key(url).map(String::from)
}

fn document(facts: &Facts<'_>, html: &Html) -> DocumentFacts {
    let description = html.meta("description").map(str::to_owned);
    let mut images: Vec<String> = html
        .elements(&html.images)
        .filter_map(|image| html.resolve(image.attribute("src")?))
        .filter(|image| image.host_str() == html.url.host_str())
        .filter_map(|image| known(&image))
        .take(MOST_IMAGES)
        .collect();
    images.sort_unstable();
    images.dedup();
    let nodes = html.json_ld.nodes();
    let (links, has_more_links) = links(html);
    DocumentFacts {
        title: short(html.title()),
        description: short(description),
        h1: short(html.h1_texts().into_iter().next()),
        lang: page_language::read(facts),
        canonical: canonical(facts),
        is_prose: false,
        noindex: facts.indexable().is_err(),
        nofollow: facts.directives().iter().any(|directive| matches!(directive.name.as_str(), "nofollow" | "none")),
        looks_missing: soft_404::by_words(facts).is_some() || soft_404::by_comparison(facts).is_some(),
        cut: html.cut || has_more_links,
        alternates: alternates(facts),
        links,
        images,
        skeleton: skeleton::read(&html.document),
        content: content::read(&html.document),
        organization: nodes.iter().find_map(|node| organization(node, html)),
        entities: entities(&nodes, html),
        breadcrumb: breadcrumb(&nodes, html),
        list_page: match numbered(&without_tracking(&html.url)) {
            (Some(number), list) => Some((number, list)),
            (None, _) => None,
        },
    }
}

/// A text that is not empty, cut.
fn short(text: Option<String>) -> Option<String> {
    text.map(|text| text.chars().take(MOST_CHARACTERS).collect::<String>()).filter(|text| !text.is_empty())
}

/// The one canonical that can be used, as a key.
fn canonical(facts: &Facts<'_>) -> Option<String> {
    known(facts.declared_canonical().ok()?)
}

/// Language versions of markup, header and sitemaps, each once.
fn alternates(facts: &Facts<'_>) -> Vec<(String, String)> {
    let listed = facts.listed_alternates().map(|(_, alternate)| alternate);
    let all = facts.alternates().iter().chain(listed);
    let mut all: Vec<(String, String)> = all
        .filter_map(|alternate| Some((alternate.lang.trim().to_ascii_lowercase(), known(alternate.url.as_ref()?)?)))
        .take(MOST_ALTERNATES)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The links that are kept, and whether the page has more.
fn links(html: &Html) -> (Vec<PageLink>, bool) {
    let link = |anchor: &audit::facts::elements::Anchor| {
        let url = known(anchor.url()?)?;
        let element = html.element(anchor.node)?;
        let mut text = shown_texts(element).collect::<Vec<_>>().join("");
        if text.trim().is_empty() {
            let image = element.descendants().find_map(|image| image.attribute("alt"));
            text = image.or(element.attribute("aria-label")).unwrap_or_default().to_owned();
        }
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(PageLink { url, text: words.chars().take(MOST_ANCHOR).collect(), nofollow: anchor.nofollow })
    };
    let mut anchors = html.anchors.iter().filter_map(link);
    let links = anchors.by_ref().take(MOST_LINKS).collect();
    (links, anchors.next().is_some())
}

fn text_of<'v>(node: &'v Map<String, Value>, name: &str) -> Option<&'v str> {
    node.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// An address as a node gives it: itself, or the `url` or `@id` of what it gives.
fn address(value: &Value, html: &Html) -> Option<Url> {
    let text = match value {
        Value::String(text) => Some(text.as_str()),
        Value::Object(node) => ["url", "contentUrl", "@id"].iter().find_map(|name| text_of(node, name)),
        Value::Array(values) => return address(values.first()?, html),
        _ => None,
    };
    html.resolve(text?)
}

/// The site's own organization, if a node is one: its address or `@id` is of the page's host.
fn organization(node: &Map<String, Value>, html: &Html) -> Option<OrganizationFacts> {
    const TYPES: [&str; 8] = [
        "Organization",
        "Corporation",
        "LocalBusiness",
        "NewsMediaOrganization",
        "OnlineStore",
        "OnlineBusiness",
        "EducationalOrganization",
        "NGO",
    ];
    let is_organization = types_of(node).any(|name| TYPES.contains(&name));
    let own = ["url", "@id"].iter().find_map(|name| address(node.get(*name)?, html));
    own.filter(|url| is_organization && url.host_str() == html.url.host_str())?;
    let facts = OrganizationFacts {
        id: text_of(node, "@id").and_then(|id| html.resolve(id)).map(String::from),
        name: short(text_of(node, "name").map(str::to_owned)),
        logo: node.get("logo").and_then(|logo| address(logo, html)).map(String::from),
        telephone: short(text_of(node, "telephone").map(str::to_owned)),
    };
    (facts.name.is_some() || facts.logo.is_some()).then_some(facts)
}

fn entities(nodes: &[&Map<String, Value>], html: &Html) -> Vec<EntityFacts> {
    let entity = |node: &&Map<String, Value>| {
        let id = html.resolve(text_of(node, "@id")?)?;
        let kind = types_of(node).min()?.to_owned();
        let name = text_of(node, "name").or(text_of(node, "headline")).unwrap_or_default();
        Some(EntityFacts { id: id.into(), kind, name: name.chars().take(MOST_CHARACTERS).collect() })
    };
    let mut all: Vec<EntityFacts> = nodes.iter().filter_map(entity).take(MOST_ENTITIES).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Addresses of the first breadcrumb list, in its order, but for the page itself.
fn breadcrumb(nodes: &[&Map<String, Value>], html: &Html) -> Vec<String> {
    let Some(list) = nodes.iter().find(|node| types_of(node).any(|name| name == "BreadcrumbList")) else {
        return Vec::new();
    };
    let steps = list.get("itemListElement").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let step = |step: &Value| known(&address(step.get("item")?, html)?);
    let own = known(&html.url);
    steps.iter().take(MOST_STEPS).filter_map(step).filter(|step| Some(step) != own.as_ref()).collect()
}
