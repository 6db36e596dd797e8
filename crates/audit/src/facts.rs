//! What a capture says, parsed and unjudged. One file a part; each is total on any bytes.
//!
//! [`Facts`] is what a check sees. Its methods answer `Err(NotMeasured)` where the part is unknown, so that `?` in a
//! check *is* its not-measured condition, and absent is never confused with unknown.

pub(crate) mod breadcrumbs;
pub mod canonical;
pub mod challenge;
pub mod charset;
pub mod content_images;
pub mod content_type;
pub(crate) mod cookies;
pub mod crawlers;
pub(crate) mod csp;
pub mod derive;
pub(crate) mod detected_language;
pub mod discovery;
pub mod document;
pub mod field_data;
pub mod font_metrics;
pub mod hreflang;
mod image_header;
pub(crate) mod image_room;
pub mod jsonld;
pub mod language_tag;
pub mod link_header;
pub mod listed;
pub mod lost_head;
mod microdata;
pub mod names;
pub(crate) mod new_nodes;
pub(crate) mod node_values;
pub(crate) mod nofollow;
pub mod page;
pub mod page_language;
mod rdfa;
pub mod redirects;
mod robots;
pub mod robots_directives;
pub mod robots_txt;
pub mod schema_org;
pub(crate) mod secrets;
pub mod shell;
pub(crate) mod shown_markup;
pub(crate) mod simple_selector;
pub mod site_files;
pub mod sitemap;
pub mod soft_404;
pub(crate) mod structured_data;
pub mod text;
pub mod url_identity;
pub mod visibility;
pub mod words;

use model::capture::{Capture, Exchange, WantKind};
use model::discovery::Discovery;
use model::summary::RobotsDirective;
use url::Url;

use crate::check::NotMeasured;
use challenge::Blocked;
use discovery::Site;
use discovery::favicon::{DeclaredIcon, DefaultIcon};
use discovery::image_files::{self, MeasuredImage};
use discovery::llms::RootFile;
use hreflang::Alternate;
use jsonld::graph::Graph;
use link_header::HeaderLink;
use page::{Html, LinkElement, Page};
use robots_directives::Directive;
use robots_txt::{PathRules, RobotsState};
use site_files::SiteFiles;
use sitemap::Sitemaps;

/// All that is known of one audit. Made once; every check reads it.
#[derive(Debug)]
pub struct Facts<'c> {
    /// What the network answered.
    pub capture: &'c Capture,
    /// The discovery block of the summary; `None` for supplied bytes.
    pub discovery: Option<Discovery>,
    /// What stands at the two paths that checks ask for by name; `None` for supplied bytes.
    root_files: Option<(DefaultIcon, RootFile)>,
    /// What became of the icon that the page declares; `None` for supplied bytes.
    declared_icon: Option<DeclaredIcon>,
    html: Option<&'c Html>,
    url: Option<Url>,
    blocked: Option<Blocked>,
    shell: Option<shell::Shell>,
    header_links: Vec<HeaderLink>,
    directives: Vec<Directive>,
    robots: Option<&'c RobotsState>,
    /// Of robots.txt, for the final URL.
    rules: Option<PathRules<'c>>,
    sitemaps: Option<Sitemaps<'c>>,
    alternates: Vec<Alternate>,
    graph: Graph<'c>,
}

impl<'c> Facts<'c> {
    /// Reads a capture whose page and files were read.
    pub fn new(capture: &'c Capture, page: &'c Page, files: &'c SiteFiles) -> Self {
        let exchange = capture.page.response();
        let blocked = challenge::blocked(&capture.page);
        let html = page.html.as_ref();
        let header_links = exchange.map(link_header::read).unwrap_or_default();
        let alternates = hreflang::read(html, &header_links);
        let robots = files.robots.as_ref();
        let url = exchange.and_then(|exchange| Url::parse(&exchange.url).ok());
        let rules = match robots {
            Some(RobotsState::Found(file)) => url.as_ref().map(|url| file.for_path(&robots::path(url))),
            _ => None,
        };
        let site = Site::new(capture, html, robots);
        let discovery = site.as_ref().map(discovery::read);
        let root_files =
            site.as_ref().map(|site| (discovery::favicon::default_icon(site), discovery::llms::root_file(site)));
        let declared_icon = site.as_ref().map(discovery::favicon::declared_icon);
        Self {
            capture,
            discovery,
            root_files,
            declared_icon,
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
            graph: Graph::read(html.into_iter().flat_map(Html::sources).map(structured_data::Source::tree)),
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
            .filter(|directive| matches!(directive.source, robots_directives::Origin::Header(_)))
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
            return Err(NotMeasured::Absent);
        }
        self.graph.start_over();
        Ok(&self.graph)
    }

