//! The trail from the home page to this one: as the page shows it, or as its links tell it of its path.

use url::Url;

use super::document::{Collapsed, Element, NodeId};
use super::known::Facts;
use super::node_values;
use super::page::Html;
use super::url_identity::same_page;

/// Steps of a trail; a list with more is no trail.
const MOST_STEPS: usize = 10;
/// Characters of a step's name; a longer text is none.
const LONGEST_NAME: usize = 100;
/// Bytes of text in an element that may be a step.
const MOST_NAME_BYTES: usize = 8 * LONGEST_NAME;
/// Marks between steps that a page writes as text.
const SEPARATORS: [char; 10] = ['›', '»', '>', '/', '|', '→', '«', '·', '•', '\u{a0}'];

/// A trail with at least two steps.
#[derive(Debug)]
pub(crate) struct Trail {
    /// The element that shows it, where one does.
    pub(crate) node: Option<NodeId>,
    /// Its steps, the home page first.
    pub(crate) steps: Vec<TrailStep>,
}

/// One step of a trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrailStep {
    /// What it is called.
    pub(crate) name: String,
    /// Where it leads; the last may lead nowhere.
    pub(crate) url: Option<Url>,
}

/// The trail that the page shows: in an element whose class, id or label says `breadcrumb`.
pub(crate) fn shown(facts: &Facts<'_>, html: &Html) -> Option<Trail> {
    // Most pages have none, and need no walk to know it.
    let source = html.document.source();
    if !source.contains("readcrumb") && !source.contains("READCRUMB") {
        return None;
    }
    let holder = html.document.elements().find(|element| is_trail(*element) && !element.is_hidden())?;
    let steps = steps(html, holder)?;
    let steps = to_this_page(facts, html, steps)?;
    Some(Trail { node: Some(holder.id()), steps })
}

fn is_trail(element: Element<'_>) -> bool {
    let says =
        |name: &str| element.attribute(name).is_some_and(|value| value.to_ascii_lowercase().contains("breadcrumb"));
    matches!(element.name(), "nav" | "ol" | "ul" | "div" | "p" | "section")
        && (says("aria-label") || says("class") || says("id"))
        && element.descendants().take(MOST_ELEMENTS).any(|below| below.is("a") && below.has("href"))
}

/// Elements looked at inside one that may show a trail.
const MOST_ELEMENTS: usize = 200;

fn steps(html: &Html, holder: Element<'_>) -> Option<Vec<TrailStep>> {
    let mut steps: Vec<TrailStep> = Vec::new();
    for element in holder.descendants().take(MOST_ELEMENTS) {
        if element.is("a") && element.has("href") {
            let url = html.resolve(element.attribute("href")?)?;
            if !matches!(url.scheme(), "http" | "https") {
                return None;
            }
            let name = name(element)?;
            let is_repeated =
                steps.last().is_some_and(|last| last.url.as_ref().is_some_and(|known| same_page(known, &url)));
            if !is_repeated {
                steps.push(TrailStep { name, url: Some(url) });
            }
        } else if element.is("li") || element.attribute("aria-current").is_some_and(|kind| kind.trim() == "page") {
            let links = element.descendants().any(|below| below.is("a") && below.has("href"));
            let is_step = !links && element.ancestors().all(|around| !around.is("a"));
            if let Some(name) = is_step.then(|| name(element)).flatten()
                && steps.last().is_none_or(|last| last.name != name)
            {
                steps.push(TrailStep { name, url: None });
            }
        }
    }
    (!steps.is_empty() && steps.len() <= MOST_STEPS).then_some(steps)
}

fn name(element: Element<'_>) -> Option<String> {
    let plain = |text: &str| {
        let text = text.trim().trim_matches(|c: char| SEPARATORS.contains(&c) || c.is_whitespace());
        Some(text.to_owned()).filter(|text| !text.is_empty() && text.chars().count() <= LONGEST_NAME)
    };
    let image = || element.descendants().find(|below| below.is("img"))?.attribute("alt");
    let mut collapsed = Collapsed::default();
    for run in element.texts() {
        collapsed.add(run);
        if collapsed.text.len() > MOST_NAME_BYTES {
            return None;
        }
    }
    plain(&collapsed.text)
        .or_else(|| plain(element.attribute("aria-label")?))
        .or_else(|| plain(image()?))
        .or_else(|| plain(element.attribute("title")?))
}

/// A trail that ends here: only the last step may lead nowhere, and where all lead elsewhere the page comes behind them.
fn to_this_page(facts: &Facts<'_>, html: &Html, mut steps: Vec<TrailStep>) -> Option<Vec<TrailStep>> {
    let (last, before) = steps.split_last()?;
    if before.iter().any(|step| step.url.is_none()) {
        return None;
    }
    let own = facts.own_url().ok()?;
    let is_here = |step: &TrailStep| {
        step.url.as_ref().is_some_and(|url| url.path() == html.url.path() && url.host_str() == html.url.host_str())
    };
    // Links to do something with this page are none to a page above it.
    if before.iter().any(is_here) {
        return None;
    }
    let name = node_values::stated(facts, html, "name")?.value;
    if last.url.as_ref().is_some_and(|url| !same_page(url, &own)) && !is_here(last) && last.name != name {
        steps.push(TrailStep { name, url: Some(own) });
    }
    (2..=MOST_STEPS).contains(&steps.len()).then_some(steps)
}

/// The trail that the page's own links tell of its path: each folder above it has a link with a name.
pub(crate) fn by_path(facts: &Facts<'_>, html: &Html) -> Option<Trail> {
    let own = facts.own_url().ok()?;
    let segments: Vec<&str> = own.path_segments()?.filter(|segment| !segment.is_empty()).collect();
    if segments.len() < 2 || segments.len() >= MOST_STEPS || own.query().is_some() {
        return None;
    }
    let mut steps = Vec::new();
    for depth in 0..segments.len() {
        let mut above = own.clone();
        above.set_path(&segments.iter().take(depth).map(|segment| format!("/{segment}")).collect::<String>());
        let is_it = |url: &Url| {
            url.path().trim_end_matches('/') == above.path().trim_end_matches('/')
                && url.host_str() == above.host_str()
                && url.query().is_none()
        };
        let link = html.anchors.iter().find_map(|anchor| {
            let url = anchor.url.as_ref().filter(|url| is_it(url))?;
            Some(TrailStep { name: name(html.element(anchor.node)?)?, url: Some(url.clone()) })
        });
        let mut step = link?;
        if let Some(url) = &mut step.url {
            url.set_fragment(None);
        }
        steps.push(step);
    }
    let steps = to_this_page(facts, html, steps)?;
    Some(Trail { node: None, steps })
}
