//! How a site is built of its pages, one after the other, in any order.

use std::collections::hash_map::{Entry, RandomState};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::BuildHasher as _;
use std::sync::OnceLock;

use super::graph::LinkGraph;
use super::links::{Edge, LinkLists, PageLinks};
use super::lists::Lists;
use super::node::{ContentNode, DocumentNode, NodeAnswer, NodeFinding, PageNode};
use super::repeated::TextBlocks;
use super::shared::SharedLists;
use super::texts::{TextId, TextTable};
use super::{PageId, SiteFacts, id};
use crate::page_facts::{DocumentFacts, EntityFacts, OrganizationFacts, PageAnswer, PageFacts, PageLink, SiteInputs};

/// From this number on numbers are those of descriptions that one page alone has: no text has one.
const ALONE: u32 = 1 << 31;

/// Collects pages. Of two with one address the second is passed over.
#[derive(Debug, Default)]
pub struct SiteBuilder {
    texts: TextTable,
    pages: Vec<PageNode>,
    links: LinkLists,
    sketches: Lists<u8>,
    /// The first page with each description, by the hash of the text.
    descriptions: HashMap<u64, PageId>,
    state: RandomState,
    /// Addresses of `pages`.
    urls: HashSet<TextId>,
    /// Numbers of codes, in the order in which they came.
    codes: BTreeMap<String, u16>,
    findings: SharedLists<NodeFinding>,
    unmeasured: SharedLists<u16>,
    skeletons: BTreeMap<u64, Box<[u16]>>,
    blocks: TextBlocks,
    /// Kinds of the sketches of texts: two where versions of the program shared a run.
    sketch_kinds: BTreeSet<u8>,
    /// Addresses of the pages that describe each.
    organizations: BTreeMap<OrganizationFacts, Vec<TextId>>,
    entities: BTreeMap<String, BTreeMap<(String, String), Vec<TextId>>>,
}

impl SiteBuilder {
    /// Takes a page.
    pub fn add(&mut self, facts: PageFacts) {
        let url = self.texts.add(&facts.url);
        if !self.urls.insert(url) {
            return;
        }
        let (answer, document, links) = self.answer(facts.answer, url);
        let findings: Vec<NodeFinding> = facts
            .findings
            .into_iter()
            .map(|found| NodeFinding { code: self.code(found.code), severity: found.severity, place: found.place })
            .collect();
        let unmeasured: Vec<u16> = facts.unmeasured.into_iter().map(|code| self.code(code)).collect();
        self.pages.push(PageNode {
            url,
            role: facts.role,
            status: facts.status,
            answer,
            document,
            score: facts.score,
            findings: self.findings.add(&findings),
            unmeasured: self.unmeasured.add(&unmeasured),
            links,
        });
    }

    fn answer(&mut self, answer: PageAnswer, url: TextId) -> (NodeAnswer, Option<Box<DocumentNode>>, PageLinks) {
        let plain = |answer| (answer, None, PageLinks::default());
        match answer {
            PageAnswer::Document(facts) => {
                let (document, links) = self.document(*facts, url);
                (NodeAnswer::Document, Some(Box::new(document)), links)
            }
            PageAnswer::File => plain(NodeAnswer::File),
            PageAnswer::Redirect { status, to } => {
                plain(NodeAnswer::Redirect(status, to.map(|url| self.texts.add(&url))))
            }
            PageAnswer::Error(status) => plain(NodeAnswer::Error(status)),
            PageAnswer::Failed(reason) => plain(NodeAnswer::Failed(self.texts.add(&reason))),
            PageAnswer::Blocked => plain(NodeAnswer::Blocked),
        }
    }

