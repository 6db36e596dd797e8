//! Real local peers for tests. A dev-dependency only: it fails by panicking and says on stdout what it passes over.

#![expect(clippy::disallowed_methods, reason = "real peers for tests")]
#![expect(clippy::print_stdout, reason = "tests say what they pass over")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

pub mod browser;
#[cfg(feature = "servers")]
mod database;
#[cfg(feature = "servers")]
pub mod facilitator;
pub mod faults;
#[cfg(feature = "servers")]
mod lab;
pub mod made_site;
mod ports;
pub mod postgres_server;
#[cfg(feature = "servers")]
mod site;
#[cfg(feature = "servers")]
mod smtp;

#[cfg(feature = "servers")]
pub use database::TestDatabase;
pub use ports::{free_address, free_port};
#[cfg(feature = "servers")]
pub mod wallet;
#[cfg(feature = "servers")]
pub use lab::{LabMood, LabServer};
#[cfg(feature = "servers")]
pub use site::{ReceivedRequest, SiteAnswer, TestSite};
#[cfg(feature = "servers")]
pub use smtp::{MailServer, Mood, ReceivedMail};

/// Makes, of each `async fn name(database: TestDatabase)`, one test on SQLite and one on PostgreSQL. A macro, because
/// the test harness finds tests by attribute only.
#[cfg(feature = "servers")]
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
