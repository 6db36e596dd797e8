//! Sitemaps for fixes: a first one from what the page links to, and the site's own with the page added.

use std::collections::BTreeSet;

use model::dates;
use model::time::DAY_MS;
use url::Url;

use super::elements::Anchor;
use super::known::Facts;
use super::nofollow;
use super::page::Html;
use super::robots_txt::{RobotsState, path as robots_path};
use super::sitemap::{BadLoc, End, MOST_FILE_BYTES, MOST_LOC_BYTES, MOST_URLS, NAMESPACE, SitemapFile, SitemapKind};
use super::sitemap_survey::Sitemaps;
use super::url_identity::{identity, same_page, without_tracking};
use crate::escape::xml_text;

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
    // The page under an address that it does not want to be found under, or not at all.
    let is_hidden = |url: &Url| same_page(url, &html.url) && own.as_ref().is_none_or(|own| !same_page(own, url));
    // A nofollow that its own check takes away keeps nothing out.
    let is_followed = |anchor: &&Anchor| !anchor.nofollow || nofollow::is_needless(html, anchor);
    let links = html.anchors.iter().filter(is_followed).filter_map(|anchor| anchor.url());
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

/// Bytes of an address that readers take.
pub const MOST_LOC: usize = MOST_LOC_BYTES;

/// The path of a file on its host.
pub fn path(file: &SitemapFile) -> String {
    Url::parse(&file.url).map_or_else(|_| file.url.clone(), |url| url.path().to_owned())
}

/// The same for a file that can be uploaded to the page's host as it is shown: no query, no gzip, no redirect.
pub fn own_path(facts: &Facts<'_>, file: &SitemapFile) -> Option<String> {
    let address = Url::parse(&file.url).ok()?;
    let is_own = facts.url().is_ok_and(|own| own.origin() == address.origin());
    let is_plain = address.query().is_none() && file.final_url == file.url && !address.path().ends_with(".gz");
    (is_own && is_plain).then(|| address.path().to_owned())
}

/// The site's own file with its wrong addresses corrected, and some others replaced; `None` where it can't be given
/// whole, where an address is not found there just once, or where the new one is listed already.
pub fn replaced(facts: &Facts<'_>, file: &SitemapFile, pairs: &[(&str, &Url)]) -> Option<OwnFile> {
    let is_sound = file.end == End::Whole && file.fault.is_none() && file.kind == Some(SitemapKind::Urlset);
    let path = own_path(facts, file).filter(|_| is_sound)?;
    let content = pairs.iter().try_fold(corrected_text(file)?, |text, (from, to)| exchanged(text, from, to))?;
    (content.len() <= MOST_FILE_BYTES).then_some(OwnFile { path, content })
}

/// The text of a file with every wrong address corrected, if all are known and found.
pub fn corrected_text(file: &SitemapFile) -> Option<String> {
    let source = file.source.clone()?;
    if file.tally.bad_locs == 0 {
        return Some(source);
    }
    let shown = &file.tally.shown_bad_locs;
    let is_all = shown.len() as u64 == file.tally.bad_locs && file.kind == Some(SitemapKind::Urlset);
    let mut pairs = shown.iter().map(|(kind, loc)| Some((loc, corrected(file, *kind, loc)?)));
    pairs.try_fold(source, |text, pair| pair.and_then(|(loc, url)| exchanged(text, loc, &url))).filter(|_| is_all)
}

/// A wrong address as it should be; `None` where that can't be told.
pub fn corrected(file: &SitemapFile, kind: BadLoc, loc: &str) -> Option<Url> {
    match kind {
        BadLoc::Relative => {
            let url = Url::parse(&file.final_url).ok()?.join(loc).ok()?;
            matches!(url.scheme(), "http" | "https").then_some(url)
        }
        BadLoc::Insecure => {
            let mut url = Url::parse(loc).ok()?;
            url.set_scheme("https").ok()?;
            Some(url)
        }
        BadLoc::TooLong => None,
    }
}

/// A text in which one address stands for another, where the one is found just once and the other not at all.
fn exchanged(text: String, from: &str, to: &Url) -> Option<String> {
    let (from, to) = (format!(">{}<", xml_text(from)), format!(">{}<", xml_text(to.as_str())));
    let fits = text.matches(&from).count() == 1 && !text.contains(&to);
    fits.then(|| text.replacen(&from, &to, 1))
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
    // What another fix corrects in the file must not be undone.
    let corrected = corrected_text(file);
    let source = corrected.as_deref().or(file.source.as_deref())?;
    let is_there = source.contains(&format!(">{}<", xml_text(url.as_str())));
    let content = match file.kind? {
        // A correction has just put it there.
        SitemapKind::Urlset if is_there => source.to_owned(),
        SitemapKind::Urlset => {
            let from_end = file.source.as_deref()?.len().checked_sub(file.closing?)?;
            let (before, after) = source.split_at_checked(source.len().checked_sub(from_end)?)?;
            let prefix = after.strip_prefix("</")?.split_once("urlset")?.0;
            let (indent, end) = if before.ends_with('\n') { ("  ", "\n") } else { ("", "") };
            format!("{before}{indent}{}{end}{}\n", entry(url, lastmod, prefix), after.trim_end())
        }
        SitemapKind::Text => format!("{}\n{url}\n", source.trim_end()),
        SitemapKind::Index | SitemapKind::Rss | SitemapKind::Atom => return None,
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
    dates::w3c(date.trim()).filter(|date| *date <= latest).map(|_| date.trim().to_owned())
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
