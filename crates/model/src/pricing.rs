//! What is free, what costs what, and how it is paid.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::account::Trial;
use crate::money::Micros;

/// Prices of a service.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Pricing {
    /// Name of the product.
    pub product: String,
    /// Free allowance and prices.
    pub quota: PaymentQuota,
    /// Absolute URL of this document.
    pub pricing: String,
    /// Absolute URL of `GET /api/billing`.
    pub billing: String,
    /// Absolute URL of `GET /api/`.
    pub api_index: String,
}

/// Free allowance and prices (PaymentQuota).
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PaymentQuota {
    /// Free items.
    pub free: Vec<FreeItem>,
    /// Priced items.
    pub paid: Vec<PaidItem>,
    /// How a program pays.
    pub how_to_pay: String,
    /// Absolute URL of the current allowance.
    pub live: Option<String>,
    /// What is currently free.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub free_now: Vec<String>,
    /// The free trial after an account's first use.
    pub trial: TrialOffer,
}

/// Something free.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FreeItem {
    /// What.
    #[serde(rename = "o_que")]
    pub what: String,
    /// How many.
    #[serde(rename = "limite")]
    pub limit: u32,
    /// Period; null for a number held at the same time.
    #[serde(rename = "janela")]
    pub window: Option<String>,
}

/// Something with a price.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PaidItem {
    /// What.
    #[serde(rename = "o_que")]
    pub what: String,
    /// Its price in dollars.
    pub price_usd: Micros,
}

/// The free trial of an account.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TrialOffer {
    /// Days.
    pub days: u32,
    /// How it starts.
    pub how: String,
}

/// How to pay this service, and the caller's usage (Billing).
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Billing {
    /// Always `x402`.
    pub provider: &'static str,
    /// `live` charges; `dev` does not.
    pub mode: &'static str,
    /// `base`, or `base-sepolia` for staging.
    pub network: &'static str,
    /// Number of the chain (EIP-155).
    pub chain_id: u64,
    /// Receiving address.
    pub pay_to: Option<String>,
    /// Whether the network is the staging one.
    pub homolog: bool,
    /// `mode` is `dev`.
    pub dev: bool,
    /// Always false.
    pub dev_gate: bool,
    /// What is currently free.
    #[serde(rename = "gratis", skip_serializing_if = "Vec::is_empty")]
    pub free_now: Vec<String>,
    /// Who settles payments.
    pub facilitator: String,
    /// Always `USDC`.
    pub asset: &'static str,
    /// The contract of the asset.
    pub asset_address: &'static str,
    /// Faucet for test money; on `base-sepolia` only.
    pub faucet: Option<String>,
    /// Wallets with x402 support: name to URL.
    pub wallets: BTreeMap<String, String>,
    /// Name of the product.
    pub product: String,
    /// Free followed pages per owner.
    pub free_max_tabs: u32,
    /// Prices.
    pub prices: BillingPrices,
    /// What the caller uses.
    pub usage: Usage,
    /// The caller's trial.
    pub trial: Trial,
}

/// Prices in dollars.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BillingPrices {
    /// One audit beyond the free allowance.
    pub audit_usd: Micros,
    /// One followed page beyond the free ones.
    pub extra_tab_usd: Micros,
    /// One contact by an agent.
    pub contact_agent_usd: Micros,
}

/// What a caller uses.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Usage {
    /// Pages followed now.
    pub tabs: u32,
    /// Free followed pages left.
    pub free_slots_left: u32,
}
