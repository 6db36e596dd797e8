//! Sitemaps (sitemaps.org protocol 0.9): which to ask for, what came, and whether the page is in them.

pub mod draft;
mod fault;
mod file;
pub mod lastmod;
mod plain;
mod reading;
mod target;
mod xml;

use std::collections::BTreeSet;

use model::capture::{Capture, Extra, Fetched, Source, Want, WantKind};
use model::summary::SitemapSummary;
use url::Url;

use super::robots_txt::RobotsState;
use super::url_identity::identity;
use super::{Facts, link_header};
pub use fault::Fault;
pub use file::{End, SitemapFile};
pub use reading::{Entry, Kind, MOST_URLS};
pub use target::Target;
pub use xml::NAMESPACE;

use crate::check::NotMeasured;

/// Sitemap files asked for in one audit, indexes among them (hostile-inputs X05).
pub const MOST_FILES: usize = 20;
/// Decoded bytes of all sitemap files of one audit; past them no more is asked for. What an audit holds in memory, and
/// what it reads again each time more is wanted: enough for a site of half a million pages.
pub const MOST_BYTES: usize = 64 * 1024 * 1024;
/// Files asked for at a time: few, so that finding the page early spares the site the rest.
const AT_ONCE: usize = 2;
/// Where sitemaps are looked for when robots.txt names none, in order (`checks.md` §4.3).
pub const USUAL_PATHS: [&str; 3] = ["/sitemap.xml", "/sitemap_index.xml", "/sitemap.txt"];

/// The sitemap files still to fetch; empty when the page was found or there is nothing more.
///
/// Nothing is wanted before robots.txt was answered: it may name the files, and where it can't be read crawlers stop.
pub fn wanted(capture: &Capture) -> Vec<Want> {
    let Some(robots) = robots(capture) else { return Vec::new() };
    let exchange = capture.page.response();
    let header = exchange.map(link_header::read).unwrap_or_default();
    let canonical = header.iter().find(|link| link.is("canonical")).and_then(|link| link.url.as_ref());
    let urls = [Some(capture.requested_url.as_str()), exchange.map(|exchange| exchange.url.as_str())];
    let target = Target::new(urls.into_iter().flatten().chain(canonical.map(Url::as_str)));
    let Some(sitemaps) = Sitemaps::read(capture, &robots, &target) else { return Vec::new() };
    if sitemaps.listed().is_some() {
        return Vec::new();
    }
    sitemaps.next.into_iter().take(AT_ONCE).map(|url| Want { kind: WantKind::Sitemap, url }).collect()
}

fn robots(capture: &Capture) -> Option<RobotsState> {
    let extra = capture.extras.iter().find(|extra| extra.want.kind == WantKind::RobotsTxt)?;
    Some(RobotsState::read(&extra.fetched))
}

/// Whether a site has sitemaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// robots.txt names one, or one is at a usual place.
    Present,
    /// robots.txt names none, and every usual place says that there is none.
    Missing,
    /// Not every place could be asked.
    Unknown,
}

/// All that is known of a site's sitemaps.
#[derive(Debug)]
pub struct Sitemaps {
    /// `Sitemap` values of robots.txt, as written.
    pub declared: Vec<String>,
    /// Every file that was asked for: those of robots.txt or the usual places, then children, newest first.
    pub files: Vec<SitemapFile>,
    /// robots.txt names at least one file that can be asked for.
    pub is_declared: bool,
    /// What would be asked for next, in order.
    next: Vec<String>,
    /// There are files that are never asked for: too many, too large together, or in an index of an index.
    left_out: bool,
}

impl Sitemaps {
    /// Reads what has come in. `None` when nothing may be asked: supplied bytes, or a robots.txt that can't be read.
    pub fn read(capture: &Capture, robots: &RobotsState, target: &Target) -> Option<Self> {
        let base = capture.page.response().and_then(|exchange| Url::parse(&exchange.url).ok());
        let base = base.filter(|_| capture.source == Source::Network)?;
        let declared = match robots {
            RobotsState::Found(file) => file.sitemaps.iter().map(|(_, url)| url.clone()).collect(),
            RobotsState::Missing(_) | RobotsState::Html => Vec::new(),
            RobotsState::Unreachable(_) => return None,
        };
        let roots: Vec<Url> = declared.iter().filter_map(|url: &String| reading::fetchable(url)).collect();
        let sitemaps =
            Self { is_declared: !roots.is_empty(), declared, files: Vec::new(), next: Vec::new(), left_out: false };
        let mut survey = Survey { extras: &capture.extras, target, seen: BTreeSet::new(), sitemaps };
        if survey.sitemaps.is_declared {
            roots.into_iter().for_each(|url| survey.visit(url, false));
        } else {
            survey.usual_places(&base);
        }
        if survey.sitemaps.next.is_empty() {
            survey.children();
        }
        Some(survey.finish())
    }

    /// The file that lists the page, and its entry there.
    pub fn listed(&self) -> Option<(&SitemapFile, &Entry)> {
        self.files.iter().find_map(|file| Some((file, file.entry.as_ref()?)))
    }

    /// The files that are sitemaps or were named as such; at a usual place anything may be.
    pub fn relevant(&self) -> impl Iterator<Item = &SitemapFile> {
        self.files.iter().filter(|file| !file.is_guess || file.is_sitemap())
    }

