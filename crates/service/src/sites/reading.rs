//! What is read of a run: its pages, findings, templates and documents.

use std::sync::Arc;
use std::time::Duration;

use model::finding::{Counts, Finding, Severity};
use model::fix::Fix;
use model::lang::{Lang, Phrase};
use model::report::Report;
use render::site_report::{self, OptionNames, RunChanges, RunNotes, SiteReportFile};
use schemars::JsonSchema;
use serde::Serialize;
use site::{DEEPEST_BAR, Scope, SiteReport, TemplateView};
use store::{SitePageLine, SiteRunRecord};

use super::answer::{changes_of, why};
use super::built::built;
use super::found::{FoundOnSite, SiteFindingListed};
use super::{no_cursor, read, unwritten};
use crate::blocking::off_worker;
use crate::caller::Cx;
use crate::error::{Code, ServiceError};
use crate::site_desk::BuiltSite;

/// Pages in one answer.
const PAGES: usize = 100;
/// Findings in one answer.
const FINDINGS: usize = 25;
/// Templates in one answer.
const TEMPLATES: usize = 50;
/// Addresses named of a finding in a list; asked for alone it has all that are kept.
const FEW: usize = 5;

/// Pages of a run, in the order in which they were found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SitePages")]
pub struct PageList {
    /// The pages that are done.
    pub pages: Vec<PageListed>,
    /// Leads to the next ones; null at the end.
    pub cursor: Option<String>,
}

/// A page of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SitePage")]
pub struct PageListed {
    /// Its number in the run.
    pub number: u32,
    /// Its address.
    pub url: String,
    /// What it answered: `page`, `redirect`, `client_error`, `server_error`, `no_response`, `blocked` (by robots.txt), `file`.
    pub answer: String,
    /// HTTP status; null without a response.
    pub status: Option<u16>,
    /// Score of its own findings, 0 to 100; null where it was not audited.
    pub score: Option<u32>,
    /// Number of its findings.
    pub findings: u32,
}

/// A page of a run with its findings.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SitePageReport")]
pub struct PageDetail {
    /// The page.
    #[serde(flatten)]
    pub page: PageListed,
    /// Its findings; empty where it was not audited.
    pub issues: Vec<Finding<String>>,
    /// A fix for each of them.
    pub fixes: Vec<Fix<String>>,
}

/// Findings of a run, the most severe first, then those whose fix gains most.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SiteFindings")]
pub struct FindingList {
    /// The findings.
    pub findings: Vec<SiteFindingListed>,
    /// All of them.
    pub total: usize,
    /// How many there are of each severity, with any severity that was asked for left aside.
    pub counts: Counts,
    /// Leads to the next ones; null at the end.
    pub cursor: Option<String>,
}

/// Templates of a run, the largest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SiteTemplates")]
pub struct TemplateList {
    /// The templates.
    pub templates: Vec<TemplateListed>,
    /// Leads to the next ones; null at the end.
    pub cursor: Option<String>,
}

/// A template: pages whose markup has one skeleton.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SiteTemplate")]
pub struct TemplateListed {
    /// Where its pages are: `/product/…`.
    pub name: String,
    /// Its most linked page.
    pub example: String,
    /// Number of its pages.
    pub pages: usize,
    /// Mean score of its pages.
    pub score: Option<u32>,
    /// Points that the score of the site gains when all that is said of the template is fixed.
    pub gain: f64,
    /// Codes of the findings that are fixed in it.
    pub findings: Vec<String>,
}

/// Pages of a run that are done, those from `cursor` on.
pub async fn pages(cx: &Cx, id: &str, cursor: Option<&str>) -> Result<PageList, ServiceError> {
    let run = read(cx, id, Duration::ZERO).await?;
    let from = place(cursor)?;
    let most = i64::try_from(PAGES).unwrap_or(i64::MAX);
    let at = i64::try_from(from).unwrap_or(i64::MAX);
    let lines = cx.services.database().ask(|store| store.site_lines(&run.id, at, most)).await?;
    let next = from + lines.len();
    let cursor = (lines.len() == PAGES && next < run.done as usize).then(|| next.to_string());
    Ok(PageList { pages: lines.into_iter().map(listed).collect(), cursor })
}

