//! The move of an SQLite database to PostgreSQL, interrupted and not.

use sqlx::Row as _;
use store::{StoreError, TransferFacts, transfer};
use testkit::TestDatabase;
use tokio::sync::mpsc;

use crate::sample;

/// Guests of the old database: more than two batches.
const GUESTS: i64 = 1_200;

/// An SQLite database with guests and an empty PostgreSQL database; `None` where there is no PostgreSQL.
async fn both() -> Option<(TestDatabase, TestDatabase)> {
    let (old, new) = (TestDatabase::sqlite(), TestDatabase::postgres().await?);
    sample::opened(&old).await.close().await;
    old.execute(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {GUESTS}) \
        INSERT INTO guests (id, token_digest, created_at, last_seen_at) \
        SELECT 'guest ' || i || ' é', CAST('digest ' || i AS BLOB), i, -i FROM n"
    ))
    .await;
    // Rows that are gone leave holes.
    old.execute("DELETE FROM guests WHERE created_at % 7 = 0").await;
    Some((old, new))
}

async fn moved(old: &TestDatabase, new: &TestDatabase) -> Result<TransferFacts, StoreError> {
    transfer(&store::database_file(old.url()).unwrap(), new.url(), |_| ()).await
}

/// A move that ends within, after its second batch.
async fn interrupted(old: &TestDatabase, new: &TestDatabase) {
    let (sender, mut steps) = mpsc::unbounded_channel();
    let file = store::database_file(old.url()).unwrap();
    let moving = transfer(&file, new.url(), |step| sender.send(step).unwrap());
    let second = async {
        steps.recv().await.unwrap();
        steps.recv().await.unwrap()
    };
    tokio::select! {
        biased;
        step = second => assert!(!step.is_comparing, "{step:?}"),
        done = moving => panic!("it was not interrupted: {done:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_that_was_interrupted_goes_on_and_nothing_is_there_twice() {
    let Some((old, new)) = both().await else { return };
    interrupted(&old, &new).await;
    let refused = store::Store::open(new.url()).await.unwrap_err();
    assert!(format!("{refused:?}").contains("site-audit migrate"));

    let facts = moved(&old, &new).await.unwrap();
    let there: i64 = new.row("SELECT COUNT(*) FROM guests").await.get(0);
    let here: i64 = old.row("SELECT COUNT(*) FROM guests").await.get(0);
    assert_eq!((there, here), (GUESTS - GUESTS / 7, there));
    assert!(facts.rows >= u64::try_from(there).unwrap() && facts.tables > 40, "{facts:?}");
    let one = "SELECT id, token_digest, last_seen_at FROM guests WHERE created_at = 8";
    let read = |row: sqlx::any::AnyRow| (row.get::<String, _>(0), row.get::<Vec<u8>, _>(1), row.get::<i64, _>(2));
    assert_eq!(read(new.row(one).await), read(old.row(one).await));
    store::Store::open(new.url()).await.unwrap().close().await;
    // It is whole, and in use.
    let again = moved(&old, &new).await.unwrap_err();
    assert!(format!("{again:?}").contains("use an empty one"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_differs_is_found() {
    let Some((old, new)) = both().await else { return };
    interrupted(&old, &new).await;
    new.execute("UPDATE guests SET last_seen_at = 5 WHERE created_at = 8").await;
    let refused = moved(&old, &new).await.unwrap_err();
    assert!(matches!(refused, StoreError::Corrupt { .. }), "{refused:?}");
    assert!(format!("{refused:?}").contains("guests"));
    assert!(store::Store::open(new.url()).await.is_err(), "no server may take it for whole");
}
