//! The files of a run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use model::lang::Lang;
use model::report::Report;
use model::time::Timestamp;
use render::format::{csv_row, pretty};
use render::site_report::{
    FINDING_COLUMNS, LINK_COLUMNS, PAGE_COLUMNS, PageRow, RunNotes, SiteChanges, TEMPLATE_COLUMNS, link_rows, page,
    page_row, sarif, template_rows,
};
use serde::Serialize;
use serde_json::json;
use site::facts::PageId;
use site::{SiteFacts, SiteReport};
use store::SiteRunFile;

use super::READ_AT_ONCE;

/// Pages in the report page: the lowest scores first. The tables have all.
const MOST_ROWS: usize = 500;

/// What `report.json` holds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportFile<'a> {
    started_at: Timestamp,
    /// The bars that the run failed, a sentence each.
    failed_bars: Vec<&'a str>,
    /// What changed since the baseline; `null` without one.
    changes: Option<SiteChanges<String>>,
    #[serde(flatten)]
    report: SiteReport<String>,
}

/// Writes every file of a run into its folder.
pub(super) async fn write(
    folder: &Path,
    file: &mut SiteRunFile,
    site: &SiteFacts,
    report: &SiteReport,
    notes: &RunNotes,
    lang: Lang,
) -> Result<()> {
    whole(folder, "report.html", &page(report, &rows(site, report), notes, lang))?;
    let json = ReportFile {
        started_at: notes.started_at,
        failed_bars: notes.failed_bars.iter().map(|bar| bar.in_lang(lang)).collect(),
        changes: notes.changes.as_ref().map(|changes| changes.in_lang(lang)),
        report: report.in_lang(lang),
    };
    whole(folder, "report.json", &pretty(&json)?)?;
    whole(folder, "site.sarif", &sarif(report, lang)?)?;
    whole(folder, "templates.csv", &(header(&TEMPLATE_COLUMNS) + &template_rows(report)))?;
    let mut pages = Rows::begin(folder, "pages.csv", &header(&PAGE_COLUMNS))?;
    let mut links = Rows::begin(folder, "links.csv", &header(&LINK_COLUMNS))?;
    for (id, _) in site.pages() {
        pages.add(&page_row(site, report, id))?;
        links.add(&link_rows(site, id))?;
    }
    pages.end()?;
    links.end()?;
    let scores = &report.page_scores;
    let mut lines = Rows::begin(folder, "pages.jsonl", "")?;
    let mut findings = Rows::begin(folder, "findings.csv", &header(&FINDING_COLUMNS))?;
    for finding in &report.findings {
        for case in &finding.cases {
            let note = case.note.in_lang(lang);
            findings.add(&row([&case.url, finding.severity.word(), finding.code, note, "site"]))?;
        }
    }
    let mut from = 0;
    loop {
        let stored = file.pages(from, READ_AT_ONCE).await?;
        let Some(last) = stored.last() else { break };
        from = last.place + 1;
        for stored in stored {
            let report: Option<Report> = stored.report.as_deref().map(serde_json::from_slice).transpose()?;
            for finding in report.iter().flat_map(|report| &report.findings) {
                let message = finding.message.in_lang(lang);
                findings.add(&row([&stored.url, finding.severity.word(), &finding.code, message, "page"]))?;
            }
            lines.add(&line(site, scores, &stored.url, report.as_ref(), lang)?)?;
        }
    }
    lines.end()?;
    findings.end()
}

/// A page as a line of JSON.
fn line(
    site: &SiteFacts,
    scores: &BTreeMap<PageId, u32>,
    url: &str,
    report: Option<&Report>,
    lang: Lang,
) -> Result<String> {
    let id = site.find(url);
    let page = id.and_then(|id| site.page(id));
    let value = json!({
        "url": url,
        "answer": page.map(|page| page.answer.word()),
        "status": page.and_then(|page| page.status),
        "score": id.and_then(|id| scores.get(&id)),
        "depth": id.and_then(|id| site.depth(id)),
        "rank": id.map(|id| (site.rank(id) * 1_000.0).round() / 1_000.0),
        "template": id.and_then(|id| site.template_of(id)),
        "linksIn": id.map(|id| site.sources(id).len()),
        "issues": report.map(|report| report.issues_in(lang)),
        "fixes": report.map(|report| report.fixes_in(lang)),
    });
    Ok(serde_json::to_string(&value)? + "\n")
}

/// The pages that the report page shows: the lowest scores first, of equal ones the most important.
fn rows(site: &SiteFacts, report: &SiteReport) -> Vec<PageRow> {
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

fn header(columns: &[&str]) -> String {
    csv_row(&columns.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
}

fn row(cells: [&str; FINDING_COLUMNS.len()]) -> String {
    csv_row(&cells.map(str::to_owned))
}

fn whole(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    std::fs::write(&path, text).with_context(|| format!("{} could not be written", path.display()))
}

/// A file that is written row by row.
struct Rows {
    file: BufWriter<File>,
    name: String,
}

impl Rows {
    fn begin(folder: &Path, name: &str, first: &str) -> Result<Self> {
        let path = folder.join(name);
        let name = path.display().to_string();
        let file = File::create(&path).with_context(|| format!("{name} could not be written"))?;
        let mut rows = Self { file: BufWriter::new(file), name };
        rows.add(first)?;
        Ok(rows)
    }

    fn add(&mut self, text: &str) -> Result<()> {
        self.file.write_all(text.as_bytes()).with_context(|| format!("{} could not be written", self.name))
    }

    fn end(mut self) -> Result<()> {
        self.file.flush().with_context(|| format!("{} could not be written", self.name))
    }
}
