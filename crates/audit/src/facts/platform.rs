//! The systems that a page was made with: content management and shop systems, frameworks, and tools put on top.
//!
//! Each is told by a mark that it writes itself, in a place where nothing else writes it: what the text says, where links
//! lead, and where images come from is no evidence.

mod table;

use std::collections::BTreeMap;

use model::capture::Exchange;
use model::summary::{Platform, PlatformEvidence, PlatformKind, PlatformPlace};
use url::Url;

use super::document::{Document, Element};
use super::link_header::HeaderLink;
use super::page::Html;
use super::url_identity::same_site;
use table::{MarkRow, SYSTEMS, Where};

/// Signs kept of one system.
const MOST_EVIDENCE: usize = 3;
/// Characters kept of a sign.
const SNIPPET: usize = 160;

/// The systems of a page, in the order of the table: the one that decides most first.
#[derive(Debug, Default)]
pub struct Platforms(Vec<Platform>);

impl Platforms {
    /// Reads the markup and the headers of a page, as far as there are some.
    pub(super) fn read(html: Option<&Html>, headers: Option<&Exchange>, links: &[HeaderLink]) -> Self {
        let mut finder = MarkFinder::default();
        if let Some(html) = html {
            finder.metas(html);
            finder.comments(html);
            finder.root(html);
            finder.scripts(html);
            finder.links(html);
            finder.ids_and_fields(html);
        }
        if let Some(exchange) = headers {
            finder.headers(exchange, links);
        }
        finder.finish()
    }

    /// All of them.
    pub fn all(&self) -> &[Platform] {
        &self.0
    }

    /// Whether a system, by its name in the table, made the page.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|platform| platform.name == name)
    }

    /// The systems of a kind.
    pub fn of_kind(&self, kind: PlatformKind) -> impl Iterator<Item = &Platform> {
        self.0.iter().filter(move |platform| platform.kind == kind)
    }
}

/// A sign, and the version that it states.
type Sign = (PlatformEvidence, Option<String>);

/// Signs by row of the table, the first of each.
#[derive(Debug, Default)]
struct MarkFinder {
    signs: BTreeMap<usize, (usize, Sign)>,
}

impl MarkFinder {
    /// Notes a sign of a row, unless it has one.
    fn note(&mut self, row: &MarkRow, version: Option<String>, evidence: impl FnOnce() -> Option<PlatformEvidence>) {
        if !self.signs.contains_key(&row.order)
            && let Some(evidence) = evidence()
        {
            self.signs.insert(row.order, (row.system, (evidence, version)));
        }
    }

    /// Notes the rows of a place that are a text as a whole.
    fn note_whole(&mut self, place: Where, text: &str, element: Element<'_>) {
        for row in SYSTEMS.at(place).iter().filter(|row| row.mark.is(text)) {
            self.note(row, None, || shown(row, element));
        }
    }

    fn metas(&mut self, html: &Html) {
        for meta in &html.metas {
            let Some(element) = html.element(meta.node) else { continue };
            match (meta.name.as_deref(), meta.content.as_deref()) {
                (Some("generator"), Some(content)) => {
                    for row in SYSTEMS.at(Where::Generator) {
                        if let Some(version) = row.mark.begins(content) {
                            self.note(row, version, || shown(row, element));
                        }
                    }
                }
                (Some(name), _) => self.note_whole(Where::Meta, name, element),
                _ => {}
            }
        }
    }

    fn comments(&mut self, html: &Html) {
        let document = &html.document;
        for span in html.comments.iter().filter_map(|id| document.span(*id)) {
            let text = document.source().get(span.clone()).unwrap_or_default();
            for row in SYSTEMS.in_comment(text) {
                if let Some(version) = row.mark.held(text) {
                    self.note(row, version, || Some(in_source(document, span.clone(), row)));
                }
            }
        }
    }

    fn root(&mut self, html: &Html) {
        let Some(root) = html.document.html() else { return };
        for (name, _) in root.attributes() {
            self.note_whole(Where::Root, name, root);
        }
    }

