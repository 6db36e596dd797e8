//! The database behind a breaker: a silent database costs one caller a second, not every caller five.

use std::sync::Mutex;
use std::time::Duration;

use store::{Store, StoreError};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::error::{Code, ServiceError};

/// How long an answer is waited for while serving a call. An audit must answer within 2 s and its fetching time when
/// the database is gone, so this is half of it.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(1);
/// After an outage the database is left alone for so long; within 5 s of its return it is used again.
const LEFT_ALONE: Duration = Duration::from_secs(2);

/// Notes being written at once at most; each is one small statement.
const MOST_NOTES: usize = 64;

/// The store, asked with patience that has an end.
#[derive(Debug)]
pub struct Database {
    store: Store,
    answer_within: Duration,
    /// Until when nothing is asked.
    down_until: Mutex<Option<Instant>>,
    /// Writes that no caller waits for.
    later: Mutex<JoinSet<()>>,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Trouble {
    /// No such row, or not this owner's.
    NotFound,
    /// The database does not answer at the moment. A write may or may not have happened.
    Down,
    /// It answered with what can't be: a defect, logged.
    Defect,
}

impl Database {
    /// Over an open store, whose answers are waited for so long.
    pub fn new(store: Store, answer_within: Duration) -> Self {
        Self { store, answer_within, down_until: Mutex::new(None), later: Mutex::new(JoinSet::new()) }
    }

    /// The store itself, for work that no caller waits for.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Asks the store something.
    pub async fn ask<'s, T, F>(&'s self, question: impl FnOnce(&'s Store) -> F) -> Result<T, Trouble>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        if self.is_left_alone() {
            return Err(Trouble::Down);
        }
        match tokio::time::timeout(self.answer_within, question(&self.store)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(StoreError::NotFound { .. })) => Err(Trouble::NotFound),
            Ok(Err(error @ (StoreError::Busy { .. } | StoreError::Unavailable { .. }))) => {
                Err(self.went_down(&error.to_string(), std::error::Error::source(&error)))
            }
            Ok(Err(
                error @ (StoreError::Conflict { .. } | StoreError::Corrupt { .. } | StoreError::Refused { .. }),
            )) => {
                // This call's alone: the breaker stays as it is.
                let source = std::error::Error::source(&error).map(ToString::to_string);
                tracing::error!(error = %error, source, "a call to the database failed; this is a defect");
                Err(Trouble::Defect)
            }
            Err(_) => Err(self.went_down("no answer in time", None)),
        }
    }

    /// Asks the store even while it is left alone, for what would be lost otherwise, and takes no answer for a sign of
    /// anything.
    pub async fn insist<'s, T, F>(&'s self, question: impl FnOnce(&'s Store) -> F) -> Result<T, Trouble>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        match tokio::time::timeout(self.answer_within, question(&self.store)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => {
                let source = std::error::Error::source(&error).map(ToString::to_string);
                tracing::warn!(error = %error, source, "a write to the database failed");
                Err(Trouble::Down)
            }
            Err(_) => Err(Trouble::Down),
        }
    }

    /// Writes a note that no caller waits for, and that may be lost: while the database is away, or while
    /// [`MOST_NOTES`] others are being written.
    pub fn later<F>(&self, note: impl FnOnce(Store) -> F)
    where
        F: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        // A poisoned lock holds a set of tasks, which is as good as before.
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

    fn went_down(&self, why: &str, source: Option<&(dyn std::error::Error + 'static)>) -> Trouble {
        tracing::warn!(why, ?source, "the database does not answer");
        let mut down_until = self.down_until.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *down_until = Some(Instant::now() + LEFT_ALONE);
        Trouble::Down
    }
}

impl From<Trouble> for ServiceError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::NotFound => Self::new(Code::NotFound),
            Trouble::Down => Self::new(Code::DatabaseUnavailable).retry_after(5),
            Trouble::Defect => Self::new(Code::Internal),
        }
    }
}
