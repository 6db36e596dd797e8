//! Payments that several servers work on, or one that slept.

use model::money::Micros;
use store::{ClaimOutcome, NewPayment, PaymentState, Unsettled};
use testkit::TestDatabase;

use super::{TX, claimed, new_payment, received, settling, state};
use crate::sample::{NOW, opened};

testkit::on_both_databases! {
    who_slept_through_a_lease_decides_nothing,
    who_slept_through_a_lease_still_knows_that_it_settled,
    what_may_have_been_sent_is_never_released,
    what_a_clock_put_off_for_too_long_is_due,
    each_due_payment_is_taken_once,
}

async fn who_slept_through_a_lease_decides_nothing(database: TestDatabase) {
    let store = opened(&database).await;
    let lease = claimed(&store, new_payment("n")).await;
    settling(&store, &lease).await;
    let taken = store.take_payment(&lease.id, NOW, NOW.plus_ms(60_000)).await.unwrap().unwrap();
    assert_eq!(taken.lease.fence, 2);
    for how in [Unsettled::Refused("no".to_owned()), Unsettled::Lapsed("expired".to_owned())] {
        assert!(!store.leave_payment(&lease, how, NOW).await.unwrap());
    }
    assert_eq!(store.begin_settling(&lease, NOW, NOW).await.unwrap(), None);
    assert_eq!(store.take_payment(&lease.id, NOW, NOW).await.unwrap(), None);
    assert_eq!(store.begin_settling(&taken.lease, NOW, NOW).await.unwrap(), Some(2));
    assert_eq!(state(&store, "n").await, PaymentState::Settling);
}

/// That money came in is a fact: it holds whoever tells it, and however late.
async fn who_slept_through_a_lease_still_knows_that_it_settled(database: TestDatabase) {
    let store = opened(&database).await;
    let lease = claimed(&store, new_payment("n")).await;
    settling(&store, &lease).await;
    let taken = store.take_payment(&lease.id, NOW, NOW.plus_ms(60_000)).await.unwrap().unwrap();
    assert!(store.settle_payment(&lease.id, TX, NOW).await.unwrap());
    // Once: who has taken over is told that it is done.
    assert!(!store.settle_payment(&taken.lease.id, "0xbb", NOW).await.unwrap());
    let lapsed = Unsettled::Lapsed("expired".to_owned());
    assert!(!store.leave_payment(&taken.lease, lapsed, NOW).await.unwrap());
    let payment = store.payment(&new_payment("n").key).await.unwrap().unwrap();
    assert_eq!((payment.state, payment.transaction.as_deref()), (PaymentState::Settled, Some(TX)));
    assert_eq!(received(&store).await, (Micros(20_000), 1));
}

async fn what_may_have_been_sent_is_never_released(database: TestDatabase) {
    let store = opened(&database).await;
    let lease = claimed(&store, new_payment("n")).await;
    settling(&store, &lease).await;
    assert!(!store.leave_payment(&lease, Unsettled::Released, NOW).await.unwrap());
    let unclear = Unsettled::Unclear { reason: "time".to_owned(), transaction: None, again_at: NOW };
    assert!(store.leave_payment(&lease, unclear, NOW).await.unwrap());
    assert!(!store.leave_payment(&lease, Unsettled::Released, NOW).await.unwrap());
    // Nor is it claimed again, however long nobody works on it.
    let later = NewPayment { now: NOW.plus_ms(86_400_000), ..new_payment("n") };
    assert!(matches!(store.claim_payment(later).await.unwrap(), ClaimOutcome::Known(_)));
}

async fn what_a_clock_put_off_for_too_long_is_due(database: TestDatabase) {
    let store = opened(&database).await;
    assert_eq!(store.next_due_payment().await.unwrap(), None);
    let hour = 3_600_000;
    for (nonce, ahead) in [("soon", 2 * hour), ("never", 100 * hour), ("never again", 100 * hour)] {
        let new = NewPayment { leased_until: NOW.plus_ms(ahead), ..new_payment(nonce) };
        let lease = claimed(&store, new).await;
        if nonce == "never again" {
            settling(&store, &lease).await;
            let again_at = NOW.plus_ms(ahead);
            let unclear = Unsettled::Unclear { reason: "time".to_owned(), transaction: None, again_at };
            assert!(store.leave_payment(&lease, unclear, NOW).await.unwrap());
        }
    }
    assert_eq!(store.next_due_payment().await.unwrap(), Some(NOW.plus_ms(2 * hour)));
    // A caller who asks again finds it due, and so does the worker.
    let lease_end = NOW.plus_ms(60_000);
    assert!(store.take_payment("p-never again", NOW, lease_end).await.unwrap().is_some());
    let taken = store.take_due_payment(NOW, lease_end, NOW).await.unwrap().unwrap();
    assert_eq!(taken.lease.id, "p-never");
    assert_eq!(store.take_due_payment(NOW, lease_end, NOW).await.unwrap(), None);
    assert_eq!(store.next_due_payment().await.unwrap(), Some(lease_end));
}

async fn each_due_payment_is_taken_once(database: TestDatabase) {
    let store = opened(&database).await;
    for n in 0..20 {
        claimed(&store, new_payment(&n.to_string())).await;
    }
    let later = NOW.plus_ms(60_000);
    assert_eq!(store.take_due_payment(NOW, later, NOW).await.unwrap(), None);
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut taken = Vec::new();
                while let Some(payment) = store.take_due_payment(later, later.plus_ms(60_000), later).await.unwrap() {
                    assert!(store.leave_payment(&payment.lease, Unsettled::Released, later).await.unwrap());
                    taken.push(payment.lease.id);
                }
                taken
            })
        })
        .collect();
    let mut taken = Vec::new();
    for worker in workers {
        taken.extend(worker.await.unwrap());
    }
    // PostgreSQL may tell a worker of nothing while another holds the row; a second look finds it.
    while let Some(payment) = store.take_due_payment(later, later.plus_ms(60_000), later).await.unwrap() {
        assert!(store.leave_payment(&payment.lease, Unsettled::Released, later).await.unwrap());
        taken.push(payment.lease.id);
    }
    taken.sort();
    let distinct = taken.len();
    taken.dedup();
    assert_eq!((taken.len(), distinct), (20, 20));
}
