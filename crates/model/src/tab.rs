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
    /// What its owner calls it.
    pub alias: Option<String>,
    /// The one that is looked at.
    pub active: bool,
    /// Its last run; null before the first one.
    pub audit_id: Option<String>,
    /// Score of the last run, 0 to 100; null before the first one, and when the page could not be reached.
    pub score: Option<u32>,
    /// The page is audited once a day, and its owner told when it got worse.
    pub monitor: bool,
    /// Where alerts go; null for the account's own address.
    pub monitor_email: Option<String>,
    /// Whether alerts may go there: always to the account's own address, to another one once its holder agreed.
    pub monitor_email_confirmed: bool,
    /// When the page was last audited by the watch.
    pub monitor_checked_at: Option<Timestamp>,
    /// When it was opened.
    pub created_at: Timestamp,
}

/// One run of a tab (RunHistorico).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunHistorico")]
pub struct Run {
    /// The stored audit.
    pub audit_id: String,
    /// 0 to 100; null when the page could not be reached.
    pub score: Option<u32>,
    /// Findings per severity.
    pub counts: Counts,
    /// When it was made.
    pub created_at: Timestamp,
    /// What changed since the newest earlier run with a score; null on the oldest run that was read.
    pub change: Option<Change>,
    /// A run of the daily watch that mail was sent about, as the page had got worse.
    pub alerted: bool,
    /// The public report, when it is shared.
    pub shared: Option<String>,
    /// This run in the API.
    pub api: String,
}
