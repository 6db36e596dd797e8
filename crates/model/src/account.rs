//! Accounts as their owners see them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::report::StoredAudit;
use crate::time::Timestamp;

/// How surely a session's holder is who they are, by the factors that they gave (NIST SP 800-63B: AAL1, AAL2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Assurance {
    /// One factor.
    Aal1,
    /// Two, or one that counts for two.
    Aal2,
}

impl Assurance {
    /// The number of factors, as it is stored.
    pub fn factors(self) -> i64 {
        match self {
            Self::Aal1 => 1,
            Self::Aal2 => 2,
        }
    }

    /// Reads a number of factors; what is not 2 proves no more than one.
    pub fn of_factors(factors: i64) -> Self {
        if factors == 2 { Self::Aal2 } else { Self::Aal1 }
    }
}

/// An account (`Conta` of the contract).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Account {
    /// The global account id, owner of tabs and audits.
    pub id: String,
    /// The verified e-mail address.
    pub email: String,
}

/// Profile of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// Name, at most 60 characters; may be empty.
    pub name: String,
    /// Language of emails: `en` or `pt-BR`.
    pub locale: String,
    /// The name of their time zone (tz database), such as `America/Sao_Paulo`.
    pub time_zone: String,
    /// `system`, `light` or `dark`.
    pub theme: String,
    /// Grows with each change; a change must name the current one.
    pub revision: u64,
}

/// The account, its profile, trial and recent audits.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Me {
    /// The account.
    pub user: Account,
    /// The profile.
    pub profile: Profile,
    /// The 50 most recent audits, newest first.
    pub audits: Vec<StoredAudit>,
    /// The trial.
    pub trial: Trial,
}

/// A signed-in browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    /// Its id, by which it can be ended.
    pub id: String,
    /// Whether it is the current session.
    pub current: bool,
    /// When it started.
    pub created_at: Timestamp,
    /// When it was last used, to the hour.
    pub last_seen_at: Timestamp,
    /// The browser's family.
    pub agent: String,
    /// The network, an IPv4 /24 or IPv6 /48; no exact address is kept.
    pub network: String,
    /// Sign-in methods: `password`, `totp`, `recovery`, `passkey`.
    pub methods: Vec<String>,
}

/// A security event of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SecurityEvent {
    /// When.
    pub at: Timestamp,
    /// Who did it: `account`, `operator` or `nobody`.
    pub actor: String,
    /// The organization that it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization: Option<String>,
    /// Stable name of the event.
    pub kind: String,
    /// The network, an IPv4 /24 or IPv6 /48.
    pub network: String,
    /// The browser's family.
    pub agent: String,
}

/// The free trial of an account, once, from its first use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Trial {
    /// How many days it lasts.
    pub days: u32,
    /// Whether it is running, or would start with the next call.
    pub active: bool,
    /// When it ends; null before the first use.
    pub ends_at: Option<Timestamp>,
    /// Days left, rounded up; absent before the first use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days_left: Option<u32>,
}
