//! Site audits: price, start, read, list, delete. The jobs in `jobs::run_site` request the pages.

mod answer;
pub(crate) mod built;
mod found;
mod offer;
mod plan;
mod reading;

use std::time::Duration;

use model::account::Assurance;
use model::id::Owner;
use model::lang::{Text, text};
use store::{NewSiteRun, SiteRefusal, SiteRunLimits, SiteRunRecord, SiteState};
use tokio::time::Instant;

use crate::audits;
use crate::caller::{Cx, Identity};
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
use crate::gate;
use crate::job::Job;
use crate::services::Services;
use crate::x402::{CallPayment, PaymentHeaders};

pub use answer::{SiteFigures, SiteProgress, SiteRunAnswer, SiteRunChanges, SiteRunLinks, SiteRunStatus, SiteSpending};
pub(crate) use answer::{changes_of, why};
pub use found::SiteFindingListed;
pub use offer::SiteOffer;
pub(crate) use plan::SEATS;
pub use plan::{MOST_DEPTH, SiteOptions, SitePlan, SiteRequest, dollars};
pub use reading::{
    FindingList, FindingsWish, PageDetail, PageList, PageListed, ReportForm, SiteCharts, TemplateList, charts,
    document, findings, page, page_number, pages, templates,
};
pub use render::site_report::SiteChangeListed;

/// Runs in one answer.
const LIST_PAGE: u32 = 50;
/// Seconds until a caller may retry while as many runs run as may.
const BUSY_RETRY: u32 = 60;
/// What is counted per network and hour.
const WHAT: &str = "site";

/// A run that began.
#[derive(Debug)]
pub struct SiteBegun {
    /// The run.
    pub run: SiteRunRecord,
    /// What it costs.
    pub offer: SiteOffer,
}

/// Runs, newest first.
#[derive(Debug)]
pub struct SiteRuns {
    /// The runs.
    pub runs: Vec<SiteRunRecord>,
    /// Leads to the next ones.
    pub cursor: Option<String>,
}

/// The caller with the credit that their browser keeps as the means to pay, as forms have no header for one.
pub async fn with_kept_credit(mut cx: Cx) -> Result<Cx, ServiceError> {
    let headers = PaymentHeaders { credit: cx.caller.credit.as_deref(), signed: Vec::new(), key: None };
    // A credit that is gone pays nothing, and the form says what is left.
    cx.payment = match CallPayment::parse(cx.services.database(), &headers, false).await {
        Err(error) if error.code == Code::InvalidCredential => CallPayment::default(),
        parsed => parsed?,
    };
    Ok(cx)
}

/// What a run would cost. Nothing is begun or spent.
pub async fn offer(cx: &Cx, plan: &SitePlan) -> Result<SiteOffer, ServiceError> {
    Ok(offer::payable(cx, plan).await?.offer)
}

/// Begins a run.
pub async fn begin(cx: &Cx, owner: &Owner, plan: SitePlan) -> Result<SiteBegun, ServiceError> {
    let (services, ports) = (&cx.services, cx.services.ports());
    gate::admit_audit(services, cx.caller.network, cx.caller.is_crawler)?;
    let payable = offer::payable(cx, &plan).await?;
    if payable.offer.payable_pages == 0 {
        return Err(offer::unpayable(payable.pays.as_ref()));
    }
    let limits = services.config().limits;
    let target = services.concurrency().target(&plan.url);
    if let Some(target) = &target {
        let (what, per_hour) = (format!("{WHAT} {target}"), limits.site_runs_per_target_hour);
        let spent = services.allowance().spend_hourly(services.database(), ports, cx.caller.network, &what, per_hour);
        spent.await.map_err(audits::too_many_of_target)?;
    }
    let bucket = services.allowance().hourly_bucket(services.database(), ports, cx.caller.network, WHAT).await?;
    let id = ports.id();
    let new = NewSiteRun {
        id: id.clone(),
        owner: owner.clone(),
        url: plan.url.into(),
        target,
        options: serde_json::to_string(&plan.options).map_err(unwritten)?,
        created_at: ports.now(),
        program: program(),
        watch: None,
        // In the transaction of the run: a run that is refused starts no trial.
        trial: gate::untouched_trial(&cx.caller),
        pays: payable.pays,
        job: Job::RunSite { run: id.clone(), seat: 0 }.queued(ports, Some(seat_key(&id, 0))),
        limits: SiteRunLimits {
            of_owner: limits.site_runs,
            of_all: limits.site_runs_at_once,
            of_target: limits.site_runs_per_target,
            per_hour: Some((limits.site_runs_per_hour, bucket)),
        },
    };
    let begun = services.database().write(async |store| match store.begin_site(new).await {
        Err(SiteRefusal::Failed(error)) => Err(error),
        other => Ok(other),
    });
    begun.await?.map_err(refused)?;
    tracing::info!(site_run.id = %id, pages = plan.options.max_pages, "a run over a site began");
    let run = services.database().ask(|store| store.site_run_of(owner, &id)).await.map_err(no_such_run)?;
    Ok(SiteBegun { run, offer: payable.offer })
}

