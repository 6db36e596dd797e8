//! Watches of sites: their settings, when they are due, and links in alerts that stop them.

use model::id::Owner;
use model::money::Micros;
use model::time::{DAY_MS, Timestamp};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::columns::{micros, signed};
use crate::error::StoreError;
use crate::jobs::{JobLease, NewJob};
use crate::sites::{SiteAlert, settle};
use crate::statement::of_id;
use crate::store::Store;

/// What is counted of a day for everybody: its row is the lock under which watches are counted and added.
const SKU: &str = "site_watch";
/// A watch that is due later than so many milliseconds for each of its days was scheduled by a clock that was ahead: twice the
/// time to the next run, so that a clock set back by hours causes no second run.
const TOO_FAR_MS: i64 = 2 * DAY_MS;

/// A watch of a site as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteWatchRecord {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub owner: Owner,
    /// Address of the first page.
    pub url: String,
    /// Options of its runs, in the caller's encoding.
    pub options: String,
    /// Days between two runs: 1 or 7.
    pub days: u32,
    /// When the next run is due; `None` while it is off.
    pub due_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// The credit that pays where nothing is free.
    pub credit: Option<String>,
    /// What a run spends of it at most.
    pub most: Option<Micros>,
    /// Why the last run did not begin or failed, in a word.
    pub problem: Option<String>,
}

/// A watch to make.
#[derive(Debug, Clone)]
pub struct NewSiteWatch {
    /// The watch.
    pub watch: SiteWatchRecord,
    /// A run of its owner that counts as its first one.
    pub first_run: Option<String>,
    /// Watches of an owner at most.
    pub most_watches: u32,
}

/// Outcome of making a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteWatching {
    /// It is made.
    Done,
    /// The owner has as many as they may.
    TooMany,
}

/// Changes to a watch; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct SiteWatchChange {
    /// Options of its runs, in the caller's encoding.
    pub options: Option<String>,
    /// Days between two runs: 1 or 7.
    pub days: Option<u32>,
    /// When the next run is due; `Some(None)` switches it off.
    pub due_at: Option<Option<Timestamp>>,
    /// The credit that pays.
    pub credit: Option<String>,
    /// What a run spends of it at most.
    pub most: Option<Micros>,
}

/// A watch that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueSiteWatch {
    /// The watch.
    pub watch: String,
    /// When it is due.
    pub due_at: Timestamp,
    /// Days between two runs.
    pub days: u32,
}

/// A watch with who hears of it: the account, or the first owner of the organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteWatcher {
    /// The watch.
    pub watch: SiteWatchRecord,
    /// Where alerts go.
    pub email: Option<String>,
    /// Language tag of that account.
    pub locale: Option<String>,
    /// When the trial of the account that owns the watch started.
    pub trial_started_at: Option<Timestamp>,
}

/// The columns of a [`SiteWatchRecord`]. A macro, as `concat!` takes literals only.
macro_rules! columns {
    () => {
        "w.id, w.owner, w.url, w.options, w.days, w.due_at, w.created_at, w.credit_id, w.most_micros, w.problem"
    };
}

const LOCK: &str = "INSERT INTO daily_counters (network, sku, day, used) VALUES ('', $1, $2, 1) \
    ON CONFLICT (network, sku, day) DO UPDATE SET used = daily_counters.used + 1";

const COUNT: &str = "SELECT COUNT(*) AS n FROM site_watches WHERE owner = $1";

const ADD: &str = "INSERT INTO site_watches (id, owner, url, options, days, due_at, created_at, credit_id, most_micros) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

const ADOPT: &str = "UPDATE site_runs SET watch_id = $1 WHERE id = $2 AND owner = $3 AND watch_id IS NULL";

const LIST: &str =
    concat!("SELECT ", columns!(), " FROM site_watches w WHERE owner = $1 ORDER BY created_at, id LIMIT $2");

const OF_OWNER: &str = concat!("SELECT ", columns!(), " FROM site_watches w WHERE id = $1 AND owner = $2");

