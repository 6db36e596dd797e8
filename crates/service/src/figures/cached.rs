//! Figures that are read at most once in a while.

use std::sync::{Arc, Mutex, PoisonError};

use model::time::Timestamp;

/// A value with the time of its reading.
#[derive(Debug)]
pub struct Cached<T>(Mutex<Option<(Timestamp, Arc<T>)>>);

impl<T> Default for Cached<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Cached<T> {
    /// The value, where it was read within `ms` milliseconds before `now`, or after it: the clock was set back.
    pub fn fresh(&self, now: Timestamp, ms: i64) -> Option<Arc<T>> {
        self.last().filter(|(read_at, _)| now.0 < read_at.0.saturating_add(ms)).map(|(_, value)| value)
    }

    /// The value, however old, and when it was read.
    pub fn last(&self) -> Option<(Timestamp, Arc<T>)> {
        // A poisoned lock holds a whole value: it is replaced in one step.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps a value.
    pub fn keep(&self, now: Timestamp, value: T) -> Arc<T> {
        let value = Arc::new(value);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, Arc::clone(&value)));
        value
    }
}
