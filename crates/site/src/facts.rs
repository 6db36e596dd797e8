//! All that is known of a site: what a check of the site sees.
//!
//! Texts are numbered in their order, so that numbers compare as texts do, and pages in the order of their addresses:
//! nothing here depends on the order in which pages came.

mod build;
mod duplicates;
mod graph;
mod links;
mod lists;
mod node;
mod rank;
mod repeated;
mod shared;
mod templates;
mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use model::finding::Severity;

pub use build::SiteBuilder;
pub(crate) use graph::MOST_HOPS;
pub use graph::RedirectEnd;
pub use links::Edge;
pub use node::{ContentNode, DocumentNode, NodeAnswer, NodeFinding, PageNode};
pub use texts::{TextId, TextTable};

use crate::page_facts::{OrganizationFacts, RunLimit};
use crate::traps::Trap;
use duplicates::Duplicates;
use graph::LinkGraph;
use links::LinkLists;
pub(crate) use lists::Lists;
pub(crate) use templates::{Template, Templates};

/// The number of a page: its place in the order of addresses.
pub type PageId = u32;

/// All that is known of a site.
#[derive(Debug)]
pub struct SiteFacts {
    pub(crate) texts: TextTable,
    pub(crate) pages: Vec<PageNode>,
    pub(crate) links: LinkLists,
    pub(crate) graph: LinkGraph,
    /// Sketches of texts, of each number 8 bits: what they leave out makes two numbers of 256 equal that are not, and two texts alike
    /// at 90 % take half the memory.
    pub(crate) sketches: Lists<u8>,
    /// Codes of page findings, which name them by their place here.
    pub(crate) codes: Vec<String>,
    /// Sketches of the skeletons of pages, by hash.
    pub(crate) skeletons: BTreeMap<u64, Box<[u16]>>,
    /// Whether the sketches of all texts are of one kind.
    pub(crate) sketches_compare: bool,
    pub(crate) organizations: Vec<OrganizationFacts>,
    /// By `@id`: each type and name that pages give it, with the pages.
    pub(crate) entities: BTreeMap<String, BTreeMap<(String, String), Vec<PageId>>>,
    /// Addresses of the sitemaps.
    pub(crate) listed: Option<Vec<TextId>>,
    pub(crate) sitemaps_complete: bool,
    pub(crate) unread_sitemaps: Vec<String>,
    pub(crate) complete: bool,
    pub(crate) limits: BTreeSet<RunLimit>,
    pub(crate) images_asked: bool,
    pub(crate) external_asked: bool,
    pub(crate) probes: Vec<TextId>,
    pub(crate) traps: Vec<Trap>,
    pub(crate) start: Option<PageId>,
    /// Clicks from the first page, and the page before on the shortest way.
    pub(crate) depths: Vec<Option<(u32, PageId)>>,
    pub(crate) ranks: Vec<f64>,
    pub(crate) duplicates: OnceLock<Duplicates>,
    pub(crate) templates: OnceLock<Templates>,
}

impl SiteFacts {
    /// Every page with its number.
    pub fn pages(&self) -> impl Iterator<Item = (PageId, &PageNode)> {
        self.pages.iter().enumerate().map(|(at, page)| (id(at), page))
    }

    /// The page of a number.
    pub fn page(&self, id: PageId) -> Option<&PageNode> {
        self.pages.get(id as usize)
    }

    /// Every page that answered with a document.
    pub fn documents(&self) -> impl Iterator<Item = (PageId, &PageNode, &DocumentNode)> {
        self.pages().filter_map(|(id, page)| Some((id, page, page.document.as_deref()?)))
    }

    /// The document of a page.
    pub fn document(&self, id: PageId) -> Option<&DocumentNode> {
        self.page(id)?.document.as_deref()
    }

    /// The page of an address; `None` for one that was not asked.
    pub fn page_of(&self, url: TextId) -> Option<PageId> {
        self.pages.binary_search_by_key(&url, |page| page.url).ok().map(id)
    }

    /// The page of an address as a text.
    pub fn find(&self, url: &str) -> Option<PageId> {
        self.page_of(self.texts.find(url)?)
    }

    /// A text.
    pub fn text(&self, id: TextId) -> &str {
        self.texts.get(id)
    }

    /// The address of a page.
    pub fn url(&self, id: PageId) -> &str {
        self.page(id).map_or("", |page| self.text(page.url))
    }

    /// The first page of the run.
    pub fn start(&self) -> Option<PageId> {
        self.start
    }

    /// Clicks from the first page; `None` where no link leads there.
    pub fn depth(&self, id: PageId) -> Option<u32> {
        self.depths.get(id as usize).copied().flatten().map(|(depth, _)| depth)
    }

