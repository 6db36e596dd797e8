//! Real local peers for tests. A dev-dependency only: it fails by panicking and says on stdout what it passes over.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests fail by panicking and say what they pass over")]

mod database;
mod site;

pub use database::TestDatabase;
pub use site::{Answer, Asked, Site};

/// Makes, of each `async fn name(database: TestDatabase)`, one test on SQLite and one on PostgreSQL. A macro, because
/// the test harness finds tests by attribute only.
#[macro_export]
macro_rules! on_both_databases {
    ($($name:ident),+ $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name($crate::TestDatabase::sqlite()).await;
            })+
        }
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                if let Some(database) = $crate::TestDatabase::postgres().await {
                    super::$name(database).await;
                }
            })+
        }
    };
}
