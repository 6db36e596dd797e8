//! What a run of a site found and what it measured, so that another run can be compared with it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use model::finding::Severity;

use super::{SiteChange, title_of};
use crate::check::Unmeasured;
use crate::checks;
use crate::facts::{NodeAnswer, NodeFinding, PageId, PageNode, SiteFacts};

/// Findings of a site by code and address.
pub(super) type Found = BTreeMap<(String, String), FoundCase>;

/// A finding of a site.
#[derive(Debug)]
pub(super) struct FoundCase {
    pub(super) severity: Severity,
    /// Places of the pages that it was seen on.
    pub(super) pages: Box<[PageId]>,
}

/// An address that was asked.
#[derive(Debug)]
pub(super) struct AskedPage {
    pub(super) url: Box<str>,
    /// Why what it holds is not known, or not all of it; `None` where it is.
    pub(super) unread: Option<Box<str>>,
    /// What its report says; `None` for an address without one.
    pub(super) audited: Option<SnapshotReport>,
}

/// What the report of a page says, with places of codes in [`Snapshot::codes`]. Pages of one template share it.
#[derive(Debug)]
pub(super) struct SnapshotReport {
    pub(super) findings: Arc<[NodeFinding]>,
    pub(super) unmeasured: Arc<[u16]>,
}

/// What a run found, without its pages: small enough to be held while another run crawls.
#[derive(Debug)]
pub struct Snapshot {
    /// Addresses that were asked, in order.
    pub(super) asked: Vec<AskedPage>,
    /// Codes of checks of pages, in order.
    pub(super) codes: Vec<String>,
    pub(super) complete: bool,
    /// Checks of the site that say nothing of what they did not find.
    pub(super) unmeasured: BTreeSet<&'static str>,
    pub(super) of_site: Found,
}

impl Snapshot {
    /// Of a site. `complete`: no limit of the run left an address out.
    pub fn of(site: &SiteFacts, complete: bool) -> Self {
        let (mut of_site, mut unmeasured) = (Found::new(), BTreeSet::new());
        for check in checks::all() {
            match (check.run)(site) {
                Ok(cases) => of_site.extend(cases.into_iter().map(|case| {
                    let pages: BTreeSet<PageId> = case.places.iter().map(|place| place.page).collect();
                    let found = FoundCase { severity: check.severity, pages: pages.into_iter().collect() };
                    ((check.code.to_owned(), case.subject), found)
                })),
                Err(Unmeasured::Absent) => {}
                Err(Unmeasured::Incomplete | Unmeasured::NotAsked | Unmeasured::Sitemap) => {
                    unmeasured.insert(check.code);
                }
            }
        }
        let (mut findings, mut codes) = (HashSet::new(), HashSet::new());
        let asked = site.pages().map(|(id, page)| AskedPage {
            url: site.text(page.url).into(),
            unread: unread(site, id, page),
            audited: page.score.map(|_| SnapshotReport {
                findings: shared(&mut findings, site.findings(&page)),
                unmeasured: shared(&mut codes, site.unmeasured(&page)),
            }),
        });
        Self { asked: asked.collect(), codes: site.codes.clone(), complete, unmeasured, of_site }
    }

    fn find(&self, url: &str) -> Option<&AskedPage> {
        let place = self.asked.binary_search_by(|page| (*page.url).cmp(url)).ok()?;
        self.asked.get(place)
    }

    fn audited(&self, url: &str) -> Option<&SnapshotReport> {
        self.find(url)?.audited.as_ref()
    }

    /// Whether a page has a finding.
    fn has(&self, url: &str, code: &str) -> bool {
        let Some(place) = place_of(&self.codes, code) else { return false };
        let page = self.audited(url);
        page.is_some_and(|page| page.findings.binary_search_by_key(&place, |finding| finding.code).is_ok())
    }

    /// Whether a page was audited and does not have a finding that its report would have.
    fn lacks(&self, url: &str, code: &str) -> bool {
        let place = place_of(&self.codes, code);
        let is_measured =
            |page: &SnapshotReport| place.is_none_or(|place| page.unmeasured.binary_search(&place).is_err());
        self.audited(url).is_some_and(is_measured) && !self.has(url, code)
    }

