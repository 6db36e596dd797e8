//! What is counted: a scenario that was counted by hand, on two servers; and what an outage and a crash leave of it.

mod scenario;

use std::collections::BTreeMap;
use std::time::Duration;

use service::counting::{estimate, kind};
use service::jobs;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use crate::app::{Call, NOW, TestApp};

testkit::on_both_databases! {
    two_hundred_calls_on_two_servers_add_up,
    a_test_of_the_operator_is_counted_nowhere,
    what_is_counted_while_the_database_is_away_is_added_later,
    a_batch_that_is_sent_again_adds_nothing,
    nothing_of_a_caller_is_kept,
    findings_are_counted_as_audits_are_stored,
    a_server_that_stops_writes_what_it_counted,
    old_hours_are_forgotten_and_days_are_not,
}

pub(crate) const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0";

/// Today's numbers of a kind, as they are stored.
pub(crate) async fn stored(app: &TestApp, kind: &str) -> BTreeMap<String, u64> {
    let today = NOW.day();
    let counted = app.app.database().store().day_counts(today, today, kind).await.unwrap();
    counted.into_iter().map(|counted| (counted.name, counted.n)).collect()
}

/// Writes what a server has counted.
pub(crate) async fn flush(app: &TestApp) {
    app.app.counter().flush(app.app.database(), app.app.ports()).await.unwrap();
}

