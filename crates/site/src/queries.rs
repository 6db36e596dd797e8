//! Questions that several checks ask of a site.

use std::collections::{BTreeMap, BTreeSet};

use model::lang::{Text, Value};

use crate::address::Variance;
use crate::check::{Case, CasePlace, SiteVerdict, Unmeasured, case_of};
use crate::facts::{DocumentNode, PageId, PageNode, SiteFacts, TextId};
use crate::page_facts::{PageRole, RunLimit};
use crate::sketch::joined_by;

/// Pages from which on a page is linked much, and the share of all documents in percent that have to link it.
const MUCH: (usize, usize) = (10, 20);
/// Canonicals that are followed in a row.
const MOST_CANONICALS: usize = 10;
/// Addresses that a note of duplicates names.
const MOST_SHOWN: usize = 5;

impl SiteFacts {
    /// Pages of the site that a page links.
    pub(crate) fn linked_pages(&self) -> impl Iterator<Item = (PageId, PageNode)> {
        self.pages().filter(|(id, page)| page.role == PageRole::Page && self.source_count(*id) > 0)
    }

    /// The pages that link a page, each with the text of its link; the page itself where none does.
    pub(crate) fn link_places(&self, id: PageId) -> Vec<CasePlace> {
        let Some(url) = self.page(id).map(|page| page.url) else { return Vec::new() };
        let place = |source: PageId| CasePlace { page: source, detail: self.anchor(source, url) };
        let places: Vec<CasePlace> = self.sources(id).into_iter().map(place).collect();
        if places.is_empty() { vec![CasePlace::page(id)] } else { places }
    }

    /// Images of the site, each with the pages that show it.
    pub(crate) fn image_users(&self) -> BTreeMap<TextId, Vec<PageId>> {
        let mut users: BTreeMap<TextId, Vec<PageId>> = BTreeMap::new();
        for (id, _, document) in self.documents() {
            self.images(&document).into_iter().for_each(|image| users.entry(image).or_default().push(id));
        }
        users.values_mut().for_each(Vec::dedup);
        users
    }

