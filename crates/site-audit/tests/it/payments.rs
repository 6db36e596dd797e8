//! Calls that are paid, by wallets that sign as clients do and a facilitator that answers with recordings.

mod arrows;
pub(crate) mod by_credit;
mod by_x402;
mod claimed;
mod facilitators;
mod gate;
mod kills;
pub(crate) mod pix;
mod prices;
pub(crate) mod program;
mod purchase;
mod refusals;
mod rig;
mod second_payment;
mod settling;
mod stopping;
mod watching;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use service::config::{Config, SecretText};
use testkit::facilitator::TestFacilitator;
use testkit::wallet::{TransferAuthorization, Wallet};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use crate::app::{Call, NOW, Response, TestApp};

/// Who is paid.
pub(crate) const PAY_TO: &str = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";

/// A service that charges, its facilitator, and a page to audit.
pub(crate) struct Shop {
    pub(crate) app: TestApp,
    pub(crate) facilitator: TestFacilitator,
    pub(crate) site: TestSite,
}

impl Shop {
    /// One in which nothing is free.
    pub(crate) async fn open(database: TestDatabase) -> Self {
        Self::beside(TestFacilitator::start().await, database, |_| {}).await
    }

    /// The same, and it can look at the chain.
    pub(crate) async fn with_node(database: TestDatabase) -> Self {
        let facilitator = TestFacilitator::start().await;
        let node = SecretText::new(facilitator.node_url());
        Self::beside(facilitator, database, |config| config.payments.rpc_url = Some(node)).await
    }

    /// Beside a facilitator, with something changed of its configuration.
    pub(crate) async fn beside(
        facilitator: TestFacilitator,
        database: TestDatabase,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        let url = facilitator.url();
        let app = TestApp::start(database, |config| {
            charging(config, &url);
            change(config);
        })
        .await;
        Self { app, facilitator, site: page().await }
    }

    pub(crate) fn audit(&self) -> Call<'static> {
        Call::audit(&self.site.url("/"))
    }

    /// Pages that were fetched.
    pub(crate) fn audits(&self) -> usize {
        self.site.asked().iter().filter(|asked| asked.path == "/").count()
    }
}

pub(crate) async fn page() -> TestSite {
    TestSite::start(
        |asked| if asked.path == "/" { SiteAnswer::html("<title>t</title>") } else { SiteAnswer::missing() },
    )
    .await
}

pub(crate) fn charging(config: &mut Config, facilitator: &str) {
    config.payments.pay_to = Some(PAY_TO.to_owned());
    config.payments.facilitator = Some(facilitator.to_owned());
    config.payments.facilitator_auth = Some(SecretText::new("Bearer for-the-facilitator"));
    config.limits.free_audits_per_day = 0;
    config.limits.audits_per_target_hour = 100_000;
    config.limits.audits_per_hour = 100_000;
}

/// A payment to be.
#[derive(Debug, Clone)]
pub(crate) struct Payment {
    pub(crate) authorization: TransferAuthorization,
    pub(crate) signature: String,
    accepted: Value,
}

/// What a 402 asks for, signed by the wallet of this number, with a nonce of this number.
pub(crate) fn signed(asked: &Response, wallet: u8, nonce: u64) -> Payment {
    signed_with(asked, wallet, nonce, |_| {})
}

/// The same with something changed before it is signed.
pub(crate) fn signed_with(
    asked: &Response,
    wallet: u8,
    nonce: u64,
    change: impl FnOnce(&mut TransferAuthorization),
) -> Payment {
    assert_eq!(asked.status, 402, "{}", asked.body);
    let accepted = required(asked)["accepts"][0].clone();
    let wallet = Wallet::new([wallet; 32]);
    let now = NOW.seconds();
    let mut authorization = TransferAuthorization {
        from: wallet.address(),
        to: accepted["payTo"].as_str().unwrap().to_owned(),
        value: accepted["amount"].as_str().unwrap().to_owned(),
        valid_after: (now - 600).to_string(),
        valid_before: (now + 300).to_string(),
        nonce: format!("0x{nonce:064x}"),
    };
    change(&mut authorization);
    let signature = wallet.sign(&authorization);
    Payment { authorization, signature, accepted }
}

impl Payment {
    /// As version 2 of a payment's JSON.
    pub(crate) fn version_2(&self) -> Value {
        json!({"x402Version": 2, "accepted": self.accepted, "payload": self.payload()})
    }

    /// As version 1.
    pub(crate) fn version_1(&self) -> Value {
        json!({"x402Version": 1, "scheme": "exact", "network": "base-sepolia", "payload": self.payload()})
    }

    fn payload(&self) -> Value {
        json!({"signature": self.signature, "authorization": self.authorization.json()})
    }

    /// A call paid in version 2.
    pub(crate) fn pays<'a>(&self, call: Call<'a>) -> Call<'a> {
        call.header("PAYMENT-SIGNATURE", &encoded(&self.version_2()))
    }
}

pub(crate) fn encoded(json: &Value) -> String {
    STANDARD.encode(json.to_string())
}

fn decoded(header: &str) -> Value {
    serde_json::from_slice(&STANDARD.decode(header).unwrap()).unwrap()
}

/// What a 402 asks for in version 2.
pub(crate) fn required(asked: &Response) -> Value {
    decoded(asked.header("payment-required"))
}

/// The receipt of a paid call.
pub(crate) fn receipt(response: &Response) -> Value {
    decoded(response.header("payment-response"))
}

/// Sum of what moved to us.
pub(crate) fn moved(facilitator: &TestFacilitator) -> u64 {
    let ours = facilitator.moved().into_iter().filter(|moved| moved.to.eq_ignore_ascii_case(PAY_TO));
    ours.map(|moved| moved.value).sum()
}
