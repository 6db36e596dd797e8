//! In-process counters: a fallback while the database is down, lock-outs, and a cache of spent allowances.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::time::{Day, Timestamp};

use crate::network::Network;

/// Entries per map at most; over it, expired ones are evicted, then all.
const MOST_ENTRIES: usize = 100_000;
/// Milliseconds of an hour.
const HOUR_MS: i64 = 3_600_000;

#[derive(Debug, Default)]
pub(super) struct LocalCounters {
    /// Bucket to the instant at which it is full again.
    hourly: Mutex<HashMap<String, Timestamp>>,
    /// Uses per network and day.
    daily: Mutex<HashMap<(Network, Day), u32>>,
    /// Lock-outs: networks that are refused, until when.
    locked_out: Mutex<HashMap<Network, Timestamp>>,
    /// Networks that have spent a day's allowance, according to the database.
    spent: Mutex<HashMap<Network, Day>>,
}

impl LocalCounters {
    /// Spends one of `per_hour` uses of a bucket (generic cell rate algorithm, as in the database); the error holds
    /// the seconds to wait.
    pub(super) fn spend_hourly(&self, bucket: &str, now: Timestamp, per_hour: u32) -> Result<(), u32> {
        let Some(interval) = HOUR_MS.checked_div(i64::from(per_hour)) else { return Err(3600) };
        let mut hourly = lock(&self.hourly);
        bound(&mut hourly, |_, until| *until > now);
        let until = hourly.get(bucket).copied().filter(|until| is_ahead(*until, now)).unwrap_or(now);
        let next = until.plus_ms(interval.max(1));
        if next > now.plus_ms(HOUR_MS) {
            return Err(seconds_until(next.plus_ms(-HOUR_MS), now));
        }
        hourly.insert(bucket.to_owned(), next);
        Ok(())
    }

    /// Releases one of the `per_hour` uses of a bucket.
    pub(super) fn release_hourly(&self, bucket: &str, per_hour: u32) {
        let Some(interval) = HOUR_MS.checked_div(i64::from(per_hour)) else { return };
        if let Some(until) = lock(&self.hourly).get_mut(bucket) {
            *until = until.plus_ms(-interval.max(1));
        }
    }

    /// Spends one of a network's uses of a day; how many are left, `None` when it was none.
    pub(super) fn spend_daily(&self, network: Network, day: Day, limit: u32) -> Option<u32> {
        let mut daily = lock(&self.daily);
        bound(&mut daily, |(_, of), _| *of >= day);
        let used = daily.entry((network, day)).or_default();
        let left = limit.checked_sub(*used + 1)?;
        *used += 1;
        Some(left)
    }

    /// Releases one use of a day, if one was spent.
    pub(super) fn release_daily(&self, network: Network, day: Day, spent: bool) {
        if spent && let Some(used) = lock(&self.daily).get_mut(&(network, day)) {
            *used = used.saturating_sub(1);
        }
    }

    /// Caches that a network has spent its day.
    pub(super) fn note_spent(&self, network: Network, day: Day) {
        let mut spent = lock(&self.spent);
        bound(&mut spent, |_, of| *of >= day);
        spent.insert(network, day);
    }

    /// Whether that is cached.
    pub(super) fn has_spent(&self, network: Network, day: Day) -> bool {
        lock(&self.spent).get(&network) == Some(&day)
    }

    /// Drops it from the cache: a use was released.
    pub(super) fn forget_spent(&self, network: Network) {
        lock(&self.spent).remove(&network);
    }

    /// Locks a network out for some seconds.
    pub(super) fn lock_out(&self, network: Network, now: Timestamp, seconds: u32) {
        let mut locked_out = lock(&self.locked_out);
        bound(&mut locked_out, |_, until| *until > now);
        locked_out.insert(network, now.plus_ms(i64::from(seconds) * 1000));
    }

    /// Seconds left of a network's lock-out.
    pub(super) fn locked_out(&self, network: Network, now: Timestamp) -> Option<u32> {
        let until = lock(&self.locked_out).get(&network).copied().filter(|until| is_ahead(*until, now))?;
        Some(seconds_until(until, now))
    }
}

/// Whether an instant is in the future, by an hour at most. One further ahead was stored before the clock was set
/// back, and counts as past (as in the database).
fn is_ahead(until: Timestamp, now: Timestamp) -> bool {
    until > now && until <= now.plus_ms(HOUR_MS)
}

/// Whole seconds to wait, at least one.
fn seconds_until(then: Timestamp, now: Timestamp) -> u32 {
    let ms = then.0.saturating_sub(now.0).max(1);
    u32::try_from(ms.unsigned_abs().div_ceil(1000)).unwrap_or(u32::MAX)
}

