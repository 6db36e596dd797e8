//! All that an audited page and site say.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use audit::Page;
use audit::facts::document::{Document, Element, collapse};
use audit::facts::placeholders::without_visible_markup;
use model::capture::{Capture, Fetched};
use url::Url;

use super::values::{items, of_file, of_markup};

/// Texts, addresses and sizes of a capture.
pub(crate) struct Said {
    /// The page's source as it was decoded; `None` of what is no page.
    pub(crate) source: Option<String>,
    base: Url,
    values: BTreeSet<String>,
    /// All of it in one text, to look for what is part of a value.
    all: String,
    /// What may be an address, as it stands.
    addresses: BTreeSet<String>,
    /// The same as addresses of the page, once they are asked for.
    urls: OnceCell<Vec<Url>>,
    sizes: Vec<(u64, u64)>,
}

impl Said {
    pub(crate) fn read(capture: &Capture) -> Self {
        let page = Page::read(capture).html;
        let mut said = Self {
            source: page.as_ref().map(|html| html.document.source().to_owned()),
            base: page.as_ref().map_or_else(|| Url::parse(&capture.requested_url).unwrap(), |html| html.base.clone()),
            values: BTreeSet::new(),
            all: String::new(),
            addresses: BTreeSet::new(),
            urls: OnceCell::new(),
            sizes: Vec::new(),
        };
        said.add(&capture.requested_url);
        said.add_fetched(&capture.page);
        for extra in &capture.extras {
            said.add_fetched(&extra.fetched);
            let text = extra.fetched.response().map(|exchange| String::from_utf8_lossy(&exchange.body.bytes));
            let values = text.map(|text| of_file(&extra.want.url, &text)).unwrap_or_default();
            values.iter().for_each(|value| said.add(&value.text));
        }
        if let Some(html) = &page {
            // What is one text to a reader may be many in the source.
            let is_read_alone = |element: &Element<'_>| WHOLE.contains(&element.name());
            for element in html.document.elements().filter(is_read_alone) {
                said.add(&element.text());
                said.add(&element.read_text(|_| true));
                said.add(&element.read_text(|below| !["sup", "script", "style"].contains(&below.name())));
            }
            for value in of_markup(html.document.source()) {
                said.add(&value.text);
                said.add(&html.as_meant(&value.text));
                said.add(&without_visible_markup(&value.text));
                // Text may hold tags that were meant to be markup.
                said.add(&without_tags(&value.text, ""));
                said.add(&without_tags(&value.text, " "));
                // Data may hold markup.
                of_markup(&value.text).iter().for_each(|inner| said.add(&inner.text));
                // What a template escaped, a plugin escaped again.
                let once = decoded(&value.text);
                said.add(&decoded(&once));
                said.add(&once);
            }
            said.add(&unescaped(html.document.source()));
        }
        said
    }

