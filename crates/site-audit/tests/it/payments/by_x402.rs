mod failures;

use std::time::Duration;

use serde_json::json;
use service::payments::worker;
use testkit::TestDatabase;
use testkit::facilitator::Say;

use super::{Payment, Shop, encoded, moved, receipt, required, signed};
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    both_versions_pay_an_audit,
    a_402_offers_both_versions,
    five_equal_payments_at_once_are_one_audit_and_one_charge,
    an_answer_that_was_paid_is_given_again,
    a_payment_for_another_call_is_told_so,
    what_failed_costs_nothing_and_the_payment_stays_good,
    a_paid_audit_is_its_owners_after_the_charge_only,
    the_worker_ends_what_calls_left,
    a_free_audit_is_not_charged_for,
}

const HASH: &str = "0x00000000000000000000000000000000000000000000000000000000000000aa";

async fn both_versions_pay_an_audit(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let asked = shop.app.call(shop.audit()).await;
    let first = signed(&asked, 1, 1);
    let paid = shop.app.call(shop.audit().header("X-PAYMENT", &encoded(&first.version_1()))).await;
    assert_eq!(paid.status, 200, "{}", paid.body);
    assert_eq!(paid.json()["summary"]["title"], "t");
    let said = super::decoded(paid.header("x-payment-response"));
    assert_eq!((said["success"].as_bool(), said["network"].as_str()), (Some(true), Some("base-sepolia")));
    assert_eq!(said["payer"].as_str(), Some(first.authorization.from.as_str()));
    assert_eq!(paid.header("payment-response"), "");

    // Without padding, as some clients send it.
    let second = signed(&asked, 1, 2);
    let header = encoded(&second.version_2());
    let paid = shop.app.call(shop.audit().header("payment-signature", header.trim_end_matches('='))).await;
    assert_eq!(paid.status, 200, "{}", paid.body);
    let said = receipt(&paid);
    assert_eq!((said["success"].as_bool(), said["network"].as_str()), (Some(true), Some("eip155:84532")));
    assert_eq!(moved(&shop.facilitator), 40_000);

    // The facilitator is always asked in version 2, with our requirements and our credential.
    for what in ["verify", "settle"] {
        for question in shop.facilitator.asked(what) {
            assert_eq!(question.authorization.as_deref(), Some("Bearer for-the-facilitator"));
            assert_eq!(question.body["x402Version"], 2);
            assert_eq!(question.body["paymentPayload"]["accepted"], question.body["paymentRequirements"]);
            assert_eq!(question.body["paymentRequirements"], required(&asked)["accepts"][0]);
        }
    }
    let revenue = shop.app.database.row("SELECT COUNT(*) FROM revenue WHERE amount_micros = 20000").await;
    assert_eq!(sqlx::Row::get::<i64, _>(&revenue, 0), 2);
}

async fn a_402_offers_both_versions(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let asked = shop.app.call(shop.audit()).await;
    assert_eq!(asked.refusal(), (402, "allowance_spent".to_owned()));
    assert_eq!(asked.header("cache-control"), "no-store");
    let (one, two) = (asked.json()["accepts"][0].clone(), required(&asked));
    assert_eq!(one["outputSchema"]["input"]["bodyFields"], json!({"url": {"type": "string", "required": true}}));
    assert_eq!(two["resource"]["url"], shop.app.url("/api/audit"));
    assert_eq!(two["accepts"][0]["network"], "eip155:84532");
    assert_eq!(two["accepts"][0]["extra"], json!({"name": "USDC", "version": "2"}));
    assert_eq!(two["extensions"]["bazaar"]["info"]["input"]["body"]["url"], "https://example.com/");
    for (one, two) in [
        (&one["maxAmountRequired"], &two["accepts"][0]["amount"]),
        (&one["payTo"], &two["accepts"][0]["payTo"]),
        (&one["asset"], &two["accepts"][0]["asset"]),
        (&one["maxTimeoutSeconds"], &two["accepts"][0]["maxTimeoutSeconds"]),
    ] {
        assert_eq!(one, two);
    }
    assert!(asked.header("payment-required").len() < 8 * 1024);
    // The example is some of a true answer.
    let example = two["extensions"]["bazaar"]["info"]["output"]["example"].clone();
    let answer = shop.app.call(signed(&asked, 1, 1).pays(shop.audit())).await.json();
    assert!(example["score"].is_u64(), "{example}");
    assert!(example.as_object().unwrap().keys().all(|name| answer.get(name).is_some()), "{example}");
}

async fn five_equal_payments_at_once_are_one_audit_and_one_charge(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    five_at_once(&shop, &payment).await;
    assert_eq!(moved(&shop.facilitator), 20_000);
}

/// Sends a payment five times at once: one result, and the facilitator is asked once.
pub(crate) async fn five_at_once(shop: &Shop, payment: &Payment) {
    let call = || shop.app.call(payment.pays(shop.audit()));
    let (a, b, c, d, e) = tokio::join!(call(), call(), call(), call(), call());
    let answers = [a, b, c, d, e];
    let paid: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert!(!paid.is_empty());
    for answer in &answers {
        if answer.status != 200 {
            assert_eq!(answer.refusal(), (409, "payment_in_progress".to_owned()), "{}", answer.body);
            assert_eq!(answer.header("retry-after"), "2");
        }
    }
    assert_eq!(paid.iter().filter(|answer| answer.header("idempotent-replay").is_empty()).count(), 1);
    assert_eq!(shop.audits(), 1);
    assert_eq!(shop.facilitator.asked("settle").len(), 1);
    assert_eq!(shop.facilitator.asked("verify").len(), 1);
}