/// The versions of the program, of its catalog and of its facts: pages that another one judged are judged again.
pub(crate) fn program() -> String {
    format!("{} {} {}", env!("CARGO_PKG_VERSION"), audit::report::CATALOG_VERSION, site::FACTS_VERSION)
}

/// The versions of the catalog and of the facts in what [`program`] says.
pub(crate) fn catalog_of(program: &str) -> Option<&str> {
    program.split_once(' ').map(|(_, catalog)| catalog)
}

/// The unique key of the job of a seat.
pub(crate) fn seat_key(run: &str, seat: u32) -> String {
    format!("site:{run}:{seat}")
}

fn refused(refusal: SiteRefusal) -> ServiceError {
    match refusal {
        SiteRefusal::OwnerBusy => ServiceError::new(Code::SiteLimit).retry_after(BUSY_RETRY),
        SiteRefusal::Busy => ServiceError::new(Code::Overloaded).retry_after(BUSY_RETRY),
        SiteRefusal::TargetBusy => ServiceError::new(Code::TargetBusy).retry_after(BUSY_RETRY),
        SiteRefusal::RateLimited { retry_after_s } => ServiceError::new(Code::RateLimited).retry_after(retry_after_s),
        // Answered before.
        SiteRefusal::Over | SiteRefusal::Failed(_) => ServiceError::new(Code::Internal),
    }
}

pub(crate) fn unwritten(error: serde_json::Error) -> ServiceError {
    tracing::error!(%error, "a run over a site could not be written");
    ServiceError::new(Code::Internal)
}

/// Runs of an owner, newest first, those after `cursor`.
pub async fn list(services: &Services, owner: &Owner, cursor: Option<&str>) -> Result<SiteRuns, ServiceError> {
    let cursor = cursor.map(|cursor| parsed_id(cursor).map_err(|_| no_cursor())).transpose()?;
    let read = services.database().ask(|store| store.site_runs_of(owner, cursor, LIST_PAGE + 1)).await;
    let mut runs = read?;
    let is_more = runs.len() > LIST_PAGE as usize;
    runs.truncate(LIST_PAGE as usize);
    let cursor = runs.last().filter(|_| is_more).map(|run| run.id.clone());
    Ok(SiteRuns { runs, cursor })
}

/// The refusal of a cursor of another list.
fn no_cursor() -> ServiceError {
    const NO_PLACE: Text = text("cursor: is not a cursor of this list", "cursor: não é um cursor desta lista");
    ServiceError::new(Code::InvalidParameter).explained(NO_PLACE.into())
}

/// A run that the caller may read, once it has ended or `wait`, at most 25 seconds, is over.
pub async fn read(cx: &Cx, id: &str, wait: Duration) -> Result<SiteRunRecord, ServiceError> {
    let deadline = crate::waiting::deadline(wait);
    let mut run = readable(cx, id).await?;
    let awaited = [run.id.clone()];
    // What is seen may be older than the run, so the row decides.
    while run.state == SiteState::Running && Instant::now() < deadline {
        if !cx.services.sites().waiting.for_one_of(&awaited, cx.services.database(), deadline).await {
            return readable(cx, id).await;
        }
        run = readable(cx, id).await?;
    }
    Ok(run)
}

/// A run of the caller's or, for a session, of an organization of theirs.
async fn readable(cx: &Cx, id: &str) -> Result<SiteRunRecord, ServiceError> {
    let (owner, id, database) = (cx.caller.required_owner()?, parsed_id(id)?, cx.services.database());
    match (database.ask(|store| store.site_run_of(&owner, id)).await, &cx.caller.identity) {
        (Err(DatabaseError::NotFound), Identity::Session(session)) => {
            let has_factor = session.assurance >= Assurance::Aal2;
            let found = database.ask(|store| store.site_run_of_member(&session.account, has_factor, id)).await;
            found.map_err(no_such_run)
        }
        (found, _) => found.map_err(no_such_run),
    }
}

/// Stops a run of an owner, where it runs, and deletes it.
pub async fn delete(services: &Services, owner: &Owner, id: &str) -> Result<(), ServiceError> {
    let id = parsed_id(id)?;
    services.database().write(|store| store.delete_site(owner, id)).await.map_err(no_such_run)?;
    services.sites().forget(id);
    services.sites().waiting.look(services.database()).await;
    Ok(())
}

/// Answers all callers who wait for the end of a run: the server stops.
pub fn end_waits(services: &Services) {
    services.sites().waiting.end();
}

/// An invalid id is "not found", without a query: some texts, such as NUL, can't be sent to PostgreSQL.
fn parsed_id(id: &str) -> Result<&str, ServiceError> {
    match uuid::Uuid::try_parse(id) {
        Ok(_) => Ok(id),
        Err(_) => Err(ServiceError::new(Code::SiteNotFound)),
    }
}

fn no_such_run(error: DatabaseError) -> ServiceError {
    match error {
        DatabaseError::NotFound => ServiceError::new(Code::SiteNotFound),
        other => other.into(),
    }
}
