//! Webhooks whose receivers fail, are slow, or have an address that is not allowed.

use std::time::Duration;

use serde_json::{Value, json};
use service::jobs;
use testkit::{SiteAnswer, TestDatabase, TestSite};
use tokio::sync::watch;

use super::{DAY, MINUTE, Receiver, Telling, header, named, signature, taken};
use crate::app::TestApp;

testkit::on_both_databases! {
    a_failed_delivery_is_tried_ten_times_over_three_days,
    a_receiver_says_when_to_come_back_or_that_it_is_gone,
    an_endpoint_that_fails_for_days_is_disabled_until_a_test_succeeds,
    a_private_address_is_refused_when_made_and_when_told,
    a_redirect_is_not_followed,
    an_endpoint_gets_one_delivery_at_a_time,
    too_many_waiting_deliveries_are_given_up,
}

async fn a_failed_delivery_is_tried_ten_times_over_three_days(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (id, secret) = telling.made(&telling.receiver.url()).await;
    telling.receiver.answers(taken(500));
    telling.run(&telling.followed().await).await;
    let mut tries = 1;
    for seconds in [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] {
        let delivery = &telling.deliveries(&id).await[0];
        assert_eq!(
            (&delivery["state"], &delivery["attempts"], &delivery["status"], &delivery["error"]),
            (&json!("waiting"), &json!(tries), &json!(500), &json!("status"))
        );
        // A moment before it is due, and when it is.
        telling.app.pass(Duration::from_secs(seconds - 1));
        telling.work().await;
        assert_eq!(telling.receiver.told().len(), tries, "{seconds} seconds are not over");
        telling.app.pass(Duration::from_secs(1));
        telling.work().await;
        tries += 1;
        assert_eq!(telling.receiver.told().len(), tries, "{seconds} seconds are over");
    }
    let delivery = &telling.deliveries(&id).await[0];
    assert_eq!((&delivery["state"], &delivery["attempts"]), (&json!("failed"), &json!(10)));
    telling.app.pass(2 * DAY);
    telling.work().await;
    let told = telling.receiver.told();
    assert_eq!(told.len(), 10);
    assert_eq!(
        (&telling.webhook(&id).await["state"], &telling.webhook(&id).await["failing_since"]),
        (&json!("failing"), &json!("2026-01-31T09:30:00.000Z"))
    );
    // The id stays, the time and so the signature are those of the try.
    assert_eq!(header(&told[0], "webhook-id"), header(&told[9], "webhook-id"));
    assert_ne!(header(&told[0], "webhook-timestamp"), header(&told[9], "webhook-timestamp"));
    assert!(told.iter().all(|told| header(told, "webhook-signature") == signature(&secret, told)));
    telling.receiver.answers(taken(200));
    telling.test(&id).await;
    assert_eq!(
        (&telling.webhook(&id).await["state"], &telling.webhook(&id).await["failing_since"]),
        (&json!("active"), &Value::Null)
    );
}

async fn a_receiver_says_when_to_come_back_or_that_it_is_gone(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (id, _) = telling.made(&telling.receiver.url()).await;
    let busy = "HTTP/1.1 429 X\r\nretry-after: 3600\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    telling.receiver.answers(SiteAnswer::Raw(busy.as_bytes().to_vec()));
    let tab = telling.followed().await;
    telling.run(&tab).await;
    assert_eq!(telling.deliveries(&id).await[0]["next_at"], "2026-01-31T10:30:00.000Z");
    telling.app.pass(59 * MINUTE);
    telling.work().await;
    assert_eq!(telling.receiver.told().len(), 1);
    telling.receiver.answers(taken(410));
    telling.app.pass(MINUTE);
    telling.work().await;
    assert_eq!(telling.receiver.told().len(), 2);
    assert_eq!(telling.webhook(&id).await["state"], "disabled");
    let delivery = &telling.deliveries(&id).await[0];
    assert_eq!((&delivery["state"], &delivery["status"]), (&json!("failed"), &json!(410)));
    telling.run(&tab).await;
    assert_eq!(telling.receiver.told().len(), 2, "a disabled endpoint gets nothing");
}

async fn an_endpoint_that_fails_for_days_is_disabled_until_a_test_succeeds(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (id, _) = telling.made(&telling.receiver.url()).await;
    let tab = telling.followed().await;
    telling.receiver.answers(SiteAnswer::Raw(Vec::new()));
    telling.run(&tab).await;
    telling.app.pass(5 * DAY - MINUTE);
    telling.work().await;
    assert_eq!(telling.webhook(&id).await["state"], "failing");
    telling.run(&tab).await;
    telling.app.pass(MINUTE);
    telling.work().await;
    let webhook = telling.webhook(&id).await;
    assert_eq!((&webhook["state"], &webhook["disabled_at"]), (&json!("disabled"), &json!("2026-02-05T09:30:00.000Z")));
    let waiting = telling.deliveries(&id).await.iter().filter(|delivery| delivery["state"] == "waiting").count();
    assert_eq!(waiting, 0, "what waited is given up");
    let told = telling.receiver.told().len();
    telling.run(&tab).await;
    telling.test(&id).await;
    assert_eq!((telling.receiver.told().len(), &telling.webhook(&id).await["state"]), (told + 1, &json!("disabled")));
    telling.receiver.answers(taken(200));
    telling.test(&id).await;
    assert_eq!(telling.receiver.last()["type"], "webhook.test");
    assert_eq!(telling.webhook(&id).await["state"], "active");
    telling.run(&tab).await;
    assert_eq!(telling.receiver.last()["type"], "run.finished");
}

