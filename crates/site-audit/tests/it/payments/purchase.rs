use std::time::Duration;

use serde_json::json;
use service::config::{PaymentMode, PaymentNetwork};
use service::payments::worker;
use testkit::TestDatabase;
use testkit::facilitator::Say;

use super::{Shop, moved, receipt, required, signed};
use crate::api::people;
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    a_pack_is_bought_and_its_token_pays,
    packs_are_four,
    a_lost_token_is_replaced_for_who_named_the_call,
    a_purchase_that_was_unclear_makes_its_credit,
    in_dev_no_money_moves_and_the_credit_says_so,
    a_credit_carries_its_buyer,
    a_credit_of_the_test_network_buys_nothing_for_real,
    a_known_buyer_gets_a_lost_token_without_a_key,
    a_purchase_that_nobody_can_claim_says_so_beforehand,
    a_network_brings_so_many_payments_in_an_hour,
}

fn buy(usd: &str) -> Call<'static> {
    Call::new("POST", &format!("/api/credito?usd={usd}"))
}

async fn a_pack_is_bought_and_its_token_pays(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let asked = shop.app.call(buy("5")).await;
    assert_eq!(asked.refusal(), (402, "payment_required".to_owned()));
    let wanted = required(&asked);
    assert_eq!(wanted["accepts"][0]["amount"], "5000000");
    assert_eq!(wanted["resource"]["url"], shop.app.url("/api/credito?usd=5"));
    assert_eq!(wanted["extensions"]["bazaar"]["info"]["input"]["queryParams"], json!({"usd": 5}));
    let sold = shop.app.call(signed(&asked, 1, 1).pays(buy("5"))).await;
    assert_eq!(sold.status, 200, "{}", sold.body);
    assert_eq!(receipt(&sold)["success"], true);
    let sold = sold.json();
    let token = sold["token"].as_str().unwrap();
    assert_eq!(sold["saldo_usd"], "5.00");
    assert_eq!(sold["saldo_em"], shop.app.url("/api/credito"));
    assert!(token.starts_with("cred_") && sold["guarde"].is_string() && sold["usar"].is_string());

    let paid = shop.app.call(shop.audit().header("X-Credito", token)).await;
    assert_eq!(paid.status, 200, "{}", paid.body);
    let left =
        shop.app.call(Call::get("/api/credito").header("authorization", &format!("Bearer {token}"))).await.json();
    assert_eq!((left["saldo_micros"].as_u64(), left["saldo_usd"].as_str()), (Some(4_980_000), Some("4.98")));
    assert_eq!(left["criado_em"], "2026-01-31T09:30:00.000Z");
    let moves: Vec<_> = left["movimentos"].as_array().unwrap().iter().collect();
    assert_eq!(moves.len(), 2);
    for (kind, amount) in [("compra", 5_000_000), ("debito", -20_000)] {
        let found = moves.iter().find(|found| found["tipo"] == kind).unwrap();
        assert_eq!(found["valor_micros"], amount);
    }
    assert_eq!(moved(&shop.facilitator), 5_000_000);
}

async fn packs_are_four(database: TestDatabase) {
    let shop = Shop::open(database).await;
    for usd in ["1", "5", "10", "25"] {
        assert_eq!(shop.app.call(buy(usd)).await.status, 402);
    }
    for usd in ["0", "2", "-1", "05", "%2B5", "5.0", "x", ""] {
        let refused = shop.app.call(buy(usd)).await;
        assert_eq!(refused.refusal(), (400, "invalid_parameter".to_owned()), "{usd}");
        assert!(refused.json()["detail"].as_str().unwrap().starts_with("usd: "), "{}", refused.body);
    }
    assert_eq!(shop.app.call(Call::new("POST", "/api/credito")).await.status, 400);
}

async fn a_lost_token_is_replaced_for_who_named_the_call(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let payment = signed(&shop.app.call(buy("1")).await, 1, 1);
    let named = |key: &str| payment.pays(buy("1")).header("Idempotency-Key", key);
    let first = shop.app.call(named("my-purchase-0001")).await.json()["token"].as_str().unwrap().to_owned();
    // The header is public: alone it proves nothing.
    for other in [payment.pays(buy("1")), named("my-purchase-0002")] {
        let refused = shop.app.call(other).await;
        assert_eq!(refused.refusal(), (409, "payment_used".to_owned()));
        assert!(refused.json()["credit"].is_string());
    }
    let second = shop.app.call(named("my-purchase-0001")).await.json()["token"].as_str().unwrap().to_owned();
    assert_ne!(first, second);
    let old = shop.app.call(Call::get("/api/credito").header("x-credito", &first)).await;
    assert_eq!(old.refusal(), (401, "invalid_credential".to_owned()));
    assert_eq!(shop.app.call(shop.audit().header("x-credito", &second)).await.status, 200);
    // Spent of, it stays whose it is.
    assert_eq!(shop.app.call(named("my-purchase-0001")).await.refusal(), (409, "payment_used".to_owned()));
    assert_eq!(moved(&shop.facilitator), 1_000_000);
    for key in ["short", "sixteen chars!!!", &"x".repeat(129)] {
        let refused = shop.app.call(named(key)).await;
        assert_eq!(refused.refusal(), (400, "invalid_parameter".to_owned()));
    }
}

