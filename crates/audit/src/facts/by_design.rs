//! Patterns that well-known systems write on purpose, told from markup alone: a check that would report one leaves it.
//!
//! Whether the system itself was recognised ([`super::platform`]) plays no part: its markup is the evidence.

use std::sync::LazyLock;

use url::Url;

use super::content_images::is_stand_in;
use super::document::Element;
use super::elements::has_rel;
use super::page::Html;
use super::visibility::{Concealment, concealment};

/// The patterns, with sources and date in the file.
const TABLE: &str = include_str!("../data/by_design.tsv");

/// How a text is compared with a row, ASCII case ignored.
#[derive(Debug, Clone, Copy)]
enum PatternText {
    Whole(&'static str),
    Start(&'static str),
    Part(&'static str),
}

impl PatternText {
    fn read(text: &'static str) -> Self {
        match (text.strip_prefix('*'), text.strip_suffix('*')) {
            (Some(rest), Some(_)) => Self::Part(rest.strip_suffix('*').unwrap_or(rest)),
            (None, Some(start)) => Self::Start(start),
            _ => Self::Whole(text),
        }
    }

    fn fits(self, text: &str) -> bool {
        match self {
            Self::Whole(whole) => text.eq_ignore_ascii_case(whole),
            Self::Start(start) => text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)),
            Self::Part(part) => text.to_ascii_lowercase().contains(part),
        }
    }
}

/// What one pattern looks for, by place.
#[derive(Debug)]
struct DesignPattern(Vec<(&'static str, Vec<PatternText>)>);

impl DesignPattern {
    fn read(name: &str) -> Self {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
            let mut cells = line.split('\t');
            (cells.next()? == name).then_some(())?;
            Some((cells.next()?, PatternText::read(cells.next()?)))
        });
        let mut places: Vec<(&'static str, Vec<PatternText>)> = Vec::new();
        for (place, text) in rows {
            match places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, texts)) => texts.push(text),
                None => places.push((place, vec![text])),
            }
        }
        Self(places)
    }

    /// What is looked for at a place.
    fn at(&self, place: &str) -> &[PatternText] {
        self.0.iter().find(|(known, _)| *known == place).map(|(_, texts)| texts.as_slice()).unwrap_or_default()
    }

    fn has(&self, place: &str, text: &str) -> bool {
        self.at(place).iter().any(|known| known.fits(text))
    }

    /// Whether an element bears a mark of the pattern.
    fn marks(&self, element: Element<'_>) -> bool {
        let has_class = |classes: &str| {
            let known = self.at("class");
            classes.split_ascii_whitespace().any(|word| known.iter().any(|text| text.fits(word)))
        };
        element.attribute("id").is_some_and(|id| self.has("id", id.trim()))
            || element.attribute("class").is_some_and(has_class)
    }

    /// Whether an element, or one around it below `body`, bears a mark. Marks of `html` and `body` speak of the page.
    fn surrounds(&self, element: Element<'_>) -> bool {
        let is_page = |element: &Element<'_>| element.is("body") || element.is("html");
        std::iter::once(element).chain(element.ancestors()).take_while(|one| !is_page(one)).any(|one| self.marks(one))
    }
}

macro_rules! pattern {
    ($name:ident, $word:literal) => {
        static $name: LazyLock<DesignPattern> = LazyLock::new(|| DesignPattern::read($word));
    };
}

pattern!(CONSENT, "consent");
pattern!(TRAP, "trap");
pattern!(COMMENT, "comment");
pattern!(PARTNER, "partner");
pattern!(MEASURE, "measure");

/// Whether a link or button opens or answers a consent dialog: it stands in the markup of a known consent tool, or its
/// `href="javascript:…"` or `onclick` calls one. Such a control leads nowhere on purpose.
pub(crate) fn is_consent_control(element: Element<'_>) -> bool {
    const SCRIPT: &str = "javascript:";
    let code_of_href = element.attribute("href").map(str::trim).and_then(|href| {
        let (start, code) = href.split_at_checked(SCRIPT.len())?;
        start.eq_ignore_ascii_case(SCRIPT).then_some(code)
    });
    let calls = |code: &str| {
        code.split([';', '{', '}', '&']).any(|statement| {
            let statement = statement.trim_start().trim_start_matches("return ").trim_start();
            let statement = statement.strip_prefix("void(").unwrap_or(statement);
            CONSENT.has("call", statement.strip_prefix("window.").unwrap_or(statement))
        })
    };
    [code_of_href, element.attribute("onclick")].into_iter().flatten().any(calls) || CONSENT.surrounds(element)
}

/// Whether a field is a trap for robots (a honeypot) that no person fills in: named or marked as one by a known form
/// system, named by its form's `netlify-honeypot`, moved off the screen by an inline style, its own or one around it in
/// the form, or out of reach of keyboard and of saved values at once (`tabindex=-1` with `autocomplete=off`).
pub(crate) fn is_trap_field(field: Element<'_>) -> bool {
    let name = field.attribute("name").unwrap_or_default().trim();
    let form = || field.ancestors().find(|around| around.is("form"));
    let is_in_form = |around: &Element<'_>| !around.is("form") && !around.is("body");
    let is_moved_off = |element: Element<'_>| {
        let style = element.attribute("style").and_then(concealment);
        matches!(style, Some(Concealment::OffScreen | Concealment::NoSize))
    };
    let is_out_of_reach = || {
        let says = |attribute: &str, wanted: &str| {
            field.attribute(attribute).is_some_and(|value| value.trim().eq_ignore_ascii_case(wanted))
        };
        says("tabindex", "-1") && says("autocomplete", "off")
    };
    let is_named_by_form = || {
        let names = ["netlify-honeypot", "data-netlify-honeypot"];
        form().is_some_and(|form| names.iter().any(|one| form.attribute(one).is_some_and(|trap| trap.trim() == name)))
    };
    let around = || std::iter::once(field).chain(field.ancestors().take_while(is_in_form));
    TRAP.has("name", name)
        || is_out_of_reach()
        || around().any(|one| TRAP.marks(one) || is_moved_off(one))
        || !name.is_empty() && is_named_by_form()
}

