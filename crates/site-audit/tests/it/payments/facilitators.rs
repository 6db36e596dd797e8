//! What is thought of the facilitator, and who decides it.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use service::payments::worker;
use sqlx::{Executor as _, Row as _};
use testkit::TestDatabase;
use testkit::facilitator::{Say, TestFacilitator};
use tokio::net::TcpSocket;
use tokio::sync::Notify;

use super::program::wait_for;
use super::{Shop, charging, encoded, moved, signed};
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    one_payments_trouble_keeps_nobody_out,
    who_refuses_us_is_down_until_it_takes_a_call,
    who_can_t_be_reached_is_down_at_once,
    what_a_check_finds_is_by_its_status,
    a_facilitator_of_another_network_is_unfit,
    a_claim_is_given_back_when_the_facilitator_goes_down,
    the_worker_asks_how_it_is_while_a_payment_takes_its_time,
    the_worker_settles_what_is_left_unclear,
    a_stopped_worker_loses_no_answer,
    a_purchase_is_named_by_the_payments_own_extension,
}

async fn health(app: &TestApp) -> Value {
    app.call(Call::get("/api/health")).await.json()["facilitator"].clone()
}

/// Payments in a state.
async fn count(shop: &Shop, state: &str) -> usize {
    let sql = format!("SELECT id FROM payments WHERE state = '{state}'");
    shop.app.database.connection().await.fetch_all(sqlx::AssertSqlSafe(sql)).await.unwrap().len()
}

/// A wallet that is a contract can make the verdict on its signature fail, or last.
async fn one_payments_trouble_keeps_nobody_out(database: TestDatabase) {
    let shop = Shop::open(database).await;
    worker::check(&shop.app.app).await;
    let asked = shop.app.call(shop.audit()).await;
    for (number, what, say) in [
        (1, "verify", Say::HangsUp),
        (2, "verify", Say::This(500, json!({"error": "execution reverted"}))),
        (3, "verify", Say::This(502, json!(null))),
        (4, "settle", Say::HangsUp),
        (5, "settle", Say::This(500, json!({"error": "x"}))),
    ] {
        shop.facilitator.script(move |question, _| {
            let hostile =
                question.body["paymentPayload"]["payload"]["authorization"]["nonce"] == format!("0x{number:064x}");
            (question.what == what && hostile).then(|| say.clone())
        });
        let code = if what == "verify" { "facilitator_unavailable" } else { "settlement_pending" };
        let hostile = shop.app.call(signed(&asked, 1, number).pays(shop.audit())).await;
        assert_eq!(hostile.refusal(), (503, code.to_owned()), "{number}");
        assert_eq!(health(&shop.app).await, "up", "{number}");
        let good = shop.app.call(signed(&asked, 1, 10 + number).pays(shop.audit())).await;
        assert_eq!(good.status, 200, "{number}: {}", good.body);
    }
}

/// No payment can bring that about, and what anybody may ask says nothing of it.
async fn who_refuses_us_is_down_until_it_takes_a_call(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let asked = shop.app.call(shop.audit()).await;
    shop.facilitator.script(|question, _| (question.what == "verify").then(|| Say::This(401, json!({"error": "x"}))));
    let refused = shop.app.call(signed(&asked, 1, 1).pays(shop.audit())).await;
    assert_eq!(refused.refusal(), (503, "facilitator_unavailable".to_owned()));
    worker::check(&shop.app.app).await;
    assert_eq!(health(&shop.app).await, "down");
}

async fn who_can_t_be_reached_is_down_at_once(database: TestDatabase) {
    // The port is taken, and nobody listens.
    let taken = TcpSocket::new_v4().unwrap();
    taken.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let nobody = format!("http://{}", taken.local_addr().unwrap());
    let change = |config: &mut service::config::Config| config.payments.facilitator = Some(nobody);
    let shop = Shop::beside(TestFacilitator::start().await, database, change).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    let down = shop.app.call(payment.pays(shop.audit())).await;
    assert_eq!(down.refusal(), (503, "facilitator_unavailable".to_owned()));
    assert_eq!(health(&shop.app).await, "down");
    assert_eq!(shop.app.call(shop.audit()).await.refusal(), (503, "facilitator_unavailable".to_owned()));
}