/// A call by a person, with a browser of this number.
pub(crate) fn person(call: Call<'_>, browser: usize) -> Call<'_> {
    call.header("user-agent", &format!("{FIREFOX} {browser}")).header("accept-language", "pt-BR,pt;q=0.9")
}

fn numbers(pairs: &[(&str, u64)]) -> BTreeMap<String, u64> {
    pairs.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect()
}

async fn visitors(app: &TestApp, reader: &str) -> u64 {
    let today = NOW.day();
    let sketches = app.app.database().store().visitor_sketches(today, today, reader).await.unwrap();
    sketches.iter().map(|(_, sketch)| estimate(sketch).unwrap()).sum()
}

async fn two_hundred_calls_on_two_servers_add_up(database: TestDatabase) {
    // SQLite has one server: there both are the same.
    let one = TestApp::start(database, |_| {}).await;
    let second = if one.database.is_postgres() { Some(TestApp::start_on(&one, |_| {}).await) } else { None };
    let other = second.as_ref().unwrap_or(&one);
    let calls = scenario::calls();
    assert_eq!(calls.len(), 200);
    for (number, call) in calls.into_iter().enumerate() {
        let server = if number % 2 == 0 { &one } else { other };
        server.call(call).await;
        if number % 50 == 49 {
            flush(server).await;
        }
    }
    flush(&one).await;
    flush(other).await;
    assert_eq!(stored(&one, kind::CALLS).await, numbers(scenario::CALLS));
    assert_eq!(stored(&one, kind::AGENT).await, numbers(scenario::AGENTS));
    assert_eq!(stored(&one, kind::TOOL).await, numbers(&[("get_gate", 10)]));
    assert_eq!(stored(&one, kind::LANGUAGE).await, numbers(&[("pt", 40)]));
    assert_eq!(stored(&one, kind::STATUS).await.values().sum::<u64>(), 195, "all but the five tests");
    assert_eq!((visitors(&one, "pessoa").await, visitors(&one, "agente").await), (8, 4));
    let hour = NOW.0 / 3_600_000;
    let routes = one.app.database().store().hour_counts(hour, hour, kind::ROUTE).await.unwrap();
    let of = |route: &str| routes.iter().filter(|row| row.name.starts_with(route)).map(|row| row.n).sum::<u64>();
    assert_eq!((of("GET /api/gate\t2"), of("GET /api/health\t2"), of("GET /\t2")), (45, 10, 25));
}

async fn a_test_of_the_operator_is_counted_nowhere(database: TestDatabase) {
    let site = TestSite::start(|_| SiteAnswer::html("<title>Bread</title>")).await;
    let app = TestApp::start(database, |_| {}).await;
    let audit = || Call::audit(&site.url("/"));
    for call in [
        audit().header("user-agent", "mm-smoke/1"),
        audit().header("x-mm-smoke", "1"),
        Call::get("/").header("x-mm-smoke", ""),
    ] {
        assert_eq!(app.call(call).await.status, 200);
    }
    flush(&app).await;
    for table in ["day_counts", "hour_counts", "visitor_sketches"] {
        assert_eq!(rows(&app, table).await, 0, "{table}");
    }
}

async fn rows(app: &TestApp, table: &str) -> i64 {
    let sql = format!("SELECT COUNT(*) FROM {table}");
    sqlx::Row::get(
        &sqlx::Executor::fetch_one(&mut app.database.connection().await, sqlx::AssertSqlSafe(sql)).await.unwrap(),
        0,
    )
}

async fn what_is_counted_while_the_database_is_away_is_added_later(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let call = || person(Call::get("/api/checks"), 1);
    app.call(call()).await;
    flush(&app).await;
    let held = app.database.hold(&["day_counts", "hour_counts", "count_batches"]).await;
    // A minute: a write is tried every ten seconds.
    for _ in 0..6 {
        app.call(call()).await;
        app.pass(Duration::from_secs(10));
        assert!(app.app.counter().flush(app.app.database(), app.app.ports()).await.is_err());
    }
    app.call(call()).await;
    held.release().await;
    flush(&app).await;
    assert_eq!(stored(&app, kind::CALLS).await, numbers(&[("api/pessoa", 8)]));
    assert_eq!(visitors(&app, "pessoa").await, 1);
}

async fn a_batch_that_is_sent_again_adds_nothing(database: TestDatabase) {
    use store::{CountBatch, CountRow, CountSpan};
    let app = TestApp::start(database, |_| {}).await;
    let row = CountRow { span: CountSpan::Day(NOW.day().0), kind: "event", name: "a".to_owned(), n: 3 };
    let batch = std::sync::Arc::new(CountBatch {
        id: "1".to_owned(),
        made_at: NOW,
        counts: vec![row],
        sketches: Vec::new(),
        cursors: vec![("borda", NOW)],
    });
    let add = || app.app.database().store().add_counts(batch.clone(), service::counting::merge);
    assert_eq!((add().await.unwrap(), add().await.unwrap()), (true, false));
    assert_eq!(stored(&app, kind::EVENT).await, numbers(&[("a", 3)]));
    assert_eq!(app.app.database().store().count_cursors().await.unwrap(), [("borda".to_owned(), NOW)]);
}

async fn nothing_of_a_caller_is_kept(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let (token, phone) = (app.guest().await, "5511987654321");
    for path in [
        format!("/api/audits/0198c0de-0000-7000-8000-{phone}0?guest_token={token}"),
        format!("/api/nothing/{phone}?mail=ana@example.com"),
        format!("/?url=https%3A%2F%2Fexample.com%2F%3Fphone%3D{phone}"),
        "/r/a-slug-of-somebody".to_owned(),
    ] {
        let user_agent = format!("{FIREFOX} ana@example.com {phone}");
        app.call(Call::get(&path).header("user-agent", &user_agent).header("referer", "https://example.com/?secret"))
            .await;
    }
    flush(&app).await;
    let names = ["day_counts", "hour_counts"].map(|table| format!("SELECT name FROM {table}"));
    let mut kept = Vec::new();
    for sql in names {
        let mut connection = app.database.connection().await;
        let found = sqlx::Executor::fetch_all(&mut connection, sqlx::AssertSqlSafe(sql)).await.unwrap();
        kept.extend(found.iter().map(|row| sqlx::Row::get::<String, _>(row, 0)));
    }
    assert!(kept.contains(&"pagina/pessoa".to_owned()), "{kept:?}");
    for secret in [token.as_str(), phone, "example.com", "somebody", "127.0.0.1", "Firefox", "?"] {
        assert!(!kept.iter().any(|name| name.contains(secret)), "{secret}: {kept:?}");
    }
}

async fn findings_are_counted_as_audits_are_stored(database: TestDatabase) {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" | "/again" => SiteAnswer::html("<!doctype html><html lang=en><h1>Bread</h1>"),
        "/slow-down" => SiteAnswer::page(429, "text/plain", "slow down"),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for path in ["/", "/again"] {
        for issue in app.call(Call::audit(&site.url(path))).await.json()["issues"].as_array().unwrap() {
            *found.entry(issue["code"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    assert_eq!(app.call(Call::audit(&site.url("/slow-down"))).await.status, 502);
    flush(&app).await;
    assert_eq!(found.get("title_missing"), Some(&2));
    assert_eq!(stored(&app, kind::FINDING).await, found);
    assert_eq!(stored(&app, kind::AUDIT_WITH).await, found);
    assert_eq!(stored(&app, kind::EVENT).await, numbers(&[("audit", 2), ("audit_read", 2)]));
    assert_eq!(stored(&app, kind::AUDIT_TIME).await.values().sum::<u64>(), 2);
    let hour = NOW.0 / 3_600_000;
    let refused = app.app.database().store().hour_counts(hour, hour, kind::REFUSED_TARGET).await.unwrap();
    assert_eq!(refused.iter().map(|row| (row.name.as_str(), row.n)).collect::<Vec<_>>(), [("target_rate_limited", 1)]);
}

async fn a_server_that_stops_writes_what_it_counted(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let background = jobs::start(app.app.clone());
    app.call(person(Call::get("/api/checks"), 1)).await;
    background.stop().await;
    assert_eq!(stored(&app, kind::CALLS).await, numbers(&[("api/pessoa", 1)]));
}

async fn old_hours_are_forgotten_and_days_are_not(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    app.call(person(Call::get("/api/checks"), 1)).await;
    flush(&app).await;
    app.app.database().store().note_healthy_minute(NOW).await.unwrap();
    app.pass(Duration::from_secs(34 * 86_400));
    jobs::purge(&app.app).await.unwrap();
    for (table, left) in
        [("hour_counts", 0), ("count_batches", 0), ("healthy_minutes", 0), ("visitor_sketches", 0), ("day_counts", 2)]
    {
        assert_eq!(rows(&app, table).await, left, "{table}");
    }
}