    /// Language alternates of elements and header; those of sitemaps are [`Self::listed_alternates`].
    pub fn alternates(&self) -> &[Alternate] {
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

    /// What the page says its own address is: its one valid canonical as its fixes leave it, unless that is known to lead
    /// to no page, else its final URL as a canonical should name it, without fragment, tracking and session parameters.
    pub fn own_url(&self) -> Result<Url, NotMeasured> {
        let declared = self.canonical_links()?;
        let mut canonicals =
            declared.iter().filter_map(|link| link.url.as_ref()).filter(|url| url_identity::names_page(url));
        let single = canonicals.next().filter(|first| canonicals.all(|other| other == *first));
        let single = single.filter(|_| !matches!(self.canonical_target_fault(), Ok(Some(_))));
        let page = self.url()?;
        Ok(match single.filter(|canonical| !canonical::is_mistaken(self, page, canonical)) {
            Some(canonical) => canonical::mended(page, canonical),
            None => url_identity::without_tracking(page),
        })
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
            html.metas.iter().find(|meta| meta.http_equiv.as_deref() == Some("refresh"))?.content.as_deref()
        });
        let target = [header, meta].into_iter().flatten().find_map(|value| parse_refresh(value)?.1)?;
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
        match &self.root_files.as_ref()?.0 {
            DefaultIcon::Found(url) => Some((url.clone(), "default")),
            DefaultIcon::Unasked | DefaultIcon::Absent(_) | DefaultIcon::Unknown => None,
        }
    }

    /// What is known of `/favicon.ico`.
    pub(crate) fn default_icon(&self) -> Result<&DefaultIcon, NotMeasured> {
        self.root_files.as_ref().map(|(icon, _)| icon).ok_or_else(|| self.no_site())
    }

    /// What is known of the icon that the page declares.
    pub(crate) fn declared_icon(&self) -> Result<&DeclaredIcon, NotMeasured> {
        self.declared_icon.as_ref().ok_or_else(|| self.no_site())
    }

    /// What is known of `/llms.txt`.
    pub(crate) fn llms_txt(&self) -> Result<RootFile, NotMeasured> {
        self.root_files.as_ref().map(|(_, llms)| *llms).ok_or_else(|| self.no_site())
    }

    /// The size of the one image without dimensions whose file was read for it.
    pub(crate) fn largest_image(&self) -> Option<MeasuredImage> {
        image_files::measured(self.capture, WantKind::LargestImage)
    }

    /// Width and height of the social image: as its tags say, else as its file does.
    pub(crate) fn social_image_size(&self) -> Option<(u32, u32)> {
        let measured = || image_files::measured(self.capture, WantKind::OgImage);
        self.html?.social_image_size().or_else(|| measured().map(|image| (image.width, image.height)))
    }

    /// The site as probes see it.
    pub(crate) fn site(&self) -> Result<Site<'c>, NotMeasured> {
        Site::new(self.capture, self.html, self.robots).ok_or_else(|| self.no_site())
    }

    /// Why nothing is known of the site's files.
    fn no_site(&self) -> NotMeasured {
        if self.capture.source.has_network() { NotMeasured::Fetch } else { NotMeasured::Offline }
    }
}

/// Delay in seconds and target of a refresh value (WHATWG HTML §4.2.5.3, "shared declarative refresh steps").
pub fn parse_refresh(value: &str) -> Option<(u64, Option<String>)> {
    let value = value.trim_start();
    let digits = value.len() - value.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = value.split_at(digits);
    if digits == 0 && !rest.starts_with('.') {
        return None;
    }
    let delay = if digits == 0 { 0 } else { number.parse().unwrap_or(u64::MAX) };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.trim_start().trim_start_matches([';', ',']).trim_start();
    if rest.is_empty() {
        return Some((delay, None));
    }
    let after_key = rest.get(..3).filter(|key| key.eq_ignore_ascii_case("url")).and_then(|_| rest.get(3..));
    let target = after_key.and_then(|after| after.trim_start().strip_prefix('=')).map_or(rest, str::trim_start);
    let target = match target.chars().next() {
        Some(quote @ ('"' | '\'')) => target.get(1..).unwrap_or_default().split(quote).next().unwrap_or_default(),
        _ => target,
    };
    Some((delay, Some(target.trim_end().to_owned()).filter(|target| !target.is_empty())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refresh_values_of_every_spelling_are_read() {
        let read = |value| parse_refresh(value).map(|(delay, url)| (delay, url.unwrap_or_default()));
        assert_eq!(read("0; url=/a"), Some((0, "/a".to_owned())));
        assert_eq!(read("5;URL='https://x/ y'"), Some((5, "https://x/ y".to_owned())));
        assert_eq!(read("3, /b"), Some((3, "/b".to_owned())));
        assert_eq!(read("30"), Some((30, String::new())));
        assert_eq!(read(".5;url=c"), Some((0, "c".to_owned())));
        assert_eq!(read("never"), None);
    }
}
