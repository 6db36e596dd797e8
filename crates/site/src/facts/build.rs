//! How a site is built of its pages, one after the other, in any order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::graph::LinkGraph;
use super::links::{Edge, LinkLists, PageLinks};
use super::lists::{ListPlace, Lists};
use super::node::{ContentNode, DocumentNode, NodeAnswer, NodeFinding, PageNode};
use super::places::PagePlaces;
use super::repeated::TextBlocks;
use super::texts::{TextId, TextTable};
use super::{PageId, SiteFacts, id};
use crate::column::Column;
use crate::page_facts::{DocumentFacts, EntityFacts, OrganizationFacts, PageAnswer, PageFacts, PageLink, SiteInputs};
use crate::spill::Spill;

/// Collects pages. Of two with one address the second is passed over.
#[derive(Debug)]
pub struct SiteBuilder {
    spill: Spill,
    texts: TextTable,
    pages: Column<PageNode>,
    documents: Column<DocumentNode>,
    links: LinkLists,
    /// Language versions, images and breadcrumbs.
    lists: Lists<TextId>,
    sketches: Lists<u8>,
    /// Addresses of `pages`.
    urls: PagePlaces,
    /// Numbers of codes, in the order in which they came.
    codes: BTreeMap<String, u16>,
    findings: Lists<NodeFinding>,
    unmeasured: Lists<u16>,
    skeletons: BTreeMap<u64, Box<[u16]>>,
    blocks: TextBlocks,
    /// Kinds of the sketches of texts: two where versions of the program shared a run.
    sketch_kinds: BTreeSet<u8>,
    /// Places of the pages that describe each.
    organizations: BTreeMap<OrganizationFacts, Vec<PageId>>,
    entities: BTreeMap<String, BTreeMap<(String, String), Vec<PageId>>>,
}

impl SiteBuilder {
    /// A site without pages, whose large lists go to `spill`.
    pub fn new(spill: &Spill) -> Self {
        Self {
            spill: spill.clone(),
            texts: TextTable::new(spill),
            pages: Column::new(spill),
            documents: Column::new(spill),
            links: LinkLists::new(spill),
            lists: Lists::new(spill),
            sketches: Lists::new(spill),
            urls: PagePlaces::default(),
            codes: BTreeMap::new(),
            findings: Lists::new(spill),
            unmeasured: Lists::new(spill),
            skeletons: BTreeMap::new(),
            blocks: TextBlocks::new(spill),
            sketch_kinds: BTreeSet::new(),
            organizations: BTreeMap::new(),
            entities: BTreeMap::new(),
        }
    }

