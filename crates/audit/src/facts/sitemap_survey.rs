//! The sitemaps of a site (sitemaps.org protocol 0.9): which to ask for, what came, and whether the page is in them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::capture::{Capture, Source, Want, WantKind};
use model::summary::SitemapSummary;
use url::Url;

use super::robots_txt::RobotsState;
use super::site_files::SiteFiles;
use super::sitemap::{Child, End, MOST_FILES, SitemapEntry, SitemapFile, SitemapKind, fetchable};
use super::url_identity::{identity, same_site};

/// Decoded bytes of all sitemap files of one audit; past them no more is asked for. What an audit reads at most: enough
/// for a site of half a million pages.
pub const MOST_BYTES: usize = 64 * 1024 * 1024;
/// Files of other sites among them. They are allowed (sitemaps.org protocol, "Sitemaps & Cross Submits"), but whoever
/// writes a robots.txt must not make an audit fetch much from somebody else.
const MOST_FOREIGN_FILES: usize = 2;
/// Files asked for at a time: few, so that finding the page early spares the site the rest.
const AT_ONCE: usize = 2;
/// Where sitemaps are looked for when robots.txt names none, in order: what most systems write.
pub const USUAL_PATHS: [&str; 3] = ["/sitemap.xml", "/sitemap_index.xml", "/sitemap.txt"];

/// The sitemap files still to fetch; empty when the page was found or there is nothing more.
///
/// Nothing is wanted before robots.txt was answered: it may name the files, and where it can't be read crawlers stop.
pub fn wanted(capture: &Capture, files: &SiteFiles) -> Vec<Want> {
    let Some(sitemaps) = Sitemaps::survey(capture, files).filter(|known| known.listed().is_none()) else {
        return Vec::new();
    };
    sitemaps.next.into_iter().take(AT_ONCE).map(|url| Want { kind: WantKind::Sitemap, url }).collect()
}

/// Whether a `Sitemap` value is an address that can be asked for.
pub fn is_address(value: &str) -> bool {
    fetchable(value).is_some()
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
pub struct Sitemaps<'f> {
    /// `Sitemap` values of robots.txt, as written.
    pub declared: Vec<String>,
    /// Every file that was asked for: those of robots.txt or the usual places, then children, newest first.
    pub files: Vec<&'f SitemapFile>,
    /// robots.txt names at least one file that can be asked for.
    pub is_declared: bool,
    /// So many of the files, the first ones, were looked for at usual places: nobody named them.
    guesses: usize,
    /// So many of the files, the first ones, were not named by an index.
    roots: usize,
    /// What would be asked for next, in order.
    next: Vec<String>,
    /// There are files that are never asked for: too many, too large together, or in an index of an index.
    left_out: bool,
}

impl<'f> Sitemaps<'f> {
    /// Goes through what has come in. `None` when nothing may be asked: supplied bytes, or no robots.txt that can be
    /// read.
    pub fn survey(capture: &Capture, files: &'f SiteFiles) -> Option<Self> {
        let base = capture.page.response().and_then(|exchange| Url::parse(&exchange.url).ok());
        let base = base.filter(|_| capture.source == Source::Network)?;
        let declared = match files.robots.as_deref()? {
            RobotsState::Found(file) => file.sitemaps.iter().map(|(_, url)| url.clone()).collect(),
            RobotsState::Missing(_) | RobotsState::Html => Vec::new(),
            RobotsState::Unreachable(_) => return None,
        };
        let roots: Vec<Url> = declared.iter().filter_map(|url: &String| fetchable(url)).collect();
        let sitemaps = Self {
            is_declared: !roots.is_empty(),
            declared,
            files: Vec::new(),
            guesses: 0,
            roots: usize::MAX,
            next: Vec::new(),
            left_out: false,
        };
        let mut survey = Survey { answers: &files.sitemaps, base: &base, foreign: 0, seen: BTreeSet::new(), sitemaps };
        if survey.sitemaps.is_declared {
            roots.into_iter().for_each(|url| survey.visit(url));
        } else {
            survey.usual_places(&base);
        }
        if survey.sitemaps.next.is_empty() {
            survey.children();
        }
        Some(survey.finish())
    }

    /// The file that lists the page, and its entry there.
    pub fn listed(&self) -> Option<(&'f SitemapFile, &'f SitemapEntry)> {
        self.listings().next()
    }

