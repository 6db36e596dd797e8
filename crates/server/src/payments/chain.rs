//! The networks on which USDC is taken, and looking at one of them.

use std::time::Duration;

use fetch::{Fetcher, ServiceQuestion};
use serde_json::{Value, json};
use tokio::time::Instant;
use url::Url;

use crate::config::PaymentNetwork;

/// For one question to a node.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// Bytes of a node's answer: a receipt has a few logs, of a few hundred bytes each.
const ANSWER_BYTES: usize = 256 * 1024;
/// `AuthorizationUsed(address,bytes32)` (EIP-3009).
const AUTHORIZATION_USED: &str = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
/// `Transfer(address,address,uint256)` (ERC-20).
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/// Blocks before the authorization came that are looked at too: clocks differ, and anybody may have sent it earlier.
const BLOCKS_BEFORE: u64 = 300;
/// Blocks looked at in all: what public nodes answer in one go.
const MOST_BLOCKS: u64 = 10_000;

/// What x402 says of a network and its USDC contract (`specs/x402.md` §1).
#[derive(Debug)]
pub(crate) struct Chain {
    /// Name in version 1.
    pub(crate) name: &'static str,
    /// Name in version 2 (CAIP-2).
    pub(crate) caip2: &'static str,
    /// Number of the chain (EIP-155).
    pub(crate) id: u64,
    /// The USDC contract.
    pub(crate) asset: &'static str,
    /// The token's EIP-712 name; it differs between the networks.
    pub(crate) token: &'static str,
}

/// Version of the token's EIP-712 domain, on every network.
pub(super) const TOKEN_VERSION: &str = "2";

const BASE: Chain = Chain {
    name: "base",
    caip2: "eip155:8453",
    id: 8453,
    asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    token: "USD Coin",
};
const BASE_SEPOLIA: Chain = Chain {
    name: "base-sepolia",
    caip2: "eip155:84532",
    id: 84532,
    asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    token: "USDC",
};

impl Chain {
    /// The chain of a network.
    pub(crate) fn of(network: PaymentNetwork) -> &'static Self {
        match network {
            PaymentNetwork::Base => &BASE,
            PaymentNetwork::BaseSepolia => &BASE_SEPOLIA,
        }
    }
}

/// What is looked for on the chain.
#[derive(Debug)]
pub(super) struct Sought<'s> {
    /// The token's contract.
    pub(super) asset: &'s str,
    /// Who pays.
    pub(super) payer: &'s str,
    /// The authorization's nonce, 0x and 64 hex digits.
    pub(super) nonce: &'s str,
    /// Who is paid.
    pub(super) pay_to: &'s str,
    /// Atomic units.
    pub(super) amount: u64,
    /// Milliseconds since the authorization came.
    pub(super) age_ms: u64,
}

/// What a look at the chain gave.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// The transfer is in this transaction.
    Transfer(String),
    /// The authorization was not used.
    Nothing,
    /// The node did not answer, or with something else.
    Unknown,
}

/// A node that is asked by JSON-RPC.
#[derive(Debug)]
pub(super) struct Node {
    url: Url,
}

impl Node {
    /// The node at an address.
    pub(super) fn new(url: Url) -> Self {
        Self { url }
    }

    /// Looks for the use of an authorization and the transfer beside it.
    pub(super) async fn look(&self, fetcher: &Fetcher, sought: &Sought<'_>) -> Seen {
        match self.find(fetcher, sought).await {
            Some(Some(transaction)) => Seen::Transfer(transaction),
            Some(None) => Seen::Nothing,
            None => Seen::Unknown,
        }
    }

    /// `None`: not known.
    async fn find(&self, fetcher: &Fetcher, sought: &Sought<'_>) -> Option<Option<String>> {
        let newest = hex_number(&self.ask(fetcher, "eth_blockNumber", json!([])).await?)?;
        // At least a second from block to block on the networks of this table.
        let back = (sought.age_ms / 1000).saturating_add(BLOCKS_BEFORE).min(MOST_BLOCKS);
        let filter = json!([{
            "fromBlock": format!("{:#x}", newest.saturating_sub(back)),
            "toBlock": "latest",
            "address": sought.asset,
            "topics": [AUTHORIZATION_USED, padded(sought.payer), sought.nonce],
        }]);
        let used = self.ask(fetcher, "eth_getLogs", filter).await?;
        let Some(log) = used.as_array()?.first().cloned() else { return Some(None) };
        let transaction = log.get("transactionHash")?.as_str()?.to_owned();
        let receipt = self.ask(fetcher, "eth_getTransactionReceipt", json!([transaction])).await?;
        let logs = receipt.get("logs")?.as_array()?;
        logs.iter().any(|log| is_transfer(log, sought)).then_some(Some(transaction))
    }

    /// The result of a call; `None` where there is none.
    async fn ask(&self, fetcher: &Fetcher, method: &str, params: Value) -> Option<Value> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let question =
            ServiceQuestion { url: &self.url, json: Some(body), authorization: None, answer_bytes: ANSWER_BYTES };
        match fetcher.ask_service(question, Instant::now() + ANSWER_WITHIN).await {
            Ok(answer) => {
                let answer: Value = serde_json::from_slice(&answer.body).ok()?;
                let result = answer.get("result").filter(|result| !result.is_null()).cloned();
                if result.is_none() {
                    tracing::warn!(method, "the node gave no result");
                }
                result
            }
            Err(error) => {
                tracing::warn!(%error, method, "the node can't be asked");
                None
            }
        }
    }
}

/// Whether a log is the transfer that is looked for.
fn is_transfer(log: &Value, sought: &Sought<'_>) -> bool {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let topic = |index: usize| text(log.get("topics").and_then(|topics| topics.get(index)));
    text(log.get("address")) == sought.asset.to_ascii_lowercase()
        && topic(0) == TRANSFER
        && topic(1) == padded(sought.payer)
        && topic(2) == padded(sought.pay_to)
        && text(log.get("data")).strip_prefix("0x").and_then(|hex| u128::from_str_radix(hex, 16).ok())
            == Some(u128::from(sought.amount))
}

/// An address as a topic: 32 bytes.
fn padded(address: &str) -> String {
    let digits = address.strip_prefix("0x").unwrap_or(address).to_ascii_lowercase();
    format!("0x{digits:0>64}")
}

fn hex_number(value: &Value) -> Option<u64> {
    u64::from_str_radix(value.as_str()?.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_is_told_by_token_parties_and_amount() {
        let (payer, pay_to) = (format!("0x{}", "Ab".repeat(20)), format!("0x{}", "12".repeat(20)));
        let sought =
            Sought { asset: BASE.asset, payer: &payer, nonce: "0x", pay_to: &pay_to, amount: 20_000, age_ms: 0 };
        let log = |to: &str, amount: &str| {
            json!({"address": BASE.asset, "topics": [TRANSFER, padded(&payer), padded(to)],
                "data": format!("0x{amount:0>64}")})
        };
        assert!(is_transfer(&log(&pay_to, "4e20"), &sought));
        assert!(!is_transfer(&log(&pay_to, "4e21"), &sought));
        assert!(!is_transfer(&log(&payer, "4e20"), &sought));
        assert!(!is_transfer(&json!({}), &sought));
    }
}
