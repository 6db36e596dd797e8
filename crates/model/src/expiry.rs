//! Dates after which something that a page declares is no longer valid.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// What ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExpiryKind {
    /// The TLS certificate of the final response.
    Certificate,
    /// The site's `security.txt` (`Expires`, RFC 9116 §2.5.5).
    SecurityTxt,
    /// Search engines remove the page (`unavailable_after`, for everyone or for Googlebot).
    UnavailableAfter,
    /// The page goes away (`Sunset` header, RFC 8594).
    Sunset,
    /// Structured data is no longer valid: `validThrough`, `priceValidUntil`, `availabilityEnds` or `expires`.
    StructuredData,
}

/// A date after which something is no longer valid.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Expiry {
    /// When, UTC. A date without a time is the start of its day.
    pub at: Timestamp,
    /// What.
    pub kind: ExpiryKind,
    /// For structured data: type and property, such as `Offer.priceValidUntil`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
}
