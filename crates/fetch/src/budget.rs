//! The request budget of an audit.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Requests that may still be sent, shared by those who send them.
#[derive(Debug)]
pub struct Budget(AtomicUsize);

impl Budget {
    /// A budget of this many requests.
    pub fn new(requests: usize) -> Self {
        Self(AtomicUsize::new(requests))
    }

    /// Takes one; false when there is none left.
    pub(crate) fn take(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends() {
        let budget = Budget::new(2);
        assert_eq!([budget.take(), budget.take(), budget.take(), budget.take()], [true, true, false, false]);
    }
}
