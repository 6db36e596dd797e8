//! Everything known of one audit: what a check sees.
//!
//! Methods answer `Err(NotMeasured)` where a part is unknown, so that `?` in a check *is* its not-measured condition, and
//! absent is never confused with unknown.

use std::sync::OnceLock;

use model::capture::{Capture, Exchange, WantKind};
use model::discovery::Discovery;
use model::summary::{RobotsDirective, SitemapSummary};
use url::Url;

use super::challenge::{self, Blocked};
use super::discovery::favicon::{DeclaredIcon, DefaultIcon};
use super::discovery::image_files::{self, MeasuredImage};
use super::discovery::llms::RootFile;
use super::discovery::{self, ProbedSite};
use super::elements::LinkElement;
use super::hreflang::{self, DeclaredAlternate};
use super::jsonld::graph::Graph;
use super::link_header::{self, HeaderLink};
use super::not_measured::NotMeasured;
use super::page::Html;
use super::platform::Platforms;
use super::robots_directives::{self, Directive};
use super::robots_txt::{self, PathRules, RobotsState};
use super::site_files::SiteFiles;
use super::sitemap::SitemapFile;
use super::sitemap_survey::Sitemaps;
use super::walk::Page;
use super::{refresh, shell, structured_data};

/// All that is known of one audit. Made once; every check reads it.
#[derive(Debug)]
pub struct Facts<'c> {
    /// What the network answered.
    pub capture: &'c Capture,
    /// The discovery block of the summary; `None` for supplied bytes. Read when it is first asked for, as the icons.
    discovery: OnceLock<Option<Discovery>>,
    /// What stands at the path of the default icon; `None` for supplied bytes.
    default_icon: OnceLock<Option<DefaultIcon>>,
    /// State of the icon that the page declares; `None` for supplied bytes.
    declared_icon: OnceLock<Option<DeclaredIcon>>,
    html: Option<&'c Html>,
    url: Option<Url>,
    blocked: Option<Blocked>,
    shell: Option<shell::Shell>,
    header_links: Vec<HeaderLink>,
    directives: Vec<Directive>,
    pub(super) robots: Option<&'c RobotsState>,
    /// Of robots.txt, for the final URL.
    pub(super) rules: Option<PathRules<'c>>,
    sitemaps: Option<Sitemaps<'c>>,
    alternates: Vec<DeclaredAlternate>,
    graph: Graph<'c>,
    /// Read when it is first asked for.
    platforms: OnceLock<Platforms>,
}

impl<'c> Facts<'c> {
    /// Reads a capture whose page and files were read.
    pub fn new(capture: &'c Capture, page: &'c Page, files: &'c SiteFiles) -> Self {
        let exchange = capture.page.response();
        let blocked = challenge::blocked(&capture.page);
        let html = page.html.as_ref();
        let header_links = exchange.map(link_header::read).unwrap_or_default();
        let alternates = hreflang::read(html, &header_links);
        let robots = files.robots.as_deref();
        let url = exchange.and_then(|exchange| Url::parse(&exchange.url).ok());
        let rules = match robots {
            Some(RobotsState::Found(file)) => url.as_ref().map(|url| file.for_path(&robots_txt::path(url))),
            _ => None,
        };
        Self {
            capture,
            discovery: OnceLock::new(),
            default_icon: OnceLock::new(),
            declared_icon: OnceLock::new(),
            html,
            url,
            shell: html.and_then(shell::read),
            blocked,
            directives: robots_directives::read(html, exchange),
            sitemaps: Sitemaps::survey(capture, files),
            robots,
            rules,
            header_links,
            alternates,
            graph: Graph::read(html.into_iter().flat_map(Html::sources).map(structured_data::NodeSource::tree)),
            platforms: OnceLock::new(),
        }
    }

    /// URL after all redirects; the requested one where no response came.
    pub fn final_url(&self) -> &str {
        self.capture.page.response().map_or(&self.capture.requested_url, |exchange| &exchange.url)
    }

