//! A description of the page in its own words.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::content::{has_other_class, is_boilerplate, speaks_of_the_site};
use super::{EvidenceSource, Resolved, bare, best, headline, stated};
use crate::facts::document::{Element, collapse};
use crate::facts::evidence::DataSubject;
use crate::facts::fitting::{self, SHORTEST_DESCRIPTION};
use crate::facts::font_metrics::columns;
use crate::facts::page::Html;
use crate::facts::placeholders::{is_placeholder_description, without_visible_markup};
use crate::facts::sentences::{is_cut_off, is_ended};
use crate::facts::text::is_seen;
use crate::facts::visibility::hides;
use crate::facts::word_set::WordSet;
use crate::facts::words::{stems, words};

/// Characters that a description has at least.
const LEAST_CHARACTERS: usize = 50;
/// Words of the filler text and of what generators make of it, without those that are words of living languages.
static FILLER: LazyLock<WordSet> = LazyLock::new(|| WordSet::of(FILLER_WORDS.split(' ')));
const FILLER_WORDS: &str = "adipisci adipisicing adipiscing aliqua aliquip blanditiis cillum consectetur cupidatat cupiditate \
    deleniti deserunt dolorum doloribus doloremque eiusmod exercitationem excepteur fugiat incididunt laborum labore \
    laudantium maiores molestias mollitia necessitatibus occaecat pariatur perferendis perspiciatis praesentium proident \
    quibusdam recusandae repellendus reprehenderit tempor ullamco veniam voluptas voluptate voluptatem voluptatum";
/// Of so many words of a text one is of the filler text, and so many at least: then it is filler.
const FILLER_SHARE: usize = 5;
const LEAST_FILLER: usize = 3;

impl Html {
    /// The description: what a tag says that is meant for it, else structured data, the social tags, or the first paragraph
    /// of the main content, up to a whole sentence.
    pub(crate) fn description(&self) -> Option<&Resolved> {
        self.resolved.description.get_or_init(|| read(self)).as_ref()
    }
}

fn read(html: &Html) -> Option<Resolved> {
    let title = html.title().map(|title| html.as_meant(&title).to_lowercase()).unwrap_or_default();
    let declared = html.meta("description").map(|text| html.as_meant(text));
    let says_more = |text: &String| !is_placeholder_description(text) && text.to_lowercase() != title;
    match declared.filter(says_more) {
        // Copied as it is, a text that was cut would be shown cut in more places.
        Some(declared) if is_cut_off(&declared, language(html)) || goes_on(html, &declared) => {
            made(html).or_else(|| Some(Resolved::medium(declared, EvidenceSource::MetaDescription)))
        }
        Some(declared) => Some(Resolved::high(declared, EvidenceSource::MetaDescription)),
        None => made(html),
    }
}

/// The primary subtag of the language that `<html>` declares.
fn language(html: &Html) -> Option<&str> {
    let root = html.document.elements().find(|element| element.is("html"))?;
    root.attribute("lang")?.trim().split(['-', '_']).next().filter(|code| !code.is_empty())
}

/// A description out of what the page says elsewhere than in a sound tag.
fn made(html: &Html) -> Option<Resolved> {
    let candidates: [&dyn Fn() -> Option<Resolved>; 5] = [
        &|| told(html, &stated(html, "description")?, EvidenceSource::MetaDescription),
        &|| told(html, html.subject().description.as_deref()?, DataSubject::SOURCE),
        &|| told(html, &stated(html, "og:description")?, EvidenceSource::SocialDescription),
        &|| told(html, &stated(html, "twitter:description")?, EvidenceSource::TwitterDescription),
        &|| first_paragraph(html),
    ];
    best(candidates.into_iter().filter_map(|candidate| candidate()))
}

/// What the page tells programs of itself: certain, unless it was cut, is of the whole site, or speaks of cookies and the
/// like.
fn told(html: &Html, text: &str, source: EvidenceSource) -> Option<Resolved> {
    let text = describing(html, &without_visible_markup(text))?;
    let is_of_site = || !html.is_home() && html.subject().of_site.iter().any(|known| bare(known) == bare(&text));
    if speaks_of_the_site(&text, &subject(html)) || is_of_site() {
        return Some(Resolved::low(fitting::description(&text).text, source));
    }
    let fitted = fitting::description(&text);
    let is_whole = fitted.is_whole && !is_cut_off(&fitted.text, language(html)) && !goes_on(html, &fitted.text);
    Some(if is_whole { Resolved::high(fitted.text, source) } else { Resolved::medium(fitted.text, source) })
}

