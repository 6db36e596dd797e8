//! Which credential counts, and what becomes of one that is wrong, over, or can't be checked.

use std::time::Duration;

use service::config::{Config, SecretText};
use sqlx::Row as _;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::people::{self, OPERATOR};
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    a_session_goes_before_a_key_and_a_key_before_a_guest,
    a_wrong_credential_is_refused_also_on_open_routes,
    an_unknown_credential_beside_a_good_one_is_refused,
    another_scheme_beside_a_token_is_refused,
    a_sessions_token_is_no_bearer_and_a_credit_no_identity,
    an_address_with_a_credential_is_kept_to_itself,
    a_session_ends_by_time_and_never_becomes_a_guest,
    a_rolling_session_is_renewed_once_an_hour,
    a_rotated_token_reads_for_ten_seconds,
    a_suspended_account_has_no_sessions_and_keys,
    while_the_database_is_away_a_session_is_kept,
    bootstrap_is_for_our_own_pages,
    signing_out_ends_this_session_only,
    without_a_shared_secret_accounts_are_off,
}

async fn site() -> TestSite {
    TestSite::start(
        |asked| if asked.path == "/" { SiteAnswer::html("<title>t</title>") } else { SiteAnswer::missing() },
    )
    .await
}

async fn a_session_goes_before_a_key_and_a_key_before_a_guest(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |_| {}).await;
    let (ana, bo) = (people::account(&app, "ana").await, people::account(&app, "bo").await);
    let session = people::session(&app, &ana).await;
    let key = people::key(&app, &format!("account:{bo}")).await;
    let shared = people::key(&app, "organization:o").await;
    let guest = app.guest().await;
    let audit = || Call::audit(&site.url("/")).token(&guest);
    for (call, owner) in [
        (session.page(&app, audit().header("x-api-key", &key)), format!("account:{ana}")),
        (audit().header("x-api-key", &key), format!("account:{bo}")),
        (audit().header("authorization", &format!("Bearer {shared}")), "organization:o".to_owned()),
        (audit(), String::new()),
    ] {
        let answer = app.call(call).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let row = app.database.row("SELECT owner FROM audits").await;
        let made: String = row.get(0);
        assert!(if owner.is_empty() { made.starts_with("guest:") } else { made == owner }, "{made} {owner}");
        // Who made it reads it again; the guest's is not the others'.
        let path = format!("/api/audits/{}", answer.json()["id"].as_str().unwrap());
        let by_session = app.call(session.cookie(Call::get(&path))).await.status;
        assert_eq!(by_session, if owner == format!("account:{ana}") { 200 } else { 404 });
        app.database.execute("DELETE FROM audits").await;
    }
}

async fn a_wrong_credential_is_refused_also_on_open_routes(database: TestDatabase) {
    let app = TestApp::start(database, |config| config.operator.token = Some(SecretText::new(OPERATOR))).await;
    let unknown = "A".repeat(43);
    for (header, value, code) in [
        ("cookie", format!("mm-auth={unknown}"), "invalid_session"),
        ("cookie", "a=b; mm-auth=short".to_owned(), "invalid_session"),
        ("x-api-key", format!("mmk_{unknown}"), "invalid_api_key"),
        ("authorization", format!("Bearer mmk_{unknown}"), "invalid_api_key"),
        ("authorization", format!("Bearer pa_{unknown}"), "guest_token_invalid"),
        ("authorization", "Bearer operator".to_owned(), "invalid_credential"),
        ("authorization", format!("Bearer {OPERATOR}x"), "invalid_credential"),
        ("authorization", "Bearer xyz_123".to_owned(), "invalid_credential"),
    ] {
        let answer = app.call(Call::get("/api/tools").header(header, &value)).await;
        assert_eq!(answer.refusal(), (401, code.to_owned()), "{header}: {value}");
        assert!(!answer.body.contains(&unknown));
        assert_eq!(answer.header("set-cookie").contains("mm-auth=; Path=/; Max-Age=0"), header == "cookie");
    }
    let right = app.call(Call::get("/api/tools").header("authorization", &format!("Bearer {OPERATOR}"))).await;
    assert_eq!(right.status, 200);
    // A server without an operator takes no such token.
    let key = people::key(&app, "organization:o").await;
    app.database.execute("UPDATE api_keys SET product = 'another-product'").await;
    let elsewhere = app.call(Call::get("/api/tools").header("x-api-key", &key)).await;
    assert_eq!(elsewhere.refusal(), (401, "invalid_api_key".to_owned()));
}

