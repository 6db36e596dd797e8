//! What broke and what was fixed between two runs of a site.

use std::collections::{BTreeMap, BTreeSet};

use model::finding::Severity;
use model::lang::{Lang, Phrase};
use serde::{Deserialize, Serialize};

use crate::check::Unmeasured;
use crate::checks;
use crate::facts::SiteFacts;

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

/// Findings by code and address, and how bad they are.
type Found = BTreeMap<(String, String), Severity>;

/// Findings of a page: the place of each code, in order, and how bad it is.
type PageFindings = Box<[(u16, Severity)]>;

/// What a run found, without its pages: small enough to be held while another run crawls.
#[derive(Debug)]
pub struct Snapshot {
    /// Addresses that were asked. Those with a score have their findings: the place of each code in `codes`, once, and how bad
    /// it is.
    asked: BTreeMap<String, Option<PageFindings>>,
    /// Codes of findings of pages, in order.
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
                Ok(cases) => of_site
                    .extend(cases.into_iter().map(|case| ((check.code.to_owned(), case.subject), check.severity))),
                Err(Unmeasured::Absent) => {}
                Err(Unmeasured::Incomplete | Unmeasured::NotAsked | Unmeasured::Sitemap) => {
                    unmeasured.insert(check.code);
                }
            }
        }
        let codes: BTreeSet<&str> = site.pages().flat_map(|(id, _)| site.codes_of(id)).collect();
        let codes: Vec<String> = codes.into_iter().map(str::to_owned).collect();
        let place = |code: &str| place_of(&codes, code).unwrap_or_default();
        let findings = |id| -> PageFindings {
            let of_page: BTreeMap<u16, Severity> =
                site.findings_of(id).map(|(code, severity)| (place(code), severity)).collect();
            of_page.into_iter().collect()
        };
        let asked = site.pages().map(|(id, page)| (site.url(id).to_owned(), page.score.map(|_| findings(id))));
        let asked = asked.collect();
        Self { asked, codes, complete, unmeasured, of_site }
    }

    fn is_scored(&self, url: &str) -> bool {
        self.asked.get(url).is_some_and(Option::is_some)
    }

    /// Whether a page has a finding.
    fn has(&self, url: &str, code: &str) -> bool {
        let Some(place) = place_of(&self.codes, code) else { return false };
        let findings = self.asked.get(url).and_then(Option::as_ref);
        findings.is_some_and(|findings| findings.binary_search_by_key(&place, |(code, _)| *code).is_ok())
    }

    /// Findings of pages: address, code and how bad each is.
    fn of_pages(&self) -> impl Iterator<Item = (&str, &str, Severity)> {
        self.asked.iter().flat_map(|(url, findings)| {
            let findings = findings.iter().flatten();
            findings.filter_map(|(code, severity)| {
                Some((url.as_str(), self.codes.get(usize::from(*code))?.as_str(), *severity))
            })
        })
    }

    /// Whether this run would have the finding of another run if it were there. A page that is gone has no findings, and
    /// that fixed nothing.
    fn would_show(&self, other: &Self, code: &str, url: &str) -> bool {
        let is_asked = self.complete || self.asked.contains_key(url);
        let is_gone = other.is_scored(url) && !self.is_scored(url);
        is_asked && !is_gone && !self.unmeasured.contains(code)
    }

    /// What both runs found: how bad it is in this one, code and address.
    fn with<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (Severity, &'a str, &'a str)> {
        let of_site = self.of_site.iter().filter(|(key, _)| other.of_site.contains_key(*key));
        let of_site = of_site.map(|((code, url), severity)| (*severity, code.as_str(), url.as_str()));
        let of_pages = self.of_pages().filter(|(url, code, _)| other.has(url, code));
        of_site.chain(of_pages.map(|(url, code, severity)| (severity, code, url)))
    }

    /// What this run found and another did not, though it would have.
    fn without(&self, other: &Self) -> Vec<SiteChange> {
        let of_site = self.of_site.iter().filter(|(key, _)| !other.of_site.contains_key(*key));
        let of_site = of_site.filter(|((code, url), _)| other.would_show(self, code, url));
        let of_site = of_site.map(|((code, url), severity)| (url.as_str(), code.as_str(), *severity));
        let of_pages = self.of_pages().filter(|(url, code, _)| other.is_scored(url) && !other.has(url, code));
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

/// What changed between two runs. Of pages those are compared that both runs audited.
pub fn changes(before: &Snapshot, after: &Snapshot) -> SiteChanges {
    SiteChanges { broke: after.without(before), fixed: before.without(after) }
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
        let found = |found: &[(&str, &str)]| -> Found {
            found.iter().map(|(code, url)| (((*code).to_owned(), (*url).to_owned()), Severity::Warn)).collect()
        };
        let codes: BTreeSet<&str> = of_pages.iter().map(|(code, _)| *code).collect();
        let codes: Vec<String> = codes.into_iter().map(str::to_owned).collect();
        let findings = |url: &str| {
            let of_page = of_pages.iter().filter(|(_, page)| *page == url);
            of_page.map(|(code, _)| (place_of(&codes, code).unwrap(), Severity::Warn)).collect()
        };
        let asked = scored.iter().map(|url| ((*url).to_owned(), Some(findings(url))));
        Snapshot {
            asked: asked.chain(unscored.iter().map(|url| ((*url).to_owned(), None))).collect(),
            codes: codes.clone(),
            complete: true,
            unmeasured: BTreeSet::new(),
            of_site: found(of_site),
        }
    }

    #[test]
    fn a_page_that_is_gone_fixes_nothing() {
        let before = snapshot(&["/", "/a"], &[], &[("title_missing", "/a")], &[("duplicate_title", "/a")]);
        let after = snapshot(&["/"], &["/a"], &[], &[("broken_internal_link", "/a")]);
        let changes = changes(&before, &after);
        assert_eq!(changes.fixed, []);
        assert_eq!(changes.broke.iter().map(|change| &*change.code).collect::<Vec<_>>(), ["broken_internal_link"]);
    }

    #[test]
    fn what_was_not_measured_neither_broke_nor_was_fixed() {
        let before = snapshot(&["/", "/a"], &[], &[("title_missing", "/a")], &[("orphan_page", "/a")]);
        let mut after = snapshot(&["/", "/a"], &[], &[], &[]);
        after.unmeasured.insert("orphan_page");
        let codes = |changes: &[SiteChange]| changes.iter().map(|change| change.code.clone()).collect::<Vec<_>>();
        assert_eq!(codes(&changes(&before, &after).fixed), ["title_missing"]);
        assert_eq!(codes(&changes(&after, &before).broke), ["title_missing"]);
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
