//! What pays scheduled runs, and what is told when nothing does.

use serde_json::{Value, json};
use service::jobs;
use testkit::facilitator::TestFacilitator;
use testkit::{MailServer, TestDatabase, TestSite};

use super::super::people;
use super::super::sites::{PLANTED_PAGES, get as get_of_guest, planted};
use super::DAY;
use crate::app::{Call, Response};
use crate::jobs::mailing;
use crate::payments::Shop;
use crate::payments::by_credit::{balance, credit};

testkit::on_both_databases! {
    a_trial_pays_and_then_the_credit_and_then_nobody,
    a_watch_that_nothing_pays_is_not_made,
    a_run_that_ends_for_money_is_compared_with_nothing,
}

/// A shop whose free audits a scheduled run would like, with an account.
struct PaidWatch {
    shop: Shop,
    mail: MailServer,
    site: TestSite,
    account: String,
    key: String,
}

impl PaidWatch {
    async fn open(database: TestDatabase) -> Self {
        let mail = MailServer::start().await;
        let mailing = mailing(&mail);
        let shop = Shop::beside(TestFacilitator::start().await, database, |config| {
            mailing(config);
            config.limits.free_audits_per_day = 50;
        })
        .await;
        let account = people::account(&shop.app, "ana").await;
        let key = people::key(&shop.app, &format!("account:{account}")).await;
        Self { shop, mail, site: TestSite::start(planted).await, account, key }
    }

    async fn end_trial(&self) {
        let sql = format!("UPDATE accounts SET trial_started_at = 1 WHERE id = '{}'", self.account);
        self.shop.app.database.execute(&sql).await;
    }

    async fn watch(&self, credit: Option<&str>, max_usd: Option<f64>) -> Response {
        let mut body = json!({"url": self.site.url("/"), "every": "daily"});
        if let Some(max_usd) = max_usd {
            body["max_usd"] = max_usd.into();
        }
        let call = Call::new("POST", "/api/site-watches").header("x-api-key", &self.key).body(&body.to_string());
        let call = match credit {
            Some(credit) => call.header("x-credito", credit),
            None => call,
        };
        self.shop.app.call(call).await
    }

    async fn next_day(&self) {
        self.shop.app.pass(DAY);
        jobs::schedule(&self.shop.app.app, self.shop.app.app.ports().now()).await.unwrap();
        jobs::work_off(&self.shop.app.app).await.unwrap();
    }

    async fn watched(&self) -> Value {
        let list = self.shop.app.call(Call::get("/api/site-watches").header("x-api-key", &self.key)).await;
        list.json()["watches"][0].clone()
    }

    async fn runs(&self) -> Vec<Value> {
        let list = self.shop.app.call(Call::get("/api/sites").header("x-api-key", &self.key)).await;
        list.json()["sites"].as_array().unwrap().clone()
    }
}

async fn a_trial_pays_and_then_the_credit_and_then_nobody(database: TestDatabase) {
    let paid = PaidWatch::open(database).await;
    let (token, more) = (credit(&paid.shop, 250_000).await, credit(&paid.shop, 500_000).await);
    let made = paid.watch(Some(&token), Some(1.0)).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let watch = &made.json()["watch"];
    assert_eq!(
        (&watch["paid_by"], &watch["price_usd"], &watch["most_usd"]),
        (&json!("trial"), &json!(0.02), &json!(1.0))
    );
    paid.next_day().await;
    let runs = paid.runs().await;
    assert_eq!(runs[0]["spending"], json!({"free_audits": 0, "usd": 0.0, "max_usd": null}));
    let row = paid.shop.app.database.row("SELECT COUNT(*) FROM accounts WHERE trial_started_at IS NOT NULL").await;
    assert_eq!(sqlx::Row::get::<i64, _>(&row, 0), 1, "the trial starts with the run");

    paid.end_trial().await;
    assert_eq!(paid.watched().await["paid_by"], "credit");
    paid.next_day().await;
    let price = u64::from(PLANTED_PAGES) * 20_000;
    let runs = paid.runs().await;
    assert_eq!(runs[0]["spending"], json!({"free_audits": 0, "usd": 0.2, "max_usd": 1.0}));
    assert_eq!((balance(&paid.shop, &token).await, paid.shop.app.free_remaining().await), (250_000 - price, 50));
    assert_eq!(paid.mail.letters().len(), 0);

    // Two pages are paid, then the run ends: nothing is said of the others.
    paid.next_day().await;
    let runs = paid.runs().await;
    assert_eq!((&runs[0]["reason"], &runs[0]["progress"]["audited"]), (&json!("credit_spent"), &json!(2)));
    assert_eq!((balance(&paid.shop, &token).await, paid.mail.letters().len()), (10_000, 0));
    // Not one page can be paid: told once.
    for _ in 0..3 {
        paid.next_day().await;
    }
    let (watch, letters) = (paid.watched().await, paid.mail.letters());
    assert_eq!((paid.runs().await.len(), letters.len(), &watch["problem"]), (3, 1, &json!("insufficient_credit")));
    assert!(letters[0].text().contains("below the price of one page"), "{}", letters[0].text());
    assert!(watch["message"].as_str().unwrap().contains("below the price of one page"), "{watch}");

    // Another credit pays from now on.
    let path = format!("/api/site-watches/{}", watch["id"].as_str().unwrap());
    let change = Call::new("PATCH", &path).header("x-api-key", &paid.key).header("x-credito", &more);
    let changed = paid.shop.app.call(change.body(r#"{"max_usd": 0.5}"#)).await;
    assert_eq!((changed.status, &changed.json()["watch"]["most_usd"]), (200, &json!(0.5)), "{}", changed.body);
    paid.next_day().await;
    assert_eq!((&paid.runs().await[0]["reason"], &paid.watched().await["problem"]), (&Value::Null, &Value::Null));
    assert_eq!(balance(&paid.shop, &more).await, 500_000 - price);
}

async fn a_watch_that_nothing_pays_is_not_made(database: TestDatabase) {
    let paid = PaidWatch::open(database).await;
    paid.end_trial().await;
    let refused = paid.watch(None, None).await;
    assert_eq!(refused.refusal(), (401, "credit_required".to_owned()));
    assert!(refused.json()["detail"].as_str().unwrap().contains("free audits"), "{}", refused.body);
    let unknown = paid.watch(Some(&format!("cred_{}", "A".repeat(43))), None).await;
    assert_eq!(unknown.refusal(), (401, "invalid_credential".to_owned()));
    assert_eq!(paid.watched().await, Value::Null);
}

async fn a_run_that_ends_for_money_is_compared_with_nothing(database: TestDatabase) {
    let paid = PaidWatch::open(database).await;
    paid.end_trial().await;
    let token = credit(&paid.shop, 900_000).await;
    assert_eq!(paid.watch(Some(&token), Some(0.06)).await.status, 200);
    paid.next_day().await;
    paid.next_day().await;
    let runs = paid.runs().await;
    let run = paid
        .shop
        .app
        .call(Call::get(&format!("/api/sites/{}", runs[0]["id"].as_str().unwrap())).header("x-api-key", &paid.key));
    let run = run.await.json();
    assert_eq!((runs.len(), &run["reason"], &run["changes"]), (2, &json!("max_usd"), &Value::Null));
    assert_eq!((balance(&paid.shop, &token).await, paid.mail.letters().len()), (780_000, 0));
    let guest = paid.shop.app.guest().await;
    assert_eq!(get_of_guest(&paid.shop.app, &guest, "/api/sites").await["sites"], json!([]));
}
