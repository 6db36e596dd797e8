//! What the page calls its content.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::content::is_boilerplate;
use super::site_name::{is_site_name, names_the_site, without_site_name};
use super::{EvidenceSource, Resolved, bare, stated};
use crate::facts::document::Element;
use crate::facts::evidence::DataSubject;
use crate::facts::fitting::{LONGEST_HEADLINE, cut};
use crate::facts::headings::outline;
use crate::facts::page::Html;
use crate::facts::placeholders::{is_placeholder, without_visible_markup};
use crate::facts::words::{parts, without_dangling_separators, words};

/// Of 100 words of a heading, those that the title has at least, and of the title's those that the heading has: then it names
/// the page.
const AGREEING_SHARE: usize = 50;

impl Html {
    /// The headline: the h1 that the title agrees with, else what structured data says, else the heading that the title
    /// repeats, else the social title or the title, without the site's name.
    pub(crate) fn headline(&self) -> Option<&Resolved> {
        self.resolved.headline.get_or_init(|| read(self)).as_ref()
    }
}

/// Text of a heading, or the alternative of its image, without a permalink's sign at its end.
pub(crate) fn heading_text(html: &Html, heading: Element<'_>) -> String {
    let text = html.heading_text(heading);
    let alternative = || heading.descendants().find(|below| below.is("img"))?.attribute("alt");
    let text = if text.is_empty() { Cow::Borrowed(alternative().unwrap_or_default()) } else { text };
    let text = text.trim_end_matches(['¶', '#', '§', '🔗']).trim();
    html.as_meant(without_dangling_separators(text))
}

/// The same without the site's name at an end, but on the home page.
fn own_text(html: &Html, heading: Element<'_>) -> String {
    of_page(html, heading_text(html, heading))
}

/// The same of its text, of which it is a part.
fn of_page(html: &Html, text: String) -> String {
    if html.is_home() { text } else { without_site_name(html, &text) }
}

/// The shown heading that is the page's headline, with its level: it says what the headline says.
pub(crate) fn element(html: &Html) -> Option<(u8, Element<'_>)> {
    let found = html.resolved.headline_element.get_or_init(|| {
        let headline = bare(&html.headline()?.value);
        let says_it = |(_, heading): &(u8, Element<'_>)| {
            let text = heading_text(html, *heading);
            // What is not in the whole is in no part.
            bare(&text).contains(&headline) && bare(&of_page(html, text)) == headline
        };
        outline(html).filter(says_it).min_by_key(|(level, _)| *level).map(|(level, heading)| (level, heading.id()))
    });
    let (level, heading) = (*found)?;
    Some((level, html.element(heading)?))
}

/// The element that a page shows as its headline without marking it as a heading: large type, or a class that says title,
/// before the first paragraph.
pub(crate) fn unmarked(html: &Html) -> Option<(Element<'_>, String)> {
    /// Elements looked at.
    const MOST_ELEMENTS: usize = 2_000;
    /// Bytes of a paragraph that no headline follows.
    const PARAGRAPH: usize = 120;
    let body = html.document.body()?;
    let is_paragraph = |element: &Element<'_>| {
        element.is("p") && element.texts().map(|text| text.trim().len()).sum::<usize>() > PARAGRAPH
    };
    let before = body.descendants().take(MOST_ELEMENTS).take_while(|element| !is_paragraph(element));
    let mut shown = before.filter(|element| is_shown_as_title(*element) && !is_boilerplate(*element, body));
    shown.find_map(|element| {
        let text = heading_text(html, element);
        (!text.is_empty() && text.chars().count() <= LONGEST_HEADLINE).then_some((element, text))
    })
}

/// Whether an element is of large type, or has a class of a post's title.
fn is_shown_as_title(element: Element<'_>) -> bool {
    const CLASSES: [&str; 6] = ["headline", "entry-title", "post-title", "page-title", "article-title", "story-title"];
    /// Of the sizes 1 to 7, from 3 on in relation to the text's.
    const LARGE: [&str; 8] = ["+2", "+3", "+4", "+5", "+6", "5", "6", "7"];
    let size = || element.attribute("size").is_some_and(|size| LARGE.contains(&size.trim()));
    element.is("font") && size()
        || element.is("big")
        || matches!(element.name(), "div" | "p" | "span" | "strong" | "td")
            && CLASSES.iter().any(|class| element.has_token("class", class))
}

