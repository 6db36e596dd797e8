use std::sync::Arc;

use model::id::{GuestId, Owner, TabId};
use serde_json::{Value, json};
use service::config::{NamedUrl, PaymentMode, Sku};
use sqlx::Row as _;
use store::{NewTab, Opening};
use testkit::TestDatabase;
use testkit::facilitator::Say;
use tokio::sync::Notify;

use super::{PAY_TO, Shop, moved, signed};
use crate::app::{Call, NOW, TestApp, join_all};

testkit::on_both_databases! {
    prices_are_those_of_the_configuration,
    billing_says_how_and_where_the_caller_stands,
    the_manifest_lists_what_can_be_paid,
    tabs_beyond_the_free_ones_are_paid,
    whoever_comes_too_late_for_the_last_free_tab_is_told_what_to_pay,
    a_tab_whose_payment_was_refused_is_closed_again,
    a_tab_that_another_call_opened_meanwhile_is_not_paid_again,
    a_paid_run_is_the_last_one_of_its_tab,
    nothing_is_taken_where_nothing_is_charged,
}

async fn prices_are_those_of_the_configuration(database: TestDatabase) {
    let app = TestApp::start(database, |config| {
        config.limits.free_audits_per_day = 7;
        config.limits.free_tabs = 3;
        config.prices.audit_usd = model::money::Micros(30_000);
        config.free_now = vec![Sku::Tab];
    })
    .await;
    let pricing = app.call(Call::get("/api/pricing")).await;
    assert_eq!(pricing.status, 200, "{}", pricing.body);
    let pricing = pricing.json();
    let names: Vec<&String> = pricing.as_object().unwrap().keys().collect();
    assert_eq!(names, ["product", "quota", "pricing", "billing", "api_index"]);
    let quota = &pricing["quota"];
    assert_eq!(quota["free"][0]["limite"], 7);
    assert_eq!(quota["free"][1], json!({"o_que": "followed pages per owner", "limite": 3, "janela": null}));
    assert_eq!(quota["paid"][0]["price_usd"], 0.03);
    assert_eq!((&quota["free_now"], &quota["trial"]["days"]), (&json!(["tab"]), &json!(90)));
    assert_eq!(quota["live"], app.url("/api/gate"));
    let said = app.call(Call::get("/api/pricing?lang=pt-BR")).await.json();
    assert_eq!(said["quota"]["free"][1]["o_que"], "páginas seguidas por dono");
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        assert_eq!(app.call(Call::new(method, "/api/pricing")).await.refusal(), (405, "method_not_allowed".to_owned()));
    }
    assert_eq!(app.call(Call::new("HEAD", "/api/pricing")).await.status, 200);
}

