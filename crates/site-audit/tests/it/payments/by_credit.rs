use std::time::Duration;

use model::money::Micros;
use model::time::Timestamp;
use service::payments::worker;
use sqlx::Row as _;
use store::NewDebit;
use testkit::TestDatabase;

use super::{Shop, signed};
use crate::api::people;
use crate::app::{Call, NOW};

testkit::on_both_databases! {
    a_credit_pays_what_is_not_free,
    a_failed_call_is_given_back,
    many_calls_at_once_spend_exactly_what_there_is,
    a_key_names_a_call,
    a_credit_beside_a_payment_is_one_too_many,
    unknown_and_missing_credits_are_told,
    the_worker_gives_back_what_a_dead_call_held,
    a_charge_whose_answer_is_lost_is_made_once_more,
    what_was_kept_is_given_again_in_its_language,
    everybody_lists_what_they_bought,
}

/// A credit with this much, in millionths.
pub(crate) async fn credit(shop: &Shop, micros: u64) -> String {
    let buy = || Call::new("POST", "/api/credito?usd=1");
    let asked = shop.app.call(buy()).await;
    let nonce = shop.facilitator.moved().len() as u64 + 1_000;
    let sold = shop.app.call(signed(&asked, 9, nonce).pays(buy())).await;
    let token = sold.json()["token"].as_str().unwrap().to_owned();
    // Takes what is too much, as a call would.
    let digest = service::credential::token_digest(&token);
    let store = shop.app.app.database().store();
    let id = store.credit_by_digest(&digest).await.unwrap().unwrap().id;
    let spent = NewDebit {
        id: format!("before-{nonce}"),
        credit_id: id,
        amount: Micros(1_000_000 - micros),
        operation: "audit_page",
        request_hash: [0; 32],
        key_digest: None,
        owner: None,
        deadline: Timestamp(i64::MAX),
        now: NOW,
    };
    store.hold_debit(spent).await.unwrap();
    token
}

pub(crate) async fn balance(shop: &Shop, token: &str) -> u64 {
    let left = shop.app.call(Call::get("/api/credito").header("x-credito", token)).await;
    left.json()["saldo_micros"].as_u64().unwrap()
}

async fn a_credit_pays_what_is_not_free(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = credit(&shop, 30_000).await;
    let call = || shop.audit().header("Authorization", &format!("Bearer {token}"));
    assert_eq!(shop.app.call(call()).await.status, 200);
    assert_eq!(balance(&shop, &token).await, 10_000);
    let refused = shop.app.call(call()).await;
    assert_eq!(refused.refusal(), (402, "insufficient_credit".to_owned()));
    assert_eq!(refused.json()["saldo_micros"], 10_000);
    assert_eq!(refused.json()["accepts"][0]["maxAmountRequired"], "20000");
    assert_eq!(balance(&shop, &token).await, 10_000);
    // What is free is not debited.
    let url = shop.facilitator.url();
    let generous = crate::app::TestApp::start_on(&shop.app, |config| {
        super::charging(config, &url);
        config.limits.free_audits_per_day = 1;
    })
    .await;
    assert_eq!(generous.call(call()).await.status, 200);
    assert_eq!(balance(&shop, &token).await, 10_000);
}

async fn a_failed_call_is_given_back(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = credit(&shop, 20_000).await;
    let failed = shop.app.call(Call::audit("http://127.0.0.2:1/").header("x-credito", &token)).await;
    assert_eq!(failed.refusal(), (502, "target_unreachable".to_owned()));
    assert_eq!(failed.json()["charged"], false);
    assert_eq!(balance(&shop, &token).await, 20_000);
    let kinds = shop.app.database.row("SELECT COUNT(*) FROM credit_movements WHERE kind = 'reversal'").await;
    assert_eq!(kinds.get::<i64, _>(0), 1);
    assert_eq!(shop.app.call(shop.audit().header("x-credito", &token)).await.status, 200);
}