    /// Pages of the shortest way from the first page to a page, both included; the last 1,000.
    pub fn way_to(&self, page: PageId) -> Vec<PageId> {
        const MOST: usize = 1_000;
        let mut way = vec![page];
        let mut at = page;
        // Ends: each page before is one click nearer.
        while let Some((depth, before)) = self.depths.get(at as usize).copied().flatten() {
            if depth == 0 || before == at || way.len() == MOST {
                break;
            }
            way.push(before);
            at = before;
        }
        way.reverse();
        way
    }

    /// Internal PageRank; the mean of all documents is 1.
    pub fn rank(&self, id: PageId) -> f64 {
        self.ranks.get(id as usize).copied().unwrap_or_default()
    }

    /// Links of a page, each target once, in the order of their addresses.
    pub fn links(&self, id: PageId) -> impl ExactSizeIterator<Item = Edge> {
        self.links.of(self.page(id).map(|page| page.links).unwrap_or_default())
    }

    /// The link of a page to an address.
    fn link(&self, source: PageId, target: TextId) -> Option<Edge> {
        self.links.find(self.page(source)?.links, target)
    }

    /// Pages that link a page, in order; with those whose link asks not to be followed.
    pub fn sources(&self, id: PageId) -> &[PageId] {
        self.graph.sources(id)
    }

    /// Pages that link a page by a link that is followed, but for the page itself.
    pub fn followed_sources(&self, id: PageId) -> impl Iterator<Item = PageId> {
        let sources = self.sources(id).iter().copied().filter(move |source| *source != id);
        sources.filter(move |source| self.is_followed(*source, id))
    }

    /// Whether a page's link to another is followed.
    fn is_followed(&self, source: PageId, target: PageId) -> bool {
        let Some(url) = self.page(target).map(|page| page.url) else { return false };
        self.link(source, url).is_some_and(|link| !link.nofollow())
            && self.document(source).is_some_and(|document| !document.nofollow)
    }

    /// The text of the link of a page to another.
    pub fn anchor(&self, source: PageId, target: TextId) -> &str {
        self.link(source, target).map_or("", |link| self.text(link.anchor()))
    }

    /// Where an address leads in the end.
    pub fn ending(&self, id: PageId) -> RedirectEnd {
        graph::ending(&self.pages, |url| self.page_of(url), id)
    }

    /// Whether a page may stand in search results under its own address: a document without noindex whose canonical is none
    /// or itself.
    pub fn is_indexable(&self, id: PageId) -> bool {
        let Some(page) = self.page(id) else { return false };
        let Some(document) = page.document.as_deref() else { return false };
        !document.noindex && document.canonical.is_none_or(|canonical| canonical == page.url)
    }

    /// Whether an address was asked only since visitors may type it.
    pub fn is_probe(&self, url: TextId) -> bool {
        self.probes.binary_search(&url).is_ok()
    }

    /// Name of the template of a page.
    pub fn template_of(&self, id: PageId) -> Option<&str> {
        let at = self.templates().place_of(id)?;
        self.templates().all.get(at).map(|template| template.name.as_str())
    }

    /// Codes of the findings of a page's report.
    pub fn codes_of(&self, id: PageId) -> impl Iterator<Item = &str> {
        let findings = self.page(id).map_or(&[][..], |page| &page.findings);
        findings.iter().filter_map(|finding| self.codes.get(usize::from(finding.code))).map(String::as_str)
    }

    /// Findings of a page's report: code and severity.
    pub fn findings_of(&self, id: PageId) -> impl Iterator<Item = (&str, Severity)> {
        let findings = self.page(id).map_or(&[][..], |page| &page.findings);
        findings
            .iter()
            .filter_map(|finding| Some((self.codes.get(usize::from(finding.code))?.as_str(), finding.severity)))
    }

    /// Groups of pages with the same content.
    pub(crate) fn duplicates(&self) -> &Duplicates {
        self.duplicates.get_or_init(|| Duplicates::of(self))
    }

    /// Pages by template.
    pub(crate) fn templates(&self) -> &Templates {
        self.templates.get_or_init(|| Templates::of(self))
    }

    /// Sets what follows from pages and links.
    fn settle(&mut self) {
        self.depths = graph::depths(self);
        // Before the graph, which takes as much memory as the targets that ranks are computed from.
        self.ranks = rank::ranks(self);
        self.graph = LinkGraph::of(self);
    }
}

/// The number of a place.
pub(crate) fn id(at: usize) -> PageId {
    PageId::try_from(at).unwrap_or(PageId::MAX)
}