    fn scripts(&mut self, html: &Html) {
        for script in html.elements(&html.scripts) {
            for (name, value) in script.attributes() {
                match name {
                    "id" => self.note_whole(Where::ScriptId, value, script),
                    "class" => {
                        value.split_ascii_whitespace().for_each(|one| self.note_whole(Where::ScriptClass, one, script));
                    }
                    "type" => self.note_whole(Where::ScriptType, value.trim(), script),
                    "src" => self.file(html, script, value),
                    _ if name.starts_with("data-") => {
                        for row in SYSTEMS.at(Where::Attribute) {
                            if row.mark.head.split_once('=') == Some((name, value)) {
                                self.note(row, None, || shown(row, script));
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Links to what the page loads, and to the interface of the system.
    fn links(&mut self, html: &Html) {
        for link in &html.links {
            let Some(element) = html.element(link.node) else { continue };
            for rel in &link.rels {
                self.note_whole(Where::Rel, rel, element);
            }
            if ["stylesheet", "preload", "modulepreload"].iter().any(|rel| link.is(rel))
                && let Some(href) = &link.href
            {
                self.file(html, element, href);
            }
        }
    }

    /// A style sheet or script by its address.
    fn file(&mut self, html: &Html, element: Element<'_>, address: &str) {
        let mut url: Option<Url> = None;
        for row in SYSTEMS.in_address(address) {
            if self.signs.contains_key(&row.order) {
                continue;
            }
            // Few addresses bear a mark: only those are resolved.
            if url.is_none() {
                url = html.resolve(address).filter(|url| url.has_host());
            }
            let Some(url) = &url else { return };
            let fits = match row.place {
                Where::Own => row.mark.fits(url.path(), true) && is_own(html, url),
                Where::Path => row.mark.fits(url.path(), true),
                _ => row.mark.fits(&format!("{}{}", url.host_str().unwrap_or_default(), url.path()), false),
            };
            if fits {
                self.note(row, None, || shown(row, element));
            }
        }
    }

    fn ids_and_fields(&mut self, html: &Html) {
        for element in html.elements(&html.listed.ids) {
            self.note_whole(Where::Id, element.attribute("id").unwrap_or_default(), element);
        }
        for field in html.elements(&html.listed.fields) {
            self.note_whole(Where::Field, field.attribute("name").unwrap_or_default(), field);
        }
    }

    fn headers(&mut self, exchange: &Exchange, links: &[HeaderLink]) {
        let header = |text: String| {
            let snippet = text.chars().take(SNIPPET).collect();
            Some(PlatformEvidence { place: PlatformPlace::Header, snippet, line: None })
        };
        for row in SYSTEMS.at(Where::Rel) {
            if let Some(link) = links.iter().find(|link| link.is(row.mark.head)) {
                self.note(row, None, || header(format!("link: {}", link.raw)));
            }
        }
        for row in SYSTEMS.at(Where::Header) {
            let (name, wanted) = row.mark.named();
            for value in exchange.headers_named(name) {
                let version = wanted.map_or(Some(None), |wanted| wanted.is_value(value));
                if let Some(version) = version {
                    self.note(row, version, || header(format!("{name}: {value}")));
                }
            }
        }
    }

    /// The systems that were found, without those whose host was not.
    fn finish(self) -> Platforms {
        let mut found: BTreeMap<usize, Vec<Sign>> = BTreeMap::new();
        for (system, sign) in self.signs.into_values() {
            found.entry(system).or_default().push(sign);
        }
        let is_found =
            |name: &str| found.keys().any(|at| SYSTEMS.systems.get(*at).is_some_and(|system| system.name == name));
        let platforms = found.iter().filter_map(|(at, signs)| {
            let system = SYSTEMS.systems.get(*at)?;
            system.lives_in.is_none_or(is_found).then(|| Platform {
                name: system.name.to_owned(),
                kind: system.kind,
                version: signs.iter().find_map(|(_, version)| version.clone()),
                evidence: signs.iter().take(MOST_EVIDENCE).map(|(evidence, _)| evidence.clone()).collect(),
            })
        });
        Platforms(platforms.collect())
    }
}

/// Whether a file is of the page's own site: that of its address, or of the address that it says is its own.
fn is_own(html: &Html, url: &Url) -> bool {
    let canonical = || html.links_rel("canonical").find_map(|link| link.url.as_ref());
    same_site(url, &html.url) || canonical().is_some_and(|canonical| same_site(url, canonical))
}

/// The start tag of an element as a sign.
fn shown(row: &MarkRow, element: Element<'_>) -> Option<PlatformEvidence> {
    Some(in_source(element.document(), element.start_tag()?, row))
}

/// A piece of the source as a sign: from its beginning, or from the mark where that stands too far behind.
fn in_source(document: &Document, span: std::ops::Range<usize>, row: &MarkRow) -> PlatformEvidence {
    let text = document.source().get(span.clone()).unwrap_or_default();
    let at = text.find(row.mark.head).filter(|at| at + row.mark.head.len() > SNIPPET).unwrap_or_default();
    let place = document.place_of(span.start + at..span.end);
    let kind = match row.place {
        Where::Generator => PlatformPlace::Generator,
        Where::Meta => PlatformPlace::Meta,
        Where::Comment => PlatformPlace::Comment,
        Where::ScriptId | Where::ScriptClass | Where::ScriptType | Where::Attribute => PlatformPlace::Script,
        Where::Id => PlatformPlace::Id,
        Where::Root => PlatformPlace::Html,
        Where::Rel => PlatformPlace::Link,
        Where::Own | Where::Address | Where::Path => PlatformPlace::Address,
        Where::Field => PlatformPlace::Field,
        Where::Header => PlatformPlace::Header,
    };
    PlatformEvidence { place: kind, snippet: place.snippet.unwrap_or_default(), line: place.line }
}

#[cfg(test)]
mod tests;
