//! The programs of others: a chain, a facilitator, clients.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use testkit::wallet::TransferAuthorization;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use crate::app::{Response, read};

/// USDC on the test network, where the token of our own stands.
const TOKEN: &str = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
/// What the token on the test network signs under (EIP-712).
const DOMAIN_SEPARATOR: &str = "0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818";
/// `DOMAIN_SEPARATOR()`, `mint(address,uint256)`, `burn(address,uint256)`, `balanceOf(address)`, `cancel(address,bytes32)`:
/// how calls of them begin.
const CALLS: [&str; 5] = ["0x3644e515", "0x40c10f19", "0x9dc29fac", "0x70a08231", "0x9e2ed686"];
/// Private keys of the first accounts of the chain, which every development chain has.
const KEYS: [&str; 2] = [
    "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
];
/// Another of its accounts, for what tests do to the token.
const TESTER: &str = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720";

/// A program of others that listens; killed when dropped.
pub(super) struct Peer {
    child: Child,
    pub(super) address: SocketAddr,
}

impl Peer {
    /// Starts it, and waits until a line that it prints ends with where it listens.
    async fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(child.stdout.take().unwrap()).lines();
        let (tell, told) = oneshot::channel();
        // It is read to its end: a program that nobody listens to comes to a stop.
        std::thread::spawn(move || {
            let mut tell = Some(tell);
            for line in said.map_while(Result::ok) {
                let address = line.rsplit([' ', '/']).next().and_then(|last| last.parse::<SocketAddr>().ok());
                if let Some(address) = address
                    && let Some(tell) = tell.take()
                {
                    tell.send(address).unwrap();
                }
            }
        });
        Self { child, address: told.await.expect("it ended before it listened") }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The chain and its facilitator.
pub(super) struct Peers {
    pub(super) chain: Peer,
    pub(super) facilitator: Peer,
}

impl Peers {
    pub(super) async fn start(patience_ms: u32) -> Self {
        let mut anvil = Command::new(beside("node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil"));
        anvil.args(["--port", "0", "--chain-id", "84532"]);
        let chain = Peer::start(anvil).await;
        output(script("contracts.mjs").arg(url(chain.address))).await;
        let facilitator = facilitator(&chain, KEYS[0], patience_ms).await;
        let peers = Self { chain, facilitator };
        assert_eq!(peers.read_token(CALLS[0]).await, DOMAIN_SEPARATOR);
        peers
    }

    /// Another facilitator on the same chain.
    pub(super) async fn other_facilitator(&self, patience_ms: u32) -> Peer {
        facilitator(&self.chain, KEYS[1], patience_ms).await
    }

    /// A call by the published client, which pays where it is asked to.
    pub(super) async fn pay(&self, version: u8, key: &str, method: &str, url: &str, body: Option<&str>) -> Value {
        let mut client = script("pay.mjs");
        client.args([version.to_string().as_str(), key, method, url]).args(body);
        serde_json::from_slice(&output(&mut client).await).unwrap()
    }

    /// The same by the client that knows version 1 alone, which pays at most `cap`, in atomic units; `None` for its own cap.
    pub(super) async fn pay_as_older(
        &self,
        key: &str,
        cap: Option<u64>,
        method: &str,
        url: &str,
        body: Option<&str>,
    ) -> Value {
        let mut client = script("older/pay.mjs");
        let cap = cap.map(|cap| cap.to_string()).unwrap_or_default();
        client.args([key, cap.as_str(), method, url]).args(body);
        serde_json::from_slice(&output(&mut client).await).unwrap()
    }

    /// Asks the chain.
    pub(super) async fn ask(&self, method: &str, params: Value) -> Value {
        let question = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let answer = post(self.chain.address, "/", &question).await.json();
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Makes money for an account.
    pub(super) async fn give(&self, to: &str, amount: u64) {
        self.change_token(CALLS[1], to, &format!("{amount:064x}")).await;
    }

    /// Takes all money from an account.
    pub(super) async fn drain(&self, from: &str) {
        self.change_token(CALLS[2], from, &format!("{:064x}", self.balance(from).await)).await;
    }

    /// Takes an authorization back.
    pub(super) async fn cancel(&self, authorization: &TransferAuthorization) {
        self.change_token(CALLS[4], &authorization.from, authorization.nonce.trim_start_matches("0x")).await;
    }

    /// What an account has, in atomic units.
    pub(super) async fn balance(&self, of: &str) -> u64 {
        let balance = self.read_token(&format!("{}{}", CALLS[3], word(of))).await;
        u64::from_str_radix(balance.trim_start_matches("0x"), 16).unwrap()
    }

    async fn read_token(&self, data: &str) -> String {
        let read = self.ask("eth_call", json!([{"to": TOKEN, "data": data}, "latest"])).await;
        read.as_str().unwrap().to_owned()
    }

    /// `argument`: the second one, 32 bytes in hex.
    async fn change_token(&self, call: &str, account: &str, argument: &str) {
        let data = format!("{call}{}{argument}", word(account));
        self.ask("eth_sendTransaction", json!([{"from": TESTER, "to": TOKEN, "data": data}])).await;
    }
}

/// The facilitator of the published packages, with the account of a key.
async fn facilitator(chain: &Peer, key: &str, patience_ms: u32) -> Peer {
    let mut command = script("facilitator.mjs");
    command.args([url(chain.address).as_str(), key, &patience_ms.to_string()]);
    Peer::start(command).await
}

/// A file of the rig.
fn beside(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rig").join(name);
    assert!(path.exists(), "{} is missing; cargo xtask payments-rig installs what the rig needs", path.display());
    path
}

fn script(name: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(beside(name));
    command
}

fn url(address: SocketAddr) -> String {
    format!("http://{address}")
}

/// An address as an argument of a call: 32 bytes.
fn word(address: &str) -> String {
    format!("{:0>64}", address.trim_start_matches("0x").to_ascii_lowercase())
}

/// Runs a script to its end off the async workers; what it printed.
async fn output(command: &mut Command) -> Vec<u8> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let done = tokio::task::spawn_blocking(move || child.wait_with_output().unwrap()).await.unwrap();
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    done.stdout
}

/// Posts JSON.
pub(super) async fn post(address: SocketAddr, path: &str, json: &Value) -> Response {
    let body = json.to_string();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    read(&mut stream).await
}
