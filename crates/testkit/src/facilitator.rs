//! A facilitator of x402 with a chain of its own: it verifies signatures, moves the money of each authorization once,
//! and answers with recordings of the published packages (`cargo xtask payments-rig` compares them). Or a proxy of
//! another facilitator. A test may script other answers.

mod node;

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use sha3::{Digest as _, Sha3_256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::{JoinHandle, JoinSet};

use crate::wallet::{TransferAuthorization, signer};

/// A received request.
#[derive(Debug, Clone)]
pub struct Question {
    /// `verify`, `settle` or `supported`; `node` for a request to the chain.
    pub what: String,
    /// The header `Authorization`.
    pub authorization: Option<String>,
    /// The body; null for none.
    pub body: Value,
}

/// A scripted answer.
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
    /// Waits until it is released, then does the usual.
    Waits(Arc<Notify>),
}

/// A script: the answer to a request, if not the usual one. The number counts the requests of this kind, from 1.
type FacilitatorScript = Box<dyn Fn(&Question, usize) -> Option<Say> + Send + Sync>;

/// A running facilitator; stops when dropped.
#[derive(Debug)]
pub struct TestFacilitator {
    address: SocketAddr,
    state: Arc<FacilitatorLedger>,
    serving: JoinHandle<()>,
}

#[derive(Default)]
struct FacilitatorLedger {
    questions: watch::Sender<Vec<Question>>,
    /// Payer and nonce of what moved, with amount and transaction.
    moved: Mutex<HashMap<(String, String), Moved>>,
    /// Payer and nonce of authorizations that their payers cancelled.
    cancelled: Mutex<HashSet<(String, String)>>,
    /// Time of the newest block, in seconds since 1970; `None` for the machine's.
    time: Mutex<Option<u64>>,
    script: Mutex<Option<FacilitatorScript>>,
    /// The proxied facilitator, and a node of its chain.
    behind: Option<[SocketAddr; 2]>,
}

impl std::fmt::Debug for FacilitatorLedger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl FacilitatorLedger {
    /// Time of the newest block, in seconds since 1970.
    fn time(&self) -> u64 {
        let machine = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        lock(&self.time).unwrap_or_else(machine)
    }

    /// Whether an authorization was used or cancelled.
    fn is_over(&self, key: &(String, String)) -> bool {
        lock(&self.moved).contains_key(key) || lock(&self.cancelled).contains(key)
    }
}

/// Money that moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The payee.
    pub to: String,
    /// Atomic units.
    pub value: u64,
    /// The transaction.
    pub transaction: String,
    /// Whether it was answered as pending, so that a retry gets the final answer.
    is_pending: bool,
}

impl TestFacilitator {
    /// Starts on a free port.
    pub async fn start() -> Self {
        Self::serve(FacilitatorLedger::default()).await
    }

    /// Starts a proxy of another facilitator and of a node; it doesn't know what moves there.
    pub async fn in_front_of(facilitator: SocketAddr, node: SocketAddr) -> Self {
        Self::serve(FacilitatorLedger { behind: Some([facilitator, node]), ..FacilitatorLedger::default() }).await
    }

    async fn serve(state: FacilitatorLedger) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(state);
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

    /// The address of a node of its chain, as `payments.rpc_url` takes it.
    pub fn node_url(&self) -> String {
        format!("{}/node", self.url())
    }

    /// Sets the script.
    pub fn script(&self, script: impl Fn(&Question, usize) -> Option<Say> + Send + Sync + 'static) {
        *lock(&self.state.script) = Some(Box::new(script));
    }

    /// The received requests of a kind, in order.
    pub fn asked(&self, what: &str) -> Vec<Question> {
        self.state.questions.borrow().iter().filter(|question| question.what == what).cloned().collect()
    }

    /// Waits until it has received so many requests of a kind.
    pub async fn wait_for(&self, what: &str, count: usize) {
        let mut questions = self.state.questions.subscribe();
        let enough =
            |questions: &Vec<Question>| questions.iter().filter(|question| question.what == what).count() >= count;
        questions.wait_for(enough).await.unwrap();
    }

    /// Sets the time of the chain's newest block, in seconds since 1970.
    pub fn set_chain_time(&self, seconds: u64) {
        *lock(&self.state.time) = Some(seconds);
    }

