//! What a network may do, and what happens past it.

use std::net::UdpSocket;
use std::time::Duration;

use base64::Engine as _;
use serde_json::Value;
use service::config::{Config, PaymentMode, Sku};
use sqlx::{Executor as _, Row as _};
use testkit::{SiteAnswer, TestDatabase, TestSite};
use tokio::io::AsyncWriteExt as _;

use crate::app::{Call, NOW, TestApp, join_all, read};

testkit::on_both_databases! {
    past_the_free_audits_a_live_server_asks_for_payment,
    a_refusal_to_pay_writes_nothing_and_ends_when_something_is_left,
    what_was_granted_beside_a_failure_is_given_back,
    past_the_free_audits_a_dev_server_lets_through,
    what_is_free_now_spends_no_allowance,
    l05_the_last_free_audit_goes_to_one_of_many,
    l03_l04_the_client_behind_a_trusted_proxy_is_counted,
    l06_audits_of_one_target_have_a_ceiling,
    l07_a_crawler_never_starts_an_audit,
    refused_addresses_have_a_ceiling,
    guests_have_a_ceiling,
    a_wide_network_has_a_ceiling_of_its_own,
    a_wide_network_has_ten_times_the_free_audits,
    a_body_in_tiny_chunks_is_refused,
}

async fn site() -> TestSite {
    TestSite::start(
        |asked| if asked.path == "/" { SiteAnswer::html("<title>t</title>") } else { SiteAnswer::missing() },
    )
    .await
}

fn live(config: &mut Config) {
    config.payments.pay_to = Some(format!("0x{}", "1".repeat(40)));
    config.limits.free_audits_per_day = 1;
}

async fn past_the_free_audits_a_live_server_asks_for_payment(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, live).await;
    let first = app.call(Call::audit(&site.url("/"))).await;
    assert_eq!(first.status, 200);
    assert_eq!(first.header("ratelimit-policy"), "\"day\";q=1;w=86400");
    assert_eq!(first.header("ratelimit"), "\"day\";r=0;t=52200");
    assert_eq!(app.call(Call::get("/api/gate")).await.json()["needs_payment"], true);
    let response = app.call(Call::audit(&site.url("/"))).await;
    assert_eq!(response.refusal(), (402, "allowance_spent".to_owned()));
    let body = response.json();
    assert_eq!(body["x402Version"], 1);
    assert!(body["error"].as_str().unwrap().contains("Pay 0.02 USD"), "{body}");
    let pt = app.call(Call::audit(&site.url("/")).header("accept-language", "pt-BR")).await.json();
    assert!(pt["error"].as_str().unwrap().contains("Pague US$ 0,02 e"), "{pt}");
    let accepts = &body["accepts"][0];
    for (field, wanted) in [
        ("scheme", "exact"),
        ("network", "base-sepolia"),
        ("maxAmountRequired", "20000"),
        ("resource", &app.url("/api/audit")),
        ("asset", "0x036CbD53842c5426634e7929541eC2318f3dCF7e"),
        ("payTo", "0x1111111111111111111111111111111111111111"),
    ] {
        assert_eq!(accepts[field], *wanted, "{field}");
    }
    let header = base64::engine::general_purpose::STANDARD.decode(response.header("payment-required")).unwrap();
    let version_2: Value = serde_json::from_slice(&header).unwrap();
    assert_eq!(version_2["accepts"][0]["network"], "eip155:84532");
    assert_eq!(version_2["accepts"][0]["amount"], "20000");
    // What is no payment is never taken for one.
    let paid = app.call(Call::audit(&site.url("/")).header("x-payment", "e30=")).await;
    assert_eq!(paid.refusal(), (400, "invalid_payment".to_owned()));
    // Bad input is told before it is charged for.
    assert_eq!(app.call(Call::audit("ftp://a.com/")).await.refusal(), (400, "invalid_url".to_owned()));
    app.pass(Duration::from_secs(86_400));
    assert_eq!(app.call(Call::audit(&site.url("/"))).await.status, 200);
}

