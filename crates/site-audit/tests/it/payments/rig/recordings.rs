//! The facilitator of tests answers as the published one does, and its node as the chain: both are asked the same.

use serde_json::{Value, json};
use testkit::facilitator::TestFacilitator;

use super::peers::{Peers, post};
use super::{PATIENT, Rig, question, signed};
use crate::app::{Response, read};
use crate::payments::Payment;

/// USDC on the test network.
const TOKEN: &str = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
/// `AuthorizationUsed(address,bytes32)` and `AuthorizationCanceled(address,bytes32)` (EIP-3009).
const USED: &str = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
const CANCELED: &str = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";
/// No transaction.
const UNKNOWN: &str = "0x00000000000000000000000000000000000000000000000000000000000000aa";

#[tokio::test(flavor = "multi_thread")]
async fn the_facilitator_of_tests_answers_as_the_published_one() {
    let Some(rig) = Rig::start(PATIENT).await else { return };
    let (shop, peers) = rig.shop().await;
    let recorded = TestFacilitator::start().await;
    let asked = shop.app.call(shop.audit()).await;
    let good = question(&signed(&peers, &asked, 1, 1).await);
    let other = question(&signed(&peers, &asked, 1, 2).await);
    let changed = |pointer: &str, value: Value| {
        let mut changed = other.clone();
        *changed.pointer_mut(pointer).unwrap() = value.clone();
        // What is accepted is what is required.
        if let Some(name) = pointer.strip_prefix("/paymentRequirements/") {
            changed["paymentPayload"]["accepted"][name] = value;
        }
        changed
    };
    let signature = good["paymentPayload"]["payload"]["signature"].clone();
    let forged = changed("/paymentPayload/payload/signature", signature);
    let elsewhere = changed("/paymentRequirements/payTo", json!(format!("0x{}", "12".repeat(20))));
    let dearer = changed("/paymentRequirements/amount", json!("20001"));
    for (what, path, question) in [
        ("what it supports", "/supported", &Value::Null),
        ("a good payment", "/verify", &good),
        ("a forged one", "/verify", &forged),
        ("one to somebody else", "/verify", &elsewhere),
        ("one of too little", "/verify", &dearer),
        ("a forged one, to settle", "/settle", &forged),
        ("one to somebody else, to settle", "/settle", &elsewhere),
        ("one of too little, to settle", "/settle", &dearer),
        ("a good one, to settle", "/settle", &good),
        ("the same again", "/settle", &good),
        ("the same to verify", "/verify", &good),
        ("another good one", "/verify", &other),
        ("a path that it does not have", "/nowhere", &good),
    ] {
        let (theirs, ours) = (ask_theirs(&peers, path, question).await, ask_ours(&recorded, path, question).await);
        println!("{what}: {} {}", theirs.status, theirs.body);
        assert_eq!((theirs.status, shape(&theirs.json())), (ours.status, shape(&ours.json())), "{what}");
    }
}

/// By these questions a payment is looked for.
#[tokio::test(flavor = "multi_thread")]
async fn the_node_of_tests_answers_as_the_chain() {
    let Some(rig) = Rig::start(PATIENT).await else { return };
    let (shop, peers) = rig.shop().await;
    let recorded = TestFacilitator::start().await;
    let asked = shop.app.call(shop.audit()).await;
    let (paid, taken_back) = (signed(&peers, &asked, 1, 1).await, signed(&peers, &asked, 1, 2).await);
    let theirs = ask_theirs(&peers, "/settle", &question(&paid)).await.json()["transaction"].clone();
    let ours = ask_ours(&recorded, "/settle", &question(&paid)).await.json()["transaction"].clone();
    peers.cancel(&taken_back.authorization).await;
    recorded.cancel(&taken_back.authorization);
    // The newest block is empty, as the recorded one.
    peers.ask("evm_mine", json!([])).await;

    let block = json!(["latest", false]);
    let state = |payment: &Payment, nonce: u64| {
        let payer = payment.authorization.from.trim_start_matches("0x").to_owned();
        json!([{"to": TOKEN, "data": format!("0xe94a0102{payer:0>64}{nonce:064x}")}, "latest"])
    };
    let ends = |payment: &Payment| {
        let topics = json!([
            [USED, CANCELED],
            format!("0x{:0>64}", payment.authorization.from.trim_start_matches("0x")),
            payment.authorization.nonce
        ]);
        json!([{"fromBlock": "0x0", "toBlock": "0x9c40", "address": TOKEN, "topics": topics}])
    };
    for (what, method, of_theirs, of_ours) in [
        ("the newest block", "eth_getBlockByNumber", &block, &block),
        ("an authorization that was used", "eth_call", &state(&paid, 1), &state(&paid, 1)),
        ("one that was taken back", "eth_call", &state(&paid, 2), &state(&paid, 2)),
        ("one that was not", "eth_call", &state(&paid, 3), &state(&paid, 3)),
        ("where it was used", "eth_getLogs", &ends(&paid), &ends(&paid)),
        ("where it was taken back", "eth_getLogs", &ends(&taken_back), &ends(&taken_back)),
        ("its receipt", "eth_getTransactionReceipt", &json!([theirs]), &json!([ours])),
        ("a receipt of nothing", "eth_getTransactionReceipt", &json!([UNKNOWN]), &json!([UNKNOWN])),
    ] {
        let answer = peers.ask(method, of_theirs.clone()).await;
        let asked = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": of_ours});
        let recorded = ask_ours(&recorded, "/node", &asked).await.json()["result"].clone();
        assert!(is_like(&recorded, &answer), "{what}: {recorded} is not like {answer}");
    }
}

/// Whether everything in a recording is in an answer: the same keys, lists of the same length, and the same texts but for
/// numbers and hashes, which differ from run to run.
fn is_like(recording: &Value, answer: &Value) -> bool {
    match (recording, answer) {
        (Value::Object(ours), Value::Object(theirs)) => ours.iter().all(|(name, ours)| {
            theirs.get(name).is_some_and(|theirs| match name.as_str() {
                "number" | "timestamp" | "transactionHash" | "baseFeePerGas" => {
                    theirs.as_str().is_some_and(|text| text.starts_with("0x")) && ours.is_string()
                }
                _ => is_like(ours, theirs),
            })
        }),
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| is_like(ours, theirs))
        }
        (ours, theirs) => {
            ours == theirs || ours.as_str().zip(theirs.as_str()).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
        }
    }
}

async fn ask_theirs(peers: &Peers, path: &str, question: &Value) -> Response {
    ask(peers.facilitator.address, path, question).await
}

async fn ask_ours(facilitator: &TestFacilitator, path: &str, question: &Value) -> Response {
    ask(facilitator.url().trim_start_matches("http://").parse().unwrap(), path, question).await
}

async fn ask(address: std::net::SocketAddr, path: &str, question: &Value) -> Response {
    if !question.is_null() {
        return post(address, path, question).await;
    }
    use tokio::io::AsyncWriteExt as _;
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    read(&mut stream).await
}

/// An answer without what differs from run to run: a transaction is one, and of a message its first two lines count,
/// which say what failed and why.
fn shape(answer: &Value) -> Value {
    let mut shape = answer.clone();
    for (name, value) in shape.as_object_mut().unwrap() {
        match (name.as_str(), value.as_str()) {
            ("transaction", Some(text)) if text.len() == 66 => *value = json!("a transaction"),
            ("errorMessage" | "invalidMessage", Some(text)) => {
                *value = text.lines().take(2).collect::<Vec<_>>().join("\n").into();
            }
            _ => {}
        }
    }
    shape
}
