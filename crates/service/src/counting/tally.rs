//! Numbers that wait to be written.

use std::collections::HashMap;
use std::sync::Arc;

use model::time::{Day, Timestamp};
use store::{CountBatch, CountRow, CountSpan};

use super::visitors::Visitors;

/// Distinct numbers that wait at most, about a megabyte; more are dropped while the database is away.
const MOST_KEYS: usize = 10_000;
/// Characters of a name at most.
const NAME_CHARS: usize = 200;
/// Sketches that wait at most: 3 kinds of readers on the days of an outage.
const MOST_SKETCHES: usize = 32;

/// What was counted since the last write, and the batch whose write is not confirmed.
#[derive(Debug, Default)]
pub(super) struct PendingCounts {
    counts: HashMap<(CountSpan, &'static str, String), u64>,
    sketches: HashMap<(Day, &'static str), Visitors>,
    cursors: HashMap<&'static str, Timestamp>,
    unconfirmed: Option<Arc<CountBatch>>,
    dropped: u64,
}

impl PendingCounts {
    /// Adds `n` to a number.
    pub(super) fn add(&mut self, span: CountSpan, kind: &'static str, name: &str, n: u64) {
        let name: String =
            name.chars().take(NAME_CHARS).map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect();
        let waiting = self.unconfirmed.as_ref().map_or(0, |batch| batch.counts.len());
        let is_full = self.counts.len() + waiting >= MOST_KEYS;
        let key = (span, kind, name);
        match self.counts.get_mut(&key) {
            Some(sum) => *sum += n,
            None if is_full => self.dropped += n,
            None => {
                self.counts.insert(key, n);
            }
        }
    }

    /// Adds a visitor, by `add`.
    pub(super) fn visit(&mut self, day: Day, reader: &'static str, add: impl FnOnce(&mut Visitors)) {
        if !self.sketches.contains_key(&(day, reader)) {
            let Some(nobody) = Visitors::none().filter(|_| self.sketches.len() < MOST_SKETCHES) else { return };
            self.sketches.insert((day, reader), nobody);
        }
        if let Some(seen) = self.sketches.get_mut(&(day, reader)) {
            add(seen);
        }
    }

    /// Notes that something of a place happened at `now`.
    pub(super) fn reach(&mut self, place: &'static str, now: Timestamp) {
        let newest = self.cursors.entry(place).or_insert(now);
        *newest = (*newest).max(now);
    }

    /// The batch to write: the one that is not confirmed, else all that waits, under the id that `id` makes. `None` when
    /// nothing waits.
    pub(super) fn batch(&mut self, now: Timestamp, id: impl FnOnce() -> String) -> Option<Arc<CountBatch>> {
        if self.unconfirmed.is_none() && !(self.counts.is_empty() && self.sketches.is_empty()) {
            if self.dropped > 0 {
                tracing::warn!(dropped = self.dropped, "event counters exceeded the memory limit");
                self.dropped = 0;
            }
            let counts = self.counts.drain().map(|((span, kind, name), n)| CountRow { span, kind, name, n });
            self.unconfirmed = Some(Arc::new(CountBatch {
                id: id(),
                made_at: now,
                counts: counts.collect(),
                sketches: self.sketches.drain().map(|((day, reader), seen)| (day, reader, seen.bytes())).collect(),
                cursors: self.cursors.drain().collect(),
            }));
        }
        self.unconfirmed.clone()
    }

    /// A batch is stored.
    pub(super) fn confirm(&mut self, id: &str) {
        self.unconfirmed.take_if(|batch| batch.id == id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(0);

    #[test]
    fn a_batch_stays_the_same_until_it_is_confirmed() {
        let mut tally = PendingCounts::default();
        assert!(tally.batch(NOW, String::new).is_none());
        tally.add(CountSpan::Day(1), "a", "b", 2);
        let first = tally.batch(NOW, || "1".to_owned()).unwrap();
        tally.add(CountSpan::Day(1), "a", "b", 3);
        assert_eq!(tally.batch(NOW, || "2".to_owned()).unwrap().id, "1");
        tally.confirm("1");
        let second = tally.batch(NOW, || "2".to_owned()).unwrap();
        assert_eq!((first.counts[0].n, second.counts[0].n), (2, 3));
        tally.confirm("2");
        assert!(tally.batch(NOW, String::new).is_none());
    }

    #[test]
    fn what_waits_is_bounded_and_known_numbers_go_on() {
        let mut tally = PendingCounts::default();
        for name in 0..MOST_KEYS + 5 {
            tally.add(CountSpan::Day(1), "a", &name.to_string(), 1);
        }
        tally.add(CountSpan::Day(1), "a", "7", 1);
        assert_eq!((tally.counts.len(), tally.dropped), (MOST_KEYS, 5));
        let batch = tally.batch(NOW, String::new).unwrap();
        assert_eq!(batch.counts.iter().map(|row| row.n).sum::<u64>(), MOST_KEYS as u64 + 1);
        tally.add(CountSpan::Day(1), "a", "new", 1);
        assert_eq!(tally.dropped, 1, "what is not confirmed takes room too");
    }

    #[test]
    fn a_name_is_short_and_printable() {
        let mut tally = PendingCounts::default();
        tally.add(CountSpan::Day(1), "a", &format!("\0{}", "x".repeat(300)), 1);
        let batch = tally.batch(NOW, String::new).unwrap();
        assert_eq!(batch.counts[0].name, format!("\u{fffd}{}", "x".repeat(199)));
    }
}
