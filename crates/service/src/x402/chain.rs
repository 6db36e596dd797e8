//! The networks on which USDC is accepted, and searching one of them for a transfer.

use std::time::Duration;

use fetch::{Fetcher, ServiceBody, ServiceQuestion};
use serde_json::{Value, json};
use tokio::time::Instant;
use url::Url;

use crate::config::PaymentNetwork;

/// Deadline of one search of the chain, all its requests included.
const SEARCH_WITHIN: Duration = Duration::from_secs(30);
/// Bytes of a node's answer: a receipt has a few logs, of a few hundred bytes each; a block has 69 for each of its
/// transactions, of which a full one on Base has some thousands.
const ANSWER_BYTES: usize = 1024 * 1024;
/// `AuthorizationUsed(address,bytes32)` (EIP-3009).
const AUTHORIZATION_USED: &str = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
/// `AuthorizationCanceled(address,bytes32)` (EIP-3009).
const AUTHORIZATION_CANCELED: &str = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";
/// `Transfer(address,address,uint256)` (ERC-20).
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/// `authorizationState(address,bytes32)` (EIP-3009): the first four bytes of a call.
const AUTHORIZATION_STATE: &str = "0xe94a0102";
/// Blocks before the authorization came that are searched too: clocks differ, and anybody may have sent it earlier.
const BLOCKS_BEFORE: u64 = 300;
/// Blocks of one question: what public nodes answer in one go.
const RANGE_BLOCKS: u64 = 10_000;
/// Ranges of one search. On Base, with a block every two seconds, they go back two days.
const MOST_RANGES: usize = 10;

/// A network and its USDC contract, as x402 names them.
#[derive(Debug)]
pub struct Chain {
    /// Name in version 1.
    pub name: &'static str,
    /// Name in version 2 (CAIP-2).
    pub caip2: &'static str,
    /// Number of the chain (EIP-155).
    pub id: u64,
    /// The USDC contract.
    pub asset: &'static str,
    /// The token's EIP-712 name; it differs between the networks.
    pub token: &'static str,
}

/// Version of the token's EIP-712 domain, on every network.
pub(crate) const TOKEN_VERSION: &str = "2";

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
    pub fn of(network: PaymentNetwork) -> &'static Self {
        match network {
            PaymentNetwork::Base => &BASE,
            PaymentNetwork::BaseSepolia => &BASE_SEPOLIA,
        }
    }
}

/// The transfer that is searched for on the chain.
#[derive(Debug)]
pub struct TransferQuery<'s> {
    /// The token's contract.
    pub asset: &'s str,
    /// Who pays.
    pub payer: &'s str,
    /// The authorization's nonce, 0x and 64 hex digits.
    pub nonce: &'s str,
    /// Who is paid.
    pub pay_to: &'s str,
    /// Atomic units.
    pub amount: u64,
    /// Milliseconds since the authorization came.
    pub age_ms: u64,
    /// The transaction that the facilitator named, if any.
    pub transaction: Option<&'s str>,
}

/// State of an authorization on the chain.
#[derive(Debug, PartialEq, Eq)]
pub enum ChainUse {
    /// The transfer is in this transaction.
    Transfer(String),
    /// It was not used up to the end of a block of this time, in seconds since 1970.
    Unused {
        /// Time of the block.
        at: u64,
    },
    /// It was used for another transfer, or its payer cancelled it: this transfer can't come any more.
    Spent,
    /// The node did not answer, or with something else.
    Unknown,
}

/// Effect of a transaction on an authorization, by its receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AuthorizationEffect {
    /// It used the authorization for the transfer that is searched for.
    Transfer,
    /// It used the authorization, and made no such transfer.
    OtherUse,
    /// It is not on the chain, or did not use the authorization.
    None,
}

/// Number and time of a block.
#[derive(Debug, Clone, Copy)]
struct Block {
    number: u64,
    /// Seconds since 1970.
    time: u64,
}

/// A node, over JSON-RPC.
#[derive(Debug)]
pub struct ChainNode {
    url: Url,
}

impl ChainNode {
    /// The node at an address.
    pub fn new(url: Url) -> Self {
        Self { url }
    }

    /// Looks for the use of an authorization and the transfer beside it.
    pub async fn find(&self, fetcher: &Fetcher, query: &TransferQuery<'_>) -> ChainUse {
        let search = Search { url: &self.url, fetcher, deadline: Instant::now() + SEARCH_WITHIN };
        // What can't be read is not known.
        search.find(query).await.unwrap_or(ChainUse::Unknown)
    }
}

/// One search of the chain. `None` always means that the node did not answer, or with something else.
struct Search<'l> {
    url: &'l Url,
    fetcher: &'l Fetcher,
    deadline: Instant,
}

