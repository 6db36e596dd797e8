//! The memory budget for large bodies, shared by all fetches. It is reserved in steps as bytes arrive, so that a slow
//! server holds no more than it has sent.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes reserved at a time. The first step of each body is free.
const STEP: usize = 256 * 1024;
/// Steps of the whole budget: 160 MiB.
const STEPS: usize = 640;

/// The whole budget.
#[derive(Debug)]
pub(crate) struct Pool(Arc<Semaphore>);

impl Pool {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(STEPS)))
    }

    /// A reservation for one body, empty at first.
    pub(crate) fn room(&self) -> Room {
        Room { pool: Arc::clone(&self.0), taken: None }
    }
}

/// Memory reserved for one body; released when dropped. Its holder keeps it as long as the body.
#[derive(Debug)]
#[must_use]
pub struct Room {
    pool: Arc<Semaphore>,
    taken: Option<OwnedSemaphorePermit>,
}

impl Room {
    /// Grows the reservation to so many bytes in all; false when the budget is used up.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> bool {
        let taken = self.taken.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let wanted = (bytes / STEP).saturating_sub(taken);
        if wanted == 0 {
            return true;
        }
        let Some(more) =
            u32::try_from(wanted).ok().and_then(|wanted| Arc::clone(&self.pool).try_acquire_many_owned(wanted).ok())
        else {
            return false;
        };
        match &mut self.taken {
            Some(taken) => taken.merge(more),
            None => self.taken = Some(more),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_taken_in_steps_and_given_back() {
        let pool = Pool::new();
        let (mut first, mut second) = (pool.room(), pool.room());
        assert!(first.grow_to(STEP - 1));
        assert_eq!(pool.0.available_permits(), STEPS);
        assert!(first.grow_to(10 * STEP) && first.grow_to(5 * STEP));
        assert_eq!(pool.0.available_permits(), STEPS - 10);
        assert!(!second.grow_to(STEPS * STEP));
        assert!(second.grow_to((STEPS - 10) * STEP));
        drop(first);
        assert!(second.grow_to(STEPS * STEP));
        drop(second);
        assert_eq!(pool.0.available_permits(), STEPS);
    }
}
