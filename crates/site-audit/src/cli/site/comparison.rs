//! What broke and what was fixed between two runs of a site.

use std::collections::{BTreeMap, BTreeSet};

use model::finding::Severity;
use model::lang::Phrase;
use render::site_report::{SiteChange, SiteChanges};
use site::SiteFacts;
use site::check::Unmeasured;

/// Findings by code and address, and how bad they are.
type Found = BTreeMap<(String, String), Severity>;

/// What a run found, without its pages: small enough to be held while another run crawls.
#[derive(Debug)]
pub(super) struct Snapshot {
    /// Addresses that were asked, and whether they have a score.
    asked: BTreeMap<String, bool>,
    complete: bool,
    /// Checks of the site that say nothing of what they did not find.
    unmeasured: BTreeSet<&'static str>,
    of_site: Found,
    of_pages: Found,
}

impl Snapshot {
    /// Of a site.
    pub(super) fn of(site: &SiteFacts, complete: bool) -> Self {
        let (mut of_site, mut of_pages, mut unmeasured) = (Found::new(), Found::new(), BTreeSet::new());
        for check in site::checks::ALL {
            match (check.run)(site) {
                Ok(cases) => of_site
                    .extend(cases.into_iter().map(|case| ((check.code.to_owned(), case.subject), check.severity))),
                Err(Unmeasured::Absent) => {}
                Err(Unmeasured::Incomplete | Unmeasured::NotAsked | Unmeasured::Sitemap) => {
                    unmeasured.insert(check.code);
                }
            }
        }
        let mut asked = BTreeMap::new();
        for (id, page) in site.pages() {
            let url = site.url(id);
            asked.insert(url.to_owned(), page.score.is_some());
            for (code, severity) in site.findings_of(id) {
                of_pages.insert((code.to_owned(), url.to_owned()), severity);
            }
        }
        Self { asked, complete, unmeasured, of_site, of_pages }
    }

    fn is_scored(&self, url: &str) -> bool {
        self.asked.get(url).copied().unwrap_or_default()
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
        let of_pages = self.of_pages.iter().filter(|(key, _)| !other.of_pages.contains_key(*key));
        let of_pages = of_pages.filter(|((_, url), _)| other.is_scored(url));
        let change = |((code, url), severity): (&(String, String), &Severity)| SiteChange {
            severity: *severity,
            code: code.clone(),
            url: url.clone(),
            title: title(code),
        };
        let mut changes: Vec<SiteChange> = of_site.chain(of_pages).map(change).collect();
        changes.sort_by(|a, b| (a.severity, &a.code, &a.url).cmp(&(b.severity, &b.code, &b.url)));
        changes
    }
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
        let asked = scored.iter().map(|url| ((*url).to_owned(), true));
        Snapshot {
            asked: asked.chain(unscored.iter().map(|url| ((*url).to_owned(), false))).collect(),
            complete: true,
            unmeasured: BTreeSet::new(),
            of_site: found(of_site),
            of_pages: found(of_pages),
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
