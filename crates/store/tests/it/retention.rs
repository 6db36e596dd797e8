use model::id::GuestId;
use model::time::DAY_MS;
use store::StoreError;

use crate::sample::{NOW, audit_id, guest, insert, opened};
use testkit::TestDatabase;

testkit::on_both_databases! {
    audits_are_purged_by_whose_they_are,
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