async fn a_refusal_to_pay_writes_nothing_and_ends_when_something_is_left(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, live).await;
    for wanted in [200, 402] {
        assert_eq!(app.call(Call::audit(&site.url("/"))).await.status, wanted);
    }
    // Nothing can be written now, only read.
    let mut holder = app.database.connection().await;
    let hold = if app.database.is_postgres() {
        "BEGIN; LOCK TABLE daily_counters, hourly_counters IN EXCLUSIVE MODE"
    } else {
        "BEGIN IMMEDIATE"
    };
    holder.execute(sqlx::raw_sql(hold)).await.unwrap();
    for _ in 0..3 {
        let refused = app.call(Call::audit(&site.url("/"))).await;
        assert_eq!(refused.refusal(), (402, "allowance_spent".to_owned()));
        assert_eq!(refused.header("ratelimit"), "\"day\";r=0;t=52200");
    }
    assert_eq!(app.call(Call::get("/api/health")).await.json()["database"], "up");
    holder.execute(sqlx::raw_sql("ROLLBACK")).await.unwrap();
    // Another process gives one back.
    app.database.execute("UPDATE daily_counters SET used = 0").await;
    for wanted in [200, 402] {
        assert_eq!(app.call(Call::audit(&site.url("/"))).await.status, wanted);
    }
}

async fn what_was_granted_beside_a_failure_is_given_back(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |_| {}).await;
    // The hours can be spent, the day can't.
    app.database.execute("ALTER TABLE daily_counters RENAME TO elsewhere").await;
    assert_eq!(app.call(Call::audit(&site.url("/"))).await.refusal(), (500, "internal".to_owned()));
    let hours = app.database.row("SELECT COUNT(*), MAX(spent_until) FROM hourly_counters").await;
    assert_eq!((hours.get::<i64, _>(0), hours.get::<i64, _>(1)), (2, NOW.0));
}

async fn past_the_free_audits_a_dev_server_lets_through(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |config| {
        live(config);
        config.payments.mode = Some(PaymentMode::Dev);
    })
    .await;
    for left in [0, 0] {
        assert_eq!(app.call(Call::audit(&site.url("/"))).await.status, 200);
        assert_eq!(app.free_remaining().await, left);
    }
    assert_eq!(app.call(Call::get("/api/gate")).await.json()["needs_payment"], false);
}

async fn what_is_free_now_spends_no_allowance(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |config| {
        live(config);
        config.free_now = vec![Sku::Audit];
    })
    .await;
    for _ in 0..2 {
        assert_eq!(app.call(Call::audit(&site.url("/"))).await.status, 200);
    }
    assert_eq!(app.free_remaining().await, 1);
}

async fn l05_the_last_free_audit_goes_to_one_of_many(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |config| {
        live(config);
        config.limits.fetches_per_caller = 64;
    })
    .await;
    let url = site.url("/");
    let calls = (0..50).map(|_| app.call(Call::audit(&url)));
    let statuses: Vec<u16> = join_all(calls).await.into_iter().map(|response| response.status).collect();
    let of = |wanted: u16| statuses.iter().filter(|status| **status == wanted).count();
    assert_eq!((of(200), of(402)), (1, 49), "{statuses:?}");
}

async fn l03_l04_the_client_behind_a_trusted_proxy_is_counted(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |config| {
        live(config);
        config.trusted_proxies = vec!["127.0.0.9/32".parse().unwrap()];
    })
    .await;
    let url = site.url("/");
    let proxied = |client: &str| Call::audit(&url).from([127, 0, 0, 9]).header("x-forwarded-for", client);
    for (call, wanted) in [
        (proxied("203.0.113.1"), 200),
        (proxied("203.0.113.1"), 402),
        // What the client itself claims stands further left, and is not believed.
        (proxied("198.51.100.7, 203.0.113.1"), 402),
        (proxied("::ffff:203.0.113.1"), 402),
        (proxied("203.0.113.2"), 200),
        (proxied("2001:db8:1:2::1"), 200),
        (proxied("2001:db8:1:2:ffff::9"), 402),
        (proxied("2001:db8:1:3::1"), 200),
        // Not a trusted proxy: the peer is counted, whatever it says.
        (Call::audit(&url).from([127, 0, 0, 8]).header("x-forwarded-for", "203.0.113.77"), 200),
        (Call::audit(&url).from([127, 0, 0, 8]).header("x-forwarded-for", "203.0.113.78"), 402),
    ] {
        let asked = format!("{:?}", call.headers);
        assert_eq!(app.call(call).await.status, wanted, "{asked}");
    }
    let gate =
        app.call(Call::get("/api/gate").from([127, 0, 0, 9]).header("x-forwarded-for", "203.0.113.1")).await.json();
    assert_eq!((&gate["ip"], &gate["free_remaining"]), (&"203.0.113.x".into(), &0.into()));
}