async fn an_unknown_credential_beside_a_good_one_is_refused(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let ana = people::account(&app, "ana").await;
    let session = people::session(&app, &ana).await;
    let (key, guest) = (people::key(&app, &format!("account:{ana}")).await, app.guest().await);
    let unknown = "A".repeat(43);
    let (no_key, no_guest) = (format!("mmk_{unknown}"), format!("pa_{unknown}"));
    let call = || Call::get("/api/gate");
    for (call, code) in [
        (session.cookie(call().header("x-api-key", &no_key)), "invalid_api_key"),
        (session.cookie(call().token(&no_guest)), "guest_token_invalid"),
        (session.cookie(Call::get(&format!("/api/gate?guest_token={no_guest}"))), "guest_token_invalid"),
        (call().header("x-api-key", &key).token(&no_guest), "guest_token_invalid"),
    ] {
        assert_eq!(app.call(call).await.refusal(), (401, code.to_owned()));
    }
    let good = session.cookie(call().header("x-api-key", &key).token(&guest));
    assert_eq!(app.call(good).await.status, 200);
}

async fn another_scheme_beside_a_token_is_refused(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let ana = people::account(&app, "ana").await;
    let session = people::session(&app, &ana).await;
    let (key, guest) = (people::key(&app, &format!("account:{ana}")).await, app.guest().await);
    let credit = people::credit(&app).await;
    let call = |path: &'static str| Call::get(path).header("authorization", "Basic eDp5");
    for call in [
        call("/api/gate").token(&guest),
        Call::get(&format!("/api/gate?guest_token={guest}")).header("authorization", "Digest x"),
        call("/api/gate").header("x-api-key", &key),
        call("/api/credito").header("x-credito", &credit),
        session.cookie(call("/api/gate")).token(&guest),
    ] {
        assert_eq!(app.call(call).await.refusal(), (401, "invalid_credential".to_owned()));
    }
    // The password of a proxy, which browsers repeat beside every cookie.
    for call in [call("/api/gate"), session.cookie(call("/api/tabs"))] {
        assert_eq!(app.call(call).await.status, 200);
    }
}

async fn a_sessions_token_is_no_bearer_and_a_credit_no_identity(database: TestDatabase) {
    let app = TestApp::start(database, |config| config.operator.token = Some(SecretText::new(OPERATOR))).await;
    let ana = people::account(&app, "ana").await;
    let session = people::session(&app, &ana).await;
    assert_eq!(app.call(session.cookie(Call::get("/api/tabs"))).await.status, 200);
    for (header, value, code) in [
        ("authorization", format!("Bearer {}", session.token), "invalid_credential"),
        ("x-api-key", session.token.clone(), "invalid_api_key"),
        ("x-guest-token", session.token.clone(), "guest_token_invalid"),
    ] {
        assert_eq!(app.call(Call::get("/api/tabs").header(header, &value)).await.refusal(), (401, code.to_owned()));
    }
    let credit = people::credit(&app).await;
    for (header, value) in [("authorization", format!("Bearer {credit}")), ("x-credito", credit.clone())] {
        assert_eq!(app.call(Call::get("/api/credito").header(header, &value)).await.status, 200);
        for (path, code) in [
            ("/api/tabs", "guest_token_required"),
            ("/api/audits/0", "guest_token_required"),
            ("/api/me", "invalid_session"),
            ("/api/vitrine/operador", "operator_token_required"),
        ] {
            let refused = app.call(Call::get(path).header(header, &value)).await;
            assert_eq!(refused.refusal(), (401, code.to_owned()), "{path}");
        }
    }
}

async fn an_address_with_a_credential_is_kept_to_itself(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let guest = app.guest().await;
    for path in ["/api/tabs", "/api/tools", "/api/gate", "/api/nowhere", "/", "/openapi.json", "/embed.js"] {
        let plain = app.call(Call::get(path)).await;
        assert_ne!(plain.header("referrer-policy"), "no-referrer", "{path}");
        let answer = app.call(Call::get(&format!("{path}?guest_token={guest}"))).await;
        let kept = (answer.header("cache-control"), answer.header("referrer-policy"));
        assert_eq!(kept, ("no-store", "no-referrer"), "{path}: {}", answer.status);
    }
}

