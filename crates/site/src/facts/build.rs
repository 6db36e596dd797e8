//! How a site is built of its pages, one after the other, in any order.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::graph::{Edge, LinkGraph};
use super::node::{DocumentNode, NodeAnswer, NodeFinding, PageNode};
use super::texts::{TextId, TextTable};
use super::{PageId, SiteFacts, id, repeated};
use crate::page_facts::{DocumentFacts, EntityFacts, OrganizationFacts, PageAnswer, PageFacts, SiteInputs};

/// Collects pages. Of two with one address the second is passed over.
#[derive(Debug, Default)]
pub struct SiteBuilder {
    texts: TextTable,
    pages: Vec<PageNode>,
    /// Links of each page, in the order of `pages`.
    links: Vec<Box<[Edge]>>,
    codes: Vec<String>,
    skeletons: BTreeMap<u64, Box<[u16]>>,
    organizations: BTreeMap<OrganizationFacts, Vec<usize>>,
    entities: BTreeMap<String, BTreeMap<(String, String), Vec<usize>>>,
}

impl SiteBuilder {
    /// Takes a page.
    pub fn add(&mut self, facts: PageFacts) {
        let at = self.pages.len();
        let url = self.texts.add(&facts.url);
        let (answer, document, links) = self.answer(facts.answer, at);
        let findings = facts.findings.into_iter().map(|finding| NodeFinding {
            code: self.code(finding.code),
            severity: finding.severity,
            place: finding.place,
        });
        let findings = findings.collect();
        self.pages.push(PageNode {
            url,
            role: facts.role,
            status: facts.status,
            answer,
            document,
            score: facts.score,
            findings,
        });
        self.links.push(links);
    }

    fn answer(&mut self, answer: PageAnswer, at: usize) -> (NodeAnswer, Option<Box<DocumentNode>>, Box<[Edge]>) {
        let plain = |answer| (answer, None, Box::default());
        match answer {
            PageAnswer::Document(facts) => {
                let (document, links) = self.document(*facts, at);
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

    fn document(&mut self, facts: DocumentFacts, at: usize) -> (DocumentNode, Box<[Edge]>) {
        let mut links: Vec<Edge> = Vec::with_capacity(facts.links.len());
        for link in &facts.links {
            let (target, anchor) = (self.texts.add(&link.url), self.texts.add(&link.text));
            links.push(Edge { target, anchor, nofollow: link.nofollow });
        }
        if let Some(organization) = &facts.organization {
            self.organizations.entry(organization.clone()).or_default().push(at);
        }
        for EntityFacts { id, kind, name } in facts.entities {
            self.entities.entry(id).or_default().entry((kind, name)).or_default().push(at);
        }
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
            alternates: facts
                .alternates
                .iter()
                .map(|(lang, url)| (self.texts.add(lang), self.texts.add(url)))
                .collect(),
            images: facts.images.iter().map(|url| self.texts.add(url)).collect(),
            skeleton: facts.skeleton.hash,
            content: facts.content,
            repeated: 0,
            organization: None,
            breadcrumb: facts.breadcrumb.iter().map(|url| self.texts.add(url)).collect(),
            list_page: facts.list_page.map(|(number, list)| (number, self.texts.add(&list))),
        };
        (document, links.into())
    }

    fn code(&mut self, code: String) -> u16 {
        let known = self.codes.iter().position(|known| *known == code);
        let at = known.unwrap_or_else(|| {
            self.codes.push(code);
            self.codes.len() - 1
        });
        u16::try_from(at).unwrap_or(u16::MAX)
    }

    /// The site.
    pub fn finish(mut self, inputs: SiteInputs) -> SiteFacts {
        let start = self.texts.add(&inputs.start);
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
        let codes = sorted_codes(&mut self.codes);
        let mut joined: Vec<(PageNode, Box<[Edge]>, usize)> = Vec::with_capacity(self.pages.len());
        for (at, (mut page, mut links)) in self.pages.into_iter().zip(self.links).enumerate() {
            page.renumber(renumber, &codes);
            links.iter_mut().for_each(|edge| edge.renumber(renumber));
            joined.push((page, links, at));
        }
        joined.sort_by_key(|(page, _, at)| (page.url, *at));
        joined.dedup_by_key(|(page, _, _)| page.url);
        let mut places: Vec<Option<PageId>> = vec![None; joined.iter().map(|(_, _, at)| at + 1).max().unwrap_or(0)];
        for (new, (_, _, old)) in joined.iter().enumerate() {
            if let Some(place) = places.get_mut(*old) {
                *place = Some(id(new));
            }
        }
        let page_ids = |old: Vec<usize>| -> Vec<PageId> {
            let mut ids: Vec<PageId> = old.into_iter().filter_map(|at| places.get(at).copied().flatten()).collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        let (mut pages, mut links) = (Vec::with_capacity(joined.len()), Vec::with_capacity(joined.len()));
        for (page, edges, _) in joined {
            pages.push(page);
            links.push(edges);
        }
        let mut organizations = Vec::new();
        for (organization, users) in self.organizations {
            for user in page_ids(users) {
                if let Some(document) = pages.get_mut(user as usize).and_then(|page| page.document.as_mut()) {
                    document.organization = u32::try_from(organizations.len()).ok();
                }
            }
            organizations.push(organization);
        }
        let entities = self.entities.into_iter().map(|(id, forms)| {
            (id, forms.into_iter().map(|(form, pages)| (form, page_ids(pages))).collect::<BTreeMap<_, _>>())
        });
        let entities = entities.collect();
        let graph = LinkGraph::of(links, &pages);
        let start = pages.binary_search_by_key(&renumber(start), |page: &PageNode| page.url).ok().map(id);
        repeated::note(&mut pages, start);
        let mut site = SiteFacts {
            texts: self.texts,
            pages,
            graph,
            codes: self.codes,
            skeletons: self.skeletons,
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

/// Sorts the codes; the new place of each old one.
fn sorted_codes(codes: &mut [String]) -> Vec<u16> {
    let before = codes.to_owned();
    codes.sort_unstable();
    let place = |code: &String| u16::try_from(codes.binary_search(code).unwrap_or_default()).unwrap_or(u16::MAX);
    before.iter().map(place).collect()
}

impl PageNode {
    fn renumber(&mut self, renumber: impl Fn(TextId) -> TextId, codes: &[u16]) {
        self.url = renumber(self.url);
        self.answer = match self.answer {
            NodeAnswer::Redirect(status, to) => NodeAnswer::Redirect(status, to.map(&renumber)),
            NodeAnswer::Failed(reason) => NodeAnswer::Failed(renumber(reason)),
            other => other,
        };
        for finding in &mut self.findings {
            finding.code = codes.get(usize::from(finding.code)).copied().unwrap_or(u16::MAX);
        }
        self.findings.sort_by_key(|finding| (finding.code, finding.place));
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
