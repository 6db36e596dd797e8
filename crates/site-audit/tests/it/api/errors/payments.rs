//! Refusals of a service that charges.

use serde_json::json;
use service::config::PaymentMode;
use service::error::Code;
use service::payments::worker;
use store::PixDecision;
use testkit::facilitator::{Say, TestFacilitator};

use super::Examples;
use crate::app::{Call, NOW, TestApp};
use crate::payments::{Shop, by_credit, charging, encoded, page, pix, signed};

const KEY: &str = "a-key-of-this-call";

/// Calls of a shop on the database of `other`.
pub(super) async fn of_payments(examples: &mut Examples, other: &TestApp) {
    let facilitator = TestFacilitator::start().await;
    let url = facilitator.url();
    let app = TestApp::start_on(other, |config| {
        charging(config, &url);
        pix::on(config);
    })
    .await;
    let shop = Shop { app, facilitator, site: page().await };
    examples.names.push((shop.app.url(""), "https://audit.example.com"));
    of_x402(examples, &shop).await;
    of_credit(examples, &shop, &url).await;
    of_pix(examples, &shop, &url).await;
    // Last: they end what can be paid.
    let payment = signed(&shop.app.call(shop.audit()).await, 1, 90);
    shop.facilitator.script(|question, _| (question.what == "settle").then_some(Say::HangsUp));
    examples.of(&shop.app, Code::SettlementPending, payment.pays(shop.audit())).await;
    shop.facilitator.script(|_, _| Some(Say::HangsUp));
    worker::check(&shop.app.app).await;
    examples.of(&shop.app, Code::FacilitatorUnavailable, shop.audit()).await;
}

async fn of_x402(examples: &mut Examples, shop: &Shop) {
    let buy = || Call::new("POST", "/api/credito?usd=1");
    let sent = |header: &str| shop.audit().header("PAYMENT-SIGNATURE", header);
    let paid = signed(&shop.app.call(shop.audit()).await, 1, 1);
    assert_eq!(shop.app.call(paid.pays(shop.audit())).await.status, 200);
    let bought = signed(&shop.app.call(buy()).await, 1, 2);
    let sold = shop.app.call(bought.pays(buy())).await;
    let credit = shop.app.call(bought.pays(buy())).await.json()["credit"].as_str().unwrap().to_owned();
    assert_eq!(sold.status, 200, "{}", sold.body);
    examples.names.push((credit, "id-of-the-credit"));
    for (code, call) in [
        (Code::AllowanceSpent, shop.audit()),
        (Code::PaymentRequired, buy()),
        (Code::InvalidPayment, sent("%")),
        (Code::PaymentRefused, sent(&encoded(&json!({"x402Version": 3})))),
        (Code::PaymentUsed, paid.pays(Call::audit(&shop.site.url("/other")))),
        (Code::CreditDelivered, bought.pays(buy())),
    ] {
        examples.of(&shop.app, code, call).await;
    }
}

async fn of_credit(examples: &mut Examples, shop: &Shop, facilitator: &str) {
    let little = by_credit::credit(shop, 10_000).await;
    examples.of(&shop.app, Code::InsufficientCredit, shop.audit().header("x-credito", &little)).await;

    let much = by_credit::credit(shop, 100_000).await;
    let named = |call: Call<'static>| call.header("x-credito", &much).header("Idempotency-Key", KEY);
    assert_eq!(shop.app.call(named(shop.audit())).await.status, 200);
    let other = named(Call::audit(&shop.site.url("/other")));
    examples.of(&shop.app, Code::IdempotencyConflict, other).await;

    let dev = TestApp::start_on(&shop.app, |config| {
        charging(config, facilitator);
        config.payments.mode = Some(PaymentMode::Dev);
    })
    .await;
    let made = dev.call(Call::new("POST", "/api/credito?usd=1")).await.json();
    let call = shop.audit().header("x-credito", made["token"].as_str().unwrap());
    examples.of(&shop.app, Code::CreditWithoutValue, call).await;
}

async fn of_pix(examples: &mut Examples, shop: &Shop, facilitator: &str) {
    let sent = shop.app.call(pix::receipt(1)).await.json();
    let id = sent["id"].as_str().unwrap();
    examples.names.push((id.to_owned(), "id-of-the-request"));
    let waiting = shop.audit().header("x-credito", sent["credito"].as_str().unwrap());
    let full = TestApp::start_on(&shop.app, |config| {
        charging(config, facilitator);
        pix::on(config);
        config.pix.queue = 1;
    })
    .await;
    for (app, code, call) in [
        (&shop.app, Code::CreditPending, waiting.clone()),
        (&shop.app, Code::ReceiptAlreadySent, pix::receipt(1)),
        (&shop.app, Code::ReceiptType, pix::form(&[("usd", "5"), ("comprovante", "<svg>")])),
        (&shop.app, Code::PixRequestNotFound, Call::get(&format!("/api/credito/pix/{}", "0".repeat(32)))),
        (&full, Code::PixQueueFull, pix::receipt(2)),
    ] {
        examples.of(app, code, call).await;
    }
    assert!(shop.app.app.database().store().decide_pix(id, PixDecision::Refuse, NOW).await.unwrap());
    examples.of(&shop.app, Code::CreditRefused, waiting).await;
}
