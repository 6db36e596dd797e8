//! Sitemaps of XML: `urlset` and `sitemapindex` (sitemaps.org protocol), RSS 2.0 and Atom 1.0.
//!
//! Well-formedness is checked as far as a reader of sitemaps meets it; nothing outside the file is ever opened.
//! Elements are matched by the prefix of the root, so that `image:loc` is no `loc`. Language versions of the page's own
//! entry are `link` elements of XHTML inside it (Google, "Tell Google about localized versions of your page").

use std::borrow::Cow;

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::QName;
use quick_xml::{Reader, XmlVersion};
use url::Url;

use super::fault::{self, SitemapFault, quoting};
use super::kind::SitemapKind;
use super::reading::{FieldText, SitemapReading};
use super::xml_stop::{MOST_ATTRIBUTES, Stop, check_tag, doctype, forbidden_at, is_forbidden, is_html_at, stop};
use crate::facts::hreflang::{AlternateSource, DeclaredAlternate};

/// The namespace of `urlset` and `sitemapindex`.
pub const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
/// How the namespace of news entries begins; its version follows.
const NEWS: &str = "http://www.google.com/schemas/sitemap-news/";
/// Levels of nesting that are read. A sitemap has 3 and its extensions 5; more is an attack on readers that recurse.
const MOST_LEVELS: usize = 64;
/// Language versions kept of one entry: as many as a report lists.
const MOST_ALTERNATES: usize = 200;

/// Reads the file to its end, or to the fault behind which nothing can be trusted. `cut`: its end is not there.
pub(super) fn read(source: &str, cut: bool, reading: &mut SitemapReading<'_>) {
    // What follows the last whole tag of a cut file is half of something.
    let whole = if cut { source.rfind('>').map_or("", |at| source.get(..=at).unwrap_or_default()) } else { source };
    let mut walk = Walk {
        reading,
        source: whole,
        entry_at: 0,
        depth: 0,
        prefix: None,
        in_entry: false,
        field: None,
        loc: FieldText::default(),
        date: FieldText::default(),
    };
    if let Err(stop) = walk.file(whole) {
        // That a cut file ends too early is the cut's doing.
        if !(cut && stop.at_end) {
            walk.reading.fail(SitemapFault::at(source, stop.offset, stop.what));
        }
    }
    if let Some(at) = forbidden_at(whole) {
        walk.reading.fail(SitemapFault::at(source, at, fault::CHARACTER.into()));
    }
}

/// An element of an entry whose text is read.
#[derive(Clone, Copy)]
enum EntryPart {
    Loc,
    Date,
}

struct Walk<'r, 's, 't> {
    reading: &'r mut SitemapReading<'t>,
    source: &'s str,
    /// Byte of the start tag of the entry.
    entry_at: usize,
    depth: usize,
    /// Prefix of the root, which the elements of its vocabulary share.
    prefix: Option<String>,
    in_entry: bool,
    field: Option<EntryPart>,
    loc: FieldText,
    date: FieldText,
}

