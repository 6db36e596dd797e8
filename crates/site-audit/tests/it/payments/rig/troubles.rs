//! What goes wrong: the program dies, the chain is slow, the facilitator goes away, the money is gone, an answer is lost,
//! somebody else is faster.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use service::payments::worker;
use testkit::TestDatabase;
use testkit::facilitator::Say;
use testkit::wallet::Wallet;
use tokio::sync::Notify;

use super::{MONEY, PATIENT, Rig, peers, question, signed, sold};
use crate::app::TestApp;
use crate::payments::program::wait_for;
use crate::payments::{Payment, Shop, arrows, charging, receipt};

/// Milliseconds that a facilitator waits for a chain that makes no blocks.
const IMPATIENT: u32 = 1_000;

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_any_arrow_a_payment_is_one_transfer() {
    let Some(Rig { peers, front }) = Rig::start(PATIENT).await else { return };
    let payer = Wallet::new([1; 32]);
    peers.give(&payer.address(), MONEY).await;
    let moved = async || usize::try_from(sold(&peers).await).unwrap();
    arrows::at_every_arrow(&TestDatabase::sqlite(), &front, &payer, moved).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_is_not_on_the_chain_yet_settles_later() {
    let Some(rig) = Rig::start(IMPATIENT).await else { return };
    let (shop, peers) = rig.shop().await;
    let payment = signed(&peers, &shop.app.call(shop.audit()).await, 1, 1).await;
    peers.ask("evm_setAutomine", json!([false])).await;
    let unclear = shop.app.call(payment.pays(shop.audit())).await;
    assert_eq!(unclear.refusal(), (503, "settlement_pending".to_owned()), "{}", unclear.body);
    let transaction = unclear.json()["transaction"].clone();
    assert!(transaction.is_string(), "{}", unclear.body);
    assert_eq!(unclear.json()["accepts"], json!(null));
    assert_eq!(sold(&peers).await, 0);
    peers.ask("evm_mine", json!([])).await;
    let settled = until_paid(&shop, &payment).await;
    assert_eq!(settled["transaction"], transaction);
    assert_eq!((sold(&peers).await, shop.audits()), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_facilitator_that_stopped_is_a_503_until_it_is_back() {
    let Some(Rig { mut peers, front }) = Rig::start(PATIENT).await else { return };
    let url = |peer: &peers::Peer| format!("http://{}", peer.address);
    let there = url(&peers.facilitator);
    let shop = Shop::beside(front, TestDatabase::sqlite(), |config| config.payments.facilitator = Some(there)).await;
    shop.app.set_to_machine();
    let payment = signed(&peers, &shop.app.call(shop.audit()).await, 1, 1).await;
    // Another one starts before the first one stops, so that it listens elsewhere.
    let other = peers.other_facilitator(PATIENT).await;
    peers.facilitator = other;
    let down = shop.app.call(payment.pays(shop.audit())).await;
    assert_eq!(down.refusal(), (503, "facilitator_unavailable".to_owned()), "{}", down.body);
    assert_eq!(shop.app.call(shop.audit()).await.refusal(), (503, "facilitator_unavailable".to_owned()));
    assert_eq!((shop.audits(), sold(&peers).await), (0, 0));
    // The same payment is good at the next one.
    let back = TestApp::start_on(&shop.app, |config| {
        charging(config, &url(&peers.facilitator));
        config.base_url = Some(shop.app.url(""));
    })
    .await;
    back.set_to_machine();
    let paid = back.call(payment.pays(shop.audit())).await;
    assert_eq!(paid.status, 200, "{}", paid.body);
    assert_eq!((shop.audits(), sold(&peers).await), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payer_drained_after_the_work_has_no_result() {
    let Some(rig) = Rig::start(PATIENT).await else { return };
    let (shop, peers) = rig.shop().await;
    let payment = signed(&peers, &shop.app.call(shop.audit()).await, 1, 1).await;
    let go_on = Arc::new(Notify::new());
    let told = Arc::clone(&go_on);
    shop.facilitator.script(move |question, _| (question.what == "settle").then(|| Say::Waits(Arc::clone(&told))));
    let drained = async {
        shop.facilitator.wait_for("settle", 1).await;
        peers.drain(&Wallet::new([1; 32]).address()).await;
        go_on.notify_one();
    };
    let (refused, ()) = tokio::join!(shop.app.call(payment.pays(shop.audit())), drained);
    assert_eq!(refused.refusal(), (402, "payment_refused".to_owned()), "{}", refused.body);
    assert_eq!(refused.json()["detail"], "invalid_exact_evm_insufficient_balance");
    assert_eq!(receipt(&refused)["success"], false);
    let kept = shop.app.database.row("SELECT COUNT(*) FROM audits").await;
    assert_eq!((sqlx::Row::get::<i64, _>(&kept, 0), sold(&peers).await), (0, 0));
}

/// The facilitator calls an authorization that it sent itself «used» when it is asked again: only the chain can tell.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_lost_is_found_on_the_chain() {
    let Some(rig) = Rig::start(PATIENT).await else { return };
    let (shop, peers) = rig.shop().await;
    let payment = signed(&peers, &shop.app.call(shop.audit()).await, 1, 1).await;
    shop.facilitator.script(|question, number| match question.what.as_str() {
        "settle" if number == 1 => Some(Say::MovesAndHangsUp),
        "node" if number == 1 => Some(Say::HangsUp),
        _ => None,
    });
    let unclear = shop.app.call(payment.pays(shop.audit())).await;
    assert_eq!(unclear.refusal(), (503, "settlement_pending".to_owned()), "{}", unclear.body);
    assert_eq!(sold(&peers).await, 1);
    let settled = until_paid(&shop, &payment).await;
    let found = peers.ask("eth_getTransactionReceipt", json!([settled["transaction"]])).await;
    assert_eq!(found["status"], "0x1");
    assert_eq!((sold(&peers).await, shop.audits()), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_the_chain_never_saw_lapses() {
    let Some(rig) = Rig::start(PATIENT).await else { return };
    let (shop, peers) = rig.shop().await;
    let payment = signed(&peers, &shop.app.call(shop.audit()).await, 1, 1).await;
    shop.facilitator.script(|question, _| (question.what == "settle").then_some(Say::HangsUp));
    let unclear = shop.app.call(payment.pays(shop.audit())).await;
    assert_eq!(unclear.refusal(), (503, "settlement_pending".to_owned()), "{}", unclear.body);
    shop.app.pass(Duration::from_secs(86_400));
    // Our clock alone proves nothing: the chain has not come so far.
    assert_eq!(worker::round(&shop.app.app).await.unwrap(), 1);
    peers.ask("evm_increaseTime", json!([86_400])).await;
    peers.ask("evm_mine", json!([])).await;
    shop.app.pass(Duration::from_secs(86_400));
    assert_eq!(worker::round(&shop.app.app).await.unwrap(), 0);
    worker::check(&shop.app.app).await;
    let lapsed = shop.app.call(payment.pays(shop.audit())).await;
    assert_eq!(lapsed.refusal(), (402, "payment_refused".to_owned()), "{}", lapsed.body);
    assert_eq!(sold(&peers).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_its_payer_takes_back_lapses_at_once() {
    let Some(rig) = Rig::start(PATIENT).await else { return };
    let (shop, peers) = rig.shop().await;
    let payment = signed(&peers, &shop.app.call(shop.audit()).await, 1, 1).await;
    let go_on = Arc::new(Notify::new());
    let told = Arc::clone(&go_on);
    shop.facilitator.script(move |question, _| (question.what == "settle").then(|| Say::Waits(Arc::clone(&told))));
    let taken_back = async {
        shop.facilitator.wait_for("settle", 1).await;
        peers.cancel(&payment.authorization).await;
        go_on.notify_one();
    };
    let (lapsed, ()) = tokio::join!(shop.app.call(payment.pays(shop.audit())), taken_back);
    assert_eq!(lapsed.refusal(), (402, "payment_refused".to_owned()), "{}", lapsed.body);
    assert_eq!(lapsed.json()["detail"], "authorization_used_or_canceled");
    assert_eq!(sold(&peers).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_else_sent_first_is_paid() {
    let Some(rig) = Rig::start(PATIENT).await else { return };
    let (shop, peers) = rig.shop().await;
    let payment = signed(&peers, &shop.app.call(shop.audit()).await, 1, 1).await;
    let other = peers.other_facilitator(PATIENT).await;
    shop.facilitator.script({
        let (address, question) = (other.address, question(&payment));
        let sent = Arc::new(Notify::new());
        move |asked, number| {
            if asked.what != "settle" || number > 1 {
                return None;
            }
            let (told, question) = (Arc::clone(&sent), question.clone());
            tokio::spawn(async move {
                let said = peers::post(address, "/settle", &question).await.json();
                assert_eq!(said["success"], true, "{said}");
                told.notify_one();
            });
            Some(Say::Waits(Arc::clone(&sent)))
        }
    });
    let paid = shop.app.call(payment.pays(shop.audit())).await;
    assert_eq!(paid.status, 200, "{}", paid.body);
    assert_eq!((sold(&peers).await, shop.audits()), (1, 1));
}

/// Repeats a call with its payment until it has its result; the receipt.
async fn until_paid(shop: &Shop, payment: &Payment) -> serde_json::Value {
    let receipts = std::sync::Mutex::new(None);
    wait_for(async || {
        // As long as the service wants to wait before it asks again.
        shop.app.pass(Duration::from_secs(60));
        worker::check(&shop.app.app).await;
        let answer = shop.app.call(payment.pays(shop.audit())).await;
        if answer.status == 200 {
            *receipts.lock().unwrap() = Some(receipt(&answer));
        } else {
            assert_eq!(answer.status, 503, "{}", answer.body);
        }
        answer.status == 200
    })
    .await;
    receipts.into_inner().unwrap().unwrap()
}
