//! A node of the facilitator's chain: the JSON-RPC methods by which a payment is looked up.

use serde_json::{Value, json};

use super::{FacilitatorLedger, Moved, lock};

/// `AuthorizationUsed(address,bytes32)` (EIP-3009).
const AUTHORIZATION_USED: &str = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
/// `AuthorizationCanceled(address,bytes32)` (EIP-3009).
const AUTHORIZATION_CANCELED: &str = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";
/// `Transfer(address,address,uint256)` (ERC-20).
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/// USDC on the test network.
const ASSET: &str = "0x036cbd53842c5426634e7929541ec2318f3dcf7e";
/// The newest block, which has all events.
const BLOCK: u64 = 40_000;

/// The answer to a question.
pub(super) fn answer(state: &FacilitatorLedger, question: &Value) -> Value {
    let params = &question["params"];
    let result = match question["method"].as_str().unwrap_or_default() {
        "eth_getBlockByNumber" => block(state),
        "eth_call" => json!(format!("0x{:064x}", u8::from(is_used(state, &params[0])))),
        "eth_getLogs" => logs(state, &params[0]),
        "eth_getTransactionReceipt" => receipt(state, &params[0]),
        _ => {
            return json!({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -32601, "message": "Method not found"}});
        }
    };
    json!({"jsonrpc": "2.0", "id": question["id"], "result": result})
}

/// An empty block as anvil 1.7.1 answers it, without its hashes.
fn block(state: &FacilitatorLedger) -> Value {
    json!({"number": format!("{BLOCK:#x}"), "timestamp": format!("{:#x}", state.time()), "transactions": [],
        "baseFeePerGas": "0x3b9aca00", "blobGasUsed": "0x0", "difficulty": "0x0", "excessBlobGas": "0x0",
        "extraData": "0x", "gasLimit": "0x1c9c380", "totalDifficulty": "0x0", "uncles": [], "withdrawals": []})
}

/// `authorizationState(payer, nonce)`.
fn is_used(state: &FacilitatorLedger, call: &Value) -> bool {
    let data = call["data"].as_str().unwrap_or_default();
    let word = |at: usize| data.get(10 + 64 * at..10 + 64 * (at + 1)).unwrap_or_default();
    let (payer, nonce) = (format!("0x{}", word(0).get(24..).unwrap_or_default()), format!("0x{}", word(1)));
    state.is_over(&(payer, nonce))
}

fn logs(state: &FacilitatorLedger, filter: &Value) -> Value {
    let block = |name: &str| u64::from_str_radix(filter[name].as_str()?.strip_prefix("0x")?, 16).ok();
    if block("fromBlock").is_none_or(|from| from > BLOCK) || block("toBlock").is_none_or(|to| to < BLOCK) {
        return json!([]);
    }
    let mut logs: Vec<Value> = lock(&state.moved).iter().map(|(key, moved)| use_of(key, moved)).collect();
    logs.extend(lock(&state.cancelled).iter().map(cancellation_of));
    logs.into_iter().filter(|log| is_wanted(&log["topics"], &filter["topics"])).collect()
}

/// Whether the topics of a log are those of a filter, each of which is one or a choice.
fn is_wanted(topics: &Value, wanted: &Value) -> bool {
    let pairs = topics.as_array().into_iter().flatten().zip(wanted.as_array().into_iter().flatten());
    pairs.into_iter().all(|(topic, wanted)| match wanted {
        Value::Array(choice) => choice.contains(topic),
        wanted => wanted == topic,
    })
}

fn receipt(state: &FacilitatorLedger, transaction: &Value) -> Value {
    let moved = lock(&state.moved);
    match moved.iter().find(|(_, moved)| moved.transaction == *transaction) {
        Some((key, moved)) => {
            let data = format!("0x{:064x}", moved.value);
            let topics = [TRANSFER.to_owned(), padded(&key.0), padded(&moved.to)];
            let transfer = json!({"address": ASSET, "topics": topics, "data": data});
            json!({"transactionHash": moved.transaction, "status": "0x1", "logs": [use_of(key, moved), transfer]})
        }
        None => Value::Null,
    }
}

fn use_of((payer, nonce): &(String, String), moved: &Moved) -> Value {
    json!({"address": ASSET, "topics": [AUTHORIZATION_USED, padded(payer), nonce], "data": "0x",
        "transactionHash": moved.transaction})
}

fn cancellation_of((payer, nonce): &(String, String)) -> Value {
    json!({"address": ASSET, "topics": [AUTHORIZATION_CANCELED, padded(payer), nonce], "data": "0x",
        "transactionHash": format!("0x{:064x}", 0xca)})
}

/// An address as a topic: 32 bytes.
fn padded(address: &str) -> String {
    format!("0x{:0>64}", address.trim_start_matches("0x").to_ascii_lowercase())
}
