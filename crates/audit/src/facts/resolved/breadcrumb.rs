//! The trail from the home page to this one: exactly as the page shows it, or as its links tell it of its path.

use url::Url;

use super::site_name::{is_site_name, without_site_name};
use super::{EvidenceSource, Resolved, bare};
use crate::facts::canonical;
use crate::facts::document::{Collapsed, Element, NodeId};
use crate::facts::known::Facts;
use crate::facts::page::Html;
use crate::facts::source_marks::SourceMark;
use crate::facts::url_identity::same_page;

/// Steps of a trail; a list with more is no trail.
const MOST_STEPS: usize = 10;
/// Characters of a step's name; a longer text is none.
const LONGEST_NAME: usize = 100;
/// Bytes of text in an element that may be a step.
const MOST_NAME_BYTES: usize = 8 * LONGEST_NAME;
/// Elements looked at inside one that may show a trail.
const MOST_ELEMENTS: usize = 200;
/// Marks between steps that a page writes as text.
const SEPARATORS: [char; 12] = ['›', '»', '>', '/', '|', '→', '«', '·', '•', '\u{a0}', ':', '–'];

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

impl Trail {
    /// Where it was found.
    pub(crate) fn source(&self) -> EvidenceSource {
        if self.node.is_some() { EvidenceSource::ShownTrail } else { EvidenceSource::FolderLinks }
    }

    /// Whether a fix with it is ready: what the page shows is. Links to folders are of no trail that a visitor sees.
    pub(crate) fn is_ready(&self) -> bool {
        self.node.is_some()
    }

    /// Its steps as one text.
    pub(crate) fn summary(&self) -> Resolved {
        let names: Vec<&str> = self.steps.iter().map(|step| step.name.as_str()).collect();
        let told = names.join(" > ");
        if self.is_ready() { Resolved::high(told, self.source()) } else { Resolved::medium(told, self.source()) }
    }
}

/// The trail of the page: the one it shows, else that of its path.
pub(crate) fn of_page(facts: &Facts<'_>, html: &Html) -> Option<Trail> {
    if html.is_home() {
        return None;
    }
    shown(html).or_else(|| by_path(facts, html))
}

/// The trail that the page shows, in an element whose class, id or label says `breadcrumb`, with the steps that it shows
/// there and no other.
pub(crate) fn shown(html: &Html) -> Option<Trail> {
    let holder = html.resolved.of_body.trail.get_or_init(|| {
        // Most pages have none, and need no walk to know it.
        let is_it = |element: &Element<'_>| is_trail(*element) && !element.is_hidden();
        (!html.lacks(SourceMark::Breadcrumb)).then(|| html.document.elements().find(is_it).map(Element::id)).flatten()
    });
    let holder = html.element((*holder)?)?;
    let steps = steps(html, holder).filter(|steps| leads_here(html, steps))?;
    Some(Trail { node: Some(holder.id()), steps })
}

fn is_trail(element: Element<'_>) -> bool {
    let says =
        |name: &str| element.attribute(name).is_some_and(|value| value.to_ascii_lowercase().contains("breadcrumb"));
    matches!(element.name(), "nav" | "ol" | "ul" | "div" | "p" | "section")
        && (says("aria-label") || says("class") || says("id"))
        && element.descendants().take(MOST_ELEMENTS).any(|below| below.is("a") && below.has("href"))
}

fn steps(html: &Html, holder: Element<'_>) -> Option<Vec<TrailStep>> {
    let mut steps: Vec<TrailStep> = Vec::new();
    for element in holder.descendants().take(MOST_ELEMENTS) {
        if element.is("a") && element.has("href") {
            let url = html.resolve(element.attribute("href")?)?;
            if !matches!(url.scheme(), "http" | "https") {
                return None;
            }
            let is_repeated =
                steps.last().is_some_and(|last| last.url.as_ref().is_some_and(|known| same_page(known, &url)));
            if !is_repeated {
                steps.push(TrailStep { name: step_name(html, element, &url)?, url: Some(url) });
            }
        } else if element.is("li") || element.attribute("aria-current").is_some_and(|kind| kind.trim() == "page") {
            let links = element.descendants().any(|below| below.is("a") && below.has("href"));
            let is_step = !links && element.ancestors().all(|around| !around.is("a"));
            if let Some(name) = is_step.then(|| name(html, element)).flatten()
                && steps.last().is_none_or(|last| last.name != name)
            {
                steps.push(TrailStep { name, url: None });
            }
        }
    }
    let ending = steps.last().filter(|last| last.url.is_some()).and_then(|last| ending(html, holder, last));
    steps.extend(ending);
    (2..=MOST_STEPS).contains(&steps.len()).then_some(steps)
}

/// The page's own name behind the last link, where a trail ends in plain text.
fn ending(html: &Html, holder: Element<'_>, last: &TrailStep) -> Option<TrailStep> {
    let whole = html.as_meant(&holder.read_text(crate::facts::text::is_seen));
    let (_, behind) = whole.rsplit_once(last.name.as_str())?;
    let name = without_site_name(html, &plain(behind)?);
    let is_name = html.headline().is_some_and(|headline| bare(&headline.value) == bare(&name));
    (is_name && name != last.name).then_some(TrailStep { name, url: None })
}

/// The name of a linked step. An image alone that leads home is the site's logo or a house: the site's name stands for it.
fn step_name(html: &Html, link: Element<'_>, url: &Url) -> Option<String> {
    let text = text(link)?;
    if let Some(text) = plain(&text) {
        return Some(html.as_meant(&text));
    }
    let site_name = || html.site_name().filter(|name| name.is_ready()).map(|name| name.value.clone());
    let label = name(html, link).filter(|label| {
        let lower = label.to_lowercase();
        !["logo", "icon", "image", "img"]
            .iter()
            .any(|word| lower.split(|c: char| !c.is_alphanumeric()).any(|part| part == *word))
    });
    match canonical::is_home(url.path()) {
        true => label.filter(|label| !is_site_name(html, label)).or_else(site_name),
        false => label,
    }
}

