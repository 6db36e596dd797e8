//! What broke and what was fixed between two runs of a site.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::finding::Severity;
use model::lang::{Lang, Phrase};
use serde::{Deserialize, Serialize};

use crate::check::Unmeasured;
use crate::checks;
use crate::facts::{NodeAnswer, NodeFinding, PageId, PageNode, SiteFacts};

/// Groups of each kind of change: far above what a person reads, and some kilobytes.
const MOST_GROUPS: usize = 100;

/// What changed between two runs, the most severe first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SiteChanges<T = Phrase> {
    /// Findings that only the later run has.
    pub broke: Vec<SiteChange<T>>,
    /// Findings that only the earlier run had.
    pub fixed: Vec<SiteChange<T>>,
}

/// A finding at an address, in one of two runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SiteChange<T = Phrase> {
    /// How bad it is.
    pub severity: Severity,
    /// Its code.
    pub code: String,
    /// The address concerned.
    pub url: String,
    /// What is wrong, as a heading.
    pub title: T,
}

/// What changed between two runs and what did not, each code once for each template.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeSummary {
    /// What only the later run has, the most severe first.
    pub broke: Vec<ChangeGroup>,
    /// What only the earlier run had, the most severe first.
    pub fixed: Vec<ChangeGroup>,
    /// What both runs have, the most severe first.
    #[serde(default)]
    pub still: Vec<ChangeGroup>,
    /// Groups beyond the first hundred of each, which are left out.
    pub left_out: usize,
}

/// Findings of one code on pages of one template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeGroup {
    /// How bad it is.
    pub severity: Severity,
    /// The code.
    pub code: String,
    /// Where the pages are: `/product/…`; `None` for addresses without a template.
    pub template: Option<String>,
    /// Number of addresses.
    pub total: usize,
    /// The first of them, in order.
    pub urls: Vec<String>,
}

/// Findings of a site by code and address.
type Found = BTreeMap<(String, String), FoundCase>;

/// A finding of a site.
#[derive(Debug)]
struct FoundCase {
    severity: Severity,
    /// Places of the pages that it was seen on.
    pages: Box<[PageId]>,
}

/// An address that was asked.
#[derive(Debug)]
struct AskedPage {
    url: Box<str>,
    /// Why what it holds is not known, or not all of it; `None` where it is.
    unread: Option<Box<str>>,
    /// What its report says; `None` for an address without one.
    audited: Option<SnapshotReport>,
}

/// What the report of a page says, with places of codes in [`Snapshot::codes`]. Pages of one template share it.
#[derive(Debug)]
struct SnapshotReport {
    findings: Arc<[NodeFinding]>,
    unmeasured: Arc<[u16]>,
}

