//! What a guest paid is answered to the account that has claimed them since.

use serde_json::json;
use testkit::TestDatabase;

use super::{Shop, moved, signed};
use crate::api::people::{self, SignedIn};
use crate::app::Call;

testkit::on_both_databases! {
    a_paid_answer_is_its_new_owners_too,
    a_lost_token_of_credit_is_its_new_owners_too,
}

/// An account that has claimed a guest.
async fn claimed(shop: &Shop, guest: &str) -> SignedIn {
    let account = people::account(&shop.app, "ana").await;
    let session = people::session(&shop.app, &account).await;
    let claim = Call::new("POST", "/api/auth/claim").body(&json!({"guest_token": guest}).to_string());
    let claimed = shop.app.call(session.page(&shop.app, claim)).await;
    assert_eq!(claimed.status, 200, "{}", claimed.body);
    session
}

async fn a_paid_answer_is_its_new_owners_too(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let guest = shop.app.guest().await;
    let payment = signed(&shop.app.call(shop.audit().token(&guest)).await, 1, 1);
    let first = shop.app.call(payment.pays(shop.audit()).token(&guest)).await;
    assert_eq!(first.status, 200, "{}", first.body);
    let session = claimed(&shop, &guest).await;
    let again = shop.app.call(session.page(&shop.app, payment.pays(shop.audit()))).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(again.header("idempotent-replay"), "true");
    // Nobody else's, and of this call alone.
    for other in
        [payment.pays(shop.audit()), session.page(&shop.app, payment.pays(Call::audit(&shop.site.url("/other"))))]
    {
        assert_eq!(shop.app.call(other).await.refusal(), (402, "payment_used".to_owned()));
    }
    assert_eq!((shop.audits(), moved(&shop.facilitator)), (1, 20_000));
}

async fn a_lost_token_of_credit_is_its_new_owners_too(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let guest = shop.app.guest().await;
    let buy = || Call::new("POST", "/api/credito?usd=5");
    let payment = signed(&shop.app.call(buy().token(&guest)).await, 1, 1);
    let lost = shop.app.call(payment.pays(buy()).token(&guest)).await.json()["token"].as_str().unwrap().to_owned();
    let session = claimed(&shop, &guest).await;
    let found = shop.app.call(session.page(&shop.app, payment.pays(buy()))).await;
    assert_eq!(found.status, 200, "{}", found.body);
    let token = found.json()["token"].as_str().unwrap().to_owned();
    assert_ne!(token, lost);
    let left = shop.app.call(Call::get("/api/credito").header("x-credito", &token)).await.json();
    assert_eq!(left["saldo_micros"], 5_000_000);
    assert_eq!(shop.app.call(Call::get("/api/credito").header("x-credito", &lost)).await.status, 401);
    assert_eq!(moved(&shop.facilitator), 5_000_000);
}
