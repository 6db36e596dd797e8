//! Runs over whole sites: begin one, read what it found, delete it.

use std::time::Duration;

use http::StatusCode;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::auth::Done;
use crate::operation::{Access, CSV, IntoReply, JsonAnswer, Operation, OtherForm, Reply, SARIF, WrittenJson};
use render::site_report::SiteReportFile;
use service::Services;
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::sites::{
    self, FindingList, FindingsWish, PageDetail, PageList, ReportForm, SiteOffer, SitePlan, SiteRequest, SiteRunAnswer,
    TemplateList,
};

/// Error codes of every call about one run.
const OF_A_RUN: &[Code] = &[Code::GuestTokenRequired, Code::SiteNotFound, Code::DatabaseUnavailable];
/// Error codes of every call about the report of a run.
const OF_A_REPORT: &[Code] = &[
    Code::GuestTokenRequired,
    Code::SiteNotFound,
    Code::SiteNotFinished,
    Code::InvalidParameter,
    Code::DatabaseUnavailable,
];
/// Made by this server of escaped texts, without scripts, and to be saved: never shown as one of its pages.
const HTML: OtherForm = OtherForm { name: "html", media_type: "text/html; charset=utf-8" };
const FORMS: &[OtherForm] =
    &[HTML, OtherForm { name: "csv", media_type: CSV }, OtherForm { name: "sarif", media_type: SARIF }];

/// The endpoints of this file.
// Long, as it is a table: an entry for each endpoint.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/sites", "audit_site", begin)
            .text(
                "Audit a whole site",
                "Begins a run: crawls the site from `url`, its sitemaps and its links, audits every page, and reports \
                 problems that span pages: broken links with their sources, duplicates, orphan pages. Problems of a \
                 template are listed once. robots.txt is obeyed. Takes minutes; poll with `GET /api/sites/{id}?wait=25`. Each \
                 audited page uses one free audit; after that it costs the price of an audit, paid from the credit in \
                 `X-Credito`, at most `max_usd`. Addresses without an HTML page cost nothing. When neither is left the \
                 run ends with a report of what it has. `dry_run` only tells the price.\n\nExample: `{\"url\": \"https://example.com/\", \"max_pages\": 200}`",
            )
            .or_answers(StatusCode::OK, "With `dry_run`: what a run would cost. Nothing was begun.")
            .access(Access::Owner)
            .reaches_out()
            .check(|services: &Services, input: &BeginRequest| input.plan(services).map(drop))
            .errors(&[
                Code::GuestTokenRequired,
                Code::InvalidUrl,
                Code::AddressNotAllowed,
                Code::AllowanceSpent,
                Code::CreditPending,
                Code::CreditRefused,
                Code::CreditWithoutValue,
                Code::CrawlerNotAllowed,
                Code::SiteLimit,
                Code::TargetBusy,
                Code::RateLimited,
                Code::DatabaseUnavailable,
            ]),
        Operation::get("/api/sites", "list_sites", list)
            .text("List your site audits", "Your runs over sites, newest first, 50 at a time.")
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::InvalidParameter, Code::DatabaseUnavailable]),
        Operation::get("/api/sites/{id}", "get_site", read)
            .text(
                "Get a site audit",
                "State, progress, spending and, once it is finished, score and figures of a run over a site. `wait` holds \
                 the answer for at most 25 seconds, until the run has ended.",
            )
            .access(Access::Owner)
            .errors(OF_A_RUN),
        Operation::get("/api/sites/{id}/findings", "list_site_findings", findings)
            .text(
                "List the findings of a site audit",
                "Each told once, the most severe first, then by `gain`, in points. `code` selects one, with up to 1,000 addresses.",
            )
            .access(Access::Owner)
            .errors(OF_A_REPORT),
        Operation::get("/api/sites/{id}/templates", "list_site_templates", templates)
            .text(
                "List the templates of a site audit",
                "Groups of pages with the same markup, the largest first, 50 at a time: their score, what fixing them gains, \
                 and the codes of the findings that are fixed in them.",
            )
            .without_tool()
            .access(Access::Owner)
            .errors(OF_A_REPORT),
        Operation::get("/api/sites/{id}/pages", "list_site_pages", pages)
            .text(
                "List the pages of a site audit",
                "Addresses that are done, in the order in which they were found, 100 at a time, also while the run goes on.",
            )
            .without_tool()
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::SiteNotFound, Code::InvalidParameter, Code::DatabaseUnavailable]),
        Operation::get("/api/sites/{id}/pages/{number}", "get_site_page", page)
            .text(
                "Get a page of a site audit",
                "Findings and fixes of one page, by its `number`.",
            )
            .access(Access::Owner)
            .errors(&[
                Code::GuestTokenRequired,
                Code::SiteNotFound,
                Code::SitePageNotFound,
                Code::InvalidParameter,
                Code::DatabaseUnavailable,
            ]),
        Operation::get("/api/sites/{id}/report", "get_site_report", report)
            .text(
                "Get the report of a site audit",
                "The whole report as the command line writes it: `json`, `html` (one page without scripts), `sarif` for code \
                 scanning, or `csv`, the table of pages. For a run of a watch, `json`, `html` and `sarif` have what changed since the \
                 run before. It may have megabytes: programs that read a part use the lists.",
            )
            .also_as(FORMS)
            .without_tool()
            .access(Access::Owner)
            .errors(OF_A_REPORT),
        Operation::delete("/api/sites/{id}", "delete_site", delete)
            .text(
                "Delete a site audit",
                "Stops the run and deletes it with its pages. What was spent stays spent.",
            )
            .access(Access::Owner)
            .errors(OF_A_RUN),
    ]
}