/// The ids that inline scripts of the page give to elements, as (id in the source, id afterwards): a spam guard serves the
/// comment field under a secret id, and gives it the id of its label back. A `label for` the second names the first.
pub(crate) fn swapped_ids(html: &Html) -> Vec<(&str, &str)> {
    const FIND: &str = "getElementById(";
    const SET: &str = ".setAttribute(";
    let own = html.elements(&html.scripts).filter(|script| !script.has("src"));
    let mut out = Vec::new();
    for text in own.flat_map(Element::texts) {
        for (at, _) in text.match_indices(FIND) {
            let pair = || {
                let (from, rest) = quoted(text.get(at + FIND.len()..)?)?;
                let rest = rest.trim_start().strip_prefix(')')?.trim_start().strip_prefix(SET)?;
                let (attribute, rest) = quoted(rest)?;
                let (to, _) = quoted(rest.trim_start().strip_prefix(',')?)?;
                attribute.eq_ignore_ascii_case("id").then_some((from, to))
            };
            out.extend(pair());
        }
    }
    out
}

/// A string of JavaScript at the start of a text, and what follows; one with escapes is none.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let (value, rest) = text.get(1..)?.split_once(quote)?;
    (!value.contains('\\')).then_some((value, rest))
}

/// Whether a link stands in a discussion below the page, or is a control of one: blogs give commenters' links and reply
/// links `nofollow` themselves (`ugc`), and none of it is the owner's choice of links.
pub(crate) fn is_comment_link(link: Element<'_>) -> bool {
    has_rel(link, "ugc") || COMMENT.surrounds(link)
}

/// Whether a link is paid for, or a redirect of the site to a partner (`/go/…`, `/recommends/…`): search engines ask for
/// `sponsored` or `nofollow` on it (Google, "Qualify your outbound links"), so it keeps them.
pub(crate) fn is_partner_link(link: Element<'_>, url: &Url) -> bool {
    let first = || url.path_segments().and_then(|mut parts| parts.next().filter(|_| parts.next().is_some()));
    has_rel(link, "sponsored") || PARTNER.marks(link) || first().is_some_and(|part| PARTNER.has("path", part))
}

/// Whether an element is part of AMP's server-side rendering, which adds `i-amphtml-*` elements, classes and attributes
/// (amp.dev, "Server-side rendering"): sizers, placeholders and layout that the owner did not write.
pub(crate) fn is_amp_layout(element: Element<'_>) -> bool {
    const OWN: &str = "i-amphtml-";
    element.name().starts_with(OWN)
        || element.attributes().any(|(name, _)| name.starts_with(OWN))
        || element
            .attribute("class")
            .is_some_and(|class| class.split_ascii_whitespace().any(|one| one.starts_with(OWN)))
}

/// Whether what an image shows first only holds the place of the real one, which a script loads: Next's `data-nimg`, and
/// lazy-loading plugins, whose stand-in is a `data:` address or a blank file beside an attribute with the real address.
/// Neither its format, its size nor its file name is one of the content.
pub(crate) fn is_script_loaded(image: Element<'_>) -> bool {
    const LOADED: [&str; 4] = ["lazyload", "lazyloaded", "lozad", "b-lazy"];
    let names_real = || image.attributes().any(|(name, value)| is_later(name) && !value.trim().is_empty());
    let is_marked = || LOADED.iter().any(|class| image.has_token("class", class));
    is_stand_in(image) && (image.has("data-nimg") || names_real() || is_marked())
}

/// Whether an attribute is one in which a script keeps an address for later: `data-…src`, `data-…srcset`, `data-original`.
fn is_later(name: &str) -> bool {
    name.strip_prefix("data-").is_some_and(|rest| {
        rest.ends_with("src") || rest.ends_with("srcset") || matches!(rest, "original" | "lazy" | "echo" | "hi-res")
    })
}

/// Whether an image only counts a visit: the address of a known counter, or sides of at most one pixel.
pub(crate) fn is_counting_pixel(image: Element<'_>, url: Option<&Url>) -> bool {
    let side = |name| image.attribute(name).map(str::trim).filter(|side| matches!(*side, "0" | "1" | "0px" | "1px"));
    let is_counter = |url: &Url| {
        let address = format!("{}{}", url.host_str().unwrap_or_default(), url.path());
        MEASURE.has("address", address.strip_suffix('/').unwrap_or(&address))
    };
    side("width").is_some() && side("height").is_some() || url.is_some_and(is_counter)
}

/// Whether an image stands for one character of text: WordPress puts pictures of emoji and smileys into texts
/// (`wp-smiley`, `emoji`), with the character itself as alternative.
pub(crate) fn is_emoji(image: Element<'_>) -> bool {
    image.has_token("class", "wp-smiley")
        || image.has_token("class", "emoji")
        || image.attribute("src").is_some_and(|src| src.contains("s.w.org/images/core/emoji/"))
}

#[cfg(test)]
mod tests;