/// Text of an element without the marks between steps; `None` of one too long for a step.
fn text(element: Element<'_>) -> Option<String> {
    let mut collapsed = Collapsed::default();
    for run in element.texts_where(crate::facts::text::is_seen) {
        collapsed.add(run);
        if collapsed.text.len() > MOST_NAME_BYTES {
            return None;
        }
    }
    Some(collapsed.text)
}

fn plain(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(|c: char| SEPARATORS.contains(&c) || c.is_whitespace());
    Some(text.to_owned()).filter(|text| text.contains(char::is_alphanumeric) && text.chars().count() <= LONGEST_NAME)
}

fn name(html: &Html, element: Element<'_>) -> Option<String> {
    let image = || element.descendants().find(|below| below.is("img"))?.attribute("alt");
    let found = plain(&text(element)?)
        .or_else(|| plain(element.attribute("aria-label")?))
        .or_else(|| plain(image()?))
        .or_else(|| plain(element.attribute("title")?));
    found.map(|name| html.as_meant(&name))
}

/// Whether steps are a trail to this page: only the last may lead nowhere, none before it is this page, and it begins at the
/// home page or goes down from folder to folder. Labels of several categories do neither.
fn leads_here(html: &Html, steps: &[TrailStep]) -> bool {
    let Some((_, before)) = steps.split_last() else { return false };
    // Links to do something with this page are none to a page above it.
    let is_here = |url: &Url| url.path() == html.url.path() && url.host_str() == html.url.host_str();
    if !before.iter().all(|step| step.url.as_ref().is_some_and(|url| !is_here(url))) {
        return false;
    }
    let urls: Vec<&Url> = steps.iter().filter_map(|step| step.url.as_ref()).collect();
    let begins_home = urls.first().is_some_and(|url| canonical::is_home(url.path()));
    let folder = |url: &Url| format!("{}/", url.path().trim_end_matches('/'));
    let goes_down = urls.len() > 1
        && urls.windows(2).all(|pair| matches!(pair, [above, below] if folder(below).starts_with(&folder(above))));
    begins_home || goes_down
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
        let mut step = html.anchors.iter().find_map(|anchor| {
            let url = anchor.url().filter(|url| is_it(url))?;
            Some(TrailStep { name: step_name(html, html.element(anchor.node)?, url)?, url: Some(url.clone()) })
        })?;
        if let Some(url) = &mut step.url {
            url.set_fragment(None);
        }
        steps.push(step);
    }
    let headline = html.headline()?;
    steps.push(TrailStep { name: headline.value.clone(), url: Some(own) });
    Some(Trail { node: None, steps })
}

#[cfg(test)]
mod tests {
    use super::super::testing::html;
    use super::*;

    fn trail(inside: &str) -> Option<Vec<String>> {
        let html = html(&format!(
            "<meta property=og:site_name content='The Mill'><title>Rye bread</title><nav class=breadcrumb>{inside}</nav>"
        ));
        Some(shown(&html)?.steps.into_iter().map(|step| step.name).collect())
    }

    #[test]
    fn a_trail_has_the_steps_that_are_shown() {
        let of = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(trail("<a href=/>Home</a> › <a href=/bread/>Bread</a>"), of(&["Home", "Bread"]));
        assert_eq!(
            trail("<ol><li><a href=/>Home</a><li><a href=/bread/>Bread |</a><li>Rye bread</ol>"),
            of(&["Home", "Bread", "Rye bread"])
        );
        assert_eq!(trail("<a href=/bread/>Bread</a> <a href=/bread/rye/>Rye</a>"), of(&["Bread", "Rye"]));
        let ending = "<a href=/>Home</a> / <a href=/bread/>Bread</a> / <b>Rye bread</b>";
        assert_eq!(trail(ending), of(&["Home", "Bread", "Rye bread"]));
        assert_eq!(trail(&ending.replace("Rye bread", "Rye bread | The Mill")), of(&["Home", "Bread", "Rye bread"]));
    }

    #[test]
    fn its_class_is_read_in_any_letter_case() {
        for class in ["Breadcrumbs", "c-breadCrumb", "BREADCRUMB"] {
            let source = format!("<nav class={class}><a href=/>Home</a> <a href=/bread/>Bread</a></nav>");
            assert!(shown(&html(&source)).is_some(), "{class}");
        }
    }

    #[test]
    fn a_logo_stands_for_the_site() {
        let bread = "<a href=/bread/>Bread</a>";
        for image in ["<img src=/l.svg alt=Logo>", "<img src=/l.svg alt='The Mill logo'>", "<svg></svg>"] {
            let steps = trail(&format!("<a href=/>{image}</a>{bread}")).unwrap();
            assert_eq!(steps, ["The Mill", "Bread"], "{image}");
        }
        assert_eq!(trail(&format!("<a href=/><img src=/h.svg alt=Start></a>{bread}")).unwrap(), ["Start", "Bread"]);
    }

    #[test]
    fn labels_and_actions_are_no_trail() {
        assert_eq!(trail("<a href=/cat/rye/>Rye</a>, <a href=/cat/wheat/>Wheat</a>"), None);
        assert_eq!(trail("<a href=/cat/rye/>Rye</a>"), None);
        assert_eq!(trail("<a href=/>Home</a><a href=/page?print>Print</a><a href=/x>X</a>"), None);
        assert_eq!(trail("<a href=/>Home</a>"), None);
    }
}
