//! The daily watch: due tabs, their runs, and alerts.

use model::id::{AuditId, Owner, TabId};
use model::time::{DAY_MS, Timestamp};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::audits::{NewAudit, inserting};
use crate::body::PackedReport;
use crate::error::StoreError;
use crate::jobs::{JobLease, NewJob};
use crate::runs::RunRecord;
use crate::store::Store;
use crate::stored_report::share_slug;

/// A tab whose watch is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueWatch {
    /// The tab.
    pub tab: TabId,
    /// When it is due.
    pub watch_at: Timestamp,
}

/// A watched tab, and where its alerts go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedTab {
    /// Who follows the page.
    pub owner: Owner,
    /// The page.
    pub url: String,
    /// Its name.
    pub alias: Option<String>,
    /// Another address than the account's, whose holder agreed.
    pub alert_email: Option<String>,
    /// The account's own address.
    pub account_email: Option<String>,
    /// Language tag of the account.
    pub locale: Option<String>,
}

/// The outcome of a run of a watch, stored as a whole or not at all.
#[derive(Debug, Clone)]
pub struct WatchRun {
    /// The lease of the job.
    pub lease: JobLease,
    /// The tab.
    pub tab: TabId,
    /// Who follows the page.
    pub owner: Owner,
    /// The page.
    pub url: String,
    /// Id of the audit.
    pub audit: AuditId,
    /// When it started.
    pub created_at: Timestamp,
    /// The report.
    pub report: PackedReport,
    /// The page could not be reached.
    pub failed: bool,
    /// Now.
    pub now: Timestamp,
    /// The alert, where there is one to send.
    pub alert: Option<Alert>,
    /// The job that tells subscribers of the run, where there are some.
    pub announcement: Option<NewJob>,
}

/// An alert, and the link in it that stops further ones.
#[derive(Debug, Clone)]
pub struct Alert {
    /// The mail.
    pub mail: NewJob,
    /// Digest of the token in its link.
    pub token_digest: [u8; 32],
    /// The address where it goes, unless that is the account's own.
    pub email: Option<String>,
    /// How long the link works.
    pub expires_at: Timestamp,
}

/// Purpose of a link in a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPurpose {
    /// Alerts may go to an address.
    Agree,
    /// No more alerts to an address.
    Stop,
}

/// The watched tab of a link in a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchLink {
    /// The page that is watched.
    pub url: String,
    /// The address that the mail went to, unless it is the account's own.
    pub email: Option<String>,
}

impl LinkPurpose {
    fn word(self) -> &'static str {
        match self {
            Self::Agree => "agree",
            Self::Stop => "stop",
        }
    }
}

// Due, or more than a day ahead: then the clock was set back since.
/// A watch that is due later than this, in milliseconds, was scheduled by a clock that was ahead. More than the day to
/// the next run, so that a clock set back by hours causes no second run.
const TOO_FAR_MS: i64 = 2 * DAY_MS;

const DUE: &str = "SELECT id, watch_at FROM tabs WHERE monitor = 1 AND (watch_at <= $1 OR watch_at > $1 + $2) \
    ORDER BY watch_at, id LIMIT $3";

const ADVANCE: &str = "UPDATE tabs SET watch_at = $3 WHERE id = $1 AND watch_at = $2 AND monitor = 1 RETURNING id";

const WATCHED: &str = "SELECT t.owner, t.url, t.alias, t.alert_email, t.alert_agreed, a.email, a.locale FROM tabs t \
    LEFT JOIN accounts a ON t.owner = 'account:' || a.id \
    WHERE t.id = $1 AND t.monitor = 1 AND (a.id IS NULL OR a.status = 'active')";

const LAST_RUN: &str = concat!(
    "SELECT id, created_at, failed, alerted, body, ",
    share_slug!(),
    " FROM audits WHERE owner = $1 AND requested_url = $2 ORDER BY created_at DESC, id DESC LIMIT 1"
);

const LAST_SCORED: &str = concat!(
    "SELECT id, created_at, failed, alerted, body, ",
    share_slug!(),
    " FROM audits WHERE owner = $1 AND requested_url = $2 AND failed = 0 ORDER BY created_at DESC, id DESC LIMIT 1"
);

const MARK_FAILED: &str = "UPDATE audits SET failed = 1 WHERE id = $1";

const MARK_ALERTED: &str = "UPDATE audits SET alerted = 1 WHERE id = $1";

const WATCHED_NOW: &str = "UPDATE tabs SET watched_at = $2 WHERE id = $1";

