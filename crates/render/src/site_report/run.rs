//! What a report of a site is read with: when the run was, what changed since another, and which bars it failed.

use model::lang::{Lang, Phrase, Text, text};
use model::time::Timestamp;
use serde::Serialize;
use site::facts::PageId;
use site::{SiteChanges, SiteFacts, SiteReport};

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
    /// What changed since the baseline; `None` without one.
    pub changes: Option<SiteChanges>,
    /// The bars that the run failed, a sentence each.
    pub failed_bars: Vec<Phrase>,
}

/// What `report.json` holds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteReportFile<'a> {
    started_at: Timestamp,
    /// The bars that the run failed, a sentence each.
    failed_bars: Vec<&'a str>,
    /// What changed since the baseline; `null` without one.
    changes: Option<SiteChanges<String>>,
    #[serde(flatten)]
    report: SiteReport<String>,
}

impl<'a> SiteReportFile<'a> {
    /// The report of a run as data, in one language.
    pub fn of(report: &SiteReport, notes: &'a RunNotes, lang: Lang) -> Self {
        Self {
            started_at: notes.started_at,
            failed_bars: notes.failed_bars.iter().map(|bar| bar.in_lang(lang)).collect(),
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
pub(super) const BROKE: Text = text("Broke", "Quebrou");
/// The heading of what was fixed.
pub(super) const FIXED: Text = text("Fixed", "Corrigido");
/// Where nothing changed.
pub(super) const UNCHANGED: Text = text("Nothing was fixed and nothing broke.", "Nada foi corrigido e nada quebrou.");
