//! Payments by x402 whose facilitator or chain fails, is silent, or changes its mind.

use std::time::Duration;

use serde_json::json;
use service::config::SecretText;
use service::payments::worker;
use testkit::TestDatabase;
use testkit::facilitator::Say;

use super::super::{Shop, charging, moved, receipt, signed, signed_with};
use super::HASH;
use crate::app::TestApp;

testkit::on_both_databases! {
    a_facilitator_that_is_down_is_a_503,
    a_payment_that_the_facilitator_can_t_read_keeps_nobody_out,
    an_unclear_settlement_is_never_asked_for_again,
    what_was_sent_unheard_is_found_on_the_chain,
    what_nobody_knows_of_waits_for_the_operator,
    only_what_the_chain_never_saw_lapses,
    a_payment_is_sought_where_it_was_to_go,
    a_settlement_that_was_refused_leaves_no_result,
    a_pending_settlement_is_asked_about_again,
    a_reverted_settlement_is_tried_once_more,
}

async fn a_facilitator_that_is_down_is_a_503(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    shop.facilitator.script(|_, _| Some(Say::HangsUp));
    let down = shop.app.call(payment.pays(shop.audit())).await;
    assert_eq!(down.refusal(), (503, "facilitator_unavailable".to_owned()));
    assert!(!down.header("retry-after").is_empty());
    // Known to be down: nobody is asked for a payment that can't be settled.
    worker::check(&shop.app.app).await;
    let unpaid = shop.app.call(shop.audit()).await;
    assert_eq!(unpaid.refusal(), (503, "facilitator_unavailable".to_owned()));
    assert_eq!(shop.audits(), 0);
    // Back again, and the same payment is good.
    shop.facilitator.script(|_, _| None);
    worker::check(&shop.app.app).await;
    assert_eq!(shop.app.call(payment.pays(shop.audit())).await.status, 200);
    assert_eq!(shop.app.call(shop.audit()).await.refusal(), (402, "allowance_spent".to_owned()));
}

async fn a_payment_that_the_facilitator_can_t_read_keeps_nobody_out(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let asked = shop.app.call(shop.audit()).await;
    for (number, status, body) in [(1, 400, json!({"error": "Invalid request"})), (2, 422, json!([]))] {
        shop.facilitator.script(move |question, _| {
            let hostile =
                question.body["paymentPayload"]["payload"]["authorization"]["nonce"] == format!("0x{number:064x}");
            hostile.then(|| Say::This(status, body.clone()))
        });
        let unread = shop.app.call(signed(&asked, 1, number).pays(shop.audit())).await;
        assert_eq!(unread.refusal(), (503, "facilitator_unavailable".to_owned()), "{}", unread.body);
        let paid = shop.app.call(signed(&asked, 1, 10 + number).pays(shop.audit())).await;
        assert_eq!(paid.status, 200, "{}", paid.body);
    }
}

async fn an_unclear_settlement_is_never_asked_for_again(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let refused = |reason: &str| json!({"success": false, "errorReason": reason, "transaction": ""});
    let answers = [
        Say::HangsUp,
        Say::This(500, json!({"error": "something broke"})),
        Say::This(200, refused("rpc timeout")),
        Say::This(200, refused("invalid_exact_evm_nonce_already_used")),
        Say::This(200, json!([])),
    ];
    for (number, say) in (1..).zip(answers) {
        let payment = signed(&shop.app.call(shop.audit()).await, 1, number);
        let (said, before) = (say.clone(), shop.facilitator.asked("settle").len());
        shop.facilitator
            .script(move |question, number| (question.what == "settle" && number == before + 1).then(|| said.clone()));
        let unclear = shop.app.call(payment.pays(shop.audit())).await;
        assert_eq!(unclear.refusal(), (503, "settlement_pending".to_owned()), "{say:?}");
        assert_eq!(unclear.header("retry-after"), "5");
        assert_eq!((unclear.header("payment-required"), &unclear.json()["accepts"]), ("", &json!(null)));
        // At once it is too early to ask; later the same header has its result, and is paid once.
        let early = shop.app.call(payment.pays(shop.audit())).await;
        assert_eq!(early.refusal(), (503, "settlement_pending".to_owned()));
        shop.app.pass(Duration::from_secs(3));
        worker::check(&shop.app.app).await;
        let paid = shop.app.call(payment.pays(shop.audit())).await;
        assert_eq!(paid.status, 200, "{say:?}: {}", paid.body);
        assert_eq!(receipt(&paid)["success"], true);
        assert_eq!((shop.audits() as u64, moved(&shop.facilitator)), (number, 20_000 * number));
        // Told to settle with the same bytes each time.
        let settles = shop.facilitator.asked("settle");
        assert_eq!(settles.len(), before + 2);
        assert!(settles[before..].windows(2).all(|two| two[0].body == two[1].body), "{settles:?}");
    }
}

