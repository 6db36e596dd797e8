//! A run over answers that are written down, without a network: what fixtures and tests of a site are judged by. It asks for
//! what a crawl asks for, in the same order.

use std::collections::BTreeSet;

use audit::example::Answers;
use audit::facts::content_type::is_html;
use audit::facts::robots_txt::RobotsState;
use audit::facts::site_files::SiteFiles;
use audit::facts::sitemap::SitemapFile;
use audit::facts::{Facts, sitemap::ListedPage};
use audit::{Page, report_of};
use model::capture::{Capture, Extra, Fetched, Source, Want, WantKind};
use url::Url;

use crate::address::{key, origin_variants};
use crate::facts::{SiteBuilder, SiteFacts};
use crate::frontier::{Frontier, FrontierLimits, Way};
use crate::page_facts::{PageAnswer, PageFacts, PageRole, SiteInputs};
use crate::reading::{AuditedDocument, read_page, read_resource};
use crate::scope::FrontierScope;
use crate::spill::Spill;

/// What is asked of an offline site.
#[derive(Debug, Clone, Copy)]
pub struct OfflineRun<'a> {
    /// What the site answers; every other address answers 404.
    pub answers: &'a Answers,
    /// The first page.
    pub start: &'a Url,
    /// Limits.
    pub limits: FrontierLimits,
}

/// The facts of every page, in the order in which they were asked, and what is known besides. The start has to be an http(s)
/// address.
pub fn crawl(run: OfflineRun<'_>) -> (Vec<PageFacts>, SiteInputs) {
    let OfflineRun { answers, start, limits } = run;
    let robots_url = start.join("/robots.txt").map(String::from).unwrap_or_default();
    let robots = extra(answers, WantKind::RobotsTxt, &robots_url);
    let state = RobotsState::read(&robots.fetched);
    let (sitemaps, listed) = sitemaps(answers, &state);
    let Ok(scope) = FrontierScope::new(start, &[], &[]) else { return (Vec::new(), SiteInputs::default()) };
    let mut frontier = Frontier::new(scope, limits, &Spill::default());
    frontier.begin(start, Way::Start);
    let mut probes = Vec::new();
    for url in origin_variants(start).iter().filter(|url| answers.contains_key(url.as_str())) {
        if frontier.begin(url, Way::Probe) {
            probes.push(url.as_str().to_owned());
        }
    }
    frontier.list(listed.iter().flatten());
    let mut extras = vec![robots];
    extras.extend(sitemaps);
    let mut pages = Vec::new();
    while let Some(entry) = frontier.entry(frontier.committed()) {
        let page = page(answers, &state, &extras, &entry.url);
        frontier.commit(&page);
        pages.push(page);
    }
    let external = external(answers, &frontier, &pages);
    let images = images(answers, &pages);
    pages.extend(images.into_iter().chain(external));
    let inputs = SiteInputs {
        start: key(start).map(String::from).unwrap_or_default(),
        listed: listed.map(|urls| urls.iter().collect()),
        sitemaps_complete: true,
        unread_sitemaps: Vec::new(),
        complete: frontier.is_complete(),
        limits: frontier.limits_met().clone(),
        probes,
        images_asked: true,
        external_asked: true,
        traps: frontier.traps(),
    };
    (pages, inputs)
}

/// The site of an offline run.
pub fn site(run: OfflineRun<'_>) -> SiteFacts {
    let (pages, inputs) = crawl(run);
    let mut builder = SiteBuilder::default();
    pages.into_iter().for_each(|page| builder.add(page));
    builder.finish(inputs)
}

fn fetched(answers: &Answers, url: &str) -> Fetched {
    answers.get(url).cloned().unwrap_or_else(|| audit::example::file(url, 404, ""))
}

fn extra(answers: &Answers, kind: WantKind, url: &str) -> Extra {
    Extra { want: Want { kind, url: url.to_owned() }, fetched: fetched(answers, url) }
}

/// The files that robots.txt names, and what they list.
fn sitemaps(answers: &Answers, robots: &RobotsState) -> (Vec<Extra>, Option<Vec<String>>) {
    let RobotsState::Found(robots) = robots else { return (Vec::new(), None) };
    let mut extras = Vec::new();
    let mut listed = Vec::new();
    for (_, url) in &robots.sitemaps {
        let extra = extra(answers, WantKind::Sitemap, url);
        let file = SitemapFile::read(url, &extra.fetched, &ListedPage::every());
        listed.extend(file.entries.iter().filter_map(|entry| key(&entry.url()?)).map(String::from));
        extras.push(extra);
    }
    let is_any = !extras.is_empty();
    (extras, is_any.then_some(listed))
}

fn page(answers: &Answers, robots: &RobotsState, extras: &[Extra], url: &str) -> PageFacts {
    if !is_allowed(robots, url) {
        return PageFacts::unjudged(url, PageRole::Page, PageAnswer::Blocked);
    }
    let fetched = fetched(answers, url);
    let is_document =
        fetched.response().is_some_and(|exchange| exchange.is_success() && is_html(exchange, Source::Network));
    if !is_document {
        return read_resource(url, PageRole::Page, &fetched);
    }
    let capture = Capture {
        requested_url: url.to_owned(),
        page: fetched,
        extras: extras.to_vec(),
        ..audit::example::page(url, "")
    };
    let page = Page::read(&capture);
    let files = SiteFiles::read(&capture, &page);
    let facts = Facts::new(&capture, &page, &files);
    let report = report_of(&facts, &page, &files);
    read_page(url, AuditedDocument { facts: &facts, report: &report })
}

/// Whether robots.txt lets Googlebot ask for an address.
fn is_allowed(robots: &RobotsState, url: &str) -> bool {
    let RobotsState::Found(file) = robots else { return true };
    Url::parse(url)
        .is_ok_and(|url| file.verdict("googlebot", &url[url::Position::BeforePath..url::Position::AfterQuery]).allowed)
}

/// Answers of the images that pages show and that were not asked as pages.
fn images(answers: &Answers, pages: &[PageFacts]) -> Vec<PageFacts> {
    let mut images = BTreeSet::new();
    for page in pages {
        if let PageAnswer::Document(document) = &page.answer {
            images.extend(&document.images);
        }
    }
    let asked: BTreeSet<&String> = pages.iter().map(|page| &page.url).collect();
    images.retain(|image| !asked.contains(*image));
    images.into_iter().map(|url| resource(answers, url, PageRole::Image)).collect()
}

/// Answers of the addresses of other sites that pages link.
fn external(answers: &Answers, frontier: &Frontier, pages: &[PageFacts]) -> Vec<PageFacts> {
    let mut targets = BTreeSet::new();
    for page in pages {
        if let PageAnswer::Document(document) = &page.answer {
            targets.extend(document.links.iter().map(|link| &link.url));
        }
    }
    let is_external = |url: &&String| Url::parse(url).is_ok_and(|url| !frontier.scope().is_internal(&url));
    targets.into_iter().filter(is_external).map(|url| resource(answers, url, PageRole::External)).collect()
}

fn resource(answers: &Answers, url: &str, role: PageRole) -> PageFacts {
    read_resource(url, role, &fetched(answers, url))
}