/// The first paragraph of the main content that is prose of the page. Certain where the markup says which part is the
/// content, or the paragraph follows the headline as its sibling; it ends where a sentence does; and it says a word of
/// the headline.
pub(crate) fn first_paragraph(html: &Html) -> Option<Resolved> {
    let body = html.document.body()?;
    let content = html.content();
    let heading = headline::element(html).map(|(_, heading)| heading);
    let within = content.or_else(|| heading?.parent()).unwrap_or(body);
    let is_beside_headline = |paragraph: Element<'_>| {
        heading.is_some_and(|heading| {
            let starts = |element: Element<'_>| element.start_tag().map(|span| span.start);
            heading.parent() == paragraph.parent() && starts(heading) < starts(paragraph)
        })
    };
    let about = subject(html);
    let headline = html.headline().map(|headline| headline.value.as_str()).unwrap_or_default();
    let topics: BTreeSet<String> = stems(headline).collect();
    let is_prose = |paragraph: Element<'_>| {
        !has_other_class(paragraph) && !is_boilerplate(paragraph, within) && !is_of_links(paragraph)
    };
    // Most paragraphs are short, which is told before they are read and what stands around them is looked at. A character takes
    // no more columns than bytes, and what is read has at most a space between two runs.
    let may_be_long = |paragraph: &Element<'_>| {
        paragraph.texts().map(|run| run.len() + 1).sum::<usize>() > LEAST_CHARACTERS.min(SHORTEST_DESCRIPTION)
    };
    let shown = within.descendants().filter(|element| element.is("p") && may_be_long(element) && !element.is_hidden());
    let mut paragraphs = shown.filter_map(|paragraph| {
        let text = describing(html, &without_visible_markup(&html.as_meant(&shown_text(paragraph))))?;
        is_prose(paragraph).then_some((paragraph, text))
    });
    // A later one would begin in the middle of what the page says.
    let (paragraph, text) = paragraphs.next()?;
    if speaks_of_the_site(&text, &about) {
        // A box of the site, or the lead of a text on such things: what follows is no more than a guess.
        let (_, next) = paragraphs.find(|(_, text)| !speaks_of_the_site(text, &about))?;
        let fitted = fitting::description(&next);
        return (columns(&fitted.text) >= SHORTEST_DESCRIPTION)
            .then(|| Resolved::low(fitted.text, EvidenceSource::Paragraph));
    }
    let fitted = fitting::description(&text);
    if columns(&fitted.text) < SHORTEST_DESCRIPTION {
        return None;
    }
    let is_placed = content.is_some() || is_beside_headline(paragraph);
    let is_lead = is_placed && stems(&text).any(|stem| topics.contains(&stem));
    Some(match is_lead && fitted.is_whole && is_ended(&fitted.text) {
        true => Resolved::high(fitted.text, EvidenceSource::Paragraph),
        false if is_placed => Resolved::medium(fitted.text, EvidenceSource::Paragraph),
        false => Resolved::low(fitted.text, EvidenceSource::Paragraph),
    })
}

/// What the page is about: its title and headings, in which words of dialogs may be the subject.
fn subject(html: &Html) -> String {
    let headline = html.headline().map(|headline| headline.value.clone());
    html.title().map(|title| html.as_meant(&title)).into_iter().chain(headline).collect::<Vec<_>>().join("\n")
}

/// Text of an element, without scripts, styles and what is hidden in it.
fn shown_text(element: Element<'_>) -> String {
    element.read_text(|below| is_seen(below) && !hides(below) && !below.is("sup"))
}

/// Whether half of a paragraph or more is links: a trail or a menu.
fn is_of_links(paragraph: Element<'_>) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let of_links: usize =
        paragraph.descendants().filter(|below| below.is("a")).map(|link| letters(&shown_text(link))).sum();
    of_links * 2 >= letters(&shown_text(paragraph))
}

/// A text that can be a description: long enough, of words rather than numbers and signs, and more than the title.
fn describing(html: &Html, text: &str) -> Option<String> {
    let is_long =
        text.chars().take(LEAST_CHARACTERS).count() == LEAST_CHARACTERS || columns(text) >= SHORTEST_DESCRIPTION;
    let letters = || text.chars().filter(|c| c.is_alphabetic()).count();
    let is_prose = || letters() * 2 >= text.chars().filter(|c| !c.is_whitespace()).count();
    let says_more = || {
        let title = html.title().map(|title| html.as_meant(&title).to_lowercase()).unwrap_or_default();
        let lower = text.to_lowercase();
        !is_placeholder_description(text) && !is_filler(text) && lower != title
    };
    (is_long && is_prose() && says_more()).then(|| text.to_owned())
}

/// Whether a text is filler that was never replaced; a later paragraph of it has no “lorem ipsum”.
fn is_filler(text: &str) -> bool {
    let (mut all, mut known) = (0, 0);
    for word in words(text) {
        all += 1;
        known += usize::from(FILLER.contains(&word));
    }
    known >= LEAST_FILLER && known * FILLER_SHARE >= all
}

