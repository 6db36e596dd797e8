//! Accounts as their owners see them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// The time of an account without paywall, counted from its first use, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Trial {
    /// How many days it lasts.
    pub days: u32,
    /// It goes on, or would begin with the next call.
    pub active: bool,
    /// When it ends; null before the first use.
    pub ends_at: Option<Timestamp>,
    /// Whole days left, begun ones counted; absent before the first use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days_left: Option<u32>,
}