    /// The payer cancels an authorization.
    pub fn cancel(&self, authorization: &TransferAuthorization) {
        lock(&self.state.cancelled).insert(key(authorization));
    }

    /// The payer uses the nonce of an authorization to pay somebody else.
    pub fn pay_elsewhere(&self, authorization: &TransferAuthorization) {
        let elsewhere = TransferAuthorization { to: format!("0x{}", "ee".repeat(20)), ..authorization.clone() };
        let payload = json!({"payload": {"authorization": elsewhere.json(), "signature": elsewhere.nonce}});
        move_money(&self.state, &payload);
    }

    /// All money that moved.
    pub fn moved(&self) -> Vec<Moved> {
        lock(&self.state.moved).values().cloned().collect()
    }
}

impl Drop for TestFacilitator {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(mut stream: TcpStream, state: &FacilitatorLedger) {
    let Some(question) = read(&mut stream).await else { return };
    let mut number = 0;
    state.questions.send_modify(|questions| {
        questions.push(question.clone());
        number = questions.iter().filter(|earlier| earlier.what == question.what).count();
    });
    let scripted = lock(&state.script).as_ref().and_then(|script| script(&question, number));
    let answer = match scripted {
        Some(Say::This(status, body)) => Some((status, body)),
        Some(Say::MovesAndSays(status, body)) => {
            usual(state, &question).await;
            let is_pending = body["errorReason"] == "settlement_pending";
            if let Some(moved) = lock(&state.moved).get_mut(&key(&authorization(&question))) {
                moved.is_pending = is_pending;
            }
            Some((status, body))
        }
        Some(Say::MovesAndHangsUp) => {
            usual(state, &question).await;
            None
        }
        Some(Say::HangsUp) => None,
        Some(Say::Waits(release)) => {
            release.notified().await;
            usual(state, &question).await
        }
        None => usual(state, &question).await,
    };
    if let Some((status, body)) = answer {
        let body = body.to_string();
        let answer = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        // The caller may have gone.
        drop(stream.write_all(answer.as_bytes()).await);
    }
}

/// The usual answer; `None`: the proxied facilitator gave none.
async fn usual(state: &FacilitatorLedger, question: &Question) -> Option<(u16, Value)> {
    match state.behind {
        Some([_, node]) if question.what == "node" => pass_on(node, "", &question.body).await,
        Some([facilitator, _]) => pass_on(facilitator, &question.what, &question.body).await,
        None => Some(recorded(state, question)),
    }
}

/// Forwards a request; `Value::Null` is no body.
async fn pass_on(behind: SocketAddr, path: &str, body: &Value) -> Option<(u16, Value)> {
    let (method, body) = if body.is_null() { ("GET", String::new()) } else { ("POST", body.to_string()) };
    let request = format!(
        "{method} /{path} HTTP/1.1\r\nhost: {behind}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(behind).await.ok()?;
    stream.write_all(request.as_bytes()).await.ok()?;
    let (head, body) = message(&mut stream).await?;
    Some((head.split(' ').nth(1)?.parse().ok()?, serde_json::from_slice(&body).ok()?))
}

async fn read(stream: &mut TcpStream) -> Option<Question> {
    let (head, body) = message(stream).await?;
    let path = head.split(' ').nth(1)?;
    Some(Question {
        what: path.rsplit('/').next()?.to_owned(),
        authorization: header(&head, "authorization").map(str::to_owned),
        body: serde_json::from_slice(&body).unwrap_or_default(),
    })
}

/// Head and body of a message with a `Content-Length`.
async fn message(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        let read = stream.read(&mut piece).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(piece.get(..read)?);
    };
    let mut body = bytes.split_off(end);
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let length: usize = header(&head, "content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
    while body.len() < length {
        let read = stream.read(&mut piece).await.ok().filter(|read| *read > 0)?;
        body.extend_from_slice(piece.get(..read)?);
    }
    Some((head, body))
}

fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut fields = head.lines().filter_map(|line| line.split_once(": "));
    fields.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// Answers of the published packages, recorded from version 2.27.0.
fn recorded(state: &FacilitatorLedger, question: &Question) -> (u16, Value) {
    let payer = &question.body["paymentPayload"]["payload"]["authorization"]["from"];
    match question.what.as_str() {
        "node" => (200, node::answer(state, &question.body)),
        "supported" => (
            200,
            json!({"kinds": [{"x402Version": 2, "scheme": "exact", "network": "eip155:84532"}],
                "extensions": [], "signers": {"eip155:*": ["0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"]}}),
        ),
        "verify" => match refusal(state, question) {
            None => (200, json!({"isValid": true, "payer": payer})),
            Some(USED) => {
                (200, json!({"isValid": false, "invalidReason": USED, "invalidMessage": REVERTS, "payer": payer}))
            }
            Some(reason) => (200, json!({"isValid": false, "invalidReason": reason, "payer": payer})),
        },
        "settle" => {
            let failed = |reason: &str| {
                json!({"success": false, "errorReason": reason, "transaction": "", "network": "eip155:84532",
                    "payer": payer})
            };
            match refusal(state, question) {
                None => (200, settled(&move_money(state, &question.body["paymentPayload"]), payer)),
                Some(USED) => match end_of_pending(state, question) {
                    Some(transaction) => (200, settled(&transaction, payer)),
                    None => {
                        let mut body = failed(USED);
                        body["errorMessage"] = REVERTS.into();
                        (200, body)
                    }
                },
                Some(reason) => (200, failed(reason)),
            }
        }
        _ => (404, json!({"error": "not found"})),
    }
}

/// The error for an authorization that was used, also by a payment that has just settled.
const USED: &str = "invalid_exact_evm_nonce_already_used";
/// Start of the error for a call that would revert.
const REVERTS: &str = "The contract function \"transferWithAuthorization\" reverted with the following reason:\n\
    FiatTokenV2: authorization is used or canceled";

fn settled(transaction: &str, payer: &Value) -> Value {
    json!({"success": true, "transaction": transaction, "network": "eip155:84532", "payer": payer})
}

/// The transaction of a payment that was answered as pending; given once.
fn end_of_pending(state: &FacilitatorLedger, question: &Question) -> Option<String> {
    let mut moved = lock(&state.moved);
    let moved = moved.get_mut(&key(&authorization(question)))?;
    std::mem::take(&mut moved.is_pending).then(|| moved.transaction.clone())
}

fn authorization(question: &Question) -> TransferAuthorization {
    TransferAuthorization::of(&question.body["paymentPayload"]["payload"]["authorization"]).unwrap()
}

/// Why a payment is refused, if it is.
fn refusal(state: &FacilitatorLedger, question: &Question) -> Option<&'static str> {
    let (payload, wanted) = (&question.body["paymentPayload"], &question.body["paymentRequirements"]);
    let signature = payload["payload"]["signature"].as_str().unwrap_or_default();
    // Stricter than the published one, on which nobody should rely.
    if question.body["x402Version"] != 2 || payload["x402Version"] != 2 || payload["accepted"] != *wanted {
        return Some("invalid_payment_requirements");
    }
    let authorization = authorization(question);
    if signer(&authorization, signature).as_deref() != Some(&authorization.from.to_ascii_lowercase()) {
        return Some("invalid_exact_evm_signature");
    }
    if !wanted["payTo"].as_str().is_some_and(|pay_to| pay_to.eq_ignore_ascii_case(&authorization.to)) {
        return Some("invalid_exact_evm_recipient_mismatch");
    }
    if wanted["amount"].as_str() != Some(&authorization.value) {
        return Some("invalid_exact_evm_payload_authorization_value_mismatch");
    }
    state.is_over(&key(&authorization)).then_some(USED)
}

fn key(authorization: &TransferAuthorization) -> (String, String) {
    (authorization.from.to_ascii_lowercase(), authorization.nonce.to_ascii_lowercase())
}

/// Moves the money of a payment, once; the transaction.
fn move_money(state: &FacilitatorLedger, payload: &Value) -> String {
    let authorization = TransferAuthorization::of(&payload["payload"]["authorization"]).unwrap();
    let signature = payload["payload"]["signature"].as_str().unwrap_or_default().to_owned();
    let digest: [u8; 32] = Sha3_256::digest(signature.as_bytes()).into();
    let transaction = format!("0x{}", digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let moved = Moved {
        to: authorization.to.clone(),
        value: authorization.value.parse().unwrap(),
        transaction,
        is_pending: false,
    };
    lock(&state.moved).entry(key(&authorization)).or_insert(moved).transaction.clone()
}