/// Which site, and how much of it.
#[derive(Debug, Deserialize, JsonSchema)]
struct BeginRequest {
    /// Address of the first page: absolute http or https URL, at most 2,048 bytes.
    url: String,
    /// Maximum number of URLs to request; 1,000 by default, or the server's own limit.
    #[serde(default)]
    #[schemars(range(min = 1))]
    max_pages: Option<u32>,
    /// Maximum clicks from the first page.
    #[serde(default)]
    #[schemars(range(max = 1000), extend("default" = 1000))]
    max_depth: Option<u32>,
    /// Regular expressions; only URLs that match one are requested; at most 20 of at most 200 characters.
    #[serde(default)]
    include: Vec<String>,
    /// Regular expressions; URLs that match one are skipped; at most 20 of at most 200 characters.
    #[serde(default)]
    exclude: Vec<String>,
    /// Sitemaps besides those that the site names; at most 10.
    #[serde(default)]
    sitemaps: Vec<String>,
    /// Maximum amount in USD to take from the credit; all of it by default.
    #[serde(default)]
    #[schemars(range(min = 0))]
    max_usd: Option<f64>,
    /// Only tell what it would cost.
    #[serde(default)]
    dry_run: bool,
}

impl BeginRequest {
    fn plan(&self, services: &Services) -> Result<SitePlan, ServiceError> {
        let request = SiteRequest {
            url: self.url.clone(),
            assumes_https: false,
            max_pages: self.max_pages,
            max_depth: self.max_depth,
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            sitemaps: self.sitemaps.clone(),
            max_usd: self.max_usd.map(sites::dollars).transpose()?,
        };
        request.plan(services)
    }
}

/// A run that began, or would.
#[derive(Debug, Serialize, JsonSchema)]
struct SiteStarted {
    /// Always true.
    ok: bool,
    /// The run; null with `dry_run`.
    site: Option<SiteRunAnswer>,
    offer: SiteOffer,
}

impl IntoReply for SiteStarted {
    const STATUS: StatusCode = StatusCode::ACCEPTED;

    fn reply(self) -> Result<Reply, ServiceError> {
        let status = if self.site.is_some() { Self::STATUS } else { StatusCode::OK };
        Ok(Reply { status, ..WrittenJson::plain(&self)?.reply()? })
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        JsonAnswer::<Self>::describe(generator)
    }
}

async fn begin(cx: Cx, input: BeginRequest) -> Result<SiteStarted, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let plan = input.plan(&cx.services)?;
    if input.dry_run {
        return Ok(SiteStarted { ok: true, site: None, offer: sites::offer(&cx, &plan).await? });
    }
    let begun = sites::begin(&cx, &owner, plan).await?;
    let site = SiteRunAnswer::of(&cx.services, &begun.run, cx.lang)?;
    Ok(SiteStarted { ok: true, site: Some(site), offer: begun.offer })
}

/// Which part of the list.
#[derive(Debug, Deserialize, JsonSchema)]
struct ListRequest {
    /// The `cursor` of the previous answer.
    #[serde(default)]
    cursor: Option<String>,
}

/// Runs over sites.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SiteRuns")]
struct SiteList {
    sites: Vec<SiteRunAnswer>,
    /// Leads to the next ones; null at the end.
    cursor: Option<String>,
}

