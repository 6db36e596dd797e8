//! What runs over sites spend: free audits, credit, and never more than was said.

use serde_json::{Value, json};
use service::config::Sku;
use testkit::facilitator::TestFacilitator;
use testkit::{TestDatabase, TestSite};

use super::{PLANTED_PAGES, begin, begun, get, people, planted, times, work_off};
use crate::app::Call;
use crate::payments::Shop;
use crate::payments::by_credit::{balance, credit};

testkit::on_both_databases! {
    pages_take_free_audits_and_then_credit,
    a_run_ends_when_the_allowance_is_spent,
    a_run_never_spends_more_than_it_may,
    a_run_ends_when_the_credit_is_spent,
    what_is_free_for_now_costs_nothing,
    two_runs_at_once_share_one_credit,
    the_trial_of_an_account_starts_with_its_first_run,
    the_form_takes_a_spending_limit,
}

/// A shop with so many free audits a day.
async fn shop(database: TestDatabase, free: u32) -> (Shop, TestSite, String) {
    let shop = Shop::beside(TestFacilitator::start().await, database, |config| {
        config.limits.free_audits_per_day = free;
    })
    .await;
    let token = shop.app.guest().await;
    (shop, TestSite::start(planted).await, token)
}

async fn ended(shop: &Shop, token: &str, call: Call<'static>) -> Value {
    let id = begun(&shop.app.call(call).await);
    work_off(&shop.app).await;
    let run = get(&shop.app, token, &format!("/api/sites/{id}")).await;
    assert_eq!(run["status"], "finished", "{run}");
    run
}

async fn pages_take_free_audits_and_then_credit(database: TestDatabase) {
    let (shop, site, token) = shop(database, 4).await;
    let credit = credit(&shop, 500_000).await;
    let body = json!({"url": site.url("/"), "max_pages": 40});
    let mut dry = body.clone();
    dry["dry_run"] = true.into();
    let told = shop.app.call(begin(&token, &dry).header("x-credito", &credit)).await.json();
    let offer = json!({"max_pages": 40, "payable_pages": 29, "free_audits": 4, "price_usd": 0.02, "most_usd": 0.5});
    assert_eq!(told["offer"], offer);
    assert_eq!(
        (shop.app.free_remaining().await, balance(&shop, &credit).await),
        (4, 500_000),
        "a dry run spends nothing"
    );
    let run = ended(&shop, &token, begin(&token, &body).header("x-credito", &credit)).await;
    assert_eq!((&run["reason"], &run["progress"]["audited"]), (&json!(null), &json!(PLANTED_PAGES)));
    let paid = u64::from(PLANTED_PAGES - 4) * 20_000;
    assert_eq!(run["spending"], json!({"free_audits": 4, "usd": 0.12, "max_usd": null}));
    assert_eq!((shop.app.free_remaining().await, balance(&shop, &credit).await), (0, 500_000 - paid));
}

async fn a_run_ends_when_the_allowance_is_spent(database: TestDatabase) {
    let (shop, site, token) = shop(database, 3).await;
    let run = ended(&shop, &token, begin(&token, &json!({"url": site.url("/")}))).await;
    assert_eq!((&run["reason"], &run["progress"]["audited"]), (&json!("allowance_spent"), &json!(3)));
    assert_eq!((&run["figures"]["complete"], shop.app.free_remaining().await), (&json!(false), 0));
    let pages = get(&shop.app, &token, &format!("/api/sites/{}/pages", run["id"].as_str().unwrap())).await;
    let audited = pages["pages"].as_array().unwrap().iter().filter(|page| page["answer"] == "page").count();
    assert_eq!(audited, 3, "what was not paid is not kept");
    // Nothing is left, so nothing begins.
    let refused = shop.app.call(begin(&token, &json!({"url": site.url("/")}))).await;
    assert_eq!(refused.refusal(), (402, "allowance_spent".to_owned()));
    assert!(refused.json()["detail"].as_str().unwrap().starts_with("X-Credito"), "{}", refused.body);
    assert_eq!(times(&site).get("/"), Some(&1));
}

async fn a_run_never_spends_more_than_it_may(database: TestDatabase) {
    let (shop, site, token) = shop(database, 0).await;
    let credit = credit(&shop, 900_000).await;
    let body = json!({"url": site.url("/"), "max_usd": 0.07});
    let run = ended(&shop, &token, begin(&token, &body).header("x-credito", &credit)).await;
    assert_eq!((&run["reason"], &run["progress"]["audited"]), (&json!("max_usd"), &json!(3)));
    assert_eq!(run["spending"], json!({"free_audits": 0, "usd": 0.06, "max_usd": 0.07}));
    assert_eq!(balance(&shop, &credit).await, 840_000);
    let too_little = json!({"url": site.url("/"), "max_usd": 0.01});
    let refused = shop.app.call(begin(&token, &too_little).header("x-credito", &credit)).await;
    assert_eq!(refused.refusal(), (402, "allowance_spent".to_owned()));
    assert!(refused.json()["detail"].as_str().unwrap().starts_with("max_usd: "), "{}", refused.body);
    let few = json!({"url": site.url("/"), "max_pages": 2});
    let run = ended(&shop, &token, begin(&token, &few).header("x-credito", &credit)).await;
    assert_eq!((&run["reason"], &run["figures"]["complete"]), (&json!(null), &json!(false)));
    assert!(balance(&shop, &credit).await >= 800_000, "two addresses at most");
}

