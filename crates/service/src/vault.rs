//! What accounts rest on: the keys made of the server's secret, the hashing of passwords, the drawing of pictures.

mod easel;
mod keys;
mod passwords;

use std::path::Path;

use anyhow::Result;
use url::Url;

use crate::config::Config;
use crate::error::{Code, ServiceError};
use crate::origin::is_loopback;
use crate::ports::Ports;

pub use easel::Easel;
pub use keys::{Binding, Keys};
pub use passwords::{MOST_BYTES as PASSWORD_BYTES, Passwords, Verdict};

/// The keys of accounts, where this server can have accounts; and where passwords are hashed and pictures drawn.
#[derive(Debug)]
pub struct Vault {
    keys: Result<Keys, Off>,
    passwords: Passwords,
    easel: Easel,
}

/// Why there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Off {
    /// Several servers may share the database, so they must be given a secret to share.
    NoSecret,
    /// Cookies would travel in the clear.
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
    /// Sets accounts up, once the database is there. Fails where a secret can't be read, kept or trusted.
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

    /// Why there are none on this server; `None`: there are.
    pub fn off(&self) -> Option<Off> {
        self.keys.as_ref().err().copied()
    }

    /// Where passwords are hashed.
    pub fn passwords(&self) -> &Passwords {
        &self.passwords
    }

    /// Where pictures are drawn.
    pub(crate) fn easel(&self) -> &Easel {
        &self.easel
    }

    /// The keys; [`Code::AuthUnavailable`] where there are no accounts.
    pub fn keys(&self) -> Result<&Keys, ServiceError> {
        self.keys.as_ref().map_err(|_| ServiceError::new(Code::AuthUnavailable))
    }
}
