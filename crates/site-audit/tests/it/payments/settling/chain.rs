//! Settlements that the chain decides: spent otherwise, reverted, or on a node that is behind.

use std::time::Duration;

use serde_json::json;
use service::payments::worker;
use testkit::TestDatabase;
use testkit::facilitator::Say;

use super::super::{Shop, moved, receipt, signed, signed_with};
use super::{HASH, REVERTED, USED, failed, is_pending, settles, unclear};
use crate::app::NOW;

testkit::on_both_databases! {
    an_authorization_that_was_spent_otherwise_lapses_at_once,
    a_node_that_is_behind_lets_nothing_lapse,
    a_revert_and_another_fault_end_a_payment,
    a_revert_after_a_lost_answer_ends_nothing,
    a_node_has_the_last_word_on_a_revert,
}

async fn an_authorization_that_was_spent_otherwise_lapses_at_once(database: TestDatabase) {
    let shop = Shop::with_node(database).await;
    let asked = shop.app.call(shop.audit()).await;
    for number in [1, 2] {
        let payment = signed(&asked, 1, number);
        if number == 1 {
            shop.facilitator.cancel(&payment.authorization);
        } else {
            shop.facilitator.pay_elsewhere(&payment.authorization);
        }
        // It happened between verifying and settling.
        let valid = json!({"isValid": true, "payer": payment.authorization.from});
        shop.facilitator.script(move |question, _| match question.what.as_str() {
            "verify" => Some(Say::This(200, valid.clone())),
            _ => None,
        });
        let lapsed = shop.app.call(payment.pays(shop.audit())).await;
        assert_eq!(lapsed.refusal(), (402, "payment_refused".to_owned()), "{}", lapsed.body);
        assert_eq!(lapsed.json()["detail"], "authorization_used_or_canceled");
        assert_eq!(
            (lapsed.json()["charged"].as_bool(), receipt(&lapsed)["success"].as_bool()),
            (Some(false), Some(false))
        );
        // For good, and nothing of it is left.
        let again = shop.app.call(payment.pays(shop.audit())).await;
        assert_eq!(again.json()["detail"], "authorization_used_or_canceled");
        // What the node contradicts itself about stays open.
        let odd = signed(&asked, 1, number + 10);
        shop.facilitator.pay_elsewhere(&odd.authorization);
        let valid = json!({"isValid": true, "payer": odd.authorization.from});
        shop.facilitator.script(move |question, _| match question.what.as_str() {
            "verify" => Some(Say::This(200, valid.clone())),
            "node" if question.body["method"] == "eth_getTransactionReceipt" => {
                let receipt = if number == 1 { json!(null) } else { json!({"status": "0x1", "logs": []}) };
                Some(Say::This(200, json!({"jsonrpc": "2.0", "id": 1, "result": receipt})))
            }
            _ => None,
        });
        assert!(is_pending(&shop.app.call(odd.pays(shop.audit())).await));
    }
    assert_eq!(moved(&shop.facilitator), 0);
    let kept =
        shop.app.database.row("SELECT COUNT(*) FROM payments WHERE state = 'lapsed' AND answer_body IS NULL").await;
    assert_eq!(sqlx::Row::get::<i64, _>(&kept, 0), 2);
}

async fn a_node_that_is_behind_lets_nothing_lapse(database: TestDatabase) {
    let shop = Shop::with_node(database).await;
    shop.facilitator.script(|question, _| (question.what == "settle").then_some(Say::HangsUp));
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    let end: u64 = payment.authorization.valid_before.parse().unwrap();
    assert!(is_pending(&shop.app.call(payment.pays(shop.audit())).await));
    // By our clock it is long over, but not by the chain's.
    for chain in [end - 3_600, end - 1] {
        shop.facilitator.set_chain_time(chain);
        shop.app.pass(Duration::from_secs(86_400));
        assert_eq!(worker::round(&shop.app.app).await.unwrap(), 1);
    }
    // Nor by the chain's, where ours has not given it its ten minutes.
    shop.facilitator.set_chain_time(end + 86_400);
    let early = signed_with(&shop.app.call(shop.audit()).await, 1, 2, |authorization| {
        authorization.valid_before = (NOW.seconds() + 2 * 86_400 + 300).to_string();
    });
    assert!(is_pending(&shop.app.call(early.pays(shop.audit())).await));
    shop.facilitator.set_chain_time(end + 4 * 86_400);
    shop.app.pass(Duration::from_secs(300 + 599));
    worker::round(&shop.app.app).await.unwrap();
    assert!(unclear(&shop).await.iter().any(|left| left.key.nonce == early.authorization.nonce));
    shop.app.pass(Duration::from_secs(2 * 3_600));
    assert_eq!(worker::round(&shop.app.app).await.unwrap(), 0);
    assert_eq!(shop.app.call(payment.pays(shop.audit())).await.refusal(), (402, "payment_refused".to_owned()));
}

