//! Open connections, limited by network: no client can use up all connections of the process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use service::network::{Network, WIDE};

/// Open connections by network and by wider network. Networks without one are removed, so the map is as large as the number
/// of open connections.
#[derive(Debug, Clone)]
pub(super) struct Connections {
    most: usize,
    open: Arc<Mutex<HashMap<String, usize>>>,
}

/// One connection of a network; counted until it is dropped.
#[derive(Debug)]
pub(super) struct CountedConnection {
    keys: [String; 2],
    connections: Connections,
}

impl Connections {
    /// At most `most` for each network, and [`WIDE`] times as many for each wider one.
    pub(super) fn new(most: usize) -> Self {
        Self { most, open: Arc::default() }
    }

    /// Counts one more of a network; `None` when it has as many as it may.
    pub(super) fn count(&self, network: Network) -> Option<CountedConnection> {
        let keys = [network.to_string(), network.wide()];
        let wide_most = self.most.saturating_mul(WIDE as usize);
        let mut open = self.open();
        let is_full = |key: &str, most: usize| open.get(key).copied().unwrap_or_default() >= most;
        let [narrow, wide] = &keys;
        if is_full(narrow, self.most) || is_full(wide, wide_most) {
            return None;
        }
        for key in &keys {
            *open.entry(key.clone()).or_default() += 1;
        }
        drop(open);
        Some(CountedConnection { keys, connections: self.clone() })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        // Plain numbers: a panic elsewhere can't have left them half written.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        let mut open = self.connections.open();
        for key in &self.keys {
            if let Some(connections) = open.get_mut(key) {
                *connections -= 1;
                if *connections == 0 {
                    open.remove(key);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_has_so_many_and_is_forgotten_without_one() {
        let connections = Connections::new(2);
        let of = |last: u8| connections.count(Network::of([203, 0, 113, last].into()));
        let (first, second) = (of(7), of(7));
        assert!(first.is_some() && second.is_some() && of(7).is_none());
        assert!(of(8).is_some());
        drop(first);
        assert!(of(7).is_some());
        drop(second);
        assert!(connections.open().is_empty());
    }

    #[test]
    fn so_has_a_wider_network() {
        let connections = Connections::new(1);
        let of = |third: u8, last: u8| connections.count(Network::of([203, 0, third, last].into()));
        let open: Vec<_> = (0..10).map(|last| of(113, last)).collect();
        assert!(open.iter().all(Option::is_some) && of(113, 10).is_none() && of(114, 10).is_some());
        drop(open);
        assert!(of(113, 10).is_some());
        assert!(connections.open().is_empty());
    }
}