fn read(html: &Html) -> Option<Resolved> {
    let usable =
        |text: &String| !text.is_empty() && !is_placeholder(text) && !text.contains("://") && !text.contains("</");
    let whole = |text: &str, source: EvidenceSource| Resolved::high(cut(text, LONGEST_HEADLINE), source);
    let title = html.title().map(|title| without_visible_markup(&html.as_meant(&title))).filter(usable);
    let social = stated(html, "og:title").map(|title| without_visible_markup(&title)).filter(usable);
    let stripped = |text: &String| without_site_name(html, text);
    let titles = Titles { title: title.as_ref().map(stripped), social: social.as_ref().map(stripped) };
    let h1s: Vec<String> = outline(html)
        .filter(|(level, heading)| *level == 1 && !names_the_site(html, *heading))
        .map(|(_, heading)| own_text(html, heading))
        .filter(usable)
        .collect();
    let closest = h1s.iter().rev().map(|h1| (h1, titles.closeness(h1))).max_by_key(|(_, closeness)| *closeness);
    if let Some((h1, NAMES_PAGE..)) = closest {
        return Some(whole(h1, EvidenceSource::H1));
    }
    let of_data = html.subject().headline.as_ref().map(stripped).filter(usable);
    if let Some(of_data) = of_data.filter(|text| titles.closeness(text) > 0 || titles.is_empty()) {
        return Some(whole(&of_data, DataSubject::SOURCE));
    }
    if let Some(heading) = repeated(html, title.as_deref(), titles.social.as_deref()).filter(usable) {
        return Some(whole(&heading, EvidenceSource::Heading));
    }
    if let ([h1], true) = (h1s.as_slice(), titles.is_empty()) {
        return Some(whole(h1, EvidenceSource::H1));
    }
    let of_h1 = closest.filter(|(_, closeness)| *closeness > 0).map(|(h1, _)| Resolved::medium(h1, EvidenceSource::H1));
    of_h1
        .or_else(|| titles.resolved(html, h1s.is_empty()))
        .or_else(|| Some(Resolved::low(cut(h1s.first()?, LONGEST_HEADLINE), EvidenceSource::H1)))
}

/// Closeness from which on a heading names the page.
const NAMES_PAGE: usize = 100;

/// The title and the social title, without the site's name.
struct Titles {
    title: Option<String>,
    social: Option<String>,
}

impl Titles {
    fn is_empty(&self) -> bool {
        self.title.is_none() && self.social.is_none()
    }

    /// How well a heading and the titles agree: 0 where more than half of its words are in none; else the share of the words
    /// of a title that it has, with [`NAMES_PAGE`] from half of them on; most where it is a title, or a part of one with other
    /// parts behind it.
    fn closeness(&self, heading: &str) -> usize {
        let own: BTreeSet<String> = words(heading).collect();
        let bare_heading = bare(heading);
        let of_one = |title: &String| {
            let parts = parts(title);
            let is_leading_part = parts
                .split_last()
                .is_some_and(|(_, leading)| leading.iter().any(|(_, part)| bare(part) == bare_heading));
            if bare(title) == bare_heading || is_leading_part {
                return 3 * NAMES_PAGE;
            }
            let all: BTreeSet<String> = words(title).collect();
            let known = own.intersection(&all).count();
            if known == 0 || known * 100 < AGREEING_SHARE * own.len() {
                return 0;
            }
            let share = known * 100 / all.len();
            if share >= AGREEING_SHARE { NAMES_PAGE + share } else { share.max(1) }
        };
        self.title.iter().chain(&self.social).map(of_one).max().unwrap_or_default()
    }

    /// The titles themselves as headline. Certain where both say the same or nothing of one is left that may be a name or a
    /// category, and no h1 says something else.
    fn resolved(&self, html: &Html, has_no_h1: bool) -> Option<Resolved> {
        let is_one_part = |text: &String| parts(text).len() == 1 && !is_site_name(html, text);
        let made = |text: &String, source: EvidenceSource, is_certain: bool| {
            let value = cut(text, LONGEST_HEADLINE);
            if is_certain && has_no_h1 { Resolved::high(value, source) } else { Resolved::medium(value, source) }
        };
        match (&self.social, &self.title) {
            (Some(social), Some(title)) => {
                // The title goes on with a name or a category behind what the social title says.
                let begins = bare(title).starts_with(&bare(social));
                Some(made(social, EvidenceSource::SocialTitle, begins && is_one_part(social) && !html.is_home()))
            }
            (Some(social), None) => {
                Some(made(social, EvidenceSource::SocialTitle, is_one_part(social) && !html.is_home()))
            }
            (None, Some(title)) => Some(made(title, EvidenceSource::Title, is_one_part(title) && !html.is_home())),
            (None, None) => None,
        }
    }
}

