//! Sitemaps for fixes: a first one from what the page links to, and the site's own with the page added.

use std::collections::BTreeSet;

use model::time::DAY_MS;
use url::Url;

use super::file::{End, SitemapFile};
use super::reading::{Kind, MOST_LOC_BYTES, MOST_URLS};
use super::{NAMESPACE, Sitemaps, lastmod};
use crate::escape::xml_text;
use crate::facts::Facts;
use crate::facts::page::Html;
use crate::facts::robots::path as robots_path;
use crate::facts::robots_txt::RobotsState;
use crate::facts::url_identity::{identity, same_page, without_tracking};

/// Bytes of a file that a report holds: it is there twice, in the fix and in the patch, and a report has 1 MiB.
pub(super) const MOST_FILE_BYTES: usize = 64 * 1024;
/// Bytes of robots.txt that are matched against addresses: each address costs the whole file once.
const MOST_RULE_BYTES: usize = 8 * 1024 * 1024;
/// Endings of addresses that are no pages.
const NOT_PAGES: [&str; 22] = [
    "avif", "bmp", "css", "eot", "gif", "gz", "ico", "jpeg", "jpg", "js", "json", "mjs", "mp3", "mp4", "png", "svg",
    "ttf", "webm", "webp", "woff", "woff2", "zip",
];

/// A file of the site as it should be.
#[derive(Debug)]
pub struct OwnFile {
    /// Absolute path on the host.
    pub path: String,
    /// Full content.
    pub content: String,
}

/// A first sitemap: the page itself, and the pages of its host that it links to, in order. `None` when there are none.
pub fn first(facts: &Facts<'_>) -> Option<String> {
    let html = facts.page().ok()?;
    let is_indexable = facts.indexable().is_ok();
    let own = facts.own_url().ok().filter(|own| own.origin() == html.url.origin() && is_indexable);
    let is_hidden = |url: &Url| !is_indexable && same_page(url, &html.url);
    let links = html.anchors.iter().filter(|anchor| !anchor.nofollow).filter_map(|anchor| anchor.url.as_ref());
    let links = links.filter(|url| url.origin() == html.url.origin() && is_page(url)).map(without_tracking);
    let links = links.filter(|url| !is_hidden(url));
    let mut out = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"{NAMESPACE}\">\n");
    let start = out.len();
    let mut seen = BTreeSet::new();
    for url in own.iter().cloned().chain(links).take(most_asked(facts)) {
        if url.as_str().len() > MOST_LOC_BYTES || !is_open(facts, &url) || !seen.insert(identity(&url)) {
            continue;
        }
        let line = format!("  {}\n", entry(&url, modified(facts, html, &url).as_deref(), ""));
        if out.len() + line.len() > MOST_FILE_BYTES {
            break;
        }
        out.push_str(&line);
    }
    (out.len() > start).then(|| out + "</urlset>\n")
}

/// The entry of a page in a `urlset` whose elements have a prefix (`""`, `"sm:"`).
pub fn entry(url: &Url, lastmod: Option<&str>, prefix: &str) -> String {
    let loc = format!("<{prefix}loc>{}</{prefix}loc>", xml_text(url.as_str()));
    let date = lastmod.map(|date| format!("<{prefix}lastmod>{}</{prefix}lastmod>", xml_text(date))).unwrap_or_default();
    format!("<{prefix}url>{loc}{date}</{prefix}url>")
}

/// The first of the site's own files that can be given whole with the page added; `None` when none can.
pub fn with_page(sitemaps: &Sitemaps<'_>, url: &Url, lastmod: Option<&str>) -> Option<OwnFile> {
    sitemaps.files.iter().find_map(|file| added(file, url, lastmod))
}

fn added(file: &SitemapFile, url: &Url, lastmod: Option<&str>) -> Option<OwnFile> {
    let address = Url::parse(&file.url).ok()?;
    // A file may list what lies in its own folder or below (sitemaps.org protocol, "Sitemap file location").
    let folder = address.path().rsplit_once('/').map_or("", |(folder, _)| folder);
    let covers = address.origin() == url.origin() && url.path().starts_with(&format!("{folder}/"));
    let is_sound = file.end == End::Whole && file.fault.is_none() && file.urls < MOST_URLS;
    if !covers || !is_sound || address.query().is_some() || file.final_url != file.url {
        return None;
    }
    if address.path().ends_with(".gz") {
        return None;
    }
    let source = file.source.as_deref()?;
    let content = match file.kind? {
        Kind::Urlset => {
            let (before, after) = source.split_at_checked(file.closing?)?;
            let prefix = after.strip_prefix("</")?.split_once("urlset")?.0;
            let (indent, end) = if before.ends_with('\n') { ("  ", "\n") } else { ("", "") };
            format!("{before}{indent}{}{end}{}\n", entry(url, lastmod, prefix), after.trim_end())
        }
        Kind::Text => format!("{}\n{url}\n", source.trim_end()),
        Kind::Index | Kind::Rss | Kind::Atom => return None,
    };
    let path = address.path().to_owned();
    (content.len() <= MOST_FILE_BYTES).then_some(OwnFile { path, content })
}

/// When the page last changed, if it says so, for the page itself only: `dateModified` where all agree, else
/// `article:modified_time`. A date to come or in another form is not taken over.
pub fn modified(facts: &Facts<'_>, html: &Html, url: &Url) -> Option<String> {
    if !same_page(url, &html.url) {
        return None;
    }
    let nodes = html.json_ld.nodes();
    let declared: BTreeSet<&str> = nodes.iter().filter_map(|node| node.get("dateModified")?.as_str()).collect();
    let date = match declared.len() {
        0 => html.social("article:modified_time"),
        1 => declared.first().copied(),
        _ => None,
    }?;
    let latest = facts.capture.started_at.plus_ms(DAY_MS);
    lastmod::parse(date.trim()).filter(|date| *date <= latest).map(|_| date.trim().to_owned())
}

/// Whether an address may be a page: by the ending of its path.
fn is_page(url: &Url) -> bool {
    let name = url.path().rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_none_or(|ending| !NOT_PAGES.contains(&ending.as_str()))
}

/// How many addresses may be asked of robots.txt: enough for any honest file, few for one that is made to cost time.
fn most_asked(facts: &Facts<'_>) -> usize {
    match facts.robots() {
        Ok(RobotsState::Found(robots)) => MOST_RULE_BYTES / robots.text.len().max(1),
        _ => usize::MAX,
    }
}

/// Whether Googlebot may fetch an address of the page's host.
fn is_open(facts: &Facts<'_>, url: &Url) -> bool {
    let Ok(RobotsState::Found(robots)) = facts.robots() else { return true };
    robots.verdict("Googlebot", &robots_path(url)).allowed
}
