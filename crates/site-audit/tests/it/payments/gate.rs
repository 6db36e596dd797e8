//! The gate: what pays for a call, in which order, and when a charge is final.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use model::id::{GuestId, Owner, TabId};
use service::config::Sku;
use service::payments::worker;
use sqlx::Row as _;
use store::{MOST_TABS, NewTab};
use testkit::facilitator::{Say, TestFacilitator};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::by_credit::{balance, credit};
use super::{Shop, charging, moved, signed};
use crate::api::people;
use crate::app::{Call, NOW, TestApp};

testkit::on_both_databases! {
    each_way_to_pay_has_its_turn,
    a_trial_ends_and_the_other_ways_follow,
    what_failed_costs_nothing_whatever_pays,
    a_credit_pays_each_kind_of_call,
    a_charge_is_held_while_the_work_goes_on,
    a_payment_that_was_claimed_counts_against_the_hour,
    the_wider_network_has_a_ceiling_of_payments,
    past_the_ceiling_of_payments_none_is_asked_for,
    neither_free_nor_to_be_paid_is_told_at_once,
}

/// A page that does not answer.
const GONE: &str = "http://127.0.0.2:1/";

/// What there is to pay with: free audits that are left, the balance of the credit, what the facilitator moved.
async fn purse(shop: &Shop, token: &str) -> (u64, u64, u64) {
    (shop.app.free_remaining().await, balance(shop, token).await, moved(&shop.facilitator))
}

/// The same shop with one free audit, and what else a test changes.
async fn with_one_free(shop: Shop, change: impl FnOnce(&mut service::config::Config)) -> Shop {
    let url = shop.facilitator.url();
    let app = TestApp::start_on(&shop.app, |config| {
        charging(config, &url);
        config.limits.free_audits_per_day = 1;
        change(config);
    })
    .await;
    Shop { app, ..shop }
}

async fn each_way_to_pay_has_its_turn(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = credit(&shop, 30_000).await;
    let asked = shop.app.call(shop.audit()).await;
    let key = people::key(&shop.app, &format!("account:{}", people::account(&shop.app, "ana").await)).await;
    let everything = |call: Call<'static>| call.header("x-api-key", &key).header("x-credito", &token);

    // Free for now: nothing else is touched, whatever else there is.
    let shop = with_one_free(shop, |config| config.free_now = vec![Sku::Audit]).await;
    let before = purse(&shop, &token).await;
    assert_eq!((before.0, before.1), (1, 30_000));
    assert_eq!(shop.app.call(everything(shop.audit())).await.status, 200);
    let free = shop.app.call(shop.audit()).await;
    // Nothing is said of a day that was not spent of.
    assert_eq!((free.status, free.header("ratelimit"), free.header("ratelimit-policy")), (200, "", ""));
    assert_eq!(purse(&shop, &token).await, before);

    // The trial, of an account's own key.
    let shop = with_one_free(shop, |_| {}).await;
    for _ in 0..2 {
        assert_eq!(shop.app.call(everything(shop.audit())).await.status, 200);
    }
    assert_eq!(purse(&shop, &token).await, before);
    // An organization has none: the first call of its key is the network's free one.
    let organization = people::key(&shop.app, "organization:o").await;
    let call = || shop.audit().header("x-api-key", &organization).header("x-credito", &token);
    assert_eq!(shop.app.call(call()).await.status, 200);
    // The free allowance, and only that.
    let (free, left, paid) = purse(&shop, &token).await;
    assert_eq!((free, left, paid), (0, before.1, before.2));
    // The credit.
    assert_eq!(shop.app.call(call()).await.status, 200);
    assert_eq!(purse(&shop, &token).await, (0, left - 20_000, paid));
    assert_eq!(shop.app.call(call()).await.refusal(), (402, "insufficient_credit".to_owned()));
    // The payment.
    let payment = signed(&asked, 1, 1);
    assert_eq!(shop.app.call(payment.pays(shop.audit())).await.status, 200);
    assert_eq!(purse(&shop, &token).await, (0, left - 20_000, paid + 20_000));
    // Nothing.
    assert_eq!(shop.app.call(shop.audit()).await.refusal(), (402, "allowance_spent".to_owned()));
    // On trial still, nothing of it is needed.
    assert_eq!(shop.app.call(everything(shop.audit())).await.status, 200);
    // A payment that was not needed is not settled.
    shop.app.pass(Duration::from_secs(86_400));
    let unneeded = super::signed_with(&asked, 1, 2, |authorization| {
        authorization.valid_before = (NOW.seconds() + 86_700).to_string();
    });
    assert_eq!(shop.app.call(unneeded.pays(shop.audit())).await.status, 200);
    assert_eq!(purse(&shop, &token).await, (0, left - 20_000, paid + 20_000));
}

