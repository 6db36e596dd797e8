//! The PostgreSQL of the tests: installed where it is missing, started for a run of them.

use std::path::Path;

use anyhow::Result;
use testkit::postgres_server::{PostgresServer, THROWAWAY};

use crate::packages::install;

/// Connections that all tests may hold at once: 16 a service, and a test or two for each core of a large machine.
const CONNECTIONS: &str = "max_connections=1000";

/// Nothing of it is to outlive the tests, so no commit waits for a slow disk: under load a wait for one becomes an answer
/// of 503. The service asks for `synchronous_commit`, which stays on. A database lives for a second, which is too short for
/// replication to pay.
const SETTINGS: &[&str] = &[CONNECTIONS, "wal_level=minimal", "max_wal_senders=0"];

/// Installs PostgreSQL where it is missing and may be installed, then starts a server.
pub(crate) fn start(root: &Path) -> Result<PostgresServer> {
    if !PostgresServer::is_installed() {
        install(root, "postgresql", "the test database")?;
    }
    PostgresServer::start(&[THROWAWAY, SETTINGS].concat())
}