async fn what_was_sent_unheard_is_found_on_the_chain(database: TestDatabase) {
    let shop = Shop::with_node(database).await;
    shop.facilitator.script(|question, _| (question.what == "settle").then_some(Say::MovesAndHangsUp));
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    let paid = shop.app.call(payment.pays(shop.audit())).await;
    assert_eq!(paid.status, 200, "{}", paid.body);
    assert_eq!(receipt(&paid)["transaction"], shop.facilitator.moved()[0].transaction);
    // Somebody who saw the authorization was faster: the money is ours all the same.
    shop.facilitator.script(|question, _| {
        let used = json!({"success": false, "errorReason": "invalid_exact_evm_nonce_already_used", "transaction": ""});
        (question.what == "settle").then_some(Say::MovesAndSays(200, used))
    });
    worker::check(&shop.app.app).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 2);
    assert_eq!(shop.app.call(payment.pays(shop.audit())).await.status, 200);
    assert_eq!((shop.audits(), moved(&shop.facilitator)), (2, 40_000));
}

async fn what_nobody_knows_of_waits_for_the_operator(database: TestDatabase) {
    let shop = Shop::open(database).await;
    shop.facilitator.script(|question, _| (question.what == "settle").then_some(Say::MovesAndHangsUp));
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    assert_eq!(shop.app.call(payment.pays(shop.audit())).await.refusal(), (503, "settlement_pending".to_owned()));
    // The facilitator does not know that it was itself who sent it, and there is no node to ask.
    shop.facilitator.script(|_, _| None);
    for hours in [1, 24, 48] {
        shop.app.pass(Duration::from_secs(hours * 3_600));
        worker::check(&shop.app.app).await;
        assert_eq!(worker::round(&shop.app.app).await.unwrap(), 1);
        let unclear = shop.app.call(payment.pays(shop.audit())).await;
        assert_eq!(unclear.refusal(), (503, "settlement_pending".to_owned()));
        assert_eq!((unclear.header("payment-required"), &unclear.json()["accepts"]), ("", &json!(null)));
    }
    assert_eq!(shop.app.app.database().store().unclear_payments(9).await.unwrap().len(), 1);
}

/// Each is first unclear, and comes to be looked at after its time.
async fn only_what_the_chain_never_saw_lapses(database: TestDatabase) {
    let shop = Shop::with_node(database).await;
    let pending = json!({"success": false, "errorReason": "settlement_pending", "transaction": HASH});
    for (number, say, method, answer, (status, code)) in [
        // Nothing was sent.
        (1, Say::HangsUp, "", json!(null), (402, "payment_refused")),
        // The transaction is known by name only.
        (2, Say::This(202, pending), "", json!(null), (402, "payment_refused")),
        // The authorization was used where the node does not look any more, or it does not say where.
        (3, Say::MovesAndHangsUp, "eth_getLogs", json!([]), (503, "settlement_pending")),
        // The node says nothing of use.
        (4, Say::HangsUp, "eth_call", json!("0x"), (503, "settlement_pending")),
        // It is there.
        (5, Say::MovesAndHangsUp, "", json!(null), (200, "")),
    ] {
        shop.facilitator.script(move |question, _| match question.what.as_str() {
            "settle" => Some(say.clone()),
            "node" => Some(Say::HangsUp),
            _ => None,
        });
        worker::check(&shop.app.app).await;
        let payment = signed_with(&shop.app.call(shop.audit()).await, 1, number, |authorization| {
            let days = i64::try_from(number).unwrap() - 1;
            authorization.valid_before = (crate::app::NOW.seconds() + days * 86_400 + 3_600).to_string();
        });
        assert_eq!(shop.app.call(payment.pays(shop.audit())).await.refusal(), (503, "settlement_pending".to_owned()));
        let expired = json!({"success": false, "errorReason": "invalid_exact_evm_payload_authorization_valid_before",
            "transaction": "", "network": "eip155:84532"});
        worker::check(&shop.app.app).await;
        shop.facilitator.script(move |question, _| match question.what.as_str() {
            "settle" => Some(Say::This(200, expired.clone())),
            "node" if question.body["method"] == method => Some(Say::This(200, json!({"result": answer}))),
            _ => None,
        });
        shop.app.pass(Duration::from_secs(86_400));
        shop.facilitator.set_chain_time(crate::app::NOW.seconds().unsigned_abs() + number * 86_400);
        let ended = shop.app.call(payment.pays(shop.audit())).await;
        assert_eq!((ended.status, ended.json()["code"].as_str().unwrap_or_default()), (status, code), "{number}");
    }
}

