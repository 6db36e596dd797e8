//! Tabs: pages that somebody follows, and the history of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::Change;
use crate::finding::Counts;
use crate::time::Timestamp;

/// A followed page (Aba).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Aba")]
pub struct Tab {
    /// Its id.
    pub id: String,
    /// The page, without a fragment.
    pub url: String,
    /// Name given by its owner.
    pub alias: Option<String>,
    /// Whether it has the focus.
    pub active: bool,
    /// Its last run; null before the first one.
    pub audit_id: Option<String>,
    /// Score of the last run, 0 to 100; null before the first one, and when the page could not be reached.
    pub score: Option<u32>,
    /// Whether the page is audited once a day, with an alert when it gets worse.
    pub monitor: bool,
    /// Where alerts go; null for the account's own address.
    pub monitor_email: Option<String>,
    /// Whether the address receives alerts: always for the account's own, for another one after it confirmed.
    pub monitor_email_confirmed: bool,
    /// When the page was last audited by the watch.
    pub monitor_checked_at: Option<Timestamp>,
    /// When the watch audits the page next; null where it is not watched.
    pub monitor_next_at: Option<Timestamp>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// What its owner wrote down of it.
    pub note: Option<String>,
    /// When it was followed.
    pub created_at: Timestamp,
}

/// A finding of a followed page that its owner has put off: kept out of alerts and of what to fix first, never out of the
/// score. It ends by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Snooze {
    /// Code of the finding.
    pub code: String,
    /// Why it is put off, in its owner's words.
    pub reason: String,
    /// When it ends.
    pub until: Timestamp,
    /// When it began.
    pub created_at: Timestamp,
}

/// One run of a followed page (RunHistorico).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunHistorico")]
pub struct Run {
    /// The stored audit.
    pub audit_id: String,
    /// 0 to 100; null when the page could not be reached.
    pub score: Option<u32>,
    /// Findings per severity.
    pub counts: Counts,
    /// Time of creation.
    pub created_at: Timestamp,
    /// What changed since the newest earlier run with a score; null on the oldest run that was read.
    pub change: Option<Change>,
    /// Whether an alert was sent about this run.
    pub alerted: bool,
    /// The public report, when it is shared.
    pub shared: Option<String>,
    /// This run in the API.
    pub api: String,
}