impl Search<'_> {
    async fn find(&self, query: &TransferQuery<'_>) -> Option<ChainUse> {
        if let Some(named) = query.transaction
            && self.effect(named, query).await? == AuthorizationEffect::Transfer
        {
            return Some(ChainUse::Transfer(named.to_owned()));
        }
        let newest = self.newest_block().await?;
        if !self.is_used(query, newest).await? {
            return Some(ChainUse::Unused { at: newest.time });
        }
        let log = self.end_of_authorization(query, newest).await?;
        if is_cancellation(&log, query) {
            return Some(ChainUse::Spent);
        }
        let transaction = log.get("transactionHash")?.as_str()?;
        match self.effect(transaction, query).await? {
            AuthorizationEffect::Transfer => Some(ChainUse::Transfer(transaction.to_owned())),
            AuthorizationEffect::OtherUse => Some(ChainUse::Spent),
            // The node contradicts itself.
            AuthorizationEffect::None => None,
        }
    }

    async fn newest_block(&self) -> Option<Block> {
        let block = self.ask("eth_getBlockByNumber", json!(["latest", false])).await?;
        Some(Block { number: hex_number(block.get("number")?)?, time: hex_number(block.get("timestamp")?)? })
    }

    /// Whether the chain accepts the authorization no more after this block: it was used, or its payer cancelled it.
    async fn is_used(&self, query: &TransferQuery<'_>, block: Block) -> Option<bool> {
        let payer = padded(query.payer);
        let words = [payer.as_str(), query.nonce].map(|word| word.trim_start_matches("0x"));
        let call = json!({"to": query.asset, "data": format!("{AUTHORIZATION_STATE}{}", words.concat())});
        let state = self.ask("eth_call", json!([call, format!("{:#x}", block.number)])).await?;
        // A word of 32 bytes; what is no such contract answers with less.
        let digits = state.as_str()?.strip_prefix("0x").filter(|digits| digits.len() == 64)?;
        match digits.trim_start_matches('0') {
            "" => Some(false),
            "1" => Some(true),
            _ => None,
        }
    }

    /// The log of the authorization's use or cancellation, searched from the newest block back to before it came here.
    async fn end_of_authorization(&self, query: &TransferQuery<'_>, newest: Block) -> Option<Value> {
        let mut to = newest.number;
        // At least a second from block to block on the networks of this table.
        let oldest = to.saturating_sub((query.age_ms / 1000).saturating_add(BLOCKS_BEFORE));
        for _ in 0..MOST_RANGES {
            let from = to.saturating_sub(RANGE_BLOCKS - 1).max(oldest);
            let filter = json!([{
                "fromBlock": format!("{from:#x}"),
                "toBlock": format!("{to:#x}"),
                "address": query.asset,
                "topics": [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], padded(query.payer), query.nonce],
            }]);
            let ends = self.ask("eth_getLogs", filter).await?;
            if let Some(log) = ends.as_array()?.first() {
                return Some(log.clone());
            }
            if from == oldest {
                break;
            }
            to = from - 1;
        }
        None
    }

    /// What a transaction did with the authorization.
    async fn effect(&self, transaction: &str, query: &TransferQuery<'_>) -> Option<AuthorizationEffect> {
        let receipt = self.ask("eth_getTransactionReceipt", json!([transaction])).await?;
        if receipt.is_null() {
            return Some(AuthorizationEffect::None);
        }
        let logs = receipt.get("logs")?.as_array()?;
        Some(if !logs.iter().any(|log| is_use(log, query)) {
            AuthorizationEffect::None
        } else if logs.iter().any(|log| is_transfer(log, query)) {
            AuthorizationEffect::Transfer
        } else {
            AuthorizationEffect::OtherUse
        })
    }

    /// The result of a call, which may be null.
    async fn ask(&self, method: &str, params: Value) -> Option<Value> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let body = Some(ServiceBody::Json(body));
        let question = ServiceQuestion { url: self.url, body, authorization: None, answer_bytes: ANSWER_BYTES };
        match self.fetcher.ask_service(question, self.deadline).await {
            Ok(answer) => {
                let answer: Option<Value> = serde_json::from_slice(&answer.body).ok();
                let result = answer.and_then(|answer| answer.get("result").cloned());
                if result.is_none() {
                    tracing::warn!(method, "the blockchain node returned no result");
                }
                result
            }
            Err(error) => {
                tracing::warn!(%error, method, "the blockchain node is not reachable");
                None
            }
        }
    }
}

/// Whether a log is the use of the authorization.
fn is_use(log: &Value, query: &TransferQuery<'_>) -> bool {
    is_event(log, query, [AUTHORIZATION_USED, &padded(query.payer), query.nonce])
}

/// Whether a log is the end of the authorization by its payer.
fn is_cancellation(log: &Value, query: &TransferQuery<'_>) -> bool {
    is_event(log, query, [AUTHORIZATION_CANCELED, &padded(query.payer), query.nonce])
}

/// Whether a log is the transfer that is searched for.
fn is_transfer(log: &Value, query: &TransferQuery<'_>) -> bool {
    let amount = word(log.get("data")).strip_prefix("0x").and_then(|hex| u128::from_str_radix(hex, 16).ok());
    is_event(log, query, [TRANSFER, &padded(query.payer), &padded(query.pay_to)])
        && amount == Some(u128::from(query.amount))
}

/// Whether a log is of the token, with these topics.
fn is_event(log: &Value, query: &TransferQuery<'_>, topics: [&str; 3]) -> bool {
    let topic = |index: usize| word(log.get("topics").and_then(|topics| topics.get(index)));
    word(log.get("address")) == query.asset.to_ascii_lowercase()
        && topics.iter().enumerate().all(|(index, wanted)| topic(index) == wanted.to_ascii_lowercase())
}

/// Hex digits as nodes write them, in lower case.
fn word(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase()
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
        let query = TransferQuery {
            asset: BASE.asset,
            payer: &payer,
            nonce: "0x",
            pay_to: &pay_to,
            amount: 20_000,
            age_ms: 0,
            transaction: None,
        };
        let log = |to: &str, amount: &str| {
            json!({"address": BASE.asset, "topics": [TRANSFER, padded(&payer), padded(to)],
                "data": format!("0x{amount:0>64}")})
        };
        assert!(!is_use(&log(&pay_to, "4e20"), &query));
        assert!(is_transfer(&log(&pay_to, "4e20"), &query));
        assert!(!is_transfer(&log(&pay_to, "4e21"), &query));
        assert!(!is_transfer(&log(&payer, "4e20"), &query));
        assert!(!is_transfer(&json!({}), &query));
    }
}