async fn a_private_address_is_refused_when_made_and_when_told(database: TestDatabase) {
    // Whoever is told there is noticed.
    let canary = TestSite::start_at([127, 0, 0, 1].into(), |_| taken(200)).await;
    let telling = Telling::start(database, |config| {
        named(config, "inside.example.com", "127.0.0.1");
        named(config, "hooks.example.com", "127.0.0.2");
    })
    .await;
    let own = telling.app.url("/api/guest");
    let inside = canary.url("/").replace("127.0.0.1", "inside.example.com");
    for url in
        [canary.url("/"), inside.clone(), own, "http://169.254.169.254/latest".to_owned(), "http://[::1]/".to_owned()]
    {
        let refused = telling.call("POST", "/api/webhooks", json!({ "url": url })).await;
        assert_eq!(refused.refusal(), (400, "address_not_allowed".to_owned()), "{url}");
        // A name that does not resolve sounds the same as one that resolves to a private address.
        assert!(refused.json()["detail"].as_str().unwrap().starts_with("url: its host has no public address"));
    }
    let nowhere = telling.call("POST", "/api/webhooks", json!({"url": "http://nowhere.invalid/"})).await;
    assert_eq!(nowhere.refusal(), (400, "address_not_allowed".to_owned()));
    // The name changes its address once the webhook is there.
    let url = telling.receiver.url().replace("127.0.0.2", "hooks.example.com");
    let (id, _) = telling.made(&url).await;
    telling.test(&id).await;
    assert_eq!(telling.receiver.told().len(), 1);
    telling.app.pass(Duration::from_secs(1));
    let moved = TestApp::start_on(&telling.app, |config| named(config, "hooks.example.com", "127.0.0.1")).await;
    let queued = telling.call("POST", &format!("/api/webhooks/{id}/test"), Value::Null).await;
    assert_eq!(queued.status, 202);
    moved.pass(Duration::from_secs(1));
    jobs::work_off(&moved.app).await.unwrap();
    let delivery = &telling.deliveries(&id).await[0];
    assert_eq!(
        (&delivery["state"], &delivery["error"], &delivery["status"]),
        (&json!("failed"), &json!("address_not_allowed"), &Value::Null)
    );
    // Whoever else comes to a port that was another test's a moment ago sends no event.
    let told = canary.asked().into_iter().filter(|asked| asked.head.contains("webhook-id: ")).count();
    assert_eq!((told, telling.receiver.told().len()), (0, 1));
}

async fn a_redirect_is_not_followed(database: TestDatabase) {
    let canary = TestSite::start(|_| taken(200)).await;
    let telling = Telling::start(database, |_| ()).await;
    let (id, _) = telling.made(&telling.receiver.url()).await;
    telling.receiver.answers(SiteAnswer::redirect(307, &canary.url("/")));
    telling.test(&id).await;
    let delivery = &telling.deliveries(&id).await[0];
    assert_eq!((&delivery["state"], &delivery["status"], canary.asked().len()), (&json!("failed"), &json!(307), 0));
}

async fn an_endpoint_gets_one_delivery_at_a_time(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (id, _) = telling.made(&telling.receiver.url()).await;
    let other = Receiver::start().await;
    let (other_id, _) = telling.made(&other.url()).await;
    let (release, held) = watch::channel(false);
    telling.receiver.answers(SiteAnswer::Held(Box::new(taken(200)), held));
    for id in [&id, &id, &other_id] {
        let queued = telling.call("POST", &format!("/api/webhooks/{id}/test"), Value::Null).await;
        assert_eq!(queued.status, 202);
        // So that their order is known.
        telling.app.pass(Duration::from_millis(1));
    }
    let services = telling.app.app.clone();
    let first = tokio::spawn(async move { jobs::work_off(&services).await.unwrap() });
    let mut looks = tokio::time::interval(Duration::from_millis(20));
    while telling.receiver.told().is_empty() {
        looks.tick().await;
    }
    // Another server finds the endpoint at work; others go on.
    telling.work().await;
    assert_eq!((telling.receiver.told().len(), other.told().len()), (1, 1));
    release.send(true).unwrap();
    first.await.unwrap();
    let told = telling.receiver.told();
    let mut queued: Vec<Value> = telling.deliveries(&id).await;
    queued.reverse();
    let ids: Vec<&str> = told.iter().map(|told| header(told, "webhook-id")).collect();
    assert_eq!(ids, [queued[0]["webhook_id"].as_str().unwrap(), queued[1]["webhook_id"].as_str().unwrap()]);
}

async fn too_many_waiting_deliveries_are_given_up(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (id, _) = telling.made(&telling.receiver.url()).await;
    let queued = telling.call("POST", &format!("/api/webhooks/{id}/test"), Value::Null).await.json();
    let event = queued["delivery"]["webhook_id"].as_str().unwrap();
    let rows: Vec<String> =
        (0..199).map(|n| format!("('{n}', '{id}', '{event}', 'waiting', 1, {}, 1)", i64::MAX)).collect();
    let insert =
        "INSERT INTO webhook_deliveries (id, webhook_id, event_id, state, attempts, next_at, created_at) VALUES ";
    telling.app.database.execute(&(insert.to_owned() + &rows.join(", "))).await;
    let refused = telling.call("POST", &format!("/api/webhooks/{id}/test"), Value::Null).await.json();
    let delivery = &refused["delivery"];
    assert_eq!((&delivery["state"], &delivery["error"]), (&json!("failed"), &json!("queue_full")), "{refused}");
}
