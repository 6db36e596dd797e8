//! Open connections, counted by network: nobody fills the process alone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::caller::Network;

/// Counts connections. Networks without one are forgotten, so the map is as large as what is open.
#[derive(Debug, Clone)]
pub(super) struct Connections {
    most: usize,
    open: Arc<Mutex<HashMap<Network, usize>>>,
}

/// One connection of a network; counted until it is dropped.
#[derive(Debug)]
pub(super) struct Counted {
    network: Network,
    connections: Connections,
}

impl Connections {
    /// At most `most` for each network.
    pub(super) fn new(most: usize) -> Self {
        Self { most, open: Arc::default() }
    }

    /// Counts one more of a network; `None` when it has as many as it may.
    pub(super) fn count(&self, network: Network) -> Option<Counted> {
        let mut open = self.open();
        let connections = open.entry(network).or_default();
        if *connections >= self.most {
            return None;
        }
        *connections += 1;
        Some(Counted { network, connections: self.clone() })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Network, usize>> {
        // Plain numbers: a panic elsewhere can't have left them half written.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut open = self.connections.open();
        if let Some(connections) = open.get_mut(&self.network) {
            *connections -= 1;
            if *connections == 0 {
                open.remove(&self.network);
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
}