impl Walk<'_, '_, '_> {
    fn file(&mut self, source: &str) -> Result<(), Stop> {
        let mut reader = Reader::from_str(source);
        reader.config_mut().enable_all_checks(true);
        let mut open: Option<String> = None;
        loop {
            let at = offset(reader.buffer_position());
            let event = reader.read_event().map_err(|error| stop(&error, offset(reader.error_position())))?;
            match event {
                Event::Start(tag) => self.start(&tag, at, source, &mut open)?,
                Event::End(_) => self.end(Some(at)),
                Event::Empty(tag) => {
                    self.start(&tag, at, source, &mut open)?;
                    self.end(None);
                }
                Event::Text(text) => {
                    let text = text.xml10_content();
                    if text.contains("]]>") {
                        return Err(Stop::at(at, fault::SECTION_END));
                    }
                    self.text(&text, at)?;
                }
                Event::CData(text) if self.depth > 0 => self.text(&text.xml10_content(), at)?,
                Event::GeneralRef(reference) => self.reference(&reference, at)?,
                Event::DocType(_) => return Err(doctype(source, at)),
                Event::Decl(declaration) if at == 0 => {
                    declaration.xml_version().map_err(|_| Stop::at(at, fault::DECLARATION))?;
                }
                Event::PI(instruction) if instruction.target().eq_ignore_ascii_case("xml") => {
                    return Err(Stop::at(at, fault::DECLARATION));
                }
                Event::Decl(_) => return Err(Stop::at(at, fault::DECLARATION)),
                Event::CData(_) => return Err(Stop::at(at, fault::OUTSIDE)),
                Event::Comment(_) | Event::PI(_) => {}
                Event::Eof => break,
            }
        }
        match open {
            Some(name) if self.depth > 0 => {
                Err(Stop { offset: source.len(), what: quoting(fault::UNCLOSED, &name), at_end: true })
            }
            Some(_) => Ok(()),
            None => Err(Stop { offset: 0, what: fault::EMPTY.into(), at_end: true }),
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>, at: usize, source: &str, open: &mut Option<String>) -> Result<(), Stop> {
        let QName(name) = tag.name();
        if self.depth == 0 {
            if open.is_some() {
                return Err(Stop::at(at, fault::OUTSIDE));
            }
            *open = Some(name.to_owned());
            self.root(tag, at, source)?;
        }
        check_tag(tag, at)?;
        self.depth += 1;
        if self.depth > MOST_LEVELS {
            return Err(Stop::at(at, fault::TOO_DEEP));
        }
        let Some(words) = self.reading.kind.map(Words::of) else { return Ok(()) };
        let local = self.local(name).filter(|_| self.depth > 1);
        if self.depth == words.depth && local == Some(words.entry) {
            self.in_entry = true;
            self.entry_at = at;
            self.loc.clear();
            self.date.clear();
        } else if self.depth == words.depth + 1 && self.in_entry {
            self.field = match local {
                Some("link") if words.kind == SitemapKind::Atom => {
                    self.atom_link(tag);
                    None
                }
                Some(local) if local == words.loc => Some(EntryPart::Loc),
                Some(local) if local == words.date => Some(EntryPart::Date),
                _ => None,
            };
        }
        Ok(())
    }

    /// The name without prefix, if it is of the root's vocabulary.
    fn local<'n>(&self, name: &'n str) -> Option<&'n str> {
        match (&self.prefix, name.split_once(':')) {
            (None, None) => Some(name),
            (Some(own), Some((prefix, local))) if own == prefix => Some(local),
            _ => None,
        }
    }

    fn root(&mut self, tag: &BytesStart<'_>, at: usize, source: &str) -> Result<(), Stop> {
        let QName(name) = tag.name();
        let (prefix, local) = name.split_once(':').map_or((None, name), |(prefix, local)| (Some(prefix), local));
        let kind = match local {
            "urlset" => SitemapKind::Urlset,
            "sitemapindex" => SitemapKind::Index,
            "rss" => SitemapKind::Rss,
            "feed" => SitemapKind::Atom,
            _ if is_html_at(source, at) => return Err(Stop::at(at, fault::HTML)),
            _ => return Err(Stop::at(at, quoting(fault::ROOT, name))),
        };
        self.reading.kind = Some(kind);
        self.prefix = prefix.map(str::to_owned);
        if matches!(kind, SitemapKind::Rss | SitemapKind::Atom) {
            return Ok(());
        }
        let is_news = |value: &str| value.starts_with(NEWS);
        if tag.attributes().with_checks(false).take(MOST_ATTRIBUTES).flatten().any(|found| is_news(&found.value)) {
            self.reading.counting.news();
        }
        let declaring = prefix.map_or_else(|| "xmlns".to_owned(), |prefix| format!("xmlns:{prefix}"));
        let declared = tag.attributes().with_checks(false).take(MOST_ATTRIBUTES).flatten().find(|attribute| {
            let QName(key) = attribute.key;
            key == declaring
        });
        // Reading goes on: the addresses are there all the same, and "listed" may be said.
        match declared {
            None => self.reading.fail(SitemapFault::at(source, at, fault::NO_NAMESPACE.into())),
            Some(attribute) if attribute.value != NAMESPACE => {
                self.reading.fail(SitemapFault::at(source, at, quoting(fault::NAMESPACE, &attribute.value)));
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// The address of an Atom entry: its first link that has no `rel`, or `alternate` (RFC 4287 §4.2.7.2).
    fn atom_link(&mut self, tag: &BytesStart<'_>) {
        let is_address = value(tag, "rel").is_none_or(|rel| rel == "alternate");
        if let Some(href) = value(tag, "href").filter(|_| is_address && self.loc.value().is_none()) {
            self.loc.push(&href);
        }
    }

    /// `at`: where the end tag is, if there is one.
    fn end(&mut self, at: Option<usize>) {
        if let Some(words) = self.reading.kind.map(Words::of) {
            if self.depth == words.depth && self.in_entry {
                self.in_entry = false;
                if let Some(start) = self.loc.overflow().filter(|_| words.kind != SitemapKind::Index) {
                    self.reading.counting.too_long(start);
                }
                let is_of_page = self.reading.take(self.loc.value(), self.date.value());
                if is_of_page && let Some(entry) = self.reading.entries.last_mut() {
                    entry.alternates = alternates(self.source.get(self.entry_at..at.unwrap_or(self.entry_at)));
                }
            } else if self.depth == words.depth + 1 {
                self.field = None;
            }
        }
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.reading.closing = at;
        }
    }

    fn text(&mut self, text: &str, at: usize) -> Result<(), Stop> {
        if self.depth == 0 {
            let rest = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
            return if rest.is_empty() { Ok(()) } else { Err(Stop::at(at + text.len() - rest.len(), fault::OUTSIDE)) };
        }
        // Text of an element inside the field is not the field's.
        let depth = self.reading.kind.map_or(0, |kind| Words::of(kind).depth + 1);
        match self.field.filter(|_| self.depth == depth) {
            Some(EntryPart::Loc) => self.loc.push(text),
            Some(EntryPart::Date) => self.date.push(text),
            None => {}
        }
        Ok(())
    }

    fn reference(&mut self, reference: &BytesRef<'_>, at: usize) -> Result<(), Stop> {
        let name: &str = reference;
        if self.depth == 0 {
            return Err(Stop::at(at, fault::OUTSIDE));
        }
        match reference.resolve_char_ref() {
            Ok(Some(character)) if !is_forbidden(character) => self.text(character.encode_utf8(&mut [0; 4]), at),
            Ok(None) if let Some(text) = resolve_predefined_entity(name) => self.text(text, at),
            _ => Err(Stop::at(at, quoting(fault::ENTITY, name))),
        }
    }
}

/// The language versions in the source of one entry, which was read without a fault. The prefix is left open: nothing
/// else in a sitemap is a link with a language.
fn alternates(entry: Option<&str>) -> Vec<DeclaredAlternate> {
    let mut reader = Reader::from_str(entry.unwrap_or_default());
    let mut found = Vec::new();
    while found.len() < MOST_ALTERNATES {
        let tag = match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => tag,
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => continue,
        };
        let is_link = tag.local_name().as_ref() == "link";
        let is_alternate = || value(&tag, "rel").is_some_and(|rel| rel.eq_ignore_ascii_case("alternate"));
        if is_link
            && is_alternate()
            && let (Some(lang), Some(href)) = (value(&tag, "hreflang"), value(&tag, "href"))
        {
            let url = Url::parse(&href).ok();
            found.push(DeclaredAlternate { lang, href, url, source: AlternateSource::Sitemap, node: None });
        }
    }
    found
}

/// An attribute's value, references resolved.
fn value(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.attributes();
    let mut known = attributes.with_checks(false).take(MOST_ATTRIBUTES).flatten();
    let found = known.find(|attribute| attribute.key == QName(name))?;
    found.normalized_value(XmlVersion::Implicit1_0).ok().map(Cow::into_owned)
}

/// What the elements of a form are called.
struct Words {
    kind: SitemapKind,
    /// Level of an entry; the root has 1.
    depth: usize,
    entry: &'static str,
    loc: &'static str,
    date: &'static str,
}

impl Words {
    fn of(kind: SitemapKind) -> Self {
        let (depth, entry, loc, date) = match kind {
            SitemapKind::Urlset | SitemapKind::Text => (2, "url", "loc", "lastmod"),
            SitemapKind::Index => (2, "sitemap", "loc", "lastmod"),
            SitemapKind::Rss => (3, "item", "link", "pubDate"),
            SitemapKind::Atom => (2, "entry", "link", "updated"),
        };
        Self { kind, depth, entry, loc, date }
    }
}

fn offset(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}