async fn a_purchase_that_was_unclear_makes_its_credit(database: TestDatabase) {
    let shop = Shop::with_node(database).await;
    let payment = signed(&shop.app.call(buy("1")).await, 1, 1);
    let call = || payment.pays(buy("1")).header("Idempotency-Key", "my-purchase-0001");
    shop.facilitator.script(|question, number| match (question.what.as_str(), number) {
        ("settle", 1) => Some(Say::MovesAndHangsUp),
        ("node", 1) => Some(Say::HangsUp),
        _ => None,
    });
    assert_eq!(shop.app.call(call()).await.refusal(), (503, "settlement_pending".to_owned()));
    shop.app.pass(Duration::from_secs(3));
    assert_eq!(worker::round(&shop.app.app).await.unwrap(), 0);
    let sold = shop.app.call(call()).await;
    assert_eq!(sold.status, 200, "{}", sold.body);
    let token = sold.json()["token"].as_str().unwrap().to_owned();
    let left = shop.app.call(Call::get("/api/credito").header("x-credito", &token)).await;
    assert_eq!(left.json()["saldo_micros"], 1_000_000);
    assert_eq!(moved(&shop.facilitator), 1_000_000);
}

async fn in_dev_no_money_moves_and_the_credit_says_so(database: TestDatabase) {
    let shop = Shop::open(TestDatabase::sqlite()).await;
    let url = shop.facilitator.url();
    let app = TestApp::start(database, |config| {
        super::charging(config, &url);
        config.payments.mode = Some(PaymentMode::Dev);
    })
    .await;
    let sold = app.call(buy("25")).await;
    assert_eq!(sold.status, 200, "{}", sold.body);
    let token = sold.json()["token"].as_str().unwrap().to_owned();
    // Calls are let through, so nothing is debited.
    assert_eq!(app.call(shop.audit().header("x-credito", &token)).await.status, 200);
    let left = app.call(Call::get("/api/credito").header("x-credito", &token)).await;
    assert_eq!((&left.json()["saldo_micros"], &left.json()["estado"]), (&25_000_000.into(), &"ativo".into()));
    let marked = app.database.row("SELECT is_dev FROM credits").await;
    assert_eq!(sqlx::Row::get::<i64, _>(&marked, 0), 1);
    // It is worth nothing where money is taken.
    let live = TestApp::start_on(&app, |config| super::charging(config, &url)).await;
    let refused = live.call(shop.audit().header("x-credito", &token)).await;
    assert_eq!(refused.refusal(), (401, "credit_without_value".to_owned()));
    let left = live.call(Call::get("/api/credito").header("x-credito", &token)).await;
    assert_eq!((&left.json()["saldo_micros"], &left.json()["estado"]), (&25_000_000.into(), &"sem_valor".into()));
}

async fn a_credit_carries_its_buyer(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = shop.app.guest().await;
    let call = || buy("1").token(&token);
    let sold = shop.app.call(signed(&shop.app.call(call()).await, 1, 1).pays(call())).await;
    assert_eq!(sold.status, 200, "{}", sold.body);
    let owners =
        shop.app.database.row("SELECT COUNT(*) FROM credits JOIN guests ON owner = 'guest:' || guests.id").await;
    assert_eq!(sqlx::Row::get::<i64, _>(&owners, 0), 1);
}

async fn a_network_brings_so_many_payments_in_an_hour(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let few = TestApp::start_on(&shop.app, |config| {
        super::charging(config, &shop.facilitator.url());
        config.limits.audits_per_hour = 2;
    })
    .await;
    let asked = few.call(buy("1")).await;
    // Payments that are good for nothing: each asks the facilitator, and leaves a row.
    let worthless = |nonce| {
        let mut payment = signed(&asked, 1, nonce);
        payment.signature = format!("0x{}", "1".repeat(130));
        payment
    };
    for nonce in [1, 2] {
        let refused = few.call(worthless(nonce).pays(buy("1"))).await;
        assert_eq!(refused.refusal(), (402, "payment_refused".to_owned()), "{}", refused.body);
    }
    let limited = few.call(worthless(3).pays(buy("1"))).await;
    assert_eq!((limited.refusal(), limited.header("retry-after")), ((429, "rate_limited".to_owned()), "1800"));
    assert_eq!(shop.facilitator.asked("verify").len(), 2);
    // One that came before is no new one. Nobody is asked for one that would be refused.
    assert_eq!(few.call(worthless(2).pays(buy("1"))).await.refusal(), (402, "payment_refused".to_owned()));
    assert_eq!(few.call(buy("1")).await.refusal(), (429, "rate_limited".to_owned()));
    // In dev each makes a credit at once.
    let dev = TestApp::start(TestDatabase::sqlite(), |config| {
        config.payments.mode = Some(PaymentMode::Dev);
        config.limits.audits_per_hour = 1;
    })
    .await;
    assert_eq!(dev.call(buy("1")).await.status, 200);
    assert_eq!(dev.call(buy("1")).await.refusal(), (429, "rate_limited".to_owned()));
}

