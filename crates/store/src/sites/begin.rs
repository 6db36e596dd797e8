//! The beginning of a run, within its limits.

use model::id::{AccountId, Owner};
use model::money::Micros;
use model::time::{Day, Timestamp};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::counts;
use crate::columns::signed;
use crate::error::StoreError;
use crate::jobs::{JobLease, NewJob};
use crate::quotas::{HourlySpend, OnTheHour};
use crate::statement::of_id;
use crate::store::Store;
use crate::transaction::Transaction;

/// Key of the counter of all networks together.
const EVERYBODY: &str = "";
/// What is counted.
const SKU: &str = "site";

/// What pays the pages of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePays {
    /// Price of a page.
    pub price: Micros,
    /// What the run spends at most.
    pub most: Option<Micros>,
    /// The credit that pays pages beyond the free audits.
    pub credit: Option<String>,
    /// Keys of the counters of free audits, of the network and of the wider one; `None` where free audits pay nothing.
    pub networks: Option<(String, String)>,
    /// The day whose free audits are used.
    pub day: Day,
}

/// A run to begin.
#[derive(Debug, Clone)]
pub struct NewSiteRun {
    /// Its id, unique.
    pub id: String,
    /// Who may read it.
    pub owner: Owner,
    /// Address of the first page.
    pub url: String,
    /// The site as limits count it; `None` where nothing counts it.
    pub target: Option<String>,
    /// Its options, in the caller's encoding.
    pub options: String,
    /// When it begins.
    pub created_at: Timestamp,
    /// The version of the program that begins it.
    pub program: String,
    /// The watch that it is of.
    pub watch: Option<NewWatchedRun>,
    /// The account whose trial starts with the run, unless it has started.
    pub trial: Option<AccountId>,
    /// What pays its pages; `None` where nothing has to.
    pub pays: Option<SitePays>,
    /// The job of its first seat.
    pub job: NewJob,
    /// Its limits.
    pub limits: SiteRunLimits,
}

/// The watch of a run that begins.
#[derive(Debug, Clone)]
pub struct NewWatchedRun {
    /// The watch.
    pub watch: String,
    /// The job that begins the run, which is done by that.
    pub lease: JobLease,
}

/// Limits that a run must not exceed.
#[derive(Debug, Clone)]
pub struct SiteRunLimits {
    /// Runs of the owner at once.
    pub of_owner: u32,
    /// Runs of everybody at once.
    pub of_all: u32,
    /// Runs over one target at once.
    pub of_target: u32,
    /// Runs of the caller's network in an hour, and the bucket of its uses; `None` for a run that nobody calls for.
    pub per_hour: Option<(u32, String)>,
}

/// Why a run did not begin; nothing was counted.
#[derive(Debug, Clone)]
pub enum SiteRefusal {
    /// The owner has as many running as they may.
    OwnerBusy,
    /// As many run as may.
    Busy,
    /// As many run over this target as may.
    TargetBusy,
    /// The network has had its runs of the hour.
    RateLimited {
        /// Seconds until the next is allowed, 1 to 3,600.
        retry_after_s: u32,
    },
    /// The watch that it is of has ended, or the lease of the job that begins it was lost.
    Over,
    /// The database refused.
    Failed(StoreError),
}