async fn a_trial_ends_and_the_other_ways_follow(database: TestDatabase) {
    let shop = with_one_free(Shop::open(database).await, |config| config.limits.free_tabs = 0).await;
    let owner = format!("account:{}", people::account(&shop.app, "ana").await);
    let key = people::key(&shop.app, &owner).await;
    let keyed = |call: Call<'static>| call.header("x-api-key", &key);
    let open = |page: &str| {
        let body = serde_json::json!({"url": shop.site.url(page)}).to_string();
        keyed(Call::new("POST", "/api/tabs").body(&body))
    };
    let trial = async || shop.app.call(keyed(Call::get("/api/billing"))).await.json()["trial"].clone();
    assert_eq!(trial().await["ends_at"], serde_json::Value::Null);
    let opened = shop.app.call(open("/a")).await;
    assert_eq!(opened.status, 200, "{}", opened.body);
    // It is noted beside the call.
    super::program::wait_for(async || !trial().await["ends_at"].is_null()).await;
    assert_eq!(trial().await["ends_at"], "2026-05-01T09:30:00.000Z");
    let run = format!("/api/tabs/{}/run", opened.json()["tab"]["id"].as_str().unwrap());
    let run = || keyed(Call::new("POST", &run));
    shop.app.pass(Duration::from_secs(90 * 86_400 - 1));
    assert_eq!(shop.app.call(open("/b")).await.status, 200);
    assert_eq!(shop.app.call(keyed(shop.audit())).await.status, 200);
    assert_eq!(shop.app.free_remaining().await, 1);
    shop.app.pass(Duration::from_secs(1));
    assert_eq!(trial().await["active"], false);
    assert_eq!(shop.app.call(open("/c")).await.refusal(), (402, "payment_required".to_owned()));
    assert_eq!(shop.app.call(keyed(shop.audit())).await.status, 200);
    assert_eq!(shop.app.free_remaining().await, 0);
    for call in [keyed(shop.audit()), run()] {
        assert_eq!(shop.app.call(call).await.refusal(), (402, "allowance_spent".to_owned()));
    }
}

/// A guest who follows [`GONE`], and as many other pages as one can: their token, and the path of the run.
async fn follower(shop: &Shop) -> (String, String) {
    let token = shop.app.guest().await;
    let owner = Owner::Guest(GuestId(shop.app.database.row("SELECT id FROM guests").await.get(0)));
    let store = shop.app.app.database().store();
    let mut run = String::new();
    for number in 0..MOST_TABS {
        let id = TabId(shop.app.app.ports().id());
        let url = if number == 0 { GONE.to_owned() } else { shop.site.url(&format!("/{number}")) };
        if number == 0 {
            run = format!("/api/tabs/{id}/run");
        }
        let tab = NewTab { id, owner: owner.clone(), url, alias: None, withheld: None, created_at: NOW };
        store.open_tab(tab, MOST_TABS).await.unwrap();
    }
    (token, run)
}

async fn what_failed_costs_nothing_whatever_pays(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let credit = credit(&shop, 100_000).await;
    let (guest, run) = follower(&shop).await;
    let one_more = serde_json::json!({"url": shop.site.url("/one-more")}).to_string();
    let calls = || {
        [
            (Call::audit(GONE).token(&guest), "target_unreachable"),
            (Call::new("POST", &run).token(&guest), "target_unreachable"),
            (Call::new("POST", "/api/tabs").body(&one_more).token(&guest), "tab_limit"),
        ]
    };
    let (_, left, paid) = purse(&shop, &credit).await;
    for (nonce, (call, code)) in calls().into_iter().enumerate() {
        // By credit, and by a payment for what this call asks: each fails after it was taken.
        let held = shop.app.call(call.clone().header("x-credito", &credit)).await;
        assert_eq!((held.refusal().1.as_str(), &held.json()["charged"]), (code, &false.into()), "{}", held.body);
        let asked = shop.app.call(call.clone()).await;
        let refused = shop.app.call(signed(&asked, 1, nonce as u64).pays(call)).await;
        assert_eq!(
            (refused.refusal().1.as_str(), &refused.json()["charged"]),
            (code, &false.into()),
            "{}",
            refused.body
        );
        assert_eq!(purse(&shop, &credit).await, (0, left, paid));
    }
    assert_eq!(shop.facilitator.asked("settle").len(), 1, "only the credit was bought");
    let reversals = shop.app.database.row("SELECT COUNT(*) FROM credit_movements WHERE kind = 'reversal'").await;
    assert_eq!(reversals.get::<i64, _>(0), 3);
    // By the free allowance, which is given back.
    let shop = with_one_free(shop, |_| {}).await;
    for (call, code) in calls().into_iter().take(2) {
        assert_eq!(shop.app.call(call).await.refusal().1, code);
        assert_eq!(shop.app.free_remaining().await, 1);
    }
}

