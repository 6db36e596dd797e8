//! The store on both databases. Each test runs on SQLite and on PostgreSQL, each time in a database of its own.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests fail by panicking and say what they pass over")]

mod audits;
mod database;
mod durability;
mod guests;
mod opening;
mod quotas;
mod retention;
mod sample;

/// Makes, of each `async fn name(database: TestDatabase)`, one test on SQLite and one on PostgreSQL. A macro, because
/// the test harness finds tests by attribute only.
macro_rules! on_both_databases {
    ($($name:ident),+ $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(crate::database::TestDatabase::sqlite()).await;
            })+
        }
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                if let Some(database) = crate::database::TestDatabase::postgres().await {
                    super::$name(database).await;
                }
            })+
        }
    };
}
pub(crate) use on_both_databases;
