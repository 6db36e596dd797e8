use model::id::GuestId;
use sqlx::{Connection as _, Executor as _, Row};
use store::{ClaimOutcome, FoundGuest, NewPayment, StoreError};

use crate::organizations::{account, accounts};
use crate::payments::new_payment;
use crate::sample::{NOW, opened};
use testkit::TestDatabase;

testkit::on_both_databases! {
    a_guest_is_found_by_digest,
    an_id_and_a_digest_are_taken_once,
    a_visit_is_noted_unless_a_later_one_was,
    a_guest_that_is_claimed_meanwhile_loses_nothing_that_settles,
}

fn id(name: &str) -> GuestId {
    GuestId(name.to_owned())
}

async fn a_guest_is_found_by_digest(database: TestDatabase) {
    let store = opened(&database).await;
    store.create_guest(id("g"), &[7; 32], NOW).await.unwrap();
    let found = FoundGuest { id: id("g"), last_seen_at: NOW };
    assert_eq!(store.guest_by_digest(&[7; 32]).await.unwrap(), Some(found));
    assert_eq!(store.guest_by_digest(&[8; 32]).await.unwrap(), None);
}

async fn an_id_and_a_digest_are_taken_once(database: TestDatabase) {
    let store = opened(&database).await;
    store.create_guest(id("g"), &[7; 32], NOW).await.unwrap();
    for (name, digest) in [("g", [8; 32]), ("h", [7; 32])] {
        let answer = store.create_guest(id(name), &digest, NOW).await;
        assert!(matches!(answer, Err(StoreError::Conflict { .. })), "{answer:?}");
    }
}

async fn a_visit_is_noted_unless_a_later_one_was(database: TestDatabase) {
    let store = opened(&database).await;
    store.create_guest(id("g"), &[7; 32], NOW).await.unwrap();
    // A clock that was set back notes nothing.
    for (visit, noted) in [(5, 5), (-5, 5), (9, 9)] {
        store.touch_guest(&id("g"), NOW.plus_ms(visit)).await.unwrap();
        let found = store.guest_by_digest(&[7; 32]).await.unwrap().unwrap();
        assert_eq!(found.last_seen_at, NOW.plus_ms(noted));
    }
}

/// A settlement, as of another server, that has not got to its end when the claim begins.
async fn a_guest_that_is_claimed_meanwhile_loses_nothing_that_settles(database: TestDatabase) {
    // The database's patience with who waits may be at its end before this was seen: it is tried again then.
    const TRIES: u8 = 50;
    const WAITING: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    if !database.is_postgres() {
        // Nothing is written there in the middle of something else.
        return;
    }
    let store = opened(&database).await;
    accounts(&database, 1).await;
    let (mut beside, mut looking) = (database.connection().await, database.connection().await);
    for number in 0..TRIES {
        let (guest, digest) = (id(&format!("g{number}")), [number; 32]);
        let owner = format!("guest:{guest}");
        store.create_guest(guest, &digest, NOW).await.unwrap();
        let new = NewPayment { owner: Some(owner.clone()), ..new_payment(&format!("n{number}")) };
        assert!(matches!(store.claim_payment(new).await.unwrap(), ClaimOutcome::Claimed(_)));
        let mut settling = beside.begin().await.unwrap();
        let settled = sqlx::query("UPDATE payments SET state = 'settled' WHERE owner = $1");
        settled.bind(owner.clone()).execute(&mut *settling).await.unwrap();
        let bought = sqlx::query(
            "INSERT INTO credits (id, token_digest, owner, is_dev, balance_micros, created_at) \
             VALUES ($1, $2, $3, 0, 0, 0)",
        );
        let bought = bought.bind(format!("c{number}")).bind(digest.to_vec()).bind(owner);
        bought.execute(&mut *settling).await.unwrap();
        let claiming = {
            let store = store.clone();
            tokio::spawn(async move { store.claim_guest(&digest, &account(0), NOW).await })
        };
        while !claiming.is_finished() && looking.fetch_one(WAITING).await.unwrap().get::<i64, _>(0) == 0 {}
        settling.commit().await.unwrap();
        match claiming.await.unwrap() {
            Err(StoreError::Busy { .. }) => {}
            claimed => {
                let claimed = claimed.unwrap().unwrap();
                assert_eq!((claimed.moved("payments"), claimed.moved("credits")), (1, 1));
                return;
            }
        }
    }
    panic!("the settlement never ended within the database's patience");
}
