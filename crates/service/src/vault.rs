//! Secrets of accounts: keys derived from the server's secret, password hashing, picture processing.

mod easel;
mod keys;
mod memory;
mod passwords;

use std::path::Path;

use anyhow::Result;
use url::Url;

use crate::config::Config;
use crate::error::{Code, ServiceError};
use crate::origin::is_loopback;
use crate::ports::Ports;

pub use easel::Easel;
pub(crate) use keys::SigningPurpose;
pub use keys::{Binding, Keys};
pub use passwords::{MOST_BYTES as PASSWORD_BYTES, PasswordCheck, Passwords};

/// Account keys, where accounts are enabled; password hashing and picture processing.
#[derive(Debug)]
pub struct Vault {
    keys: Result<Keys, Off>,
    passwords: Passwords,
    easel: Easel,
}

/// Why accounts are disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Off {
    /// The database may be shared by several servers, so they need a configured common secret.
    NoSecret,
    /// Cookies would travel unencrypted.
    PlainHttp,
}

impl std::fmt::Display for Off {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoSecret => "auth.secret is not set, which all servers of a PostgreSQL database share",
            Self::PlainHttp => "base_url is plain http and not this machine, so cookies would travel in the clear",
        })
    }
}

impl Vault {
    /// Sets accounts up, after the database. An error when a secret can't be read, stored or trusted.
    pub fn open(config: &Config, base_url: &str, ports: &Ports) -> Result<Self> {
        let is_safe = Url::parse(base_url).is_ok_and(|url| url.scheme() == "https" || is_loopback(&url));
        let keys = match (&config.auth.secret, config.database_url.strip_prefix("sqlite://")) {
            _ if !is_safe => Err(Off::PlainHttp),
            (Some(secret), _) => Ok(Keys::new(secret, config.auth.previous_secret.as_ref())),
            (None, None) => Err(Off::NoSecret),
            (None, Some(path)) => {
                let secret = keys::beside(Path::new(path), ports.entropy.bytes())?;
                Ok(Keys::new(&secret, config.auth.previous_secret.as_ref()))
            }
        };
        Ok(Self { keys, passwords: Passwords::new(&config.auth, ports.entropy.bytes())?, easel: Easel::default() })
    }

    /// Why accounts are disabled; `None` when they are enabled.
    pub fn off(&self) -> Option<Off> {
        self.keys.as_ref().err().copied()
    }

    /// Password hashing.
    pub fn passwords(&self) -> &Passwords {
        &self.passwords
    }

    /// Picture processing.
    pub(crate) fn easel(&self) -> &Easel {
        &self.easel
    }

    /// The keys; [`Code::AuthUnavailable`] while accounts are disabled.
    pub fn keys(&self) -> Result<&Keys, ServiceError> {
        self.keys.as_ref().map_err(|_| ServiceError::new(Code::AuthUnavailable))
    }
}
