//! A job: work that no caller waits for, as it is kept in the queue of the database.

use model::id::{AccountId, TabId};
use render::mail::Mail;
use serde::{Deserialize, Serialize};
use store::NewJob;

use crate::ports::Ports;

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

impl Lane {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Mail, Self::Audit, Self::Upkeep];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Audit => "audit",
            Self::Upkeep => "upkeep",
        }
    }

    /// Jobs that one server does at once.
    pub(crate) fn at_once(self) -> usize {
        match self {
            Self::Mail | Self::Audit => 4,
            Self::Upkeep => 1,
        }
    }
}

impl Job {
    /// The job as it is queued, due now. `key`: what there may be only one job for, ever.
    pub fn queued(&self, ports: &Ports, key: Option<String>) -> NewJob {
        let now = ports.now();
        let payload = serde_json::to_string(self).expect("it holds texts and numbers under names, which are JSON");
        let (id, lane) = (ports.id(), self.lane().word());
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

    pub(crate) fn lane(&self) -> Lane {
        match self {
            Self::SendMail(_) | Self::SendReset { .. } => Lane::Mail,
            Self::RunWatch { .. } => Lane::Audit,
            Self::Purge => Lane::Upkeep,
        }
    }

    pub(crate) fn tries(&self) -> u32 {
        match self {
            Self::SendMail(_) | Self::SendReset { .. } => MAIL_TRIES,
            Self::RunWatch { .. } => WATCH_TRIES,
            Self::Purge => PURGE_TRIES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_described_and_what_is_none_is_not() {
        assert_eq!(Job::described(r#"{"job":"purge"}"#).as_deref(), Some("forget what is past its time"));
        for payload in ["", "{}", r#"{"job":"lunch"}"#] {
            assert_eq!(Job::described(payload), None, "{payload}");
        }
    }
}
