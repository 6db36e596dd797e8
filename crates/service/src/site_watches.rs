//! Watches of sites: a run each day or week, and a mail of what broke since the one before.

mod alert;
mod answer;
mod pays;

use model::id::Owner;
use model::lang::{Text, text};
use model::time::{DAY_MS, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{
    DueSiteWatch, NewSiteWatch, SiteRunRecord, SiteState, SiteWatchChange, SiteWatchRecord, SiteWatching, StoreError,
};

use crate::caller::Cx;
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
use crate::job::Job;
use crate::services::Services;
use crate::sites::{self, SiteOptions, SitePlan, SiteRequest};
use crate::watches::slot_of;

pub(crate) use alert::{broken, troubled};
pub use answer::{SiteWatchAnswer, SiteWatchLast, SiteWatchLinks};
pub use pays::{SiteWatchPays, terms};
pub(crate) use pays::{TurnPays, pays};

use pays::{is_payable, named_credit};

/// Why a run did not begin: the limits of site audits left it no place.
pub(crate) const NO_PLACE: &str = "no_place";
/// Watches queued per round of the scheduler at most.
const QUEUED_AT_ONCE: u32 = 500;

/// How often a watch runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SiteWatchEvery")]
pub enum WatchInterval {
    /// Once a day.
    Daily,
    /// Once a week.
    Weekly,
}

impl WatchInterval {
    /// Days between two runs.
    pub fn days(self) -> u32 {
        match self {
            Self::Daily => 1,
            Self::Weekly => 7,
        }
    }

    fn of(days: u32) -> Self {
        if days == 1 { Self::Daily } else { Self::Weekly }
    }
}

/// Changes to a watch as they are sent; `None` for a field that is not.
#[derive(Debug, Clone, Default)]
pub struct SiteWatchEdit {
    /// How often it runs.
    pub every: Option<WatchInterval>,
    /// Whether it runs.
    pub on: Option<bool>,
    /// Maximum number of URLs to request.
    pub max_pages: Option<u32>,
    /// Maximum clicks from the first page.
    pub max_depth: Option<u32>,
    /// Patterns of addresses that are asked.
    pub include: Option<Vec<String>>,
    /// Patterns of addresses that are not.
    pub exclude: Option<Vec<String>>,
    /// Sitemaps besides those that the site names.
    pub sitemaps: Option<Vec<String>>,
    /// What a run spends of a credit at most.
    pub max_usd: Option<model::money::Micros>,
}

impl SiteWatchEdit {
    fn has_options(&self) -> bool {
        let has_limit = self.max_pages.is_some() || self.max_depth.is_some();
        has_limit || self.include.is_some() || self.exclude.is_some() || self.sitemaps.is_some()
    }

    /// An error where no field was sent.
    pub fn check(&self) -> Result<(), ServiceError> {
        const NOTHING: Text = text(
            "the body changes nothing: send every, on, max_pages, max_depth, include, exclude, sitemaps or max_usd",
            "o corpo não muda nada: envie every, on, max_pages, max_depth, include, exclude, sitemaps ou max_usd",
        );
        let is_any = self.every.is_some() || self.on.is_some() || self.max_usd.is_some() || self.has_options();
        if is_any { Ok(()) } else { Err(ServiceError::new(Code::InvalidBody).explained(NOTHING.into())) }
    }
}

/// Milliseconds between two runs of a watch.
fn period_ms(days: u32) -> i64 {
    i64::from(days) * DAY_MS
}

/// The next time that a watch runs, after `now`.
fn next_slot(id: &str, days: u32, now: Timestamp) -> Timestamp {
    slot_of(id, period_ms(days), now).plus_ms(period_ms(days))
}

/// The owner of a caller's watches; [`Code::AccountRequired`] for a guest.
pub fn owner(cx: &Cx) -> Result<Owner, ServiceError> {
    cx.caller.required_account()
}

/// Makes a watch. `first_run`: a run of the owner that the first one of the watch is compared with.
pub async fn add(
    cx: &Cx,
    owner: &Owner,
    plan: SitePlan,
    every: WatchInterval,
    first_run: Option<String>,
) -> Result<SiteWatchRecord, ServiceError> {
    let services = &cx.services;
    let credit = named_credit(cx)?;
    if !is_payable(cx, credit.is_some()) {
        const UNPAID: Text = text(
            "X-Credito: send a credit; scheduled audits don't use the free audits of a network",
            "X-Credito: envie um crédito; auditorias agendadas não usam as auditorias grátis de uma rede",
        );
        return Err(ServiceError::new(Code::CreditRequired).explained(UNPAID.into()));
    }
    let (id, now) = (services.ports().id(), services.ports().now());
    let watch = SiteWatchRecord {
        owner: owner.clone(),
        url: plan.url.into(),
        options: serde_json::to_string(&plan.options).map_err(sites::unwritten)?,
        days: every.days(),
        due_at: Some(next_slot(&id, every.days(), now)),
        created_at: now,
        credit,
        most: plan.most,
        problem: None,
        id,
    };
    let most_watches = services.config().limits.site_watches;
    let new = NewSiteWatch { watch: watch.clone(), first_run, most_watches };
    match services.database().write(|store| store.add_site_watch(new)).await? {
        SiteWatching::Done => Ok(watch),
        SiteWatching::TooMany => Err(ServiceError::new(Code::SiteWatchLimit)),
    }
}

/// Makes a watch that repeats a run of the caller, which the first one of the watch is compared with.
pub async fn repeat(cx: &Cx, run: &str, every: WatchInterval) -> Result<SiteWatchRecord, ServiceError> {
    let owner = owner(cx)?;
    let run = sites::read(cx, run, std::time::Duration::ZERO).await?;
    if run.owner != owner.to_string() {
        return Err(ServiceError::new(Code::SiteNotFound));
    }
    let plan = plan_of(&cx.services, &run.url, &run.options, &SiteWatchEdit::default())?;
    add(cx, &owner, SitePlan { most: run.most, ..plan }, every, Some(run.id)).await
}

/// The plan of stored options with changes.
fn plan_of(services: &Services, url: &str, options: &str, edit: &SiteWatchEdit) -> Result<SitePlan, ServiceError> {
    let options: SiteOptions = serde_json::from_str(options).map_err(sites::unwritten)?;
    let most_pages = services.config().limits.site_pages;
    let request = SiteRequest {
        url: url.to_owned(),
        assumes_https: options.assumes_https,
        // The operator may have lowered the limit since.
        max_pages: Some(edit.max_pages.unwrap_or(options.max_pages.min(most_pages))),
        max_depth: Some(edit.max_depth.unwrap_or(options.max_depth)),
        include: edit.include.clone().unwrap_or(options.include),
        exclude: edit.exclude.clone().unwrap_or(options.exclude),
        sitemaps: edit.sitemaps.clone().unwrap_or(options.sitemaps),
        max_usd: edit.max_usd,
    };
    request.plan(services)
}

/// Watches of an owner, oldest first, each with its last run.
pub async fn list(
    services: &Services,
    owner: &Owner,
) -> Result<Vec<(SiteWatchRecord, Option<SiteRunRecord>)>, ServiceError> {
    // The operator may have lowered the limit since.
    const MOST: u32 = 100;
    let most = services.config().limits.site_watches.max(MOST);
    let mut watches = Vec::new();
    for watch in services.database().ask(|store| store.site_watches_of(owner, most)).await? {
        let last = last_run(services, &watch.id).await?;
        watches.push((watch, last));
    }
    Ok(watches)
}

/// The newest run of a watch.
pub async fn last_run(services: &Services, watch: &str) -> Result<Option<SiteRunRecord>, ServiceError> {
    Ok(services.database().ask(|store| store.last_run_of_site_watch(watch)).await?)
}

/// Changes a watch of the caller; a credit that comes along pays from now on.
pub async fn change(cx: &Cx, owner: &Owner, id: &str, edit: SiteWatchEdit) -> Result<SiteWatchRecord, ServiceError> {
    let services = &cx.services;
    let watch = read(services, owner, id).await?;
    // Checked only where they change: a watch whose address is refused by now can still be switched off.
    let options = match edit.has_options() {
        true => Some(plan_of(services, &watch.url, &watch.options, &edit)?.options),
        false => None,
    };
    let options = options.map(|options| serde_json::to_string(&options)).transpose();
    let days = edit.every.map(WatchInterval::days);
    let due_at = match (edit.on.unwrap_or(watch.due_at.is_some()), days.unwrap_or(watch.days)) {
        (false, _) => None,
        // A watch that goes on as it was keeps its time.
        (true, days) if days == watch.days && watch.due_at.is_some() => watch.due_at,
        (true, days) => Some(next_slot(id, days, services.ports().now())),
    };
    let change = SiteWatchChange {
        options: options.map_err(sites::unwritten)?,
        days,
        due_at: Some(due_at).filter(|due_at| *due_at != watch.due_at),
        credit: named_credit(cx)?,
        most: edit.max_usd,
    };
    services.database().write(|store| store.change_site_watch(owner, id, change)).await.map_err(no_such_watch)?;
    read(services, owner, id).await
}

/// A watch of an owner.
pub async fn read(services: &Services, owner: &Owner, id: &str) -> Result<SiteWatchRecord, ServiceError> {
    let id = parsed_id(id)?;
    services.database().ask(|store| store.site_watch_of(owner, id)).await.map_err(no_such_watch)
}

/// Deletes a watch of an owner; its runs stay.
pub async fn delete(services: &Services, owner: &Owner, id: &str) -> Result<(), ServiceError> {
    let id = parsed_id(id)?;
    services.database().write(|store| store.delete_site_watch(owner, id)).await.map_err(no_such_watch)
}

/// Queues due watches: one job per watch and slot, however many servers schedule. Missed slots are not made up for; one run
/// follows now.
pub(crate) async fn queue_due(services: &Services, now: Timestamp) -> Result<(), StoreError> {
    let store = services.database().store();
    for due in store.due_site_watches(now, QUEUED_AT_ONCE).await? {
        let DueSiteWatch { watch, days, .. } = &due;
        let slot = slot_of(watch, period_ms(*days), now);
        let key = format!("site-watch:{watch}:{}", slot.0);
        let job = Job::BeginSiteWatch { watch: watch.clone(), slot: slot.0 }.queued(services.ports(), Some(key));
        let next = next_slot(watch, *days, now);
        store.queue_site_watch(due, next, job).await?;
    }
    Ok(())
}

/// Whether a run has something to compare with another: its site ended before the run did.
pub(crate) fn counts(run: &SiteRunRecord) -> bool {
    run.state == SiteState::Finished && run.reason.is_none() && run.audited > 0
}

/// An invalid id is "not found", without a query: some texts, such as NUL, can't be sent to PostgreSQL.
fn parsed_id(id: &str) -> Result<&str, ServiceError> {
    match uuid::Uuid::try_parse(id) {
        Ok(_) => Ok(id),
        Err(_) => Err(ServiceError::new(Code::SiteWatchNotFound)),
    }
}

fn no_such_watch(error: DatabaseError) -> ServiceError {
    match error {
        DatabaseError::NotFound => ServiceError::new(Code::SiteWatchNotFound),
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weekly_watch_runs_at_one_time_of_one_day() {
        let id = "0192f0c1-2345-7abc-8def-0123456789ab";
        let now = Timestamp(1_769_851_800_000);
        for every in [WatchInterval::Daily, WatchInterval::Weekly] {
            let days = every.days();
            let next = next_slot(id, days, now);
            assert!(now < next && next <= now.plus_ms(period_ms(days)), "{every:?}");
            assert_eq!(next_slot(id, days, next), next.plus_ms(period_ms(days)));
            assert_eq!(next_slot(id, days, next.plus_ms(-1)), next);
            assert_eq!(WatchInterval::of(days), every);
        }
    }
}