    /// A case for each text that indexable pages of one language share, with different content. Pages that share one of
    /// `silencing` too count once.
    pub(crate) fn sharing(
        &self,
        field: fn(&DocumentNode) -> Option<TextId>,
        silencing: &[fn(&DocumentNode) -> Option<TextId>],
        note: Text,
    ) -> Vec<Case> {
        let mut texts: Vec<(Option<TextId>, TextId, PageId)> = Vec::new();
        for (id, _, document) in self.documents() {
            let is_first = document.list_page.is_none_or(|(number, _)| number < 2);
            let Some(text) = field(&document).filter(|_| is_first && self.is_indexable(id)) else { continue };
            if !document.looks_missing {
                texts.push((document.lang, text, id));
            }
        }
        texts.sort_unstable();
        let mut cases = Vec::new();
        for group in texts.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let [(_, text, _), _, ..] = group else { continue };
            let mut pages: Vec<PageId> = group.iter().map(|(_, _, id)| *id).collect();
            let mut seen = BTreeSet::new();
            pages.retain(|id| seen.insert(self.duplicates().stands_for(*id)));
            for silencing in silencing {
                let mut seen = BTreeSet::new();
                pages.retain(|id| {
                    self.document(*id).and_then(|document| silencing(&document)).is_none_or(|text| seen.insert(text))
                });
            }
            if let [first, _, ..] = pages.as_slice() {
                let values = [("count", pages.len().into()), ("text", self.text(*text).into())];
                cases.push(case_of(self.url(*first), note, &values, pages));
            }
        }
        cases
    }

    /// Cases among images or pages of other sites: of none nothing is said where some were not asked.
    pub(crate) fn checked_all_resources(&self, cases: Vec<Case>) -> SiteVerdict {
        let is_cut = self.limits.contains(&RunLimit::Resources);
        if cases.is_empty() && is_cut { Err(Unmeasured::Incomplete) } else { Ok(cases) }
    }

    /// Groups of addresses of one page that differ in one respect.
    pub(crate) fn variants(&self, variance: Variance) -> &[Vec<PageId>] {
        self.duplicates().variants.get(&variance).map_or(&[], Vec::as_slice)
    }

    /// A case for each group of pages.
    pub(crate) fn groups(&self, groups: &[Vec<PageId>], note: Text) -> Vec<Case> {
        let found = |pages: &Vec<PageId>| {
            let mut urls: Vec<String> = pages.iter().take(MOST_SHOWN).map(|id| self.url(*id)).collect();
            if pages.len() > MOST_SHOWN {
                urls.push("…".to_owned());
            }
            let values = [("count", pages.len().into()), ("urls", urls.join(", ").into())];
            let first = pages.first().map(|id| self.url(*id)).unwrap_or_default();
            case_of(first, note, &values, pages.iter().copied())
        };
        groups.iter().map(found).collect()
    }

    /// Pages of the run that others name as their canonical, each with those.
    pub(crate) fn canonical_targets(&self) -> BTreeMap<PageId, Vec<PageId>> {
        let mut targets: BTreeMap<PageId, Vec<PageId>> = BTreeMap::new();
        for (id, page, document) in self.documents() {
            let other = document.canonical.filter(|canonical| *canonical != page.url);
            if let Some(target) = other.and_then(|canonical| self.page_of(canonical)) {
                targets.entry(target).or_default().push(id);
            }
        }
        targets
    }

    /// A case for each canonical of which `judged` says something, with the pages that name it.
    pub(crate) fn canonical_cases(
        &self,
        judged: impl Fn(PageId, PageNode) -> Option<(Text, Vec<(&'static str, Value)>)>,
    ) -> Vec<Case> {
        let case = |(target, pages): (PageId, Vec<PageId>)| {
            let (note, values) = judged(target, self.page(target)?)?;
            Some(case_of(self.url(target), note, &values, pages))
        };
        self.canonical_targets().into_iter().filter_map(case).collect()
    }

    /// The pages of a circle of canonicals that a page is in, from it on.
    pub(crate) fn canonical_loop(&self, id: PageId) -> Option<Vec<PageId>> {
        let mut round = vec![id];
        let mut at = id;
        while round.len() <= MOST_CANONICALS {
            let own = self.page(at)?.url;
            let next = self.document(at)?.canonical.filter(|canonical| *canonical != own)?;
            at = self.page_of(next)?;
            if at == id {
                return Some(round);
            }
            round.push(at);
        }
        None
    }

    /// A case for each page that `is_meant` and that many pages link by links that are followed; `count` of the note are those.
    pub(crate) fn linked_much(&self, note: Text, is_meant: impl Fn(PageId, PageNode) -> bool) -> Vec<Case> {
        let (fewest, percent) = MUCH;
        let bar = fewest.max((self.documents().count() * percent).div_ceil(100));
        let case = |(id, _): (PageId, PageNode)| {
            let sources = self.followed_sources(id).count();
            (sources >= bar).then(|| case_of(self.url(id), note, &[("count", sources.into())], [id]))
        };
        self.pages().filter(|(id, page)| is_meant(*id, *page)).filter_map(case).collect()
    }

    /// Pages of the run that a sitemap lists; `None` where no sitemap is known.
    pub(crate) fn listed_pages(&self) -> Option<impl Iterator<Item = (PageId, PageNode)>> {
        let listed = self.listed.as_ref()?;
        Some(listed.iter().filter_map(|url| self.page_of(*url)).filter_map(|id| Some((id, self.page(id)?))))
    }

    /// Pages of the run that others name as language versions, each with those and the language that they name it for.
    pub(crate) fn version_targets(&self) -> Result<BTreeMap<PageId, Vec<CasePlace>>, Unmeasured> {
        let mut targets: BTreeMap<PageId, Vec<CasePlace>> = BTreeMap::new();
        let mut is_absent = true;
        for (id, page, document) in self.documents() {
            for (lang, url) in self.alternates(&document) {
                is_absent = false;
                if let Some(target) = self.page_of(url).filter(|_| url != page.url) {
                    let detail = self.text(lang);
                    targets.entry(target).or_default().push(CasePlace { page: id, detail });
                }
            }
        }
        if is_absent { Err(Unmeasured::Absent) } else { Ok(targets) }
    }

    /// Groups of pages that name each other as language versions, both ways.
    pub(crate) fn version_clusters(&self) -> Result<Vec<Vec<PageId>>, Unmeasured> {
        let targets = self.version_targets()?;
        let names = |from: PageId, to: PageId| {
            let url = self.page(to).map(|page| page.url);
            self.document(from)
                .is_some_and(|one| self.alternates(&one).iter().any(|(_, version)| Some(*version) == url))
        };
        let pairs = targets.iter().flat_map(|(target, places)| places.iter().map(move |place| (*target, place.page)));
        let mutual = pairs.filter(|(target, source)| names(*target, *source));
        let roots = joined_by(self.page_count(), mutual);
        let mut by_root: Vec<(u32, PageId)> = roots.into_iter().zip(0..).collect();
        by_root.sort_unstable();
        let clusters = by_root.chunk_by(|(a, _), (b, _)| a == b).filter(|cluster| cluster.len() > 1);
        Ok(clusters.map(|cluster| cluster.iter().map(|(_, page)| *page).collect()).collect())
    }
}