/// A reverted transaction is settled again; another fault after it ends the payment.
async fn a_revert_and_another_fault_end_a_payment(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let asked = shop.app.call(shop.audit()).await;
    let simulated = "invalid_exact_evm_transaction_simulation_failed";
    for (number, second, reason) in [
        (1, failed(REVERTED, HASH), Some(REVERTED)),
        (2, failed("insufficient_funds", ""), Some("insufficient_funds")),
        // Of no list that is known today.
        (3, failed("invalid_exact_evm_payer_blocked", ""), Some("invalid_exact_evm_payer_blocked")),
        // It may have been sent by others, or a transaction may be on its way.
        (4, failed(USED, ""), None),
        (5, failed(simulated, ""), None),
        (6, failed("unexpected_settle_error", ""), None),
        (7, failed("The node said: no", ""), None),
        (8, failed("insufficient_funds", &format!("0x{}", "b".repeat(64))), None),
        (9, json!({"error": "insufficient_funds"}), None),
    ] {
        settles(&shop, vec![Say::This(200, failed(REVERTED, HASH)), Say::This(200, second.clone())]);
        let answer = shop.app.call(signed(&asked, 1, number).pays(shop.audit())).await;
        match reason {
            Some(reason) => {
                assert_eq!(answer.refusal(), (402, "payment_refused".to_owned()), "{second}");
                assert_eq!((&answer.json()["detail"], &answer.json()["charged"]), (&json!(reason), &json!(false)));
            }
            None => {
                assert!(is_pending(&answer), "{second}: {}", answer.body);
                // Whatever was named is told to the caller and the operator.
                let named = second["transaction"].as_str().filter(|named| !named.is_empty()).unwrap_or(HASH);
                assert_eq!(answer.json()["transaction"], named);
                assert_eq!(unclear(&shop).await.last().unwrap().transaction.as_deref(), Some(named));
            }
        }
    }
}

/// The call whose answer was lost sent one transaction, which landed; the one after it sent another, which failed for that.
async fn a_revert_after_a_lost_answer_ends_nothing(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let asked = shop.app.call(shop.audit()).await;
    for (number, second) in [(1, failed("insufficient_funds", "")), (2, failed(REVERTED, HASH))] {
        settles(&shop, vec![Say::HangsUp, Say::This(200, failed(REVERTED, HASH)), Say::This(200, second)]);
        let payment = signed(&asked, 1, number);
        assert!(is_pending(&shop.app.call(payment.pays(shop.audit())).await));
        shop.app.pass(Duration::from_secs(3));
        let before = shop.facilitator.asked("settle").len();
        assert!(is_pending(&shop.app.call(payment.pays(shop.audit())).await));
        assert_eq!(shop.facilitator.asked("settle").len(), before + 2);
    }
    // Neither does one after a transaction that was on its way.
    let pending = Say::This(202, failed("settlement_pending", HASH));
    settles(&shop, vec![pending, Say::This(200, failed(REVERTED, HASH))]);
    let payment = signed(&asked, 1, 3);
    let unclear = shop.app.call(payment.pays(shop.audit())).await;
    assert!(is_pending(&unclear) && unclear.json()["transaction"] == HASH, "{}", unclear.body);
}

async fn a_node_has_the_last_word_on_a_revert(database: TestDatabase) {
    let shop = Shop::with_node(database).await;
    let asked = shop.app.call(shop.audit()).await;
    let declined = failed("insufficient_funds", "");
    for (number, second, node, status) in [
        (1, Say::This(200, declined.clone()), None, 402),
        (2, Say::This(200, declined.clone()), Some(Say::HangsUp), 503),
        // Somebody else had sent it.
        (3, Say::MovesAndSays(200, declined), None, 200),
    ] {
        let before = shop.facilitator.asked("settle").len();
        shop.facilitator.script(move |question, number| match (question.what.as_str(), number.checked_sub(before)) {
            ("settle", Some(1)) => Some(Say::This(200, failed(REVERTED, HASH))),
            ("settle", Some(2)) => Some(second.clone()),
            ("node", _) => node.clone(),
            _ => None,
        });
        let answer = shop.app.call(signed(&asked, 1, number).pays(shop.audit())).await;
        assert_eq!(answer.status, status, "{number}: {}", answer.body);
    }
}