    fn add_fetched(&mut self, fetched: &Fetched) {
        let (hops, url) = match fetched {
            Fetched::Response(exchange) => (&exchange.hops, &exchange.url),
            Fetched::Failed(failure) => (&failure.hops, &failure.url),
        };
        hops.iter().map(|hop| &hop.url).chain([url]).for_each(|url| self.add(url));
        let Some(exchange) = fetched.response() else { return };
        exchange.headers.iter().for_each(|(_, value)| self.add(value));
        let bytes = &exchange.body.bytes;
        self.add(&String::from_utf8_lossy(bytes));
        let number = |at: usize| Some(u64::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?)));
        if bytes.starts_with(b"GIF8") {
            self.sizes.extend(number(6).zip(number(8)));
        }
    }

    fn add(&mut self, value: &str) {
        let text = collapse(value);
        if text.is_empty() || self.values.contains(&text) {
            return;
        }
        self.all.push_str(&text);
        self.all.push('\n');
        self.values.insert(text);
        // Addresses stand in headers, rules and scripts too, among other things.
        let listed = if value.len() <= LONGEST_LIST { value } else { "" };
        let parts = listed.split(['"', '\'', '=', ',', ';', ' ', '<', '>']).filter(|part| part.contains('/'));
        let all = [value].into_iter().chain(parts).filter(|part| part.len() <= LONGEST_ADDRESS);
        self.addresses.extend(all.map(str::to_owned));
    }

    /// Whether the site says this, or an address that is this in another form.
    pub(crate) fn holds(&self, value: &str) -> bool {
        if self.values.contains(value) {
            return true;
        }
        let text = collapse(value);
        let is_address = || match value.starts_with('/') {
            true => self.base.join(value).is_ok_and(|url| self.names(&url)),
            false => Url::parse(value).is_ok_and(|url| self.names(&url)),
        };
        text.is_empty() || self.values.contains(&text) || self.has_within(&text) || is_address()
    }

    fn urls(&self) -> &[Url] {
        self.urls.get_or_init(|| self.addresses.iter().filter_map(|address| self.base.join(address).ok()).collect())
    }

    /// The same of a word whose case says nothing.
    pub(crate) fn holds_in_any_case(&self, word: &str) -> bool {
        self.values.iter().flat_map(|value| items(value)).any(|known| known.eq_ignore_ascii_case(word))
    }

    /// Whether these are whole words of what the site says.
    fn has_within(&self, text: &str) -> bool {
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        self.all.match_indices(text).any(|(at, _)| {
            let (before, behind) =
                (self.all.get(..at).unwrap_or_default(), self.all.get(at + text.len()..).unwrap_or_default());
            let begins = !is_word(text.chars().next()) || !is_word(before.chars().next_back());
            // One word that is longer than a result is cut within.
            let ends =
                !is_word(text.chars().next_back()) || !is_word(behind.chars().next()) || text.len() > LONGEST_WORD;
            begins && ends
        })
    }

    /// Whether an address is one that the site names: without its query or a part of it, without a session or a fragment, or
    /// with https; or the root of its host.
    fn names(&self, url: &Url) -> bool {
        self.urls().iter().any(|known| {
            let is_place = [known.path(), &without_session(known.path()), "/"].contains(&url.path());
            let has = |pair: &(Cow<'_, str>, Cow<'_, str>)| known.query_pairs().any(|own| own == *pair);
            let is_part = url.fragment().is_none() || url.fragment() == known.fragment();
            is_place && is_part && known.host() == url.host() && url.query_pairs().all(|pair| has(&pair))
        })
    }

    /// Whether the page's own host has a path that the site names on another.
    pub(crate) fn names_elsewhere(&self, value: &str) -> bool {
        let url = Url::parse(value).ok().filter(|url| url.host() == self.base.host());
        url.is_some_and(|url| self.urls().iter().any(|known| known.path().ends_with(url.path())))
    }

    /// Whether an image of the site is so wide or high, as it is or scaled to a side that the page states.
    pub(crate) fn is_size(&self, value: &str) -> bool {
        let Ok(number) = value.parse::<u64>() else { return false };
        self.sizes.iter().flat_map(|(width, height)| [(*width, *height), (*height, *width)]).any(|(side, other)| {
            let stated = number * other / side;
            number == side || self.values.contains(&stated.to_string())
        })
    }

    /// Whether a value is another writing of one that the site says: the same digits, or without any the same letters, in
    /// any order and case.
    pub(crate) fn has_letters_of(&self, value: &str) -> bool {
        let name = |text: &str| signs(text.rsplit_once("schema.org/").map_or(text, |(_, name)| name));
        let wanted = name(value);
        self.values.iter().filter(|known| known.len() <= LONGEST_ADDRESS).any(|known| name(known) == wanted)
    }
}

/// A text whose character references of HTML are resolved.
fn decoded(text: &str) -> String {
    let has_references = text.contains('&') && text.contains(';') && !text.contains('<');
    let paragraph = has_references.then(|| Document::parse(format!("<body><p>{text}")));
    let resolved = paragraph.and_then(|document| Some(document.body()?.text()));
    resolved.unwrap_or_else(|| text.to_owned())
}

/// Elements whose text is read as one, however it is marked up.
const WHOLE: &[&str] = &[
    "a",
    "body",
    "button",
    "dd",
    "dt",
    "figcaption",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "label",
    "li",
    "p",
    "td",
    "th",
];
/// Bytes past which a text is not looked through for addresses.
const LONGEST_LIST: usize = 16 * 1024;
/// Bytes past which a text is no address, or none that anybody reads.
const LONGEST_ADDRESS: usize = 2_048;
/// Bytes past which a text is one that may be cut within a word.
const LONGEST_WORD: usize = 100;

/// A path without what stands behind a semicolon in each of its parts.
fn without_session(path: &str) -> String {
    path.split('/').map(|part| part.split(';').next().unwrap_or_default()).collect::<Vec<_>>().join("/")
}

/// The digits of a text, or its letters where it has no digits, sorted.
fn signs(text: &str) -> Vec<char> {
    let has_digits = text.contains(|c: char| c.is_ascii_digit());
    let is_sign = |c: &char| if has_digits { c.is_ascii_digit() } else { c.is_alphabetic() };
    let mut signs: Vec<char> = text.chars().filter(is_sign).flat_map(char::to_lowercase).collect();
    signs.sort_unstable();
    signs
}

/// The text with escapes of JSON resolved, whether it is JSON or nearly.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let code = after
            .strip_prefix('u')
            .and_then(|after| after.get(..4))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        rest = match code.and_then(char::from_u32) {
            Some(character) => {
                out.push(character);
                after.get(5..).unwrap_or_default()
            }
            None => after.strip_prefix(['n', 't', 'r']).map_or(after, |after| {
                out.push(' ');
                after
            }),
        };
    }
    out + rest
}

/// A text with each tag replaced.
fn without_tags(text: &str, between: &str) -> String {
    let mut parts = text.split('<');
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once('>').map_or(part, |(_, behind)| behind));
    [first].into_iter().chain(rest).collect::<Vec<_>>().join(between)
}
