use sqlx::Row;
use store::{Store, StoreError};

use crate::sample::{NOW, audit_id, guest, insert, opened};
use testkit::TestDatabase;

testkit::on_both_databases! {
    a_database_is_opened_again_with_what_it_holds,
    a_database_with_the_first_site_runs_gets_what_they_lacked,
}

async fn a_database_is_opened_again_with_what_it_holds(database: TestDatabase) {
    let first = opened(&database).await;
    insert(&first, "a", Some(guest("g")), NOW).await.unwrap();
    let second = opened(&database).await;
    second.audit_of(&guest("g"), &audit_id("a")).await.unwrap();
    insert(&second, "b", Some(guest("g")), NOW).await.unwrap();
    first.audit_of(&guest("g"), &audit_id("b")).await.unwrap();
}

/// One migration was edited after it had been published, 2026-11-23.
async fn a_database_with_the_first_site_runs_gets_what_they_lacked(database: TestDatabase) {
    const FIRST: &str =
        "4744fa8269c9adbb6795c65b12236ef85fd866a0fb86a0dafad54b540de6473e3d971f9833663ae7f400359ed0e1947a";
    opened(&database).await.close().await;
    database.execute("DROP INDEX site_runs_of_target").await;
    database.execute("ALTER TABLE site_runs DROP COLUMN target").await;
    let checksum = if database.is_postgres() { format!("'\\x{FIRST}'") } else { format!("x'{FIRST}'") };
    let earlier = format!("UPDATE _sqlx_migrations SET checksum = {checksum} WHERE version = 16");
    database.execute(&earlier).await;
    for _ in 0..2 {
        opened(&database).await.close().await;
        database.execute("SELECT target FROM site_runs WHERE target IS NULL AND state = 'running'").await;
        database.execute("DROP INDEX site_runs_of_target").await;
        database.execute("CREATE INDEX site_runs_of_target ON site_runs (target) WHERE state = 'running'").await;
    }
    database.execute("UPDATE _sqlx_migrations SET checksum = checksum || checksum WHERE version = 16").await;
    let refused = Store::open(database.url()).await;
    assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "another text is not ours: {refused:?}");
}

#[tokio::test]
async fn an_address_of_neither_database_is_unavailable() {
    for url in ["", "mysql://localhost/x", "sqlite://", "sqlite://:memory:", "sqlite://x.db?mode=ro", "postgres://"] {
        let answer = Store::open(url).await;
        assert!(matches!(answer, Err(StoreError::Unavailable { .. })), "{url}: {answer:?}");
    }
}

#[tokio::test]
async fn any_path_makes_an_sqlite_file() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["plain.db", "with space.db", "100%.db", "a%20b.db", "#hash.db", "ação.db", "new/folder/x.db"] {
        let path = folder.path().join(name);
        let store = Store::open(&format!("sqlite://{}", path.display())).await.unwrap();
        store.ping().await.unwrap();
        store.close().await;
        assert!(path.is_file(), "{name}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn an_sqlite_file_is_its_owners_only() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let store = Store::open(&format!("sqlite://{}/x.db", data.display())).await.unwrap();
    insert(&store, "a", None, NOW).await.unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for name in ["x.db", "x.db-wal", "x.db-shm"] {
        assert_eq!(mode(&data.join(name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn an_sqlite_file_has_our_pages_and_log() {
    let database = TestDatabase::sqlite();
    let _store = opened(&database).await;
    assert_eq!(database.row("PRAGMA page_size").await.try_get::<i64, _>(0).unwrap(), 8192);
    assert_eq!(database.row("PRAGMA journal_mode").await.try_get::<String, _>(0).unwrap(), "wal");
}

#[tokio::test]
async fn a_damaged_sqlite_file_is_refused() {
    let database = TestDatabase::sqlite();
    let store = opened(&database).await;
    for n in 0..50 {
        insert(&store, &format!("audit-{n}"), Some(guest("g")), NOW).await.unwrap();
    }
    store.close().await;
    let path = database.url().strip_prefix("sqlite://").unwrap();
    let whole = std::fs::read(path).unwrap();

    let mut torn = whole.clone();
    torn[8192..].fill(0x5a);
    for damaged in [torn, b"not a database at all".repeat(1000)] {
        std::fs::write(path, damaged).unwrap();
        let answer = Store::open(database.url()).await;
        assert!(matches!(answer, Err(StoreError::Corrupt { .. })), "{answer:?}");
    }
}

#[tokio::test]
async fn a_postgres_database_that_acknowledges_early_is_refused() {
    let Some(database) = TestDatabase::postgres().await else { return };
    let name = database.name().unwrap();
    database.execute(&format!("ALTER DATABASE {name} SET synchronous_commit = off")).await;
    let answer = Store::open(database.url()).await;
    assert!(matches!(answer, Err(StoreError::Unavailable { .. })), "{answer:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_was_deleted_or_replaced_takes_no_writes() {
    for replaced in [false, true] {
        let database = TestDatabase::sqlite();
        let store = opened(&database).await;
        insert(&store, "a", Some(guest("g")), NOW).await.unwrap();
        let path = database.url().strip_prefix("sqlite://").unwrap();
        if replaced {
            std::fs::copy(path, format!("{path}.new")).unwrap();
            std::fs::rename(format!("{path}.new"), path).unwrap();
        } else {
            std::fs::remove_file(path).unwrap();
        }
        for refused in [store.ping().await, insert(&store, "b", Some(guest("g")), NOW).await] {
            let Err(StoreError::Unavailable { source, .. }) = refused else { panic!("{refused:?}") };
            assert!(source.to_string().ends_with("was deleted or replaced; restart the server"), "{source}");
        }
    }
}
