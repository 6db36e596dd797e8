//! Images of the content: which they are, how they load, and what a script puts in their place.

use std::collections::HashSet;

use super::document::{Element, NodeId, trimmed};
use super::image_room::{is_content, side};
use super::listed::is_common_part;
use super::page::Html;
use super::visibility::hides;

/// Pixels of a stated side below which an image is an ornament.
pub const SMALL: u32 = 200;
/// Attributes in which scripts keep the address of an image that they load later.
const LATER: [&str; 6] = ["data-src", "data-lazy-src", "data-lazy", "data-original", "data-srcset", "data-lazy-srcset"];
/// Parts of file names of pictures that stand in for others.
const STAND_INS: [&str; 10] =
    ["placeholder", "blank", "spacer", "transparent", "1x1", "pixel", "loading", "loader", "lazy", "grey.gif"];

/// Images of the content that are no ornaments, in order: outside of header, nav, footer and aside, shown, and with no side
/// stated below [`SMALL`].
pub fn content_images(html: &Html) -> impl Iterator<Item = Element<'_>> {
    let is_small = |image| ["width", "height"].iter().any(|name| side(image, name).is_some_and(|side| side < SMALL));
    html.elements(&html.images)
        .filter(move |image| !is_small(*image) && is_content(html, *image))
        .filter(|image| image.has("src") || image.has("srcset") || later(*image).is_some())
        .filter(|image| !html.listed.is_unseen(*image))
}

/// The address that a script is to load, by the attribute that holds it.
pub fn later(image: Element<'_>) -> Option<(&'static str, &str)> {
    LATER.iter().find_map(|name| Some((*name, image.attribute(name).filter(|value| !value.trim().is_empty())?)))
}

/// Whether what an image shows before any script runs only stands in for it.
pub fn is_stand_in(image: Element<'_>) -> bool {
    let src = image.attribute("src").unwrap_or_default();
    let has_set =
        image.attribute("srcset").is_some_and(|set| !set.trim().is_empty() && !set.trim().starts_with("data:"));
    !has_set && stands_in(src)
}

/// Whether an address is of a picture that stands in for another one, or of none.
pub(crate) fn stands_in(src: &str) -> bool {
    let src = src.trim();
    let file = src.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let file = file.to_ascii_lowercase();
    src.is_empty() || src.starts_with("data:") || src == "#" || STAND_INS.iter().any(|name| file.contains(name))
}

/// Images beside a `noscript` that holds an image: what is shown where no script runs.
pub fn with_fallback(html: &Html) -> HashSet<NodeId> {
    let holds_image =
        |noscript: &Element<'_>| noscript.texts().any(|text| text.contains("<img") || text.contains("<IMG"));
    let mut out = HashSet::new();
    let noscripts: HashSet<NodeId> =
        html.elements(&html.listed.noscripts).filter(holds_image).map(Element::id).collect();
    for noscript in noscripts.iter().filter_map(|id| html.element(*id)) {
        out.extend(noscript.next_element().map(Element::id));
    }
    for image in html.elements(&html.images) {
        let holder = image.parent();
        let is_beside =
            |element: Element<'_>| element.next_element().is_some_and(|next| noscripts.contains(&next.id()));
        if is_beside(image) || holder.is_some_and(|holder| is_beside(holder) || out.contains(&holder.id())) {
            out.insert(image.id());
        }
    }
    out
}

/// Whether an image asks to be loaded when it comes near.
pub fn is_lazy(element: Element<'_>) -> bool {
    element.attribute("loading").is_some_and(|loading| loading.trim().eq_ignore_ascii_case("lazy"))
}

/// Whether an image is fetched before others on purpose.
pub fn is_preferred(image: Element<'_>) -> bool {
    image.attribute("fetchpriority").is_some_and(|priority| priority.trim().eq_ignore_ascii_case("high"))
}

/// Shown elements, of those that have an address of their own, in front of which more than so many characters of running text
/// stand: nobody sees them at first. Text of menus and the like is left out: it stands beside the content, opens on demand, or
/// is one line.
pub fn far_down<'h>(html: &'h Html, characters: usize, wanted: impl Fn(Element<'h>) -> bool) -> Vec<Element<'h>> {
    let Some(body) = html.document.body() else { return Vec::new() };
    let document = &html.document;
    let mut seen = 0;
    let mut unseen_until: Option<NodeId> = None;
    let mut uncounted_until: Option<NodeId> = None;
    let mut is_in_body = false;
    // Those that come next.
    let mut addressed = html.addressed.as_slice();
    for id in document.nodes() {
        if let Some((_, behind)) = addressed.split_first().filter(|(next, _)| **next == id) {
            addressed = behind;
        }
        is_in_body |= id == body.id();
        for until in [&mut unseen_until, &mut uncounted_until] {
            if *until == Some(id) {
                *until = None;
            }
        }
        if unseen_until.is_some() || !is_in_body {
            continue;
        }
        // A part that goes on to the end of the document: no node below the document is the document.
        let end = || document.after(id).unwrap_or(NodeId::DOCUMENT);
        match document.element(id) {
            Some(element) => {
                let is_data = ["script", "style", "noscript", "template"].iter().any(|name| element.is(name));
                if is_data || id != body.id() && hides(element) {
                    unseen_until = Some(end());
                }
                if uncounted_until.is_none() && is_beside_text(element) {
                    uncounted_until = Some(end());
                }
            }
            None if uncounted_until.is_none() => {
                seen += document.texts(id).map(|text| trimmed(text).chars().count()).sum::<usize>();
                if seen > characters {
                    let behind = html.elements(addressed);
                    return behind.filter(|element| wanted(*element) && !html.listed.is_unseen(*element)).collect();
                }
            }
            None => {}
        }
    }
    Vec::new()
}

/// Whether the text of an element fills no room of the content: what pages have in common, menus, dialogs, choices of a
/// field, and entries of lists that are links.
fn is_beside_text(element: Element<'_>) -> bool {
    const ROLES: [&str; 10] = [
        "navigation",
        "banner",
        "contentinfo",
        "complementary",
        "search",
        "menu",
        "menubar",
        "dialog",
        "alertdialog",
        "listbox",
    ];
    is_common_part(element)
        || ["select", "dialog", "datalist"].iter().any(|name| element.is(name))
        || element
            .attribute("role")
            .is_some_and(|role| ROLES.iter().any(|known| role.trim().eq_ignore_ascii_case(known)))
        || element.is("a") && element.parent().is_some_and(|parent| parent.is("li"))
}
