//! Uses of a minute by network, in this process only: a bound on what costs next to nothing.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use model::time::Timestamp;

use crate::network::Network;

/// Networks counted at once; past this the counts of the minute restart for all.
const MOST_NETWORKS: usize = 10_000;
/// Milliseconds of a minute.
const MINUTE_MS: i64 = 60_000;

/// Uses of the current minute by network.
#[derive(Debug, Default)]
pub struct MinuteUses(Mutex<(i64, HashMap<Network, u32>)>);

impl MinuteUses {
    /// Spends one of a network's `per_minute` uses; `false` where none is left.
    pub fn spend(&self, network: Network, now: Timestamp, per_minute: u32) -> bool {
        // Poisoned or not: numbers can't be left half written.
        let mut minute = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (current, uses) = &mut *minute;
        let asked = now.0.div_euclid(MINUTE_MS);
        if *current != asked || uses.len() >= MOST_NETWORKS {
            *current = asked;
            uses.clear();
        }
        let used = uses.entry(network).or_default();
        *used = used.saturating_add(1);
        *used <= per_minute
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn a_minute_gives_each_network_its_uses() {
        let uses = MinuteUses::default();
        let network = |last| Network::of(Ipv4Addr::new(203, 0, 113, last).into());
        let spend = |last, ms| uses.spend(network(last), Timestamp(ms), 2);
        assert_eq!([spend(1, 0), spend(1, 1), spend(1, 59_999), spend(2, 59_999)], [true, true, false, true]);
        assert_eq!([spend(1, 60_000), spend(1, 0)], [true, true], "also where the clock was set back");
    }
}
