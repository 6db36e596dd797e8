//! A watch of a site as it is answered.

use model::lang::{Text, text};
use model::money::Micros;
use model::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use store::{SiteRunRecord, SiteWatchRecord};

use super::WatchInterval;
use super::pays::{SiteWatchPays, most_of, payer};
use crate::caller::Cx;
use crate::config::Sku;
use crate::error::{Code, ServiceError};
use crate::sites::{self, SiteFigures, SiteOptions, SiteRunStatus};

/// A watch of a site.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SiteWatch")]
pub struct SiteWatchAnswer {
    /// Its id.
    pub id: String,
    /// Address of the first page.
    pub url: String,
    /// How often it runs.
    pub every: WatchInterval,
    /// Whether it runs.
    pub on: bool,
    /// When the next run begins; null while it is off.
    pub next_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Maximum number of URLs that a run requests.
    pub max_pages: u32,
    /// Maximum clicks from the first page.
    pub max_depth: u32,
    /// What pays its runs.
    pub paid_by: SiteWatchPays,
    /// Price of a page; 0 where nothing has to be paid.
    pub price_usd: Micros,
    /// Maximum amount in USD that a run takes from the credit; 0 where it takes none.
    pub most_usd: Micros,
    /// Why the last run did not begin or failed: `credit_required`, `insufficient_credit`, `no_place`, or the `reason` of a
    /// run; null otherwise.
    pub problem: Option<String>,
    /// The same in words.
    pub message: Option<String>,
    /// Its newest run; null before the first.
    pub last: Option<SiteWatchLast>,
    /// Absolute addresses.
    #[serde(rename = "_links")]
    pub links: SiteWatchLinks,
}

/// The newest run of a watch.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SiteWatchLast {
    /// Its id, for `GET /api/sites/{id}`.
    pub id: String,
    /// Its state.
    pub status: SiteRunStatus,
    /// When it began.
    pub created_at: Timestamp,
    /// Score of the site; null while it runs, and where it has none.
    pub score: Option<u32>,
    /// Findings that are new since the run before, by code and template; null where the two were not compared.
    pub broke: Option<usize>,
    /// Findings that are gone since the run before, in the same way.
    pub fixed: Option<usize>,
}

/// Absolute addresses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SiteWatchLinks {
    /// This watch.
    #[serde(rename = "self")]
    pub this: String,
    /// The newest run; null before the first.
    pub last: Option<String>,
}

impl SiteWatchAnswer {
    /// A watch of the caller with its newest run.
    pub fn of(cx: &Cx, watch: &SiteWatchRecord, last: Option<&SiteRunRecord>) -> Result<Self, ServiceError> {
        let (services, lang) = (&cx.services, cx.lang);
        let options: SiteOptions = serde_json::from_str(&watch.options).map_err(sites::unwritten)?;
        let paid_by = payer(cx, watch.credit.is_some());
        let (price, most) = match (paid_by, watch.credit.is_some()) {
            (SiteWatchPays::Nothing, _) => (Micros(0), Micros(0)),
            (_, false) => (services.config().prices.of(Sku::Audit), Micros(0)),
            (_, true) => (services.config().prices.of(Sku::Audit), most_of(services, options.max_pages, watch.most)),
        };
        Ok(Self {
            id: watch.id.clone(),
            url: watch.url.clone(),
            every: WatchInterval::of(watch.days),
            on: watch.due_at.is_some(),
            next_at: watch.due_at,
            created_at: watch.created_at,
            max_pages: options.max_pages,
            max_depth: options.max_depth,
            paid_by,
            price_usd: price,
            most_usd: most,
            message: watch.problem.as_deref().map(|problem| why(problem).in_lang(lang).to_owned()),
            problem: watch.problem.clone(),
            last: last.map(SiteWatchLast::of).transpose()?,
            links: SiteWatchLinks {
                this: services.url(&format!("/api/site-watches/{}", watch.id)),
                last: last.map(|run| services.url(&format!("/api/sites/{}", run.id))),
            },
        })
    }
}

impl SiteWatchLast {
    fn of(run: &SiteRunRecord) -> Result<Self, ServiceError> {
        let figures: Option<SiteFigures> =
            run.figures.as_deref().map(serde_json::from_str).transpose().map_err(sites::unwritten)?;
        let changes = sites::changes_of(run)?;
        Ok(Self {
            id: run.id.clone(),
            status: run.state.into(),
            created_at: run.created_at,
            score: figures.and_then(|figures| figures.score),
            broke: changes.as_ref().map(|changes| changes.broke.len()),
            fixed: changes.as_ref().map(|changes| changes.fixed.len()),
        })
    }
}

/// Why a run of a watch did not begin or failed, in words.
pub(super) fn why(problem: &str) -> Text {
    const NO_CREDIT: Text = text(
        "The last audit did not start: audits have a price on this server, and the watch has no credit that can pay. Add a credit to the watch.",
        "A última auditoria não começou: neste servidor as auditorias são pagas, e o monitoramento não tem crédito disponível. Adicione um crédito ao monitoramento.",
    );
    const TOO_LITTLE: Text = text(
        "The last audit did not start: the credit of the watch, or its spending limit, is below the price of one page. Add credit, or raise the limit.",
        "A última auditoria não começou: o crédito do monitoramento, ou o limite de gasto dele, é menor que o preço de uma página. Adicione crédito ou aumente o limite.",
    );
    const NO_PLACE: Text = text(
        "The last audit did not start: the server was running as many site audits as it can until the next one was due.",
        "A última auditoria não começou: o servidor estava no limite de auditorias de sites simultâneas até a hora da seguinte.",
    );
    match problem {
        problem if problem == Code::CreditRequired.wire() => NO_CREDIT,
        problem if problem == Code::InsufficientCredit.wire() => TOO_LITTLE,
        super::NO_PLACE => NO_PLACE,
        reason => sites::why(reason),
    }
}