    fn document(&mut self, facts: DocumentFacts, url: TextId) -> (DocumentNode, PageLinks) {
        let links: Vec<(TextId, &PageLink)> =
            facts.links.iter().map(|link| (self.texts.add(&link.url), link)).collect();
        let edges: Vec<Edge> = once(links)
            .into_iter()
            .map(|(target, text, nofollow)| Edge::new(target, self.texts.add(text), nofollow))
            .collect();
        let links = self.links.add(&edges);
        if let Some(organization) = facts.organization {
            self.organizations.entry(organization).or_default().push(url);
        }
        for EntityFacts { id, kind, name } in facts.entities {
            self.entities.entry(id).or_default().entry((kind, name)).or_default().push(url);
        }
        let content = facts.content.map(|content| {
            self.blocks.add(&content);
            self.sketch_kinds.insert(content.sketch_kind);
            let sketch: Vec<u8> = content.sketch.iter().map(|number| (number & 0xFF) as u8).collect();
            ContentNode { hash: content.hash, words: content.words, sketch: self.sketches.add(&sketch) }
        });
        let description = facts.description.map(|text| self.description(&text));
        self.skeletons.entry(facts.skeleton.hash).or_insert_with(|| facts.skeleton.sketch.into());
        let mut add = |text: Option<String>| text.map(|text| self.texts.add(&text));
        let document = DocumentNode {
            title: add(facts.title),
            description,
            h1: add(facts.h1),
            lang: add(facts.lang),
            canonical: add(facts.canonical),
            is_prose: facts.is_prose,
            noindex: facts.noindex,
            nofollow: facts.nofollow,
            looks_missing: facts.looks_missing,
            cut: facts.cut,
            alternates: facts
                .alternates
                .iter()
                .map(|(lang, url)| (self.texts.add(lang), self.texts.add(url)))
                .collect(),
            images: facts.images.iter().map(|url| self.texts.add(url)).collect(),
            skeleton: facts.skeleton.hash,
            content,
            repeated: 0,
            organization: None,
            breadcrumb: facts.breadcrumb.iter().map(|url| self.texts.add(url)).collect(),
            list_page: facts.list_page.map(|(number, list)| (number, self.texts.add(&list))),
        };
        (document, links)
    }

    /// The number of the description of the page that is being added. Most pages have one of their own: its text is not kept before a
    /// second page has it.
    fn description(&mut self, text: &str) -> TextId {
        let page = id(self.pages.len());
        match self.descriptions.entry(self.state.hash_one(text)) {
            Entry::Vacant(free) => {
                free.insert(page);
                TextId(ALONE + page)
            }
            Entry::Occupied(known) => {
                let number = self.texts.add(text);
                let first = self.pages.get_mut(*known.get() as usize);
                if let Some(document) = first.and_then(|page| page.document.as_mut()) {
                    document.description = Some(number);
                }
                number
            }
        }
    }

    fn code(&mut self, code: String) -> u16 {
        let next = u16::try_from(self.codes.len()).unwrap_or(u16::MAX);
        *self.codes.entry(code).or_insert(next)
    }

