//! The database behind circuit breakers: an outage costs one caller a second, not every caller five.
//!
//! Reads and writes have one each. A locked file or a full disk stops writes only: what was stored is read all the same.
//! A database that can't be read is not written to either.

use std::sync::Mutex;
use std::time::Duration;

use store::{Store, StoreError};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::error::{Code, ServiceError};
use crate::traces::{self, SpanKind};

/// Query timeout while serving a call. During an outage an audit must answer within 2 s plus its fetching time, so
/// this is half of that.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(1);
/// How long a breaker stays open after an outage. Chosen: 2 s, so that the database is in use again within 5 s of
/// its return.
const LEFT_ALONE: Duration = Duration::from_secs(2);

/// Background writes in flight at most; each is one small statement.
const MOST_NOTES: usize = 64;

/// The store with query timeout and circuit breakers.
#[derive(Debug)]
pub struct Database {
    store: Store,
    answer_within: Duration,
    reads: Breaker,
    writes: Breaker,
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
    /// The disk of the database takes no more writes; reads work. Only writes fail so. A write may or may not have
    /// happened.
    Full,
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
        let (reads, writes) = (Breaker::default(), Breaker::default());
        Self { store, answer_within, reads, writes, later: Mutex::new(JoinSet::new()) }
    }

    /// The store itself, for background work.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Runs a query that only reads. During an outage of writes it runs all the same.
    pub async fn ask<'s, T, F>(&'s self, question: impl FnOnce(&'s Store) -> F) -> Result<T, DatabaseError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        if self.reads.outage().is_some() {
            return Err(DatabaseError::Down);
        }
        self.answer(question).await.map_err(|failure| match failure {
            Failure::NotFound => DatabaseError::NotFound,
            Failure::Defect => DatabaseError::Defect,
            Failure::Outage(_) => {
                self.reads.open(Outage::Silent);
                self.writes.open(Outage::Silent);
                DatabaseError::Down
            }
        })
    }

    /// Runs a query that writes. Its failure is an outage of writes only.
    pub async fn write<'s, T, F>(&'s self, change: impl FnOnce(&'s Store) -> F) -> Result<T, DatabaseError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        if let Some(outage) = self.writes.outage() {
            return Err(outage.into());
        }
        let begun = Instant::now();
        let answer = self.answer(change).await;
        let system = [("db.system.name", self.store.system().into())];
        traces::record("database write", SpanKind::Client, (begun, Instant::now()), system.into());
        answer.map_err(|failure| match failure {
            Failure::NotFound => DatabaseError::NotFound,
            Failure::Defect => DatabaseError::Defect,
            Failure::Outage(outage) => {
                self.writes.open(outage);
                outage.into()
            }
        })
    }

    /// Runs a query under the timeout, and logs its failure.
    async fn answer<'s, T, F>(&'s self, query: impl FnOnce(&'s Store) -> F) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        let Ok(answer) = tokio::time::timeout(self.answer_within, query(&self.store)).await else {
            tracing::warn!(why = "no answer in time", "the database is not responding");
            return Err(Failure::Outage(Outage::Silent));
        };
        answer.map_err(|error| {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            match error {
                StoreError::NotFound { .. } => Failure::NotFound,
                StoreError::Busy { .. } | StoreError::Unavailable { .. } => {
                    tracing::warn!(why = %error, source, "the database is not responding");
                    Failure::Outage(Outage::Silent)
                }
                StoreError::Full { .. } => {
                    tracing::error!(why = %error, source, "the database's disk is full or read-only; free some space");
                    Failure::Outage(Outage::Full)
                }
                // Of this query only: the breaker stays closed.
                StoreError::Conflict { .. } | StoreError::Corrupt { .. } | StoreError::Refused { .. } => {
                    tracing::error!(error = %error, source, "a call to the database failed; this is a defect");
                    Failure::Defect
                }
            }
        })
    }

    /// Runs a write even while the breaker is open, because it would be lost otherwise. Its outcome does not affect
    /// the breaker.
    pub async fn insist<'s, T, F>(&'s self, change: impl FnOnce(&'s Store) -> F) -> Result<T, DatabaseError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        match tokio::time::timeout(self.answer_within, change(&self.store)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => {
                let source = std::error::Error::source(&error).map(ToString::to_string);
                tracing::warn!(error = %error, source, "a write to the database failed");
                let is_full = matches!(error, StoreError::Full { .. });
                Err(if is_full { DatabaseError::Full } else { DatabaseError::Down })
            }
            Err(_) => Err(DatabaseError::Down),
        }
    }

    /// Whether a write may work, as far as the last one tells.
    pub(crate) fn takes_writes(&self) -> bool {
        self.writes.outage().is_none()
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
        if !self.takes_writes() || notes.len() >= MOST_NOTES {
            return;
        }
        let write = note(self.store.clone());
        notes.spawn(async move {
            if let Err(error) = write.await {
                tracing::warn!(%error, "a page note could not be stored");
            }
        });
    }
}

/// Why a query failed, for its breaker.
enum Failure {
    NotFound,
    Outage(Outage),
    Defect,
}

/// An outage.
#[derive(Debug, Clone, Copy)]
enum Outage {
    /// It does not answer, or only with errors.
    Silent,
    /// Its disk takes no more writes.
    Full,
}

impl From<Outage> for DatabaseError {
    fn from(outage: Outage) -> Self {
        match outage {
            Outage::Silent => Self::Down,
            Outage::Full => Self::Full,
        }
    }
}

/// A circuit breaker: open for [`LEFT_ALONE`] after a failure.
#[derive(Debug, Default)]
struct Breaker(Mutex<Option<(Instant, Outage)>>);

impl Breaker {
    /// The outage for which it is open now.
    fn outage(&self) -> Option<Outage> {
        // A poisoned lock holds a plain value, which can't be half written.
        let opened = *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        opened.filter(|(until, _)| Instant::now() < *until).map(|(_, outage)| outage)
    }

    fn open(&self, outage: Outage) {
        let until = Instant::now() + LEFT_ALONE;
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some((until, outage));
    }
}

impl From<DatabaseError> for ServiceError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::NotFound => Self::new(Code::NotFound),
            DatabaseError::Down => Self::new(Code::DatabaseUnavailable).retry_after(5),
            DatabaseError::Full => Self::new(Code::StorageFull).retry_after(60),
            DatabaseError::Defect => Self::new(Code::Internal),
        }
    }
}