const KEEP_LINK: &str = "INSERT INTO watch_links (token_digest, tab_id, purpose, email, expires_at) \
    VALUES ($1, $2, 'stop', $3, $4)";

const LINK: &str = "SELECT t.url, l.email FROM watch_links l JOIN tabs t ON t.id = l.tab_id \
    WHERE l.token_digest = $1 AND l.purpose = $2 AND l.expires_at > $3";

const USE_LINK: &str = "SELECT tab_id, email FROM watch_links \
    WHERE token_digest = $1 AND purpose = $2 AND expires_at > $3";

const AGREE: &str = "UPDATE tabs SET alert_agreed = 1 WHERE id = $1 AND alert_email = $2";

const STOP: &str = "UPDATE tabs SET monitor = 0, watch_at = NULL WHERE id = $1";

const STOP_ELSEWHERE: &str = "UPDATE tabs SET alert_email = NULL, alert_agreed = 0 WHERE id = $1 AND alert_email = $2";

const ACCOUNT_EMAIL: &str = "SELECT email FROM accounts WHERE id = $1";

const PURGE_LINKS: &str = "DELETE FROM watch_links WHERE token_digest IN \
    (SELECT token_digest FROM watch_links WHERE expires_at <= $1 ORDER BY expires_at, token_digest LIMIT $2) \
    RETURNING tab_id";