async fn a_run_ends_when_the_credit_is_spent(database: TestDatabase) {
    let (shop, site, token) = shop(database, 1).await;
    let credit = credit(&shop, 50_000).await;
    let run = ended(&shop, &token, begin(&token, &json!({"url": site.url("/")})).header("x-credito", &credit)).await;
    assert_eq!((&run["reason"], &run["progress"]["audited"]), (&json!("credit_spent"), &json!(3)));
    assert_eq!((run["spending"]["usd"].as_f64(), balance(&shop, &credit).await), (Some(0.04), 10_000));
}

async fn what_is_free_for_now_costs_nothing(database: TestDatabase) {
    let shop = Shop::beside(TestFacilitator::start().await, database, |config| {
        config.limits.free_audits_per_day = 1;
        config.free_now = vec![Sku::Audit];
    })
    .await;
    let (site, token) = (TestSite::start(planted).await, shop.app.guest().await);
    let run = ended(&shop, &token, begin(&token, &json!({"url": site.url("/")}))).await;
    assert_eq!(run["progress"]["audited"], PLANTED_PAGES);
    assert_eq!(run["spending"], json!({"free_audits": 0, "usd": 0.0, "max_usd": null}));
    assert_eq!(shop.app.free_remaining().await, 1);
}

async fn the_trial_of_an_account_starts_with_its_first_run(database: TestDatabase) {
    let (shop, site, _) = shop(database, 0).await;
    let app = &shop.app;
    let ana = people::account(app, "ana").await;
    let session = people::session(app, &ana).await;
    people::organization(app, "bakery", &[(ana.as_str(), "owner")]).await;
    let own = people::key(app, &format!("account:{ana}")).await;
    let of_group = people::key(app, "organization:bakery").await;
    let ends_at = async || app.call(session.cookie(Call::get("/api/me"))).await.json()["trial"]["ends_at"].clone();
    let begin =
        |key: &str, body: Value| Call::new("POST", "/api/sites").header("x-api-key", key).body(&body.to_string());
    // Neither a price nor a refusal is a use of it.
    let url = site.url("/");
    let told = app.call(begin(&own, json!({"url": url, "dry_run": true}))).await;
    assert_eq!((told.status, &told.json()["offer"]["payable_pages"]), (200, &json!(1000)), "{}", told.body);
    assert_eq!(app.call(begin(&of_group, json!({"url": url}))).await.refusal().0, 402);
    assert_eq!(app.call(begin(&own, json!({"url": url, "max_pages": 0}))).await.status, 400);
    assert_eq!(ends_at().await, Value::Null);
    let began = app.app.ports().now();
    let id = begun(&app.call(begin(&own, json!({"url": url}))).await);
    assert_eq!(ends_at().await, began.plus_ms(90 * 86_400_000).to_string());
    work_off(app).await;
    let run = app.call(Call::get(&format!("/api/sites/{id}")).header("x-api-key", &own)).await.json();
    assert_eq!((&run["status"], &run["progress"]["audited"]), (&json!("finished"), &json!(PLANTED_PAGES)), "{run}");
    assert_eq!(run["spending"], json!({"free_audits": 0, "usd": 0.0, "max_usd": null}));
    // Once over, it pays no more.
    app.database.execute("UPDATE accounts SET trial_started_at = 1").await;
    assert_eq!(app.call(begin(&own, json!({"url": url}))).await.refusal(), (402, "allowance_spent".to_owned()));
}

async fn the_form_takes_a_spending_limit(database: TestDatabase) {
    let (shop, site, _) = shop(database, 1).await;
    let app = &shop.app;
    let form = |path: &str| {
        let call = Call::new("POST", path).header("content-type", "application/x-www-form-urlencoded");
        call.header("origin", &app.url(""))
    };
    let token = credit(&shop, 900_000).await;
    let kept = app.call(form("/credit/browser?lang=en").body(&format!("token={token}&back=%2Fsites"))).await;
    let cookie = kept.header("set-cookie").split(';').next().unwrap().to_owned();
    let priced = async |limit: &str| {
        let body = format!("url={}&max_pages=40&max_usd={limit}&action=price", site.url("/"));
        app.call(form("/sites?lang=en").header("cookie", &cookie).body(&body)).await
    };
    // With the comma of Portuguese, as with the point.
    for limit in ["0.05", "0%2C05"] {
        let told = priced(limit).await;
        assert!(
            told.status == 200 && told.body.contains("at most 0.04 USD from your credit"),
            "{limit}: {}",
            told.body
        );
    }
    assert!(priced("").await.body.contains("at most 0.78 USD from your credit"));
    for limit in ["much", "-1"] {
        let refused = priced(limit).await;
        assert!(refused.status == 400 && refused.body.contains("id=\"problem\""), "{limit}: {}", refused.body);
        assert!(refused.body.contains("name=\"max_usd\"") && refused.body.contains(&format!("value=\"{limit}\"")));
    }
}

async fn two_runs_at_once_share_one_credit(database: TestDatabase) {
    let (shop, site, token) = shop(database, 0).await;
    let credit = credit(&shop, 100_000).await;
    let call = || begin(&token, &json!({"url": site.url("/")})).header("x-credito", &credit);
    let (a, b) = tokio::join!(shop.app.call(call()), shop.app.call(call()));
    let ids = [begun(&a), begun(&b)];
    tokio::join!(work_off(&shop.app), work_off(&shop.app));
    let mut audited = 0;
    for id in ids {
        let run = get(&shop.app, &token, &format!("/api/sites/{id}")).await;
        assert_eq!((&run["status"], &run["reason"]), (&json!("finished"), &json!("credit_spent")), "{run}");
        audited += run["progress"]["audited"].as_u64().unwrap();
    }
    assert_eq!((audited, balance(&shop, &credit).await), (5, 0));
}