    /// Takes a page.
    pub fn add(&mut self, facts: PageFacts) {
        let url = self.texts.add(&facts.url);
        if !self.urls.add(url) {
            return;
        }
        let (answer, document, links) = self.answer(facts.answer);
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
            score: facts.score,
            findings: self.findings.add(&findings),
            unmeasured: self.unmeasured.add(&unmeasured),
            links,
        });
        self.documents.push(document);
    }

    fn answer(&mut self, answer: PageAnswer) -> (NodeAnswer, DocumentNode, PageLinks) {
        let plain = |answer| (answer, DocumentNode::default(), PageLinks::default());
        match answer {
            PageAnswer::Document(facts) => {
                let (document, links) = self.document(*facts);
                (NodeAnswer::Document, document, links)
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

    fn document(&mut self, facts: DocumentFacts) -> (DocumentNode, PageLinks) {
        let page = id(self.pages.len());
        let links: Vec<(TextId, &PageLink)> =
            facts.links.iter().map(|link| (self.texts.add(&link.url), link)).collect();
        let edges: Vec<Edge> = once(links)
            .into_iter()
            .map(|(target, text, nofollow)| Edge::new(target, self.texts.add(text), nofollow))
            .collect();
        let links = self.links.add(&edges);
        if let Some(organization) = facts.organization {
            self.organizations.entry(organization).or_default().push(page);
        }
        for EntityFacts { id, kind, name } in facts.entities {
            self.entities.entry(id).or_default().entry((kind, name)).or_default().push(page);
        }
        let content = facts.content.map(|content| {
            self.blocks.add(page, &content);
            self.sketch_kinds.insert(content.sketch_kind);
            let sketch: Vec<u8> = content.sketch.iter().map(|number| (number & 0xFF) as u8).collect();
            ContentNode { hash: content.hash, words: content.words, sketch: self.sketches.add(&sketch) }
        });
        self.skeletons.entry(facts.skeleton.hash).or_insert_with(|| facts.skeleton.sketch.into());
        let mut add = |text: Option<String>| text.map(|text| self.texts.add(&text));
        let document = DocumentNode {
            title: add(facts.title),
            description: add(facts.description),
            h1: add(facts.h1),
            lang: add(facts.lang),
            canonical: add(facts.canonical),
            is_prose: facts.is_prose,
            noindex: facts.noindex,
            nofollow: facts.nofollow,
            looks_missing: facts.looks_missing,
            cut: facts.cut,
            alternates: self.list(facts.alternates.iter().flat_map(|(lang, url)| [lang, url])),
            images: self.list(&facts.images),
            skeleton: facts.skeleton.hash,
            content,
            repeated: 0,
            organization: None,
            breadcrumb: self.list(&facts.breadcrumb),
            list_page: facts.list_page.map(|(number, list)| (number, self.texts.add(&list))),
        };
        (document, links)
    }

    fn list<'t>(&mut self, texts: impl IntoIterator<Item = &'t String>) -> ListPlace {
        let texts: Vec<TextId> = texts.into_iter().map(|text| self.texts.add(text)).collect();
        self.lists.add(&texts)
    }

    fn code(&mut self, code: String) -> u16 {
        let next = u16::try_from(self.codes.len()).unwrap_or(u16::MAX);
        *self.codes.entry(code).or_insert(next)
    }

    /// The site.
    pub fn finish(mut self, inputs: SiteInputs) -> SiteFacts {
        let start = self.texts.add(&inputs.start);
        let first = self.pages.iter().position(|page| page.url == start).map(id);
        let blocks = std::mem::replace(&mut self.blocks, TextBlocks::new(&self.spill));
        blocks.note(&mut self.documents, first);
        // So that the empty text has the least number of all.
        self.texts.add("");
        let listed: Option<Vec<TextId>> =
            inputs.listed.map(|urls| urls.iter().map(|url| self.texts.add(&url)).collect());
        let probes: Vec<TextId> = inputs.probes.iter().map(|url| self.texts.add(url)).collect();
        let numbers = self.texts.sort();
        let renumber = |old: TextId| numbers.get(old.0 as usize).unwrap_or(old);
        let renumbered = |urls: Vec<TextId>| {
            let mut urls: Vec<TextId> = urls.into_iter().map(renumber).collect();
            urls.sort_unstable();
            urls.dedup();
            urls
        };
        // Pages in the order of their addresses: the new one and where the page was before.
        let mut order: Vec<(TextId, PageId)> =
            self.pages.iter().zip(0..).map(|(page, old)| (renumber(page.url), old)).collect();
        order.sort_unstable();
        let mut new_ids = vec![PageId::MAX; order.len()];
        for (new, (_, old)) in (0..).zip(&order) {
            new_ids.get_mut(*old as usize).into_iter().for_each(|slot| *slot = new);
        }
        let page_ids = |pages: Vec<PageId>| {
            let mut pages: Vec<PageId> =
                pages.into_iter().filter_map(|old| new_ids.get(old as usize).copied()).collect();
            pages.sort_unstable();
            pages.dedup();
            pages
        };
        let entities = std::mem::take(&mut self.entities).into_iter().map(|(id, forms)| {
            (id, forms.into_iter().map(|(form, pages)| (form, page_ids(pages))).collect::<BTreeMap<_, _>>())
        });
        let entities = entities.collect();
        let (organizations, users): (Vec<OrganizationFacts>, Vec<Vec<PageId>>) =
            std::mem::take(&mut self.organizations)
                .into_iter()
                .map(|(organization, pages)| (organization, page_ids(pages)))
                .unzip();
        let first = first.and_then(|old| new_ids.get(old as usize).copied());
        drop(new_ids);
        let (listed, probes) = (listed.map(renumbered), renumbered(probes));
        let ordered = self.in_order(&order, &numbers);
        drop((order, numbers));
        let OrderedPages { pages, mut documents, places, links, lists, findings, unmeasured, sketches } = ordered;
        for (at, user) in users.iter().enumerate().flat_map(|(at, users)| users.iter().map(move |user| (at, *user))) {
            if let Some(mut document) = documents.get(user as usize) {
                document.organization = u32::try_from(at).ok();
                documents.set(user as usize, document);
            }
        }
        let mut site = SiteFacts {
            graph: LinkGraph::new(&self.spill),
            spill: self.spill,
            texts: self.texts,
            pages,
            documents,
            places,
            links,
            lists,
            findings,
            unmeasured,
            sketches,
            codes: self.codes.into_keys().collect(),
            skeletons: self.skeletons,
            sketches_compare: self.sketch_kinds.len() < 2,
            organizations,
            entities,
            listed,
            sitemaps_complete: inputs.sitemaps_complete,
            unread_sitemaps: inputs.unread_sitemaps,
            complete: inputs.complete,
            limits: inputs.limits,
            images_asked: inputs.images_asked,
            external_asked: inputs.external_asked,
            probes,
            traps: inputs.traps,
            start: first,
            depths: Vec::new(),
            ranks: Vec::new(),
            duplicates: OnceLock::new(),
            templates: OnceLock::new(),
        };
        site.settle();
        site
    }

    /// The pages in an order, with new numbers of texts and codes, and their lists in the same order: what is read together
    /// lies together.
    fn in_order(&self, order: &[(TextId, PageId)], numbers: &Column<TextId>) -> OrderedPages {
        let renumber = |old: TextId| numbers.get(old.0 as usize).unwrap_or(old);
        let spill = &self.spill;
        // Codes are numbered in their order too.
        let mut codes = vec![u16::MAX; self.codes.len()];
        for (new, old) in self.codes.values().enumerate() {
            if let Some(code) = codes.get_mut(usize::from(*old)) {
                *code = u16::try_from(new).unwrap_or(u16::MAX);
            }
        }
        let code = |old: u16| codes.get(usize::from(old)).copied().unwrap_or(u16::MAX);
        let (mut pages, mut documents, mut places) = (Column::new(spill), Column::new(spill), PagePlaces::default());
        let (mut findings, mut unmeasured) = (Lists::new(spill), Lists::new(spill));
        let (mut lists, mut sketches) = (Lists::new(spill), Lists::new(spill));
        let mut links = self.links.renumbered(numbers);
        for (url, old) in order {
            let at = *old as usize;
            let (Some(mut page), Some(mut document)) = (self.pages.get(at), self.documents.get(at)) else { continue };
            places.add(*url);
            page.url = *url;
            page.answer = match page.answer {
                NodeAnswer::Redirect(status, to) => NodeAnswer::Redirect(status, to.map(renumber)),
                NodeAnswer::Failed(reason) => NodeAnswer::Failed(renumber(reason)),
                other => other,
            };
            let mut found = self.findings.get(page.findings);
            found.iter_mut().for_each(|finding| finding.code = code(finding.code));
            found.sort_by_key(|finding| (finding.code, finding.place));
            page.findings = findings.add(&found);
            let mut left_out: Vec<u16> = self.unmeasured.get(page.unmeasured).into_iter().map(code).collect();
            left_out.sort_unstable();
            page.unmeasured = unmeasured.add(&left_out);
            page.links = links.add_of(&self.links, page.links, numbers);
            pages.push(page);
            for text in [
                &mut document.title,
                &mut document.description,
                &mut document.h1,
                &mut document.lang,
                &mut document.canonical,
            ] {
                *text = text.map(renumber);
            }
            document.list_page = document.list_page.map(|(number, list)| (number, renumber(list)));
            let texts = |place: ListPlace| self.lists.get(place).into_iter().map(renumber).collect::<Vec<_>>();
            let mut alternates = texts(document.alternates);
            alternates.as_chunks_mut::<2>().0.sort_unstable();
            document.alternates = lists.add(&alternates);
            let mut images = texts(document.images);
            images.sort_unstable();
            document.images = lists.add(&images);
            document.breadcrumb = lists.add(&texts(document.breadcrumb));
            if let Some(content) = &mut document.content {
                content.sketch = sketches.add(&self.sketches.get(content.sketch));
            }
            documents.push(document);
        }
        places.count();
        OrderedPages { pages, documents, places, links, lists, findings, unmeasured, sketches }
    }
}

/// Pages in the order of their addresses, and what belongs to them.
struct OrderedPages {
    pages: Column<PageNode>,
    documents: Column<DocumentNode>,
    places: PagePlaces,
    links: LinkLists,
    lists: Lists<TextId>,
    findings: Lists<NodeFinding>,
    unmeasured: Lists<u16>,
    sketches: Lists<u8>,
}

impl Default for SiteBuilder {
    /// All in memory.
    fn default() -> Self {
        Self::new(&Spill::default())
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
