//! API keys: who may make and end them, how many there may be, and what they can do.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::Row as _;
use testkit::TestDatabase;

use super::people::{self, SignedIn};
use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_key_is_shown_once_and_acts_as_its_account,
    what_speaks_against_a_key_is_told_in_the_contracts_order,
    of_twenty_calls_at_once_ten_make_a_key,
    a_revoked_key_opens_nothing_and_makes_room,
    a_key_that_somebody_else_manages_is_not_there,
    an_organizations_key_acts_as_it_and_rests_with_it,
    the_use_of_a_key_is_noted_once_an_hour,
}

const SHARED: &str = "00000000-0000-7000-8000-0000000000aa";

async fn start(database: TestDatabase) -> (TestApp, String, SignedIn) {
    let app = TestApp::start(database, |_| {}).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    (app, account, session)
}

async fn create(app: &TestApp, session: &SignedIn, body: Value) -> Response {
    app.call(session.page(app, Call::new("POST", "/api/account/keys/create").body(&body.to_string()))).await
}

async fn revoke(app: &TestApp, session: &SignedIn, id: &Value) -> Response {
    let body = json!({ "id": id }).to_string();
    app.call(session.page(app, Call::new("POST", "/api/account/keys/revoke").body(&body))).await
}

async fn list(app: &TestApp, session: &SignedIn) -> Value {
    let answer = app.call(session.cookie(Call::get("/api/account/keys"))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["keys"].take()
}

fn own(name: &str) -> Value {
    json!({ "name": name, "organizationId": null })
}

async fn a_key_is_shown_once_and_acts_as_its_account(database: TestDatabase) {
    let (app, _, session) = start(database).await;
    let answer = create(&app, &session, own("  build server ")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let made = answer.json();
    let secret = made["secret"].as_str().unwrap();
    assert!(secret.starts_with("mmk_") && secret.len() == 47, "{secret}");
    let key = json!({
        "id": made["key"]["id"],
        "name": "build server",
        "organizationId": null,
        "last4": secret.get(43..).unwrap(),
        "createdAt": "2026-01-31T09:30:00.000Z",
    });
    assert_eq!(made["key"], key);
    let listed = list(&app, &session).await;
    let mut expected = key.clone();
    for (name, value) in [("lastUsedAt", Value::Null), ("revokedAt", Value::Null), ("active", true.into())] {
        expected[name] = value;
    }
    assert_eq!(listed, json!([expected]));
    // It reads what the account owns, and manages nothing.
    let call = |path: &str| Call::get(path).header("authorization", &format!("Bearer {secret}"));
    assert_eq!(app.call(call("/api/audits/0")).await.refusal(), (404, "audit_not_found".to_owned()));
    assert_eq!(app.call(call("/api/account/keys")).await.refusal(), (401, "invalid_session".to_owned()));
    // Only its digest is kept.
    let row = app.database.row("SELECT name, last4, token_digest FROM api_keys").await;
    assert_eq!(row.get::<Vec<u8>, _>("token_digest"), service::credential::token_digest(secret));
}

async fn what_speaks_against_a_key_is_told_in_the_contracts_order(database: TestDatabase) {
    let (app, account, session) = start(database).await;
    let other = "00000000-0000-7000-8000-0000000000bb";
    people::organization(&app, SHARED, &[(&account, "owner")]).await;
    people::organization(&app, other, &[(&account, "member")]).await;
    let of = |id: Value| json!({ "name": "x", "organizationId": id });
    let refused = async |body: Value| create(&app, &session, body).await.refusal();

    // Without a session, and from elsewhere.
    let bare = Call::new("POST", "/api/account/keys/create").body(&own("x").to_string());
    assert_eq!(app.call(bare.clone()).await.refusal(), (401, "invalid_session".to_owned()));
    assert_eq!(app.call(session.cookie(bare)).await.refusal(), (403, "invalid_origin".to_owned()));

    app.pass(Duration::from_secs(301));
    for body in [json!({}), own(""), own(" "), own(&"é".repeat(61)), own("a\u{7}"), json!({ "name": 7 })] {
        assert_eq!(refused(body.clone()).await, (400, "invalid_key_name".to_owned()), "{body}");
    }
    for body in [json!({ "name": "x" }), of(7.into()), of("".into()), of("acme".into()), of(json!([]))] {
        assert_eq!(refused(body.clone()).await, (400, "invalid_organization".to_owned()), "{body}");
    }
    for body in [own("x"), of(SHARED.into()), of(other.into())] {
        assert_eq!(refused(body).await, (401, "reauth_required".to_owned()));
    }
    app.database.execute(&format!("UPDATE sessions SET proven_at = {}", app.app.ports().now().0)).await;
    for id in [other, "00000000-0000-7000-8000-0000000000cc"] {
        assert_eq!(refused(of(id.into())).await, (403, "organization_forbidden".to_owned()), "{id}");
    }
    assert_eq!(refused(of(SHARED.into())).await, (403, "organization_mfa_required".to_owned()));
    people::with_second_factor(&app, &session).await;
    for n in 0..10 {
        assert_eq!(create(&app, &session, of(SHARED.into())).await.status, 200, "{n}");
    }
    assert_eq!(refused(of(SHARED.into())).await, (409, "key_limit_reached".to_owned()));
    // The account's own are counted for themselves.
    assert_eq!(create(&app, &session, own("x")).await.status, 200);
    app.database.execute("DELETE FROM organization_products").await;
    assert_eq!(refused(of(SHARED.into())).await, (403, "organization_forbidden".to_owned()));
}

async fn of_twenty_calls_at_once_ten_make_a_key(database: TestDatabase) {
    let (app, _, session) = start(database).await;
    let calls = (0..20).map(async |n| create(&app, &session, own(&n.to_string())).await);
    let answers = futures_util::future::join_all(calls).await;
    let made = answers.iter().filter(|answer| answer.status == 200).count();
    let refused = answers.iter().filter(|answer| answer.body.contains("key_limit_reached")).count();
    assert_eq!((made, refused), (10, 10), "{answers:?}");
    let row = app.database.row("SELECT COUNT(*) FROM api_keys").await;
    assert_eq!(row.get::<i64, _>(0), 10);
}

async fn a_revoked_key_opens_nothing_and_makes_room(database: TestDatabase) {
    let (app, _, session) = start(database).await;
    let first = create(&app, &session, own("first")).await.json();
    for n in 1..10 {
        assert_eq!(create(&app, &session, own(&n.to_string())).await.status, 200);
    }
    assert_eq!(create(&app, &session, own("one more")).await.refusal(), (409, "key_limit_reached".to_owned()));
    let id = &first["key"]["id"];
    let call = || Call::get("/api/tools").header("x-api-key", first["secret"].as_str().unwrap());
    assert_eq!(app.call(call()).await.status, 200);
    let revoked = revoke(&app, &session, id).await;
    assert_eq!((revoked.status, revoked.json()), (200, json!({ "ok": true })));
    assert_eq!(app.call(call()).await.refusal(), (401, "invalid_api_key".to_owned()));
    // Again is harmless, and the time of the first stays.
    app.pass(Duration::from_secs(60));
    assert_eq!(revoke(&app, &session, id).await.status, 200);
    assert_eq!(create(&app, &session, own("one more")).await.status, 200);
    let keys = list(&app, &session).await;
    let last = keys.as_array().unwrap().last().unwrap();
    assert_eq!((&last["id"], &last["active"]), (id, &json!(false)), "live ones come first: {keys}");
    assert_eq!(last["revokedAt"], "2026-01-31T09:30:00.000Z");
}

async fn a_key_that_somebody_else_manages_is_not_there(database: TestDatabase) {
    let (app, _, session) = start(database).await;
    let bo = people::account(&app, "bo").await;
    let others = people::session(&app, &bo).await;
    let id = create(&app, &session, own("x")).await.json()["key"]["id"].clone();
    assert_eq!(list(&app, &others).await, json!([]));
    for id in [id, "00000000-0000-7000-8000-0000000000cc".into()] {
        assert_eq!(revoke(&app, &others, &id).await.refusal(), (404, "key_not_found".to_owned()), "{id}");
    }
    for id in [Value::Null, 7.into(), "".into(), "x".into(), "\0".into()] {
        assert_eq!(revoke(&app, &others, &id).await.refusal(), (400, "invalid_key_id".to_owned()), "{id}");
    }
    // A member does not manage an organization's keys; who administers it does.
    people::organization(&app, SHARED, &[(&bo, "member")]).await;
    people::key(&app, &format!("organization:{SHARED}")).await;
    assert_eq!(list(&app, &others).await, json!([]));
    app.database.execute("UPDATE members SET role = 'admin'").await;
    let keys = list(&app, &others).await;
    assert_eq!((keys[0]["organizationId"].as_str(), keys[1].is_null()), (Some(SHARED), true));
    assert_eq!(revoke(&app, &others, &keys[0]["id"]).await.status, 200);
}

async fn an_organizations_key_acts_as_it_and_rests_with_it(database: TestDatabase) {
    let (app, account, session) = start(database).await;
    people::organization(&app, SHARED, &[(&account, "owner")]).await;
    people::with_second_factor(&app, &session).await;
    let body = json!({ "name": "shared", "organizationId": SHARED });
    let secret = create(&app, &session, body).await.json()["secret"].as_str().unwrap().to_owned();
    let status = async || app.call(Call::get("/api/tools").header("x-api-key", &secret)).await.status;
    assert_eq!(status().await, 200);
    // It outlives its maker's membership.
    app.database.execute("DELETE FROM members").await;
    assert_eq!(status().await, 200);
    for (rests, goes_on) in [
        ("UPDATE organizations SET delete_after = 1", "UPDATE organizations SET delete_after = NULL"),
        (
            "UPDATE organization_products SET product = 'another'",
            "UPDATE organization_products SET product = 'site-audit'",
        ),
    ] {
        app.database.execute(rests).await;
        assert_eq!(status().await, 401, "{rests}");
        app.database.execute(goes_on).await;
        assert_eq!(status().await, 200, "{goes_on}");
    }
}

async fn the_use_of_a_key_is_noted_once_an_hour(database: TestDatabase) {
    let (app, _, session) = start(database).await;
    let secret = create(&app, &session, own("x")).await.json()["secret"].as_str().unwrap().to_owned();
    let used = async |noted: &str| {
        assert_eq!(app.call(Call::get("/api/tools").header("x-api-key", &secret)).await.status, 200);
        // The note is written beside the answer.
        while list(&app, &session).await[0]["lastUsedAt"] != noted {
            tokio::task::yield_now().await;
        }
    };
    // It is half past nine; the hour is all that is noted.
    used("2026-01-31T09:00:00.000Z").await;
    app.pass(Duration::from_secs(1_799));
    used("2026-01-31T09:00:00.000Z").await;
    app.pass(Duration::from_secs(1));
    used("2026-01-31T10:00:00.000Z").await;
}
