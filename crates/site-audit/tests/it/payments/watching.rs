//! What the operator's monitoring reads of payments.

use service::config::SecretText;
use service::payments::worker;
use testkit::TestDatabase;
use testkit::facilitator::{Say, TestFacilitator};

use super::{Shop, pix, signed};
use crate::api::people::OPERATOR;
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    what_waits_for_a_person_is_counted,
    what_is_not_known_is_left_out,
    answers_audits_and_jobs_are_counted,
}

/// The lines with numbers; what they mean is said in lines that begin with `#`.
async fn watched(app: &TestApp) -> Vec<String> {
    let answer = app.call(Call::get("/metrics").header("authorization", &format!("Bearer {OPERATOR}"))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.header("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8");
    assert!(answer.body.ends_with("# EOF\n"), "{}", answer.body);
    let of_process = ["build_info", "audit", "job", "connections", "limit", "large_", "core_queue"];
    let is_told = |line: &&str| {
        line.strip_prefix("site_audit_").is_some_and(|name| !of_process.iter().any(|other| name.starts_with(other)))
    };
    let numbers = answer.body.lines().filter(is_told);
    let mut numbers: Vec<String> = numbers.map(str::to_owned).collect();
    numbers.sort();
    numbers
}

async fn what_waits_for_a_person_is_counted(database: TestDatabase) {
    let change = |config: &mut service::config::Config| {
        config.operator.token = Some(SecretText::new(OPERATOR));
        pix::on(config);
    };
    let shop = Shop::beside(TestFacilitator::start().await, database, change).await;
    worker::check(&shop.app.app).await;
    let quiet = [
        "site_audit_database_takes_writes 1",
        "site_audit_database_up 1",
        "site_audit_facilitator_up 1",
        r#"site_audit_payments{state="claimed"} 0"#,
        r#"site_audit_payments{state="settling"} 0"#,
        r#"site_audit_payments{state="unclear"} 0"#,
        r#"site_audit_payments{state="worked"} 0"#,
        r#"site_audit_payments{state="working"} 0"#,
        "site_audit_pix_requests_waiting 0",
    ];
    assert_eq!(watched(&shop.app).await, quiet);
    let bought = signed(&shop.app.call(shop.audit()).await, 1, 2);
    assert_eq!(shop.app.call(bought.pays(shop.audit())).await.status, 200);

    shop.facilitator.script(|question, _| (question.what == "settle").then_some(Say::MovesAndHangsUp));
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 1);
    assert_eq!(shop.app.call(payment.pays(shop.audit())).await.refusal(), (503, "settlement_pending".to_owned()));
    for number in 1..=2 {
        assert_eq!(shop.app.call(pix::receipt(number)).await.status, 200);
    }
    let busy = watched(&shop.app).await;
    for line in [
        r#"site_audit_payments{state="unclear"} 1"#,
        "site_audit_pix_requests_waiting 2",
        r#"site_audit_received_micros{by="eip155:84532"} 20000"#,
    ] {
        assert!(busy.iter().any(|known| known == line), "{busy:?}");
    }
    // Nobody else reads it.
    assert_eq!(shop.app.call(Call::get("/metrics")).await.refusal(), (401, "operator_token_required".to_owned()));
}

async fn what_is_not_known_is_left_out(database: TestDatabase) {
    let app = TestApp::start(database, |config| {
        config.operator.token = Some(SecretText::new(OPERATOR));
        // Each look at the outage asks for a guest.
        config.limits.guests_per_hour = 100_000;
    })
    .await;
    // Nothing is charged: there is no facilitator to be up or down.
    assert!(!watched(&app).await.iter().any(|line| line.contains("facilitator")));
    let known = watched(&app).await;
    let no_writes = known.iter().map(|line| line.replace("takes_writes 1", "takes_writes 0"));
    let no_writes: Vec<String> = no_writes.collect();
    // A write that can't be done is how an outage of writes shows; what is read goes on.
    let held = app.database.hold_writes(&["guests"]).await;
    loop {
        assert_eq!(app.call(Call::new("POST", "/api/guest")).await.refusal().1, "database_unavailable");
        if watched(&app).await == no_writes {
            break;
        }
    }
    held.release().await;
    // Nobody else can keep us from reading a file on SQLite.
    if app.database.is_postgres() {
        let held = app.database.hold(&["payments"]).await;
        assert_eq!(watched(&app).await, ["site_audit_database_takes_writes 0", "site_audit_database_up 0"]);
        held.release().await;
    }
    let without = TestApp::start_on(&app, |_| {}).await;
    assert_eq!(without.call(Call::get("/metrics")).await.refusal(), (503, "operator_unavailable".to_owned()));
}

async fn answers_audits_and_jobs_are_counted(database: TestDatabase) {
    let site = testkit::TestSite::start(|_| testkit::SiteAnswer::html("<title>t</title>")).await;
    let app = TestApp::start(database, |config| config.operator.token = Some(SecretText::new(OPERATOR))).await;
    let tab = format!("/api/tabs/{}", "x".repeat(20));
    assert_eq!(app.call(Call::audit(&site.url("/"))).await.status, 200);
    assert_eq!(app.call(Call::audit("http://127.0.0.2:1/")).await.status, 502);
    for path in [tab.as_str(), "/api/tabs/other", "/nothing/at/all", "/tools"] {
        app.call(Call::get(path)).await;
    }
    service::jobs::schedule(&app.app, app.app.ports().now()).await.unwrap();
    let answer = app.call(Call::get("/metrics").header("authorization", &format!("Bearer {OPERATOR}"))).await;
    let count = |method: &str, route: &str, status: &str, number: u32| {
        format!(
            "http_server_request_duration_seconds_count{{http_request_method=\"{method}\",http_route=\"{route}\",\
             http_response_status_code=\"{status}\"}} {number}"
        )
    };
    for line in [
        count("POST", "/api/audit", "200", 1),
        count("POST", "/api/audit", "502", 1),
        count("GET", "/api/tabs/{id}", "401", 2),
        count("GET", "", "404", 1),
        count("GET", "/tools", "200", 1),
        "site_audit_audit_duration_seconds_count{outcome=\"ok\"} 1".to_owned(),
        "site_audit_audit_duration_seconds_count{outcome=\"target_unreachable\"} 1".to_owned(),
        "site_audit_jobs{lane=\"upkeep\",state=\"waiting\"} 2".to_owned(),
    ] {
        assert!(answer.body.lines().any(|told| told == line), "{line}: {}", answer.body);
    }
    assert!(answer.body.contains("process_memory_usage_bytes "), "{}", answer.body);
    assert!(!answer.body.contains("xxxx") && !answer.body.contains("at/all"), "{}", answer.body);
}
