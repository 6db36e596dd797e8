//! Runs over whole sites: begun, read, deleted. What servers do to one is in the folder.
//!
//! The state of a run is its pages in order, as in the file of the command line. Pages are given out to seats, each of which is
//! one job of the queue and asks for one page at a time: so many seats, so many requests at once, on however many servers.

mod begin;
mod commit;
mod ending;
mod pages;
mod seats;
mod versions;

use model::id::{AccountId, Owner};
use model::money::Micros;
use model::time::Timestamp;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::columns::micros;
use crate::error::StoreError;
use crate::statement::of_id;
use crate::store::Store;

pub use begin::{NewSiteRun, NewWatchedRun, SitePays, SiteRefusal, SiteRunLimits};
pub use commit::{SiteAllowance, SiteCommit, SiteCommitted};
pub(crate) use ending::settle;
pub use ending::{SiteAlert, SiteEnd, WatchedEnd};
pub use pages::{SitePageLine, SitePageReport, SiteResult};
pub use seats::{SiteBeginning, SiteKept, SiteTaken};
pub use versions::{SitePageVersion, UnchangedPage};

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
    /// The watch that it is of.
    pub watch: Option<String>,
    /// The run that it is compared with.
    pub before: Option<String>,
    /// What changed since that one, in the caller's encoding.
    pub changes: Option<String>,
    /// The version of the program that began it.
    pub program: Option<String>,
}

/// The columns of a [`SiteRunRecord`]. A macro, as `concat!` takes literals only.
macro_rules! columns {
    () => {
        "id, owner, url, state, reason, options, created_at, ended_at, done, found, failed, audited, free_audits, \
        price_micros, most_micros, spent_micros, credit_id, figures, watch_id, before_id, changes, program"
    };
}

/// A run that another may be compared with: its site ended before the run did. A macro, as `concat!` takes literals only.
macro_rules! counts {
    () => {
        "state = 'finished' AND reason IS NULL AND audited > 0"
    };
}
pub(crate) use counts;

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

const LAST_OF_WATCH: &str =
    concat!("SELECT ", columns!(), " FROM site_runs WHERE watch_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1");

const RUNNING: &str = "SELECT id FROM site_runs WHERE state = 'running' ORDER BY created_at, id LIMIT $1";

const DELETE: &str = "DELETE FROM site_runs WHERE id = $1 AND owner = $2 RETURNING id";

impl Store {
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

    /// The newest run of a watch, if there is one.
    pub async fn last_run_of_site_watch(&self, watch: &str) -> Result<Option<SiteRunRecord>, StoreError> {
        let subject = "reading the last run of a watch";
        self.db.read(subject, of_id(LAST_OF_WATCH, watch)).await?.map(|row| record(subject, &row)).transpose()
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
        watch: row.try_get("watch_id").map_err(failed)?,
        before: row.try_get("before_id").map_err(failed)?,
        changes: row.try_get("changes").map_err(failed)?,
        program: row.try_get("program").map_err(failed)?,
    })
}