async fn list(cx: Cx, input: ListRequest) -> Result<WrittenJson<SiteList>, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let runs = sites::list(&cx.services, &owner, input.cursor.as_deref()).await?;
    let answers = runs.runs.iter().map(|run| SiteRunAnswer::of(&cx.services, run, cx.lang));
    WrittenJson::spoken(&SiteList { sites: answers.collect::<Result<_, _>>()?, cursor: runs.cursor })
}

/// Which run, and how long to wait.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReadRequest {
    /// Id of the run.
    id: String,
    /// Seconds to wait for the end of the run, 0 to 25; more is 25.
    #[serde(default)]
    #[schemars(range(max = 25), extend("default" = 0))]
    wait: Option<u32>,
}

async fn read(cx: Cx, input: ReadRequest) -> Result<WrittenJson<SiteRunAnswer>, ServiceError> {
    let wait = Duration::from_secs(input.wait.unwrap_or_default().into());
    let run = sites::read(&cx, &input.id, wait).await?;
    WrittenJson::spoken(&SiteRunAnswer::whole(&cx.services, &run, cx.lang)?)
}

/// Which run, and which part of its list.
#[derive(Debug, Deserialize, JsonSchema)]
struct PartRequest {
    /// Id of the run.
    id: String,
    /// The `cursor` of the previous answer.
    #[serde(default)]
    cursor: Option<String>,
}

async fn pages(cx: Cx, input: PartRequest) -> Result<WrittenJson<PageList>, ServiceError> {
    WrittenJson::plain(&sites::pages(&cx, &input.id, input.cursor.as_deref()).await?)
}

async fn templates(cx: Cx, input: PartRequest) -> Result<WrittenJson<TemplateList>, ServiceError> {
    WrittenJson::plain(&sites::templates(&cx, &input.id, input.cursor.as_deref()).await?)
}

/// Which page of which run.
#[derive(Debug, Deserialize, JsonSchema)]
struct PageRequest {
    /// Id of the run.
    id: String,
    /// The page's `number` in the run.
    number: u32,
}

async fn page(cx: Cx, input: PageRequest) -> Result<WrittenJson<PageDetail>, ServiceError> {
    let detail = sites::page(&cx, &input.id, input.number, cx.lang).await?;
    WrittenJson::speaking(move || Ok(detail)).await
}

/// Which findings of which run.
#[derive(Debug, Deserialize, JsonSchema)]
struct FindingsRequest {
    /// Id of the run.
    id: String,
    /// Only the findings of this code, with all addresses that are kept.
    #[serde(default)]
    code: Option<String>,
    /// The `cursor` of the previous answer.
    #[serde(default)]
    cursor: Option<String>,
}

async fn findings(cx: Cx, input: FindingsRequest) -> Result<WrittenJson<FindingList>, ServiceError> {
    let wish = FindingsWish { code: input.code, ..FindingsWish::default() };
    let list = sites::findings(&cx, &input.id, wish, input.cursor.as_deref()).await?;
    WrittenJson::speaking(move || Ok(list)).await
}

/// Which report, and how.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReportRequest {
    /// Id of the run.
    id: String,
    /// The form of the report; `json` by default.
    #[serde(default)]
    format: Option<SiteReportFormat>,
}

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SiteReportFormat {
    Json,
    Html,
    Csv,
    Sarif,
}

/// A report in one of its forms.
#[derive(Debug)]
struct WrittenReport {
    media_type: &'static str,
    text: String,
}

impl IntoReply for WrittenReport {
    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply { media_type: self.media_type, speaks: true, ..Reply::json(self.text.into()) })
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        JsonAnswer::<SiteReportFile>::describe(generator)
    }
}

async fn report(cx: Cx, input: ReportRequest) -> Result<WrittenReport, ServiceError> {
    let (form, media_type) = match input.format.unwrap_or(SiteReportFormat::Json) {
        SiteReportFormat::Json => (ReportForm::Json, Reply::JSON),
        SiteReportFormat::Html => (ReportForm::Html, HTML.media_type),
        SiteReportFormat::Csv => (ReportForm::Csv, CSV),
        SiteReportFormat::Sarif => (ReportForm::Sarif, SARIF),
    };
    Ok(WrittenReport { media_type, text: sites::document(&cx, &input.id, form).await? })
}

/// Which run.
#[derive(Debug, Deserialize, JsonSchema)]
struct RunPath {
    /// Id of the run.
    id: String,
}

async fn delete(cx: Cx, input: RunPath) -> Result<JsonAnswer<Done>, ServiceError> {
    sites::delete(&cx.services, &cx.caller.required_owner()?, &input.id).await?;
    Ok(JsonAnswer::new(Done::OK))
}