const CHANGE: &str = "UPDATE site_watches SET options = COALESCE($3, options), days = COALESCE($4, days), \
    credit_id = COALESCE($5, credit_id), most_micros = COALESCE($6, most_micros) WHERE id = $1 AND owner = $2 RETURNING id";

const SCHEDULE: &str = "UPDATE site_watches SET due_at = $2 WHERE id = $1";

const DELETE: &str = "DELETE FROM site_watches WHERE id = $1 AND owner = $2 RETURNING id";

const DUE: &str = "SELECT id, due_at, days FROM site_watches WHERE due_at IS NOT NULL \
    AND (due_at <= $1 OR due_at > $1 + days * $2) ORDER BY due_at, id LIMIT $3";

const ADVANCE: &str = "UPDATE site_watches SET due_at = $3 WHERE id = $1 AND due_at = $2 RETURNING id";

const WATCHER: &str = concat!(
    "SELECT ",
    columns!(),
    ", a.email, a.locale, a.trial_started_at FROM site_watches w LEFT JOIN accounts a ON w.owner = 'account:' || a.id \
    WHERE w.id = $1 AND w.due_at IS NOT NULL AND (a.status = 'active' OR EXISTS (SELECT 1 FROM organizations o \
        WHERE 'organization:' || o.id = w.owner AND o.delete_after IS NULL))"
);

const FIRST_OWNER: &str = "SELECT a.email, a.locale FROM members m JOIN accounts a ON a.id = m.account_id \
    WHERE m.organization_id = $1 AND m.role = 'owner' AND a.status = 'active' ORDER BY m.created_at, a.id LIMIT 1";

const LINK: &str = "SELECT w.url FROM site_watch_links l JOIN site_watches w ON w.id = l.watch_id \
    WHERE l.token_digest = $1 AND l.expires_at > $2";

const STOP: &str = "UPDATE site_watches SET due_at = NULL WHERE id = \
    (SELECT watch_id FROM site_watch_links WHERE token_digest = $1 AND expires_at > $2) RETURNING id";

const PURGE_LINKS: &str = "DELETE FROM site_watch_links WHERE token_digest IN \
    (SELECT token_digest FROM site_watch_links WHERE expires_at <= $1 ORDER BY expires_at, token_digest LIMIT $2) \
    RETURNING watch_id";

impl Store {
    /// Makes a watch, within the limit of its owner.
    pub async fn add_site_watch(&self, new: NewSiteWatch) -> Result<SiteWatching, StoreError> {
        let subject = "making a watch of a site";
        self.db
            .transact(subject, move |transaction| {
                let NewSiteWatch { watch, first_run, most_watches } = new.clone();
                Box::pin(async move {
                    let owner = watch.owner.to_string();
                    transaction.run(sqlx::query(LOCK).bind(SKU).bind(watch.created_at.day().0)).await?;
                    let row = transaction.first(sqlx::query(COUNT).bind(owner.clone())).await?;
                    let row = row.ok_or(StoreError::NotFound { subject })?;
                    let count: i64 = row.try_get("n").map_err(|error| StoreError::of_driver(subject, error))?;
                    if count >= i64::from(most_watches) {
                        return Ok(SiteWatching::TooMany);
                    }
                    let add = of_id(ADD, &watch.id)
                        .bind(owner.clone())
                        .bind(watch.url)
                        .bind(watch.options)
                        .bind(i64::from(watch.days))
                        .bind(watch.due_at.map(|at| at.0))
                        .bind(watch.created_at.0)
                        .bind(watch.credit)
                        .bind(watch.most.map(signed).transpose()?);
                    transaction.run(add).await?;
                    if let Some(run) = first_run {
                        transaction.run(of_id(ADOPT, &watch.id).bind(run).bind(owner)).await?;
                    }
                    Ok(SiteWatching::Done)
                })
            })
            .await
    }

