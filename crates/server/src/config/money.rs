//! Keys about money: prices, payment by x402, and Pix.

use model::money::Micros;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Config, NamedUrl, PaymentMode, PaymentNetwork, Secret, Sku};
use crate::brcode;

/// Prices in US dollars.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Prices {
    /// One audit beyond the free allowance.
    pub audit_usd: Micros,
    /// One tab beyond the free ones.
    pub extra_tab_usd: Micros,
    /// One contact by an agent; a list price.
    pub contact_agent_usd: Micros,
}

/// Payment by x402.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Payments {
    /// `live` charges, `dev` lets calls through unpaid; by default `dev` while `pay_to` is not set, else `live`.
    pub mode: Option<PaymentMode>,
    /// `base` or, for staging, `base-sepolia`.
    pub network: PaymentNetwork,
    /// Address that receives USDC: `0x` and 40 hex digits.
    pub pay_to: Option<String>,
    /// URL of the payment facilitator; on `base-sepolia` the public test one by default, on `base` required to charge.
    pub facilitator: Option<String>,
    /// What the facilitator is sent as `Authorization`.
    pub facilitator_auth: Option<Secret>,
    /// JSON-RPC address of a node of the network, to look for payments of which the facilitator does not know; without it
    /// they wait for the operator.
    pub rpc_url: Option<Secret>,
    /// Wallets that speak x402, as `name=URL`.
    pub wallets: Vec<NamedUrl>,
    /// Where test money is given away; shown on `base-sepolia` only.
    pub faucet: Option<String>,
}

/// Credit that is paid by Pix, and released by a person. On when key, name, city and rate are all set.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pix {
    /// The key that receives: CPF, CNPJ, phone (`+55…`), e-mail or random key.
    pub key: Option<String>,
    /// Name of who receives; 25 characters of it are shown to the bank.
    pub name: Option<String>,
    /// City of who receives; 15 characters of it are shown to the bank.
    pub city: Option<String>,
    /// Reais per dollar.
    pub brl_per_usd: Option<Micros>,
    /// Requests accepted per network and UTC day.
    pub requests_per_day: u32,
    /// Requests that may wait for a decision in all.
    pub queue: u32,
}

impl Default for Prices {
    fn default() -> Self {
        Self { audit_usd: Micros(20_000), extra_tab_usd: Micros(50_000), contact_agent_usd: Micros(100_000) }
    }
}

impl Default for Payments {
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
    /// Keys that keep it off: those that are not set, where others are.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
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
    /// What one of these costs.
    pub fn of(&self, sku: Sku) -> Micros {
        match sku {
            Sku::Audit => self.audit_usd,
            Sku::Tab => self.extra_tab_usd,
        }
    }
}

impl Config {
    pub(super) fn validate_payments(&self) -> Result<(), (&'static str, &'static str)> {
        let payments = &self.payments;
        let is_address = |text: &str| {
            text.strip_prefix("0x").is_some_and(|hex| hex.len() == 40 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
        };
        if payments.pay_to.as_ref().is_some_and(|address| !is_address(address)) {
            return Err(("payments.pay_to", "takes 0x and 40 hex digits"));
        }
        let is_web = |text: &str| url::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        // It is shown to every caller.
        let is_public =
            |text: &str| url::Url::parse(text).is_ok_and(|url| url.username().is_empty() && url.password().is_none());
        if payments.facilitator.as_ref().is_some_and(|url| !is_web(url) || !is_public(url)) {
            let takes = "takes an http or https URL without a password; that is payments.facilitator_auth";
            return Err(("payments.facilitator", takes));
        }
        if payments.rpc_url.as_ref().is_some_and(|url| !is_web(url.expose())) {
            return Err(("payments.rpc_url", "takes an http or https URL"));
        }
        if payments.faucet.as_ref().is_some_and(|url| !is_web(url)) {
            return Err(("payments.faucet", "takes an http or https URL"));
        }
        if payments.facilitator_auth.as_ref().is_some_and(|auth| http::HeaderValue::from_str(auth.expose()).is_err()) {
            return Err(("payments.facilitator_auth", "takes a text that can stand in a header, without line ends"));
        }
        for (key, price) in
            [("prices.audit_usd", self.prices.audit_usd), ("prices.extra_tab_usd", self.prices.extra_tab_usd)]
        {
            if price.0 == 0 && self.payment_mode() == PaymentMode::Live {
                return Err((key, "takes more than 0; what is free stands in free_now"));
            }
        }
        if self.payment_mode() == PaymentMode::Live {
            if payments.pay_to.is_none() {
                return Err(("payments.pay_to", "must be set while payments.mode is live"));
            }
            if payments.network == PaymentNetwork::Base && payments.facilitator.is_none() {
                return Err(("payments.facilitator", "must be set to charge on base"));
            }
        }
        Ok(())
    }

    pub(super) fn validate_pix(&self) -> Result<(), (&'static str, &'static str)> {
        let pix = &self.pix;
        if pix.key.as_ref().is_some_and(|key| !brcode::is_key(key)) {
            return Err((
                "pix.key",
                "takes a CPF, a CNPJ, a phone (+55…), an e-mail or a random key, as the bank has it",
            ));
        }
        for (key, value) in [("pix.name", &pix.name), ("pix.city", &pix.city)] {
            if value.as_ref().is_some_and(|text| brcode::plain(text).is_empty()) {
                return Err((key, "takes a text with letters of the Latin alphabet"));
            }
        }
        if pix.brl_per_usd.is_some_and(|rate| rate.0 == 0) {
            return Err(("pix.brl_per_usd", "takes a rate above 0"));
        }
        Ok(())
    }
}
