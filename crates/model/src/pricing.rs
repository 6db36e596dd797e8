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
    /// What is free and what is not.
    pub quota: PaymentQuota,
    /// Absolute URL of this document.
    pub pricing: String,
    /// Absolute URL of `GET /api/billing`.
    pub billing: String,
    /// Absolute URL of `GET /api/`.
    pub api_index: String,
}

/// What is free and what is not (PaymentQuota).
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PaymentQuota {
    /// What costs nothing.
    pub free: Vec<FreeItem>,
    /// What costs something.
    pub paid: Vec<PaidItem>,
    /// How a program pays.
    pub how_to_pay: String,
    /// Absolute URL of what is left right now.
    pub live: Option<String>,
    /// What is free for the time being.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub free_now: Vec<String>,
    /// The time after an account's first use, in which it pays nothing.
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
    /// In which time; null for at once.
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

/// The time in which an account pays nothing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TrialOffer {
    /// Days.
    pub days: u32,
    /// How it begins.
    pub how: String,
}

/// How a service is paid, and where its caller stands (Billing).
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Billing {
    /// Always `x402`.
    pub provider: &'static str,
    /// `live` charges; `dev` lets calls through unpaid.
    pub mode: &'static str,
    /// `base`, or `base-sepolia` for staging.
    pub network: &'static str,
    /// Number of the chain (EIP-155).
    pub chain_id: u64,
    /// Address that is paid.
    pub pay_to: Option<String>,
    /// The network is the one for staging.
    pub homolog: bool,
    /// `mode` is `dev`.
    pub dev: bool,
    /// Always false.
    pub dev_gate: bool,
    /// What is free for the time being.
    #[serde(rename = "gratis", skip_serializing_if = "Vec::is_empty")]
    pub free_now: Vec<String>,
    /// Who settles payments.
    pub facilitator: String,
    /// Always `USDC`.
    pub asset: &'static str,
    /// The contract of the asset.
    pub asset_address: &'static str,
    /// Where test money is given away; on `base-sepolia` only.
    pub faucet: Option<String>,
    /// Wallets that speak x402: name to URL.
    pub wallets: BTreeMap<String, String>,
    /// Name of the product.
    pub product: String,
    /// Free tabs per owner.
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
    /// One tab beyond the free ones.
    pub extra_tab_usd: Micros,
    /// One contact by an agent.
    pub contact_agent_usd: Micros,
}

/// What a caller uses.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Usage {
    /// Tabs open now.
    pub tabs: u32,
    /// Free tabs that are left.
    pub free_slots_left: u32,
}
