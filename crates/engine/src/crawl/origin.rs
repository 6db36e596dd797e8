//! What belongs to a whole site and is asked for once: robots.txt, sitemaps, discovery files.

use std::collections::HashMap;

use audit::facts::robots_txt::{RobotsState, RobotsTxt};
use audit::facts::site_files::{SiteFile, SiteFiles};
use audit::facts::sitemap::{End, ListedPage, SitemapEntry, SitemapFile};
use audit::facts::sitemap_survey::{self, Presence, Sitemaps};
use model::capture::{Capture, Extra, Fetched, Want, WantKind};
use site::key;
use tokio::time::Instant;
use url::{Position, Url};

use crate::audit_loop::{AUDIT_TIME, Engine};

/// Listed addresses kept of all sitemaps.
const MOST_LISTED: usize = 1_000_000;
/// Language versions kept of all sitemaps: they take much more memory than the addresses.
const MOST_ALTERNATES: usize = 200_000;
/// Our product token in robots.txt.
const TOKEN: &str = "siteaudit";

/// The files of a site.
#[derive(Debug)]
pub(super) struct SiteOrigin {
    /// The files that each page's capture has, but for sitemaps.
    pub(super) extras: Vec<Extra>,
    /// robots.txt and sitemaps, read, without entries.
    pub(super) files: SiteFiles,
    /// Entries of sitemaps by the key of the page, each with the address of its file.
    entries: HashMap<String, Vec<(String, SitemapEntry)>>,
    /// Keys in the order of the sitemaps; `None` where the site has none.
    pub(super) listed: Option<Vec<String>>,
    /// Every sitemap was read to its end.
    pub(super) complete: bool,
    /// Sitemaps that were named, by robots.txt or by the caller, and could not be read to their end.
    pub(super) unread: Vec<String>,
}

/// Whether a file belongs to the site, whichever page asked for it.
fn is_of_site(kind: WantKind) -> bool {
    use WantKind::{CanonicalTarget, HreflangTarget, LargestImage, OgImage, PlainHttp, Sitemap};
    !matches!(kind, CanonicalTarget | HreflangTarget | LargestImage | OgImage | PlainHttp | Sitemap)
}

impl SiteOrigin {
    /// Of the capture of the site's first page: takes its files, and asks for every sitemap. `named` are sitemaps besides
    /// those of robots.txt.
    pub(super) async fn of(engine: &Engine, capture: &Capture, named: &[Url]) -> Self {
        let of_site = capture.extras.iter().filter(|extra| is_of_site(extra.want.kind)).cloned();
        let mut origin = Self {
            extras: of_site.collect(),
            files: SiteFiles::default(),
            entries: HashMap::new(),
            listed: None,
            complete: false,
            unread: Vec::new(),
        };
        let nothing = ListedPage::default();
        let robots = origin.extras.iter().filter_map(|extra| SiteFile::read(extra, &nothing)).collect::<Vec<_>>();
        robots.into_iter().for_each(|file| origin.files.add(file));
        origin.read_sitemaps(engine, capture, named).await;
        origin
    }

