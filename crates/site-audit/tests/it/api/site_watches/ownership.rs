//! Whose watches of sites they are, how many, and how they are changed.

use serde_json::json;
use service::jobs;
use testkit::TestDatabase;

use super::super::people;
use super::{Mood, Watching, get};
use crate::app::Call;

testkit::on_both_databases! {
    a_watch_is_its_owners,
    an_owner_has_so_many_watches_and_no_more,
    a_watch_is_changed_and_its_time_with_it,
    an_organization_s_first_owner_hears_of_it,
    a_closed_account_runs_nothing_and_leaves_nothing,
}

async fn a_watch_is_its_owners(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    let (guest, eve) = (watching.app.guest().await, people::account(&watching.app, "eve").await);
    let eve = people::key(&watching.app, &format!("account:{eve}")).await;
    let body = json!({"url": watching.site.url("/"), "every": "weekly"}).to_string();
    let refused = watching.app.call(Call::new("POST", "/api/site-watches").token(&guest).body(&body)).await;
    assert_eq!(refused.refusal(), (403, "account_required".to_owned()));
    let missing = (404, "site_watch_not_found".to_owned());
    let path = format!("/api/site-watches/{id}");
    for (method, body) in [("PATCH", r#"{"on": false}"#), ("DELETE", "")] {
        let theirs = Call::new(method, &path).header("x-api-key", &eve).body(body);
        assert_eq!(watching.app.call(theirs).await.refusal(), missing, "{method}");
        let none = Call::new(method, "/api/site-watches/nothing").header("x-api-key", &eve).body(body);
        assert_eq!(watching.app.call(none).await.refusal(), missing, "{method}");
    }
    let list = watching.app.call(Call::get("/api/site-watches").header("x-api-key", &eve)).await;
    assert_eq!(list.json()["watches"], json!([]));
    assert_eq!(watching.send("DELETE", &path, &json!({})).await.status, 200);
    assert_eq!(get(&watching.app, &watching.token, "/api/site-watches").await["watches"], json!([]));
    watching.next_day().await;
    assert_eq!(watching.runs().await.len(), 0);
    for (field, body) in [
        ("every", json!({"url": watching.site.url("/"), "every": "hourly"})),
        ("max_pages", json!({"url": watching.site.url("/"), "every": "daily", "max_pages": 0})),
        ("max_usd", json!({"url": watching.site.url("/"), "every": "daily", "max_usd": -1.0})),
    ] {
        let refused = watching.post(&body).await;
        assert_eq!(refused.status, 400, "{field}: {}", refused.body);
        assert!(refused.json()["detail"].as_str().unwrap_or_default().starts_with(field), "{field}: {}", refused.body);
    }
}

async fn an_owner_has_so_many_watches_and_no_more(database: TestDatabase) {
    let watching = Watching::start(database, |config| config.limits.site_watches = 2).await;
    let body = |n: u32| json!({"url": watching.site.url(&format!("/{n}")), "every": "weekly"});
    let ids = [watching.post(&body(1)).await, watching.post(&body(2)).await];
    assert_eq!(watching.post(&body(3)).await.refusal(), (409, "site_watch_limit".to_owned()));
    let first = ids[0].json()["watch"]["id"].as_str().unwrap().to_owned();
    assert_eq!(watching.send("DELETE", &format!("/api/site-watches/{first}"), &json!({})).await.status, 200);
    assert_eq!(watching.post(&body(3)).await.status, 200);
}

async fn a_watch_is_changed_and_its_time_with_it(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    let path = format!("/api/site-watches/{id}");
    let daily = watching.watch(&id).await;
    let limited = watching.send("PATCH", &path, &json!({"max_pages": 3, "exclude": ["/product/6"]})).await.json();
    assert_eq!((&limited["watch"]["max_pages"], &limited["watch"]["next_at"]), (&json!(3), &daily["next_at"]));
    let weekly = watching.send("PATCH", &path, &json!({"every": "weekly"})).await.json()["watch"].clone();
    assert_eq!((&weekly["every"], &weekly["max_pages"]), (&json!("weekly"), &json!(3)));
    for _ in 0..14 {
        watching.next_day().await;
    }
    assert_eq!(watching.runs().await.len(), 2);
    assert!(watching.runs().await.iter().all(|run| run["max_pages"] == 3));
    assert!(watching.site.asked().iter().all(|asked| asked.path != "/product/6"));
    let empty = watching.send("PATCH", &path, &json!({})).await;
    assert_eq!(empty.status, 400, "{}", empty.body);
}

async fn an_organization_s_first_owner_hears_of_it(database: TestDatabase) {
    let mut watching = Watching::start(database, |_| ()).await;
    let (bea, carl) = (people::account(&watching.app, "bea").await, people::account(&watching.app, "carl").await);
    people::organization(&watching.app, "bakery", &[(bea.as_str(), "member"), (carl.as_str(), "owner")]).await;
    watching.token = people::key(&watching.app, "organization:bakery").await;
    watching.watched().await;
    watching.next_day().await;
    watching.mood.set(Mood::Broken);
    watching.next_day().await;
    let letters = watching.mail.letters();
    assert_eq!((letters.len(), &letters[0].to), (1, &vec!["carl@example.com".to_owned()]));
}

async fn a_closed_account_runs_nothing_and_leaves_nothing(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    watching.watched().await;
    watching.next_day().await;
    let closed =
        format!("UPDATE accounts SET status = 'deleting', delete_after = {}", watching.app.app.ports().now().0);
    watching.app.database.execute(&closed).await;
    let asked = watching.site.asked().len();
    watching.next_day().await;
    jobs::purge(&watching.app.app).await.unwrap();
    assert_eq!(watching.site.asked().len(), asked);
    let row = watching
        .app
        .database
        .row("SELECT CAST((SELECT COUNT(*) FROM site_watches) + (SELECT COUNT(*) FROM site_runs) AS BIGINT)")
        .await;
    assert_eq!(sqlx::Row::get::<i64, _>(&row, 0), 0);
}