async fn what_a_check_finds_is_by_its_status(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let check = async |status: u16, body: Value| {
        shop.facilitator
            .script(move |question, _| (question.what == "supported").then(|| Say::This(status, body.clone())));
        worker::check(&shop.app.app).await;
        health(&shop.app).await
    };
    let kinds = json!({"kinds": [{"x402Version": 2, "scheme": "exact", "network": "eip155:84532"}]});
    let error = json!({"error": "x"});
    for (status, body, found) in [
        (200, &kinds, "up"),
        // Too many questions: nothing is known anew.
        (429, &error, "up"),
        (500, &error, "down"),
        (429, &error, "down"),
        (200, &kinds, "up"),
        (401, &error, "down"),
        (403, &kinds, "down"),
        (200, &error, "unfit"),
        (429, &error, "unfit"),
        (503, &kinds, "down"),
        (200, &json!([]), "down"),
        (404, &error, "down"),
        (200, &kinds, "up"),
    ] {
        assert_eq!(check(status, body.clone()).await, found, "{status} {body}");
    }
}

async fn a_facilitator_of_another_network_is_unfit(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    shop.facilitator.script(|question, _| {
        let others = json!({"kinds": [{"x402Version": 2, "scheme": "exact", "network": "eip155:8453"},
            {"x402Version": 1, "scheme": "exact", "network": "base-sepolia"}]});
        (question.what == "supported").then_some(Say::This(200, others))
    });
    worker::check(&shop.app.app).await;
    assert_eq!(health(&shop.app).await, "unfit");
    // Nobody is asked for a payment that can't be settled, and none is taken.
    for call in [shop.audit(), payment.pays(shop.audit()), Call::new("POST", "/api/credito?usd=1")] {
        let refused = shop.app.call(call).await;
        assert_eq!(refused.refusal(), (503, "facilitator_unavailable".to_owned()));
        assert!(refused.json()["accepts"].is_null() && !refused.header("retry-after").is_empty(), "{}", refused.body);
    }
    assert_eq!((shop.audits(), shop.facilitator.asked("verify").len(), moved(&shop.facilitator)), (0, 0, 0));
    // It takes our network now: the same payment is good.
    shop.facilitator.script(|_, _| None);
    worker::check(&shop.app.app).await;
    assert_eq!(health(&shop.app).await, "up");
    assert_eq!(shop.app.call(payment.pays(shop.audit())).await.status, 200);
}

async fn a_claim_is_given_back_when_the_facilitator_goes_down(database: TestDatabase) {
    // Only PostgreSQL tells who waits for it.
    if !database.is_postgres() {
        return;
    }
    const WAITING: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO payments%'";
    // The database's patience with who waits may be at its end before this was seen: it is tried again then, by a service
    // that does not leave the database alone for that.
    const TRIES: u64 = 50;
    let shop = Shop::open(database).await;
    let mut writer = shop.app.database.connection().await;
    for nonce in 0..TRIES {
        shop.facilitator.script(|_, _| None);
        let app = TestApp::start_on(&shop.app, |config| charging(config, &shop.facilitator.url())).await;
        let payment = signed(&app.call(shop.audit()).await, 1, nonce);
        // It writes no claim, and lets others look whether there is one.
        writer.execute("BEGIN; LOCK TABLE payments IN SHARE MODE").await.unwrap();
        let has_ended = Cell::new(false);
        let call = async {
            let refused = app.call(payment.pays(shop.audit())).await;
            has_ended.set(true);
            refused
        };
        let goes_down = async {
            wait_for(async || has_ended.get() || app.database.row(WAITING).await.get::<i64, _>(0) > 0).await;
            shop.facilitator.script(|_, _| Some(Say::HangsUp));
            worker::check(&app.app).await;
            writer.execute("ROLLBACK").await.unwrap();
        };
        let (refused, ()) = tokio::join!(call, goes_down);
        if refused.refusal().1 == "database_unavailable" {
            continue;
        }
        assert_eq!(refused.refusal(), (503, "facilitator_unavailable".to_owned()));
        // Nobody has to wait for the end of a lease: the same payment is good at once.
        shop.facilitator.script(|_, _| None);
        worker::check(&app.app).await;
        let paid = app.call(payment.pays(shop.audit())).await;
        assert_eq!(paid.status, 200, "{}", paid.body);
        return;
    }
    panic!("the facilitator never went down within the database's patience");
}

