//! A facilitator with a chain of its own: it checks signatures, moves each authorization's money once, and answers with
//! recordings of what the published packages answer. A test may script what it says instead.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use sha3::{Digest as _, Sha3_256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::wallet::{Authorization, signer};

/// What it was asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// `verify`, `settle` or `supported`.
    pub what: String,
    /// The header `Authorization`.
    pub authorization: Option<String>,
    /// The body; null for none.
    pub body: Value,
}

/// What it does instead of what it would.
#[derive(Debug, Clone)]
pub enum Say {
    /// Answers this, and moves nothing.
    This(u16, Value),
    /// Moves the money, and answers this.
    MovesAndSays(u16, Value),
    /// Moves the money, and hangs up.
    MovesAndHangsUp,
    /// Hangs up, and moves nothing.
    HangsUp,
}

/// A script: what to do at a question, if not the usual. The number counts the questions of this kind, from 1.
type Script = Box<dyn Fn(&Question, usize) -> Option<Say> + Send + Sync>;

/// A running facilitator; stops when dropped.
#[derive(Debug)]
pub struct Facilitator {
    address: SocketAddr,
    state: Arc<State>,
    serving: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    asked: Mutex<Vec<Question>>,
    /// Payer and nonce of what moved, with amount and transaction.
    moved: Mutex<HashMap<(String, String), Moved>>,
    script: Mutex<Option<Script>>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

/// Money that moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// Who was paid.
    pub to: String,
    /// Atomic units.
    pub value: u64,
    /// The transaction.
    pub transaction: String,
    signature: String,
}

impl Facilitator {
    /// Starts on a free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let state: Arc<State> = Arc::default();
        let shared = Arc::clone(&state);
        let serving = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let state = Arc::clone(&shared);
                connections.spawn(async move { serve(stream, &state).await });
                while connections.try_join_next().is_some() {}
            }
        });
        Self { address, state, serving }
    }

    /// Its address, as `payments.facilitator` takes it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it does from now on.
    pub fn script(&self, script: impl Fn(&Question, usize) -> Option<Say> + Send + Sync + 'static) {
        *lock(&self.state.script) = Some(Box::new(script));
    }

    /// What it was asked of a kind, in order.
    pub fn asked(&self, what: &str) -> Vec<Question> {
        lock(&self.state.asked).iter().filter(|question| question.what == what).cloned().collect()
    }

    /// All money that moved.
    pub fn moved(&self) -> Vec<Moved> {
        lock(&self.state.moved).values().cloned().collect()
    }

    /// Moves the money of a payment, as anybody may who saw it.
    pub fn settle_elsewhere(&self, payload: &Value) {
        move_money(&self.state, payload);
    }
}

impl Drop for Facilitator {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(mut stream: TcpStream, state: &State) {
    let Some(question) = read(&mut stream).await else { return };
    let number = {
        let mut asked = lock(&state.asked);
        asked.push(question.clone());
        asked.iter().filter(|earlier| earlier.what == question.what).count()
    };
    let scripted = lock(&state.script).as_ref().and_then(|script| script(&question, number));
    let said = match scripted {
        Some(Say::This(status, body)) => Some((status, body)),
        Some(Say::MovesAndSays(status, body)) => {
            move_money(state, &question.body["paymentPayload"]);
            Some((status, body))
        }
        Some(Say::MovesAndHangsUp) => {
            move_money(state, &question.body["paymentPayload"]);
            None
        }
        Some(Say::HangsUp) => None,
        None => Some(usual(state, &question)),
    };
    if let Some((status, body)) = said {
        let body = body.to_string();
        let answer = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        // A caller that went away is its own business.
        drop(stream.write_all(answer.as_bytes()).await);
    }
}

async fn read(stream: &mut TcpStream) -> Option<Question> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        let read = stream.read(&mut piece).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(piece.get(..read)?);
    };
    let text = String::from_utf8_lossy(bytes.get(..head)?).into_owned();
    let header = |name: &str| {
        text.lines().find_map(|line| line.split_once(": ").filter(|(n, _)| n.eq_ignore_ascii_case(name))).map(|h| h.1)
    };
    let length: usize = header("content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
    while bytes.len() < head + length {
        let read = stream.read(&mut piece).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(piece.get(..read)?);
    }
    let path = text.split(' ').nth(1)?;
    Some(Question {
        what: path.rsplit('/').next()?.to_owned(),
        authorization: header("authorization").map(str::to_owned),
        body: serde_json::from_slice(bytes.get(head..)?).unwrap_or_default(),
    })
}

/// What the published facilitator answers.
fn usual(state: &State, question: &Question) -> (u16, Value) {
    let payload = &question.body["paymentPayload"];
    match question.what.as_str() {
        "supported" => (
            200,
            json!({"kinds": [{"x402Version": 2, "scheme": "exact", "network": "eip155:84532", "extra": {}}],
                "extensions": [], "signers": {"eip155:*": ["0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"]}}),
        ),
        "verify" => match refusal(state, question, false) {
            Ok(payer) => (200, json!({"isValid": true, "payer": payer})),
            Err(reason) => (200, json!({"isValid": false, "invalidReason": reason, "invalidMessage": reason})),
        },
        "settle" => match refusal(state, question, true) {
            Ok(payer) => {
                let moved = move_money(state, payload);
                (
                    200,
                    json!({"success": true, "transaction": moved, "network": "eip155:84532", "payer": payer,
                        "amount": question.body["paymentRequirements"]["amount"]}),
                )
            }
            Err(reason) => (
                200,
                json!({"success": false, "errorReason": reason, "errorMessage": reason, "transaction": "",
                    "network": "eip155:84532"}),
            ),
        },
        _ => (404, json!({"error": "not found"})),
    }
}

/// Who pays, or why it is refused. What moved already is settled again for the same signature only.
fn refusal(state: &State, question: &Question, settles: bool) -> Result<String, &'static str> {
    let (payload, wanted) = (&question.body["paymentPayload"], &question.body["paymentRequirements"]);
    let signature = payload["payload"]["signature"].as_str().unwrap_or_default();
    let authorization = Authorization::of(&payload["payload"]["authorization"]).ok_or("invalid_payload")?;
    if question.body["x402Version"] != 2 || payload["x402Version"] != 2 || payload["accepted"] != *wanted {
        return Err("invalid_payment_requirements");
    }
    if signer(&authorization, signature).as_deref() != Some(&authorization.from.to_ascii_lowercase()) {
        return Err("invalid_exact_evm_signature");
    }
    if wanted["amount"].as_str() != Some(&authorization.value) {
        return Err("invalid_exact_evm_payload_authorization_value_mismatch");
    }
    match lock(&state.moved).get(&key(&authorization)) {
        Some(moved) if !settles || moved.signature != signature => Err("invalid_exact_evm_nonce_already_used"),
        _ => Ok(authorization.from),
    }
}

fn key(authorization: &Authorization) -> (String, String) {
    (authorization.from.to_ascii_lowercase(), authorization.nonce.to_ascii_lowercase())
}

/// Moves the money of a payment, once; the transaction.
fn move_money(state: &State, payload: &Value) -> String {
    let authorization = Authorization::of(&payload["payload"]["authorization"]).unwrap();
    let signature = payload["payload"]["signature"].as_str().unwrap_or_default().to_owned();
    let digest: [u8; 32] = Sha3_256::digest(signature.as_bytes()).into();
    let transaction = format!("0x{}", digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let moved =
        Moved { to: authorization.to.clone(), value: authorization.value.parse().unwrap(), transaction, signature };
    lock(&state.moved).entry(key(&authorization)).or_insert(moved).transaction.clone()
}