impl From<StoreError> for SiteRefusal {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

// Counts first: that locks the row of the day, so that runs begin one after the other and the limits hold.
const COUNT: &str = "INSERT INTO daily_counters (network, sku, day, used) VALUES ($1, $2, $3, 1) \
    ON CONFLICT (network, sku, day) DO UPDATE SET used = daily_counters.used + 1";

const OF_OWNER_NOW: &str = "SELECT COUNT(*) AS n FROM site_runs WHERE owner = $1 AND state = 'running'";

const ALL_NOW: &str = "SELECT COUNT(*) AS n FROM site_runs WHERE state = 'running'";

const OF_TARGET_NOW: &str = "SELECT COUNT(*) AS n FROM site_runs WHERE target = $1 AND state = 'running'";

const BEGIN: &str = "INSERT INTO site_runs (id, owner, url, state, options, created_at, gap_ms, next_at, asked, done, \
    found, failed, audited, price_micros, most_micros, spent_micros, free_audits, credit_id, network, wide, day, program, \
    watch_id, before_id, target) \
    VALUES ($1, $2, $3, 'running', $4, $5, 0, 0, 0, 0, 0, 0, 0, $6, $7, 0, 0, $8, $9, $10, $11, $12, $13, $14, $15)";

const START_TRIAL: &str = "UPDATE accounts SET trial_started_at = $2 WHERE id = $1 AND trial_started_at IS NULL";

const IS_ON: &str = "SELECT id FROM site_watches WHERE id = $1 AND due_at IS NOT NULL";

const BEFORE: &str = concat!(
    "SELECT id FROM site_runs WHERE watch_id = $1 AND ",
    counts!(),
    " \
    ORDER BY created_at DESC, id DESC LIMIT 1"
);

impl Store {
    /// Begins a run and enqueues the job of its first seat, within its limits.
    pub async fn begin_site(&self, new: NewSiteRun) -> Result<(), SiteRefusal> {
        let subject = "beginning a run over a site";
        self.db
            .transact(subject, move |transaction| {
                let new = new.clone();
                Box::pin(async move {
                    let now = new.created_at;
                    let count = sqlx::query(COUNT).bind(EVERYBODY).bind(SKU).bind(now.day().0);
                    transaction.run(count).await?;
                    let of_owner = transaction.first(sqlx::query(OF_OWNER_NOW).bind(new.owner.to_string())).await?;
                    if number(subject, of_owner.as_ref())? >= i64::from(new.limits.of_owner) {
                        return Err(SiteRefusal::OwnerBusy);
                    }
                    let of_all = transaction.first(sqlx::query(ALL_NOW)).await?;
                    if number(subject, of_all.as_ref())? >= i64::from(new.limits.of_all) {
                        return Err(SiteRefusal::Busy);
                    }
                    if let Some(target) = new.target.clone() {
                        let of_target = transaction.first(sqlx::query(OF_TARGET_NOW).bind(target)).await?;
                        if number(subject, of_target.as_ref())? >= i64::from(new.limits.of_target) {
                            return Err(SiteRefusal::TargetBusy);
                        }
                    }
                    if let Some((per_hour, bucket)) = &new.limits.per_hour {
                        let hour = OnTheHour { bucket, now, per_hour: *per_hour };
                        if let HourlySpend::Refused { retry_after_s } = transaction.spend_hourly(subject, hour).await? {
                            return Err(SiteRefusal::RateLimited { retry_after_s });
                        }
                    }
                    let before = match &new.watch {
                        Some(watched) => begin_watched(transaction, watched, now).await?,
                        None => None,
                    };
                    if let Some(account) = &new.trial {
                        transaction.run(of_id(START_TRIAL, &account.0).bind(now.0)).await?;
                    }
                    let pays = new.pays;
                    let most = pays.as_ref().and_then(|pays| pays.most).map(signed).transpose()?;
                    let price = pays.as_ref().map(|pays| signed(pays.price)).transpose()?;
                    let (network, wide) = pays.as_ref().and_then(|pays| pays.networks.clone()).unzip();
                    let begin = sqlx::query(BEGIN)
                        .bind(new.id)
                        .bind(new.owner.to_string())
                        .bind(new.url)
                        .bind(new.options)
                        .bind(now.0)
                        .bind(price)
                        .bind(most)
                        .bind(pays.as_ref().and_then(|pays| pays.credit.clone()))
                        .bind(network)
                        .bind(wide)
                        .bind(pays.as_ref().map(|pays| pays.day.0))
                        .bind(new.program)
                        .bind(new.watch.map(|watched| watched.watch))
                        .bind(before)
                        .bind(new.target);
                    transaction.run(begin).await?;
                    transaction.enqueue(&new.job).await?;
                    Ok(())
                })
            })
            .await
    }
}

/// Takes the turn of a watch: its job is done. The run to compare with, if there is one.
async fn begin_watched(
    transaction: &mut Transaction<'_>,
    watched: &NewWatchedRun,
    now: Timestamp,
) -> Result<Option<String>, SiteRefusal> {
    let is_on = transaction.first(of_id(IS_ON, &watched.watch)).await?.is_some();
    if !is_on || !transaction.finish_job(&watched.lease, now).await? {
        return Err(SiteRefusal::Over);
    }
    let before = transaction.first(of_id(BEFORE, &watched.watch)).await?;
    let id = before.map(|row| row.try_get("id")).transpose();
    id.map_err(|error| StoreError::of_driver("beginning a run of a watch", error).into())
}

fn number(subject: &'static str, row: Option<&AnyRow>) -> Result<i64, StoreError> {
    let row = row.ok_or(StoreError::NotFound { subject })?;
    row.try_get("n").map_err(|error| StoreError::of_driver(subject, error))
}
