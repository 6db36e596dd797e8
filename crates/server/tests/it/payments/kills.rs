//! The program is killed at random moments of paid calls: no payment is charged twice, none is lost, none is without its
//! result. `SITE_AUDIT_TEST_KILLS` says how often; the seed is fixed.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use sqlx::Row as _;
use testkit::TestDatabase;
use testkit::facilitator::{Facilitator, Say};
use testkit::wallet::{Authorization, Wallet};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::{PAY_TO, encoded};
use crate::app::{Response, read};

/// Kills where the environment says nothing.
const KILLS: usize = 50;
/// Calls at once.
const CLIENTS: u64 = 4;
/// Milliseconds that the program lives at most.
const LONGEST_LIFE_MS: u64 = 400;

/// The program, killed when dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        // SIGKILL: nothing of it gets to tidy up.
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn start(address: SocketAddr, database: &TestDatabase, facilitator: &Facilitator) -> Program {
    let child = Command::new(env!("CARGO_BIN_EXE_site-audit"))
        .args(["serve", "--listen", &address.to_string(), "--database-url", database.url()])
        .env("SITE_AUDIT_PAYMENTS__PAY_TO", PAY_TO)
        .env("SITE_AUDIT_PAYMENTS__FACILITATOR", facilitator.url())
        .env("SITE_AUDIT_FETCH__ALLOW_PRIVATE", "127.0.0.2/32")
        .env("SITE_AUDIT_FETCH__ALLOW_PORTS", "*")
        .env("SITE_AUDIT_LIMITS__FREE_AUDITS_PER_DAY", "0")
        .env("SITE_AUDIT_LIMITS__AUDITS_PER_HOUR", "1000000")
        .env("SITE_AUDIT_LOG__FILTER", "off")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    Program(child)
}

/// One call; `None` when the program was not there, or died in the middle.
async fn call(address: SocketAddr, url: &str, payment: Option<&str>) -> Option<Response> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    let body = json!({ "url": url }).to_string();
    let payment = payment.map(|payment| format!("PAYMENT-SIGNATURE: {payment}\r\n")).unwrap_or_default();
    let request = format!(
        "POST /api/audit HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n{payment}\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.ok()?;
    stream.readable().await.ok()?;
    let mut first = [0; 1];
    // A head that never came is no answer.
    if stream.peek(&mut first).await.ok()? == 0 {
        return None;
    }
    let response = read(&mut stream).await;
    let is_whole = response.header("content-length").parse().ok() == Some(response.body.len());
    is_whole.then_some(response)
}

/// Asks until there is an answer of this kind.
async fn insist(address: SocketAddr, url: &str, payment: Option<&str>, wanted: u16) -> Value {
    loop {
        match call(address, url, payment).await {
            Some(response) if response.status == wanted => return super::required_or_body(&response),
            // Still at it, unclear, or the facilitator was just found missing.
            Some(response) if matches!(response.status, 409 | 429 | 503) => {}
            Some(response) => panic!("{}: {}", response.status, response.body),
            None => {}
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn payment(accepted: &Value, nonce: u64) -> String {
    let wallet = Wallet::new([7; 32]);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let authorization = Authorization {
        from: wallet.address(),
        to: PAY_TO.to_owned(),
        value: accepted["amount"].as_str().unwrap().to_owned(),
        valid_after: "0".to_owned(),
        valid_before: (now + 300).to_string(),
        nonce: format!("0x{nonce:064x}"),
    };
    let payload = json!({"signature": wallet.sign(&authorization), "authorization": authorization.json()});
    encoded(&json!({"x402Version": 2, "accepted": accepted, "payload": payload}))
}

#[tokio::test(flavor = "multi_thread")]
async fn whenever_the_program_is_killed_every_payment_has_its_result_once() {
    let kills = std::env::var("SITE_AUDIT_TEST_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let (database, facilitator, site) = (TestDatabase::sqlite(), Facilitator::start().await, super::page().await);
    // Now and then the answer is lost after the money has moved.
    facilitator
        .script(|question, number| (question.what == "settle" && number % 7 == 0).then_some(Say::MovesAndHangsUp));
    let address = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap()
    };
    let url: Arc<str> = site.url("/").into();
    let (left, paid) = (Arc::new(AtomicUsize::new(kills)), Arc::new(AtomicUsize::new(0)));

    let mut program = Some(start(address, &database, &facilitator));
    let accepted = insist(address, &url, None, 402).await["accepts"][0].clone();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (url, left, paid, accepted) =
                (Arc::clone(&url), Arc::clone(&left), Arc::clone(&paid), accepted.clone());
            tokio::spawn(async move {
                let mut number = 0;
                // As long as the program is being killed, and one more.
                while left.load(Ordering::SeqCst) > 0 || number == 0 {
                    let payment = payment(&accepted, client << 32 | number);
                    let audit = insist(address, &url, Some(&payment), 200).await;
                    assert_eq!(audit["summary"]["title"], "t");
                    paid.fetch_add(1, Ordering::SeqCst);
                    number += 1;
                }
            })
        })
        .collect();
    let mut seed = 0x5eed_u64;
    while left.load(Ordering::SeqCst) > 0 {
        // A linear congruential generator (Knuth, MMIX).
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // From when it listens on: a program that only starts has nothing to lose.
        while TcpStream::connect(address).await.is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis((seed >> 33) % LONGEST_LIFE_MS)).await;
        drop(program.take());
        left.fetch_sub(1, Ordering::SeqCst);
        program = Some(start(address, &database, &facilitator));
    }
    for client in clients {
        client.await.unwrap();
    }
    drop(program);

    let paid = paid.load(Ordering::SeqCst);
    let moved = facilitator.moved();
    assert_eq!(moved.len(), paid, "each payment moved its money once");
    assert!(moved.iter().all(|moved| moved.value == 20_000 && moved.to.eq_ignore_ascii_case(PAY_TO)));
    let row = database
        .row(
            "SELECT (SELECT COUNT(*) FROM payments WHERE state = 'settled' AND answer_body IS NOT NULL), \
            (SELECT COUNT(*) FROM payments), (SELECT COUNT(*) FROM revenue WHERE amount_micros = 20000), \
            (SELECT COUNT(*) FROM audits WHERE owner IS NULL), (SELECT COUNT(*) FROM audits)",
        )
        .await;
    let counts: Vec<i64> = (0..5).map(|column| row.get(column)).collect();
    assert_eq!(counts, vec![i64::try_from(paid).unwrap(); 5], "settled, known, earned, given out, kept");
    println!("{kills} kills, {paid} payments");
}
