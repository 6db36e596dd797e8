//! Who pays what, over a whole database.

use model::account::Assurance;
use model::id::{ApiKeyId, OrganizationId};
use model::time::DAY_MS;
use serde_json::Map;
use store::{ApiKey, Session};

use super::*;
use crate::config::{ChallengeProvider, Config, PaymentMode};
use crate::testing::{NOW, TestService, network, service_on};
use crate::x402::PricedCall;

/// A service that charges for audits, of which so many are free a day.
async fn charging(free: u32, configure: impl FnOnce(&mut Config)) -> TestService {
    service_on(|config| {
        config.payments.mode = Some(PaymentMode::Live);
        config.payments.pay_to = Some("0x0000000000000000000000000000000000000001".to_owned());
        config.limits.free_audits_per_day = free;
        configure(config);
    })
    .await
}

/// Proof of work is asked of browsers.
fn verifying(config: &mut Config) {
    config.challenge.provider = ChallengeProvider::Altcha;
}

/// A call of nobody from a page of ours.
fn on_a_page(test: &TestService) -> Cx {
    let mut cx = test.nobody();
    cx.caller.is_page = true;
    cx
}

/// What an audit costs.
fn price(test: &TestService) -> Priced {
    test.services.payments().priced(&PricedCall {
        operation: "audit_page",
        sku: Sku::Audit,
        method: "POST",
        path: "/api/v1/audits",
        required: &[],
        in_query: false,
        sample: json!({}),
        input: &Map::new(),
    })
}

/// Spends an audit of the network that calls come from.
async fn spend(test: &TestService) {
    let (allowance, database, ports) = (test.services.allowance(), test.services.database(), test.services.ports());
    let _spent = allowance.spend_audit(database, ports, network(7), Free::Counted).await.unwrap();
}

#[test]
fn a_wait_is_told_in_hours_and_minutes_without_zeros() {
    let told = [1, 3_600, 3_601, 52_200, 86_400].map(hours);
    assert_eq!(told, ["1 min", "1 h", "1 h 1 min", "14 h 30 min", "24 h"]);
}

#[tokio::test]
async fn a_trial_is_of_an_account_by_its_session_and_its_own_keys() {
    let test = service_on(|_| {}).await;
    let account = test.account("ana@example.com").await;
    let cx = test.signed_in(&account, Assurance::Aal1).await;
    let Identity::Session(signed_in) = cx.caller.identity.clone() else { panic!("{:?}", cx.caller.identity) };
    let session =
        |trial_started_at| Identity::Session(Box::new(Session { trial_started_at, ..signed_in.as_ref().clone() }));
    let key = |owner: Owner, trial_started_at| {
        let (id, created_by) = (ApiKeyId("a key".to_owned()), account.id.clone());
        Identity::Key(Box::new(ApiKey { id, owner, created_by, last_used_at: None, trial_started_at }))
    };
    let own = || Owner::Account(account.id.clone());
    let (begun, over) = (Some(NOW), Some(NOW.plus_ms(-90 * DAY_MS)));
    for (identity, is_untouched, is_active) in [
        (session(None), true, true),
        (session(begun), false, true),
        (session(over), false, false),
        (key(own(), None), true, true),
        (key(own(), begun), false, true),
        (key(own(), over), false, false),
        (key(Owner::Organization(OrganizationId("a team".to_owned())), None), false, false),
        (Identity::Nobody, false, false),
    ] {
        let caller = Caller { identity, ..cx.caller.clone() };
        let untouched = is_untouched.then(|| account.id.clone());
        assert_eq!(untouched_trial(&caller), untouched, "{:?}", caller.identity);
        assert_eq!(is_on_trial(&test.services, &caller), is_active, "{:?}", caller.identity);
    }
}

#[tokio::test]
async fn only_a_spent_allowance_is_paid_by_the_credit_of_a_form() {
    let test = charging(1, |config| config.limits.audits_per_hour = 1).await;
    let mut cx = test.nobody();
    cx.caller.credit = Some("no credit of this server".to_owned());
    spend(&test).await;
    let refused = hold_form_audit(&cx, &price(&test)).await.unwrap_err();
    assert_eq!(refused.code, Code::RateLimited);
    let test = charging(1, |_| {}).await;
    spend(&test).await;
    let refused = hold_form_audit(&test.nobody(), &price(&test)).await.unwrap_err();
    assert_eq!(refused.code, Code::AllowanceSpent);
}

#[tokio::test]
async fn what_a_form_held_is_free_again_when_its_audit_does_not_begin() {
    let test = charging(1, |_| {}).await;
    let (cx, left) = (test.nobody(), || free_remaining(&test.services, network(7)));
    let means = hold_form_audit(&cx, &price(&test)).await.unwrap();
    assert_eq!((matches!(means, FormMeans::Free(_)), left().await.unwrap()), (true, 0));
    release(&cx, means).await;
    assert_eq!(left().await.unwrap(), 1);
}

#[tokio::test]
async fn a_browser_is_verified_for_a_free_audit_only() {
    let test = charging(1, verifying).await;
    let cx = on_a_page(&test);
    let refused = hold_form_audit(&cx, &price(&test)).await.unwrap_err();
    assert_eq!(refused.code, Code::VerificationRequired);
    spend(&test).await;
    let refused = hold_form_audit(&cx, &price(&test)).await.unwrap_err();
    assert_eq!(refused.code, Code::AllowanceSpent);
}

#[tokio::test]
async fn who_can_pay_nobody_now_is_told_of_free_audits_where_there_are_some() {
    for (free, told) in [(0, None), (2, Some((2, 0, 52_200)))] {
        let test = charging(free, |_| {}).await;
        let refused = with_nothing_left(&test.services, ServiceError::new(Code::FacilitatorUnavailable));
        let left = refused.more.and_then(|more| more.allowance);
        assert_eq!(left.map(|left| (left.limit, left.remaining, left.resets_in)), told);
    }
}

#[tokio::test]
async fn the_gate_says_what_the_next_audit_needs() {
    let free_now = |config: &mut Config| config.free_now = vec![Sku::Audit];
    let as_is = |_: &mut Config| {};
    for (free, configure, needs_payment, needs_verification) in [
        (1, &as_is as &dyn Fn(&mut Config), false, false),
        (0, &as_is, true, false),
        (0, &free_now, false, false),
        (1, &verifying, false, true),
        (0, &verifying, true, false),
    ] {
        let test = charging(free, configure).await;
        let gate = allowance(&on_a_page(&test)).await.unwrap();
        let needs = (gate.needs_payment, gate.needs_verification);
        assert_eq!((gate.free_remaining, needs), (free, (needs_payment, needs_verification)), "{gate:?}");
    }
}
