//! A PostgreSQL of our own for the tests: on a free loopback port, in a temporary folder, gone afterwards.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::packages::{install, is_root};

/// Connections that all tests may hold at once: 16 a service, and a test or two for each core of a large machine.
const CONNECTIONS: u32 = 1_000;

/// A running server. Dropping it stops the server and removes its folder.
pub(crate) struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
}

impl Postgres {
    /// Installs PostgreSQL where it is missing and may be installed, then starts a server.
    pub(crate) fn start(root: &Path) -> Result<Self> {
        let programs = match programs() {
            Some(found) => found,
            None => {
                install(root, "postgresql", "the test database")?;
                programs().context("PostgreSQL was installed, but its programs are not below /usr/lib/postgresql")?
            }
        };
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let folder = std::env::temp_dir().join(format!("site-audit-postgres-{port}"));
        std::fs::create_dir_all(&folder)?;
        let server = Self { programs, folder, port };
        server.open_folder()?;
        let data = server.data();
        server.run("initdb", &["--auth=trust", "--username=postgres", "--encoding=UTF8", "--pgdata", &data])?;
        // Nothing of it is to outlive the tests, so no commit waits for a slow disk: under load a wait for one becomes an
        // answer of 503. The service asks for `synchronous_commit`, which stays on. A database lives for a second, which is too
        // short for vacuuming, replication and compiled queries to pay.
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={} -c max_connections={CONNECTIONS} \
             -c fsync=off -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 -c autovacuum=off -c jit=off",
            server.folder.display()
        );
        let log = server.folder.join("log").display().to_string();
        server.run("pg_ctl", &["start", "--wait", "--pgdata", &data, "--log", &log, "--options", &options])?;
        Ok(server)
    }

    /// Address of a database in which others may be created.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    fn data(&self) -> String {
        self.folder.join("data").display().to_string()
    }

    /// The server refuses to run as root, so its folder goes to the user that the package made.
    fn open_folder(&self) -> Result<()> {
        if !is_root() {
            return Ok(());
        }
        let status = Command::new("chown").arg("postgres").arg(&self.folder).status().context("chown")?;
        if status.success() { Ok(()) } else { bail!("{} could not be given to postgres", self.folder.display()) }
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<()> {
        let path = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(&path);
            command
        } else {
            Command::new(&path)
        };
        let output = command
            .args(arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .with_context(|| format!("{} could not be started", path.display()))?;
        if output.success() { Ok(()) } else { bail!("{program} failed: {output}") }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let stopped = self.run("pg_ctl", &["stop", "--mode=immediate", "--pgdata", &self.data()]);
        let removed = std::fs::remove_dir_all(&self.folder);
        if stopped.is_err() || removed.is_err() {
            println!("left behind: the test database in {}", self.folder.display());
        }
    }
}

/// The folder with `initdb` of the newest version installed.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut folders: Vec<PathBuf> = versions.flatten().map(|entry| entry.path().join("bin")).collect();
    folders.retain(|folder| folder.join("initdb").exists());
    folders.sort();
    folders.pop()
}
