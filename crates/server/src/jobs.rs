//! Work that no caller waits for: a queue in the database, and the runner that empties it.
//!
//! A job is queued together with the fact that causes it. Any number of servers work on one queue: each claims a job for
//! a while, and what it writes counts only while its claim does. A job that fails waits, twice as long each time; after
//! its last try it stays, for the operator to see (`site-audit operator jobs`).

mod purge;
mod run_watch;
mod runner;
mod send_mail;

use std::time::Duration;

use model::id::{AccountId, TabId};
use serde::{Deserialize, Serialize};
use store::{ClaimedJob, NewJob, StoreError};
use tokio::time::timeout;

pub use purge::purge;
pub use runner::{Background, is_in_step, schedule, start, work_off};

use crate::accounts::operator;
use crate::app::App;
use crate::mail::Mail;

/// How long a claim lasts. A server that died leaves its jobs for so long.
const LEASE_MS: i64 = 120_000;
/// How long a job may take, so that nobody who is alive outlives a claim.
const JOB_TIME: Duration = Duration::from_secs(90);
/// The wait after the first failure; it doubles with each (`specs/reliability.md` 1.4, F09).
const FIRST_WAIT_MS: i64 = 60_000;
/// The longest wait.
const LAST_WAIT_MS: i64 = 3_600_000;
/// Tries of a message: with the waits between them a day. Mail servers are put right within one, or not noticed at all.
const MAIL_TRIES: u32 = 30;
/// Tries of a watch's run: with the waits between them over an hour, after which a page counts as unreachable, and some
/// more for what is our own fault.
const WATCH_TRIES: u32 = 10;
/// Tries of forgetting; the next hour has a job of its own.
const PURGE_TRIES: u32 = 5;

/// Something to do, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "snake_case")]
pub enum Job {
    /// Hand a message to the mail server.
    SendMail(Mail),
    /// Send an account's owner the link that sets a new password, as an operator began days before.
    SendReset {
        /// The account.
        account: AccountId,
    },
    /// Audit the page of a tab, and tell its owner when it got worse.
    RunWatch {
        /// The tab.
        tab: TabId,
        /// The day of the run, counted from 1970-01-01.
        day: i64,
    },
    /// Forget what is past its time.
    Purge,
}

/// A queue of its own, so that what is slow holds up nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Messages.
    Mail,
    /// Audits.
    Audit,
    /// Housekeeping.
    Upkeep,
}

/// How a job ended.
#[derive(Debug)]
enum Ending {
    /// It is done, which is yet to be written.
    Done,
    /// It is done, which was written together with what it did.
    Written,
    /// The right to it was another's by then; nothing was written.
    Late,
}

/// Why a job is not done.
#[derive(Debug)]
enum Unfinished {
    /// It may be done later.
    Later(String),
    /// It never will be.
    Never(String),
}

impl Lane {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Mail, Self::Audit, Self::Upkeep];

    fn word(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Audit => "audit",
            Self::Upkeep => "upkeep",
        }
    }

    /// Jobs that one server does at once.
    fn at_once(self) -> usize {
        match self {
            Self::Mail | Self::Audit => 4,
            Self::Upkeep => 1,
        }
    }
}

impl Job {
    /// The job as it is queued, due now. `key`: what there may be only one job for, ever.
    pub fn queued(&self, app: &App, key: Option<String>) -> NewJob {
        let now = app.ports().now();
        let payload = serde_json::to_string(self).expect("it holds texts and numbers under names, which are JSON");
        let (id, lane) = (app.ports().id(), self.lane().word());
        NewJob { id, lane, unique_key: key, payload, run_at: now, created_at: now }
    }

    /// What it is, for the operator; `None` for what is no job of this version.
    pub fn described(payload: &str) -> Option<String> {
        Some(match serde_json::from_str(payload).ok()? {
            Self::SendMail(mail) => format!("mail to {}: {}", mail.to, mail.subject),
            Self::SendReset { account } => format!("link for a new password of account {account}"),
            Self::RunWatch { tab, .. } => format!("watch of tab {tab}"),
            Self::Purge => "forget what is past its time".to_owned(),
        })
    }

