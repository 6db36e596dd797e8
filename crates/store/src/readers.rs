//! Connections for queries of SQLite.
//!
//! The pool asks a connection whether it is alive before it is lent and when it comes back, and each question goes to the
//! connection's own thread and back: two ways for a query that is one. A file does not go away as a server does, so
//! connections stay here between queries.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sqlx::any::AnyRow;
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyPool};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::is_unanswered;
use crate::statement::Statement;

/// Connections that are lent, a bounded number at once; waiters get them in the order in which they came.
pub(crate) struct QueryConnections {
    pool: AnyPool,
    /// Open and free. The pool counts them as lent.
    idle: Mutex<Vec<PoolConnection<Any>>>,
    /// A permit for each connection that the pool may open, so that it never has to wait for one that is idle here.
    free: Semaphore,
    /// The runtime in which connections go to the pool; none where they were made outside of one.
    runtime: Option<Handle>,
}

/// A connection that is lent. Dropped instead of given back, as when its query is cancelled, it goes to the pool, which looks
/// whether it is still of use.
struct LentConnection<'r> {
    readers: &'r QueryConnections,
    connection: PoolConnection<Any>,
    _permit: SemaphorePermit<'r>,
}

impl QueryConnections {
    /// Those of a pool that nobody else uses.
    pub(crate) fn new(pool: AnyPool) -> Self {
        let most = usize::try_from(pool.options().get_max_connections()).unwrap_or(Semaphore::MAX_PERMITS);
        let free = Semaphore::new(most.min(Semaphore::MAX_PERMITS));
        Self { pool, idle: Mutex::default(), free, runtime: Handle::try_current().ok() }
    }

    /// Runs a query; its first row.
    pub(crate) async fn row(&self, statement: Statement) -> Result<Option<AnyRow>, sqlx::Error> {
        let mut lent = self.acquire().await?;
        let done = statement.fetch_optional(&mut *lent.connection).await;
        lent.end(done)
    }

    /// Runs a query; all its rows.
    pub(crate) async fn rows(&self, statement: Statement) -> Result<Vec<AnyRow>, sqlx::Error> {
        let mut lent = self.acquire().await?;
        let done = statement.fetch_all(&mut *lent.connection).await;
        lent.end(done)
    }