async fn a_session_ends_by_time_and_never_becomes_a_guest(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    let guest = app.guest().await;
    let call = || session.cookie(Call::get("/api/audits/0/patch").token(&guest));
    assert_eq!(app.call(call()).await.refusal(), (404, "audit_not_found".to_owned()));
    app.pass(Duration::from_secs(30 * 86_400));
    let ended = app.call(call()).await;
    assert_eq!(ended.refusal(), (401, "session_ended".to_owned()));
    assert!(ended.header("set-cookie").starts_with("mm-auth=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"));
}

async fn a_rolling_session_is_renewed_once_an_hour(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    let call = || session.cookie(Call::get("/api/gate"));
    assert_eq!(app.call(call()).await.header("set-cookie"), "");
    for _ in 0..6 {
        // Thirty days from the last note, not from the beginning, but a hundred and eighty at most.
        app.pass(Duration::from_secs(29 * 86_400));
        let answer = app.call(call()).await;
        assert_eq!(answer.status, 200);
        let renewed = format!("mm-auth={}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax", session.token);
        assert_eq!(answer.header("set-cookie"), renewed);
        // The note is written beside the answer.
        let now = app.app.ports().now().0;
        while app.database.row("SELECT last_seen_at FROM sessions").await.get::<i64, _>(0) != now {
            tokio::task::yield_now().await;
        }
        assert_eq!(app.call(call()).await.header("set-cookie"), "");
    }
    app.pass(Duration::from_secs(3_600));
    // Whoever looks at pages only stays signed in as long.
    let page = app.call(session.cookie(Call::get("/workspace"))).await;
    assert_eq!(page.status, 200);
    assert!(page.header("set-cookie").starts_with(&format!("mm-auth={};", session.token)), "{:?}", page.headers);
    app.pass(Duration::from_secs(7 * 86_400));
    assert_eq!(app.call(call()).await.refusal(), (401, "session_ended".to_owned()));
}

async fn a_rotated_token_reads_for_ten_seconds(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    let until = app.app.ports().now().0 + 10_000;
    let cast = if app.database.is_postgres() { "decode('00', 'hex')" } else { "X'00'" };
    app.database
        .execute(&format!(
            "UPDATE sessions SET previous_digest = token_digest, previous_until = {until}, token_digest = {cast}"
        ))
        .await;
    assert_eq!(app.call(session.cookie(Call::get("/api/gate"))).await.status, 200);
    let write = app.call(session.page(&app, Call::new("POST", "/api/guest"))).await;
    assert_eq!(write.refusal(), (401, "session_ended".to_owned()));
    assert_eq!(write.header("set-cookie"), "");
    // The same on pages, whose forms carry their token in a field.
    let form = Call::new("POST", "/conta/out").body(&format!("csrf={}", session.csrf));
    let form = form.header("origin", &app.url("")).header("content-type", "application/x-www-form-urlencoded");
    assert_eq!(app.call(session.cookie(form)).await.status, 401);
    assert_eq!(app.call(session.cookie(Call::get("/api/gate"))).await.status, 200);
    app.pass(Duration::from_secs(10));
    assert_eq!(app.call(session.cookie(Call::get("/api/gate"))).await.refusal(), (401, "session_ended".to_owned()));
}

async fn a_suspended_account_has_no_sessions_and_keys(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    let key = people::key(&app, &format!("account:{account}")).await;
    let by_key = || Call::get("/api/gate").header("x-api-key", &key);
    assert_eq!(app.call(by_key()).await.status, 200);
    app.database.execute("UPDATE accounts SET status = 'suspended'").await;
    assert_eq!(app.call(by_key()).await.refusal(), (401, "invalid_api_key".to_owned()));
    assert_eq!(app.call(session.cookie(Call::get("/api/gate"))).await.refusal(), (401, "session_ended".to_owned()));
}

