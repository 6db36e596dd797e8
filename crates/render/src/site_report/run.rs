//! What a report of a site is read with: when the run was, what changed since another, and which bars it failed.

use model::finding::Severity;
use model::lang::{Lang, Phrase, Text, text};
use model::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use site::facts::PageId;
use site::{ChangeGroup, ChangeSummary, SiteFacts, SiteReport, title_of};

use super::words::OptionNames;

/// A run besides its report.
#[derive(Debug, Clone, PartialEq)]
pub struct RunNotes {
    /// How its options are named.
    pub option_names: OptionNames,
    /// When the run began.
    pub started_at: Timestamp,
    /// Why it ended before its site did; `None` where it did not.
    pub why_ended: Option<Phrase>,
    /// What changed since another run; `None` where it was compared with none.
    pub changes: Option<RunChanges>,
    /// The bars that the run failed, a sentence each.
    pub failed_bars: Vec<Phrase>,
}

/// What changed since another run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunChanges {
    /// When that run began; `None` where that is not known any more.
    pub since: Option<Timestamp>,
    /// What changed.
    pub summary: ChangeSummary,
}

/// The report of a site audit as data.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SiteReport")]
pub struct SiteReportFile {
    /// When the run began.
    started_at: Timestamp,
    /// The conditions (`--fail-under`, `--fail-on`) that the run failed, a sentence each.
    failed_bars: Vec<String>,
    /// Comparison with an earlier run; null where there is none to compare with.
    changes: Option<SiteReportChanges>,
    #[serde(flatten)]
    report: SiteReport<String>,
}

/// Findings of a site audit compared with those of an earlier one, each once for each template.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SiteReportChanges {
    /// When the earlier run began; null where it was deleted.
    since: Option<Timestamp>,
    /// New findings, the most severe first.
    broke: Vec<SiteChangeListed>,
    /// Findings that are gone, the most severe first.
    fixed: Vec<SiteChangeListed>,
    /// Findings of both runs, the most severe first.
    still: Vec<SiteChangeListed>,
    /// Number of entries that are left out: each list has at most 100.
    left_out: usize,
}

/// A finding on pages of one template that is new, gone or still there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SiteChange")]
pub struct SiteChangeListed {
    /// Its code.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, as a heading.
    pub title: String,
    /// Where the pages are: `/product/…`; null for addresses without a template.
    pub template: Option<String>,
    /// Number of addresses.
    pub total: usize,
    /// The first of them: at most 5, or 1,000 in files of the command line.
    pub urls: Vec<String>,
}

impl SiteChangeListed {
    /// Changes in one language.
    pub fn all_of(groups: &[ChangeGroup], lang: Lang) -> Vec<Self> {
        let listed = |group: &ChangeGroup| Self {
            code: group.code.clone(),
            severity: group.severity,
            title: title_of(&group.code).in_lang(lang).to_owned(),
            template: group.template.clone(),
            total: group.total,
            urls: group.urls.clone(),
        };
        groups.iter().map(listed).collect()
    }
}

impl RunChanges {
    /// As data, in one language.
    pub(super) fn in_lang(&self, lang: Lang) -> SiteReportChanges {
        let ChangeSummary { broke, fixed, still, left_out } = &self.summary;
        SiteReportChanges {
            since: self.since,
            broke: SiteChangeListed::all_of(broke, lang),
            fixed: SiteChangeListed::all_of(fixed, lang),
            still: SiteChangeListed::all_of(still, lang),
            left_out: *left_out,
        }
    }
}

impl SiteReportFile {
    /// The report of a run as data, in one language.
    pub fn of(report: &SiteReport, notes: &RunNotes, lang: Lang) -> Self {
        Self {
            started_at: notes.started_at,
            failed_bars: notes.failed_bars.iter().map(|bar| bar.in_lang(lang).to_owned()).collect(),
            changes: notes.changes.as_ref().map(|changes| changes.in_lang(lang)),
            report: report.in_lang(lang),
        }
    }
}

/// A row of the table of pages.
#[derive(Debug, Clone, PartialEq)]
pub struct PageRow {
    /// The address.
    pub url: String,
    /// Score of its report.
    pub score: Option<u32>,
    /// Clicks from the first page.
    pub depth: Option<u32>,
    /// Internal PageRank.
    pub rank: f64,
    /// Number of its findings that take points.
    pub findings: usize,
}

/// Pages that the page shows; the tables have all.
const MOST_ROWS: usize = 500;

/// The pages that the page shows: the lowest scores first, of equal ones the most important.
pub fn page_rows(site: &SiteFacts, report: &SiteReport) -> Vec<PageRow> {
    let mut ids: Vec<PageId> = site.documents().map(|(id, _, _)| id).collect();
    let score = |id: PageId| report.page_scores.get(&id).copied();
    ids.sort_by(|a, b| score(*a).cmp(&score(*b)).then(site.rank(*b).total_cmp(&site.rank(*a))).then(a.cmp(b)));
    let row = |id: PageId| PageRow {
        url: site.url(id).to_owned(),
        score: score(id),
        depth: site.depth(id),
        rank: site.rank(id),
        findings: site.codes_of(id).count(),
    };
    ids.into_iter().take(MOST_ROWS).map(row).collect()
}

/// The heading of what broke.
pub(super) const BROKE: Text = text("New findings", "Achados novos");
/// The heading of what was fixed.
pub(super) const FIXED: Text = text("Fixed", "Corrigidos");
/// The heading of what both runs have.
pub(super) const STILL: Text = text("Not fixed yet", "Ainda não corrigidos");
/// Where nothing changed.
pub(super) const UNCHANGED: Text = text("No new findings, and none fixed.", "Nenhum achado novo e nenhum corrigido.");