async fn l06_audits_of_one_target_have_a_ceiling(database: TestDatabase) {
    // A resolver that never answers: the ceiling is judged before anything is asked.
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let app = TestApp::start(database, |config| {
        config.limits.audits_per_target_hour = 0;
        config.fetch.dns = Some(silent.local_addr().unwrap());
    })
    .await;
    for url in ["http://www.site-audit-victim.com/", "http://b.site-audit-victim.com/x"] {
        let response = app.call(Call::audit(url)).await;
        assert_eq!(response.refusal(), (429, "target_busy".to_owned()), "{url}");
        assert!(!response.header("retry-after").is_empty());
    }
    // Machines that the operator allowed have no such ceiling.
    let site = site().await;
    assert_eq!(app.call(Call::audit(&site.url("/"))).await.status, 200);
    assert_eq!(app.free_remaining().await, 9);
}

async fn l07_a_crawler_never_starts_an_audit(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |config| config.product.name = "Page Doctor".to_owned()).await;
    for agent in ["PageDoctor/0.1.0 (+http://localhost/bot)", "SiteAudit/9.9", "siteaudit"] {
        let refused = app.call(Call::audit(&site.url("/")).header("user-agent", agent)).await;
        assert_eq!(refused.refusal(), (403, "crawler_not_allowed".to_owned()), "{agent}");
    }
    assert_eq!(app.call(Call::get("/api/health").header("user-agent", "SiteAudit/1")).await.status, 200);
    assert_eq!(site.asked().len(), 0);
}

async fn refused_addresses_have_a_ceiling(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |config| config.limits.refused_per_hour = 2).await;
    for wanted in [400, 400, 429] {
        assert_eq!(app.call(Call::audit("http://10.0.0.1/")).await.status, wanted);
    }
    let locked_out = app.call(Call::audit(&site.url("/"))).await;
    assert_eq!(locked_out.refusal(), (429, "rate_limited".to_owned()));
    assert_eq!(locked_out.header("retry-after"), "1800");
    assert_eq!(app.call(Call::audit(&site.url("/")).from([127, 0, 0, 7])).await.status, 200);
    app.pass(Duration::from_secs(1_800));
    assert_eq!(app.call(Call::audit(&site.url("/"))).await.status, 200);
}

async fn guests_have_a_ceiling(database: TestDatabase) {
    let app = TestApp::start(database, |config| config.limits.guests_per_hour = 2).await;
    for wanted in [200, 200, 429] {
        assert_eq!(app.call(Call::new("POST", "/api/guest")).await.status, wanted);
    }
    assert_eq!(app.call(Call::new("POST", "/api/guest").from([127, 0, 0, 7])).await.status, 200);
}

async fn a_wide_network_has_a_ceiling_of_its_own(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |config| config.limits.audits_per_hour = 1).await;
    // Ten times the ceiling of one network for the /24 around it.
    for last in 10..20 {
        assert_eq!(app.call(Call::audit(&site.url("/")).from([127, 0, 0, last])).await.status, 200, "{last}");
    }
    let eleventh = app.call(Call::audit(&site.url("/")).from([127, 0, 0, 20])).await;
    assert_eq!(eleventh.refusal(), (429, "rate_limited".to_owned()));
    assert_eq!(app.call(Call::audit(&site.url("/")).from([127, 0, 1, 20])).await.status, 200);
}

/// Each address of a /24 had an allowance of its own.
async fn a_wide_network_has_ten_times_the_free_audits(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, live).await;
    let audit = async |ip| app.call(Call::audit(&site.url("/")).from(ip)).await;
    for n in 10..20 {
        assert_eq!(audit([127, 0, 0, n]).await.status, 200, "{n}");
    }
    let eleventh = [127, 0, 0, 20];
    assert_eq!(audit(eleventh).await.refusal(), (402, "allowance_spent".to_owned()));
    assert_eq!(app.call(Call::get("/api/gate").from(eleventh)).await.json()["free_remaining"], 0);
    // What was refused has spent nothing: ten of the addresses, ten of the network around them.
    let used = app.database.row("SELECT CAST(SUM(used) AS BIGINT) FROM daily_counters").await;
    assert_eq!(used.get::<i64, _>(0), 20);
    assert_eq!(audit([127, 0, 1, 20]).await.status, 200);
}

/// Each chunk costs the same whatever its size: six million of one byte took seconds of a core.
async fn a_body_in_tiny_chunks_is_refused(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let head =
        "POST /api/verify HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut stream = app.connect([127, 0, 0, 1].into()).await;
    stream.write_all(head.as_bytes()).await.unwrap();
    // A server that refuses it need not read all of it.
    let _sent = stream.write_all("1\r\n \r\n".repeat(65_537).as_bytes()).await;
    let refused = read(&mut stream).await;
    assert_eq!(refused.refusal(), (400, "invalid_body".to_owned()));
    assert!(refused.body.contains("more than 65,536 chunks"), "{}", refused.body);
}
