//! PostgreSQL: the setup of connections.

use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{AnyConnection, AnyPool, ConnectOptions, Connection, Executor, Row};

use crate::error::StoreError;
use crate::migrations;

/// What an error is told to have happened at.
const OPENING: &str = "opening the PostgreSQL database";
/// Connections of one server process. Chosen: several processes fit into PostgreSQL's default of 100.
const CONNECTIONS: u32 = 16;

/// Timeout of the wait for a free connection, well inside that of a statement.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);

/// Timeouts of a session, in milliseconds.
const SESSION: &str = "SET statement_timeout = 5000; \
    SET lock_timeout = 2000; \
    SET idle_in_transaction_session_timeout = 10000";

const UNFINISHED: &str = "SELECT COUNT(*) FROM information_schema.tables \
    WHERE table_schema = ANY (current_schemas(false)) AND table_name = 'unfinished_transfer'";

/// The server's clock in Unix milliseconds.
pub(crate) const CLOCK: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS now";

/// Connects, verifies that a commit is durable when it is acknowledged, and brings the tables up to date.
pub(crate) async fn open(database_url: &str) -> Result<AnyPool, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(OPENING, error);
    let options: AnyConnectOptions = database_url.parse().map_err(failed)?;

    // Migrations run outside the pool: waiting for another server's migration may take longer than a session's limits.
    let mut connection = connect(database_url).await?;
    if is_unfinished(&mut connection).await? {
        let cause = "a move into this database is not finished; run `site-audit migrate` again";
        return Err(StoreError::unavailable(OPENING, cause));
    }
    migrations::run(&mut connection).await?;
    connection.close().await.map_err(failed)?;

    AnyPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .after_connect(|connection, _| {
            Box::pin(async move { connection.execute(sqlx::raw_sql(SESSION)).await.map(drop) })
        })
        .connect_with(options)
        .await
        .map_err(failed)
}

/// Connects, and verifies that a commit is durable when it is acknowledged.
pub(crate) async fn connect(database_url: &str) -> Result<AnyConnection, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(OPENING, error);
    let options: AnyConnectOptions = database_url.parse().map_err(failed)?;
    let mut connection = options.connect().await.map_err(failed)?;
    verify_durability(&mut connection).await?;
    Ok(connection)
}

/// Whether a move into this database began and did not end (`transfer.rs`).
pub(crate) async fn is_unfinished(connection: &mut AnyConnection) -> Result<bool, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(OPENING, error);
    let row = connection.fetch_one(UNFINISHED).await.map_err(failed)?;
    let tables: i64 = row.try_get(0).map_err(failed)?;
    Ok(tables > 0)
}

/// Refuses a server, role or database that acknowledges commits before they are durable.
async fn verify_durability(connection: &mut AnyConnection) -> Result<(), StoreError> {
    let subject = "verifying synchronous_commit";
    let setting: String = sqlx::query("SHOW synchronous_commit")
        .fetch_one(connection)
        .await
        .and_then(|row| row.try_get(0))
        .map_err(|error| StoreError::of_driver(subject, error))?;
    if setting == "off" {
        return Err(StoreError::unavailable(subject, "it is off; set it to on for this database or role"));
    }
    Ok(())
}