/// Whether the page says the same text on cards and goes on with a letter: it was cut there, within a word.
fn goes_on(html: &Html, text: &str) -> bool {
    ["og:description", "twitter:description"].into_iter().any(|key| {
        let other = stated(html, key).map(|other| collapse(&other));
        let rest = other.as_deref().and_then(|other| other.strip_prefix(collapse(text).as_str()));
        rest.is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::html;
    use super::*;

    const LEAD: &str = "A dark loaf of rye flour, water and salt, baked slowly in a clay oven.";

    fn check(source: &str, expected: Option<(&str, EvidenceSource, bool)>) {
        let html = html(source);
        let found = html.description().map(|one| (one.value.as_str(), one.source, one.is_ready()));
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn tags_meant_for_it_come_first_even_misspelt() {
        check(
            &format!("<meta name=description content='{LEAD}'>"),
            Some((LEAD, EvidenceSource::MetaDescription, true)),
        );
        check(&format!("<meta name=description value='{LEAD}'>"), Some((LEAD, EvidenceSource::MetaDescription, true)));
        let social = format!("<meta property=og:description content='{LEAD}'>");
        check(&social, Some((LEAD, EvidenceSource::SocialDescription, true)));
    }

    #[test]
    fn a_tag_that_stops_within_a_sentence_gives_its_whole_sentences() {
        let cut = format!("<html lang=en><meta name=description content='{LEAD} It shows how rye was sown in'>");
        check(&cut, Some((LEAD, EvidenceSource::MetaDescription, true)));
        const ONE: &str = "It shows how rye was sown by hand and cut with a scythe in";
        check(
            &format!("<html lang=en><meta name=description content='{ONE}'>"),
            Some((ONE, EvidenceSource::MetaDescription, false)),
        );
    }

    #[test]
    fn a_tag_that_the_social_one_goes_on_from_within_a_word_was_cut_there() {
        const WHOLE: &str = "A dark loaf of rye flour, water and salt, baked slowly in the clay ovens of the valley.";
        let page = |cut: usize| {
            let (start, _) = WHOLE.split_at(cut);
            format!("<meta name=description content='{start}'><meta property=og:description content='{WHOLE}'>")
        };
        let at = |word: &str| WHOLE.find(word).unwrap();
        check(&page(at("vens")), Some((WHOLE, EvidenceSource::SocialDescription, true)));
        // A shorter text of its own.
        let short = WHOLE.split_at(at(" of the valley")).0;
        check(&page(at(" of the valley")), Some((short, EvidenceSource::MetaDescription, true)));
    }

    #[test]
    fn the_lead_of_the_content_is_certain() {
        let of = |body: &str| format!("<title>Rye bread</title>{body}");
        let lead = format!("<p>{LEAD}</p>");
        check(&of(&format!("<main>{lead}</main>")), Some((LEAD, EvidenceSource::Paragraph, true)));
        // Which part is the content nobody says.
        check(&of(&lead), Some((LEAD, EvidenceSource::Paragraph, false)));
        // Nothing in it is of the page's name.
        let other = LEAD.replace("rye", "wheat");
        check(&of(&format!("<main><p>{other}</main>")), Some((&other, EvidenceSource::Paragraph, false)));
    }

    #[test]
    fn dialogs_boxes_and_menus_are_passed_over() {
        for other in [
            "<div class=cookie-consent><p>We bake rye bread and use small files to remember what you have chosen.</p></div>",
            "<div id=newsletter><p>Once a month we write about rye bread, flour and mills to our readers.</p></div>",
            "<p class=slogan>The mill that has stood by the river with rye bread for ninety years.</p>",
            "<p><a href=/a>Rye bread of the mill</a> | <a href=/b>Wheat bread of the mill</a> | <a href=/c>Oats</a></p>",
            "<p>Tempor incididunt ut labore et dolore magna aliqua, ut enim ad minim veniam of rye bread.</p>",
            "<p>Quae veniam recusandae vel cupiditate doloribus pariatur, dolorum saepe hic quos mollitia harum nihil.</p>",
            "<div role=dialog><p>Stay with us and hear of rye bread before anybody else does.</p></div>",
        ] {
            check(
                &format!("<title>Rye bread</title><main>{other}<p>{LEAD}</main>"),
                Some((LEAD, EvidenceSource::Paragraph, true)),
            );
        }
    }

    #[test]
    fn what_follows_a_text_on_cookies_is_a_guess() {
        let box_of_site = "<p>This site uses cookies so that your rye bread is remembered in the basket.</p>";
        check(
            &format!("<title>Rye bread</title><main>{box_of_site}<p>{LEAD}</main>"),
            Some((LEAD, EvidenceSource::Paragraph, false)),
        );
    }

    #[test]
    fn what_was_cut_or_is_of_the_whole_site_is_a_draft() {
        let cut = "Rye flour and water rest for a whole night under a linen cloth, and then the dou…";
        check(
            &format!("<meta property=og:description content='{cut}'>"),
            Some((
                "Rye flour and water rest for a whole night under a linen cloth, and then the…",
                EvidenceSource::SocialDescription,
                false,
            )),
        );
        let site = "The mill by the river bakes bread of rye and wheat since 1932.";
        check(
            &format!(
                "<meta property=og:description content='{site}'><script type=application/ld+json>\
                 {{\"@type\":\"WebSite\",\"description\":\"{site}\"}}</script>"
            ),
            Some((site, EvidenceSource::SocialDescription, false)),
        );
    }
}
