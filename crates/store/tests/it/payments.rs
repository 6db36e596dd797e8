mod leases;

use model::credit::MovementKind;
use model::money::Micros;
use sqlx::Row as _;
use store::{
    ClaimOutcome, CreditPurchase, Lease, NewPayment, PaidAnswer, PaymentDecision, PaymentKey, PaymentState, Store,
    StoreError, Unsettled,
};
use testkit::TestDatabase;

use crate::sample::{NOW, audit_id, guest, insert_withheld, opened};

testkit::on_both_databases! {
    five_equal_authorizations_are_claimed_once,
    a_paid_call_is_settled_with_its_result,
    a_released_authorization_may_be_tried_again,
    a_refused_payment_leaves_nothing_behind,
    a_person_decides_what_is_unclear,
    a_purchase_makes_its_credit_when_it_settles,
    what_is_over_is_forgotten_but_not_its_key,
    money_in_is_what_was_sold_and_earned,
    what_may_still_charge_an_owner_is_found,
    a_payment_settles_with_what_it_buys_or_not_at_all,
}

const TX: &str = "0xaa";

pub(crate) fn new_payment(nonce: &str) -> NewPayment {
    NewPayment {
        id: format!("p-{nonce}"),
        key: PaymentKey {
            network: "eip155:84532".to_owned(),
            asset: "0xusdc".to_owned(),
            payer: "0xpayer".to_owned(),
            nonce: nonce.to_owned(),
        },
        request_hash: [1; 32],
        call_digest: [3; 32],
        operation: "audit_page",
        amount: Micros(20_000),
        payload: "{}".to_owned(),
        requirements: "{}".to_owned(),
        wire_version: 2,
        owner: Some("guest:g".to_owned()),
        purchase: None,
        key_digest: None,
        valid_before: NOW.plus_ms(300_000),
        leased_until: NOW.plus_ms(60_000),
        now: NOW,
    }
}

fn purchase(nonce: &str, token: u8) -> NewPayment {
    let purchase = CreditPurchase { credit_id: format!("credit-{nonce}"), token_digest: [token; 32] };
    NewPayment { purchase: Some(purchase), amount: Micros(5_000_000), ..new_payment(nonce) }
}

fn answer() -> PaidAnswer {
    PaidAnswer { head: "200".to_owned(), body: vec![b'x'; 10_000] }
}

async fn claimed(store: &Store, new: NewPayment) -> Lease {
    match store.claim_payment(new).await.unwrap() {
        ClaimOutcome::Claimed(lease) => lease,
        ClaimOutcome::Known(payment) => panic!("known: {payment:?}"),
    }
}

async fn state(store: &Store, nonce: &str) -> PaymentState {
    store.payment(&new_payment(nonce).key).await.unwrap().unwrap().state
}

/// How many payments are not over, by state.
async fn unfinished(store: &Store) -> Vec<(PaymentState, u64)> {
    store.unfinished_payments().await.unwrap().into_iter().filter(|(_, many)| *many > 0).collect()
}

/// What came in by the network of [`new_payment`], which is all that did.
async fn received(store: &Store) -> (Micros, u64) {
    let received = store.received(NOW, NOW.plus_ms(1)).await.unwrap();
    assert_eq!(received.keys().collect::<Vec<_>>(), [&Some(new_payment("n").key.network)]);
    received.into_values().next().unwrap()
}

/// Takes a claimed payment to where its settling has begun.
async fn settling(store: &Store, lease: &Lease) {
    assert!(store.begin_paid_work(lease, NOW, NOW).await.unwrap());
    assert!(store.end_paid_work(lease, &answer(), NOW).await.unwrap());
    assert_eq!(store.begin_settling(lease, NOW, NOW).await.unwrap(), Some(1));
}

async fn five_equal_authorizations_are_claimed_once(database: TestDatabase) {
    let store = opened(&database).await;
    let callers: Vec<_> = (0..5)
        .map(|n| {
            let store = store.clone();
            let new = NewPayment { id: format!("p{n}"), ..new_payment("n") };
            tokio::spawn(async move { store.claim_payment(new).await.unwrap() })
        })
        .collect();
    let mut claims = 0;
    for caller in callers {
        match caller.await.unwrap() {
            ClaimOutcome::Claimed(_) => claims += 1,
            ClaimOutcome::Known(payment) => assert_eq!(payment.state, PaymentState::Claimed),
        }
    }
    assert_eq!(claims, 1);
}