/// The lower heading that a part of the title, or the social title, repeats: on a site whose h1 is its name or slogan.
fn repeated(html: &Html, title: Option<&str>, social: Option<&str>) -> Option<String> {
    let wanted: BTreeSet<String> = title
        .map(parts)
        .into_iter()
        .flatten()
        .map(|(_, part)| part)
        .chain(title)
        .chain(social)
        .map(bare)
        .filter(|part| !part.is_empty())
        .collect();
    let headings = outline(html).filter(|(level, heading)| *level > 1 && !html.listed.is_around(*heading));
    // What is not in the whole is in no part, and most headings have none.
    let with_one = headings.filter_map(|(_, heading)| {
        let text = heading_text(html, heading);
        let whole = bare(&text);
        wanted.iter().any(|part| whole.contains(part.as_str())).then_some((heading, text))
    });
    with_one
        .filter(|(heading, _)| !names_the_site(html, *heading))
        .map(|(_, text)| of_page(html, text))
        .find(|text| wanted.contains(&bare(text)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::html;
    use super::*;

    fn check(source: &str, expected: &str, from: EvidenceSource, is_ready: bool) {
        let html = html(source);
        let headline = html.headline().unwrap();
        let found = (headline.value.as_str(), headline.source, headline.is_ready());
        assert_eq!(found, (expected, from, is_ready), "{source}");
    }

    #[test]
    fn the_headline_is_the_heading_that_the_title_repeats() {
        const SITE: &str = "<meta property=og:site_name content='The Mill'>";
        let of = |rest: &str| format!("<title>Rye bread | The Mill</title>{SITE}{rest}");
        check(&of("<h1>Rye bread ¶</h1>"), "Rye bread", EvidenceSource::H1, true);
        check(&of("<h1>The Mill</h1><h2>Rye bread</h2>"), "Rye bread", EvidenceSource::Heading, true);
        check(
            &of("<h1><img src=/logo.png alt='The Mill'></h1><h2>Rye<br>bread |</h2>"),
            "Rye bread",
            EvidenceSource::Heading,
            true,
        );
        check(&of("<h1>Rye bread – The Mill</h1>"), "Rye bread", EvidenceSource::H1, true);
        check(&of("<h1>Since 1932</h1>"), "Rye bread", EvidenceSource::Title, false);
        check(&of("<h1>Baked slowly</h1><h1>Our rye bread</h1>"), "Our rye bread", EvidenceSource::H1, true);
    }

    #[test]
    fn what_only_a_title_says_is_certain_only_without_a_part_that_may_be_a_name() {
        check("<title>Rye bread</title>", "Rye bread", EvidenceSource::Title, true);
        check("<title>Rye bread | Loaves</title>", "Rye bread | Loaves", EvidenceSource::Title, false);
        check("<title>Rye bread | Example</title>", "Rye bread", EvidenceSource::Title, true);
        check("<title>Rye bread |</title>", "Rye bread", EvidenceSource::Title, true);
        let both = "<title>Rye bread | Loaves</title><meta property=og:title content='Rye bread'>";
        check(both, "Rye bread", EvidenceSource::SocialTitle, true);
        let other = "<title>Rye bread</title><meta property=og:title content='You will not believe this loaf'>";
        check(other, "You will not believe this loaf", EvidenceSource::SocialTitle, false);
        // Two h1: the one that says more of the title, not the name of a site that nothing else tells.
        let two = "<title>Rye bread in a clay oven · V8</title><h1>V8</h1><h1>Rye bread in a clay oven</h1>";
        check(two, "Rye bread in a clay oven", EvidenceSource::H1, true);
        let name = "<title>Loaves: rye bread in a clay oven by the river</title><h1>Loaves</h1>";
        check(name, "Loaves", EvidenceSource::H1, false);
        check("<h1>Rye bread</h1>", "Rye bread", EvidenceSource::H1, true);
        // Nor is the name that only the title's end and the header of the site have.
        let header = "<title>Rye bread | Loaves</title><header><h1>Loaves</h1></header><h2>Rye bread</h2>";
        check(header, "Rye bread", EvidenceSource::Heading, true);
    }

    #[test]
    fn structured_data_names_the_page_where_no_heading_does() {
        let data = "<title>Rye bread - Loaves</title><script type=application/ld+json>\
            {\"@type\":\"Article\",\"headline\":\"Our rye bread\"}</script>";
        check(data, "Our rye bread", EvidenceSource::StructuredData, true);
    }
}
