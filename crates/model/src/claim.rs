//! What a guest's claim gave to an account.

use schemars::JsonSchema;
use serde::Serialize;

/// What changed hands in one product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProductClaim {
    /// Rows that are the account's now.
    #[serde(rename = "movidos")]
    pub moved: MovedRows,
    /// Tabs that stayed with the guest, as the account follows the same pages already.
    #[serde(rename = "apagados")]
    pub left: u64,
    /// Purchases that are the account's now.
    #[serde(rename = "direitos")]
    pub purchases: u64,
}

/// Rows that changed hands, by kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MovedRows {
    /// Audits.
    pub audits: u64,
    /// Followed pages.
    pub tabs: u64,
    /// Public addresses of those audits.
    pub shares: u64,
}