async fn billing_says_how_and_where_the_caller_stands(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let billing = shop.app.call(Call::get("/api/billing")).await.json();
    for (field, wanted) in [
        ("provider", json!("x402")),
        ("mode", json!("live")),
        ("network", json!("base-sepolia")),
        ("chain_id", json!(84_532)),
        ("pay_to", json!(PAY_TO)),
        ("homolog", json!(true)),
        ("dev", json!(false)),
        ("dev_gate", json!(false)),
        ("facilitator", json!(shop.facilitator.url())),
        ("asset", json!("USDC")),
        ("asset_address", json!("0x036CbD53842c5426634e7929541eC2318f3dCF7e")),
        ("faucet", Value::Null),
        ("wallets", json!({})),
        ("free_max_tabs", json!(20)),
        ("usage", json!({"tabs": 0, "free_slots_left": 20})),
        ("trial", json!({"days": 90, "active": false, "ends_at": null})),
    ] {
        assert_eq!(billing[field], wanted, "{field}");
    }
    assert_eq!(billing["prices"]["extra_tab_usd"], 0.05);
    assert_eq!(billing["prices"]["contact_agent_usd"], 0.1);
    let dev = TestApp::start(TestDatabase::sqlite(), |config| {
        config.payments.mode = Some(PaymentMode::Dev);
        config.payments.faucet = Some("https://faucet.example/".to_owned());
        config.payments.wallets = vec![NamedUrl { name: "A".to_owned(), url: "https://a.example/".to_owned() }];
        config.free_now = vec![Sku::Audit];
    })
    .await;
    let token = dev.guest().await;
    dev.call(Call::new("POST", "/api/tabs").body(r#"{"url":"https://example.com/"}"#).token(&token)).await;
    let billing = dev.call(Call::get("/api/billing").token(&token)).await.json();
    assert_eq!((&billing["mode"], &billing["pay_to"]), (&json!("dev"), &Value::Null));
    assert_eq!((&billing["gratis"], &billing["wallets"]), (&json!(["audit"]), &json!({"A": "https://a.example/"})));
    assert_eq!(billing["faucet"], "https://faucet.example/");
    assert_eq!(billing["usage"], json!({"tabs": 1, "free_slots_left": 19}));
}

async fn the_manifest_lists_what_can_be_paid(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let manifest = shop.app.call(Call::get("/.well-known/x402")).await;
    assert_eq!((manifest.status, manifest.header("content-type")), (200, "application/json"));
    let manifest = manifest.json();
    assert_eq!(manifest["networks"], json!(["base-sepolia", "eip155:84532"]));
    assert_eq!((&manifest["pay_to"], &manifest["mode"]), (&json!(PAY_TO), &json!("live")));
    let routes: Vec<_> = manifest["routes"].as_array().unwrap().iter().map(|route| &route["path"]).collect();
    assert_eq!(
        routes,
        [
            "/api/audit",
            "/api/tabs",
            "/api/tabs/{id}/run",
            "/api/credito?usd=1",
            "/api/credito?usd=5",
            "/api/credito?usd=10",
            "/api/credito?usd=25"
        ]
    );
    // What it offers is what a 402 asks for.
    let asked = super::required(&shop.app.call(shop.audit()).await);
    assert_eq!(manifest["items"][0]["accepts"], asked["accepts"]);
    assert_eq!(manifest["items"][0]["resource"], asked["resource"]);
    let free: Vec<_> = manifest["routes"].as_array().unwrap().iter().map(|route| &route["free"]).collect();
    assert_eq!(
        free[..4],
        [&json!("0 a day per network"), &json!("20 per owner"), &json!("0 a day per network"), &Value::Null]
    );
    let openapi = shop.app.call(Call::get("/openapi.json")).await.json();
    let info = |path: &str| openapi["paths"][path]["post"]["x-payment-info"].clone();
    assert_eq!(info("/api/audit"), json!({"protocols": ["x402"], "pricingMode": "fixed", "price": "0.02"}));
    let range = json!({"protocols": ["x402"], "pricingMode": "range", "minPrice": "1.00", "maxPrice": "25.00"});
    assert_eq!(info("/api/credito"), range);
}

fn open(shop: &Shop, page: &str, token: &str) -> Call<'static> {
    let body = json!({"url": shop.site.url(page)}).to_string();
    Call::new("POST", "/api/tabs").body(&body).token(token)
}

async fn tabs_beyond_the_free_ones_are_paid(database: TestDatabase) {
    let (facilitator, site) = (testkit::facilitator::TestFacilitator::start().await, super::page().await);
    let app = TestApp::start(database, |config| {
        super::charging(config, &facilitator.url());
        config.limits.free_tabs = 1;
    })
    .await;
    let shop = Shop { app, facilitator, site };
    let token = shop.app.guest().await;
    assert_eq!(shop.app.call(open(&shop, "/a", &token)).await.status, 200);
    let asked = shop.app.call(open(&shop, "/b", &token)).await;
    assert_eq!(asked.refusal(), (402, "payment_required".to_owned()));
    assert_eq!(asked.json()["accepts"][0]["maxAmountRequired"], "50000");
    let payment = signed(&asked, 1, 1);
    let opened = shop.app.call(payment.pays(open(&shop, "/b", &token))).await;
    assert_eq!(opened.status, 200, "{}", opened.body);
    assert_eq!(moved(&shop.facilitator), 50_000);
    // Open already: answered before any charge.
    let again = shop.app.call(open(&shop, "/b", &token)).await;
    assert_eq!(again.json()["tab"]["id"], opened.json()["tab"]["id"]);
    let unneeded = signed(&asked, 1, 2);
    assert_eq!(shop.app.call(unneeded.pays(open(&shop, "/a", &token))).await.status, 200);
    assert_eq!(moved(&shop.facilitator), 50_000);
    let billing = shop.app.call(Call::get("/api/billing").token(&token)).await.json();
    assert_eq!(billing["usage"], json!({"tabs": 2, "free_slots_left": 0}));
}

async fn whoever_comes_too_late_for_the_last_free_tab_is_told_what_to_pay(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let app = TestApp::start_on(&shop.app, |config| {
        super::charging(config, &shop.facilitator.url());
        config.limits.free_tabs = 1;
    })
    .await;
    let token = app.guest().await;
    let pages: Vec<String> = (0..8).map(|n| format!("/{n}")).collect();
    let answers = join_all(pages.iter().map(|page| app.call(open(&shop, page, &token)))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for late in answers.iter().filter(|answer| answer.status != 200) {
        assert_eq!(late.refusal(), (402, "payment_required".to_owned()));
        assert_eq!(late.json()["accepts"][0]["maxAmountRequired"], "50000", "{}", late.body);
    }
}

async fn a_tab_whose_payment_was_refused_is_closed_again(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let free = TestApp::start_on(&shop.app, |config| {
        super::charging(config, &shop.facilitator.url());
        config.limits.free_tabs = 0;
    })
    .await;
    let token = free.guest().await;
    let asked = free.call(open(&shop, "/a", &token)).await;
    shop.facilitator.script(|question, _| {
        let refused = json!({"success": false, "errorReason": "insufficient_funds", "transaction": ""});
        (question.what == "settle").then_some(Say::This(200, refused))
    });
    let refused = free.call(signed(&asked, 1, 1).pays(open(&shop, "/a", &token))).await;
    assert_eq!(refused.refusal(), (402, "payment_refused".to_owned()));
    let workspace = free.call(Call::get("/api/tabs").token(&token)).await.json();
    assert_eq!((&workspace["tabs"], &workspace["active_id"]), (&json!([]), &Value::Null));
    assert_eq!(workspace["billing"]["provider"], "x402");
}

async fn nothing_is_taken_where_nothing_is_charged(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let manifest = app.call(Call::get("/.well-known/x402")).await.json();
    assert_eq!((&manifest["mode"], &manifest["pay_to"]), (&json!("dev"), &Value::Null));
    let items = manifest["items"].as_array().unwrap();
    assert!(items.len() > 1 && items.iter().all(|item| item["accepts"] == json!([])), "{items:?}");
}

/// A shop where each tab costs.
async fn without_free_tabs(database: TestDatabase) -> Shop {
    let (facilitator, site) = (testkit::facilitator::TestFacilitator::start().await, super::page().await);
    let app = TestApp::start(database, |config| {
        super::charging(config, &facilitator.url());
        config.limits.free_tabs = 0;
    })
    .await;
    Shop { app, facilitator, site }
}

async fn a_tab_that_another_call_opened_meanwhile_is_not_paid_again(database: TestDatabase) {
    let shop = without_free_tabs(database).await;
    let token = shop.app.guest().await;
    let asked = shop.app.call(open(&shop, "/a", &token)).await;
    let payment = signed(&asked, 1, 1);
    let tab = NewTab {
        id: TabId(shop.app.app.ports().id()),
        owner: Owner::Guest(GuestId(shop.app.database.row("SELECT id FROM guests").await.get(0))),
        url: shop.site.url("/a"),
        alias: None,
        withheld: None,
        created_at: NOW,
    };
    let go_on = Arc::new(Notify::new());
    let waits = Arc::clone(&go_on);
    shop.facilitator.script(move |question, _| (question.what == "verify").then(|| Say::Waits(Arc::clone(&waits))));
    let meanwhile = async {
        shop.facilitator.wait_for("verify", 1).await;
        let opened = shop.app.app.database().store().open_tab(tab, 1).await.unwrap();
        go_on.notify_one();
        assert!(matches!(opened, Opening::New(_)), "{opened:?}");
    };
    let (late, ()) = tokio::join!(shop.app.call(payment.pays(open(&shop, "/a", &token))), meanwhile);
    assert_eq!(late.refusal(), (409, "payment_in_progress".to_owned()), "{}", late.body);
    assert_eq!((&late.json()["charged"], moved(&shop.facilitator)), (&json!(false), 0));
    assert_eq!(shop.app.call(open(&shop, "/a", &token)).await.status, 200, "the repeat is free");
}

async fn a_paid_run_is_the_last_one_of_its_tab(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let token = shop.app.guest().await;
    let tab = shop.app.call(open(&shop, "/", &token)).await.json()["tab"]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/tabs/{tab}/run");
    let run = || Call::new("POST", &path).token(&token);
    let asked = shop.app.call(run()).await;
    for nonce in 1..=2 {
        let payment = signed(&asked, 1, nonce);
        // Of two runs of one instant none is the last.
        shop.app.pass(std::time::Duration::from_secs(1));
        let ran = shop.app.call(payment.pays(run())).await;
        assert_eq!(ran.status, 200, "{}", ran.body);
        let (said, kept) = (ran.json(), shop.app.call(payment.pays(run())).await.json());
        let listed = shop.app.call(Call::get("/api/tabs").token(&token)).await.json();
        for tab in [&said["tab"], &kept["tab"], &listed["tabs"][0]] {
            assert_eq!((&tab["audit_id"], &tab["score"]), (&said["result"]["audit_id"], &said["result"]["score"]));
        }
    }
}