impl Store {
    /// At most `limit` tabs whose watch is due, the longest overdue first.
    pub async fn due_watches(&self, now: Timestamp, limit: u32) -> Result<Vec<DueWatch>, StoreError> {
        let subject = "looking for watches that are due";
        let statement = sqlx::query(DUE).bind(now.0).bind(TOO_FAR_MS).bind(i64::from(limit));
        let rows = self.db.read_all(subject, statement).await?;
        let due = |row: &AnyRow| {
            Ok(DueWatch { tab: TabId(row.try_get("id")?), watch_at: Timestamp(row.try_get("watch_at")?) })
        };
        rows.iter().map(due).collect::<Result<_, sqlx::Error>>().map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Queues the run of a due watch and schedules the next one. `false`: another server did, or the run of this day
    /// was queued before.
    pub async fn queue_watch(&self, due: DueWatch, next: Timestamp, job: NewJob) -> Result<bool, StoreError> {
        self.db
            .transact("queueing a watch", move |transaction| {
                let (due, job) = (due.clone(), job.clone());
                Box::pin(async move {
                    let advance = sqlx::query(ADVANCE).bind(due.tab.0).bind(due.watch_at.0).bind(next.0);
                    if transaction.first(advance).await?.is_none() {
                        return Ok(false);
                    }
                    transaction.enqueue(&job).await
                })
            })
            .await
    }

    /// The tab `id`, if it is still watched and its account is active.
    pub async fn watched_tab(&self, id: &TabId) -> Result<Option<WatchedTab>, StoreError> {
        let subject = "reading a watched tab";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let Some(row) = self.db.read(subject, sqlx::query(WATCHED).bind(id.0.clone())).await? else { return Ok(None) };
        let owner: String = row.try_get("owner").map_err(failed)?;
        let agreed: i64 = row.try_get("alert_agreed").map_err(failed)?;
        let alert_email: Option<String> = row.try_get("alert_email").map_err(failed)?;
        Ok(Some(WatchedTab {
            owner: Owner::parse(&owner).ok_or_else(|| StoreError::corrupt(subject, "its owner can't be read"))?,
            url: row.try_get("url").map_err(failed)?,
            alias: row.try_get("alias").map_err(failed)?,
            alert_email: alert_email.filter(|_| agreed != 0),
            account_email: row.try_get("email").map_err(failed)?,
            locale: row.try_get("locale").map_err(failed)?,
        }))
    }

    /// The newest run of a page, and the newest with a score, which mostly is the same.
    pub async fn last_runs(
        &self,
        owner: &Owner,
        url: &str,
    ) -> Result<(Option<RunRecord>, Option<RunRecord>), StoreError> {
        let subject = "reading the last run of a watch";
        let of_page = |sql: &'static str| sqlx::query(sql).bind(owner.to_string()).bind(url.to_owned());
        let record = |row: Option<AnyRow>| {
            row.map(|row| RunRecord::of(&row)).transpose().map_err(|error| StoreError::of_driver(subject, error))
        };
        let last = record(self.db.read(subject, of_page(LAST_RUN)).await?)?;
        match &last {
            Some(run) if run.failed => {
                let scored = record(self.db.read(subject, of_page(LAST_SCORED)).await?)?;
                Ok((last, scored))
            }
            _ => Ok((last.clone(), last)),
        }
    }

    /// Stores a run with its alert and completes its job. `false`: the lease was lost, and nothing was stored.
    pub async fn keep_watch_run(&self, run: WatchRun) -> Result<bool, StoreError> {
        self.db
            .transact("keeping a watch's run", move |transaction| {
                let WatchRun { lease, tab, owner, url, audit, created_at, report, failed, now, alert, announcement } =
                    run.clone();
                Box::pin(async move {
                    if !transaction.finish_job(&lease, now).await? {
                        return Ok(false);
                    }
                    let new = NewAudit {
                        id: audit.clone(),
                        owner: Some(owner),
                        withheld: None,
                        requested_url: &url,
                        created_at,
                        report: &report,
                    };
                    transaction.run(inserting(new)).await?;
                    if failed {
                        transaction.run(sqlx::query(MARK_FAILED).bind(audit.0.clone())).await?;
                    }
                    // None where the tab was closed in the meantime: then no alert is sent.
                    let watched = transaction.run(sqlx::query(WATCHED_NOW).bind(tab.0.clone()).bind(now.0)).await?;
                    if let Some(alert) = alert.filter(|_| watched == 1) {
                        let link = sqlx::query(KEEP_LINK)
                            .bind(alert.token_digest.to_vec())
                            .bind(tab.0)
                            .bind(alert.email)
                            .bind(alert.expires_at.0);
                        transaction.run(link).await?;
                        transaction.run(sqlx::query(MARK_ALERTED).bind(audit.0)).await?;
                        transaction.enqueue(&alert.mail).await?;
                    }
                    if let Some(job) = announcement {
                        transaction.enqueue(&job).await?;
                    }
                    Ok(true)
                })
            })
            .await
    }

    /// The watched tab of a link in a mail; [`StoreError::NotFound`] for an unknown or expired link.
    pub async fn watch_link(
        &self,
        token_digest: &[u8; 32],
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<WatchLink, StoreError> {
        let subject = "reading a link of a watch";
        let statement = sqlx::query(LINK).bind(token_digest.to_vec()).bind(purpose.word()).bind(now.0);
        let row = self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?;
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        Ok(WatchLink { url: row.try_get("url").map_err(failed)?, email: row.try_get("email").map_err(failed)? })
    }

    /// Applies a link in a mail. Idempotent. [`StoreError::NotFound`] as for [`Store::watch_link`].
    pub async fn use_watch_link(
        &self,
        token_digest: &[u8; 32],
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let subject = "using a link of a watch";
        let digest = token_digest.to_vec();
        self.db
            .transact(subject, move |transaction| {
                let digest = digest.clone();
                Box::pin(async move {
                    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
                    let find = sqlx::query(USE_LINK).bind(digest).bind(purpose.word()).bind(now.0);
                    let row = transaction.first(find).await?.ok_or(StoreError::NotFound { subject })?;
                    let tab: String = row.try_get("tab_id").map_err(failed)?;
                    let email: Option<String> = row.try_get("email").map_err(failed)?;
                    let change = match (purpose, email) {
                        (LinkPurpose::Agree, email) => sqlx::query(AGREE).bind(tab).bind(email),
                        (LinkPurpose::Stop, Some(email)) => sqlx::query(STOP_ELSEWHERE).bind(tab).bind(email),
                        (LinkPurpose::Stop, None) => sqlx::query(STOP).bind(tab),
                    };
                    transaction.run(change).await.map(drop)
                })
            })
            .await
    }

    /// The e-mail address of `owner`, if it is an account.
    pub async fn email_of(&self, owner: &Owner) -> Result<Option<String>, StoreError> {
        let subject = "reading an account's address";
        let Owner::Account(id) = owner else { return Ok(None) };
        let row = self.db.read(subject, sqlx::query(ACCOUNT_EMAIL).bind(id.0.clone())).await?;
        row.map(|row| row.try_get("email")).transpose().map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Deletes at most `batch` expired links; how many. Call again until 0.
    pub async fn purge_watch_links(&self, now: Timestamp, batch: u32) -> Result<u64, StoreError> {
        let statement = sqlx::query(PURGE_LINKS).bind(now.0).bind(i64::from(batch));
        Ok(self.db.write("purging links of watches", statement).await?.len() as u64)
    }
}