async fn a_credit_of_the_test_network_buys_nothing_for_real(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let guest = shop.app.guest().await;
    let call = || buy("25").token(&guest);
    let sold = shop.app.call(signed(&shop.app.call(call()).await, 1, 1).pays(call())).await;
    let token = sold.json()["token"].as_str().unwrap().to_owned();
    let state = async |app: &TestApp| {
        let left = app.call(Call::get("/api/credito").header("x-credito", &token)).await.json();
        let listed = app.call(Call::get("/api/creditos").token(&guest)).await.json();
        assert_eq!(listed["creditos"][0]["estado"], left["estado"]);
        left["estado"].as_str().unwrap().to_owned()
    };
    assert_eq!(state(&shop.app).await, "ativo");
    // The operator goes over to real money, with the same database.
    let real = TestApp::start_on(&shop.app, |config| {
        super::charging(config, &shop.facilitator.url());
        config.payments.network = PaymentNetwork::Base;
    })
    .await;
    let refused = real.call(shop.audit().header("x-credito", &token)).await;
    assert_eq!(refused.refusal(), (401, "credit_without_value".to_owned()));
    assert_eq!(state(&real).await, "sem_valor");
    // On its own network it is what it was.
    assert_eq!(shop.app.call(shop.audit().header("x-credito", &token)).await.status, 200);
}

async fn a_known_buyer_gets_a_lost_token_without_a_key(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let account = people::account(&shop.app, "ana").await;
    let key = people::key(&shop.app, &format!("account:{account}")).await;
    let guest = shop.app.guest().await;
    let buyers: [(&str, &str); 2] = [("x-guest-token", &guest), ("x-api-key", &key)];
    for (nonce, (header, credential)) in (1..).zip(buyers) {
        let call = || buy("1").header(header, credential);
        let payment = signed(&shop.app.call(call()).await, 1, nonce);
        let first = shop.app.call(payment.pays(call())).await.json()["token"].as_str().unwrap().to_owned();
        // The header is public: nobody else gets anything for it.
        let other = shop.app.guest().await;
        for stranger in [payment.pays(buy("1")), payment.pays(buy("1")).token(&other)] {
            assert_eq!(shop.app.call(stranger).await.refusal(), (402, "payment_used".to_owned()));
        }
        let again = shop.app.call(payment.pays(call())).await;
        assert_eq!(again.status, 200, "{}", again.body);
        let second = again.json()["token"].as_str().unwrap().to_owned();
        let old = shop.app.call(Call::get("/api/credito").header("x-credito", &first)).await;
        assert_eq!(old.refusal(), (401, "invalid_credential".to_owned()));
        assert_eq!(shop.app.call(shop.audit().header("x-credito", &second)).await.status, 200);
        // Spent of, it stays whose it is.
        assert_eq!(shop.app.call(payment.pays(call())).await.refusal(), (409, "payment_used".to_owned()));
    }
    assert_eq!(moved(&shop.facilitator), 2_000_000);
}

async fn a_purchase_that_nobody_can_claim_says_so_beforehand(database: TestDatabase) {
    let shop = Shop::with_node(database).await;
    let asked = shop.app.call(buy("1")).await;
    assert!(asked.json()["error"].as_str().unwrap().contains("Idempotency-Key"), "{}", asked.body);
    shop.facilitator.script(|question, _| match question.what.as_str() {
        "settle" => Some(Say::MovesAndHangsUp),
        "node" => Some(Say::HangsUp),
        _ => None,
    });
    let guest = shop.app.guest().await;
    for (nonce, call, wanted) in [
        (1, buy("1"), "returns no token"),
        (2, buy("1").header("Idempotency-Key", "my-purchase-0001"), "to get the token"),
        (3, buy("1").token(&guest), "to get the token"),
    ] {
        let unclear = shop.app.call(signed(&asked, 1, nonce).pays(call)).await;
        assert_eq!(unclear.refusal(), (503, "settlement_pending".to_owned()));
        assert!(unclear.json()["detail"].as_str().unwrap().contains(wanted), "{}", unclear.body);
        // One that hangs up is taken to be down.
        worker::check(&shop.app.app).await;
    }
    shop.facilitator.script(|_, _| None);
    shop.app.pass(Duration::from_secs(3));
    assert_eq!(worker::round(&shop.app.app).await.unwrap(), 0);
    // It is as was said.
    let told = shop.app.call(signed(&asked, 1, 1).pays(buy("1"))).await;
    assert_eq!(told.refusal(), (409, "payment_used".to_owned()));
    assert_eq!(shop.app.call(signed(&asked, 1, 3).pays(buy("1").token(&guest))).await.status, 200);
}