    async fn read_sitemaps(&mut self, engine: &Engine, capture: &Capture, named: &[Url]) {
        let mut listed: Vec<String> = Vec::new();
        let mut alternates = 0;
        let mut named: Vec<Want> =
            named.iter().map(|url| Want { kind: WantKind::Sitemap, url: url.as_str().to_owned() }).collect();
        let is_named = !named.is_empty();
        let declared = Sitemaps::survey(capture, &self.files).map(|survey| survey.declared).unwrap_or_default();
        named.retain(|want| !declared.contains(&want.url));
        let by_caller: Vec<String> = named.iter().map(|want| want.url.clone()).collect();
        let mut unread: Vec<String> = Vec::new();
        // Ends: the survey names each file once, and only so many.
        loop {
            let mut wants = sitemap_survey::wanted(capture, &self.files);
            wants.append(&mut named);
            if wants.is_empty() {
                break;
            }
            for want in wants {
                let url = want.url.clone();
                let Some(mut file) = sitemap(engine, capture, want).await else {
                    self.files.add(SiteFile::Sitemap(Box::new(overloaded(&url))));
                    unread.push(url);
                    continue;
                };
                let is_by_caller = by_caller.contains(&url);
                if !is_whole(&file, is_by_caller) {
                    unread.push(url.clone());
                }
                for mut entry in std::mem::take(&mut file.entries) {
                    let Some(key) = entry.url().and_then(|url| key(&url)).map(String::from) else { continue };
                    if listed.len() >= MOST_LISTED {
                        break;
                    }
                    alternates += entry.alternates.len();
                    if alternates > MOST_ALTERNATES {
                        entry.alternates = Vec::new();
                    }
                    listed.push(key.clone());
                    self.entries.entry(key).or_default().push((url.clone(), entry));
                }
                self.files.add(SiteFile::Sitemap(Box::new(file)));
            }
        }
        let survey = Sitemaps::survey(capture, &self.files);
        let is_own_known = survey
            .as_ref()
            .is_some_and(|survey| survey.is_complete() || is_named && survey.presence() == Presence::Missing);
        let is_declared = survey.as_ref().is_some_and(|survey| survey.is_declared);
        let is_present = is_named || survey.is_some_and(|survey| survey.presence() == Presence::Present);
        // Without a sitemap of its own, a site is asked for guessed ones, which need not be there.
        unread.retain(|url| is_declared || by_caller.contains(url));
        self.complete = is_own_known && unread.is_empty();
        self.unread = unread;
        self.listed = is_present.then_some(listed);
    }

    /// The files as one page sees them.
    pub(super) fn files_for(&self, key: &str) -> SiteFiles {
        self.files.listing(self.entries.get(key).into_iter().flatten().cloned())
    }

    fn robots(&self) -> Option<&RobotsTxt> {
        match self.files.robots() {
            Some(RobotsState::Found(file)) => Some(file),
            _ => None,
        }
    }

    /// Whether robots.txt lets us ask for an address.
    pub(super) fn allows(&self, url: &Url) -> bool {
        let path = &url[Position::BeforePath..Position::AfterQuery];
        self.robots().is_none_or(|file| file.verdict(TOKEN, path).allowed)
    }

    /// Seconds between requests that robots.txt asks of us.
    pub(super) fn delay(&self) -> Option<f64> {
        self.robots().and_then(|file| file.crawl_delay(TOKEN))
    }

    /// Whether robots.txt could not be read, so that crawlers have to stay away (RFC 9309 §2.3.1.4).
    pub(super) fn is_closed(&self) -> bool {
        matches!(self.files.robots(), Some(RobotsState::Unreachable(_)))
    }
}

/// Whether a file was read to its end. An index that only the caller names is not: its files are not asked for.
fn is_whole(file: &SitemapFile, is_by_caller: bool) -> bool {
    let is_index = is_by_caller && file.listed_files > 0;
    file.end == End::Whole && file.kind.is_some() && file.fault.is_none() && !is_index
}

/// A file that could not be read for want of a core.
fn overloaded(url: &str) -> SitemapFile {
    let failure = model::capture::FetchFailure {
        kind: model::capture::FailureKind::Timeout,
        reason: "overloaded".to_owned(),
        hops: Vec::new(),
        url: url.to_owned(),
    };
    SitemapFile::read(url, &Fetched::Failed(failure), &ListedPage::default())
}

/// Fetches and reads a sitemap with all of its entries; `None` where no core was free to read it.
async fn sitemap(engine: &Engine, capture: &Capture, want: Want) -> Option<SitemapFile> {
    let until = Instant::now() + AUDIT_TIME;
    let known = capture.extras.iter().find(|extra| extra.want == want).map(|extra| extra.fetched.clone());
    let (fetched, room) = match known {
        Some(fetched) => (fetched, None),
        None => {
            let (fetched, room) = engine.fetcher().large(&want, until).await;
            (fetched, Some(room))
        }
    };
    let bytes = fetched.response().map_or(0, |exchange| exchange.body.bytes.len());
    let read = move || {
        let file = SitemapFile::read(&want.url, &fetched, &ListedPage::every());
        drop(room);
        file
    };
    engine.cores().run(bytes, until, read).await.ok()
}
