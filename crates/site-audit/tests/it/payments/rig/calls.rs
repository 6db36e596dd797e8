//! What clients do: pay, be refused, ask five times at once.

use serde_json::{Value, json};
use testkit::wallet::Wallet;

use super::{MONEY, PATIENT, Rig, key, now, pack, peers, question, signed, sold};
use crate::app::Call;
use crate::payments::by_x402::five_at_once;
use crate::payments::{Shop, encoded, refusals, signed_with};

#[tokio::test(flavor = "multi_thread")]
async fn the_published_client_pays_in_both_versions() {
    let Some(rig) = Rig::start(PATIENT).await else { return };
    let (shop, peers) = rig.shop().await;
    peers.give(&Wallet::new([1; 32]).address(), MONEY).await;
    let (url, body) = (shop.app.url("/api/audit"), json!({"url": shop.site.url("/")}).to_string());
    for (version, sent, network) in [(1, "x-payment", "base-sepolia"), (2, "payment-signature", "eip155:84532")] {
        let paid = peers.pay(version, &key(1), "POST", &url, Some(&body)).await;
        assert_eq!(paid["status"], 200, "{paid}");
        assert!(paid["sent"][sent].is_string(), "{paid}");
        assert_eq!((&paid["receipt"]["success"], &paid["receipt"]["network"]), (&json!(true), &json!(network)));
        let receipt = peers.ask("eth_getTransactionReceipt", json!([paid["receipt"]["transaction"]])).await;
        assert_eq!(receipt["status"], "0x1");
        let audit: Value = serde_json::from_str(paid["body"].as_str().unwrap()).unwrap();
        assert_eq!(audit["summary"]["title"], "t");
        assert_eq!((sold(&peers).await, shop.audits() as u64), (u64::from(version), u64::from(version)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_published_client_buys_credit_in_both_versions_and_it_is_spent() {
    let Some(rig) = Rig::start(PATIENT).await else { return };
    let (shop, peers) = rig.shop().await;
    peers.give(&Wallet::new([1; 32]).address(), MONEY).await;
    for version in [1, 2] {
        let bought = peers.pay(version, &key(1), "POST", &shop.app.url(&pack(1).path), None).await;
        assert_eq!(bought["status"], 200, "{bought}");
        let body: Value = serde_json::from_str(bought["body"].as_str().unwrap()).unwrap();
        assert_eq!(peers.balance(super::PAY_TO).await, u64::from(version) * 1_000_000);
        assert_eq!(spend(&shop, body["token"].as_str().unwrap()).await, 980_000);
    }
}

/// Pays an audit by credit; what is left of it, in millionths of a dollar.
async fn spend(shop: &Shop, token: &str) -> i64 {
    let spent = shop.app.call(shop.audit().header("authorization", &format!("Bearer {token}"))).await;
    assert_eq!(spent.status, 200, "{}", spent.body);
    let left = shop.app.call(Call::get("/api/credito").header("x-credito", token)).await.json();
    left["saldo_micros"].as_i64().unwrap()
}

/// The client that knows version 1 alone: it pays an audit by itself, and a pack once its cap of 0.10 USDC is raised.
#[tokio::test(flavor = "multi_thread")]
async fn the_older_client_pays_an_audit_and_buys_credit_that_is_spent() {
    let Some(rig) = Rig::start_with_older_client(PATIENT).await else { return };
    let (shop, peers) = rig.shop().await;
    peers.give(&Wallet::new([1; 32]).address(), MONEY).await;
    let (url, body) = (shop.app.url("/api/audit"), json!({"url": shop.site.url("/")}).to_string());
    let paid = peers.pay_as_older(&key(1), None, "POST", &url, Some(&body)).await;
    assert_eq!(paid["status"], 200, "{paid}");
    assert!(paid["sent"]["x-payment"].is_string(), "{paid}");
    assert_eq!((&paid["receipt"]["success"], &paid["receipt"]["network"]), (&json!(true), &json!("base-sepolia")));
    assert_eq!((sold(&peers).await, shop.audits()), (1, 1));

    let url = shop.app.url(&pack(1).path);
    let refused = peers.pay_as_older(&key(1), None, "POST", &url, None).await;
    assert_eq!(refused["refused"], "Payment amount exceeds maximum allowed", "{refused}");
    assert_eq!(sold(&peers).await, 1);
    let bought = peers.pay_as_older(&key(1), Some(1_000_000), "POST", &url, None).await;
    assert_eq!(bought["status"], 200, "{bought}");
    assert_eq!(peers.balance(super::PAY_TO).await, 1_020_000);
    let body: Value = serde_json::from_str(bought["body"].as_str().unwrap()).unwrap();
    assert_eq!(spend(&shop, body["token"].as_str().unwrap()).await, 980_000);
}

/// Every payment that we refuse is refused by the facilitator too, once it says so itself what it is for; one by one
/// they are good but for one thing.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_would_not_settle() {
    let Some(rig) = Rig::start(PATIENT).await else { return };
    let (shop, peers) = rig.shop().await;
    let asked = shop.app.call(shop.audit()).await;
    let good = signed(&peers, &asked, 1, 1).await;
    let wanted = question(&good)["paymentRequirements"].clone();
    for (payment, reason) in refusals::payments(&asked, now()) {
        let refused = shop.app.call(shop.audit().header("PAYMENT-SIGNATURE", &encoded(&payment))).await;
        assert_eq!(refused.refusal(), (402, "payment_refused".to_owned()), "{payment}");
        assert_eq!(refused.json()["detail"], reason);
        if reason.starts_with("invalid_exact_evm") {
            let asked = json!({"x402Version": 2, "paymentPayload": payment, "paymentRequirements": wanted});
            let said = peers::post(peers.facilitator.address, "/verify", &asked).await.json();
            assert_eq!(said["isValid"], false, "{payment}: {said}");
            println!("{reason}: the facilitator says {}", said["invalidReason"]);
        }
    }
    // A good signature of somebody else, and one of somebody without money.
    let mut forged = signed_with(&asked, 1, 3, |authorization| authorization.valid_before = (now() + 300).to_string());
    forged.signature.clone_from(&good.signature);
    let poor = signed_with(&asked, 2, 1, |authorization| authorization.valid_before = (now() + 300).to_string());
    for (payment, reason) in [(forged, "invalid_exact_evm_signature"), (poor, "invalid_exact_evm_insufficient_balance")]
    {
        let refused = shop.app.call(payment.pays(shop.audit())).await;
        assert_eq!(refused.refusal(), (402, "payment_refused".to_owned()));
        assert_eq!((&refused.json()["detail"], &refused.json()["charged"]), (&json!(reason), &json!(false)));
    }
    assert_eq!((shop.audits(), sold(&peers).await), (0, 0));
    assert_eq!(shop.app.call(good.pays(shop.audit())).await.status, 200);
    assert_eq!((shop.audits(), sold(&peers).await), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn five_equal_payments_at_once_are_one_transfer() {
    let Some(rig) = Rig::start(PATIENT).await else { return };
    let (shop, peers) = rig.shop().await;
    let payment = signed(&peers, &shop.app.call(shop.audit()).await, 1, 1).await;
    five_at_once(&shop, &payment).await;
    assert_eq!(sold(&peers).await, 1);
}
