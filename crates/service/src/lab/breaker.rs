//! Circuit breaker of the lab provider: during an outage new tests are refused at once instead of failing minutes later.

use std::sync::{Mutex, PoisonError};

use model::time::Timestamp;

/// Troubles one after the other that open it: a test's first try and its retry.
const OPENS_AFTER: u32 = 2;
/// How long it stays open before one test is let through, in milliseconds.
const OPEN_MS: i64 = 60_000;

/// The breaker. Closed at first.
#[derive(Debug, Default)]
pub(crate) struct Breaker(Mutex<State>);

#[derive(Debug, Default, Clone, Copy)]
struct State {
    /// Troubles since the last success.
    troubles: u32,
    /// Open until then; half-open from then on.
    open_until: Option<Timestamp>,
}

impl Breaker {
    /// Seconds until a test may be let through; `None` where one may now.
    pub(crate) fn wait(&self, now: Timestamp) -> Option<u32> {
        let left = self.state().open_until?.0.saturating_sub(now.0);
        // A mark further away was set before the clock was set back.
        (left > 0 && left <= OPEN_MS).then(|| u32::try_from(left.unsigned_abs().div_ceil(1000)).unwrap_or(u32::MAX))
    }

    /// A test was let through. Half-open, it is the only one for the same time again.
    pub(crate) fn let_through(&self, now: Timestamp) {
        self.change(|state| state.open_until = state.open_until.map(|_| now.plus_ms(OPEN_MS)));
    }

    /// The provider answered: it closes.
    pub(crate) fn answered(&self) {
        self.change(|state| *state = State::default());
    }

    /// The provider gave no usable answer.
    pub(crate) fn troubled(&self, now: Timestamp) {
        self.change(|state| {
            state.troubles = state.troubles.saturating_add(1);
            if state.troubles >= OPENS_AFTER {
                state.open_until = Some(now.plus_ms(OPEN_MS));
            }
        });
    }

    /// The provider refuses us: it opens at once.
    pub(crate) fn refused(&self, now: Timestamp) {
        self.change(|state| *state = State { troubles: OPENS_AFTER, open_until: Some(now.plus_ms(OPEN_MS)) });
    }

    // A poisoned lock holds plain numbers, which can't be half written.
    fn state(&self) -> State {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_769_851_800_000);

    #[test]
    fn two_troubles_open_it_and_one_test_at_a_time_finds_out_whether_it_is_over() {
        let breaker = Breaker::default();
        breaker.troubled(NOW);
        assert_eq!(breaker.wait(NOW), None);
        breaker.troubled(NOW);
        assert_eq!((breaker.wait(NOW), breaker.wait(NOW.plus_ms(59_001))), (Some(60), Some(1)));
        let later = NOW.plus_ms(60_000);
        assert_eq!(breaker.wait(later), None);
        breaker.let_through(later);
        assert_eq!(breaker.wait(later), Some(60), "half-open, for one test");
        breaker.troubled(later.plus_ms(1_000));
        assert_eq!(breaker.wait(later.plus_ms(60_500)), Some(1), "open again");
        breaker.answered();
        assert_eq!(breaker.wait(later), None);
        breaker.let_through(later);
        assert_eq!(breaker.wait(later), None, "closed, nothing is held up");
    }

    #[test]
    fn a_refusal_opens_it_at_once_and_a_clock_set_back_does_not_hold_it_open() {
        let breaker = Breaker::default();
        breaker.refused(NOW);
        assert_eq!(breaker.wait(NOW), Some(60));
        assert_eq!(breaker.wait(NOW.plus_ms(-3_600_000)), None);
    }
}
