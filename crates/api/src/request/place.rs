//! The place of a call among the concurrent calls.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use service::error::{Code, ServiceError};

/// The place of one call. It is free again when its last clone is dropped.
#[derive(Debug, Clone)]
pub struct RequestPlace {
    calls: Arc<Semaphore>,
    held: Arc<Mutex<Option<OwnedSemaphorePermit>>>,
}

impl RequestPlace {
    /// A place among `calls`, not yet taken.
    pub fn of(calls: Arc<Semaphore>) -> Self {
        Self { calls, held: Arc::default() }
    }

    /// Takes it; [`Code::Overloaded`] when all are taken.
    pub fn take(&self) -> Result<(), ServiceError> {
        let place = Arc::clone(&self.calls).try_acquire_owned();
        *self.held() = Some(place.map_err(|_| ServiceError::new(Code::Overloaded).retry_after(1))?);
        Ok(())
    }

    /// Leaves it to another call, while this one waits for its client.
    pub fn leave(&self) {
        *self.held() = None;
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Option<OwnedSemaphorePermit>> {
        // A permit is there or not: a panic elsewhere can't have left it half written.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_is_left_is_another_calls() {
        let calls = Arc::new(Semaphore::new(1));
        let (first, second) = (RequestPlace::of(Arc::clone(&calls)), RequestPlace::of(Arc::clone(&calls)));
        first.take().unwrap();
        assert_eq!(second.take().unwrap_err().code, Code::Overloaded);
        first.leave();
        second.take().unwrap();
        assert_eq!(first.take().unwrap_err().code, Code::Overloaded);
        let clone = second.clone();
        drop(second);
        assert_eq!(calls.available_permits(), 0);
        drop(clone);
        first.take().unwrap();
    }
}
