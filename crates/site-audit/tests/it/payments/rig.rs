//! Payments beside programs of others: a local chain (anvil) with a token of our own at the address of
//! USDC, and the facilitator and the clients of the published packages. `cargo xtask payments-rig` installs them and runs
//! these tests; otherwise they pass over.
#![expect(clippy::print_stdout, reason = "tests say what they pass over")]

mod calls;
mod peers;
mod recordings;
mod troubles;

use serde_json::{Value, json};
use testkit::TestDatabase;
use testkit::facilitator::TestFacilitator;
use testkit::wallet::Wallet;

use super::{PAY_TO, Payment, Shop, signed_with};
use crate::app::{Call, Response};
use peers::Peers;

/// Set where the programs are installed.
const RIG: &str = "SITE_AUDIT_TEST_RIG";
/// Set where the client that knows version 1 alone is installed too.
const RIG_OLDER: &str = "SITE_AUDIT_TEST_RIG_OLDER";
/// Milliseconds that a facilitator waits for the chain: for ever, as far as a test goes.
const PATIENT: u32 = 600_000;
/// What a payer of tests has: 100 dollars.
const MONEY: u64 = 100_000_000;

/// The programs of others, and a facilitator of tests in front of theirs, through which the service asks it.
struct Rig {
    peers: Peers,
    front: TestFacilitator,
}

impl Rig {
    /// Starts it; `None`, with a line printed, where it is not asked for.
    async fn start(patience_ms: u32) -> Option<Self> {
        if std::env::var_os(RIG).is_none() {
            println!("passed over: {RIG} is not set; cargo xtask payments-rig sets it");
            return None;
        }
        let peers = Peers::start(patience_ms).await;
        let front = TestFacilitator::in_front_of(peers.facilitator.address, peers.chain.address).await;
        Some(Self { peers, front })
    }

    /// The same, for a case of the client that knows version 1 alone.
    async fn start_with_older_client(patience_ms: u32) -> Option<Self> {
        if std::env::var_os(RIG_OLDER).is_none() {
            println!("passed over: {RIG_OLDER} is not set; cargo xtask payments-rig --older-client sets it");
            return None;
        }
        Self::start(patience_ms).await
    }

    /// A service that charges for everything and can look at the chain, in the time of the machine.
    async fn shop(self) -> (Shop, Peers) {
        let node = service::config::SecretText::new(self.front.node_url());
        let change = |config: &mut service::config::Config| config.payments.rpc_url = Some(node);
        let shop = Shop::beside(self.front, TestDatabase::sqlite(), change).await;
        shop.app.set_to_machine();
        (shop, self.peers)
    }
}

/// Seconds since 1970, of the machine.
fn now() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(now.as_secs()).unwrap()
}

/// The payer's private key, which is also that of the wallet of this number.
fn key(wallet: u8) -> String {
    format!("0x{}", format!("{wallet:02x}").repeat(32))
}

/// What a 402 asks for, signed by a wallet that has money.
async fn signed(peers: &Peers, asked: &Response, wallet: u8, nonce: u64) -> Payment {
    peers.give(&Wallet::new([wallet; 32]).address(), MONEY).await;
    signed_with(asked, wallet, nonce, |authorization| authorization.valid_before = (now() + 300).to_string())
}

/// What has come in, in calls at the price of an audit.
async fn sold(peers: &Peers) -> u64 {
    let balance = peers.balance(PAY_TO).await;
    assert_eq!(balance % 20_000, 0);
    balance / 20_000
}

/// The call that buys a pack of credit.
fn pack(usd: u32) -> Call<'static> {
    Call::new("POST", &format!("/api/credito?usd={usd}"))
}

/// What a facilitator is asked about a payment.
fn question(payment: &Payment) -> Value {
    let mut payload = payment.version_2();
    payload["resource"] = json!({"url": "https://audit.example/api/audit"});
    json!({"x402Version": 2, "paymentPayload": payload, "paymentRequirements": payload["accepted"]})
}