async fn a_paid_call_is_settled_with_its_result(database: TestDatabase) {
    let store = opened(&database).await;
    let lease = claimed(&store, new_payment("n")).await;
    // Nothing is settled before its result is kept.
    assert_eq!(store.begin_settling(&lease, NOW, NOW).await.unwrap(), None);
    assert!(!store.settle_payment(&lease.id, TX, NOW).await.unwrap());
    assert!(store.begin_paid_work(&lease, NOW, NOW).await.unwrap());
    insert_withheld(&store, "a", Some(guest("g")), &lease.id).await.unwrap();
    assert_eq!(unfinished(&store).await, [(PaymentState::Working, 1)]);
    assert!(store.end_paid_work(&lease, &answer(), NOW).await.unwrap());
    let hidden = store.audit_of(&guest("g"), &audit_id("a")).await;
    assert!(matches!(hidden, Err(StoreError::NotFound { .. })), "{hidden:?}");
    assert_eq!(store.begin_settling(&lease, NOW, NOW).await.unwrap(), Some(1));
    assert!(store.settle_payment(&lease.id, TX, NOW).await.unwrap());
    assert!(!store.settle_payment(&lease.id, TX, NOW).await.unwrap());
    let payment = store.payment(&new_payment("n").key).await.unwrap().unwrap();
    assert_eq!((payment.state, payment.transaction.as_deref()), (PaymentState::Settled, Some(TX)));
    assert_eq!(payment.answer, Some(answer()));
    assert_eq!(unfinished(&store).await, []);
    store.audit_of(&guest("g"), &audit_id("a")).await.unwrap();
    assert_eq!(received(&store).await, (Micros(20_000), 1));
}

async fn a_released_authorization_may_be_tried_again(database: TestDatabase) {
    let store = opened(&database).await;
    let lease = claimed(&store, new_payment("n")).await;
    assert!(store.begin_paid_work(&lease, NOW.plus_ms(60_000), NOW).await.unwrap());
    insert_withheld(&store, "a", None, &lease.id).await.unwrap();
    assert!(store.leave_payment(&lease, Unsettled::Released, NOW).await.unwrap());
    assert_eq!(database.row("SELECT COUNT(*) FROM audits").await.get::<i64, _>(0), 0);
    let again = claimed(&store, NewPayment { request_hash: [2; 32], ..new_payment("n") }).await;
    assert_eq!((again.id.as_str(), again.fence), (lease.id.as_str(), 2));
    // Nobody works on it any more: the next caller need not wait for anyone to clear it away.
    let later = NewPayment { now: NOW.plus_ms(60_000), ..new_payment("n") };
    assert_eq!(claimed(&store, later).await.fence, 3);
}

async fn a_refused_payment_leaves_nothing_behind(database: TestDatabase) {
    let store = opened(&database).await;
    let lease = claimed(&store, new_payment("n")).await;
    settling(&store, &lease).await;
    insert_withheld(&store, "a", Some(guest("g")), &lease.id).await.unwrap();
    let refused = Unsettled::Refused("insufficient_funds".to_owned());
    assert!(store.leave_payment(&lease, refused, NOW).await.unwrap());
    let payment = store.payment(&new_payment("n").key).await.unwrap().unwrap();
    assert_eq!((payment.state, payment.answer), (PaymentState::Refused, None));
    // Nor what it signed, which may be anything where the facilitator refused it.
    assert_eq!((payment.payload.as_str(), payment.requirements.as_str()), ("", ""));
    assert_eq!(payment.reason.as_deref(), Some("insufficient_funds"));
    assert_eq!(database.row("SELECT COUNT(*) FROM audits").await.get::<i64, _>(0), 0);
    assert_eq!(database.row("SELECT COUNT(*) FROM revenue").await.get::<i64, _>(0), 0);
    // Final: not even the chain's word changes it.
    assert!(!store.settle_payment(&lease.id, TX, NOW).await.unwrap());
    let known = store.claim_payment(new_payment("n")).await.unwrap();
    assert!(matches!(known, ClaimOutcome::Known(_)), "{known:?}");
}

