//! Validation of the tables about money: prices, payment by x402, and Pix.

use sha3::{Digest as _, Keccak256};

use super::settings::Config;
use super::values::{PaymentMode, PaymentNetwork, is_header_value, is_kept_secret_on_the_way};
use crate::brcode;

impl Config {
    pub(super) fn validate_payments(&self) -> Result<(), (&'static str, &'static str)> {
        let payments = &self.payments;
        let pay_to = payments.pay_to.as_deref();
        if pay_to.is_some_and(|address| !is_address(address)) {
            return Err(("payments.pay_to", "must be 0x followed by 40 hex digits"));
        }
        if pay_to.is_some_and(|address| !is_checked(address)) {
            let takes =
                "its capitals don't fit its digits, as they would in an address without a typing error (EIP-55)";
            return Err(("payments.pay_to", takes));
        }
        let is_web = |text: &str| url::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if let Some(facilitator) = &payments.facilitator {
            let Some(url) = url::Url::parse(facilitator).ok().filter(is_facilitator) else {
                let takes = "must be an http or https URL without password, query or fragment; a password goes into \
                             payments.facilitator_auth";
                return Err(("payments.facilitator", takes));
            };
            if payments.facilitator_auth.is_some() && !is_kept_secret_on_the_way(&url) {
                return Err(("payments.facilitator", "must be an https URL where payments.facilitator_auth is set"));
            }
        }
        if payments.rpc_url.as_ref().is_some_and(|url| !is_web(url.expose())) {
            return Err(("payments.rpc_url", "must be an http or https URL"));
        }
        if payments.faucet.as_ref().is_some_and(|url| !is_web(url)) {
            return Err(("payments.faucet", "must be an http or https URL"));
        }
        if payments.facilitator_auth.as_ref().is_some_and(|auth| !is_header_value(auth.expose())) {
            return Err(("payments.facilitator_auth", "must be a valid header value, without line breaks"));
        }
        for (key, price) in
            [("prices.audit_usd", self.prices.audit_usd), ("prices.extra_tab_usd", self.prices.extra_tab_usd)]
        {
            if price.0 == 0 && self.payment_mode() == PaymentMode::Live {
                return Err((key, "must be more than 0; list free items in free_now"));
            }
        }
        if self.payment_mode() == PaymentMode::Live && payments.pay_to.is_none() {
            return Err(("payments.pay_to", "must be set while payments.mode is live"));
        }
        // Required before anything is charged, too: naming the main network shows the intention.
        if payments.network == PaymentNetwork::Base && payments.facilitator.is_none() {
            return Err(("payments.facilitator", "must be set where payments.network is base"));
        }
        Ok(())
    }

    pub(super) fn validate_pix(&self) -> Result<(), (&'static str, &'static str)> {
        let pix = &self.pix;
        if pix.key.as_ref().is_some_and(|key| !brcode::is_key(key)) {
            return Err((
                "pix.key",
                "must be a CPF, a CNPJ, a phone (+55…), an e-mail or a random key, as the bank has it",
            ));
        }
        for (key, value) in [("pix.name", &pix.name), ("pix.city", &pix.city)] {
            if value.as_ref().is_some_and(|text| brcode::plain(text).is_empty()) {
                return Err((key, "must be a text with letters of the Latin alphabet"));
            }
        }
        if pix.brl_per_usd.is_some_and(|rate| rate.0 == 0) {
            return Err(("pix.brl_per_usd", "must be a rate above 0"));
        }
        Ok(())
    }
}

/// Whether a text is an address of the chain.
fn is_address(text: &str) -> bool {
    text.strip_prefix("0x").is_some_and(|hex| hex.len() == 40 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Whether a mixed-case address has a valid checksum (EIP-55). Single-case addresses have none.
fn is_checked(address: &str) -> bool {
    let hex = address.trim_start_matches("0x");
    if !hex.bytes().any(|b| b.is_ascii_lowercase()) || !hex.bytes().any(|b| b.is_ascii_uppercase()) {
        return true;
    }
    let digest = Keccak256::digest(hex.to_ascii_lowercase().as_bytes());
    let nibbles = digest.iter().flat_map(|byte| [byte >> 4, byte & 0x0f]);
    hex.bytes().zip(nibbles).all(|(b, nibble)| !b.is_ascii_alphabetic() || b.is_ascii_uppercase() == (nibble >= 8))
}

/// Whether a URL can be a facilitator's: it is shown to every caller, and paths are appended to it.
fn is_facilitator(url: &url::Url) -> bool {
    matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_a_typing_error_is_told_by_its_capitals() {
        // The examples of EIP-55, all in one case and as it writes them.
        for address in [
            "0x52908400098527886E0F7030069857D2E4169EE7",
            "0xde709f2102306220921060314715629080e2fb77",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
            "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
            "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
        ] {
            assert!(is_address(address) && is_checked(address), "{address}");
        }
        for address in ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeBed"] {
            assert!(is_address(address) && !is_checked(address), "{address}");
        }
    }
}