/// What a run found, without its pages: small enough to be held while another run crawls.
#[derive(Debug)]
pub struct Snapshot {
    /// Addresses that were asked, in order.
    asked: Vec<AskedPage>,
    /// Codes of checks of pages, in order.
    codes: Vec<String>,
    complete: bool,
    /// Checks of the site that say nothing of what they did not find.
    unmeasured: BTreeSet<&'static str>,
    of_site: Found,
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
        let asked = site.pages().map(|(id, page)| AskedPage {
            url: site.url(id).into(),
            unread: unread(site, page),
            audited: page.score.map(|_| SnapshotReport {
                findings: Arc::clone(&page.findings),
                unmeasured: Arc::clone(&page.unmeasured),
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
    fn with<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (Severity, &'a str, &'a str)> {
        let of_site = self.of_site.iter().filter(|(key, _)| other.of_site.contains_key(*key));
        let of_site = of_site.map(|((code, url), case)| (case.severity, code.as_str(), url.as_str()));
        let of_pages = self.of_pages().filter(|(url, code, _)| other.has(url, code));
        of_site.chain(of_pages.map(|(url, code, severity)| (severity, code, url)))
    }

    /// What this run found and another did not, though it measured it: of a finding of the site at least on so many of its
    /// pages as `fewest` makes of their number.
    fn without(&self, other: &Self, fewest: impl Fn(usize) -> usize) -> Vec<SiteChange> {
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
fn unread(site: &SiteFacts, page: &PageNode) -> Option<Box<str>> {
    match page.answer {
        NodeAnswer::Document if page.document.as_ref().is_some_and(|document| document.cut) => Some("cut".into()),
        NodeAnswer::Document | NodeAnswer::File | NodeAnswer::Redirect(..) => None,
        gone if gone.is_gone() => None,
        NodeAnswer::Error(status) => Some(status.to_string().into()),
        NodeAnswer::Failed(reason) => Some(site.text(reason).into()),
        NodeAnswer::Blocked => Some("blocked".into()),
    }
}

/// The place of a code among codes in order.
fn place_of(codes: &[String], code: &str) -> Option<u16> {
    let place = codes.binary_search_by(|known| known.as_str().cmp(code)).ok()?;
    u16::try_from(place).ok()
}

/// The heading of a finding of a site or of a page.
pub fn title_of(code: &str) -> Phrase {
    let title = checks::find(code).map(|check| check.title);
    let title = title.or_else(|| audit::checks::find(code).map(|check| check.title));
    title.map_or_else(|| Phrase::verbatim(code), Phrase::from)
}

/// What changed between two runs. A finding is compared only where both runs measured it: one of a page if both reports did, one
/// of the site if both runs know the addresses concerned. It is fixed when it is on none of its pages any more, and new when
/// it was not even on two of them.
pub fn changes(before: &Snapshot, after: &Snapshot) -> SiteChanges {
    SiteChanges { broke: after.without(before, |pages| pages.min(2)), fixed: before.without(after, |pages| pages) }
}

impl SiteChanges {
    /// In one language.
    pub fn in_lang(&self, lang: Lang) -> SiteChanges<String> {
        let change = |change: &SiteChange| SiteChange {
            severity: change.severity,
            code: change.code.clone(),
            url: change.url.clone(),
            title: change.title.in_lang(lang).to_owned(),
        };
        SiteChanges { broke: self.broke.iter().map(change).collect(), fixed: self.fixed.iter().map(change).collect() }
    }
}

impl ChangeSummary {
    /// Of two runs, by code and template of the later one, `site`. Each group names at most `most_urls` addresses.
    pub fn of(before: &Snapshot, after: &Snapshot, site: &SiteFacts, most_urls: usize) -> Self {
        let template = |url: &str| site.find(url).and_then(|id| site.template_of(id));
        let SiteChanges { broke, fixed } = changes(before, after);
        let mut left_out = 0;
        let mut first = |mut groups: Vec<ChangeGroup>| {
            left_out += groups.len().saturating_sub(MOST_GROUPS);
            groups.truncate(MOST_GROUPS);
            groups
        };
        let broke = first(grouped(broke.iter().map(SiteChange::key), template, most_urls));
        let fixed = first(grouped(fixed.iter().map(SiteChange::key), template, most_urls));
        let still = first(grouped(after.with(before), template, most_urls));
        Self { broke, fixed, still, left_out }
    }

    /// Whether something broke that is more than a note.
    pub fn got_worse(&self) -> bool {
        self.broke.iter().any(|group| group.severity != Severity::Info)
    }
}

impl SiteChange {
    fn key(&self) -> (Severity, &str, &str) {
        (self.severity, &self.code, &self.url)
    }
}

/// Findings by code and template, in the order of severity, code and template. Each is severity, code and address.
fn grouped<'f>(
    findings: impl Iterator<Item = (Severity, &'f str, &'f str)>,
    template: impl Fn(&str) -> Option<&'f str>,
    most_urls: usize,
) -> Vec<ChangeGroup> {
    let mut groups: BTreeMap<(Severity, &str, Option<&str>), ChangeGroup> = BTreeMap::new();
    for (severity, code, url) in findings {
        let template = template(url);
        let group = groups.entry((severity, code, template)).or_insert_with(|| ChangeGroup {
            severity,
            code: code.to_owned(),
            template: template.map(str::to_owned),
            total: 0,
            urls: Vec::new(),
        });
        group.total += 1;
        if group.urls.len() < most_urls {
            group.urls.push(url.to_owned());
        }
    }
    groups.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(scored: &[&str], unscored: &[&str], of_pages: &[(&str, &str)], of_site: &[(&str, &str)]) -> Snapshot {
        let codes: BTreeSet<&str> = of_pages.iter().map(|(code, _)| *code).collect();
        let codes: Vec<String> = codes.into_iter().map(str::to_owned).collect();
        let report = |url: &str| {
            let of_page = of_pages.iter().filter(|(_, page)| *page == url);
            let finding = |(code, _): &(&str, &str)| NodeFinding {
                code: place_of(&codes, code).unwrap(),
                severity: Severity::Warn,
                place: 0,
            };
            SnapshotReport { findings: of_page.map(finding).collect(), unmeasured: Arc::default() }
        };
        let asked = scored.iter().map(|url| (*url, Some(report(url))));
        let asked: BTreeMap<&str, Option<SnapshotReport>> =
            asked.chain(unscored.iter().map(|url| (*url, None))).collect();
        let place = |url: &str| asked.keys().position(|known| *known == url).map(|at| at as PageId);
        let found = |(code, url): &(&str, &str)| {
            let case = FoundCase { severity: Severity::Warn, pages: place(url).into_iter().collect() };
            (((*code).to_owned(), (*url).to_owned()), case)
        };
        let of_site = of_site.iter().map(found).collect();
        let asked = asked.into_iter().map(|(url, audited)| AskedPage { url: url.into(), unread: None, audited });
        Snapshot { asked: asked.collect(), codes, complete: true, unmeasured: BTreeSet::new(), of_site }
    }

    fn codes(changes: &[SiteChange]) -> Vec<&str> {
        changes.iter().map(|change| &*change.code).collect()
    }

    #[test]
    fn a_page_that_is_gone_fixes_nothing() {
        let before = snapshot(&["/", "/a"], &[], &[("title_missing", "/a")], &[("duplicate_title", "/a")]);
        let after = snapshot(&["/"], &["/a"], &[], &[("broken_internal_link", "/a")]);
        let changes = changes(&before, &after);
        assert_eq!(changes.fixed, []);
        assert_eq!(codes(&changes.broke), ["broken_internal_link"]);
    }

    #[test]
    fn what_was_not_measured_neither_broke_nor_was_fixed() {
        let before = snapshot(&["/", "/a"], &[], &[("title_missing", "/a")], &[("orphan_page", "/a")]);
        let mut after = snapshot(&["/", "/a"], &[], &[], &[]);
        after.unmeasured.insert("orphan_page");
        assert_eq!(codes(&changes(&before, &after).fixed), ["title_missing"]);
        assert_eq!(codes(&changes(&after, &before).broke), ["title_missing"]);
    }

    #[test]
    fn what_a_report_did_not_measure_neither_broke_nor_was_fixed() {
        let missing = [("title_missing", "/"), ("title_missing", "/a")];
        let before = snapshot(&["/", "/a"], &[], &missing, &[]);
        // The code is known, as the first page has it.
        let mut after = snapshot(&["/", "/a"], &[], &missing[..1], &[]);
        assert_eq!(codes(&changes(&before, &after).fixed), ["title_missing"]);
        after.asked[1].audited.as_mut().unwrap().unmeasured = Arc::from([0]);
        assert_eq!(changes(&before, &after), SiteChanges::default());
        assert_eq!(changes(&after, &before), SiteChanges::default());
    }

    #[test]
    fn a_finding_of_the_site_is_compared_where_its_pages_were_read() {
        let unread = |snapshot: &mut Snapshot, why: &str| snapshot.asked[2].unread = Some(why.into());
        let with = || {
            let mut with = snapshot(&["/", "/a", "/b"], &[], &[], &[("duplicate_title", "/a")]);
            with.of_site.values_mut().for_each(|case| case.pages = [1, 2].into());
            with
        };
        let without = || snapshot(&["/", "/a"], &["/b"], &[], &[]);
        assert_eq!(codes(&changes(&with(), &without()).fixed), ["duplicate_title"]);
        let mut silent = without();
        unread(&mut silent, "timeout");
        assert_eq!(changes(&with(), &silent), SiteChanges::default());
        assert_eq!(changes(&silent, &with()), SiteChanges::default());
        // As little as before.
        let mut known_as_silent = with();
        unread(&mut known_as_silent, "timeout");
        assert_eq!(codes(&changes(&known_as_silent, &silent).fixed), ["duplicate_title"]);
        // A limit left the other page out.
        let mut cut = snapshot(&["/", "/a"], &[], &[], &[]);
        assert_eq!(codes(&changes(&with(), &cut).fixed), ["duplicate_title"]);
        cut.complete = false;
        assert_eq!(changes(&with(), &cut), SiteChanges::default());
        assert_eq!(changes(&cut, &with()), SiteChanges::default());
        // Two pages say that a finding is new, however many it is on; all have to say that it is fixed.
        let mut on_three = with();
        on_three.of_site.values_mut().for_each(|case| case.pages = [0, 1, 2].into());
        assert_eq!(codes(&changes(&cut, &on_three).broke), ["duplicate_title"]);
        assert_eq!(changes(&on_three, &cut), SiteChanges::default());
    }

    #[test]
    fn what_both_runs_found_is_still_there() {
        let before = snapshot(&["/", "/a"], &[], &[("title_missing", "/a")], &[("orphan_page", "/a")]);
        let after = snapshot(
            &["/", "/a", "/b"],
            &[],
            &[("title_missing", "/a"), ("title_missing", "/b")],
            &[("orphan_page", "/a"), ("orphan_page", "/b")],
        );
        let both: Vec<_> = after.with(&before).map(|(_, code, url)| (code, url)).collect();
        assert_eq!(both, [("orphan_page", "/a"), ("title_missing", "/a")]);
    }

    #[test]
    fn changes_are_told_once_for_each_code_and_template() {
        let change = |severity, code: &str, url: &str| SiteChange {
            severity,
            code: code.to_owned(),
            url: url.to_owned(),
            title: Phrase::verbatim(code),
        };
        let changes: Vec<SiteChange> = (0..7)
            .map(|n| change(Severity::Warn, "title_missing", &format!("/product/{n}")))
            .chain([change(Severity::Warn, "title_missing", "/about"), change(Severity::Error, "noindex", "/about")])
            .collect();
        let template = |url: &str| url.starts_with("/product/").then_some("/product/…");
        let groups = grouped(changes.iter().map(SiteChange::key), template, 5);
        let told: Vec<_> = groups
            .iter()
            .map(|group| (&*group.code, group.template.as_deref(), group.total, group.urls.len()))
            .collect();
        assert_eq!(
            told,
            [("noindex", None, 1, 1), ("title_missing", None, 1, 1), ("title_missing", Some("/product/…"), 7, 5)]
        );
    }

    #[test]
    fn a_note_that_is_new_makes_no_site_worse() {
        let group =
            |severity| ChangeGroup { severity, code: "c".to_owned(), template: None, total: 1, urls: Vec::new() };
        for (severities, worse) in [
            (&[][..], false),
            (&[Severity::Info], false),
            (&[Severity::Info, Severity::Warn], true),
            (&[Severity::Error], true),
        ] {
            let broke = severities.iter().map(|severity| group(*severity)).collect();
            assert_eq!(ChangeSummary { broke, ..ChangeSummary::default() }.got_worse(), worse, "{severities:?}");
        }
    }
}