async fn a_credit_pays_each_kind_of_call(database: TestDatabase) {
    let (facilitator, site) = (TestFacilitator::start().await, super::page().await);
    let app = TestApp::start(database, |config| {
        charging(config, &facilitator.url());
        config.limits.free_tabs = 1;
    })
    .await;
    let shop = Shop { app, facilitator, site };
    let credit = credit(&shop, 100_000).await;
    let guest = shop.app.guest().await;
    let pay = |call: Call<'static>| call.token(&guest).header("x-credito", &credit);
    let open =
        |page: &str| Call::new("POST", "/api/tabs").body(&serde_json::json!({"url": shop.site.url(page)}).to_string());
    let first = shop.app.call(pay(open("/"))).await;
    assert_eq!(balance(&shop, &credit).await, 100_000, "the first tab is free");
    let run = format!("/api/tabs/{}/run", first.json()["tab"]["id"].as_str().unwrap());
    for (call, left) in [
        (shop.audit(), 80_000),
        (Call::new("POST", &run), 60_000),
        (open("/more"), 10_000),
        // Open already.
        (open("/more"), 10_000),
    ] {
        let paid = shop.app.call(pay(call)).await;
        assert_eq!((paid.status, balance(&shop, &credit).await), (200, left), "{}", paid.body);
    }
    let refused = shop.app.call(pay(open("/yet-more"))).await;
    assert_eq!(refused.refusal(), (402, "insufficient_credit".to_owned()));
    assert_eq!(refused.json()["accepts"][0]["maxAmountRequired"], "50000");
    let listed = shop.app.call(Call::get("/api/tabs").token(&guest)).await.json();
    assert_eq!(listed["tabs"].as_array().unwrap().len(), 2);
}

/// What the database says while the page is fetched, so before there is a result.
async fn a_charge_is_held_while_the_work_goes_on(database: TestDatabase) {
    let known: Arc<OnceLock<Arc<TestDatabase>>> = Arc::default();
    let seen: Arc<Mutex<Vec<(String, i64)>>> = Arc::default();
    let (to_ask, to_tell) = (Arc::clone(&known), Arc::clone(&seen));
    let site = TestSite::start(move |asked| {
        if asked.path != "/" {
            return SiteAnswer::missing();
        }
        let database = Arc::clone(to_ask.get().unwrap());
        let row = tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async move {
                let sql = "SELECT (SELECT state FROM debits WHERE id NOT LIKE 'before%') AS debit, \
                           (SELECT state FROM payments WHERE credit_id IS NULL) AS payment, \
                           (SELECT COUNT(*) FROM audits) AS audits, \
                           (SELECT balance_micros FROM credits) AS balance";
                database.row(sql).await
            })
        });
        let state = |name: &str| row.get::<Option<String>, _>(name).unwrap_or_default();
        let states = format!("{} {} {}", state("debit"), state("payment"), row.get::<i64, _>("audits"));
        to_tell.lock().unwrap().push((states, row.get("balance")));
        SiteAnswer::html("<title>t</title>")
    })
    .await;
    let facilitator = TestFacilitator::start().await;
    let app = TestApp::start(database, |config| charging(config, &facilitator.url())).await;
    let shop = Shop { app, facilitator, site };
    assert!(known.set(Arc::clone(&shop.app.database)).is_ok());
    let token = credit(&shop, 50_000).await;
    let asked = shop.app.call(shop.audit()).await;
    let paid = moved(&shop.facilitator);
    assert_eq!(shop.app.call(shop.audit().header("x-credito", &token)).await.status, 200);
    assert_eq!(shop.app.call(signed(&asked, 1, 1).pays(shop.audit())).await.status, 200);
    // Held, and off the balance; then claimed, with nothing moved before the result is kept.
    let seen = seen.lock().unwrap().clone();
    assert_eq!(seen, [("held  0".to_owned(), 30_000), ("charged working 1".to_owned(), 30_000)]);
    let states = shop.app.database.row(
        "SELECT (SELECT state FROM debits WHERE id NOT LIKE 'before%'), (SELECT state FROM payments WHERE credit_id IS NULL)",
    );
    let states = states.await;
    assert_eq!((states.get::<String, _>(0).as_str(), states.get::<String, _>(1).as_str()), ("charged", "settled"));
    assert_eq!((balance(&shop, &token).await, moved(&shop.facilitator)), (30_000, paid + 20_000));
}

