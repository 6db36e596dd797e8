//! Access to either database: runs statements and transactions.
//!
//! Most writes of the store are one statement, atomic by itself, so that on SQLite many of them can share a commit
//! (see [`crate::sqlite`]) and on PostgreSQL each costs one round trip. What takes several goes through
//! [`Db::transact`].

use std::time::Duration;

use sqlx::any::AnyRow;
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyPool, Connection as _};

use crate::error::{StoreError, is_unanswered};
use crate::place::{OpenedFile, SQLITE};
use crate::readers::QueryConnections;
use crate::sqlite::WriterQueue;
use crate::statement::{Statement, Steps};
use crate::transaction::Transaction;
use crate::{postgres, sqlite};

/// Timeout of a statement, queueing included. Chosen: as long as PostgreSQL may run one, so that a silent server fails
/// like a slow one.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// Attempts at a transaction that PostgreSQL rolled back in favour of another (serialization failure, deadlock).
const TRIES: u32 = 4;

/// Connections of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolState {
    /// `readers` and `writer` of SQLite, or `postgresql`.
    pub name: &'static str,
    /// Open and free.
    pub idle: u64,
    /// Open and in use. The writer of SQLite is, while writes wait for it.
    pub used: u64,
    /// The most that may be open.
    pub most: u64,
    /// Calls that wait for one; `None` where nobody counts them.
    pub waiting: Option<u64>,
}

/// An open database.
pub(crate) enum Db {
    /// Writes queue up for one connection; readers have their own.
    Sqlite { writer: WriterQueue, readers: QueryConnections, file: OpenedFile },
    /// The server does the queueing.
    Postgres { pool: AnyPool },
}

impl Db {
    /// Opens `database_url` (`sqlite://…` or `postgres://…`) and brings its tables up to date.
    pub(crate) async fn open(database_url: &str) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        if let Some(path) = database_url.strip_prefix(SQLITE) {
            let (writer, readers, file) = sqlite::open(path).await?;
            Ok(Self::Sqlite { writer, readers, file })
        } else if database_url.starts_with("postgres://") || database_url.starts_with("postgresql://") {
            Ok(Self::Postgres { pool: postgres::open(database_url).await? })
        } else {
            Err(StoreError::unavailable("opening the database", "its address starts with sqlite:// or postgres://"))
        }
    }

    /// Runs a query; its first row, if any.
    pub(crate) async fn read(&self, subject: &'static str, statement: Statement) -> Result<Option<AnyRow>, StoreError> {
        // In a box: it takes kilobytes of every future that waits for it otherwise.
        let work = Box::pin(async move {
            match self {
                Self::Sqlite { readers, .. } => readers.row(statement).await,
                Self::Postgres { pool } => {
                    let mut connection = pool.acquire().await?;
                    let done = statement.fetch_optional(&mut *connection).await;
                    end_if_broken(&mut connection, done)
                }
            }
        });
        in_time(subject, async { work.await.map_err(|error| StoreError::of_driver(subject, error)) }).await
    }

    /// Runs a query; all its rows. The query has to bound their number.
    pub(crate) async fn read_all(
        &self,
        subject: &'static str,
        statement: Statement,
    ) -> Result<Vec<AnyRow>, StoreError> {
        let work = Box::pin(async move {
            match self {
                Self::Sqlite { readers, .. } => readers.rows(statement).await,
                Self::Postgres { pool } => fetch_all(pool, statement).await,
            }
        });
        in_time(subject, async { work.await.map_err(|error| StoreError::of_driver(subject, error)) }).await
    }

    /// Runs `steps` in one transaction and returns once it is durable. Any `Err`, also a refusal of the caller's own
    /// type, rolls it back.
    ///
    /// On SQLite no other write runs at the same time. On PostgreSQL others do, so steps that read and then write first
    /// lock the row with an `UPDATE` that changes nothing, which both databases understand. Steps wait for nothing but
    /// statements, and may be retried from the start.
    pub(crate) async fn transact<T, E, F>(&self, subject: &'static str, steps: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: for<'t> Fn(&'t mut Transaction<'_>) -> Steps<'t, Result<T, E>> + Send + Sync + 'static,
    {
        let work = Box::pin(async {
            match self {
                Self::Sqlite { writer, .. } => writer.transact(subject, steps).await,
                Self::Postgres { pool } => {
                    let mut tries = 1;
                    loop {
                        match transact_once(pool, subject, &steps).await {
                            Err(RolledBack { may_repeat: true, .. }) if tries < TRIES => tries += 1,
                            done => return done.map_err(|rolled_back| rolled_back.error),
                        }
                    }
                }
            }
        });
        tokio::time::timeout(ANSWER_WITHIN, work)
            .await
            .unwrap_or_else(|_| Err(StoreError::Busy { subject, source: None }.into()))
    }

    /// Runs a write and returns its rows once it is durable.
    pub(crate) async fn write(&self, subject: &'static str, statement: Statement) -> Result<Vec<AnyRow>, StoreError> {
        let work = Box::pin(async move {
            match self {
                Self::Sqlite { writer, .. } => writer.write(subject, statement).await,
                Self::Postgres { pool } => {
                    fetch_all(pool, statement).await.map_err(|error| StoreError::of_driver(subject, error))
                }
            }
        });
        in_time(subject, work).await
    }

    /// Whether the database is a file of one server process (SQLite).
    pub(crate) fn is_embedded(&self) -> bool {
        matches!(self, Self::Sqlite { .. })
    }

    /// The connections.
    pub(crate) fn pools(&self) -> Vec<PoolState> {
        // Idle and open ones are counted one after the other, and may change between.
        let state = |name, idle: u64, open: u64, most| {
            let (idle, used) = (idle.min(open), open.saturating_sub(idle));
            PoolState { name, idle, used, most, waiting: None }
        };
        match self {
            Self::Sqlite { writer, readers, .. } => {
                let waiting = writer.waiting() as u64;
                let used = u64::from(waiting > 0);
                let writer = PoolState { name: "writer", idle: 1 - used, used, most: 1, waiting: Some(waiting) };
                let (idle, open) = readers.counts();
                vec![state("readers", idle, open, readers.most()), writer]
            }
            Self::Postgres { pool } => {
                let most = pool.options().get_max_connections().into();
                vec![state("postgresql", pool.num_idle() as u64, pool.size().into(), most)]
            }
        }
    }

    /// The name of the database system (`db.system.name` of OpenTelemetry's semantic conventions).
    pub(crate) fn system(&self) -> &'static str {
        match self {
            Self::Sqlite { .. } => "sqlite",
            Self::Postgres { .. } => "postgresql",
        }
    }

    /// The query for the database's clock; `None` where that is this machine's.
    pub(crate) fn clock(&self) -> Option<Statement> {
        match self {
            Self::Sqlite { .. } => None,
            Self::Postgres { .. } => Some(sqlx::query(postgres::CLOCK)),
        }
    }

    /// An error where the file of an embedded database is gone.
    pub(crate) fn check_file(&self, subject: &'static str) -> Result<(), StoreError> {
        match self {
            Self::Sqlite { file, .. } => file.check(subject),
            Self::Postgres { .. } => Ok(()),
        }
    }

    /// Finishes the writes that were accepted and closes all connections.
    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite { writer, readers, .. } => {
                // Readers first: the last connection to close checkpoints the log into the database file.
                readers.close().await;
                writer.close().await;
            }
            Self::Postgres { pool } => pool.close().await,
        }
    }
}

