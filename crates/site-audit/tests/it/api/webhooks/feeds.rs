//! The private feed of an owner.

use serde_json::{Value, json};
use testkit::TestDatabase;

use super::Telling;
use crate::api::people;
use crate::api::tabs::{BAD, get, send};
use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_feed_has_the_runs_of_followed_pages_and_is_renewed,
}

/// Makes the feed or renews its address; the path.
pub(crate) async fn renewed(app: &TestApp, token: &str, lang: &str) -> String {
    let made = send(app, token, "POST", &format!("/api/feed?lang={lang}"), Value::Null).await;
    assert_eq!(made.status, 200, "{}", made.body);
    made.json()["url"].as_str().unwrap().strip_prefix(&app.url("")).expect("an address of ours").to_owned()
}

async fn read(app: &TestApp, path: &str) -> Response {
    app.call(Call::get(path)).await
}

async fn a_feed_has_the_runs_of_followed_pages_and_is_renewed(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let app = &telling.app;
    let (tab, nothing) = (telling.followed().await, json!({"exists": false, "created_at": null}));
    assert_eq!(get(app, &telling.token, "/api/feed").await, nothing);
    let path = renewed(app, &telling.token, "en").await;
    let empty = read(app, &path).await;
    assert_eq!((empty.status, empty.header("content-type")), (200, "application/atom+xml; charset=utf-8"));
    assert!(empty.header("cache-control").contains("no-store"), "{:?}", empty.headers);
    assert!(empty.header("access-control-allow-origin").is_empty(), "{:?}", empty.headers);
    assert!(!empty.body.contains("<entry>"), "{}", empty.body);

    telling.run(&tab).await;
    telling.app.pass(std::time::Duration::from_secs(60));
    telling.page.set(Some(BAD));
    telling.run(&tab).await;
    let feed = read(app, &path).await.body;
    assert_eq!(feed.matches("<entry>").count(), 2, "{feed}");
    let (newest, older) = (feed.find("<updated>2026-01-31T09:31"), feed.rfind("<updated>2026-01-31T09:30"));
    assert!(newest < older && newest.is_some(), "{feed}");
    assert!(feed.contains("New: ") && feed.contains("<category term=\"run.finished\"/>"), "{feed}");
    assert!(feed.contains("There is no earlier run to compare with.</content>"), "{feed}");
    let pt = read(app, &path.replace("lang=en", "lang=pt-BR")).await.body;
    assert!(pt.contains("xml:lang=\"pt-BR\"") && pt.contains("Novo: "), "{pt}");

    let other = renewed(app, &telling.token, "pt-BR").await;
    assert!(other.ends_with("?lang=pt-BR"), "{}", other.len());
    assert_eq!(read(app, &path).await.refusal(), (404, "not_found".to_owned()));
    let id = |feed: &str| feed.split("<id>").nth(1).unwrap().split("</id>").next().unwrap().to_owned();
    assert_eq!(id(&read(app, &other).await.body), id(&feed), "readers know the feed again");
    // Another owner has another feed.
    let acme = people::key(app, "organization:acme").await;
    let theirs = renewed(app, &acme, "en").await;
    assert!(!read(app, &theirs).await.body.contains("<entry>"));
    for path in ["/feeds/x", "/feeds/%00", &format!("/feeds/{}", "A".repeat(43))] {
        assert_eq!(read(app, path).await.refusal(), (404, "not_found".to_owned()), "{path}");
    }
    assert_eq!(send(app, &telling.token, "DELETE", "/api/feed", Value::Null).await.status, 200);
    assert_eq!(read(app, &other).await.status, 404);
    assert_eq!(get(app, &telling.token, "/api/feed").await, nothing);
}
