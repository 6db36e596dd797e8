//! The keys under which networks are counted: a digest with a salt of the day, so that no address is ever stored.

use std::sync::{Mutex, PoisonError};

use data_encoding::HEXLOWER;
use model::time::Day;
use sha2::{Digest as _, Sha256};

use crate::database::{Database, Trouble};
use crate::network::Network;
use crate::ports::Ports;

/// The salt of the day.
#[derive(Debug, Default)]
pub(super) struct Salt(Mutex<Option<(Day, [u8; 32])>>);

impl Salt {
    /// What networks are hashed with today. Agreed upon through the database, so that all servers count alike; kept
    /// here for the day.
    pub(super) async fn of(&self, database: &Database, ports: &Ports, day: Day) -> Result<[u8; 32], Trouble> {
        let cached = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, salt)) = cached.filter(|(of, _)| *of == day) {
            return Ok(salt);
        }
        let offered = ports.entropy.bytes();
        let salt = database.ask(|store| store.daily_salt(day, &offered)).await?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((day, salt));
        Ok(salt)
    }
}

/// The keys under which a network is counted: no address is ever stored.
#[derive(Debug)]
pub(super) struct Keys {
    pub(super) network: String,
    pub(super) wide: String,
}

impl Keys {
    pub(super) fn of(salt: &[u8; 32], network: Network) -> Self {
        Self { network: key(salt, &network.to_string()), wide: key(salt, &network.wide()) }
    }

    /// The bucket of the network's audits in an hour.
    pub(super) fn hour(&self) -> String {
        format!("audits:{}", self.network)
    }

    /// The same of the wider network.
    pub(super) fn wide_hour(&self) -> String {
        format!("audits:{}", self.wide)
    }
}

/// The key under which a network is counted.
pub(super) fn key(salt: &[u8; 32], network: &str) -> String {
    let digest = Sha256::new().chain_update(salt).chain_update(network).finalize();
    HEXLOWER.encode(digest.get(..16).unwrap_or(&digest))
}
