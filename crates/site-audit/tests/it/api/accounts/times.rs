//! How long links of mails and sessions of accounts are good.

use std::time::Duration;

use serde_json::json;
use service::jobs;
use testkit::TestDatabase;

use super::{PASSWORD, signed_up, start, token};
use crate::api::people::Browser;

testkit::on_both_databases! {
    a_link_that_makes_an_account_is_good_for_a_day,
    a_new_address_is_confirmed_within_a_day,
    a_changed_address_is_taken_back_within_a_week,
    a_session_ends_after_thirty_days_unseen,
    a_session_ends_after_a_hundred_and_eighty_days,
}

const DAY: Duration = Duration::from_secs(86_400);
const SECOND: Duration = Duration::from_secs(1);

async fn a_link_that_makes_an_account_is_good_for_a_day(database: TestDatabase) {
    let (app, mail) = start(database).await;
    for (count, (time, status)) in (1..).zip([(DAY - SECOND, 200), (DAY, 400)]) {
        let address = format!("ana{count}@example.com");
        let asked = Browser::open(&app).await.post("/api/auth/register", &json!({"email": address})).await;
        assert_eq!(asked.status, 202, "{}", asked.body);
        let token = token(&app, &mail, count).await;
        app.pass(time);
        let input = json!({"token": token, "password": PASSWORD});
        let made = Browser::open(&app).await.post("/api/auth/register/complete", &input).await;
        assert_eq!(made.status, status, "{}", made.body);
    }
}

async fn a_new_address_is_confirmed_within_a_day(database: TestDatabase) {
    let (app, mail) = start(database).await;
    for (name, time, status) in [("ana", DAY - SECOND, 200), ("bo", DAY, 400)] {
        let mut browser = signed_up(&app, &mail, &format!("{name}@example.com")).await;
        let asked = browser.post("/api/auth/email", &json!({"email": format!("{name}@example.org")})).await;
        assert_eq!(asked.status, 202, "{}", asked.body);
        let count = mail.letters().len() + 1;
        let token = token(&app, &mail, count).await;
        app.pass(time);
        let input = json!({ "token": token });
        let confirmed = Browser::open(&app).await.post("/api/auth/email/confirm", &input).await;
        assert_eq!(confirmed.status, status, "{}", confirmed.body);
        // The address before is told.
        jobs::work_off(&app.app).await.unwrap();
    }
}

async fn a_changed_address_is_taken_back_within_a_week(database: TestDatabase) {
    let (app, mail) = start(database).await;
    for (name, time, status) in [("ana", 7 * DAY - SECOND, 200), ("bo", 7 * DAY, 400)] {
        let mut browser = signed_up(&app, &mail, &format!("{name}@example.com")).await;
        browser.post("/api/auth/email", &json!({"email": format!("{name}@example.org")})).await;
        let count = mail.letters().len() + 1;
        let input = json!({"token": token(&app, &mail, count).await});
        assert_eq!(Browser::open(&app).await.post("/api/auth/email/confirm", &input).await.status, 200);
        let input = json!({"token": token(&app, &mail, count + 1).await});
        app.pass(time);
        let undone = Browser::open(&app).await.post("/api/auth/email/undo", &input).await;
        assert_eq!(undone.status, status, "{}", undone.body);
        jobs::work_off(&app.app).await.unwrap();
    }
}

async fn a_session_ends_after_thirty_days_unseen(database: TestDatabase) {
    let (app, mail) = start(database).await;
    for (name, time, status) in [("ana", 30 * DAY - SECOND, 200), ("bo", 30 * DAY, 401)] {
        let mut browser = signed_up(&app, &mail, &format!("{name}@example.com")).await;
        app.pass(time);
        assert_eq!(browser.get("/api/me").await.status, status);
    }
}

async fn a_session_ends_after_a_hundred_and_eighty_days(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    for days in [29, 29, 29, 29, 29, 29] {
        app.pass(days * DAY);
        assert_eq!(browser.get("/api/me").await.status, 200);
        // The note that it was seen is written beside the answer.
        let now = app.app.ports().now().0;
        while sqlx::Row::get::<i64, _>(&app.database.row("SELECT last_seen_at FROM sessions").await, 0) != now {
            tokio::task::yield_now().await;
        }
    }
    for (time, status) in [(6 * DAY - SECOND, 200), (SECOND, 401)] {
        app.pass(time);
        assert_eq!(browser.get("/api/me").await.status, status);
    }
}
