//! What pages report: errors in the browser, and payment prompts.

use serde_json::json;
use sqlx::Row as _;
use testkit::TestDatabase;

use crate::app::{Call, TestApp, join_all};
use crate::counting;

testkit::on_both_databases! {
    an_error_report_is_answered_with_204_whatever_it_is,
    a_payment_prompt_is_taken_from_a_page_of_ours_only,
    a_flood_of_reports_leaves_audits_served_and_stores_nothing,
}

const ERRORS: &str = "/api/erro-cliente";
const PROMPT: &str = "/api/pagamento/aberto";

async fn an_error_report_is_answered_with_204_whatever_it_is(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let whole = json!({"code": "UI-JS-001", "phase": "run", "path": "/", "message": "x", "line": 1}).to_string();
    let foreign = "mmk_0123456789012345678901234567890123456789012";
    for (what, call) in [
        ("a report", Call::new("POST", ERRORS).body(&whole)),
        ("nothing", Call::new("POST", ERRORS)),
        ("no JSON", Call::new("POST", ERRORS).body("{")),
        ("too much", Call::new("POST", ERRORS).body(&"x".repeat(40_000))),
        ("another site", Call::new("POST", ERRORS).body(&whole).header("origin", "https://evil.example")),
        ("a wrong key", Call::new("POST", ERRORS).body(&whole).header("x-api-key", foreign)),
        ("a cookie alone", Call::new("POST", ERRORS).body(&whole).header("cookie", "mm-auth=nothing")),
        ("a coded body", Call::new("POST", ERRORS).body(&whole).header("content-encoding", "gzip")),
        ("a query twice", Call::new("POST", &format!("{ERRORS}?a=1&a=2&lang=xx")).body(&whole)),
        ("a policy report", Call::new("POST", ERRORS).body("[]").header("content-type", "application/reports+json")),
    ] {
        let answer = app.call(call).await;
        assert_eq!((answer.status, answer.body.as_str(), answer.header("content-type")), (204, "", ""), "{what}");
    }
    for _ in 0..70 {
        assert_eq!(app.call(Call::new("POST", ERRORS).body(&whole)).await.status, 204);
    }
    let preflight = app.call(Call::new("OPTIONS", ERRORS)).await;
    assert_eq!(preflight.status, 204);
}

async fn a_payment_prompt_is_taken_from_a_page_of_ours_only(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let origin = app.url("");
    let whole = || {
        Call::new("POST", PROMPT)
            .header("origin", &origin)
            .header("sec-fetch-site", "same-origin")
            .header("x-mm-payment-view", "1")
    };
    for (what, call, status) in [
        ("a page of ours", whole(), 202),
        ("one that is signed in, wrongly", whole().header("cookie", "mm-auth=nothing"), 202),
        ("no header", Call::new("POST", PROMPT), 204),
        (
            "no origin",
            Call::new("POST", PROMPT).header("sec-fetch-site", "same-origin").header("x-mm-payment-view", "1"),
            204,
        ),
        ("another origin", whole().replace("origin", "https://evil.example"), 204),
        ("another site", whole().replace("sec-fetch-site", "cross-site"), 204),
        ("another value", whole().replace("x-mm-payment-view", "true"), 204),
    ] {
        let answer = app.call(call).await;
        let told = (answer.status, answer.body.as_str(), answer.header("cache-control"));
        assert_eq!(told, (status, "", "no-store"), "{what}");
    }
    counting::flush(&app).await;
    assert_eq!(counting::stored(&app, "event").await.get("pagamento_aberto"), Some(&2));
}

async fn a_flood_of_reports_leaves_audits_served_and_stores_nothing(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let tables = "SELECT (SELECT COUNT(*) FROM jobs) + (SELECT COUNT(*) FROM guests) + (SELECT COUNT(*) FROM audits)";
    let report = |number: u32| json!({"code": "UI-JS-001", "phase": "run", "message": format!("{number} ana@example.com"), "stack": "x\n".repeat(200)});
    let flood = async {
        for round in 0..10_u32 {
            let calls = (0..50_u32).map(|number| {
                // Each /24 is a network of its own to the limits.
                let [_, _, c, d] = (round * 50 + number).to_be_bytes();
                app.call(Call::new("POST", ERRORS).body(&report(number).to_string()).from([127, 3, c, d.max(1)]))
            });
            assert!(join_all(calls).await.iter().all(|answer| answer.status == 204));
        }
    };
    let served = async {
        for _ in 0..40 {
            assert_eq!(app.call(Call::get("/api/gate")).await.status, 200);
        }
    };
    tokio::join!(flood, served);
    assert_eq!(app.database.row(tables).await.get::<i64, _>(0), 0);
}