    /// Whether there are sitemaps.
    pub fn presence(&self) -> Presence {
        if self.is_declared || self.files.iter().any(SitemapFile::is_sitemap) {
            Presence::Present
        } else if self.declared.is_empty()
            && self.next.is_empty()
            && self.files.iter().all(|file| matches!(file.end, End::Whole | End::Gone(_)))
        {
            Presence::Missing
        } else {
            Presence::Unknown
        }
    }

    /// Whether there are sitemaps and every file was read to its end, so that "not listed" can be said.
    pub fn is_complete(&self) -> bool {
        let is_absent = |file: &SitemapFile| file.is_guess && !file.is_sitemap();
        self.presence() == Presence::Present
            && self.next.is_empty()
            && !self.left_out
            && self.files.iter().all(|file| match file.end {
                End::Whole => is_absent(file) || file.fault.is_none(),
                End::Gone(_) => is_absent(file),
                End::TooLarge | End::Unread(_) => false,
            })
    }

    /// The `sitemap` block of the summary.
    pub(crate) fn summary(&self) -> SitemapSummary {
        let listed = self.listed();
        let (state, found) = match self.presence() {
            _ if listed.is_some() => ("found", Some(true)),
            Presence::Missing => ("missing", Some(false)),
            _ if self.is_complete() => ("absent", Some(false)),
            _ if self.relevant().any(|file| file.fault.is_some()) => ("invalid", None),
            _ if self.left_out || self.files.iter().any(|file| file.end == End::TooLarge) => ("tooLarge", None),
            _ => ("unreachable", None),
        };
        SitemapSummary {
            declared: self.declared.clone(),
            checked: self.files.iter().map(|file| file.url.clone()).collect(),
            found,
            url: listed.map(|(file, _)| file.url.clone()),
            lastmod: listed.and_then(|(_, entry)| entry.lastmod.clone()),
            state: state.to_owned(),
            urls: self.files.iter().map(|file| file.urls).sum(),
        }
    }
}

impl Facts<'_> {
    /// The site's sitemaps. `Err` when nothing could be asked: supplied bytes, or no readable robots.txt.
    pub fn sitemaps(&self) -> Result<&Sitemaps, NotMeasured> {
        let unknown = if self.capture.source == Source::Supplied { NotMeasured::Offline } else { NotMeasured::Sitemap };
        self.sitemaps.as_ref().ok_or(unknown)
    }

    /// The `sitemap` block. Where nothing was asked, `checked` is empty and `found` is null.
    pub(crate) fn sitemap_summary(&self) -> SitemapSummary {
        self.sitemaps.as_ref().map_or_else(
            || SitemapSummary { state: "unreachable".to_owned(), ..SitemapSummary::default() },
            Sitemaps::summary,
        )
    }
}

/// One pass over the files in the order in which they are asked for.
struct Survey<'c> {
    extras: &'c [Extra],
    target: &'c Target,
    /// Identities of all addresses met, so that files which name each other are read once.
    seen: BTreeSet<String>,
    sitemaps: Sitemaps,
}

impl<'c> Survey<'c> {
    /// Reads a file that came, or notes it as one to ask for. `is_guess`: nobody named it.
    fn visit(&mut self, url: Url, is_guess: bool) {
        if !self.seen.insert(identity(&url)) {
            return;
        }
        match self.answer(&url) {
            Some(fetched) => {
                let mut file = SitemapFile::read(url.as_str(), fetched, self.target);
                file.is_guess = is_guess;
                self.seen.extend(Url::parse(&file.final_url).ok().map(|url| identity(&url)));
                self.sitemaps.files.push(file);
            }
            None => self.sitemaps.next.push(url.into()),
        }
    }

    fn answer(&self, url: &Url) -> Option<&'c Fetched> {
        let asked = |extra: &&Extra| extra.want.kind == WantKind::Sitemap && extra.want.url == url.as_str();
        self.extras.iter().find(asked).map(|extra| &extra.fetched)
    }

    /// One place after the other, until one has a sitemap.
    fn usual_places(&mut self, base: &Url) {
        for url in USUAL_PATHS.iter().filter_map(|path| base.join(path).ok()) {
            self.visit(url, true);
            let found = self.sitemaps.files.last().is_some_and(SitemapFile::is_sitemap);
            if found || !self.sitemaps.next.is_empty() {
                return;
            }
        }
    }

    /// The files that indexes list, newest first; those of an index inside an index are left out (one level only).
    fn children(&mut self) {
        let indexes = self.sitemaps.files.iter().filter(|file| file.kind == Some(Kind::Index));
        let mut children: Vec<reading::Child> = indexes.flat_map(|file| file.children.iter().cloned()).collect();
        self.sitemaps.left_out |= self.sitemaps.files.iter().any(|file| file.children_left_out);
        // Stable: of one day, or undated, the order of the files stays.
        children.sort_by_key(|child| std::cmp::Reverse(child.lastmod));
        let roots = self.sitemaps.files.len();
        children.into_iter().for_each(|child| self.visit(child.url, false));
        self.sitemaps.left_out |= self.sitemaps.files.iter().skip(roots).any(|file| file.kind == Some(Kind::Index));
    }

    /// Keeps within the limits of one audit.
    fn finish(mut self) -> Sitemaps {
        let bytes: usize = self.sitemaps.files.iter().map(|file| file.size).sum();
        let room = if bytes >= MOST_BYTES { 0 } else { MOST_FILES.saturating_sub(self.sitemaps.files.len()) };
        self.sitemaps.left_out |= self.sitemaps.next.len() > room;
        self.sitemaps.next.truncate(room);
        self.sitemaps
    }
}

#[cfg(test)]
mod tests;
