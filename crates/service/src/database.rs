//! The database behind a circuit breaker: an outage costs one caller a second, not every caller five.

use std::sync::Mutex;
use std::time::Duration;

use store::{Store, StoreError};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::error::{Code, ServiceError};

/// Query timeout while serving a call. During an outage an audit must answer within 2 s plus its fetching time, so
/// this is half of that.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(1);
/// How long the breaker stays open after an outage. Chosen: 2 s, so that the database is in use again within 5 s of
/// its return.
const LEFT_ALONE: Duration = Duration::from_secs(2);

/// Background writes in flight at most; each is one small statement.
const MOST_NOTES: usize = 64;

/// The store with query timeout and circuit breaker.
#[derive(Debug)]
pub struct Database {
    store: Store,
    answer_within: Duration,
    /// The breaker is open until then.
    down_until: Mutex<Option<Instant>>,
    /// Background writes.
    later: Mutex<JoinSet<()>>,
}

/// Why a query failed.
#[derive(Debug)]
pub enum DatabaseError {
    /// No such row, or not this owner's.
    NotFound,
    /// The database is down. A write may or may not have happened.
    Down,
    /// A defect, which is logged: corrupt data or a refused statement.
    Defect,
}

/// Opens the store of a database; an error for people names the database and says what to do.
pub async fn open_store(database_url: &str) -> anyhow::Result<Store> {
    Store::open(database_url).await.map_err(|error| {
        let (name, remedy) = (store::database_name(database_url), store::remedy(&error));
        let cause = anyhow::Error::new(error);
        anyhow::anyhow!("database_url: the database {name} can't be opened: {cause:#}; {remedy}")
    })
}

impl Database {
    /// Over an open store, with a query timeout.
    pub fn new(store: Store, answer_within: Duration) -> Self {
        Self { store, answer_within, down_until: Mutex::new(None), later: Mutex::new(JoinSet::new()) }
    }

    /// The store itself, for background work.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Runs a query.
    pub async fn ask<'s, T, F>(&'s self, question: impl FnOnce(&'s Store) -> F) -> Result<T, DatabaseError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        if self.is_left_alone() {
            return Err(DatabaseError::Down);
        }
        match tokio::time::timeout(self.answer_within, question(&self.store)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(StoreError::NotFound { .. })) => Err(DatabaseError::NotFound),
            Ok(Err(error @ (StoreError::Busy { .. } | StoreError::Unavailable { .. }))) => {
                Err(self.went_down(&error.to_string(), std::error::Error::source(&error)))
            }
            Ok(Err(
                error @ (StoreError::Conflict { .. } | StoreError::Corrupt { .. } | StoreError::Refused { .. }),
            )) => {
                // Of this query only: the breaker stays closed.
                let source = std::error::Error::source(&error).map(ToString::to_string);
                tracing::error!(error = %error, source, "a call to the database failed; this is a defect");
                Err(DatabaseError::Defect)
            }
            Err(_) => Err(self.went_down("no answer in time", None)),
        }
    }

    /// Runs a query even while the breaker is open, for a write that would be lost otherwise. Its outcome does not
    /// affect the breaker.
    pub async fn insist<'s, T, F>(&'s self, question: impl FnOnce(&'s Store) -> F) -> Result<T, DatabaseError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        match tokio::time::timeout(self.answer_within, question(&self.store)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => {
                let source = std::error::Error::source(&error).map(ToString::to_string);
                tracing::warn!(error = %error, source, "a write to the database failed");
                Err(DatabaseError::Down)
            }
            Err(_) => Err(DatabaseError::Down),
        }
    }

    /// Writes in the background. The write is dropped while the database is down, or while [`MOST_NOTES`] others are
    /// in flight.
    pub fn later<F>(&self, note: impl FnOnce(Store) -> F)
    where
        F: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        // A poisoned lock still holds a valid set of tasks.
        let mut notes = self.later.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        while notes.try_join_next().is_some() {}
        if self.is_left_alone() || notes.len() >= MOST_NOTES {
            return;
        }
        let write = note(self.store.clone());
        notes.spawn(async move {
            if let Err(error) = write.await {
                tracing::warn!(%error, "a note was not written");
            }
        });
    }

    fn is_left_alone(&self) -> bool {
        // A poisoned lock holds a plain instant, which can't be half written.
        let down_until = self.down_until.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        down_until.is_some_and(|until| Instant::now() < until)
    }

    fn went_down(&self, why: &str, source: Option<&(dyn std::error::Error + 'static)>) -> DatabaseError {
        tracing::warn!(why, ?source, "the database does not answer");
        let mut down_until = self.down_until.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *down_until = Some(Instant::now() + LEFT_ALONE);
        DatabaseError::Down
    }
}

impl From<DatabaseError> for ServiceError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::NotFound => Self::new(Code::NotFound),
            DatabaseError::Down => Self::new(Code::DatabaseUnavailable).retry_after(5),
            DatabaseError::Defect => Self::new(Code::Internal),
        }
    }
}