/// A page of a run with its findings.
pub async fn page(cx: &Cx, id: &str, number: u32, lang: Lang) -> Result<PageDetail, ServiceError> {
    let run = read(cx, id, Duration::ZERO).await?;
    let reports = cx.services.database().ask(|store| store.site_reports(&run.id, number.into(), 1)).await?;
    let found = reports.into_iter().find(|page| page.line.place == i64::from(number));
    let page = found.ok_or_else(|| ServiceError::new(Code::SitePageNotFound))?;
    let report: Option<Report> = page.report.as_deref().map(serde_json::from_slice).transpose().map_err(unwritten)?;
    Ok(PageDetail {
        page: listed(page.line),
        issues: report.as_ref().map(|report| report.issues_in(lang)).unwrap_or_default(),
        fixes: report.as_ref().map(|report| report.fixes_in(lang)).unwrap_or_default(),
    })
}

/// The number of the page of a run at an address; `None` where the run has none.
pub async fn page_number(cx: &Cx, id: &str, url: &str) -> Result<Option<u32>, ServiceError> {
    let run = read(cx, id, Duration::ZERO).await?;
    // No stored address has one, and PostgreSQL takes no text with it.
    if url.contains('\0') {
        return Ok(None);
    }
    let place = cx.services.database().ask(|store| store.site_place(&run.id, url)).await?;
    Ok(place.map(number))
}

fn listed(line: SitePageLine) -> PageListed {
    let SitePageLine { place, url, answer, status, score, findings } = line;
    PageListed { number: number(place), url, answer, status, score, findings }
}

/// The number by which callers name the page at a place.
fn number(place: i64) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// A filter of findings.
#[derive(Debug, Clone, Default)]
pub struct FindingsWish {
    /// Only this check, with all addresses that are kept.
    pub code: Option<String>,
    /// Only this severity.
    pub severity: Option<Severity>,
    /// Only titles or codes that contain this text.
    pub words: Option<String>,
}

impl FindingsWish {
    /// Whether it is one of those that are wanted, of whatever severity.
    fn names(&self, code: &str, title: &str) -> bool {
        let has_words = |words: &String| {
            let words = words.to_lowercase();
            title.to_lowercase().contains(&words) || code.contains(&words)
        };
        self.code.as_deref().is_none_or(|wanted| wanted == code) && self.words.as_ref().is_none_or(has_words)
    }
}

/// Findings of a finished run that are wanted, those from `cursor` on.
pub async fn findings(
    cx: &Cx,
    id: &str,
    wish: FindingsWish,
    cursor: Option<&str>,
) -> Result<FindingList, ServiceError> {
    let (from, lang) = (place(cursor)?, cx.lang);
    let (_, built) = finished(cx, id).await?;
    off_worker(move || {
        let report = &built.report;
        let most = if wish.code.is_some() { usize::MAX } else { FEW };
        let is_named = |code: &str, title: &Phrase| wish.names(code, title.in_lang(lang));
        let of_site = report.findings.iter().filter(|finding| is_named(finding.code, &finding.title));
        let of_pages = report.page_findings.iter().filter(|finding| is_named(&finding.code, &finding.title));
        let all = of_site.map(FoundOnSite::Between).chain(of_pages.map(FoundOnSite::OnPages));
        let mut all: Vec<FoundOnSite<'_>> = all.collect();
        let mut counts = Counts::default();
        for found in &all {
            counts.add(found.severity());
        }
        all.retain(|found| wish.severity.is_none_or(|wanted| wanted == found.severity()));
        all.sort_by(|one, other| one.severity().cmp(&other.severity()).then(other.gain().total_cmp(&one.gain())));
        let total = all.len();
        let listed = all.into_iter().skip(from).take(FINDINGS).map(|found| found.listed(lang, most));
        let findings: Vec<SiteFindingListed> = listed.collect();
        let next = from + findings.len();
        FindingList { cursor: (next < total).then(|| next.to_string()), total, counts, findings }
    })
    .await
}

/// Templates of a finished run, those from `cursor` on.
pub async fn templates(cx: &Cx, id: &str, cursor: Option<&str>) -> Result<TemplateList, ServiceError> {
    let from = place(cursor)?;
    let (_, built) = finished(cx, id).await?;
    off_worker(move || templates_of(&built.report, from)).await
}

