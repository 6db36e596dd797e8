//! A look into a database that changes nothing: for the operator, before and while a server runs.

use std::time::Duration;

use model::time::Timestamp;
use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, ConnectOptions as _, Connection as _, Executor as _, Row as _};

use crate::error::StoreError;
use crate::place::database_file;
use crate::{backup, migrations, postgres, sqlite};

/// Timeout of all of it.
const WITHIN: Duration = Duration::from_secs(10);

const SUBJECT: &str = "looking into the database";
const IS_ENCRYPTED: &str =
    "SELECT CAST(CASE WHEN ssl THEN 1 ELSE 0 END AS BIGINT) FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
const CONNECTIONS: &str = "SELECT CAST(current_setting('max_connections') AS BIGINT)";

/// What there is of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseState {
    /// No file, or a database without tables: the first start makes them.
    Empty,
    /// A database of this program.
    Present(DatabaseFacts),
}

/// Facts of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseFacts {
    /// Version of its tables.
    pub version: i64,
    /// The newest version that this program knows.
    pub newest: i64,
    /// A move into it began and did not end.
    pub is_unfinished: bool,
    /// Facts of a database on a server; `None` of a file.
    pub server: Option<ServerFacts>,
}

/// Facts of a database on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFacts {
    /// Its clock.
    pub clock: Timestamp,
    /// Whether the connection is encrypted.
    pub is_encrypted: bool,
    /// Connections that the server takes at most.
    pub connections: i64,
}

/// Looks into the database at an address, within 10 seconds, and changes nothing.
pub async fn examine(database_url: &str) -> Result<DatabaseState, StoreError> {
    let done = tokio::time::timeout(WITHIN, async {
        match database_file(database_url) {
            Some(file) if !file.is_file() => Ok(DatabaseState::Empty),
            Some(file) => {
                sqlx::any::install_default_drivers();
                look(connected(sqlite::options(&file, "?mode=ro")?).await?, false).await
            }
            None if backup::has_tables(database_url).await? => look(postgres::connect(database_url).await?, true).await,
            None => Ok(DatabaseState::Empty),
        }
    });
    done.await.map_err(|_| StoreError::unavailable(SUBJECT, "it did not answer within 10 seconds"))?
}

async fn connected(options: AnyConnectOptions) -> Result<AnyConnection, StoreError> {
    options.connect().await.map_err(driver)
}

async fn look(mut connection: AnyConnection, is_server: bool) -> Result<DatabaseState, StoreError> {
    let version: Option<i64> = first(&mut connection, backup::VERSION).await?;
    let facts = DatabaseFacts {
        version: version.unwrap_or_default(),
        newest: migrations::newest(),
        is_unfinished: is_server && postgres::is_unfinished(&mut connection).await?,
        server: match is_server {
            true => Some(ServerFacts {
                clock: Timestamp(first(&mut connection, postgres::CLOCK).await?),
                is_encrypted: first::<i64>(&mut connection, IS_ENCRYPTED).await? == 1,
                connections: first(&mut connection, CONNECTIONS).await?,
            }),
            false => None,
        },
    };
    connection.close().await.map_err(driver)?;
    Ok(DatabaseState::Present(facts))
}

/// The first value of the first row.
async fn first<T>(connection: &mut AnyConnection, sql: &'static str) -> Result<T, StoreError>
where
    T: for<'r> sqlx::Decode<'r, sqlx::Any> + sqlx::Type<sqlx::Any>,
{
    connection.fetch_one(sql).await.and_then(|row| row.try_get(0)).map_err(driver)
}

fn driver(error: sqlx::Error) -> StoreError {
    StoreError::of_driver(SUBJECT, error)
}