async fn a_person_decides_what_is_unclear(database: TestDatabase) {
    let store = opened(&database).await;
    let settled = PaymentDecision::Settled(TX.to_owned());
    let lapsed = PaymentDecision::Lapsed("operator".to_owned());
    let mut leases = Vec::new();
    for nonce in ["in", "out"] {
        let lease = claimed(&store, new_payment(nonce)).await;
        settling(&store, &lease).await;
        insert_withheld(&store, nonce, Some(guest("g")), &lease.id).await.unwrap();
        // Somebody is asking the facilitator at this moment.
        assert!(!store.decide_payment(&lease.id, settled.clone(), NOW).await.unwrap());
        let unclear = Unsettled::Unclear { reason: "time".to_owned(), transaction: None, again_at: NOW };
        assert!(store.leave_payment(&lease, unclear, NOW).await.unwrap());
        leases.push(lease);
    }
    assert!(!store.decide_payment("nobody", settled.clone(), NOW).await.unwrap());
    let taken = store.take_payment("p-out", NOW, NOW.plus_ms(60_000)).await.unwrap().unwrap();
    assert!(store.decide_payment("p-in", settled.clone(), NOW).await.unwrap());
    assert!(store.decide_payment("p-out", lapsed.clone(), NOW).await.unwrap());
    assert_eq!((state(&store, "in").await, state(&store, "out").await), (PaymentState::Settled, PaymentState::Lapsed));
    store.audit_of(&guest("g"), &audit_id("in")).await.unwrap();
    let gone = store.audit_of(&guest("g"), &audit_id("out")).await;
    assert!(matches!(gone, Err(StoreError::NotFound { .. })), "{gone:?}");
    assert_eq!(received(&store).await, (Micros(20_000), 1));
    // Once; and who was at it writes nothing more.
    for (id, found) in [("p-in", &lapsed), ("p-out", &settled)] {
        assert!(!store.decide_payment(id, found.clone(), NOW).await.unwrap());
    }
    assert!(!store.settle_payment("p-out", TX, NOW).await.unwrap());
    assert_eq!(store.begin_settling(&taken.lease, NOW, NOW).await.unwrap(), None);
}

async fn a_purchase_makes_its_credit_when_it_settles(database: TestDatabase) {
    let store = opened(&database).await;
    let lease = claimed(&store, purchase("n", 3)).await;
    assert_eq!(store.credit_by_digest(&[3; 32]).await.unwrap(), None);
    assert_eq!(store.begin_settling(&lease, NOW, NOW).await.unwrap(), Some(1));
    assert!(store.settle_payment(&lease.id, TX, NOW).await.unwrap());
    let (credit, movements) = store.credit_statement(&[3; 32]).await.unwrap().unwrap();
    assert_eq!((credit.balance, credit.owner.as_deref()), (Micros(5_000_000), Some("guest:g")));
    assert_eq!((credit.network.as_deref(), credit.is_dev), (Some("eip155:84532"), false));
    let moved: Vec<_> = movements.iter().map(|movement| (movement.kind, movement.reference.as_str())).collect();
    assert_eq!(moved, [(MovementKind::Purchase, "eip155:84532/0xusdc/0xpayer/n")]);
    // A lost token may be replaced while nothing was spent.
    assert!(store.replace_credit_token(&credit.id, Micros(5_000_000), &[4; 32]).await.unwrap());
    assert_eq!(store.credit_by_digest(&[3; 32]).await.unwrap(), None);
    let spent = store::NewDebit {
        id: "d".to_owned(),
        credit_id: credit.id.clone(),
        amount: Micros(1),
        operation: "audit_page",
        request_hash: [0; 32],
        key_digest: None,
        owner: None,
        deadline: NOW,
        now: NOW,
    };
    store.hold_debit(spent).await.unwrap();
    assert!(store.reverse_debit("d", NOW).await.unwrap());
    assert!(!store.replace_credit_token(&credit.id, Micros(5_000_000), &[5; 32]).await.unwrap());
}

async fn what_is_over_is_forgotten_but_not_its_key(database: TestDatabase) {
    let store = opened(&database).await;
    let end = new_payment("n").valid_before;
    // An authorization without an end, which the caller may sign, is no reason to keep its payment for ever.
    let endless = NewPayment { valid_before: model::time::Timestamp(i64::MAX), ..new_payment("endless") };
    for (new, forgotten_after) in [(new_payment("n"), end), (endless, NOW)] {
        let nonce = new.key.nonce.clone();
        let lease = claimed(&store, new).await;
        settling(&store, &lease).await;
        // What is not over is not forgotten.
        assert_eq!(store.forget_payments(forgotten_after.plus_ms(1), 10).await.unwrap(), 0);
        assert!(store.settle_payment(&lease.id, TX, NOW).await.unwrap());
        assert_eq!(store.forget_payments(forgotten_after, 10).await.unwrap(), 0);
        assert_eq!(store.forget_payments(forgotten_after.plus_ms(1), 10).await.unwrap(), 1);
        let payment = store.payment(&new_payment(&nonce).key).await.unwrap().unwrap();
        assert_eq!((payment.payload.as_str(), payment.answer), ("", None));
        assert_eq!(state(&store, &nonce).await, PaymentState::Settled);
        assert!(matches!(store.claim_payment(new_payment(&nonce)).await.unwrap(), ClaimOutcome::Known(_)));
    }
}

