//! The files of a run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use model::finding::Finding;
use model::fix::Fix;
use model::lang::Lang;
use render::format::pretty;
use render::site_report::{
    Cell, FINDINGS, LINKS, PAGES, RunNotes, SiteReportFile, SiteTable, TEMPLATES, finding_row, link_rows, page,
    page_row, page_rows, sarif, template_rows,
};
use serde::{Deserialize, Serialize};
use site::facts::PageId;
use site::{SiteFacts, SiteReport};
use store::SiteRunFile;

use super::READ_AT_ONCE;
use super::parquet::ParquetFile;

/// Writes every file of a run into its folder, its tables as Parquet too where that is wanted.
pub(super) async fn write(
    folder: &Path,
    file: &mut SiteRunFile,
    site: &SiteFacts,
    report: &SiteReport,
    notes: &RunNotes,
    (lang, parquet): (Lang, bool),
) -> Result<()> {
    whole(folder, "report.html", &page(report, &page_rows(site, report), notes, lang))?;
    whole(folder, "report.json", &pretty(&SiteReportFile::of(report, notes, lang))?)?;
    whole(folder, "site.sarif", &sarif(report, notes, lang)?)?;
    let mut templates = TableFiles::begin(folder, &TEMPLATES, parquet)?;
    template_rows(report).try_for_each(|row| templates.add(&row))?;
    templates.end()?;
    let mut pages = TableFiles::begin(folder, &PAGES, parquet)?;
    let mut links = TableFiles::begin(folder, &LINKS, parquet)?;
    for (id, _) in site.pages() {
        pages.add(&page_row(site, report, id))?;
        link_rows(site, id).try_for_each(|row| links.add(&row))?;
    }
    pages.end()?;
    links.end()?;
    let scores = &report.page_scores;
    let mut lines = TextLines::begin(folder, "pages.jsonl")?;
    let mut findings = TableFiles::begin(folder, &FINDINGS, parquet)?;
    for finding in &report.findings {
        // The report has the first thousand cases of a finding, the table all.
        let cases = site::checks::find(finding.code).and_then(|check| (check.run)(site).ok()).unwrap_or_default();
        for case in &cases {
            let note = case.note.in_lang(lang);
            findings.add(&finding_row(&case.subject, finding.severity, finding.code, note, "site"))?;
        }
    }
    let mut from = 0;
    loop {
        let stored = file.reports(from, READ_AT_ONCE).await?;
        let Some(last) = stored.last() else { break };
        from = last.place + 1;
        for stored in stored {
            let report: Option<ReportFindings> = stored.report.as_deref().map(serde_json::from_slice).transpose()?;
            for finding in report.iter().flat_map(|report| &report.findings) {
                let message = finding.message.in_lang(lang);
                findings.add(&finding_row(&stored.url, finding.severity, &finding.code, message, "page"))?;
            }
            lines.add(&line(site, scores, &stored.url, report.as_ref(), lang)?)?;
        }
    }
    lines.end()?;
    findings.end()
}

/// What the files have of the stored report of a page: the rest of it is larger, and is not read.
#[derive(Deserialize)]
struct ReportFindings {
    findings: Vec<Finding>,
    /// One for each finding, in the same order.
    fixes: Vec<Fix>,
}

/// A page as a line of JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageJsonLine<'a> {
    url: &'a str,
    answer: Option<&'a str>,
    status: Option<u16>,
    score: Option<u32>,
    depth: Option<u32>,
    rank: Option<f64>,
    template: Option<&'a str>,
    links_in: Option<usize>,
    issues: Option<Vec<Finding<String>>>,
    fixes: Option<Vec<Fix<String>>>,
}

/// The line of a page.
fn line(
    site: &SiteFacts,
    scores: &BTreeMap<PageId, u32>,
    url: &str,
    report: Option<&ReportFindings>,
    lang: Lang,
) -> Result<String> {
    let id = site.find(url);
    let page = id.and_then(|id| site.page(id));
    let line = PageJsonLine {
        url,
        answer: page.map(|page| page.answer.word()),
        status: page.and_then(|page| page.status),
        score: id.and_then(|id| scores.get(&id)).copied(),
        depth: id.and_then(|id| site.depth(id)),
        rank: id.map(|id| (site.rank(id) * 1_000.0).round() / 1_000.0),
        template: id.and_then(|id| site.template_of(id)),
        links_in: id.map(|id| site.sources(id).len()),
        issues: report.map(|report| report.findings.iter().map(|finding| finding.in_lang(lang)).collect()),
        fixes: report.map(|report| report.fixes.iter().map(|fix| fix.in_lang(lang)).collect()),
    };
    Ok(serde_json::to_string(&line)? + "\n")
}

fn whole(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    std::fs::write(&path, text).with_context(|| format!("{} could not be written", path.display()))
}

/// A file that is written line by line.
pub(super) struct TextLines {
    file: BufWriter<File>,
    name: String,
}

impl TextLines {
    pub(super) fn begin(folder: &Path, name: &str) -> Result<Self> {
        let path = folder.join(name);
        let name = path.display().to_string();
        let file = File::create(&path).with_context(|| format!("{name} could not be written"))?;
        Ok(Self { file: BufWriter::new(file), name })
    }

    pub(super) fn add(&mut self, text: &str) -> Result<()> {
        self.file.write_all(text.as_bytes()).with_context(|| format!("{} could not be written", self.name))
    }

    pub(super) fn end(mut self) -> Result<()> {
        self.file.flush().with_context(|| format!("{} could not be written", self.name))
    }
}

/// The files of a table: CSV, and Parquet where that is wanted.
struct TableFiles {
    table: &'static SiteTable,
    csv: TextLines,
    parquet: Option<ParquetFile>,
}

impl TableFiles {
    fn begin(folder: &Path, table: &'static SiteTable, parquet: bool) -> Result<Self> {
        let mut csv = TextLines::begin(folder, &format!("{}.csv", table.name))?;
        csv.add(&table.csv_header())?;
        let parquet = parquet.then(|| ParquetFile::begin(folder, table)).transpose()?;
        Ok(Self { table, csv, parquet })
    }

    fn add(&mut self, row: &[Cell<'_>]) -> Result<()> {
        self.csv.add(&self.table.csv_row(row))?;
        self.parquet.as_mut().map_or(Ok(()), |parquet| parquet.add(row))
    }

    fn end(self) -> Result<()> {
        self.csv.end()?;
        self.parquet.map_or(Ok(()), ParquetFile::end)
    }
}
