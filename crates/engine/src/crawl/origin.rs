//! What belongs to a whole site and is asked for once: robots.txt, sitemaps, discovery files.

use audit::facts::hreflang::{AlternateSource, DeclaredAlternate};
use audit::facts::robots_txt::{RobotsState, RobotsTxt};
use audit::facts::site_files::{SiteFile, SiteFiles};
use audit::facts::sitemap::{ListedPage, SitemapEntry};
use audit::facts::sitemap_survey::{self, Presence, Sitemaps};
use model::capture::{Capture, Extra, Want, WantKind};
use serde::{Deserialize, Serialize};
use site::{Spill, SpillMap};
use url::{Position, Url};

use super::sitemaps::{SitemapList, SitemapSource, SitemapsReading};

/// Our product token in robots.txt.
const TOKEN: &str = "siteaudit";

/// The files of a site.
#[derive(Debug)]
pub(super) struct SiteOrigin {
    /// The files that each page's capture has, but for sitemaps.
    pub(super) extras: Vec<Extra>,
    /// robots.txt and sitemaps, read, without entries.
    pub(super) files: SiteFiles,
    /// Entries of sitemaps by the key of the page, each a [`KeptEntry`] as JSON: a site has more of them than of all else here.
    entries: SpillMap,
    /// What was read of the sitemaps.
    pub(super) list: SitemapList,
}

/// An entry of a sitemap as it is kept.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct KeptEntry {
    /// Address of its file.
    #[serde(rename = "f")]
    file: String,
    #[serde(rename = "l")]
    loc: String,
    #[serde(rename = "m", default, skip_serializing_if = "Option::is_none")]
    lastmod: Option<String>,
    /// Language, address as written and resolved.
    #[serde(rename = "a", default, skip_serializing_if = "Vec::is_empty")]
    alternates: Vec<(String, String, Option<String>)>,
}

impl KeptEntry {
    fn of(file: &str, entry: SitemapEntry) -> Self {
        let SitemapEntry { loc, lastmod, alternates } = entry;
        let alternate = |one: DeclaredAlternate| (one.lang, one.href, one.url.map(String::from));
        let alternates = alternates.into_iter().map(alternate).collect();
        Self { file: file.to_owned(), loc, lastmod, alternates }
    }

    /// The address of the file, and the entry.
    fn entry(self) -> (String, SitemapEntry) {
        let Self { file, loc, lastmod, alternates } = self;
        let alternate = |(lang, href, url): (String, String, Option<String>)| {
            let url = url.and_then(|url| Url::parse(&url).ok());
            let source = AlternateSource::Sitemap;
            DeclaredAlternate { lang, href, url, source, node: None }
        };
        let alternates = alternates.into_iter().map(alternate).collect();
        (file, SitemapEntry { loc, lastmod, alternates })
    }
}

/// Whether a file belongs to the site, whichever page asked for it.
fn is_of_site(kind: WantKind) -> bool {
    use WantKind::{CanonicalTarget, HreflangTarget, LargestImage, OgImage, PlainHttp, Sitemap};
    !matches!(kind, CanonicalTarget | HreflangTarget | LargestImage | OgImage | PlainHttp | Sitemap)
}

impl SiteOrigin {
    /// Of the capture of the site's first page, without sitemaps. What they list goes to `spill`.
    pub(super) fn of(capture: &Capture, spill: &Spill) -> Self {
        let of_site = capture.extras.iter().filter(|extra| is_of_site(extra.want.kind)).cloned();
        let mut origin = Self {
            extras: of_site.collect(),
            files: SiteFiles::default(),
            entries: SpillMap::new(spill),
            list: SitemapList::default(),
        };
        let nothing = ListedPage::default();
        let robots = origin.extras.iter().filter_map(|extra| SiteFile::read(extra, &nothing)).collect::<Vec<_>>();
        robots.into_iter().for_each(|file| origin.files.add(file));
        origin
    }

    /// Reads the sitemaps of the site: those that an audit reads, then every other. `named` are the caller's. Where they were
    /// `read` before, none is asked for: pages see the files that the capture of the first page has. The answer: what pages see
    /// and the capture lacks.
    pub(super) async fn read_sitemaps(
        &mut self,
        mut reading: SitemapsReading<'_>,
        named: &[Url],
        read: Option<SitemapList>,
    ) -> Vec<Extra> {
        let capture = reading.capture;
        let is_declared = Sitemaps::survey(capture, &self.files).is_some_and(|survey| survey.is_declared);
        reading.asks = read.is_none();
        // Ends: the survey names each file once, and only so many.
        loop {
            let wants = sitemap_survey::wanted(capture, &self.files);
            if wants.is_empty() {
                break;
            }
            for Want { url, .. } in wants {
                let source = match reading.is_of_index(&url) {
                    true => SitemapSource::Index,
                    false if is_declared => SitemapSource::Named,
                    false => SitemapSource::Guess,
                };
                let (file, entries) = reading.read(&url, source).await;
                for (key, entry) in entries {
                    match serde_json::to_vec(&KeptEntry::of(&url, entry)) {
                        Ok(entry) => self.entries.add(&key, &entry),
                        Err(error) => tracing::error!(%error, "an entry of a sitemap is no JSON"),
                    }
                }
                self.files.add(SiteFile::Sitemap(Box::new(file)));
            }
        }
        if let Some(read) = read {
            self.list = read;
            return Vec::new();
        }
        let asked = std::mem::take(&mut reading.asked);
        reading.keeps = false;
        reading.read_rest(named).await;
        let presence = Sitemaps::survey(capture, &self.files).map(|survey| survey.presence());
        let is_own_known = match presence {
            Some(Presence::Present) => true,
            Some(Presence::Missing) => !named.is_empty(),
            Some(Presence::Unknown) | None => false,
        };
        let is_present = !named.is_empty() || presence == Some(Presence::Present);
        self.list = SitemapList {
            complete: is_own_known && reading.is_complete(),
            unread: reading.unread,
            are_left_out: reading.are_left_out,
            listed: is_present.then_some(reading.listed),
        };
        asked
    }

    /// The files as one page sees them. An entry that could not be read again is left out, which [`super::Crawl::check`] tells.
    pub(super) fn files_for(&self, key: &str) -> SiteFiles {
        let listed = self.entries.get(key);
        self.files
            .listing(listed.iter().filter_map(|entry| Some(serde_json::from_slice::<KeptEntry>(entry).ok()?.entry())))
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