async fn while_the_database_is_away_a_session_is_kept(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |_| {}).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    let key = people::key(&app, &format!("account:{account}")).await;
    app.app.database().store().close().await;
    for (call, wanted) in [
        (session.cookie(Call::get("/api/tools")), 200),
        (session.cookie(Call::get("/api/audits/0")), 503),
        (session.cookie(Call::get("/api/auth/bootstrap")), 503),
        (session.page(&app, Call::audit(&site.url("/"))), 503),
        // Audits go on for those whose call proves itself.
        (Call::audit(&site.url("/")).header("x-api-key", &key), 200),
        (Call::audit(&site.url("/")), 200),
        (Call::get("/api/audits/0").header("x-api-key", &key), 503),
    ] {
        let path = call.path.clone();
        let answer = app.call(call).await;
        assert_eq!(answer.status, wanted, "{path}: {}", answer.body);
        assert_eq!(answer.header("set-cookie"), "", "{path}");
        if wanted == 503 {
            assert_eq!(answer.refusal().1, "auth_unavailable", "{path}");
            assert_eq!(answer.header("retry-after"), "5", "{path}");
        }
    }
}

async fn bootstrap_is_for_our_own_pages(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let get = || Call::get("/api/auth/bootstrap");
    let first = app.call(get()).await;
    assert_eq!(first.status, 200);
    assert_eq!(first.header("cache-control"), "no-store");
    assert_eq!(first.header("access-control-allow-origin"), "");
    assert_eq!(first.header("x-mm-context"), first.json()["context"].as_str().unwrap());
    let cookie = first.header("set-cookie").to_owned();
    assert!(cookie.starts_with("mm-boot=") && cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    let again = app.call(get().header("cookie", pair)).await;
    assert_eq!(again.json()["csrf"], first.json()["csrf"]);
    assert_ne!(again.json()["context"], first.json()["context"]);
    assert_eq!(again.header("set-cookie"), "");
    for (header, value, status, code) in [
        ("origin", "https://evil.example", 403, "invalid_origin"),
        ("origin", "null", 403, "invalid_origin"),
        ("sec-fetch-site", "cross-site", 403, "invalid_origin"),
        ("sec-fetch-site", "none", 403, "invalid_origin"),
        ("x-mm-context", "short", 400, "invalid_request"),
    ] {
        let refused = app.call(get().header(header, value)).await;
        assert_eq!(refused.refusal(), (status, code.to_owned()), "{header}: {value}");
        assert_eq!(refused.header("access-control-allow-origin"), "");
    }
    assert_eq!(app.call(get().header("origin", &app.url(""))).await.status, 200);
    assert_eq!(app.call(Call::new("OPTIONS", "/api/auth/bootstrap")).await.header("access-control-allow-origin"), "");
    // A session that is over is no reason to begin nothing: its cookie is taken back.
    let over = app.call(get().header("cookie", &format!("mm-auth={}", "A".repeat(43)))).await;
    assert_eq!(over.status, 200);
    assert!(over.header("set-cookie").contains("mm-auth=; Path=/; Max-Age=0"), "{:?}", over.headers);
    assert!(over.header("set-cookie").contains("mm-boot="));
}

async fn signing_out_ends_this_session_only(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let account = people::account(&app, "ana").await;
    let (here, there) = (people::session(&app, &account).await, people::session(&app, &account).await);
    let out = app.call(here.page(&app, Call::new("POST", "/api/auth/logout").body("{}"))).await;
    assert_eq!((out.status, out.body.as_str()), (200, r#"{"ok":true}"#));
    assert!(out.header("set-cookie").starts_with("mm-auth=; Path=/; Max-Age=0"));
    assert_eq!(out.header("clear-site-data"), r#""cache", "storage""#);
    assert_eq!(app.call(here.cookie(Call::get("/api/gate"))).await.refusal(), (401, "session_ended".to_owned()));
    assert_eq!(app.call(there.cookie(Call::get("/api/gate"))).await.status, 200);
}

async fn without_a_shared_secret_accounts_are_off(database: TestDatabase) {
    let is_postgres = database.is_postgres();
    let without = |config: &mut Config| config.auth.secret = None;
    let app = TestApp::start(database, without).await;
    let answer = app.call(Call::get("/api/auth/bootstrap")).await;
    if is_postgres {
        assert_eq!(answer.refusal(), (503, "auth_unavailable".to_owned()));
        let stale = Call::get("/api/gate").header("cookie", &format!("mm-auth={}", "A".repeat(43)));
        assert_eq!(app.call(stale).await.status, 200);
    } else {
        assert_eq!(answer.status, 200);
        let file = app.app.config().database_url.strip_prefix("sqlite://").unwrap().to_owned() + ".secret";
        assert!(std::fs::read_to_string(file).unwrap().len() >= 32);
    }
}
