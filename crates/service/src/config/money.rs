//! Keys about money: prices, payment by x402, and Pix.

use model::money::Micros;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::secret::SecretText;
use super::values::{NamedUrl, PaymentMode, PaymentNetwork, Sku};

/// Prices in US dollars.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Prices {
    /// One audit beyond the free allowance.
    pub audit_usd: Micros,
    /// One followed page beyond the free ones.
    pub extra_tab_usd: Micros,
    /// One contact by an agent; a list price.
    pub contact_agent_usd: Micros,
}

/// Payment by x402.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Payments")]
pub struct PaymentSettings {
    /// `live` charges, `dev` lets calls through unpaid; by default `dev` while `pay_to` is not set, else `live`.
    pub mode: Option<PaymentMode>,
    /// `base` or, for staging, `base-sepolia`.
    pub network: PaymentNetwork,
    /// Address that receives USDC: `0x` and 40 hex digits; with capitals as well as small letters they are checked (EIP-55).
    pub pay_to: Option<String>,
    /// URL of the payment facilitator; on `base-sepolia` the public test one by default, on `base` required.
    pub facilitator: Option<String>,
    /// Value of the `Authorization` header for the facilitator.
    pub facilitator_auth: Option<SecretText>,
    /// JSON-RPC address of a node of the network, to look for payments of which the facilitator does not know; without it
    /// they wait for the operator.
    pub rpc_url: Option<SecretText>,
    /// Wallets that speak x402, as `name=URL`.
    pub wallets: Vec<NamedUrl>,
    /// Faucet for test USDC; shown on `base-sepolia` only.
    pub faucet: Option<String>,
}

/// Credit that is paid by Pix, and released by a person. On when key, name, city and rate are all set.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pix {
    /// Receiving key: CPF, CNPJ, phone (`+55…`), email or random key.
    pub key: Option<String>,
    /// Name of the receiver; 25 characters of it are shown to the bank.
    pub name: Option<String>,
    /// City of the receiver; 15 characters of it are shown to the bank.
    pub city: Option<String>,
    /// Reais per dollar.
    pub brl_per_usd: Option<Micros>,
    /// Requests accepted per network and UTC day.
    pub requests_per_day: u32,
    /// Pending requests in total.
    pub queue: u32,
}

impl Default for Prices {
    fn default() -> Self {
        Self { audit_usd: Micros(20_000), extra_tab_usd: Micros(50_000), contact_agent_usd: Micros(100_000) }
    }
}

impl Default for PaymentSettings {
    fn default() -> Self {
        Self {
            mode: None,
            network: PaymentNetwork::BaseSepolia,
            pay_to: None,
            facilitator: None,
            facilitator_auth: None,
            rpc_url: None,
            wallets: Vec::new(),
            faucet: None,
        }
    }
}

impl Default for Pix {
    fn default() -> Self {
        Self { key: None, name: None, city: None, brl_per_usd: None, requests_per_day: 3, queue: 200 }
    }
}

impl Pix {
    /// Missing keys of an incomplete configuration; empty when none or all are set.
    pub fn missing(&self) -> Vec<&'static str> {
        let keys = [
            ("pix.key", self.key.is_some()),
            ("pix.name", self.name.is_some()),
            ("pix.city", self.city.is_some()),
            ("pix.brl_per_usd", self.brl_per_usd.is_some()),
        ];
        let is_meant = keys.iter().any(|(_, is_set)| *is_set);
        keys.into_iter().filter(|(_, is_set)| is_meant && !is_set).map(|(key, _)| key).collect()
    }
}

impl Prices {
    /// The price of a SKU.
    pub fn of(&self, sku: Sku) -> Micros {
        match sku {
            Sku::Audit => self.audit_usd,
            Sku::Tab => self.extra_tab_usd,
        }
    }
}