async fn money_in_is_what_was_sold_and_earned(database: TestDatabase) {
    let store = opened(&database).await;
    for n in 0..4 {
        let lease = claimed(&store, new_payment(&format!("call{n}"))).await;
        settling(&store, &lease).await;
        if n % 2 == 0 {
            assert!(store.settle_payment(&lease.id, TX, NOW).await.unwrap());
        } else {
            let unclear =
                Unsettled::Unclear { reason: "time".to_owned(), transaction: None, again_at: NOW.plus_ms(2_000) };
            assert!(store.leave_payment(&lease, unclear, NOW).await.unwrap());
        }
        let lease = claimed(&store, purchase(&format!("buy{n}"), n + 1)).await;
        assert_eq!(store.begin_settling(&lease, NOW, NOW).await.unwrap(), Some(1));
        assert!(store.settle_payment(&lease.id, TX, NOW).await.unwrap());
    }
    let settled = database
        .row("SELECT CAST(SUM(amount_micros) AS BIGINT) FROM payments WHERE state = 'settled'")
        .await
        .get::<i64, _>(0);
    assert_eq!(settled, 2 * 20_000 + 4 * 5_000_000);
    assert_eq!(received(&store).await, (Micros(settled.unsigned_abs()), 6));
    assert_eq!(store.unclear_payments(10).await.unwrap().len(), 2);
    // An unclear payment that is seen after all settles with its result.
    let taken =
        store.take_due_payment(NOW.plus_ms(2_000), NOW.plus_ms(9_000), NOW.plus_ms(2_000)).await.unwrap().unwrap();
    assert!(taken.answer.is_some());
    assert!(store.settle_payment(&taken.lease.id, TX, NOW).await.unwrap());
}

async fn what_may_still_charge_an_owner_is_found(database: TestDatabase) {
    let store = opened(&database).await;
    let found = async |owner: &str, call: [u8; 32], now, over| {
        let found = store.payment_on_its_way(owner, &call, now, over).await.unwrap();
        found.map(|found| (found.state, found.transaction))
    };
    let here = async || found("guest:g", [3; 32], NOW, NOW).await;
    assert_eq!(here().await, None);
    let lease = claimed(&store, new_payment("n")).await;
    assert_eq!(here().await, Some((PaymentState::Claimed, None)));
    // Nobody is at it any more, and nothing was sent.
    assert_eq!(found("guest:g", [3; 32], NOW.plus_ms(60_000), NOW).await, None);
    settling(&store, &lease).await;
    let unclear =
        Unsettled::Unclear { reason: "x".to_owned(), transaction: Some(TX.to_owned()), again_at: NOW.plus_ms(1) };
    assert!(store.leave_payment(&lease, unclear, NOW).await.unwrap());
    let way = Some((PaymentState::Unclear, Some(TX.to_owned())));
    assert_eq!(here().await, way);
    assert_eq!(found("guest:g", [3; 32], NOW.plus_ms(999_999), NOW.plus_ms(299_999)).await, way);
    // Of others, of another call, and long over.
    assert_eq!(found("guest:h", [3; 32], NOW, NOW).await, None);
    assert_eq!(found("guest:g", [4; 32], NOW, NOW).await, None);
    assert_eq!(found("guest:g", [3; 32], NOW, NOW.plus_ms(300_000)).await, None);
    assert!(store.settle_payment(&lease.id, TX, NOW).await.unwrap());
    assert_eq!(here().await, None);
}

async fn a_payment_settles_with_what_it_buys_or_not_at_all(database: TestDatabase) {
    let store = opened(&database).await;
    let lease = claimed(&store, purchase("n", 3)).await;
    assert_eq!(store.begin_settling(&lease, NOW, NOW).await.unwrap(), Some(1));
    // Something in the way of the credit is in the way of the settlement, which is tried again.
    let in_the_way = "INSERT INTO credits (id, token_digest, owner, is_dev, balance_micros, created_at) \
        VALUES ('credit-n', 'x', NULL, 0, 0, 0)";
    database.execute(in_the_way).await;
    let settled = store.settle_payment(&lease.id, TX, NOW).await;
    assert!(matches!(settled, Err(StoreError::Conflict { .. })), "{settled:?}");
    assert_eq!(state(&store, "n").await, PaymentState::Settling);
    database.execute("DELETE FROM credits").await;
    let taken = store.take_due_payment(NOW, NOW, NOW).await.unwrap().unwrap();
    assert!(store.settle_payment(&taken.lease.id, TX, NOW).await.unwrap());
    assert_eq!(store.credit_by_digest(&[3; 32]).await.unwrap().unwrap().balance, Micros(5_000_000));
}
