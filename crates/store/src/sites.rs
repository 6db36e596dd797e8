//! Runs over whole sites: begun, read, deleted. What servers do to one is in the folder.
//!
//! The state of a run is its pages in order, as in the file of the command line. Pages are given out to seats, each of which is
//! one job of the queue and asks for one page at a time: so many seats, so many requests at once, on however many servers.

mod commit;
mod ending;
mod pages;
mod seats;

use model::id::{AccountId, Owner};
use model::money::Micros;
use model::time::{Day, Timestamp};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::columns::{micros, signed};
use crate::error::StoreError;
use crate::jobs::NewJob;
use crate::quotas::{HourlySpend, OnTheHour};
use crate::statement::of_id;
use crate::store::Store;

pub use commit::{SiteAllowance, SiteCommit, SiteCommitted};
pub use ending::SiteEnd;
pub use pages::{SitePageLine, SitePageReport, SiteResult};
pub use seats::{SiteBeginning, SiteKept, SiteTaken};

/// Key of the counter of all networks together.
const EVERYBODY: &str = "";
/// What is counted.
const SKU: &str = "site";
/// Runs whose end is awaited in one look.
const MOST_RUNNING: i64 = 256;

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteState {
    /// Its pages are being audited.
    Running,
    /// It has a report.
    Finished,
    /// It has none.
    Failed,
}

impl SiteState {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Failed => "failed",
        }
    }

    fn of(word: &str) -> Option<Self> {
        [Self::Running, Self::Finished, Self::Failed].into_iter().find(|state| state.word() == word)
    }
}

/// What pays the pages of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePays {
    /// Price of a page.
    pub price: Micros,
    /// What the run spends at most.
    pub most: Option<Micros>,
    /// The credit that pays pages beyond the free audits.
    pub credit: Option<String>,
    /// Keys of the counters of free audits, of the network and of the wider one.
    pub networks: (String, String),
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
    /// What pays its pages; `None` where nothing has to.
    pub pays: Option<SitePays>,
    /// The job of its first seat.
    pub job: NewJob,
    /// Its limits.
    pub limits: SiteRunLimits,
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
    /// Runs of the caller's network in an hour.
    pub per_hour: u32,
    /// The bucket of the network's hourly uses.
    pub bucket: String,
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
    /// The database refused.
    Failed(StoreError),
}

impl From<StoreError> for SiteRefusal {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// A run as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteRunRecord {
    /// Its id.
    pub id: String,
    /// Who may read it.
    pub owner: String,
    /// Address of the first page.
    pub url: String,
    /// Its state.
    pub state: SiteState,
    /// Why it ended before its site did, or failed, in a word.
    pub reason: Option<String>,
    /// Its options, in the caller's encoding.
    pub options: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Addresses that are done.
    pub done: u32,
    /// Addresses that are known.
    pub found: u32,
    /// Addresses that gave no answer, or an error of the server.
    pub failed: u32,
    /// Pages that were audited.
    pub audited: u32,
    /// Of them, those that were free audits.
    pub free_audits: u32,
    /// Price of a page beyond them; `None` where nothing has to be paid.
    pub price: Option<Micros>,
    /// What it spends at most.
    pub most: Option<Micros>,
    /// What it has spent.
    pub spent: Micros,
    /// The credit that pays.
    pub credit: Option<String>,
    /// Figures of a finished run, in the caller's encoding.
    pub figures: Option<String>,
}

/// The columns of a [`SiteRunRecord`]. A macro, as `concat!` takes literals only.
macro_rules! columns {
    () => {
        "id, owner, url, state, reason, options, created_at, ended_at, done, found, failed, audited, free_audits, \
        price_micros, most_micros, spent_micros, credit_id, figures"
    };
}

// Counts first: that locks the row of the day, so that runs begin one after the other and the limits hold.
const COUNT: &str = "INSERT INTO daily_counters (network, sku, day, used) VALUES ($1, $2, $3, 1) \
    ON CONFLICT (network, sku, day) DO UPDATE SET used = daily_counters.used + 1";

const OF_OWNER_NOW: &str = "SELECT COUNT(*) AS n FROM site_runs WHERE owner = $1 AND state = 'running'";

const ALL_NOW: &str = "SELECT COUNT(*) AS n FROM site_runs WHERE state = 'running'";

const OF_TARGET_NOW: &str = "SELECT COUNT(*) AS n FROM site_runs WHERE target = $1 AND state = 'running'";

const BEGIN: &str = "INSERT INTO site_runs (id, owner, url, state, options, created_at, gap_ms, next_at, asked, done, \
    found, failed, audited, price_micros, most_micros, spent_micros, free_audits, credit_id, network, wide, day, target) \
    VALUES ($1, $2, $3, 'running', $4, $5, 0, 0, 0, 0, 0, 0, 0, $6, $7, 0, 0, $8, $9, $10, $11, $12)";

const ONE: &str = concat!("SELECT ", columns!(), " FROM site_runs WHERE id = $1");

const OF_OWNER: &str = concat!("SELECT ", columns!(), " FROM site_runs WHERE id = $1 AND owner = $2");

const OF_MEMBER: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM site_runs WHERE id = $1 AND owner IN (SELECT 'organization:' || organization_id FROM members \
    JOIN organizations ON organizations.id = organization_id \
    WHERE account_id = $2 AND (requires_second_factor = 0 OR $3 = 1))"
);

// A cursor is the id of the last run before: ids grow with time.
const LIST: &str =
    concat!("SELECT ", columns!(), " FROM site_runs WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3");

const RUNNING: &str = "SELECT id FROM site_runs WHERE state = 'running' ORDER BY created_at, id LIMIT $1";

