use model::id::GuestId;
use model::money::Micros;
use model::time::DAY_MS;
use store::{ClaimOutcome, Holding, StoreError, Unsettled};

use crate::credits::{debit, new_credit};
use crate::payments::new_payment;
use crate::sample::{NOW, audit_id, guest, insert, insert_withheld, opened};
use testkit::TestDatabase;

testkit::on_both_databases! {
    audits_are_purged_by_whose_they_are,
    what_was_withheld_too_late_is_purged,
}

async fn audits_are_purged_by_whose_they_are(database: TestDatabase) {
    let store = opened(&database).await;
    let old = NOW.plus_ms(-100 * DAY_MS);
    for (name, digest, seen) in [("gone", [1; 32], old), ("here", [2; 32], NOW)] {
        store.create_guest(GuestId(name.to_owned()), &digest, seen).await.unwrap();
    }
    for (id, owner, created_at) in [
        ("nobody-old-1", None, old),
        ("nobody-old-2", None, old),
        ("nobody-old-3", None, old),
        ("nobody-new", None, NOW),
        ("gone-old", Some(guest("gone")), old),
        ("here-old", Some(guest("here")), old),
    ] {
        insert(&store, id, owner, created_at).await.unwrap();
    }
    assert_eq!(store.purge_audits(NOW, NOW, 2).await.unwrap(), 3);
    assert_eq!(store.purge_audits(NOW, NOW, 2).await.unwrap(), 1);
    assert_eq!(store.purge_audits(NOW, NOW, 2).await.unwrap(), 0);

    store.audit_of(&guest("here"), &audit_id("here-old")).await.unwrap();
    let answer = store.audit_of(&guest("gone"), &audit_id("gone-old")).await;
    assert!(matches!(answer, Err(StoreError::NotFound { .. })), "{answer:?}");
    let taken = insert(&store, "nobody-new", None, NOW).await;
    assert!(matches!(taken, Err(StoreError::Conflict { .. })), "{taken:?}");
}

/// An audit is written beside what withholds it: where the database is slow, after that was over.
async fn what_was_withheld_too_late_is_purged(database: TestDatabase) {
    let store = opened(&database).await;
    store.create_dev_credit(new_credit("c", 1), Micros(1_000)).await.unwrap();
    for id in ["held", "reversed"] {
        assert_eq!(store.hold_debit(debit(id, "c", Micros(1))).await.unwrap(), Holding::Held);
    }
    assert!(store.reverse_debit("reversed", NOW).await.unwrap());
    for nonce in ["working", "released"] {
        let ClaimOutcome::Claimed(lease) = store.claim_payment(new_payment(nonce)).await.unwrap() else {
            panic!("known")
        };
        if nonce == "released" {
            assert!(store.leave_payment(&lease, Unsettled::Released, NOW).await.unwrap());
        }
    }
    for by in ["held", "reversed", "p-working", "p-released"] {
        insert_withheld(&store, by, Some(guest("g")), by).await.unwrap();
    }
    insert(&store, "own", Some(guest("g")), NOW).await.unwrap();
    assert_eq!(store.purge_withheld(1).await.unwrap(), 1);
    assert_eq!(store.purge_withheld(10).await.unwrap(), 1);
    assert_eq!(store.purge_withheld(10).await.unwrap(), 0);
    let mut beside = database.connection().await;
    let rows = sqlx::query("SELECT id FROM audits ORDER BY id").fetch_all(&mut beside).await.unwrap();
    let left: Vec<String> = rows.iter().map(|row| sqlx::Row::get(row, 0)).collect();
    assert_eq!(left, ["held", "own", "p-working"]);
}
