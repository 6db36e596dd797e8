//! A site that is made, of any number of pages: twelve templates, real words, links a few clicks deep, sitemaps behind an
//! index. With planted defects it says which findings a report of it has to have, and no others.
//!
//! Every answer is a pure function of the address: nothing is held in memory but what was changed.

mod pages;
mod planted;
mod server;

use std::collections::{BTreeMap, BTreeSet};

pub use server::MadeServer;

/// Templates of the site: the directory of their pages.
const TEMPLATES: [&str; 12] = [
    "product", "category", "article", "author", "guide", "event", "city", "recipe", "question", "release", "offer",
    "gallery",
];
/// The template whose pages have no viewport, where defects are planted.
const FIXED_WIDTH: &str = "author";
/// Addresses of one sitemap.
const LISTED: usize = 1_000;

/// How the site is made.
#[derive(Debug, Clone, Copy)]
pub struct MadeOptions {
    /// Number of its healthy pages. With planted defects at least 300.
    pub pages: usize,
    /// Bytes of a page, about.
    pub bytes: usize,
    /// Whether defects are planted.
    pub planted: bool,
    /// Whether links stand in another order.
    pub shuffled: bool,
}

/// A site.
#[derive(Debug)]
pub struct MadeSite {
    options: MadeOptions,
    /// What is another on a page than on a healthy one, by its number.
    changes: BTreeMap<usize, Changes>,
    /// Addresses besides the pages.
    extra: BTreeMap<String, Extra>,
    /// Pages that no sitemap lists.
    unlisted: BTreeSet<usize>,
    /// Pages that only their hub links, so that their depth is known.
    unrelated: BTreeSet<usize>,
    /// Addresses that sitemaps list besides.
    listed: Vec<String>,
    /// Findings of the site that a report has to have: code, and path of the address concerned.
    planted: BTreeSet<(&'static str, String)>,
    /// Findings of pages that a report has besides those of healthy pages.
    planted_on_pages: BTreeSet<(&'static str, String)>,
}

/// What is another on a page.
#[derive(Debug, Clone, Default)]
struct Changes {
    /// Empty for none.
    title: Option<String>,
    /// Empty for none.
    description: Option<String>,
    /// Empty for none.
    h1: Option<String>,
    /// Path of the canonical.
    canonical: Option<String>,
    noindex: bool,
    /// The text is that of this page.
    text_of: Option<usize>,
    /// The text is one sentence.
    short: bool,
    /// A word at the end of the text.
    last_word: Option<&'static str>,
    /// Language versions: tag and path.
    versions: Vec<(&'static str, String)>,
    /// Links besides: path, and whether it has nofollow.
    links: Vec<(String, bool)>,
    /// Name of the organization.
    organization: Option<&'static str>,
    /// Name of the entity `#brand`.
    brand: Option<&'static str>,
    /// Path of the step of the breadcrumb between the home page and this one.
    step: Option<String>,
    /// HTML besides, at the end of the text.
    html: &'static str,
}

/// An address besides the pages.
#[derive(Debug, Clone)]
enum Extra {
    /// A page of its own: number of its text, and what is another.
    Page(usize, Box<Changes>),
    /// A redirect to a path.
    Redirect(String),
    /// A status without a page.
    Status(u16),
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeAnswer {
    /// HTTP status.
    pub status: u16,
    /// `Content-Type`.
    pub content_type: &'static str,
    /// `Location`.
    pub location: Option<String>,
    /// The body.
    pub body: String,
}

impl MadeAnswer {
    fn of(content_type: &'static str, body: String) -> Self {
        Self { status: 200, content_type, location: None, body }
    }

    fn missing() -> Self {
        Self { status: 404, ..Self::of("text/plain", "There is no such page.\n".to_owned()) }
    }
}

impl MadeSite {
    /// Makes the plan of a site.
    pub fn new(options: MadeOptions) -> Self {
        let mut site = Self {
            options,
            changes: BTreeMap::new(),
            extra: BTreeMap::new(),
            unlisted: BTreeSet::new(),
            unrelated: BTreeSet::new(),
            listed: Vec::new(),
            planted: BTreeSet::new(),
            planted_on_pages: BTreeSet::new(),
        };
        if options.planted {
            site.plant();
        }
        site
    }

    /// Findings of the site that a report has to have, and no others: code, and path of the address concerned.
    pub fn planted(&self) -> &BTreeSet<(&'static str, String)> {
        &self.planted
    }

    /// Findings of pages that a report has besides those of healthy pages: code, and path of the page.
    pub fn planted_on_pages(&self) -> &BTreeSet<(&'static str, String)> {
        &self.planted_on_pages
    }

    /// Whether nothing was planted on the page at a path.
    pub fn is_healthy(&self, path: &str) -> bool {
        self.number(path).is_some_and(|number| !self.changes.contains_key(&number))
    }

    /// Paths of its pages, but for what is planted besides them.
    pub fn paths(&self) -> impl Iterator<Item = String> {
        (0..self.options.pages).map(|number| self.path(number))
    }

    /// The answer to a path with its query. `host` is the name and port of the site.
    pub fn answer(&self, path: &str, host: &str) -> MadeAnswer {
        if let Some(number) = self.number(path) {
            return self.page(number, path, host, self.changes.get(&number).cloned().unwrap_or_default());
        }
        match self.extra.get(path) {
            Some(Extra::Page(number, changes)) => return self.page(*number, path, host, (**changes).clone()),
            Some(Extra::Redirect(to)) => {
                return MadeAnswer {
                    status: 301,
                    location: Some(format!("http://{host}{to}")),
                    ..MadeAnswer::of("text/plain", String::new())
                };
            }
            Some(Extra::Status(status)) => {
                return MadeAnswer { status: *status, ..MadeAnswer::of("text/plain", "No page.\n".to_owned()) };
            }
            None => {}
        }
        if let Some(month) = path.strip_prefix("/calendar?month=").and_then(|month| month.parse::<usize>().ok())
            && self.options.planted
        {
            let links = vec![(format!("/calendar?month={}", month + 1), false)];
            let changes = Changes { noindex: true, links, ..Changes::default() };
            return self.page(900_000 + month, path, host, changes);
        }
        self.file(path, host)
    }

    /// robots.txt and sitemaps.
    fn file(&self, path: &str, host: &str) -> MadeAnswer {
        let lists = self.options.pages.div_ceil(LISTED);
        match path {
            "/robots.txt" => MadeAnswer::of(
                "text/plain; charset=utf-8",
                format!("User-agent: *\nDisallow: /private/\nSitemap: http://{host}/sitemap_index.xml\n"),
            ),
            "/sitemap_index.xml" => {
                let files: String = (0..=lists)
                    .map(|list| format!("<sitemap><loc>http://{host}/sitemap-{list}.xml</loc></sitemap>"))
                    .collect();
                xml(format!("<sitemapindex xmlns=\"{NAMESPACE}\">{files}</sitemapindex>"))
            }
            _ => {
                let list = path.strip_prefix("/sitemap-").and_then(|rest| rest.strip_suffix(".xml"));
                let Some(list) = list.and_then(|list| list.parse::<usize>().ok()).filter(|list| *list <= lists) else {
                    return MadeAnswer::missing();
                };
                let numbers = (list * LISTED..(list + 1) * LISTED).take_while(|number| *number < self.options.pages);
                let pages = numbers.filter(|number| !self.unlisted.contains(number)).map(|number| self.path(number));
                // The last file lists what is no healthy page; never empty.
                let besides = std::iter::once("/".to_owned()).chain(self.listed.iter().cloned());
                let paths: Vec<String> = if list == lists { besides.collect() } else { pages.collect() };
                let urls: String = paths
                    .iter()
                    .map(|path| format!("<url><loc>http://{host}{}</loc></url>", path.replace('&', "&amp;")))
                    .collect();
                xml(format!("<urlset xmlns=\"{NAMESPACE}\">{urls}</urlset>"))
            }
        }
    }

    /// The path of a page.
    fn path(&self, number: usize) -> String {
        let Some(before) = number.checked_sub(1) else { return "/".to_owned() };
        let (template, index) = (TEMPLATES[before % TEMPLATES.len()], before / TEMPLATES.len());
        if index == 0 { format!("/{template}/") } else { format!("/{template}/{index}") }
    }

    /// The number of the page of a template; its first is the hub.
    fn number_of(template: usize, index: usize) -> usize {
        1 + index * TEMPLATES.len() + template
    }

    /// The number of the page at a path.
    fn number(&self, path: &str) -> Option<usize> {
        let number = match path.strip_prefix('/')?.split_once('/') {
            None if path == "/" => 0,
            None => return None,
            Some((name, index)) => {
                let template = TEMPLATES.iter().position(|template| *template == name)?;
                Self::number_of(template, if index.is_empty() { 0 } else { index.parse().ok()? })
            }
        };
        (number < self.options.pages && self.path(number) == path).then_some(number)
    }

    /// Numbers of the pages that lie below a page.
    fn children(&self, number: usize) -> Vec<usize> {
        /// Pages below a hub, and below another page.
        const BELOW: (usize, usize) = (40, 25);
        let Some(before) = number.checked_sub(1) else {
            return (0..TEMPLATES.len()).map(|template| Self::number_of(template, 0)).collect();
        };
        let (template, index) = (before % TEMPLATES.len(), before / TEMPLATES.len());
        let range = match index.checked_sub(1) {
            None => 1..=BELOW.0,
            Some(before) => BELOW.0 + 1 + before * BELOW.1..=BELOW.0 + (before + 1) * BELOW.1,
        };
        range.map(|index| Self::number_of(template, index)).filter(|number| *number < self.options.pages).collect()
    }
}

const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

fn xml(root: String) -> MadeAnswer {
    MadeAnswer::of("application/xml", format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{root}"))
}
