//! Limits of runs over sites.

use serde_json::{Value, json};
use testkit::{TestDatabase, TestSite};

use super::{begin, begun, get, planted, work_off};
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    every_limit_refuses_a_run,
    runs_over_one_target_have_a_ceiling,
    a_dry_run_begins_nothing,
}

async fn every_limit_refuses_a_run(database: TestDatabase) {
    let app = TestApp::start(database, |config| {
        config.limits.site_runs = 1;
        config.limits.site_runs_at_once = 2;
        config.limits.site_runs_per_hour = 3;
    })
    .await;
    let body = json!({"url": "http://127.0.0.2:1/"});
    let tokens = [app.guest().await, app.guest().await, app.guest().await];
    let first = begun(&app.call(begin(&tokens[0], &body)).await);
    assert_eq!(app.call(begin(&tokens[0], &body)).await.refusal(), (409, "site_limit".to_owned()));
    begun(&app.call(begin(&tokens[1], &body)).await);
    let busy = app.call(begin(&tokens[2], &body)).await;
    assert_eq!((busy.refusal(), busy.header("retry-after")), ((503, "overloaded".to_owned()), "60"));
    // One that is deleted makes room.
    let delete = Call::new("DELETE", &format!("/api/sites/{first}")).token(&tokens[0]);
    assert_eq!(app.call(delete).await.status, 200);
    begun(&app.call(begin(&tokens[2], &body)).await);
    let delete = Call::new("DELETE", &format!("/api/sites/{first}")).token(&tokens[0]);
    assert_eq!(app.call(delete).await.status, 404);
    work_off(&app).await;
    assert_eq!(app.call(begin(&tokens[0], &body)).await.refusal(), (429, "rate_limited".to_owned()));
}

async fn runs_over_one_target_have_a_ceiling(database: TestDatabase) {
    // A resolver that never answers: the ceilings are judged before anything is asked.
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let app = TestApp::start(database, |config| {
        config.fetch.dns = Some(silent.local_addr().unwrap());
        config.limits.site_runs_per_target = 2;
        config.limits.site_runs_per_target_hour = 3;
    })
    .await;
    let tokens = [app.guest().await, app.guest().await, app.guest().await];
    let of = |host: &str| json!({"url": format!("http://{host}/")});
    begun(&app.call(begin(&tokens[0], &of("www.site-audit-victim.com"))).await);
    begun(&app.call(begin(&tokens[1], &of("b.site-audit-victim.com"))).await);
    let busy = app.call(begin(&tokens[2], &of("site-audit-victim.com"))).await;
    assert_eq!((busy.refusal(), busy.header("retry-after")), ((429, "target_busy".to_owned()), "60"));
    let spent = app.call(begin(&tokens[2], &of("site-audit-victim.com"))).await;
    assert_eq!(spent.refusal(), (429, "target_busy".to_owned()));
    assert_ne!(spent.header("retry-after"), "60", "the hour's runs of the network are used up");
    begun(&app.call(begin(&tokens[2], &of("site-audit-other.com"))).await);
}

async fn a_dry_run_begins_nothing(database: TestDatabase) {
    let site = TestSite::start(planted).await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    let told = app.call(begin(&token, &json!({"url": site.url("/"), "max_pages": 30, "dry_run": true}))).await;
    assert_eq!((told.status, &told.json()["site"]), (200, &Value::Null));
    let offer = json!({"max_pages": 30, "payable_pages": 30, "free_audits": null, "price_usd": 0.0, "most_usd": 0.0});
    assert_eq!(told.json()["offer"], offer);
    assert_eq!(work_off(&app).await, 0);
    assert_eq!(get(&app, &token, "/api/sites").await["sites"], json!([]));
    assert!(site.asked().is_empty());
}