async fn a_payment_is_sought_where_it_was_to_go(database: TestDatabase) {
    let shop = Shop::with_node(database).await;
    shop.facilitator.script(|question, _| match question.what.as_str() {
        "settle" => Some(Say::MovesAndHangsUp),
        "node" => Some(Say::HangsUp),
        _ => None,
    });
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    assert_eq!(shop.app.call(payment.pays(shop.audit())).await.refusal(), (503, "settlement_pending".to_owned()));
    shop.facilitator.script(|_, _| None);
    // The operator is paid elsewhere since.
    let since = TestApp::start_on(&shop.app, |config| {
        charging(config, &shop.facilitator.url());
        config.payments.rpc_url = Some(SecretText::new(shop.facilitator.node_url()));
        config.payments.pay_to = Some(format!("0x{}", "11".repeat(20)));
    })
    .await;
    since.pass(Duration::from_secs(3));
    assert_eq!(worker::round(&since.app).await.unwrap(), 0);
    let settled = shop.app.database.row("SELECT COUNT(*) FROM payments WHERE state = 'settled'").await;
    assert_eq!(sqlx::Row::get::<i64, _>(&settled, 0), 1);
}

async fn a_settlement_that_was_refused_leaves_no_result(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = shop.app.guest().await;
    let asked = shop.app.call(shop.audit().token(&token)).await;
    let payment = signed(&asked, 1, 1);
    shop.facilitator.script(|question, _| {
        let refused = json!({"success": false, "errorReason": "insufficient_funds", "transaction": "",
            "network": "eip155:84532"});
        (question.what == "settle").then_some(Say::This(200, refused))
    });
    let refused = shop.app.call(payment.pays(shop.audit()).token(&token)).await;
    assert_eq!(refused.refusal(), (402, "payment_refused".to_owned()));
    assert_eq!(refused.json()["detail"], "insufficient_funds");
    assert_eq!(refused.json()["accepts"][0]["network"], "base-sepolia");
    assert_eq!(
        (receipt(&refused)["success"].as_bool(), receipt(&refused)["errorReason"].as_str()),
        (Some(false), Some("insufficient_funds"))
    );
    let kept = shop.app.database.row("SELECT COUNT(*) FROM audits").await;
    assert_eq!(sqlx::Row::get::<i64, _>(&kept, 0), 0);
    // Refused for good, also when the facilitator thinks better of it.
    shop.facilitator.script(|_, _| None);
    let again = shop.app.call(payment.pays(shop.audit()).token(&token)).await;
    assert_eq!(again.refusal(), (402, "payment_refused".to_owned()));
    assert_eq!(moved(&shop.facilitator), 0);
}

async fn a_pending_settlement_is_asked_about_again(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    let pending = json!({"success": false, "errorReason": "settlement_pending", "transaction": HASH,
        "network": "eip155:84532"});
    shop.facilitator.script(move |question, number| {
        (question.what == "settle" && number <= 2).then(|| Say::This(500, pending.clone()))
    });
    let unclear = shop.app.call(payment.pays(shop.audit())).await;
    assert_eq!(unclear.refusal(), (503, "settlement_pending".to_owned()));
    assert_eq!(unclear.json()["transaction"], HASH);
    assert_eq!(shop.facilitator.asked("settle").len(), 2);
    shop.app.pass(Duration::from_secs(3));
    assert_eq!(shop.app.call(payment.pays(shop.audit())).await.status, 200);
    // Pending once, then there.
    let second = signed(&shop.app.call(shop.audit()).await, 1, 2);
    let pending = json!({"success": false, "errorReason": "settlement_pending", "transaction": HASH});
    shop.facilitator.script(move |question, number| {
        (question.what == "settle" && number == 4).then(|| Say::This(202, pending.clone()))
    });
    assert_eq!(shop.app.call(second.pays(shop.audit())).await.status, 200);
    assert_eq!(moved(&shop.facilitator), 40_000);
}

async fn a_reverted_settlement_is_tried_once_more(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let asked = shop.app.call(shop.audit()).await;
    let reverted = json!({"success": false, "errorReason": "invalid_exact_evm_transaction_failed",
        "transaction": HASH, "network": "eip155:84532"});
    let answers = [
        // Another reason at the second try: nothing moved.
        (json!({"success": false, "errorReason": "insufficient_funds", "transaction": ""}), (402, "payment_refused")),
        // Used already: somebody else sent it, and the money came here.
        (
            json!({"success": false, "errorReason": "invalid_exact_evm_nonce_already_used", "transaction": ""}),
            (503, "settlement_pending"),
        ),
    ];
    for (number, (second, (status, code))) in answers.into_iter().enumerate() {
        let payment = signed(&asked, 1, 100 + number as u64);
        let (reverted, before) = (reverted.clone(), shop.facilitator.asked("settle").len());
        shop.facilitator.script(move |question, number| match number.checked_sub(before) {
            Some(1) if question.what == "settle" => Some(Say::This(200, reverted.clone())),
            Some(2) if question.what == "settle" => Some(Say::This(200, second.clone())),
            _ => None,
        });
        let answer = shop.app.call(payment.pays(shop.audit())).await;
        assert_eq!(answer.refusal(), (status, code.to_owned()));
    }
}
