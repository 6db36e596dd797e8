//! Nobody is asked for a second payment of a call while the first may still land.

use std::time::Duration;

use serde_json::json;
use service::payments::worker;
use testkit::TestDatabase;
use testkit::facilitator::Say;

use super::{Shop, by_credit, charging, moved, signed};
use crate::app::{Call, NOW, Response, TestApp};

testkit::on_both_databases! {
    none_is_taken_while_the_first_may_land,
    none_is_taken_while_the_first_is_worked_for,
    none_is_taken_for_credit_either,
    a_payment_on_its_way_is_no_used_one_when_the_price_changed,
    no_credit_is_spent_while_a_payment_may_land,
}

/// A transaction.
const HASH: &str = "0x00000000000000000000000000000000000000000000000000000000000000aa";

/// What is said while a payment is on its way: nothing to pay with, in either version.
fn offers_nothing(answer: &Response, status: u16, code: &str) {
    assert_eq!(answer.refusal(), (status, code.to_owned()), "{}", answer.body);
    assert_eq!((answer.json().get("accepts"), answer.header("payment-required")), (None, ""));
}

/// The facilitator says of each settlement that it is pending, and moves nothing.
fn all_pending(shop: &Shop) {
    let pending = json!({"success": false, "errorReason": "settlement_pending", "transaction": HASH});
    shop.facilitator.script(move |question, _| (question.what == "settle").then(|| Say::This(500, pending.clone())));
}

async fn none_is_taken_while_the_first_may_land(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = shop.app.guest().await;
    let audit = || shop.audit().token(&token);
    let asked = shop.app.call(audit()).await;
    let (first, second) = (signed(&asked, 1, 1), signed(&asked, 1, 2));
    all_pending(&shop);
    offers_nothing(&shop.app.call(first.pays(audit())).await, 503, "settlement_pending");
    shop.facilitator.script(|_, _| None);
    let verified = shop.facilitator.asked("verify").len();
    for call in [audit(), second.pays(audit())] {
        let again = shop.app.call(call).await;
        offers_nothing(&again, 503, "settlement_pending");
        assert_eq!((again.header("retry-after"), &again.json()["transaction"]), ("5", &HASH.into()));
    }
    assert_eq!((shop.facilitator.asked("verify").len(), shop.audits()), (verified, 1));
    // Other calls of the guest, and the same call of others, are asked to pay as ever.
    let other = Call::audit(&shop.site.url("/other")).token(&token);
    for call in [other, shop.audit(), shop.audit().token(&shop.app.guest().await)] {
        assert_eq!(shop.app.call(call).await.refusal(), (402, "allowance_spent".to_owned()));
    }
    // Once the first is settled, the same call is a new one.
    shop.app.pass(Duration::from_secs(3));
    assert_eq!(shop.app.call(first.pays(audit())).await.status, 200);
    assert_eq!(shop.app.call(second.pays(audit())).await.status, 200);
    assert_eq!((shop.audits(), moved(&shop.facilitator)), (2, 40_000));
    // One of which nobody knows is in the way until its authorization is long over: then it landed, or never will.
    all_pending(&shop);
    let third = signed(&shop.app.call(audit()).await, 1, 3);
    offers_nothing(&shop.app.call(third.pays(audit())).await, 503, "settlement_pending");
    shop.app.pass(Duration::from_secs(890));
    offers_nothing(&shop.app.call(audit()).await, 503, "settlement_pending");
    shop.app.pass(Duration::from_secs(20));
    assert_eq!(shop.app.call(audit()).await.refusal(), (402, "allowance_spent".to_owned()));
}

