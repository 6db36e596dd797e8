//! The facilitator of tests answers as the published one does: both are asked the same.

use serde_json::{Value, json};
use testkit::facilitator::Facilitator;

use super::peers::{Peers, post};
use super::{PATIENT, Rig, question, signed};
use crate::app::{Response, read};

#[tokio::test(flavor = "multi_thread")]
async fn the_facilitator_of_tests_answers_as_the_published_one() {
    let Some(rig) = Rig::start(PATIENT).await else { return };
    let (shop, peers) = rig.shop().await;
    let recorded = Facilitator::start().await;
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

async fn ask_theirs(peers: &Peers, path: &str, question: &Value) -> Response {
    ask(peers.facilitator.address, path, question).await
}

async fn ask_ours(facilitator: &Facilitator, path: &str, question: &Value) -> Response {
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