/// Locks a mutex, poisoned or not: counters are plain numbers, which a panic elsewhere can't leave half written.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bounds a map: evicts expired entries, and if that is not enough all, which errs on the callers' side.
fn bound<K: Eq + Hash, V>(map: &mut HashMap<K, V>, holds: impl Fn(&K, &V) -> bool) {
    if map.len() >= MOST_ENTRIES {
        map.retain(|key, value| holds(key, value));
    }
    if map.len() >= MOST_ENTRIES {
        map.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000_000);

    fn network() -> Network {
        Network::of([203, 0, 113, 7].into())
    }

    #[test]
    fn an_hour_gives_its_uses_at_once_and_then_evenly() {
        let local = LocalCounters::default();
        for _ in 0..4 {
            assert_eq!(local.spend_hourly("b", NOW, 4), Ok(()));
        }
        assert_eq!(local.spend_hourly("b", NOW, 4), Err(900));
        assert_eq!(local.spend_hourly("b", NOW.plus_ms(900_000), 4), Ok(()));
        assert_eq!(local.spend_hourly("b", NOW.plus_ms(900_000), 4), Err(900));
        assert_eq!(local.spend_hourly("other", NOW, 4), Ok(()));
        assert_eq!(local.spend_hourly("none", NOW, 0), Err(3600));
    }

    #[test]
    fn a_use_of_an_hour_comes_back_when_it_is_given_back() {
        let local = LocalCounters::default();
        for _ in 0..4 {
            assert_eq!(local.spend_hourly("b", NOW, 4), Ok(()));
        }
        local.release_hourly("b", 4);
        assert_eq!(local.spend_hourly("b", NOW, 4), Ok(()));
        assert_eq!(local.spend_hourly("b", NOW, 4), Err(900));
        local.release_hourly("never spent", 4);
        local.release_hourly("b", 0);
    }

    #[test]
    fn what_is_spent_is_known_for_that_day() {
        let local = LocalCounters::default();
        let (day, next) = (NOW.day(), Day(NOW.day().0 + 1));
        local.note_spent(network(), day);
        assert!(local.has_spent(network(), day) && !local.has_spent(network(), next));
        local.forget_spent(network());
        assert!(!local.has_spent(network(), day));
    }

    #[test]
    fn a_day_ends_and_a_use_comes_back() {
        let local = LocalCounters::default();
        let day = NOW.day();
        assert_eq!((local.spend_daily(network(), day, 2), local.spend_daily(network(), day, 2)), (Some(1), Some(0)));
        assert_eq!(local.spend_daily(network(), day, 2), None);
        local.release_daily(network(), day, true);
        assert_eq!(local.spend_daily(network(), day, 2), Some(0));
        assert_eq!(local.spend_daily(network(), Day(day.0 + 1), 2), Some(1));
    }

    #[test]
    fn a_clock_that_is_set_back_keeps_nobody_waiting() {
        let local = LocalCounters::default();
        let before = NOW.plus_ms(-2 * HOUR_MS);
        assert_eq!(local.spend_hourly("b", NOW, 1), Ok(()));
        assert_eq!(local.spend_hourly("b", before, 1), Ok(()));
        assert_eq!(local.spend_hourly("b", before, 1), Err(3600));
        local.lock_out(network(), NOW, 3600);
        assert_eq!(local.locked_out(network(), before), None);
    }

    #[test]
    fn a_map_has_a_hundred_thousand_entries_at_most() {
        let filled = |count: u32| (0..count).map(|n| (n, ())).collect::<HashMap<u32, ()>>();
        for (count, holds, left) in [(99_999, false, 99_999), (100_000, false, 0), (100_000, true, 0)] {
            let mut map = filled(count);
            bound(&mut map, |_, ()| holds);
            assert_eq!(map.len(), left, "{count} {holds}");
        }
        let mut map = filled(100_000);
        bound(&mut map, |n, ()| *n < 7);
        assert_eq!(map.len(), 7);
    }

    /// Fills all maps but for one entry, with what is over at [`NOW`].
    fn nearly_full() -> LocalCounters {
        let others = || (0..99_999_u32).map(|n| Network::of(std::net::Ipv4Addr::from(n).into()));
        let yesterday = Day(NOW.day().0 - 1);
        LocalCounters {
            hourly: Mutex::new((0..99_999).map(|n| (n.to_string(), NOW)).collect()),
            daily: Mutex::new(others().map(|other| ((other, yesterday), 1)).collect()),
            locked_out: Mutex::new(others().map(|other| (other, NOW)).collect()),
            spent: Mutex::new(others().map(|other| (other, yesterday)).collect()),
        }
    }

    #[test]
    fn a_full_map_loses_what_is_over_and_keeps_what_holds() {
        let (local, today, other) = (nearly_full(), NOW.day(), Network::of([203, 0, 113, 8].into()));
        assert_eq!(local.spend_hourly("b", NOW, 1), Ok(()));
        assert_eq!(local.spend_hourly("other", NOW, 1), Ok(()));
        assert_eq!(local.spend_hourly("b", NOW, 1), Err(3600));
        assert_eq!(lock(&local.hourly).len(), 2);

        assert_eq!(local.spend_daily(network(), today, 1), Some(0));
        assert_eq!(local.spend_daily(other, today, 1), Some(0));
        assert_eq!(local.spend_daily(network(), today, 1), None);
        assert_eq!(lock(&local.daily).len(), 2);

        local.note_spent(network(), today);
        local.note_spent(other, today);
        assert!(local.has_spent(network(), today));
        assert_eq!(lock(&local.spent).len(), 2);

        local.lock_out(network(), NOW, 120);
        local.lock_out(other, NOW, 120);
        assert_eq!(local.locked_out(network(), NOW), Some(120));
        assert_eq!(lock(&local.locked_out).len(), 2);
    }

    #[test]
    fn a_lock_out_ends() {
        let local = LocalCounters::default();
        local.lock_out(network(), NOW, 120);
        assert_eq!(local.locked_out(network(), NOW), Some(120));
        assert_eq!(local.locked_out(network(), NOW.plus_ms(120_000)), None);
        assert_eq!(local.locked_out(Network::of([203, 0, 113, 8].into()), NOW), None);
    }
}
