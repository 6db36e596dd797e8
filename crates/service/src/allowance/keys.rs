//! Pseudonymous counter keys of networks: a digest with a daily salt, so that no address is ever stored.

use std::sync::{Mutex, PoisonError};

use data_encoding::HEXLOWER;
use model::time::Day;
use sha2::{Digest as _, Sha256};

use crate::database::{Database, DatabaseError};
use crate::network::Network;
use crate::ports::Ports;

/// The daily salt, cached.
#[derive(Debug, Default)]
pub(crate) struct Salt(Mutex<Option<(Day, [u8; 32])>>);

impl Salt {
    /// The salt of a day. All servers agree on one through the database, so that they count alike; it is cached for
    /// the day.
    pub(crate) async fn of(&self, database: &Database, ports: &Ports, day: Day) -> Result<[u8; 32], DatabaseError> {
        let cached = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, salt)) = cached.filter(|(of, _)| *of == day) {
            return Ok(salt);
        }
        // Read first, so that reading goes on where nothing can be written.
        let salt = match database.ask(|store| store.salt_of(day)).await? {
            Some(salt) => salt,
            None => {
                let offered = ports.entropy.bytes();
                database.write(|store| store.daily_salt(day, &offered)).await?
            }
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((day, salt));
        Ok(salt)
    }
}

/// Counter keys of a network and of the wider network.
#[derive(Debug)]
pub(super) struct CounterKeys {
    pub(super) network: String,
    pub(super) wide: String,
}

impl CounterKeys {
    pub(super) fn of(salt: &[u8; 32], network: Network) -> Self {
        Self { network: key(salt, &network.to_string()), wide: key(salt, &network.wide()) }
    }

    /// The bucket of the network's hourly audits.
    pub(super) fn hour(&self) -> String {
        format!("audits:{}", self.network)
    }

    /// The bucket of the wider network's hourly audits.
    pub(super) fn wide_hour(&self) -> String {
        format!("audits:{}", self.wide)
    }
}

/// The counter key of a network.
pub(super) fn key(salt: &[u8; 32], network: &str) -> String {
    let digest = Sha256::new().chain_update(salt).chain_update(network).finalize();
    HEXLOWER.encode(digest.get(..16).unwrap_or(&digest))
}
