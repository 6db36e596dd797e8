//! A title for results, and one for shared links.

use std::collections::BTreeSet;

use super::site_name::{is_site_name, without_site_name};
use super::{EvidenceSource, Resolved};
use crate::facts::fitting::{self, LONGEST_HEADLINE, WIDEST_TITLE_PX};
use crate::facts::font_metrics::title_px;
use crate::facts::page::Html;
use crate::facts::placeholders::{is_placeholder, is_title, without_visible_markup};
use crate::facts::words::{parts, stems, without_dangling_separators};

/// What the page's title says, or where that is none a title that fits a result: the headline with the site's name behind it
/// where there is room.
pub(crate) fn of_page(html: &Html) -> Option<Resolved> {
    let declared = html.title().map(|title| html.as_meant(&title)).filter(|title| is_title(title));
    declared.map(|title| Resolved::high(title, EvidenceSource::Title)).or_else(|| made(html))
}

/// A title out of what the page says elsewhere.
pub(crate) fn made(html: &Html) -> Option<Resolved> {
    let headline = html.headline().filter(|headline| headline.source != EvidenceSource::Title)?;
    let site_name = html.site_name().filter(|name| name.is_ready() && !headline.value.contains(&name.value));
    let both = site_name
        .map(|name| format!("{} - {}", headline.value, name.value))
        .filter(|title| title_px(title) <= WIDEST_TITLE_PX && is_title(title));
    let source = match (headline.source, both.is_some()) {
        (EvidenceSource::H1, true) => EvidenceSource::H1AndSiteName,
        (EvidenceSource::Heading, true) => EvidenceSource::HeadingAndSiteName,
        (EvidenceSource::StructuredData, true) => EvidenceSource::DataAndSiteName,
        (EvidenceSource::SocialTitle, true) => EvidenceSource::SocialTitleAndSiteName,
        (other, _) => other,
    };
    let value = both.unwrap_or_else(|| fitting::title(&headline.value));
    is_title(&value).then_some(Resolved { value, source, confidence: headline.confidence })
}

/// A title for shared links: the headline, without the site's name; of the home page its title.
pub(crate) fn for_sharing(html: &Html) -> Option<Resolved> {
    let declared = html.title().map(|title| without_visible_markup(&html.as_meant(&title)));
    let declared = declared.filter(|title| html.is_home() && !title.is_empty() && !is_placeholder(title));
    if let Some(title) = declared {
        return Some(Resolved::high(without_dangling_separators(&title), EvidenceSource::Title));
    }
    // The site's name alone says nothing of a page below it.
    let headline = html.headline().filter(|headline| html.is_home() || !is_site_name(html, &headline.value));
    // Whatever the h1 says: a title that holds no other part is what its author calls the page.
    let stripped = html.title().map(|title| without_site_name(html, &without_visible_markup(&html.as_meant(&title))));
    let own = stripped.filter(|title| is_title(title) && parts(title).len() == 1 && !is_site_name(html, title));
    let of_title = || Some(Resolved::high(fitting::cut(&own?, LONGEST_HEADLINE), EvidenceSource::Title));
    match headline {
        Some(headline) if headline.is_ready() => Some(headline.clone()),
        // An h1 that is a small part of the title may be the site's name in it.
        Some(part) if part.source == EvidenceSource::H1 => {
            let confidence = part.confidence;
            of_title().map(|title| Resolved { confidence, ..title }).or_else(|| Some(part.clone()))
        }
        // One title for a whole site or book says nothing of this page.
        other => {
            let is_disputed = |title: &Resolved| disputes(html, &title.value);
            let title = of_title().map(|title| match is_disputed(&title) {
                true => Resolved::medium(title.value, title.source),
                false => title,
            });
            title.or_else(|| other.cloned())
        }
    }
}

/// Whether every h1 of the page calls it something else: none shares a word with the title.
fn disputes(html: &Html, title: &str) -> bool {
    let of_title: BTreeSet<String> = stems(title).collect();
    let h1s: Vec<BTreeSet<String>> = html.h1_texts().iter().map(|h1| stems(&html.as_meant(h1)).collect()).collect();
    let mut said = h1s.iter().filter(|h1| h1.len() > 1).peekable();
    said.peek().is_some() && said.all(|h1| h1.is_disjoint(&of_title))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, html};
    use super::*;

    #[test]
    fn a_made_title_is_the_headline_with_the_sites_name_where_there_is_room() {
        let of = |source: &str| made(&html(source)).map(|title| title.value);
        const SITE: &str = "<meta property=og:site_name content='The Mill'>";
        assert_eq!(of(&format!("{SITE}<h1>Rye bread</h1>")).as_deref(), Some("Rye bread - The Mill"));
        assert_eq!(of(&format!("{SITE}<h1>The Mill's rye bread</h1>")).as_deref(), Some("The Mill's rye bread"));
        assert_eq!(of(&format!("{SITE}<h1>The Mill</h1>")), None);
        let long = format!("{SITE}<h1>Rye bread that is baked for an hour in a clay oven beside the river</h1>");
        assert!(!of(&long).unwrap().contains("Mill"));
    }

    #[test]
    fn a_title_that_the_h1_knows_nothing_of_is_a_draft() {
        let of = |source: &str| for_sharing(&html(source)).map(|title| (title.value.clone(), title.is_ready()));
        let title = "The Baker's Handbook";
        let page = |h1: &str| format!("<title>{title}</title><h1>{h1}</h1>");
        assert_eq!(of(&page("Sourdough in winter")), Some((title.to_owned(), false)));
        assert_eq!(of(&page("Winter")), Some((title.to_owned(), true)));
        assert_eq!(of(&page("A handbook for winter")).map(|(_, is_ready)| is_ready), Some(true));
    }

    #[test]
    fn a_title_for_sharing_lacks_the_sites_name_but_on_the_home_page() {
        const SOURCE: &str = "<title>Rye bread | Example |</title>";
        let of = |url: &str| for_sharing(&at(url, SOURCE)).unwrap().value;
        assert_eq!(of("https://example.com/rye"), "Rye bread");
        assert_eq!(of("https://example.com/"), "Rye bread | Example");
    }
}
