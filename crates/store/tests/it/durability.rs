use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use sqlx::{Connection, Executor};
use store::{DailySpend, Store, StoreError};

use crate::sample::{NOW, audit_id, guest, insert, opened};
use testkit::TestDatabase;

testkit::on_both_databases! {
    writers_that_read_first_never_fail,
    a_killed_process_loses_nothing_acknowledged,
    a_closed_store_has_kept_what_it_accepted,
}

/// Set for a copy of this program that is there to be killed: the database that it writes to.
pub(crate) const VICTIM: &str = "SITE_AUDIT_TEST_VICTIM";

async fn writers_that_read_first_never_fail(database: TestDatabase) {
    const WRITERS: u32 = 8;
    const ROUNDS: u32 = 25;
    let store = opened(&database).await;
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                for round in 0..ROUNDS {
                    let used = store.daily_used("net", "audit", NOW.day()).await.unwrap();
                    let spend = store.spend_daily("net", "audit", NOW.day(), WRITERS * ROUNDS).await.unwrap();
                    assert!(matches!(spend, DailySpend::Granted { remaining } if remaining < WRITERS * ROUNDS - used));
                    let id = format!("{writer}-{round}");
                    insert(&store, &id, Some(guest("g")), NOW).await.unwrap();
                    store.audit_of(&guest("g"), &audit_id(&id)).await.unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(store.daily_used("net", "audit", NOW.day()).await.unwrap(), WRITERS * ROUNDS);
}

async fn a_killed_process_loses_nothing_acknowledged(database: TestDatabase) {
    const ACKNOWLEDGED: usize = 200;
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "durability::write_until_killed"])
        .env(VICTIM, database.url())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(victim.stdout.take().unwrap()).lines().map(Result::unwrap);
    let acknowledged: Vec<String> =
        lines.filter_map(|line| Some(line.split_once("kept ")?.1.to_owned())).take(ACKNOWLEDGED).collect();
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert_eq!(acknowledged.len(), ACKNOWLEDGED);

    let store = opened(&database).await;
    for id in &acknowledged {
        store.audit_of(&guest("g"), &audit_id(id)).await.unwrap();
    }
    insert(&store, "after", Some(guest("g")), NOW).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "started, and killed, by a_killed_process_loses_nothing_acknowledged"]
async fn write_until_killed() {
    let Ok(url) = std::env::var(VICTIM) else { return };
    let store = Store::open(&url).await.unwrap();
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                for round in 0_u64.. {
                    let id = format!("{writer}-{round}");
                    insert(&store, &id, Some(guest("g")), NOW).await.unwrap();
                    // Not `println!`, which the harness may hold back. Fails once nobody reads any more.
                    if writeln!(std::io::stdout(), "kept {id}").is_err() {
                        return;
                    }
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
}

async fn a_closed_store_has_kept_what_it_accepted(database: TestDatabase) {
    let store = opened(&database).await;
    insert(&store, "a", Some(guest("g")), NOW).await.unwrap();
    store.ping().await.unwrap();
    store.close().await;
    for answer in [insert(&store, "b", None, NOW).await, store.ping().await] {
        assert!(matches!(answer, Err(StoreError::Unavailable { .. })), "{answer:?}");
    }
    opened(&database).await.audit_of(&guest("g"), &audit_id("a")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_lock_on_the_file_is_busy_and_passes() {
    let database = TestDatabase::sqlite();
    let store = opened(&database).await;
    let mut other = database.connection().await;
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    let answer = insert(&store, "a", Some(guest("g")), NOW).await;
    assert!(matches!(answer, Err(StoreError::Busy { .. })), "{answer:?}");
    // Reading goes on meanwhile.
    store.ping().await.unwrap();
    other.execute("ROLLBACK").await.unwrap();
    other.close().await.unwrap();
    // Nothing was kept of the refused write.
    insert(&store, "a", Some(guest("g")), NOW).await.unwrap();
}
