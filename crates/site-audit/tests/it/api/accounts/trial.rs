//! The trial: 90 days from the first call that has a price, of an account and its own keys.

use std::time::Duration;

use serde_json::Value;
use testkit::TestDatabase;
use testkit::facilitator::TestFacilitator;

use crate::api::people::{self, SignedIn};
use crate::app::{Call, TestApp};
use crate::payments::{charging, page};

testkit::on_both_databases! { a_trial_is_free_for_ninety_days_from_the_first_use }

const DAY: Duration = Duration::from_secs(86_400);
/// How long a call's note is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// The trial as the account's owner reads it.
async fn trial(app: &TestApp, session: &SignedIn) -> Value {
    app.call(session.cookie(Call::get("/api/me"))).await.json()["trial"].clone()
}

async fn a_trial_is_free_for_ninety_days_from_the_first_use(database: TestDatabase) {
    let (facilitator, site) = (TestFacilitator::start().await, page().await);
    let app = TestApp::start(database, |config| charging(config, &facilitator.url())).await;
    let ana = people::account(&app, "ana").await;
    let session = people::session(&app, &ana).await;
    let key = people::key(&app, &format!("account:{ana}")).await;
    let of_group = people::key(&app, "organization:acme").await;
    let audit = async |token: &str| app.call(Call::audit(&site.url("/")).header("x-api-key", token)).await.status;
    // Weeks without a call that has a price begin nothing.
    app.pass(20 * DAY);
    assert_eq!(trial(&app, &session).await, serde_json::json!({"days": 90, "active": true, "ends_at": null}));
    assert_eq!(audit(&of_group).await, 402, "an organization's key has no trial");
    assert_eq!(audit(&key).await, 200);
    let begun = app.app.ports().now();
    // It is noted beside the call.
    let begins = async {
        loop {
            let told = trial(&app, &session).await;
            if !told["ends_at"].is_null() {
                return told;
            }
        }
    };
    let told = tokio::time::timeout(PATIENCE, begins).await.expect("the trial begins");
    assert_eq!(told["ends_at"], begun.plus_ms(90 * 86_400_000).to_string());
    assert_eq!((&told["active"], &told["days_left"]), (&Value::Bool(true), &90.into()));
    app.pass(90 * DAY - Duration::from_secs(1));
    assert_eq!(audit(&key).await, 200);
    app.pass(Duration::from_secs(1));
    assert_eq!(audit(&key).await, 402);
    // Once over, it is over.
    app.pass(400 * DAY);
    assert_eq!(audit(&key).await, 402);
}
