//! What broke and what was fixed between two runs of a site.

use std::collections::{BTreeMap, BTreeSet};

use model::finding::Severity;
use model::lang::Phrase;
use render::site_report::{SiteChange, SiteChanges};
use site::SiteFacts;
use site::check::Unmeasured;

/// Findings by code and address, and how bad they are.
type Found = BTreeMap<(String, String), Severity>;

/// Findings of a page: the place of each code, in order, and how bad it is.
type PageFindings = Box<[(u16, Severity)]>;

/// What a run found, without its pages: small enough to be held while another run crawls.
#[derive(Debug)]
pub(super) struct Snapshot {
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
    /// Of a site.
    pub(super) fn of(site: &SiteFacts, complete: bool) -> Self {
        let (mut of_site, mut unmeasured) = (Found::new(), BTreeSet::new());
        for check in site::checks::all() {
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
            title: title(code),
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
fn title(code: &str) -> Phrase {
    let title = site::checks::find(code).map(|check| check.title);
    let title = title.or_else(|| audit::checks::find(code).map(|check| check.title));
    title.map_or_else(|| Phrase::verbatim(code), Phrase::from)
}

/// What changed between two runs. Of pages those are compared that both runs audited.
pub(super) fn changes(before: &Snapshot, after: &Snapshot) -> SiteChanges {
    SiteChanges { broke: after.without(before), fixed: before.without(after) }
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
}
