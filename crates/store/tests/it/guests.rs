use model::id::{GuestId, TabId};
use model::tab::Snooze;
use model::time::DAY_MS;
use sqlx::{Connection as _, Executor as _, Row};
use store::{ClaimOutcome, FoundGuest, NewPayment, NewTab, Snoozing, StoreError};

use crate::organizations::{account, accounts};
use crate::payments::new_payment;
use crate::sample::{NOW, audit_id, guest, insert, opened};
use testkit::TestDatabase;

testkit::on_both_databases! {
    a_guest_is_found_by_digest,
    a_guest_is_found_together_with_the_audit_that_is_theirs,
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

async fn a_guest_is_found_together_with_the_audit_that_is_theirs(database: TestDatabase) {
    let store = opened(&database).await;
    store.create_guest(id("g"), &[7; 32], NOW).await.unwrap();
    store.create_guest(id("h"), &[8; 32], NOW).await.unwrap();
    insert(&store, "a", Some(guest("g")), NOW).await.unwrap();
    let together =
        async |digest: u8, audit: &'static str| store.guest_with_audit_head(&[digest; 32], &audit_id(audit), NOW).await;
    let g = FoundGuest { id: id("g"), last_seen_at: NOW };
    let (found, own) = together(7, "a").await.unwrap().unwrap();
    assert_eq!((&found, own.unwrap()), (&g, store.audit_head(&guest("g"), &audit_id("a"), NOW).await.unwrap()));
    assert_eq!(together(7, "b").await.unwrap(), Some((g, None)));
    let (found, own) = together(8, "a").await.unwrap().unwrap();
    assert_eq!((found.id, own), (id("h"), None), "of another guest");
    assert_eq!(together(9, "a").await.unwrap(), None);

    // What is put off comes with it, in the order of the list, without what has ended.
    let requested = store.audit_of(&guest("g"), &audit_id("a")).await.unwrap().requested_url;
    let tab = TabId("t".to_owned());
    let new =
        NewTab { id: tab.clone(), owner: guest("g"), url: requested, alias: None, withheld: None, created_at: NOW };
    store.open_tab(new, 20).await.unwrap();
    for (code, days) in [("z", 1), ("b", 3), ("a", 3)] {
        let until = NOW.plus_ms(days * DAY_MS);
        let new = Snooze { code: code.to_owned(), reason: String::new(), until, created_at: NOW };
        assert_eq!(store.snooze(&guest("g"), &tab, new).await.unwrap(), Snoozing::Done);
    }
    for (days, snoozed) in [(0, "z,a,b"), (1, "a,b"), (3, "")] {
        let now = NOW.plus_ms(days * DAY_MS);
        let codes: Vec<String> = store.snoozes_of(&tab, now).await.unwrap().into_iter().map(|one| one.code).collect();
        let (_, own) = store.guest_with_audit_head(&[7; 32], &audit_id("a"), now).await.unwrap().unwrap();
        assert_eq!((own.unwrap().snoozed, codes.join(",")), (snoozed.to_owned(), snoozed.to_owned()));
    }

    // A guest whom an account has taken over is nobody, whatever was theirs.
    accounts(&database, 1).await;
    store.claim_guest(&[7; 32], &account(0), NOW).await.unwrap();
    assert_eq!(together(7, "a").await.unwrap(), None);
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
