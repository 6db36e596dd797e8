//! A run over a site as it is answered.

use model::lang::{Lang, Text, text};
use model::money::Micros;
use model::time::Timestamp;
use render::site_report::SiteChangeListed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use site::ChangeSummary;
use store::{SiteRunRecord, SiteState};

use super::plan::SiteOptions;
use super::unwritten;
use crate::error::{Code, ServiceError};
use crate::services::Services;

/// A run over a site.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SiteRun")]
pub struct SiteRunAnswer {
    /// Its id.
    pub id: String,
    /// Who may delete it; members of an organization only read its runs.
    #[serde(skip)]
    #[schemars(skip)]
    pub owner: String,
    /// Address of the first page.
    pub url: String,
    /// Its state.
    pub status: SiteRunStatus,
    /// Why it ended before its site did, or failed: `allowance_spent`, `credit_spent`, `max_usd`, `robots_unreachable`,
    /// `interrupted`, or the error code of an audit; null otherwise.
    pub reason: Option<String>,
    /// The same in words.
    pub message: Option<String>,
    /// When it began.
    pub created_at: Timestamp,
    /// When it ended; null while it runs.
    pub ended_at: Option<Timestamp>,
    /// How far it is.
    pub progress: SiteProgress,
    /// What it has spent.
    pub spending: SiteSpending,
    /// Maximum number of URLs to request.
    pub max_pages: u32,
    /// Maximum clicks from the first page.
    pub max_depth: u32,
    /// What it found; null while it runs, and where it failed.
    pub figures: Option<SiteFigures>,
    /// The watch that it is of; null for a run that was asked for.
    pub watch: Option<String>,
    /// What changed since the run before of its watch; null in lists, and where the two were not compared.
    pub changes: Option<SiteRunChanges>,
    /// Absolute addresses.
    #[serde(rename = "_links")]
    pub links: SiteRunLinks,
}

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SiteRunStatus {
    /// Its pages are being audited.
    Running,
    /// It has a report.
    Finished,
    /// It has none.
    Failed,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SiteProgress")]
pub struct SiteProgress {
    /// Addresses that are done.
    pub done: u32,
    /// Addresses that are known and not done.
    pub left: u32,
    /// URLs without a response or with a 5xx.
    pub failed: u32,
    /// Pages that were audited.
    pub audited: u32,
}

/// What a run has spent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SiteSpending")]
pub struct SiteSpending {
    /// Free audits.
    pub free_audits: u32,
    /// Dollars of the credit.
    pub usd: Micros,
    /// Dollars of the credit at most, where the caller named a limit.
    pub max_usd: Option<Micros>,
}

/// Figures of a finished run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SiteFigures")]
pub struct SiteFigures {
    /// Score of the site, 0 to 100; null where no page was audited.
    pub score: Option<u32>,
    /// Whether the limits of the run left nothing out.
    pub complete: bool,
    /// Findings of the site and causes of findings of its pages that are errors.
    pub errors: u32,
    /// The same of warnings.
    pub warnings: u32,
    /// The same of notes.
    pub notes: u32,
    /// Templates.
    pub templates: u32,
}

/// Findings of two runs of a watch compared, each once for each template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SiteRunChanges")]
pub struct SiteRunChanges {
    /// The run before.
    pub since: String,
    /// Findings that are new, the most severe first.
    pub broke: Vec<SiteChangeListed>,
    /// Findings that are gone, the most severe first.
    pub fixed: Vec<SiteChangeListed>,
    /// Findings of both runs, the most severe first.
    pub still: Vec<SiteChangeListed>,
    /// Findings beyond the first hundred of each, which are left out.
    pub left_out: usize,
}

/// Absolute addresses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SiteRunLinks")]
pub struct SiteRunLinks {
    /// This run.
    #[serde(rename = "self")]
    pub this: String,
    /// This run, once it has ended or after 25 seconds.
    pub poll: String,
    /// Its pages.
    pub pages: String,
    /// Its findings.
    pub findings: String,
    /// Its templates.
    pub templates: String,
    /// Its report.
    pub report: String,
}

impl SiteRunAnswer {
    /// A run in the language of its reader.
    pub fn of(services: &Services, run: &SiteRunRecord, lang: Lang) -> Result<Self, ServiceError> {
        let options: SiteOptions = serde_json::from_str(&run.options).map_err(unwritten)?;
        let figures = run.figures.as_deref().map(serde_json::from_str).transpose().map_err(unwritten)?;
        let this = services.url(&format!("/api/sites/{}", run.id));
        let below = |path: &str| format!("{this}{path}");
        Ok(Self {
            id: run.id.clone(),
            owner: run.owner.clone(),
            url: run.url.clone(),
            status: run.state.into(),
            message: run.reason.as_deref().map(|reason| why(reason).in_lang(lang).to_owned()),
            reason: run.reason.clone(),
            created_at: run.created_at,
            ended_at: run.ended_at,
            progress: SiteProgress {
                done: run.done,
                left: run.found.saturating_sub(run.done),
                failed: run.failed,
                audited: run.audited,
            },
            spending: SiteSpending { free_audits: run.free_audits, usd: run.spent, max_usd: run.most },
            max_pages: options.max_pages,
            max_depth: options.max_depth,
            figures,
            watch: run.watch.clone(),
            changes: None,
            links: SiteRunLinks {
                poll: below("?wait=25"),
                pages: below("/pages"),
                findings: below("/findings"),
                templates: below("/templates"),
                report: below("/report"),
                this,
            },
        })
    }
}

impl SiteRunAnswer {
    /// A run with what changed since the one before of its watch.
    pub fn whole(services: &Services, run: &SiteRunRecord, lang: Lang) -> Result<Self, ServiceError> {
        let changes = changes_of(run)?.zip(run.before.clone());
        let changes = changes.map(|(changes, since)| SiteRunChanges {
            since,
            broke: SiteChangeListed::all_of(&changes.broke, lang),
            fixed: SiteChangeListed::all_of(&changes.fixed, lang),
            still: SiteChangeListed::all_of(&changes.still, lang),
            left_out: changes.left_out,
        });
        Ok(Self { changes, ..Self::of(services, run, lang)? })
    }
}

impl From<SiteState> for SiteRunStatus {
    fn from(state: SiteState) -> Self {
        match state {
            SiteState::Running => Self::Running,
            SiteState::Finished => Self::Finished,
            SiteState::Failed => Self::Failed,
        }
    }
}

/// What changed since the run before, where the two were compared.
pub(crate) fn changes_of(run: &SiteRunRecord) -> Result<Option<ChangeSummary>, ServiceError> {
    run.changes.as_deref().map(serde_json::from_str).transpose().map_err(unwritten)
}

/// Why a run ended early or failed, in words.
pub(crate) fn why(reason: &str) -> Text {
    const ALLOWANCE: Text = text(
        "The free audits of the day were used up. The report covers the pages audited until then.",
        "As auditorias grátis do dia acabaram. O relatório cobre as páginas auditadas até então.",
    );
    const CREDIT: Text = text(
        "The credit was used up. The report covers the pages audited until then.",
        "O crédito acabou. O relatório cobre as páginas auditadas até então.",
    );
    const MOST: Text = text(
        "The spending limit of the audit was reached. The report covers the pages audited until then.",
        "O limite de gasto da auditoria foi atingido. O relatório cobre as páginas auditadas até então.",
    );
    const ROBOTS: Text = text(
        "robots.txt could not be fetched, so nothing was crawled. Try again later.",
        "Não foi possível buscar o robots.txt, por isso nada foi rastreado. Tente de novo mais tarde.",
    );
    const INTERRUPTED: Text = text(
        "The audit failed because of an error on our side. Start it again.",
        "A auditoria falhou por um erro nosso. Inicie-a de novo.",
    );
    match reason {
        "allowance_spent" => ALLOWANCE,
        "credit_spent" => CREDIT,
        "max_usd" => MOST,
        "robots_unreachable" => ROBOTS,
        "interrupted" => INTERRUPTED,
        other => {
            let code = Code::ALL.iter().find(|code| code.wire() == other);
            code.copied().unwrap_or(Code::Internal).sentence()
        }
    }
}