    /// Every listing of the page under one of its addresses, each address once a file.
    pub fn listings(&self) -> impl Iterator<Item = (&'f SitemapFile, &'f SitemapEntry)> {
        self.files.iter().flat_map(|file| file.entries.iter().map(move |entry| (*file, entry)))
    }

    /// The files that are sitemaps or were named as such; at a usual place anything may be.
    pub fn relevant(&self) -> impl Iterator<Item = &'f SitemapFile> {
        let files = self.files.iter().enumerate();
        files.filter(|(at, file)| *at >= self.guesses || file.is_sitemap()).map(|(_, file)| *file)
    }

    /// The files that robots.txt or an index names.
    pub fn named(&self) -> impl Iterator<Item = &'f SitemapFile> {
        self.files.iter().skip(self.guesses).copied()
    }

    /// Indexes that an index names, which none may.
    pub fn nested(&self) -> impl Iterator<Item = &'f SitemapFile> {
        self.files.iter().skip(self.roots).copied().filter(|file| file.kind == Some(SitemapKind::Index))
    }

    /// Whether there are sitemaps.
    pub fn presence(&self) -> Presence {
        if self.is_declared || self.files.iter().any(|file| file.is_sitemap()) {
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
        let is_read = |(at, file): (usize, &&SitemapFile)| {
            let is_absent = at < self.guesses && !file.is_sitemap();
            match file.end {
                End::Whole => is_absent || file.fault.is_none(),
                End::Gone(_) => is_absent,
                End::TooLarge | End::Unread(_) => false,
            }
        };
        self.presence() == Presence::Present
            && self.next.is_empty()
            && !self.left_out
            && self.files.iter().enumerate().all(is_read)
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

/// One pass over the files in the order in which they are asked for.
struct Survey<'f, 'b> {
    answers: &'f BTreeMap<String, Arc<SitemapFile>>,
    /// The page.
    base: &'b Url,
    /// Files of other sites met.
    foreign: usize,
    /// Identities of all addresses met, so that files which name each other are gone through once.
    seen: BTreeSet<String>,
    sitemaps: Sitemaps<'f>,
}

impl<'f> Survey<'f, '_> {
    /// Takes a file that came, or notes it as one to ask for.
    fn visit(&mut self, url: Url) {
        if !self.seen.insert(identity(&url)) {
            return;
        }
        if !same_site(&url, self.base) {
            self.foreign += 1;
            if self.foreign > MOST_FOREIGN_FILES {
                self.sitemaps.left_out = true;
                return;
            }
        }
        match self.answers.get(url.as_str()) {
            Some(file) => {
                self.seen.extend(Url::parse(&file.final_url).ok().map(|url| identity(&url)));
                self.sitemaps.files.push(file);
            }
            None => self.sitemaps.next.push(url.into()),
        }
    }

    /// One place after the other, until one has a sitemap.
    fn usual_places(&mut self, base: &Url) {
        for url in USUAL_PATHS.iter().filter_map(|path| base.join(path).ok()) {
            self.visit(url);
            self.sitemaps.guesses = self.sitemaps.files.len();
            let found = self.sitemaps.files.last().is_some_and(|file| file.is_sitemap());
            if found || !self.sitemaps.next.is_empty() {
                return;
            }
        }
    }

    /// The files that indexes list, newest first; those of an index inside an index are left out (one level only).
    fn children(&mut self) {
        let indexes = self.sitemaps.files.iter().filter(|file| file.kind == Some(SitemapKind::Index));
        let mut children: Vec<&Child> = indexes.flat_map(|file| &file.children).collect();
        self.sitemaps.left_out |= self.sitemaps.files.iter().any(|file| file.children_left_out);
        // Stable: of one day, or undated, the order of the files stays.
        children.sort_by_key(|child| std::cmp::Reverse(child.lastmod));
        let roots = self.sitemaps.files.len();
        self.sitemaps.roots = roots;
        children.into_iter().for_each(|child| self.visit(child.url.clone()));
        self.sitemaps.left_out |=
            self.sitemaps.files.iter().skip(roots).any(|file| file.kind == Some(SitemapKind::Index));
    }

    /// Keeps within the limits of one audit.
    fn finish(mut self) -> Sitemaps<'f> {
        let bytes: usize = self.sitemaps.files.iter().map(|file| file.size).sum();
        let room = if bytes >= MOST_BYTES { 0 } else { MOST_FILES.saturating_sub(self.sitemaps.files.len()) };
        self.sitemaps.left_out |= self.sitemaps.next.len() > room;
        self.sitemaps.next.truncate(room);
        self.sitemaps
    }
}
