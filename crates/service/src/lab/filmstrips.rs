//! Filmstrips of recent lab tests, in memory: they are shown for a while on the server that ran the test, and never stored.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use model::id::AuditId;
use model::lab::{LabFrame, LabTest, Strategy};
use model::time::Timestamp;

/// How long a filmstrip is shown, in milliseconds. Chosen: whoever started the test has seen its result by then.
const SHOWN_MS: i64 = 15 * 60_000;
/// Filmstrips in memory; past that the oldest goes. With 10 frames of at most 32 KiB each that is at most 10 MiB.
const MOST: usize = 32;

/// Filmstrips by their tests.
#[derive(Debug, Default)]
pub(crate) struct Filmstrips(Mutex<VecDeque<Filmstrip>>);

#[derive(Debug)]
struct Filmstrip {
    audit: AuditId,
    strategy: Strategy,
    /// Tells a test from the next one of its audit and strategy.
    started_at: String,
    frames: Arc<[LabFrame]>,
    shown_until: Timestamp,
}

impl Filmstrips {
    /// Adds the frames of a test that has ended.
    pub(crate) fn add(&self, audit: &AuditId, test: &LabTest, frames: Vec<LabFrame>, now: Timestamp) {
        if frames.is_empty() {
            return;
        }
        let (audit, started_at) = (audit.clone(), test.started_at.clone());
        let shown_until = now.plus_ms(SHOWN_MS);
        let new = Filmstrip { audit, strategy: test.strategy, started_at, frames: frames.into(), shown_until };
        self.recent(now, |recent| {
            if recent.len() >= MOST {
                recent.pop_front();
            }
            recent.push_back(new);
        });
    }

    /// The frames of a test; none where this server did not run it, or too long ago.
    pub(crate) fn of(&self, audit: &AuditId, test: &LabTest, now: Timestamp) -> Arc<[LabFrame]> {
        let is_of = |one: &&Filmstrip| {
            one.audit == *audit && one.strategy == test.strategy && one.started_at == test.started_at
        };
        self.recent(now, |recent| recent.iter().find(is_of).map(|one| Arc::clone(&one.frames)).unwrap_or_default())
    }

    /// Those that are still shown; the others are dropped.
    fn recent<T>(&self, now: Timestamp, of: impl FnOnce(&mut VecDeque<Filmstrip>) -> T) -> T {
        // A poisoned lock holds whole filmstrips.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|one| one.shown_until.0 > now.0);
        of(&mut all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_769_851_800_000);

    fn test_at(started_at: Timestamp) -> LabTest {
        lab::outcome::running(Strategy::Mobile, started_at, None)
    }

    fn frames() -> Vec<LabFrame> {
        vec![LabFrame { at_ms: 300, image: "data:image/jpeg;base64,/9j/".to_owned() }]
    }

    #[test]
    fn a_filmstrip_is_shown_with_its_own_test_for_a_while() {
        let (filmstrips, audit, test) = (Filmstrips::default(), AuditId("a".to_owned()), test_at(NOW));
        filmstrips.add(&audit, &test, frames(), NOW);
        let count = |audit: &str, test: &LabTest, later: i64| {
            filmstrips.of(&AuditId(audit.to_owned()), test, NOW.plus_ms(later)).len()
        };
        assert_eq!((count("a", &test, 0), count("b", &test, 0)), (1, 0));
        assert_eq!(count("a", &test_at(NOW.plus_ms(1)), 0), 0, "the next test of the page has its own");
        assert_eq!(count("a", &LabTest { strategy: Strategy::Desktop, ..test.clone() }, 0), 0);
        assert_eq!((count("a", &test, 899_999), count("a", &test, 900_000), count("a", &test, 0)), (1, 0, 0));
    }

    #[test]
    fn past_the_limit_the_oldest_goes() {
        let filmstrips = Filmstrips::default();
        let audit = |n: usize| AuditId(n.to_string());
        for n in 0..=32 {
            filmstrips.add(&audit(n), &test_at(NOW), frames(), NOW);
        }
        filmstrips.add(&audit(33), &test_at(NOW), Vec::new(), NOW);
        let count = |n: usize| filmstrips.of(&audit(n), &test_at(NOW), NOW).len();
        assert_eq!((count(0), count(1), count(32), count(33)), (0, 1, 1, 0));
    }
}