/// The one who works is another server, as far as this one can tell: a call of its own would have to end in its time.
async fn none_is_taken_while_the_first_is_worked_for(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = shop.app.guest().await;
    let audit = || shop.audit().token(&token);
    let asked = shop.app.call(audit()).await;
    let (first, second) = (signed(&asked, 1, 1), signed(&asked, 1, 2));
    shop.facilitator.script(|question, _| (question.what == "verify").then_some(Say::HangsUp));
    let left = shop.app.call(first.pays(audit())).await;
    assert_eq!(left.refusal(), (503, "facilitator_unavailable".to_owned()), "{}", left.body);
    shop.facilitator.script(|_, _| None);
    let until = NOW.plus_ms(1_000).0;
    for state in ["claimed", "working"] {
        shop.app.database.execute(&format!("UPDATE payments SET state = '{state}', leased_until = {until}")).await;
        for call in [audit(), second.pays(audit())] {
            let again = shop.app.call(call).await;
            offers_nothing(&again, 409, "payment_in_progress");
            assert_eq!(again.header("retry-after"), "2");
        }
    }
    // That server is gone.
    shop.app.pass(Duration::from_secs(1));
    let paid = shop.app.call(first.pays(audit())).await;
    assert_eq!((paid.status, shop.audits(), moved(&shop.facilitator)), (200, 1, 20_000), "{}", paid.body);
}

async fn none_is_taken_for_credit_either(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = shop.app.guest().await;
    let buy = |usd: u32| Call::new("POST", &format!("/api/credito?usd={usd}")).token(&token);
    let asked = shop.app.call(buy(5)).await;
    all_pending(&shop);
    offers_nothing(&shop.app.call(signed(&asked, 1, 1).pays(buy(5))).await, 503, "settlement_pending");
    // The same payment of another owner is not used: it may land still.
    let other = signed(&asked, 1, 1).pays(Call::new("POST", "/api/credito?usd=5"));
    offers_nothing(&shop.app.call(other).await, 503, "settlement_pending");
    shop.facilitator.script(|_, _| None);
    offers_nothing(&shop.app.call(buy(5)).await, 503, "settlement_pending");
    offers_nothing(&shop.app.call(signed(&asked, 1, 2).pays(buy(5))).await, 503, "settlement_pending");
    assert_eq!(shop.app.call(buy(1)).await.refusal(), (402, "payment_required".to_owned()));
    shop.app.pass(Duration::from_secs(3));
    assert_eq!(worker::round(&shop.app.app).await.unwrap(), 0);
    assert_eq!(moved(&shop.facilitator), 5_000_000);
    assert_eq!(shop.app.call(signed(&asked, 1, 2).pays(buy(5))).await.status, 200);
}

async fn a_payment_on_its_way_is_no_used_one_when_the_price_changed(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = shop.app.guest().await;
    let audit = || shop.audit().token(&token);
    let payment = signed(&shop.app.call(audit()).await, 1, 1);
    all_pending(&shop);
    offers_nothing(&shop.app.call(payment.pays(audit())).await, 503, "settlement_pending");
    shop.facilitator.script(|_, _| None);
    let dearer = TestApp::start_on(&shop.app, |config| {
        charging(config, &shop.facilitator.url());
        config.prices.audit_usd = model::money::Micros(30_000);
        config.base_url = Some(shop.app.url(""));
    })
    .await;
    offers_nothing(&dearer.call(payment.pays(audit())).await, 503, "settlement_pending");
    offers_nothing(&dearer.call(audit()).await, 503, "settlement_pending");
    // Another owner of it, as when a guest's things went over to an account meanwhile.
    offers_nothing(&shop.app.call(payment.pays(shop.audit())).await, 503, "settlement_pending");
    // For another call it is used.
    let other = payment.pays(Call::audit(&shop.site.url("/other")).token(&token));
    assert_eq!(shop.app.call(other).await.refusal(), (402, "payment_used".to_owned()));
}

async fn no_credit_is_spent_while_a_payment_may_land(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = shop.app.guest().await;
    let (much, little) = (by_credit::credit(&shop, 100_000).await, by_credit::credit(&shop, 10_000).await);
    let audit = || shop.audit().token(&token);
    let payment = signed(&shop.app.call(audit()).await, 1, 1);
    all_pending(&shop);
    offers_nothing(&shop.app.call(payment.pays(audit())).await, 503, "settlement_pending");
    for credit in [&much, &little] {
        offers_nothing(&shop.app.call(audit().header("x-credito", credit)).await, 503, "settlement_pending");
    }
    assert_eq!(by_credit::balance(&shop, &much).await, 100_000);
}