    fn lane(&self) -> Lane {
        match self {
            Self::SendMail(_) | Self::SendReset { .. } => Lane::Mail,
            Self::RunWatch { .. } => Lane::Audit,
            Self::Purge => Lane::Upkeep,
        }
    }

    fn tries(&self) -> u32 {
        match self {
            Self::SendMail(_) | Self::SendReset { .. } => MAIL_TRIES,
            Self::RunWatch { .. } => WATCH_TRIES,
            Self::Purge => PURGE_TRIES,
        }
    }
}

/// Does a job that was claimed, and writes down what became of it.
async fn perform(app: &App, claimed: ClaimedJob) -> Result<(), StoreError> {
    let (store, lease) = (app.database().store(), &claimed.lease);
    let job: Job = match serde_json::from_str(&claimed.payload) {
        Ok(job) => job,
        Err(error) => {
            tracing::error!(job.id = %lease.id(), %error, "a job can't be read");
            return store.bury_job(lease, app.ports().now(), &format!("it can't be read: {error}")).await.map(drop);
        }
    };
    let lane = job.lane().word();
    // Claimed by servers that all died over it.
    if claimed.attempt > job.tries() {
        tracing::error!(job.id = %lease.id(), lane, "a job ends whoever does it");
        return store.bury_job(lease, app.ports().now(), "it was begun and never ended").await.map(drop);
    }
    let done = timeout(JOB_TIME, attempt(app, &claimed, &job)).await;
    let now = app.ports().now();
    let (why, is_last) = match done {
        Ok(Ok(ending)) => {
            let counts = match ending {
                Ending::Done => store.finish_job(lease, now).await?,
                Ending::Written => true,
                Ending::Late => false,
            };
            tracing::info!(job.id = %lease.id(), lane, attempt = claimed.attempt, counts, "a job is done");
            return Ok(());
        }
        Ok(Err(Unfinished::Never(why))) => (why, true),
        Ok(Err(Unfinished::Later(why))) => (why, claimed.attempt >= job.tries()),
        Err(_) => ("it took too long".to_owned(), claimed.attempt >= job.tries()),
    };
    // Why is for the operator who asks: it may name a person.
    if is_last {
        tracing::error!(job.id = %lease.id(), lane, attempt = claimed.attempt, "a job was given up");
        return store.bury_job(lease, now, &why).await.map(drop);
    }
    tracing::warn!(job.id = %lease.id(), lane, attempt = claimed.attempt, "a job failed; it will be tried again");
    store.postpone_job(lease, now.plus_ms(wait_ms(claimed.attempt)), &why).await.map(drop)
}

async fn attempt(app: &App, claimed: &ClaimedJob, job: &Job) -> Result<Ending, Unfinished> {
    match job {
        Job::SendMail(mail) => send_mail::run(app, claimed.lease.id(), mail).await.map(|()| Ending::Done),
        Job::SendReset { account } => match operator::send_reset(app, account).await {
            Ok(()) => Ok(Ending::Done),
            Err(error) => Err(Unfinished::Later(error.code.wire().to_owned())),
        },
        Job::RunWatch { tab, day } => run_watch::run(app, claimed, tab, *day).await,
        Job::Purge => match purge(app).await {
            Ok(rows) => {
                tracing::info!(rows, "forgot what is past its time");
                Ok(Ending::Done)
            }
            Err(error) => Err(error.into()),
        },
    }
}

/// The wait after the try `attempt`.
fn wait_ms(attempt: u32) -> i64 {
    let doublings = attempt.saturating_sub(1).min(16);
    (FIRST_WAIT_MS << doublings).min(LAST_WAIT_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_an_hour() {
        for (attempt, minutes) in [(0, 1), (1, 1), (2, 2), (6, 32), (7, 60), (30, 60), (u32::MAX, 60)] {
            assert_eq!(wait_ms(attempt), minutes * 60_000, "{attempt}");
        }
    }

    #[test]
    fn a_job_is_described_and_what_is_none_is_not() {
        assert_eq!(Job::described(r#"{"job":"purge"}"#).as_deref(), Some("forget what is past its time"));
        for payload in ["", "{}", r#"{"job":"lunch"}"#] {
            assert_eq!(Job::described(payload), None, "{payload}");
        }
    }
}
