//! Events of followed pages, as webhooks and the feed tell them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::searchable::Searchable;
use crate::tab::Run;
use crate::time::Timestamp;

/// Kind of an event. Each run of a followed page is one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum EventKind {
    /// A run of the daily watch that calls for an alert: the score dropped, or there is a new error or warning.
    #[serde(rename = "watch.alert")]
    WatchAlert,
    /// Any other run that finished.
    #[serde(rename = "run.finished")]
    RunFinished,
    /// A test delivery. Its data is a sample.
    #[serde(rename = "webhook.test")]
    WebhookTest,
}

impl EventKind {
    /// The kinds that an endpoint can subscribe to.
    pub const SUBSCRIBED: [Self; 2] = [Self::WatchAlert, Self::RunFinished];

    /// The kind as it is written in an event.
    pub fn word(self) -> &'static str {
        match self {
            Self::WatchAlert => "watch.alert",
            Self::RunFinished => "run.finished",
            Self::WebhookTest => "webhook.test",
        }
    }

    /// Reads a word; `None` for an unknown one.
    pub fn of(word: &str) -> Option<Self> {
        [Self::WatchAlert, Self::RunFinished, Self::WebhookTest].into_iter().find(|kind| kind.word() == word)
    }
}

/// An event, in the shape that Standard Webhooks recommends: type, time and data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PageEvent {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: EventKind,
    /// When the run was made.
    pub timestamp: Timestamp,
    /// The page and its run.
    pub data: PageEventData,
}

/// The followed page of an event, and its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PageEventData {
    /// The followed page.
    pub tab: EventTab,
    /// Whether a search engine can show the page at all, which comes before its score; absent where the audit doesn't know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searchable: Option<Searchable<String>>,
    /// The run, with what changed since the one before.
    pub run: Run,
    /// Address of the report's page. Its owner has to be signed in there.
    pub report: String,
    /// Whether findings of `run.change` were left out to keep the event short; `run.api` has all of them.
    pub truncated: bool,
}

/// The followed page of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventTab {
    /// Its id.
    pub id: String,
    /// Its address.
    pub url: String,
    /// What its owner calls it.
    pub alias: Option<String>,
}

impl EventTab {
    /// The name for people: the alias, or the address.
    pub fn name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_written_as_its_word() {
        for kind in [EventKind::WatchAlert, EventKind::RunFinished, EventKind::WebhookTest] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.word());
            assert_eq!(EventKind::of(kind.word()), Some(kind));
        }
        assert_eq!(EventKind::of("page.deleted"), None);
    }
}