    /// The site.
    pub fn finish(mut self, inputs: SiteInputs) -> SiteFacts {
        // First, since the blocks of all texts are not needed any more.
        let start = self.texts.add(&inputs.start);
        let first = self.pages.iter().position(|page| page.url == start);
        self.blocks.note(&mut self.pages, first);
        self.urls = HashSet::new();
        self.descriptions = HashMap::new();
        // So that the empty text has the least number of all.
        self.texts.add("");
        let listed: Option<Vec<TextId>> =
            inputs.listed.map(|urls| urls.iter().map(|url| self.texts.add(url)).collect());
        let probes: Vec<TextId> = inputs.probes.iter().map(|url| self.texts.add(url)).collect();
        let numbers = self.texts.sort();
        let renumber = |old: TextId| numbers.get(old.0 as usize).copied().unwrap_or(old);
        let renumbered = |urls: Vec<TextId>| {
            let mut urls: Vec<TextId> = urls.into_iter().map(renumber).collect();
            urls.sort_unstable();
            urls.dedup();
            urls
        };
        // Codes are numbered in their order too.
        let mut codes = vec![u16::MAX; self.codes.len()];
        for (new, old) in self.codes.values().enumerate() {
            if let Some(code) = codes.get_mut(usize::from(*old)) {
                *code = u16::try_from(new).unwrap_or(u16::MAX);
            }
        }
        let code = |old: u16| codes.get(usize::from(old)).copied().unwrap_or(u16::MAX);
        let findings = self.findings.changed(|findings| {
            findings.iter_mut().for_each(|finding| finding.code = code(finding.code));
            findings.sort_by_key(|finding| (finding.code, finding.place));
        });
        let unmeasured = self.unmeasured.changed(|codes| {
            codes.iter_mut().for_each(|old| *old = code(*old));
            codes.sort_unstable();
        });
        let mut pages = self.pages;
        for page in &mut pages {
            page.renumber(renumber);
            findings.apply(&mut page.findings);
            unmeasured.apply(&mut page.unmeasured);
        }
        drop((findings, unmeasured));
        self.links.renumber(pages.iter().map(|page| page.links), &numbers);
        pages.sort_unstable_by_key(|page| page.url);
        let page_of = |url: TextId| pages.binary_search_by_key(&url, |page| page.url).ok();
        let page_ids = |urls: Vec<TextId>| renumbered(urls).into_iter().filter_map(page_of).map(id).collect::<Vec<_>>();
        let entities = self.entities.into_iter().map(|(id, forms)| {
            (id, forms.into_iter().map(|(form, pages)| (form, page_ids(pages))).collect::<BTreeMap<_, _>>())
        });
        let entities = entities.collect();
        let (organizations, users): (Vec<OrganizationFacts>, Vec<Vec<PageId>>) =
            self.organizations.into_iter().map(|(organization, urls)| (organization, page_ids(urls))).unzip();
        let start = page_of(renumber(start)).map(id);
        for (at, user) in users.iter().enumerate().flat_map(|(at, users)| users.iter().map(move |user| (at, *user))) {
            if let Some(document) = pages.get_mut(user as usize).and_then(|page| page.document.as_mut()) {
                document.organization = u32::try_from(at).ok();
            }
        }
        let mut site = SiteFacts {
            texts: self.texts,
            pages,
            links: self.links,
            graph: LinkGraph::default(),
            sketches: self.sketches,
            codes: self.codes.into_keys().collect(),
            skeletons: self.skeletons,
            sketches_compare: self.sketch_kinds.len() < 2,
            organizations,
            entities,
            listed: listed.map(renumbered),
            sitemaps_complete: inputs.sitemaps_complete,
            unread_sitemaps: inputs.unread_sitemaps,
            complete: inputs.complete,
            limits: inputs.limits,
            images_asked: inputs.images_asked,
            external_asked: inputs.external_asked,
            probes: renumbered(probes),
            traps: inputs.traps,
            start,
            depths: Vec::new(),
            ranks: Vec::new(),
            duplicates: OnceLock::new(),
            templates: OnceLock::new(),
        };
        site.settle();
        site
    }
}

/// Links of one page, each target once: followed where one of them is, with the least text that is not empty.
fn once(mut links: Vec<(TextId, &PageLink)>) -> Vec<(TextId, &str, bool)> {
    links.sort_unstable_by_key(|(target, link)| (*target, link.text.is_empty(), link.text.as_str()));
    let mut once: Vec<(TextId, &str, bool)> = Vec::with_capacity(links.len());
    for (target, link) in links {
        match once.last_mut() {
            Some((known, _, nofollow)) if *known == target => *nofollow &= link.nofollow,
            _ => once.push((target, &link.text, link.nofollow)),
        }
    }
    once
}

impl PageNode {
    fn renumber(&mut self, renumber: impl Fn(TextId) -> TextId + Copy) {
        self.url = renumber(self.url);
        self.answer = match self.answer {
            NodeAnswer::Redirect(status, to) => NodeAnswer::Redirect(status, to.map(renumber)),
            NodeAnswer::Failed(reason) => NodeAnswer::Failed(renumber(reason)),
            other => other,
        };
        if let Some(document) = &mut self.document {
            document.renumber(renumber);
        }
    }
}

impl DocumentNode {
    fn renumber(&mut self, renumber: impl Fn(TextId) -> TextId) {
        for text in [&mut self.title, &mut self.description, &mut self.h1, &mut self.lang, &mut self.canonical] {
            *text = text.map(&renumber);
        }
        for (lang, url) in &mut self.alternates {
            (*lang, *url) = (renumber(*lang), renumber(*url));
        }
        self.alternates.sort_unstable();
        self.images.iter_mut().chain(&mut self.breadcrumb).for_each(|url| *url = renumber(*url));
        self.images.sort_unstable();
        self.list_page = self.list_page.map(|(number, list)| (number, renumber(list)));
    }
}
