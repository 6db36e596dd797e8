//! What a guest's claim gave to an account.

use schemars::JsonSchema;
use serde::Serialize;

/// Rows moved in one product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProductClaim {
    /// Rows moved to the account.
    #[serde(rename = "movidos")]
    pub moved: MovedRows,
    /// Followed pages left with the guest, because the account already follows them.
    #[serde(rename = "apagados")]
    pub left: u64,
    /// Purchases moved to the account.
    #[serde(rename = "direitos")]
    pub purchases: u64,
}

/// Rows moved, by kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MovedRows {
    /// Audits.
    pub audits: u64,
    /// Followed pages.
    pub tabs: u64,
    /// Shares of those audits.
    pub shares: u64,
}