    /// Watches of `owner`, oldest first, at most `limit`.
    pub async fn site_watches_of(&self, owner: &Owner, limit: u32) -> Result<Vec<SiteWatchRecord>, StoreError> {
        let subject = "listing watches of sites";
        let statement = sqlx::query(LIST).bind(owner.to_string()).bind(i64::from(limit));
        self.db.read_all(subject, statement).await?.iter().map(|row| record(subject, row)).collect()
    }

    /// A watch of `owner`; [`StoreError::NotFound`] also when it is someone else's.
    pub async fn site_watch_of(&self, owner: &Owner, id: &str) -> Result<SiteWatchRecord, StoreError> {
        let subject = "reading a watch of a site";
        let row = self.db.read(subject, of_id(OF_OWNER, id).bind(owner.to_string())).await?;
        record(subject, &row.ok_or(StoreError::NotFound { subject })?)
    }

    /// Changes a watch of `owner`; [`StoreError::NotFound`] also when it is someone else's.
    pub async fn change_site_watch(&self, owner: &Owner, id: &str, change: SiteWatchChange) -> Result<(), StoreError> {
        let subject = "changing a watch of a site";
        let (owner, id) = (owner.to_string(), id.to_owned());
        self.db
            .transact(subject, move |transaction| {
                let (owner, id, change) = (owner.clone(), id.clone(), change.clone());
                Box::pin(async move {
                    let statement = of_id(CHANGE, &id)
                        .bind(owner)
                        .bind(change.options)
                        .bind(change.days.map(i64::from))
                        .bind(change.credit)
                        .bind(change.most.map(signed).transpose()?);
                    transaction.first(statement).await?.ok_or(StoreError::NotFound { subject })?;
                    if let Some(due_at) = change.due_at {
                        transaction.run(of_id(SCHEDULE, &id).bind(due_at.map(|at| at.0))).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    /// Deletes a watch of `owner`; its runs stay. [`StoreError::NotFound`] also when it is someone else's.
    pub async fn delete_site_watch(&self, owner: &Owner, id: &str) -> Result<(), StoreError> {
        let subject = "deleting a watch of a site";
        let rows = self.db.write(subject, of_id(DELETE, id).bind(owner.to_string())).await?;
        if rows.is_empty() { Err(StoreError::NotFound { subject }) } else { Ok(()) }
    }

    /// At most `limit` watches that are due, the longest overdue first.
    pub async fn due_site_watches(&self, now: Timestamp, limit: u32) -> Result<Vec<DueSiteWatch>, StoreError> {
        let subject = "looking for watches of sites that are due";
        let statement = sqlx::query(DUE).bind(now.0).bind(TOO_FAR_MS).bind(i64::from(limit));
        let due = |row: &AnyRow| {
            let due_at = row.try_get("due_at").map_err(|error| StoreError::of_driver(subject, error))?;
            let watch = row.try_get("id").map_err(|error| StoreError::of_driver(subject, error))?;
            Ok(DueSiteWatch { watch, due_at: Timestamp(due_at), days: days(subject, row)? })
        };
        self.db.read_all(subject, statement).await?.iter().map(due).collect()
    }

    /// Queues the run of a due watch and schedules the next one. `false`: another server did, or the run of this slot was
    /// queued before.
    pub async fn queue_site_watch(&self, due: DueSiteWatch, next: Timestamp, job: NewJob) -> Result<bool, StoreError> {
        self.db
            .transact("queueing a run of a watch", move |transaction| {
                let (due, job) = (due.clone(), job.clone());
                Box::pin(async move {
                    let advance = of_id(ADVANCE, &due.watch).bind(due.due_at.0).bind(next.0);
                    if transaction.first(advance).await?.is_none() {
                        return Ok(false);
                    }
                    transaction.enqueue(&job).await
                })
            })
            .await
    }

    /// A watch with who hears of it; `None` where it is off or gone, or its owner is closed.
    pub async fn site_watcher(&self, id: &str) -> Result<Option<SiteWatcher>, StoreError> {
        let subject = "reading a watch of a site";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let Some(row) = self.db.read(subject, of_id(WATCHER, id)).await? else { return Ok(None) };
        let watch = record(subject, &row)?;
        let trial: Option<i64> = row.try_get("trial_started_at").map_err(failed)?;
        let told = match &watch.owner {
            Owner::Organization(id) => self.db.read(subject, of_id(FIRST_OWNER, &id.0)).await?,
            Owner::Account(_) | Owner::Guest(_) => Some(row),
        };
        let text = |name: &str| told.as_ref().map(|row| row.try_get::<Option<String>, _>(name)).transpose();
        let (email, locale) = (text("email").map_err(failed)?.flatten(), text("locale").map_err(failed)?.flatten());
        Ok(Some(SiteWatcher { watch, email, locale, trial_started_at: trial.map(Timestamp) }))
    }

    /// Ends the turn of a watch of which no run began, with the alert that says why, and completes its job. `false`: the lease
    /// was lost, and nothing was stored.
    pub async fn end_site_turn(
        &self,
        watch: &str,
        lease: &JobLease,
        problem: &str,
        alert: Option<SiteAlert>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let (watch, lease, problem) = (watch.to_owned(), lease.clone(), problem.to_owned());
        self.db
            .transact("ending the turn of a watch", move |transaction| {
                let (watch, lease, problem, alert) = (watch.clone(), lease.clone(), problem.clone(), alert.clone());
                Box::pin(async move {
                    if !transaction.finish_job(&lease, now).await? {
                        return Ok(false);
                    }
                    settle(transaction, &watch, Some(problem), alert).await?;
                    Ok(true)
                })
            })
            .await
    }

    /// The first page of the site of a link that stops its watch; [`StoreError::NotFound`] for an unknown or expired link.
    pub async fn site_watch_link(&self, token_digest: &[u8; 32], now: Timestamp) -> Result<String, StoreError> {
        let subject = "reading a link of a watch of a site";
        let statement = sqlx::query(LINK).bind(token_digest.to_vec()).bind(now.0);
        let row = self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?;
        row.try_get("url").map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Stops the watch of a link. Idempotent. [`StoreError::NotFound`] as for [`Store::site_watch_link`].
    pub async fn stop_site_watch(&self, token_digest: &[u8; 32], now: Timestamp) -> Result<(), StoreError> {
        let subject = "using a link of a watch of a site";
        let rows = self.db.write(subject, sqlx::query(STOP).bind(token_digest.to_vec()).bind(now.0)).await?;
        if rows.is_empty() { Err(StoreError::NotFound { subject }) } else { Ok(()) }
    }

    /// Deletes at most `batch` expired links; how many. Call again until 0.
    pub async fn purge_site_watch_links(&self, now: Timestamp, batch: u32) -> Result<u64, StoreError> {
        let statement = sqlx::query(PURGE_LINKS).bind(now.0).bind(i64::from(batch));
        Ok(self.db.write("purging links of watches of sites", statement).await?.len() as u64)
    }
}

fn days(subject: &'static str, row: &AnyRow) -> Result<u32, StoreError> {
    let days: i64 = row.try_get("days").map_err(|error| StoreError::of_driver(subject, error))?;
    u32::try_from(days).map_err(|error| StoreError::corrupt(subject, error))
}

fn record(subject: &'static str, row: &AnyRow) -> Result<SiteWatchRecord, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let owner: String = row.try_get("owner").map_err(failed)?;
    let most: Option<i64> = row.try_get("most_micros").map_err(failed)?;
    Ok(SiteWatchRecord {
        id: row.try_get("id").map_err(failed)?,
        owner: Owner::parse(&owner).ok_or_else(|| StoreError::corrupt(subject, "its owner can't be read"))?,
        url: row.try_get("url").map_err(failed)?,
        options: row.try_get("options").map_err(failed)?,
        days: days(subject, row)?,
        due_at: row.try_get::<Option<i64>, _>("due_at").map_err(failed)?.map(Timestamp),
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
        credit: row.try_get("credit_id").map_err(failed)?,
        most: most.map(|most| micros(subject, Ok(most))).transpose()?,
        problem: row.try_get("problem").map_err(failed)?,
    })
}