async fn many_calls_at_once_spend_exactly_what_there_is(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = credit(&shop, 60_000).await;
    let call = || shop.app.call(shop.audit().header("x-credito", &token));
    let (a, b, c, d, e, f) = tokio::join!(call(), call(), call(), call(), call(), call());
    let mut statuses = [a.status, b.status, c.status, d.status, e.status, f.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 200, 402, 402, 402]);
    assert_eq!(balance(&shop, &token).await, 0);
}

async fn a_key_names_a_call(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = credit(&shop, 100_000).await;
    let named = |call: Call<'static>, key: &str| call.header("x-credito", &token).header("idempotency-key", key);
    let call = || shop.app.call(named(shop.audit(), "the-same-call-01"));
    let (a, b) = tokio::join!(call(), call());
    let (done, other) = if a.status == 200 && a.header("idempotent-replay").is_empty() { (a, b) } else { (b, a) };
    assert_eq!(done.status, 200, "{}", done.body);
    match other.status {
        200 => assert_eq!((other.header("idempotent-replay"), &other.body), ("true", &done.body)),
        _ => assert_eq!(other.refusal(), (409, "payment_in_progress".to_owned())),
    }
    let again = call().await;
    assert_eq!((again.status, again.header("idempotent-replay")), (200, "true"));
    assert_eq!(again.body, done.body);
    assert_eq!((balance(&shop, &token).await, shop.audits()), (80_000, 1));
    let different = shop.app.call(named(Call::audit(&shop.site.url("/?other")), "the-same-call-01")).await;
    assert_eq!(different.refusal(), (409, "idempotency_conflict".to_owned()));
    // What failed may be asked again with its key.
    let failing = || shop.app.call(named(Call::audit("http://127.0.0.2:1/"), "another-call-0001"));
    assert_eq!(failing().await.status, 502);
    assert_eq!(failing().await.status, 502);
    assert_eq!(balance(&shop, &token).await, 80_000);
}

async fn a_credit_beside_a_payment_is_one_too_many(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = credit(&shop, 100_000).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    let both = shop.app.call(payment.pays(shop.audit()).header("x-credito", &token)).await;
    assert_eq!(both.refusal(), (400, "invalid_payment".to_owned()));
    assert!(both.json()["detail"].as_str().unwrap().contains("not both"), "{}", both.body);
    assert_eq!(balance(&shop, &token).await, 100_000);
}

async fn unknown_and_missing_credits_are_told(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let missing = shop.app.call(Call::get("/api/credito")).await;
    assert_eq!(missing.refusal(), (401, "credit_required".to_owned()));
    let unknown = format!("cred_{}", "a".repeat(43));
    for call in [Call::get("/api/credito"), Call::get("/api/gate"), shop.audit()] {
        let refused = shop.app.call(call.header("x-credito", &unknown)).await;
        assert_eq!(refused.refusal(), (401, "invalid_credential".to_owned()));
        assert_eq!(refused.header("www-authenticate"), "Bearer");
    }
}

async fn the_worker_gives_back_what_a_dead_call_held(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = credit(&shop, 20_000).await;
    let digest = service::credential::token_digest(&token);
    let store = shop.app.app.database().store();
    let id = store.credit_by_digest(&digest).await.unwrap().unwrap().id;
    let held = NewDebit {
        id: "dead".to_owned(),
        credit_id: id,
        amount: Micros(20_000),
        operation: "audit_page",
        request_hash: [0; 32],
        key_digest: None,
        owner: None,
        deadline: NOW.plus_ms(45_000),
        now: NOW,
    };
    store.hold_debit(held).await.unwrap();
    worker::round(&shop.app.app).await.unwrap();
    assert_eq!(balance(&shop, &token).await, 0);
    shop.app.pass(Duration::from_secs(45));
    worker::round(&shop.app.app).await.unwrap();
    assert_eq!(balance(&shop, &token).await, 20_000);
}