/// A transaction of which nothing was kept, as far as is known.
struct RolledBack<E> {
    error: E,
    /// PostgreSQL rolled it back in favour of another; a new attempt may succeed.
    may_repeat: bool,
    /// A statement has no answer, so its connection is of no use any more.
    is_unanswered: bool,
}

async fn transact_once<T, E, F>(pool: &AnyPool, subject: &'static str, steps: &F) -> Result<T, RolledBack<E>>
where
    E: From<StoreError>,
    F: for<'t> Fn(&'t mut Transaction<'_>) -> Steps<'t, Result<T, E>>,
{
    let failed = |error: sqlx::Error| {
        let is_unanswered = is_unanswered(&error);
        RolledBack { error: StoreError::of_driver(subject, error).into(), may_repeat: false, is_unanswered }
    };
    let mut connection = pool.acquire().await.map_err(failed)?;
    let done = async {
        let mut begun = connection.begin().await.map_err(failed)?;
        let mut transaction = Transaction::new(subject, &mut begun);
        let done = steps(&mut transaction).await;
        let (failure, may_repeat) = transaction.end();
        let is_unanswered = matches!(failure, Some(StoreError::Unavailable { .. }));
        match (done, failure) {
            (Ok(value), None) => {
                begun.commit().await.map_err(failed)?;
                Ok(value)
            }
            // Uncommitted, it is rolled back. A failed statement has aborted the transaction whatever the steps made of it:
            // PostgreSQL answers a commit then with a rollback, and reports success.
            (Ok(_), Some(error)) => Err(RolledBack { error: error.into(), may_repeat, is_unanswered }),
            (Err(error), _) => Err(RolledBack { error, may_repeat, is_unanswered }),
        }
    }
    .await;
    if matches!(done, Err(RolledBack { is_unanswered: true, .. })) {
        connection.close_on_drop();
    }
    done
}

async fn fetch_all(pool: &AnyPool, statement: Statement) -> Result<Vec<AnyRow>, sqlx::Error> {
    let mut connection = pool.acquire().await?;
    let done = statement.fetch_all(&mut *connection).await;
    end_if_broken(&mut connection, done)
}

/// Ends a connection on which a statement has no answer.
fn end_if_broken<T>(connection: &mut PoolConnection<Any>, done: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
    if done.as_ref().is_err_and(is_unanswered) {
        connection.close_on_drop();
    }
    done
}

async fn in_time<T>(subject: &'static str, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    tokio::time::timeout(ANSWER_WITHIN, work).await.unwrap_or(Err(StoreError::Busy { subject, source: None }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::Row as _;
    use std::sync::Arc;
    use testkit::TestDatabase;

    testkit::on_both_databases! {
        steps_are_kept_together_or_not_at_all,
        steps_that_pass_over_a_failure_are_undone_all_the_same,
        steps_that_read_and_then_write_see_each_other,
        a_refusal_is_its_callers_alone,
    }

    const INSERT: &str = "INSERT INTO hourly_counters (bucket, spent_until) VALUES ($1, $2)";

    /// The caller's own kind of refusal.
    #[derive(Debug, PartialEq)]
    enum Refusal {
        Unwanted,
        Failed,
    }

    impl From<StoreError> for Refusal {
        fn from(_: StoreError) -> Self {
            Self::Failed
        }
    }

    fn insert(bucket: &str) -> Statement {
        sqlx::query(INSERT).bind(bucket.to_owned()).bind(0_i64)
    }

    async fn buckets(db: &Db) -> Vec<String> {
        let rows = db.read_all("t", sqlx::query("SELECT bucket FROM hourly_counters ORDER BY bucket")).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }

    async fn steps_are_kept_together_or_not_at_all(database: TestDatabase) {
        let db = Db::open(database.url()).await.unwrap();
        let both = |second: &'static str| {
            db.transact::<_, StoreError, _>("t", move |transaction| {
                Box::pin(async move {
                    transaction.run(insert("a")).await?;
                    transaction.run(insert(second)).await
                })
            })
        };
        assert!(matches!(both("a").await, Err(StoreError::Conflict { .. })));
        assert_eq!(buckets(&db).await, Vec::<String>::new());
        assert_eq!(both("b").await.unwrap(), 1);
        assert_eq!(buckets(&db).await, ["a", "b"]);
        let refused = db
            .transact::<(), _, _>("t", |transaction| {
                Box::pin(async move {
                    transaction.run(insert("c")).await?;
                    Err(Refusal::Unwanted)
                })
            })
            .await;
        assert_eq!(refused, Err(Refusal::Unwanted));
        assert_eq!(buckets(&db).await, ["a", "b"]);
        db.close().await;
    }

    async fn steps_that_pass_over_a_failure_are_undone_all_the_same(database: TestDatabase) {
        let db = Db::open(database.url()).await.unwrap();
        let done = db
            .transact::<_, StoreError, _>("t", |transaction| {
                Box::pin(async move {
                    transaction.run(insert("a")).await?;
                    let twice = transaction.run(insert("a")).await;
                    Ok(twice.is_err())
                })
            })
            .await;
        assert!(matches!(done, Err(StoreError::Conflict { .. })), "{done:?}");
        assert_eq!(buckets(&db).await, Vec::<String>::new());
        db.close().await;
    }

    async fn steps_that_read_and_then_write_see_each_other(database: TestDatabase) {
        const WRITERS: i64 = 40;
        let db = Arc::new(Db::open(database.url()).await.unwrap());
        db.write("t", insert("a")).await.unwrap();
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..WRITERS {
            let db = Arc::clone(&db);
            tasks.spawn(async move {
                db.transact::<_, StoreError, _>("t", |transaction| {
                    Box::pin(async move {
                        let lock = "UPDATE hourly_counters SET bucket = bucket WHERE bucket = 'a'";
                        transaction.run(sqlx::query(lock)).await?;
                        let read = sqlx::query("SELECT spent_until FROM hourly_counters WHERE bucket = 'a'");
                        let seen: i64 = transaction.first(read).await?.map_or(-1, |row| row.get(0));
                        let write = sqlx::query("UPDATE hourly_counters SET spent_until = $1 WHERE bucket = 'a'");
                        transaction.run(write.bind(seen + 1)).await
                    })
                })
                .await
            });
        }
        while let Some(done) = tasks.join_next().await {
            assert_eq!(done.unwrap().unwrap(), 1);
        }
        let row = db.read("t", sqlx::query("SELECT spent_until FROM hourly_counters")).await.unwrap().unwrap();
        assert_eq!(row.get::<i64, _>(0), WRITERS);
        db.close().await;
    }

    async fn a_refusal_is_its_callers_alone(database: TestDatabase) {
        let db = Db::open(database.url()).await.unwrap();
        let refused = db.transact::<(), _, _>("t", |_| Box::pin(async { Err(Refusal::Unwanted) }));
        let (refused, committed, conflict, also_committed) = tokio::join!(
            refused,
            db.write("t", insert("a")),
            db.transact::<u64, StoreError, _>("t", |transaction| {
                Box::pin(async move { transaction.run(sqlx::query("INSERT INTO no_such_table VALUES (1)")).await })
            }),
            db.write("t", insert("b")),
        );
        assert_eq!(refused, Err(Refusal::Unwanted));
        assert!(matches!(conflict, Err(StoreError::Refused { .. })), "{conflict:?}");
        committed.unwrap();
        also_committed.unwrap();
        assert_eq!(buckets(&db).await, ["a", "b"]);
        db.close().await;
    }
}