    /// The final URL, parsed.
    pub fn url(&self) -> Result<&Url, NotMeasured> {
        self.url.as_ref().ok_or(NotMeasured::Fetch)
    }

    /// The document whatever its status, for the summary.
    pub fn markup(&self) -> Option<&'c Html> {
        self.html
    }

    /// The page's response, challenge or not.
    pub fn any_response(&self) -> Result<&'c Exchange, NotMeasured> {
        self.capture.page.response().ok_or(NotMeasured::Fetch)
    }

    /// What answered instead of the page.
    pub fn blocked(&self) -> Option<&Blocked> {
        self.blocked.as_ref()
    }

    /// The page's response, whatever its status.
    pub fn response(&self) -> Result<&'c Exchange, NotMeasured> {
        let exchange = self.any_response()?;
        if self.blocked.is_some() { Err(NotMeasured::Challenge) } else { Ok(exchange) }
    }

    /// The response with its headers: not for bytes that were supplied without them. Of supplied ones nothing is timed.
    pub fn measured_response(&self) -> Result<&'c Exchange, NotMeasured> {
        let exchange = self.response()?;
        if self.capture.source.has_headers() { Ok(exchange) } else { Err(NotMeasured::Offline) }
    }

    /// The same, when it is a success.
    pub fn successful_response(&self) -> Result<&'c Exchange, NotMeasured> {
        let exchange = self.measured_response()?;
        if exchange.is_success() { Ok(exchange) } else { Err(NotMeasured::Status) }
    }

    /// The document of a successful response.
    pub fn page(&self) -> Result<&'c Html, NotMeasured> {
        let exchange = self.response()?;
        if !exchange.is_success() {
            return Err(NotMeasured::Status);
        }
        self.html.ok_or(NotMeasured::Html)
    }

    /// The document, read to its end: absence can be claimed.
    pub fn whole_page(&self) -> Result<&'c Html, NotMeasured> {
        let html = self.page()?;
        if html.cut || html.document.is_cut_short() { Err(NotMeasured::Truncated) } else { Ok(html) }
    }

    /// The document, when it is more than a shell that a script fills: absence of content can be claimed.
    pub fn filled_page(&self) -> Result<&'c Html, NotMeasured> {
        let html = self.page()?;
        if self.shell.is_some() { Err(NotMeasured::Shell) } else { Ok(html) }
    }

    /// Why the page is an empty shell, if it is.
    pub fn shell(&self) -> Option<&shell::Shell> {
        self.shell.as_ref()
    }

    /// The systems that the page was made with; none where something else answered in its place. Absence of a system is
    /// no evidence: most can be told not to show.
    pub fn platforms(&self) -> &Platforms {
        self.platforms.get_or_init(|| {
            let exchange = self.response().ok().filter(|_| self.capture.source.has_headers());
            let html = self.html.filter(|_| self.blocked.is_none());
            Platforms::read(html, exchange, &self.header_links)
        })
    }

    /// `Link` header entries.
    pub fn header_links(&self) -> &[HeaderLink] {
        &self.header_links
    }

    /// Robots directives of metas and headers.
    pub fn directives(&self) -> &[Directive] {
        &self.directives
    }

    /// The directives of the header in wire form.
    pub fn header_directives(&self) -> Vec<RobotsDirective> {
        self.directives
            .iter()
            .filter(|directive| matches!(directive.source, robots_directives::DirectiveOrigin::Header(_)))
            .map(|directive| RobotsDirective {
                user_agent: directive.agent.clone(),
                directive: directive.name.clone(),
                value: directive.value.clone(),
            })
            .collect()
    }

    /// `Err(NoIndex)` when the page asks Google not to index it: advice on its appearance would be noise.
    pub fn indexable(&self) -> Result<(), NotMeasured> {
        let now = self.capture.started_at;
        let hidden =
            self.directives.iter().filter(|directive| robots_directives::for_google(directive)).any(|directive| {
                let expired = || {
                    directive.value.as_deref().and_then(robots_directives::parse_date).is_some_and(|date| date <= now)
                };
                matches!(directive.name.as_str(), "noindex" | "none")
                    || directive.name == "unavailable_after" && expired()
            });
        if hidden { Err(NotMeasured::NoIndex) } else { Ok(()) }
    }

    /// The schema.org nodes of the page, in any syntax.
    pub(crate) fn graph(&self) -> Result<&Graph<'c>, NotMeasured> {
        self.page()?;
        if self.graph.nodes.is_empty() {
            return Err(if self.has_unread_json_ld() { NotMeasured::JsonLd } else { NotMeasured::Absent });
        }
        self.graph.start_over();
        Ok(&self.graph)
    }

    /// Whether a part of the JSON-LD was not read, a block that is none or nodes past the cap: what it holds is not known.
    pub(crate) fn has_unread_json_ld(&self) -> bool {
        self.html.is_some_and(|html| !html.json_ld.errors.is_empty() || html.json_ld.dropped)
    }

    /// A verdict on what structured data holds. Where a block could not be read, nothing is known to be right, or absent.
    pub(crate) fn unless_unread<P>(&self, verdict: Result<Option<P>, NotMeasured>) -> Result<Option<P>, NotMeasured> {
        match verdict {
            Ok(None) | Err(NotMeasured::Absent) if self.has_unread_json_ld() => Err(NotMeasured::JsonLd),
            known => known,
        }
    }

    /// Language alternates of elements and header; those of sitemaps are [`Self::listed_alternates`].
    pub fn alternates(&self) -> &[DeclaredAlternate] {
        &self.alternates
    }

    /// Canonical `link` elements in order: those of the head, and those that a stray element pushed out of it.
    pub fn canonical_links(&self) -> Result<Vec<&'c LinkElement>, NotMeasured> {
        let html = self.page()?;
        let is_lost =
            |link: &LinkElement| html.lost_head.as_ref().is_some_and(|broken| broken.lost.contains(&link.node));
        Ok(html.links_rel("canonical").filter(|link| link.in_head || is_lost(link)).collect())
    }

    /// Canonical of the `Link` header: target resolved, and as written.
    pub fn canonical_header(&self) -> Option<(String, String)> {
        let link = self.header_links.iter().find(|link| link.is("canonical"))?;
        Some((link.url.as_ref().map_or_else(|| link.target.clone(), ToString::to_string), link.raw.clone()))
    }

    /// Whether the final URL is https; `Err(Scheme)` otherwise.
    pub fn https(&self) -> Result<&Url, NotMeasured> {
        let url = self.url()?;
        if url.scheme() == "https" { Ok(url) } else { Err(NotMeasured::Scheme) }
    }

    /// URL that a meta refresh or a `Refresh` header names.
    pub fn refresh(&self) -> Option<String> {
        let header = self.capture.page.response().and_then(|exchange| exchange.header("refresh"));
        let meta = self.html.and_then(|html| {
            let meta = html.metas.iter().find(|meta| meta.http_equiv.as_deref() == Some("refresh"))?;
            html.element(meta.node)?.attribute("content")
        });
        let target = [header, meta].into_iter().flatten().find_map(|value| refresh::parse_refresh(value)?.1)?;
        let url = self.html.map_or_else(|| self.url.as_ref()?.join(&target).ok(), |html| html.resolve(&target));
        url.map(Into::into)
    }

    /// The declared icon, or the default one when the probe found it; with `declared` or `default`.
    pub fn favicon(&self) -> Option<(String, &'static str)> {
        let declared = self.html.and_then(|html| {
            let link = html.links_rel("icon").find(|link| link.url.is_some())?;
            link.url.as_ref().map(ToString::to_string)
        });
        if let Some(url) = declared {
            return Some((url, "declared"));
        }
        match self.default_icon().ok()? {
            DefaultIcon::Found(url) => Some((url.clone(), "default")),
            DefaultIcon::Unasked | DefaultIcon::Absent(_) | DefaultIcon::Unknown => None,
        }
    }

    /// The discovery block of the summary.
    pub(crate) fn discovery(&self) -> Option<&Discovery> {
        self.discovery.get_or_init(|| self.site().ok().as_ref().map(discovery::read)).as_ref()
    }

    /// What is known of `/favicon.ico`.
    pub(crate) fn default_icon(&self) -> Result<&DefaultIcon, NotMeasured> {
        let read = || self.site().ok().as_ref().map(discovery::favicon::default_icon);
        self.default_icon.get_or_init(read).as_ref().ok_or_else(|| self.no_site())
    }

    /// What is known of the icon that the page declares.
    pub(crate) fn declared_icon(&self) -> Result<&DeclaredIcon, NotMeasured> {
        let read = || self.site().ok().as_ref().map(discovery::favicon::declared_icon);
        self.declared_icon.get_or_init(read).as_ref().ok_or_else(|| self.no_site())
    }

    /// What is known of `/llms.txt`.
    pub(crate) fn llms_txt(&self) -> Result<RootFile, NotMeasured> {
        self.site().as_ref().map(discovery::llms::root_file).map_err(|missing| *missing)
    }

    /// The size of the one image without dimensions whose file was read for it.
    pub(crate) fn largest_image(&self) -> Option<MeasuredImage> {
        image_files::measured(self.capture, WantKind::LargestImage)
    }

    /// The image files of the page that were asked for, each with the status of its answer, where that tells anything of
    /// the file. `Err` for supplied bytes.
    pub(crate) fn image_answers(&self) -> Result<Vec<(Url, Option<u16>)>, NotMeasured> {
        self.site()?;
        Ok(image_files::answers(self.capture))
    }

    /// Width and height of the social image: as its tags say, else as its file does.
    pub(crate) fn social_image_size(&self) -> Option<(u32, u32)> {
        let measured = || image_files::measured(self.capture, WantKind::OgImage);
        self.html?.social_image_size().or_else(|| measured().map(|image| (image.width, image.height)))
    }

    /// The site's sitemaps. `Err` when nothing could be asked: supplied bytes, or no readable robots.txt.
    pub fn sitemaps(&self) -> Result<&Sitemaps<'_>, NotMeasured> {
        let unknown = if self.capture.source.has_network() { NotMeasured::Sitemap } else { NotMeasured::Offline };
        self.sitemaps.as_ref().ok_or(unknown)
    }

    /// The language alternates of the page's own entries, each with the file. Empty where no sitemap was read.
    pub fn listed_alternates(&self) -> impl Iterator<Item = (&SitemapFile, &DeclaredAlternate)> {
        let listings = self.sitemaps.iter().flat_map(Sitemaps::listings);
        listings.flat_map(|(file, entry)| entry.alternates.iter().map(move |alternate| (file, alternate)))
    }

    /// The `sitemap` block. Where nothing was asked, `checked` is empty and `found` is null.
    pub(crate) fn sitemap_summary(&self) -> SitemapSummary {
        let is_asked = self.capture.source.has_network() && self.robots.is_some();
        let state = if is_asked { "unreachable" } else { "notAsked" };
        self.sitemaps
            .as_ref()
            .map_or_else(|| SitemapSummary { state: state.to_owned(), ..SitemapSummary::default() }, Sitemaps::summary)
    }

    /// The site as probes see it.
    pub(crate) fn site(&self) -> Result<ProbedSite<'c>, NotMeasured> {
        ProbedSite::new(self.capture, self.html, self.robots).ok_or_else(|| self.no_site())
    }

    /// Why nothing is known of the site's files.
    fn no_site(&self) -> NotMeasured {
        if self.capture.source.has_network() { NotMeasured::Fetch } else { NotMeasured::Offline }
    }
}
