//! All that is known of a site: what a check of the site sees.
//!
//! Texts are numbered in their order, so that numbers compare as texts do, and pages in the order of their addresses:
//! nothing here depends on the order in which pages came. What grows with the pages is in columns, of which only so much is in
//! memory as the [`Spill`] has room for; what is given out of them is a copy.

mod build;
mod duplicates;
mod graph;
mod links;
mod lists;
mod node;
mod places;
mod rank;
mod repeated;
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
pub(crate) use texts::TextLog;
pub use texts::{TextId, TextTable};

use crate::column::Column;
use crate::page_facts::{OrganizationFacts, RunLimit};
use crate::spill::{Spill, SpillFailure};
use crate::traps::Trap;
use duplicates::Duplicates;
use graph::LinkGraph;
use links::LinkLists;
pub(crate) use lists::Lists;
use places::PagePlaces;
pub(crate) use templates::{Template, Templates};

/// The number of a page: its place in the order of addresses.
pub type PageId = u32;

/// All that is known of a site.
#[derive(Debug)]
pub struct SiteFacts {
    /// Where all that is large is.
    pub(crate) spill: Spill,
    pub(crate) texts: TextTable,
    pages: Column<PageNode>,
    /// The document of each page; of one without, nothing that counts.
    documents: Column<DocumentNode>,
    /// Addresses of the pages.
    places: PagePlaces,
    pub(crate) links: LinkLists,
    /// Language versions, images and breadcrumbs of documents.
    lists: Lists<TextId>,
    /// Findings of pages.
    findings: Lists<NodeFinding>,
    /// What reports of pages did not measure.
    unmeasured: Lists<u16>,
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
    pub fn pages(&self) -> impl Iterator<Item = (PageId, PageNode)> {
        (0..).zip(self.pages.iter())
    }

    /// How many pages there are.
    pub fn page_count(&self) -> usize {
        self.pages.len()
    }

    /// The page of a number.
    pub fn page(&self, id: PageId) -> Option<PageNode> {
        self.pages.get(id as usize)
    }

    /// Every page that answered with a document.
    pub fn documents(&self) -> impl Iterator<Item = (PageId, PageNode, DocumentNode)> {
        let all = self.pages().zip(self.documents.iter()).map(|((id, page), document)| (id, page, document));
        all.filter(|(_, page, _)| page.answer == NodeAnswer::Document)
    }

    /// The document of a page.
    pub fn document(&self, id: PageId) -> Option<DocumentNode> {
        self.page(id).filter(|page| page.answer == NodeAnswer::Document)?;
        self.documents.get(id as usize)
    }

    /// The page of an address; `None` for one that was not asked.
    pub fn page_of(&self, url: TextId) -> Option<PageId> {
        self.places.of(url)
    }

    /// The page of an address as a text.
    pub fn find(&self, url: &str) -> Option<PageId> {
        self.page_of(self.texts.find(url)?)
    }

    /// A text.
    pub fn text(&self, id: TextId) -> String {
        self.texts.get(id)
    }

    /// The address of a page.
    pub fn url(&self, id: PageId) -> String {
        self.page(id).map(|page| self.text(page.url)).unwrap_or_default()
    }

    /// Whether all that was said of the site comes from what was kept of it: to be asked after the last use.
    pub fn check(&self) -> Result<(), SpillFailure> {
        self.spill.check()
    }

    /// Language versions of a document: tag and address, in order.
    pub fn alternates(&self, document: &DocumentNode) -> Vec<(TextId, TextId)> {
        let pair = |pair: &[TextId]| match pair {
            [lang, url] => Some((*lang, *url)),
            _ => None,
        };
        self.lists.get(document.alternates).chunks(2).filter_map(pair).collect()
    }

    /// Images of a document, in order.
    pub fn images(&self, document: &DocumentNode) -> Vec<TextId> {
        self.lists.get(document.images)
    }

    /// Addresses of the breadcrumb of a document, from the root.
    pub fn breadcrumb(&self, document: &DocumentNode) -> Vec<TextId> {
        self.lists.get(document.breadcrumb)
    }

    /// Findings of the report of a page, by code and place.
    pub fn findings(&self, page: &PageNode) -> Vec<NodeFinding> {
        self.findings.get(page.findings)
    }

    /// Codes that the report of a page did not measure, in order, as in [`NodeFinding::code`].
    pub fn unmeasured(&self, page: &PageNode) -> Vec<u16> {
        self.unmeasured.get(page.unmeasured)
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

    /// How many links a page has.
    pub fn link_count(&self, id: PageId) -> usize {
        self.page(id).map_or(0, |page| page.links.len())
    }

    /// Pages of the run that a page links, in order.
    fn linked_by(&self, page: PageNode) -> impl Iterator<Item = PageId> {
        self.links.targets(page.links).filter_map(|(target, _)| self.page_of(target))
    }

    /// The link of a page to an address.
    fn link(&self, source: PageId, target: TextId) -> Option<Edge> {
        self.links.find(self.page(source)?.links, target)
    }

    /// Pages that link a page, in order; with those whose link asks not to be followed.
    pub fn sources(&self, id: PageId) -> Vec<PageId> {
        self.graph.sources(id)
    }

    /// How many pages link a page.
    pub fn source_count(&self, id: PageId) -> usize {
        self.graph.source_count(id)
    }

    /// Pages that link a page by a link that is followed, but for the page itself.
    pub fn followed_sources(&self, id: PageId) -> impl Iterator<Item = PageId> {
        let sources = self.sources(id).into_iter().filter(move |source| *source != id);
        sources.filter(move |source| self.is_followed(*source, id))
    }

    /// Whether a page's link to another is followed.
    fn is_followed(&self, source: PageId, target: PageId) -> bool {
        let Some(url) = self.page(target).map(|page| page.url) else { return false };
        self.link(source, url).is_some_and(|link| !link.nofollow())
            && self.document(source).is_some_and(|document| !document.nofollow)
    }

    /// The text of the link of a page to another.
    pub fn anchor(&self, source: PageId, target: TextId) -> String {
        self.link(source, target).map(|link| self.text(link.anchor())).unwrap_or_default()
    }

    /// Where an address leads in the end.
    pub fn ending(&self, id: PageId) -> RedirectEnd {
        graph::ending(self, id)
    }

    /// Whether a page may stand in search results under its own address: a document without noindex whose canonical is none
    /// or itself.
    pub fn is_indexable(&self, id: PageId) -> bool {
        let Some(page) = self.page(id) else { return false };
        let Some(document) = self.document(id) else { return false };
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
        self.findings_of(id).map(|(code, _)| code)
    }

    /// Findings of a page's report: code and severity.
    pub fn findings_of(&self, id: PageId) -> impl Iterator<Item = (&str, Severity)> {
        let findings = self.page(id).map(|page| self.findings(&page)).unwrap_or_default();
        findings
            .into_iter()
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