async fn the_worker_asks_how_it_is_while_a_payment_takes_its_time(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let asked = shop.app.call(shop.audit()).await;
    shop.facilitator.script(|question, _| (question.what == "settle").then_some(Say::HangsUp));
    assert_eq!(shop.app.call(signed(&asked, 1, 1).pays(shop.audit())).await.status, 503);
    shop.app.pass(Duration::from_secs(3));
    shop.facilitator.script(|question, _| match question.what.as_str() {
        "settle" => Some(Say::Waits(Arc::new(Notify::new()))),
        "verify" => Some(Say::HangsUp),
        _ => None,
    });
    let worker = worker::start(shop.app.app.clone()).await;
    shop.facilitator.wait_for("settle", 2).await;
    // As it begins, and for the answer that was lost before.
    shop.facilitator.wait_for("supported", 2).await;
    // Another payment gives reason to ask, and it is asked while the first one still waits.
    assert_eq!(shop.app.call(signed(&asked, 1, 2).pays(shop.audit())).await.status, 503);
    shop.facilitator.wait_for("supported", 3).await;
    assert_eq!(count(&shop, "settling").await, 1);
    worker.stop().await;
}

async fn the_worker_settles_what_is_left_unclear(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let worker = worker::start(shop.app.app.clone()).await;
    let asked = shop.app.call(shop.audit()).await;
    shop.facilitator.script(|question, number| (question.what == "settle" && number == 1).then_some(Say::HangsUp));
    assert_eq!(shop.app.call(signed(&asked, 1, 1).pays(shop.audit())).await.status, 503);
    shop.app.pass(Duration::from_secs(3));
    shop.facilitator.wait_for("settle", 2).await;
    wait_for(async || count(&shop, "settled").await == 1).await;
    assert_eq!(moved(&shop.facilitator), 20_000);
    worker.stop().await;
}

/// Without a node the facilitator's answer is the only one that there will ever be.
async fn a_stopped_worker_loses_no_answer(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let asked = shop.app.call(shop.audit()).await;
    shop.facilitator.script(|question, _| (question.what == "settle").then_some(Say::HangsUp));
    assert_eq!(shop.app.call(signed(&asked, 1, 1).pays(shop.audit())).await.status, 503);
    shop.app.pass(Duration::from_secs(3));
    let go_on = Arc::new(Notify::new());
    let told = Arc::clone(&go_on);
    shop.facilitator.script(move |question, _| (question.what == "settle").then(|| Say::Waits(Arc::clone(&told))));
    let worker = worker::start(shop.app.app.clone()).await;
    shop.facilitator.wait_for("settle", 2).await;
    worker.stop().await;
    go_on.notify_one();
    shop.app.app.payments().ongoing().end().await;
    assert_eq!(count(&shop, "settled").await, 1);
    assert_eq!((moved(&shop.facilitator), shop.facilitator.asked("settle").len()), (20_000, 2));
}

/// The extension `payment-identifier` of version 2 names the call like the header `Idempotency-Key`.
async fn a_purchase_is_named_by_the_payments_own_extension(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let buy = || Call::new("POST", "/api/credito?usd=1");
    let payment = signed(&shop.app.call(buy()).await, 1, 1);
    let named = |id: Value| {
        let mut json = payment.version_2();
        json["extensions"] = json!({"payment-identifier": {"info": {"required": false, "id": id}}});
        buy().header("PAYMENT-SIGNATURE", &encoded(&json))
    };
    let token = async |call| shop.app.call(call).await.json()["token"].as_str().map(str::to_owned);
    let first = token(named(json!("pay_0123456789abcdef"))).await.unwrap();
    // Only who names it as it was named gets a new token in place of the lost one.
    for other in [json!("pay_another_0123456"), json!("short"), json!(17), json!(null)] {
        assert_eq!(shop.app.call(named(other)).await.refusal(), (409, "payment_used".to_owned()));
    }
    assert_eq!(shop.app.call(payment.pays(buy())).await.refusal(), (409, "payment_used".to_owned()));
    let second = token(named(json!("pay_0123456789abcdef"))).await.unwrap();
    assert_ne!(first, second);
    let by_header = token(payment.pays(buy()).header("Idempotency-Key", "pay_0123456789abcdef")).await.unwrap();
    assert_ne!(second, by_header);
    let spent = |token: &str| shop.audit().header("x-credito", token);
    assert_eq!(shop.app.call(spent(&first)).await.refusal(), (401, "invalid_credential".to_owned()));
    assert_eq!(shop.app.call(spent(&by_header)).await.status, 200);
    assert_eq!(moved(&shop.facilitator), 1_000_000);
}