    /// Lends a connection; the pool's errors, [`sqlx::Error::PoolTimedOut`] where none is free for as long as the pool would
    /// wait.
    async fn acquire(&self) -> Result<LentConnection<'_>, sqlx::Error> {
        let patience: Duration = self.pool.options().get_acquire_timeout();
        let permit = tokio::time::timeout(patience, self.free.acquire()).await;
        let permit = permit.map_err(|_| sqlx::Error::PoolTimedOut)?.map_err(|_| sqlx::Error::PoolClosed)?;
        if self.pool.is_closed() {
            return Err(sqlx::Error::PoolClosed);
        }
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.pool.acquire().await?,
        };
        Ok(LentConnection { readers: self, connection, _permit: permit })
    }

    /// Connections that are open and free, and all that are open.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let idle = self.idle().len() + self.pool.num_idle();
        (idle as u64, self.pool.size().into())
    }

    /// The most that may be open.
    pub(crate) fn most(&self) -> u64 {
        self.pool.options().get_max_connections().into()
    }

    /// Closes all, those that are lent once they come back.
    pub(crate) async fn close(&self) {
        // Closed before the free ones are let go: none is kept here any more afterwards.
        let closed = self.pool.close();
        self.idle().clear();
        closed.await;
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<PoolConnection<Any>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for QueryConnections {
    /// A connection that goes to its pool begins a task, and panics in a thread without a runtime: the last that holds the
    /// store when a process ends may be one that judges a page.
    fn drop(&mut self) {
        let _within = self.runtime.as_ref().map(Handle::enter);
        self.idle().clear();
    }
}

impl LentConnection<'_> {
    /// Gives the connection back after a query, or ends it where the query has no answer.
    fn end<T>(mut self, done: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        match done.as_ref().is_err_and(is_unanswered) {
            true => self.connection.close_on_drop(),
            false => self.give_back(),
        }
        done
    }

    /// Gives the connection back, for the next query.
    fn give_back(self) {
        let mut idle = self.readers.idle();
        if !self.readers.pool.is_closed() {
            idle.push(self.connection);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use sqlx::any::AnyPoolOptions;

    /// Two, for which a caller waits so long.
    async fn readers(patience: Duration) -> QueryConnections {
        sqlx::any::install_default_drivers();
        let options = AnyPoolOptions::new().max_connections(2).acquire_timeout(patience);
        QueryConnections::new(options.connect("sqlite::memory:").await.unwrap())
    }

    async fn read(reader: &mut LentConnection<'_>) -> i64 {
        sqlx::query_scalar("SELECT 7").fetch_one(&mut *reader.connection).await.unwrap()
    }

    #[test]
    fn any_thread_may_be_the_last_to_hold_them() {
        for is_over in [false, true] {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let readers = runtime.block_on(async {
                let readers = readers(Duration::from_secs(5)).await;
                readers.acquire().await.unwrap().give_back();
                readers
            });
            let runtime = Some(runtime).filter(|_| !is_over);
            let ended = std::thread::scope(|threads| threads.spawn(move || drop(readers)).join());
            assert!(ended.is_ok(), "{is_over}");
            drop(runtime);
        }
    }

    #[tokio::test]
    async fn no_more_are_lent_than_there_may_be_and_those_given_back_are_lent_again() {
        let readers = readers(Duration::from_millis(20)).await;
        let (mut first, mut second) = (readers.acquire().await.unwrap(), readers.acquire().await.unwrap());
        assert_eq!((read(&mut first).await, read(&mut second).await), (7, 7));
        assert_eq!((readers.counts(), readers.most()), ((0, 2), 2));
        assert!(matches!(readers.acquire().await.map(drop), Err(sqlx::Error::PoolTimedOut)));
        first.give_back();
        assert_eq!(readers.counts(), (1, 2));
        let mut again = readers.acquire().await.unwrap();
        assert_eq!((read(&mut again).await, readers.counts()), (7, (0, 2)));
        again.give_back();
        second.give_back();
        assert_eq!(readers.counts(), (2, 2));
        readers.close().await;
    }

    #[tokio::test]
    async fn one_whose_query_was_cancelled_is_not_lost() {
        let readers = readers(Duration::from_secs(60)).await;
        for _ in 0..4 {
            let mut reader = readers.acquire().await.unwrap();
            let long = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 200000) SELECT COUNT(*) FROM n";
            let mut query = Box::pin(sqlx::query(long).fetch_one(&mut *reader.connection));
            let poll = std::future::poll_fn(|context| std::task::Poll::Ready(query.as_mut().poll(context))).await;
            assert!(poll.is_pending());
            drop(query);
            drop(reader);
        }
        let mut reader = readers.acquire().await.unwrap();
        assert_eq!(read(&mut reader).await, 7);
        drop(reader);
        readers.close().await;
    }

    #[tokio::test]
    async fn a_closed_one_lends_nothing_and_waits_for_what_is_lent() {
        let readers = readers(Duration::from_secs(60)).await;
        let lent = readers.acquire().await.unwrap();
        readers.acquire().await.unwrap().give_back();
        let closing = readers.close();
        tokio::pin!(closing);
        let poll = std::future::poll_fn(|context| std::task::Poll::Ready(closing.as_mut().poll(context))).await;
        assert!(poll.is_pending());
        assert!(matches!(readers.acquire().await.map(drop), Err(sqlx::Error::PoolClosed)));
        lent.give_back();
        closing.await;
        assert_eq!(readers.counts(), (0, 0));
    }
}