async fn a_charge_whose_answer_is_lost_is_made_once_more(database: TestDatabase) {
    if !database.is_postgres() {
        // Nothing counts there what was undone.
        return;
    }
    let shop = Shop::open(database).await;
    let token = credit(&shop, 20_000).await;
    // The first charge finds no room for another connection. A sequence remembers what is undone.
    shop.app
        .database
        .execute(
            "CREATE SEQUENCE charges; \
             CREATE FUNCTION fails_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                 IF nextval('charges') = 1 THEN RAISE EXCEPTION 'away' USING ERRCODE = '53300'; END IF; \
                 RETURN NEW; END $$; \
             CREATE TRIGGER first_fails BEFORE UPDATE ON debits \
             FOR EACH ROW WHEN (NEW.state = 'charged') EXECUTE FUNCTION fails_first();",
        )
        .await;
    let paid = shop.app.call(shop.audit().header("x-credito", &token)).await;
    assert_eq!(paid.status, 200, "{}", paid.body);
    let charged = shop.app.database.row("SELECT COUNT(*) FROM debits WHERE state = 'charged'").await;
    assert_eq!(charged.get::<i64, _>(0), 1);
    let tries = shop.app.database.row("SELECT last_value FROM charges").await;
    assert_eq!(tries.get::<i64, _>(0), 2);
}

async fn what_was_kept_is_given_again_in_its_language(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = credit(&shop, 20_000).await;
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    let by_credit = || shop.audit().header("x-credito", &token).header("idempotency-key", "the-same-call-01");
    let by_x402 = || payment.pays(shop.audit());
    for call in [&by_credit as &dyn Fn() -> Call<'static>, &by_x402] {
        let first = shop.app.call(call().header("accept-language", "pt-BR")).await;
        assert_eq!((first.status, first.header("content-language")), (200, "pt-BR"), "{}", first.body);
        let again = shop.app.call(call().header("accept-language", "en")).await;
        assert_eq!((again.status, again.header("idempotent-replay")), (200, "true"));
        assert_eq!((again.header("content-language"), &again.body), ("pt-BR", &first.body));
        assert_eq!(again.header("vary"), first.header("vary"));
    }
}

async fn everybody_lists_what_they_bought(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let app = &shop.app;
    let account = people::account(app, "ana").await;
    let session = people::session(app, &account).await;
    let account_key = people::key(app, &format!("account:{account}")).await;
    let organization_key = people::key(app, "organization:acme").await;
    let guest = app.guest().await;
    let list = async |call: Call<'static>| {
        let listed = app.call(call).await;
        assert_eq!(listed.status, 200, "{}", listed.body);
        assert!(!listed.body.contains("cred_"), "{}", listed.body);
        let listed = listed.json()["creditos"].as_array().unwrap().clone();
        listed.iter().map(|credit| credit["saldo_usd"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let own = || Call::get("/api/creditos");
    let callers: [(&str, &str); 3] =
        [("x-guest-token", &guest), ("x-api-key", &account_key), ("x-api-key", &organization_key)];
    let mut nonce = 0;
    for (pack, (header, credential)) in ["1", "5", "10"].into_iter().zip(callers) {
        assert_eq!(list(own().header(header, credential)).await, Vec::<String>::new());
        let buy = || Call::new("POST", &format!("/api/credito?usd={pack}")).header(header, credential);
        for _ in 0..2 {
            nonce += 1;
            let sold = app.call(signed(&app.call(buy()).await, 1, nonce).pays(buy())).await;
            assert_eq!(sold.status, 200, "{}", sold.body);
            // The newest comes first.
            let token = sold.json()["token"].as_str().unwrap().to_owned();
            app.pass(Duration::from_secs(1));
            if nonce % 2 == 0 {
                assert_eq!(app.call(shop.audit().header("x-credito", &token)).await.status, 200);
            }
        }
        let spent = format!("{}.98", pack.parse::<u32>().unwrap() - 1);
        assert_eq!(list(own().header(header, credential)).await, [spent, format!("{pack}.00")]);
    }
    // A session sees what the account's key bought; nobody what others did.
    assert_eq!(list(session.cookie(own())).await.len(), 2);
    let stranger = app.guest().await;
    assert_eq!(list(own().token(&stranger)).await, Vec::<String>::new());
    assert_eq!(app.call(own()).await.refusal(), (401, "guest_token_required".to_owned()));
    let bad = app.call(own().header("x-api-key", "mmk_x")).await;
    assert_eq!(bad.refusal(), (401, "invalid_api_key".to_owned()));
}