    /// Findings of pages: address, code and how bad each is.
    fn of_pages(&self) -> impl Iterator<Item = (&str, &str, Severity)> {
        self.asked.iter().flat_map(|page| {
            let findings = page.audited.iter().flat_map(|audited| audited.findings.chunk_by(|a, b| a.code == b.code));
            findings.filter_map(|of_code| {
                let finding = of_code.last()?;
                Some((&*page.url, self.codes.get(usize::from(finding.code))?.as_str(), finding.severity))
            })
        })
    }

    /// Whether this run knows of an address what another run knows of it. Where no limit left an address out, one that
    /// was not asked is not there any more.
    fn knows(&self, other: &AskedPage) -> bool {
        match self.find(&other.url) {
            Some(page) => page.unread.is_none() || page.unread == other.unread,
            None => self.complete,
        }
    }

    /// Whether this run would have a finding of the site of another run if it were there, to be seen on at least `fewest` of
    /// its pages. A page that is gone has no findings, and that fixed nothing.
    fn would_show(&self, other: &Self, (code, url): (&str, &str), case: &FoundCase, fewest: usize) -> bool {
        let subject = other.find(url);
        let is_gone = subject.is_some_and(|page| page.audited.is_some()) && self.audited(url).is_none();
        let is_known = subject.map_or(self.complete, |page| self.knows(page));
        let pages = || case.pages.iter().filter_map(|page| other.asked.get(*page as usize));
        let is_seen = || pages().filter(|page| self.knows(page)).take(fewest).count() >= fewest;
        !self.unmeasured.contains(code) && is_known && !is_gone && is_seen()
    }

    /// What both runs found: how bad it is in this one, code and address.
    pub(super) fn with<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (Severity, &'a str, &'a str)> {
        let of_site = self.of_site.iter().filter(|(key, _)| other.of_site.contains_key(*key));
        let of_site = of_site.map(|((code, url), case)| (case.severity, code.as_str(), url.as_str()));
        let of_pages = self.of_pages().filter(|(url, code, _)| other.has(url, code));
        of_site.chain(of_pages.map(|(url, code, severity)| (severity, code, url)))
    }

    /// What this run found and another did not, though it measured it: of a finding of the site at least on so many of its
    /// pages as `fewest` makes of their number.
    pub(super) fn without(&self, other: &Self, fewest: impl Fn(usize) -> usize) -> Vec<SiteChange> {
        let of_site = self.of_site.iter().filter(|(key, _)| !other.of_site.contains_key(*key));
        let of_site = of_site.filter(|((code, url), case)| {
            other.would_show(self, (code.as_str(), url.as_str()), case, fewest(case.pages.len()))
        });
        let of_site = of_site.map(|((code, url), case)| (url.as_str(), code.as_str(), case.severity));
        let of_pages = self.of_pages().filter(|(url, code, _)| other.lacks(url, code));
        let change = |(url, code, severity): (&str, &str, Severity)| SiteChange {
            severity,
            code: code.to_owned(),
            url: url.to_owned(),
            title: title_of(code),
        };
        let mut changes: Vec<SiteChange> = of_site.chain(of_pages).map(change).collect();
        changes.sort_by(|a, b| (a.severity, &a.code, &a.url).cmp(&(b.severity, &b.code, &b.url)));
        changes
    }
}

/// Why what an address holds is not known, or not all of it, as a word; `None` where it is.
fn unread(site: &SiteFacts, id: PageId, page: PageNode) -> Option<Box<str>> {
    match page.answer {
        NodeAnswer::Document if site.document(id).is_some_and(|document| document.cut) => Some("cut".into()),
        NodeAnswer::Document | NodeAnswer::File | NodeAnswer::Redirect(..) => None,
        gone if gone.is_gone() => None,
        NodeAnswer::Error(status) => Some(status.to_string().into()),
        NodeAnswer::Failed(reason) => Some(site.text(reason).into()),
        NodeAnswer::Blocked => Some("blocked".into()),
    }
}

/// The list that is equal to one, kept once.
fn shared<T: Clone + Eq + Hash>(known: &mut HashSet<Arc<[T]>>, list: Vec<T>) -> Arc<[T]> {
    if let Some(known) = known.get(list.as_slice()) {
        return Arc::clone(known);
    }
    let list: Arc<[T]> = list.into();
    known.insert(Arc::clone(&list));
    list
}

/// The place of a code among codes in order.
pub(super) fn place_of(codes: &[String], code: &str) -> Option<u16> {
    let place = codes.binary_search_by(|known| known.as_str().cmp(code)).ok()?;
    u16::try_from(place).ok()
}
