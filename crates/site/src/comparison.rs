//! What broke and what was fixed between two runs of a site.

mod snapshot;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use model::finding::Severity;
use model::lang::{Lang, Phrase};
use serde::{Deserialize, Serialize};

pub use self::snapshot::Snapshot;
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
