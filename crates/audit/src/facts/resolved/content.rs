//! The element that holds the page's main content, and what in it is not content.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::facts::document::{Element, Namespace};
use crate::facts::listed::is_around;
use crate::facts::page::Html;
use crate::facts::visibility::hides;
use crate::facts::word_set::WordSet;

/// Classes and ids that systems give to the content of a page, with their systems in the file.
static CONTENT_CLASSES: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::of_lines(include_str!("../../data/content_classes.txt")));
/// Words in classes and ids of parts that are not content, such as dialogs and menus.
static OTHER_CLASSES: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::of_lines(include_str!("../../data/boilerplate_classes.txt")));
/// Words by which a text shows that it is of a dialog or a box of the site, by language.
const OTHER_PHRASES: &str = include_str!("../../data/boilerplate_phrases.txt");

fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

/// Class and id of an element, word by word and in lower case: `entry-content` stays one, and so do its parts in
/// `parts_of_name`.
fn names(element: Element<'_>) -> impl Iterator<Item = Cow<'_, str>> {
    let values = ["class", "id"].into_iter().filter_map(move |name| element.attribute(name));
    values.flat_map(str::split_ascii_whitespace).map(|name| match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(name.to_ascii_lowercase()),
        false => Cow::Borrowed(name),
    })
}

impl Html {
    /// The element of the main content, where the markup says which it is: `main`, a single `article`, the body of an
    /// article in microdata, or a class that a common system gives it.
    pub(crate) fn content(&self) -> Option<Element<'_>> {
        let id = self.resolved.of_body.content.get_or_init(|| marked(self).map(Element::id));
        self.element((*id)?)
    }
}

fn marked(html: &Html) -> Option<Element<'_>> {
    let body = html.document.body()?;
    let mut mains = html.elements(&html.listed.mains);
    if let Some(main) = mains.find(|main| !main.is_hidden() && !main.is_in_head()) {
        return Some(main);
    }
    let is_outer = |article: &Element<'_>| !article.ancestors().any(|around| around.is("article"));
    let mut articles =
        html.elements(&html.listed.articles).filter(|article| !article.is_in_head() && is_outer(article));
    if let Some(only) = articles.next().filter(|_| articles.next().is_none()) {
        return Some(only);
    }
    let mut classed = None;
    for element in body.descendants() {
        if element.has_token("itemprop", "articleBody") {
            return Some(element);
        }
        let has_class = || names(element).any(|name| CONTENT_CLASSES.contains(&name));
        if classed.is_none() && matches!(element.name(), "div" | "section" | "article" | "td") && has_class() {
            classed = Some(element);
        }
    }
    classed
}

/// Whether an element or one around it, up to `within`, is a part that many pages of a site have alike: a landmark, a
/// dialog, a form, or what its class calls a menu, a banner, a sidebar or the like.
pub(crate) fn is_boilerplate(element: Element<'_>, within: Element<'_>) -> bool {
    std::iter::once(element)
        .chain(element.ancestors().take_while(|around| *around != within))
        .any(|one| hides(one) || is_other_part(one))
}

fn is_other_part(element: Element<'_>) -> bool {
    const ROLES: [&str; 9] =
        ["dialog", "alertdialog", "alert", "navigation", "banner", "contentinfo", "complementary", "search", "menu"];
    let name = element.name();
    if matches!(name, "body" | "html" | "main" | "article") {
        return false;
    }
    let is_named = element.namespace() == Namespace::Html
        && (is_around(name) || matches!(name, "dialog" | "form" | "figure" | "blockquote" | "button" | "label"));
    let has_role = || {
        let mut roles = element.attribute("role").unwrap_or_default().split_ascii_whitespace();
        roles.any(|role| ROLES.iter().any(|known| role.eq_ignore_ascii_case(known)))
    };
    is_named || has_role() || has_other_class(element)
}

/// Whether a word in the class or id of an element names a part that is not content.
pub(crate) fn has_other_class(element: Element<'_>) -> bool {
    /// Words of names that tell of a part beside or inside of the element: `has-sidebar`, `content-sidebar-wrap`.
    const LAYOUT: [&str; 10] =
        ["has", "no", "with", "without", "wrap", "wrapper", "container", "content", "main", "layout"];
    names(element).any(|name| {
        let parts = || name.split(['-', '_', ':', '/']);
        parts().any(|part| OTHER_CLASSES.contains(part))
            && parts().all(|part| !LAYOUT.contains(&part))
            && !CONTENT_CLASSES.contains(&name)
    })
}

/// Whether a text speaks of cookies, of a newsletter, of scripts that are off or the like, as boxes of a site do, and the
/// page is not about that. `subject`: title and headings of the page.
pub(crate) fn speaks_of_the_site(text: &str, subject: &str) -> bool {
    let (text, subject) = (text.to_lowercase(), subject.to_lowercase());
    lines(OTHER_PHRASES).any(|phrase| text.contains(phrase) && !subject.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::super::testing::html;
    use super::*;

    #[test]
    fn the_content_is_where_the_markup_says() {
        let named = |source: &str| html(source).content().map(|element| element.selector());
        assert!(named("<div><p>x</div>").is_none());
        for (source, end) in [
            ("<article>a</article><main>b</main>", "main"),
            ("<article>a<article>b</article></article>", "article"),
            ("<article>a</article><article>b</article><div class='x entry-content'>c</div>", "div"),
            ("<div itemprop=articleBody>c</div>", "div"),
        ] {
            assert!(named(source).is_some_and(|selector| selector.contains(end)), "{source}");
        }
    }

    #[test]
    fn boxes_of_the_site_are_no_content() {
        let of = |source: &str| {
            let html = html(source);
            let body = html.document.body().unwrap();
            let paragraph = body.descendants().find(|element| element.is("p")).unwrap();
            is_boilerplate(paragraph, body)
        };
        for source in [
            "<nav><p>a</nav>",
            "<div role=dialog><p>a</div>",
            "<div class='cookie-banner'><div><p>a</div></div>",
            "<div id=newsletter_box><p>a</div>",
            "<form><p>a</form>",
            "<div style='display:none'><p>a</div>",
        ] {
            assert!(of(source), "{source}");
        }
        for source in ["<div class=story><p>a</div>", "<article class='has-sidebar'><p>a</article>"] {
            assert!(!of(source), "{source}");
        }
    }

    #[test]
    fn what_a_page_is_about_is_no_box() {
        assert!(speaks_of_the_site("We use cookies to make this site better.", "Rye bread"));
        assert!(!speaks_of_the_site("How browsers keep cookies.", "Cookies explained"));
        assert!(!speaks_of_the_site("Mix rye flour with water.", "Rye bread"));
    }
}