const DELETE: &str = "DELETE FROM site_runs WHERE id = $1 AND owner = $2 RETURNING id";

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
                    let hour = OnTheHour { bucket: &new.limits.bucket, now, per_hour: new.limits.per_hour };
                    if let HourlySpend::Refused { retry_after_s } = transaction.spend_hourly(subject, hour).await? {
                        return Err(SiteRefusal::RateLimited { retry_after_s });
                    }
                    let pays = new.pays;
                    let most = pays.as_ref().and_then(|pays| pays.most).map(signed).transpose()?;
                    let price = pays.as_ref().map(|pays| signed(pays.price)).transpose()?;
                    let (network, wide) = pays.as_ref().map(|pays| pays.networks.clone()).unzip();
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
                        .bind(new.target);
                    transaction.run(begin).await?;
                    transaction.enqueue(&new.job).await?;
                    Ok(())
                })
            })
            .await
    }

    /// A run, for the jobs of its seats; `None` where it was deleted.
    pub async fn site_run(&self, id: &str) -> Result<Option<SiteRunRecord>, StoreError> {
        let subject = "reading a run over a site";
        self.db.read(subject, of_id(ONE, id)).await?.map(|row| record(subject, &row)).transpose()
    }

    /// A run of `owner`; [`StoreError::NotFound`] also when it is someone else's.
    pub async fn site_run_of(&self, owner: &Owner, id: &str) -> Result<SiteRunRecord, StoreError> {
        let subject = "reading a run over a site";
        let row = self.db.read(subject, of_id(OF_OWNER, id).bind(owner.to_string())).await?;
        record(subject, &row.ok_or(StoreError::NotFound { subject })?)
    }

    /// A run that `account` may read as a member of an organization, as `audit_of_member` has it.
    pub async fn site_run_of_member(
        &self,
        account: &AccountId,
        has_second_factor: bool,
        id: &str,
    ) -> Result<SiteRunRecord, StoreError> {
        let subject = "reading an organization's run over a site";
        let statement = of_id(OF_MEMBER, id).bind(account.0.clone()).bind(i64::from(has_second_factor));
        record(subject, &self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?)
    }

    /// Runs of `owner`, newest first, at most `limit`, those before the run of this id.
    pub async fn site_runs_of(
        &self,
        owner: &Owner,
        before: Option<&str>,
        limit: u32,
    ) -> Result<Vec<SiteRunRecord>, StoreError> {
        /// Above every id.
        const END: &str = "~";
        let subject = "listing runs over sites";
        let before = before.unwrap_or(END).to_owned();
        let statement = sqlx::query(LIST).bind(owner.to_string()).bind(before).bind(i64::from(limit));
        self.db.read_all(subject, statement).await?.iter().map(|row| record(subject, row)).collect()
    }

    /// Ids of the runs that are running, oldest first, at most 256.
    pub async fn running_sites(&self) -> Result<Vec<String>, StoreError> {
        let subject = "looking for running runs over sites";
        let rows = self.db.read_all(subject, sqlx::query(RUNNING).bind(MOST_RUNNING)).await?;
        rows.iter().map(|row| row.try_get("id").map_err(|error| StoreError::of_driver(subject, error))).collect()
    }

    /// Deletes a run of `owner` with its pages; one that runs ends by that. [`StoreError::NotFound`] also when it is someone
    /// else's.
    pub async fn delete_site(&self, owner: &Owner, id: &str) -> Result<(), StoreError> {
        let subject = "deleting a run over a site";
        let rows = self.db.write(subject, of_id(DELETE, id).bind(owner.to_string())).await?;
        if rows.is_empty() { Err(StoreError::NotFound { subject }) } else { Ok(()) }
    }
}

fn number(subject: &'static str, row: Option<&AnyRow>) -> Result<i64, StoreError> {
    let row = row.ok_or(StoreError::NotFound { subject })?;
    row.try_get("n").map_err(|error| StoreError::of_driver(subject, error))
}

/// A count as it was stored.
fn count(subject: &'static str, row: &AnyRow, name: &str) -> Result<u32, StoreError> {
    let stored: i64 = row.try_get(name).map_err(|error| StoreError::of_driver(subject, error))?;
    u32::try_from(stored).map_err(|error| StoreError::corrupt(subject, error))
}

fn record(subject: &'static str, row: &AnyRow) -> Result<SiteRunRecord, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let state: String = row.try_get("state").map_err(failed)?;
    let amount = |name: &str| -> Result<Option<Micros>, StoreError> {
        let stored: Option<i64> = row.try_get(name).map_err(failed)?;
        stored.map(|stored| micros(subject, Ok(stored))).transpose()
    };
    Ok(SiteRunRecord {
        id: row.try_get("id").map_err(failed)?,
        owner: row.try_get("owner").map_err(failed)?,
        url: row.try_get("url").map_err(failed)?,
        state: SiteState::of(&state).ok_or_else(|| StoreError::corrupt(subject, format!("unknown state {state}")))?,
        reason: row.try_get("reason").map_err(failed)?,
        options: row.try_get("options").map_err(failed)?,
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
        ended_at: row.try_get::<Option<i64>, _>("ended_at").map_err(failed)?.map(Timestamp),
        done: count(subject, row, "done")?,
        found: count(subject, row, "found")?,
        failed: count(subject, row, "failed")?,
        audited: count(subject, row, "audited")?,
        free_audits: count(subject, row, "free_audits")?,
        price: amount("price_micros")?,
        most: amount("most_micros")?,
        spent: micros(subject, row.try_get("spent_micros"))?,
        credit: row.try_get("credit_id").map_err(failed)?,
        figures: row.try_get("figures").map_err(failed)?,
    })
}
