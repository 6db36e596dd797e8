use model::id::GuestId;
use model::time::{DAY_MS, Timestamp};
use sqlx::Row;
use store::StoreError;

use crate::sample::{NOW, opened};
use testkit::TestDatabase;

testkit::on_both_databases! {
    a_guest_is_found_by_digest,
    an_id_and_a_digest_are_taken_once,
    a_visit_is_noted_at_most_once_a_day,
}

fn id(name: &str) -> GuestId {
    GuestId(name.to_owned())
}

async fn a_guest_is_found_by_digest(database: TestDatabase) {
    let store = opened(&database).await;
    store.create_guest(id("g"), &[7; 32], NOW).await.unwrap();
    assert_eq!(store.guest_by_digest(&[7; 32], NOW).await.unwrap(), Some(id("g")));
    assert_eq!(store.guest_by_digest(&[8; 32], NOW).await.unwrap(), None);
}

async fn an_id_and_a_digest_are_taken_once(database: TestDatabase) {
    let store = opened(&database).await;
    store.create_guest(id("g"), &[7; 32], NOW).await.unwrap();
    for (name, digest) in [("g", [8; 32]), ("h", [7; 32])] {
        let answer = store.create_guest(id(name), &digest, NOW).await;
        assert!(matches!(answer, Err(StoreError::Conflict { .. })), "{answer:?}");
    }
}

async fn a_visit_is_noted_at_most_once_a_day(database: TestDatabase) {
    let store = opened(&database).await;
    store.create_guest(id("g"), &[7; 32], NOW).await.unwrap();
    let day = |offset| NOW.plus_ms(DAY_MS).plus_ms(offset);
    for (visit, noted) in [
        (day(-1), NOW),
        (day(0), day(0)),
        (day(5), day(0)),
        // A clock that was set back notes nothing.
        (NOW, day(0)),
        (day(DAY_MS), day(DAY_MS)),
    ] {
        store.guest_by_digest(&[7; 32], visit).await.unwrap();
        let row = database.row("SELECT last_seen_at FROM guests").await;
        assert_eq!(Timestamp(row.try_get(0).unwrap()), noted);
    }
}
