//! Test databases, which live as long as a test.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Connection, Executor, Row};
use tempfile::TempDir;
use url::Url;

/// Address of a PostgreSQL superuser, as `postgres://…/postgres`.
const POSTGRES: &str = "SITE_AUDIT_TEST_POSTGRES";

/// When one of these is set, tests without [`POSTGRES`] fail rather than pass.
const REQUIRED: [&str; 2] = ["CI", "SITE_AUDIT_TEST_REQUIRE_POSTGRES"];

/// `server_version_num` of the first PostgreSQL that knows `CREATE DATABASE … STRATEGY`.
const FILE_COPY_SINCE: u32 = 150_000;

/// Where Linux mounts a file system in memory (tmpfs).
const MEMORY: &str = "/dev/shm";

/// Kibibytes that it must have, for the databases of all tests that run at once. Containers may give it 64 MiB.
const MEMORY_KIB: u64 = 1024 * 1024;

/// A fresh, empty database on either server; gone when dropped.
#[derive(Debug)]
pub struct TestDatabase {
    url: String,
    place: DatabasePlace,
}

#[derive(Debug)]
enum DatabasePlace {
    Folder(#[expect(dead_code, reason = "held to be removed when dropped")] TempDir),
    Server { admin: Url, name: String },
}

impl TestDatabase {
    /// An SQLite file that is not there yet, in memory where the machine has a file system for that: its commits would
    /// wait for the disk for most of a test, and tests kill processes, never the machine.
    pub fn sqlite() -> Self {
        let folder = match is_memory_large_enough() {
            true => tempfile::Builder::new().prefix("site-audit-test-").tempdir_in(MEMORY).unwrap(),
            false => tempfile::tempdir().unwrap(),
        };
        Self::of_folder(folder)
    }

    /// The same in a folder of the test's choice.
    pub fn sqlite_in(folder: &Path) -> Self {
        Self::of_folder(tempfile::tempdir_in(folder).unwrap())
    }

    fn of_folder(folder: TempDir) -> Self {
        let url = format!("sqlite://{}/data/site-audit.db", folder.path().display());
        Self { url, place: DatabasePlace::Folder(folder) }
    }

    /// A new PostgreSQL database; `None`, with a line printed, where there is no server and none is required.
    pub async fn postgres() -> Option<Self> {
        let Ok(admin) = std::env::var(POSTGRES) else {
            assert!(!REQUIRED.iter().any(|name| std::env::var_os(name).is_some()), "{POSTGRES} is not set");
            println!("not run on PostgreSQL: {POSTGRES} is not set");
            return None;
        };
        Some(Self::on_server(&admin).await)
    }

    /// A new database on the server of this superuser's address.
    pub async fn on_server(admin: &str) -> Self {
        let admin: Url = admin.parse().unwrap();
        let name = unique_name();
        create(admin.as_str(), &name).await;
        let mut url = admin.clone();
        url.set_path(&name);
        Self { url: url.into(), place: DatabasePlace::Server { admin, name } }
    }

    /// Its address, as `database_url` takes it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether it is PostgreSQL.
    pub fn is_postgres(&self) -> bool {
        matches!(self.place, DatabasePlace::Server { .. })
    }

    /// The name of its system.
    pub fn system(&self) -> &'static str {
        if self.is_postgres() { "PostgreSQL" } else { "SQLite" }
    }

    /// A connection beside the store, to look behind it or to do it harm.
    pub async fn connection(&self) -> AnyConnection {
        connect(&self.url).await
    }

    /// Runs `sql` beside the store.
    pub async fn execute(&self, sql: &str) {
        execute(&self.url, sql).await;
    }

    /// The one row that `sql` gives.
    pub async fn row(&self, sql: &'static str) -> AnyRow {
        self.connection().await.fetch_one(sql).await.unwrap()
    }

    /// Keeps everybody else from writing: to `tables` on PostgreSQL, where they can't be read either, to anything on
    /// SQLite.
    pub async fn hold(&self, tables: &[&str]) -> Held {
        let mut connection = self.connection().await;
        let sql = if self.is_postgres() {
            format!("BEGIN; LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", tables.join(", "))
        } else {
            "BEGIN EXCLUSIVE".to_owned()
        };
        connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.unwrap();
        Held(connection)
    }

    /// Holds it as another process would that writes and does not commit: others read, and can't write to these
    /// tables.
    pub async fn hold_writes(&self, tables: &[&str]) -> Held {
        let mut connection = self.connection().await;
        let sql = if self.is_postgres() {
            format!("BEGIN; LOCK TABLE {} IN EXCLUSIVE MODE", tables.join(", "))
        } else {
            "BEGIN IMMEDIATE".to_owned()
        };
        connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.unwrap();
        Held(connection)
    }

    /// Its name on the PostgreSQL server.
    pub fn name(&self) -> Option<&str> {
        match &self.place {
            DatabasePlace::Server { name, .. } => Some(name),
            DatabasePlace::Folder(_) => None,
        }
    }
}

/// A database that nobody else writes to.
pub struct Held(AnyConnection);

impl Held {
    /// Releases it.
    pub async fn release(mut self) {
        self.0.execute(sqlx::raw_sql("ROLLBACK")).await.unwrap();
        self.0.close().await.unwrap();
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let DatabasePlace::Server { admin, name } = &self.place else { return };
        let (admin, sql) = (admin.to_string(), format!("DROP DATABASE {name} WITH (FORCE)"));
        // A runtime of its own on a thread of its own: this one may be unwinding, and can't wait here.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(execute(&admin, &sql));
        })
        .join();
        if dropped.is_err() {
            println!("the test database {name} was left behind");
        }
    }
}

/// Creates an empty database. Where the server can (PostgreSQL 15), its files are copied: a copy through the write-ahead
/// log, the default there, takes four times the CPU time.
async fn create(admin: &str, name: &str) {
    let mut connection = connect(admin).await;
    let version: String = connection.fetch_one("SHOW server_version_num").await.unwrap().get(0);
    let strategy = if version.parse::<u32>().unwrap() >= FILE_COPY_SINCE { "STRATEGY file_copy" } else { "" };
    let sql = format!("CREATE DATABASE {name} TEMPLATE template0 {strategy}");
    connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.unwrap();
    connection.close().await.unwrap();
}

async fn connect(url: &str) -> AnyConnection {
    sqlx::any::install_default_drivers();
    AnyConnection::connect(url).await.unwrap()
}

async fn execute(url: &str, sql: &str) {
    let mut connection = connect(url).await;
    connection.execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await.unwrap();
    connection.close().await.unwrap();
}

/// Whether [`MEMORY`] is mounted and large enough. Without a size of its own it has half of the machine's memory.
fn is_memory_large_enough() -> bool {
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    let mut options = mounts.lines().filter_map(|mount| {
        let mut fields = mount.split(' ');
        let (_, place, kind, options) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        (place == MEMORY && kind == "tmpfs").then_some(options)
    });
    options.next().is_some_and(|options| {
        let size = options.split(',').find_map(|option| option.strip_prefix("size=")?.strip_suffix('k')?.parse().ok());
        size.is_none_or(|kib: u64| kib >= MEMORY_KIB)
    })
}

fn unique_name() -> String {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    format!("site_audit_{}_{started}_{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed))
}