async fn an_answer_that_was_paid_is_given_again(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    let first = shop.app.call(payment.pays(shop.audit())).await;
    assert_eq!(first.status, 200, "{}", first.body);
    shop.app.pass(Duration::from_secs(86_400));
    let again = shop.app.call(payment.pays(shop.audit())).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(again.header("idempotent-replay"), "true");
    assert_eq!(again.header("payment-response"), first.headers["payment-response"]);
    assert_eq!((shop.audits(), moved(&shop.facilitator)), (1, 20_000));
}

async fn a_payment_for_another_call_is_told_so(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    assert_eq!(shop.app.call(payment.pays(shop.audit())).await.status, 200);
    let other = shop.app.call(payment.pays(Call::audit(&shop.site.url("/other")))).await;
    assert_eq!(other.refusal(), (402, "payment_used".to_owned()));
    assert_eq!(other.json()["accepts"][0]["maxAmountRequired"], "20000");
    // Somebody else's call is another call: the header is public.
    let token = shop.app.guest().await;
    let stolen = shop.app.call(payment.pays(shop.audit()).token(&token)).await;
    assert_eq!(stolen.refusal(), (402, "payment_used".to_owned()));
}

async fn what_failed_costs_nothing_and_the_payment_stays_good(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    let failed = shop.app.call(payment.pays(Call::audit("http://127.0.0.2:1/"))).await;
    assert_eq!(failed.refusal(), (502, "target_unreachable".to_owned()));
    assert_eq!(failed.json()["charged"], false);
    assert_eq!((moved(&shop.facilitator), shop.facilitator.asked("settle").len()), (0, 0));
    // Bad input is told before anything is done with the payment.
    let bad = shop.app.call(payment.pays(Call::audit("ftp://a.com/"))).await;
    assert_eq!(bad.refusal(), (400, "invalid_url".to_owned()));
    assert_eq!(shop.app.call(payment.pays(shop.audit())).await.status, 200);
    assert_eq!(moved(&shop.facilitator), 20_000);
}

async fn a_paid_audit_is_its_owners_after_the_charge_only(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = shop.app.guest().await;
    let payment = signed(&shop.app.call(shop.audit().token(&token)).await, 1, 1);
    shop.facilitator.script(|question, number| (question.what == "settle" && number == 1).then_some(Say::HangsUp));
    assert_eq!(shop.app.call(payment.pays(shop.audit()).token(&token)).await.status, 503);
    let owners = "SELECT COUNT(*) FROM audits WHERE owner LIKE 'guest:%'";
    assert_eq!(sqlx::Row::get::<i64, _>(&shop.app.database.row(owners).await, 0), 0);
    shop.app.pass(Duration::from_secs(3));
    assert_eq!(worker::round(&shop.app.app).await.unwrap(), 0);
    assert_eq!(sqlx::Row::get::<i64, _>(&shop.app.database.row(owners).await, 0), 1);
    worker::check(&shop.app.app).await;
    let paid = shop.app.call(payment.pays(shop.audit()).token(&token)).await;
    let id = paid.json()["id"].as_str().unwrap().to_owned();
    let read = shop.app.call(Call::get(&format!("/api/audits/{id}")).token(&token)).await;
    assert_eq!(read.status, 200, "{}", read.body);
}

async fn the_worker_ends_what_calls_left(database: TestDatabase) {
    let shop = Shop::with_node(database).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    shop.facilitator.script(|question, number| match question.what.as_str() {
        "settle" if number < 3 => Some(Say::MovesAndHangsUp),
        "node" if number < 3 => Some(Say::HangsUp),
        _ => None,
    });
    assert_eq!(shop.app.call(payment.pays(shop.audit())).await.status, 503);
    // Too early, then unclear again, then settled.
    assert_eq!(worker::round(&shop.app.app).await.unwrap(), 0);
    shop.app.pass(Duration::from_secs(3));
    assert_eq!(worker::round(&shop.app.app).await.unwrap(), 1);
    shop.app.pass(Duration::from_secs(61));
    assert_eq!(worker::round(&shop.app.app).await.unwrap(), 0);
    worker::check(&shop.app.app).await;
    let paid = shop.app.call(payment.pays(shop.audit())).await;
    assert_eq!((paid.status, paid.header("idempotent-replay")), (200, "true"));
    assert_eq!(moved(&shop.facilitator), 20_000);
}

async fn a_free_audit_is_not_charged_for(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    let generous = TestApp::start_on(&shop.app, |config| {
        super::charging(config, &shop.facilitator.url());
        config.limits.free_audits_per_day = 1;
    })
    .await;
    let free = generous.call(payment.pays(shop.audit())).await;
    assert_eq!((free.status, free.header("payment-response")), (200, ""));
    assert_eq!((moved(&shop.facilitator), shop.facilitator.asked("verify").len()), (0, 0));
}
