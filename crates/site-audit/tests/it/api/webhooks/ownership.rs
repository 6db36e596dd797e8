//! Whose webhooks they are, how many, and what they take.

use serde_json::{Value, json};
use service::jobs;
use testkit::TestDatabase;

use super::super::people;
use super::super::tabs::get;
use super::{DAY, Telling};

testkit::on_both_databases! {
    webhooks_are_their_owner_s_and_ten_at_most,
    what_a_webhook_takes_is_checked,
    events_are_forgotten_after_a_month,
    a_deleted_account_leaves_no_webhook,
}

async fn webhooks_are_their_owner_s_and_ten_at_most(database: TestDatabase) {
    let mut telling = Telling::start(database, |_| ()).await;
    let mut id = String::new();
    for _ in 0..10 {
        (id, _) = telling.made(&telling.receiver.url()).await;
    }
    let more = telling.call("POST", "/api/webhooks", json!({"url": telling.receiver.url()})).await;
    assert_eq!(more.refusal(), (409, "webhook_limit".to_owned()));
    let ana = std::mem::replace(&mut telling.token, people::key(&telling.app, "organization:acme").await);
    let none = json!({"webhooks": []});
    assert_eq!(get(&telling.app, &telling.token, "/api/webhooks").await, none);
    for (method, path) in [
        ("POST", format!("/api/webhooks/{id}/test")),
        ("POST", format!("/api/webhooks/{id}/rotate")),
        ("GET", format!("/api/webhooks/{id}/deliveries")),
        ("DELETE", format!("/api/webhooks/{id}")),
        ("DELETE", "/api/webhooks/%00".to_owned()),
    ] {
        let refused = telling.call(method, &path, Value::Null).await;
        assert_eq!(refused.refusal(), (404, "webhook_not_found".to_owned()), "{method} {path}");
    }
    telling.token = telling.app.guest().await;
    for (method, path) in
        [("GET", "/api/webhooks"), ("POST", "/api/webhooks"), ("GET", "/api/feed"), ("POST", "/api/feed")]
    {
        let body = if path == "/api/webhooks" && method == "POST" {
            json!({"url": "https://example.com/"})
        } else {
            Value::Null
        };
        assert_eq!(
            telling.call(method, path, body).await.refusal(),
            (403, "account_required".to_owned()),
            "{method} {path}"
        );
    }
    telling.token = ana;
    assert_eq!(telling.call("DELETE", &format!("/api/webhooks/{id}"), Value::Null).await.status, 200);
    let again = telling.call("DELETE", &format!("/api/webhooks/{id}"), Value::Null).await;
    assert_eq!(again.refusal(), (404, "webhook_not_found".to_owned()));
    telling.made(&telling.receiver.url()).await;
}

async fn what_a_webhook_takes_is_checked(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let url = telling.receiver.url();
    for (body, code, detail) in [
        (json!({"url": "ftp://example.com/"}), "invalid_url", "url: use an absolute http or https URL"),
        (json!({"url": "https://a:b@example.com/"}), "invalid_url", "url: use an absolute http or https URL"),
        (json!({"url": url, "events": []}), "invalid_body", "events: use watch.alert"),
        (json!({"url": url, "events": ["webhook.test"]}), "invalid_body", "events: use watch.alert"),
        (json!({"url": url, "events": ["page.deleted"]}), "invalid_body", "events"),
        (json!({"url": url, "event": ["watch.alert"]}), "invalid_body", "event: unknown field; did you mean: events"),
    ] {
        let refused = telling.call("POST", "/api/webhooks", body.clone()).await;
        assert_eq!(refused.refusal(), (400, code.to_owned()), "{body}");
        assert!(refused.json()["detail"].as_str().unwrap().starts_with(detail), "{}", refused.body);
    }
}

async fn events_are_forgotten_after_a_month(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (id, _) = telling.made(&telling.receiver.url()).await;
    telling.run(&telling.followed().await).await;
    assert_eq!(telling.deliveries(&id).await.len(), 1);
    telling.app.pass(31 * DAY);
    jobs::purge(&telling.app.app).await.unwrap();
    assert!(telling.deliveries(&id).await.is_empty());
}

async fn a_deleted_account_leaves_no_webhook(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (_, _) = telling.made(&telling.receiver.url()).await;
    assert_eq!(telling.call("POST", "/api/feed", Value::Null).await.status, 200);
    telling.run(&telling.followed().await).await;
    telling.app.database.execute("UPDATE accounts SET status = 'deleting', delete_after = 1").await;
    jobs::purge(&telling.app.app).await.unwrap();
    for count in [
        "SELECT CAST(COUNT(*) AS BIGINT) FROM webhooks",
        "SELECT CAST(COUNT(*) AS BIGINT) FROM webhook_deliveries",
        "SELECT CAST(COUNT(*) AS BIGINT) FROM feeds",
        "SELECT CAST(COUNT(*) AS BIGINT) FROM page_events",
    ] {
        assert_eq!(sqlx::Row::get::<i64, _>(&telling.app.database.row(count).await, 0), 0, "{count}");
    }
}
