use serde_json::{Value, json};
use testkit::TestDatabase;
use testkit::wallet::TransferAuthorization;

use super::{Shop, encoded, moved, signed, signed_with};
use crate::app::{NOW, Response};

testkit::on_both_databases! {
    what_is_no_payment_is_a_400,
    each_refusal_is_told_with_its_reason,
    a_payment_that_the_facilitator_refuses_is_a_402,
}

async fn what_is_no_payment_is_a_400(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let good = signed(&shop.app.call(shop.audit()).await, 1, 1).version_2();
    let with = |pointer: &str, value: Value| {
        let mut changed = good.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        encoded(&changed)
    };
    let at = |name: &str| format!("/payload/authorization/{name}");
    for header in [
        "%".to_owned(),
        "e30".to_owned(),
        "bnVsbA==".to_owned(),
        "A".repeat(8 * 1024 + 1),
        encoded(&json!({"x402Version": 2})),
        encoded(&json!({"x402Version": "2"})),
        with("/payload/signature", json!("0x12")),
        with("/payload/signature", json!(format!("0x{}", "z".repeat(130)))),
        with(&at("from"), json!("0x12")),
        with(&at("nonce"), json!("0x12")),
        with(&at("value"), json!(20_000)),
        with(&at("value"), json!("2e4")),
        with(&at("value"), json!("-1")),
        with(&at("value"), json!("9".repeat(78))),
        with(&at("validAfter"), json!("")),
    ] {
        let answer = shop.app.call(shop.audit().header("PAYMENT-SIGNATURE", &header)).await;
        assert_eq!(answer.refusal(), (400, "invalid_payment".to_owned()), "{header}");
        assert!(answer.json()["detail"].as_str().unwrap().starts_with("payment: "), "{}", answer.body);
    }
    for version in [json!("1"), json!(1.0), json!(-1), json!(null)] {
        let answer = shop.app.call(shop.audit().header("X-PAYMENT", &with("/x402Version", version))).await;
        assert_eq!(answer.refusal(), (400, "invalid_payment".to_owned()));
        assert_eq!(answer.json()["detail"], "payment: x402Version must be 1 or 2");
    }
    let header = encoded(&good);
    let both = shop.app.call(shop.audit().header("X-PAYMENT", &header).header("PAYMENT-SIGNATURE", &header)).await;
    assert_eq!(both.refusal(), (400, "invalid_payment".to_owned()));
    assert_eq!((shop.audits(), shop.facilitator.asked("verify").len()), (0, 0));
}

/// Payments that are refused before anybody is asked, each with its reason. Each is correctly signed, so that only the one
/// thing is wrong. `now`: seconds since 1970.
pub(crate) fn payments(asked: &Response, now: i64) -> Vec<(Value, &'static str)> {
    let signed_so = |change: &dyn Fn(&mut TransferAuthorization)| {
        let signed = signed_with(asked, 1, 2, |authorization| {
            authorization.valid_after = (now - 600).to_string();
            authorization.valid_before = (now + 300).to_string();
            change(authorization);
        });
        signed.version_2()
    };
    let accepted = |pointer: &str, value: Value| {
        let mut changed = signed_so(&|_| {});
        *changed.pointer_mut(&format!("/accepted/{pointer}")).unwrap() = value;
        changed
    };
    vec![
        (json!({"x402Version": 3}), "invalid_x402_version"),
        (accepted("scheme", json!("upto")), "invalid_scheme"),
        (accepted("network", json!("eip155:8453")), "invalid_network"),
        (accepted("network", json!("base-sepolia")), "invalid_network"),
        (accepted("amount", json!("1")), "invalid_payment_requirements"),
        (accepted("payTo", json!(format!("0x{}", "1".repeat(40)))), "invalid_payment_requirements"),
        (accepted("asset", json!(format!("0x{}", "1".repeat(40)))), "invalid_payment_requirements"),
        (accepted("maxTimeoutSeconds", json!(9_999)), "invalid_payment_requirements"),
        (accepted("extra/name", json!("USD Coin")), "invalid_payment_requirements"),
        (signed_so(&|a| a.to = format!("0x{}", "2".repeat(40))), "invalid_exact_evm_payload_recipient_mismatch"),
        (signed_so(&|a| a.value = "19999".to_owned()), "invalid_exact_evm_payload_authorization_value"),
        // More is refused like less: facilitators do so.
        (signed_so(&|a| a.value = "20001".to_owned()), "invalid_exact_evm_payload_authorization_value"),
        (
            signed_so(&|a| a.valid_after = (now + 3_600).to_string()),
            "invalid_exact_evm_payload_authorization_valid_after",
        ),
        (signed_so(&|a| a.valid_before = now.to_string()), "invalid_exact_evm_payload_authorization_valid_before"),
    ]
}

async fn each_refusal_is_told_with_its_reason(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let asked = shop.app.call(shop.audit()).await;
    let (now, good) = (NOW.seconds(), signed(&asked, 1, 1));
    let soon_over = signed_with(&asked, 1, 2, |a| a.valid_before = (now + 30).to_string());
    let too_soon = (soon_over.version_2(), "invalid_exact_evm_payload_authorization_valid_before");
    for (payment, reason) in payments(&asked, now).into_iter().chain([too_soon]) {
        let answer = shop.app.call(shop.audit().header("PAYMENT-SIGNATURE", &encoded(&payment))).await;
        assert_eq!(answer.refusal(), (402, "payment_refused".to_owned()), "{payment}");
        assert_eq!(answer.json()["detail"], reason);
        assert_eq!(answer.json()["accepts"][0]["maxAmountRequired"], "20000");
        assert!(!answer.header("payment-required").is_empty());
    }
    let mut version_1 = good.version_1();
    version_1["network"] = json!("base");
    let answer = shop.app.call(shop.audit().header("X-PAYMENT", &encoded(&version_1))).await;
    assert_eq!(answer.json()["detail"], "invalid_network");
    assert_eq!((shop.audits(), shop.facilitator.asked("verify").len()), (0, 0));
    // Case of addresses and zeros before a number change nothing.
    let odd = signed_with(&asked, 1, 3, |a| {
        a.to = a.to.to_ascii_uppercase().replace("0X", "0x");
        a.value = "20000".to_owned();
    });
    assert_eq!(shop.app.call(odd.pays(shop.audit())).await.status, 200);
}

async fn a_payment_that_the_facilitator_refuses_is_a_402(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let asked = shop.app.call(shop.audit()).await;
    let mut forged = signed(&asked, 1, 1);
    forged.signature = signed(&asked, 2, 1).signature;
    let answer = shop.app.call(forged.pays(shop.audit())).await;
    assert_eq!(answer.refusal(), (402, "payment_refused".to_owned()));
    assert_eq!(answer.json()["detail"], "invalid_exact_evm_signature");
    assert_eq!((answer.json()["charged"].as_bool(), shop.audits(), moved(&shop.facilitator)), (Some(false), 0, 0));
    assert_eq!(shop.facilitator.asked("settle").len(), 0);
}