fn templates_of(report: &SiteReport, from: usize) -> TemplateList {
    let codes = |name: &str| {
        let of_it = report.page_findings.iter();
        let of_it = of_it.filter(|finding| matches!(&finding.scope, Scope::Template(of) if of == name));
        of_it.map(|finding| finding.code.clone()).collect()
    };
    let template = |template: &TemplateView| TemplateListed {
        name: template.name.clone(),
        example: template.example.clone(),
        pages: template.pages,
        score: template.score,
        gain: template.gain,
        findings: codes(&template.name),
    };
    let templates: Vec<TemplateListed> = report.templates.iter().skip(from).take(TEMPLATES).map(template).collect();
    let next = from + templates.len();
    TemplateList { cursor: (next < report.templates.len()).then(|| next.to_string()), templates }
}

/// Distributions of a report, each with the name of a bar and its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteCharts {
    /// Pages by score, in tens.
    pub scores: Vec<(String, u32)>,
    /// Pages by clicks from the first page.
    pub depths: Vec<(String, u32)>,
    /// Addresses by what they answered, in a word.
    pub answers: Vec<(String, u32)>,
}

/// Distributions of a finished run.
pub async fn charts(cx: &Cx, id: &str) -> Result<SiteCharts, ServiceError> {
    let (_, built) = finished(cx, id).await?;
    let report = &built.report;
    let tens = |at: usize| if at == 9 { "90–100".to_owned() } else { format!("{}–{}", at * 10, at * 10 + 9) };
    let clicks = |at: usize| if at == DEEPEST_BAR as usize { format!("{at}+") } else { at.to_string() };
    Ok(SiteCharts {
        scores: report.scores.iter().enumerate().map(|(at, pages)| (tens(at), *pages)).collect(),
        depths: report.depths.iter().enumerate().map(|(at, pages)| (clicks(at), *pages)).collect(),
        answers: report.answers.iter().map(|(word, count)| ((*word).to_owned(), *count)).collect(),
    })
}

/// A form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportForm {
    /// Data.
    Json,
    /// One page without scripts.
    Html,
    /// SARIF 2.1.0.
    Sarif,
    /// The table of pages.
    Csv,
}

/// The report of a finished run, as the command line writes it.
pub async fn document(cx: &Cx, id: &str, form: ReportForm) -> Result<String, ServiceError> {
    let lang = cx.lang;
    let (run, built) = finished(cx, id).await?;
    let changes = changes_since(cx, &run).await?;
    let written = move || {
        let BuiltSite { site, report } = &*built;
        let why_ended = run.reason.as_deref().map(|reason| why(reason).into());
        let notes = RunNotes {
            option_names: OptionNames::Service,
            started_at: run.created_at,
            why_ended,
            changes,
            failed_bars: Vec::new(),
        };
        let text = match form {
            ReportForm::Json => serde_json::to_string(&SiteReportFile::of(report, &notes, lang))?,
            ReportForm::Html => site_report::page(report, &site_report::page_rows(site, report), &notes, lang),
            ReportForm::Sarif => site_report::sarif(report, &notes, lang)?,
            ReportForm::Csv => site_report::page_table(site, report),
        };
        Ok((text, site.check()))
    };
    let (text, checked) = off_worker(written).await?.map_err(unwritten)?;
    // The next call builds it again from the stored pages.
    checked.map(|()| text).map_err(|failure| {
        tracing::warn!(%failure, "the report of a site could not be written");
        ServiceError::new(Code::Overloaded).retry_after(5)
    })
}

/// What changed since the run before of its watch; `None` for a run that was compared with none.
async fn changes_since(cx: &Cx, run: &SiteRunRecord) -> Result<Option<RunChanges>, ServiceError> {
    let (Some(summary), Some(before)) = (changes_of(run)?, &run.before) else { return Ok(None) };
    let before = cx.services.database().ask(|store| store.site_run(before)).await?;
    Ok(Some(RunChanges { since: before.map(|before| before.created_at), summary }))
}

/// A run that the caller may read, with its report.
async fn finished(cx: &Cx, id: &str) -> Result<(SiteRunRecord, Arc<BuiltSite>), ServiceError> {
    let run = read(cx, id, Duration::ZERO).await?;
    let built = built(&cx.services, &run).await?;
    Ok((run, built))
}

/// The place in a list that a cursor names.
fn place(cursor: Option<&str>) -> Result<usize, ServiceError> {
    match cursor {
        Some(cursor) => cursor.parse::<u32>().map(|place| place as usize).map_err(|_| no_cursor()),
        None => Ok(0),
    }
}