async fn a_payment_that_was_claimed_counts_against_the_hour(database: TestDatabase) {
    let (facilitator, site) = (TestFacilitator::start().await, super::page().await);
    let app = TestApp::start(database, |config| {
        charging(config, &facilitator.url());
        config.limits.audits_per_hour = 2;
    })
    .await;
    let shop = Shop { app, facilitator, site };
    let asked = shop.app.call(Call::audit(GONE)).await;
    for nonce in 1..=2 {
        // What is only asked for costs nothing of the hour.
        assert_eq!(shop.app.call(Call::audit(GONE)).await.refusal(), (402, "allowance_spent".to_owned()));
        let failed = shop.app.call(signed(&asked, 1, nonce).pays(Call::audit(GONE))).await;
        assert_eq!(failed.refusal(), (502, "target_unreachable".to_owned()));
    }
    let refused = shop.app.call(signed(&asked, 1, 3).pays(Call::audit(GONE))).await;
    assert_eq!(refused.refusal(), (429, "rate_limited".to_owned()));
    // Nobody is asked for a payment that is then refused.
    let unpaid = shop.app.call(Call::audit(GONE)).await;
    assert_eq!((unpaid.refusal(), unpaid.header("retry-after")), ((429, "rate_limited".to_owned()), "1800"));
    shop.app.pass(Duration::from_secs(1_800));
    assert_eq!(shop.app.call(Call::audit(GONE)).await.refusal(), (402, "allowance_spent".to_owned()));
    assert_eq!(shop.facilitator.asked("verify").len(), 2);
}

async fn past_the_ceiling_of_payments_none_is_asked_for(database: TestDatabase) {
    let change =
        |config: &mut service::config::Config| (config.limits.audits_per_hour, config.limits.free_tabs) = (1, 0);
    let shop = Shop::beside(TestFacilitator::start().await, database, change).await;
    let guest = shop.app.guest().await;
    let body = serde_json::json!({"url": shop.site.url("/")}).to_string();
    let (buy, open) =
        (|| Call::new("POST", "/api/credito?usd=1"), || Call::new("POST", "/api/tabs").body(&body).token(&guest));
    let asked = shop.app.call(buy()).await;
    assert_eq!(shop.app.call(open()).await.refusal(), (402, "payment_required".to_owned()));
    assert_eq!(shop.app.call(signed(&asked, 1, 1).pays(buy())).await.status, 200);
    for call in [buy(), open(), signed(&asked, 1, 2).pays(buy())] {
        let refused = shop.app.call(call).await;
        assert_eq!((refused.refusal(), refused.header("retry-after")), ((429, "rate_limited".to_owned()), "3600"));
    }
}

/// One answer for both, with both times and what works meanwhile.
async fn neither_free_nor_to_be_paid_is_told_at_once(database: TestDatabase) {
    let shop = with_one_free(Shop::open(database).await, |_| {}).await;
    let asked = {
        assert_eq!(shop.app.call(shop.audit()).await.status, 200);
        shop.app.call(shop.audit()).await
    };
    shop.facilitator.script(|question, _| (question.what == "supported").then_some(Say::HangsUp));
    worker::check(&shop.app.app).await;
    for call in [shop.audit(), signed(&asked, 1, 1).pays(shop.audit())] {
        let refused = shop.app.call(call).await;
        assert_eq!(refused.refusal(), (503, "facilitator_unavailable".to_owned()));
        let (body, header) = (refused.json(), |name: &str| refused.header(name).to_owned());
        assert_eq!((header("retry-after").as_str(), header("ratelimit").as_str()), ("10", "\"day\";r=0;t=52200"));
        assert_eq!(body["retry_after"], 10);
        assert_eq!(body["free_again_at"], "2026-02-01T00:00:00.000Z");
        assert_eq!(body["works_now"], serde_json::json!(["credit", "trial"]));
        let detail = body["detail"].as_str().unwrap();
        for part in ["in 14 h 30 min", "in 10 s", "Credit", "trial"] {
            assert!(detail.contains(part), "{part}: {detail}");
        }
    }
}

async fn the_wider_network_has_a_ceiling_of_payments(database: TestDatabase) {
    let app = TestApp::start(database, |config| config.limits.audits_per_hour = 1).await;
    let buy = |last: u8| Call::new("POST", "/api/credito?usd=1").from([127, 0, 0, last]);
    for last in 1..=10 {
        assert_eq!(app.call(buy(last)).await.status, 200);
    }
    assert_eq!(app.call(buy(11)).await.refusal(), (429, "rate_limited".to_owned()));
    assert_eq!(app.call(buy(1).from([127, 0, 1, 1])).await.status, 200);
}
