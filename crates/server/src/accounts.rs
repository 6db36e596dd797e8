//! Accounts: people who signed up, and what proves who they are.

mod address;
pub(crate) mod avatar;
mod change;
pub(crate) mod claim;
pub(crate) mod departure;
pub(crate) mod entry;
pub(crate) mod keys;
mod letters;
pub(crate) mod operator;
pub(crate) mod organizations;
pub(crate) mod passkeys;
mod password;
pub(crate) mod profile;
pub(crate) mod recovery;
mod secret;
pub(crate) mod security;
pub(crate) mod session;
pub(crate) mod totp;
mod webauthn;

use std::path::Path;

use anyhow::Result;
use model::account::Trial;
use model::time::{DAY_MS, Timestamp};
use url::Url;

use crate::caller::is_loopback;
use crate::config::Config;
use crate::database::Trouble;
use crate::error::{ApiError, Code};
use crate::ports::Ports;

pub use avatar::Easel;
pub(crate) use change::Token;
pub use password::Passwords;
pub use secret::SECRET_BYTES;
pub(crate) use secret::{Binding, Keys};

/// How long an account's trial lasts, in days from its first use (`interface.md` section 8).
pub const TRIAL_DAYS: u32 = 90;

/// Accounts, where this server can have them.
#[derive(Debug)]
pub struct Accounts {
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

impl Accounts {
    /// Sets accounts up, once the database is there. Fails where a secret can't be read, kept or trusted.
    pub(crate) fn open(config: &Config, base_url: &str, ports: &Ports) -> Result<Self> {
        let is_safe = Url::parse(base_url).is_ok_and(|url| url.scheme() == "https" || is_loopback(&url));
        let keys = match (&config.auth.secret, config.database_url.strip_prefix("sqlite://")) {
            _ if !is_safe => Err(Off::PlainHttp),
            (Some(secret), _) => Ok(Keys::new(secret, config.auth.previous_secret.as_ref())),
            (None, None) => Err(Off::NoSecret),
            (None, Some(path)) => {
                let secret = secret::beside(Path::new(path), ports.entropy.bytes())?;
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
    pub(crate) fn keys(&self) -> Result<&Keys, ApiError> {
        self.keys.as_ref().map_err(|_| ApiError::new(Code::AuthUnavailable))
    }
}

/// The refusal of a call that only the database of accounts can answer.
pub(crate) fn unavailable(trouble: Trouble) -> ApiError {
    match trouble {
        Trouble::Down => ApiError::new(Code::AuthUnavailable).retry_after(5),
        other => other.into(),
    }
}

/// How an account's trial stands, which began at `started_at` or is yet to begin.
pub fn trial(started_at: Option<Timestamp>, now: Timestamp) -> Trial {
    let Some(started_at) = started_at else {
        return Trial { days: TRIAL_DAYS, active: true, ends_at: None, days_left: None };
    };
    let ends_at = started_at.plus_ms(i64::from(TRIAL_DAYS) * DAY_MS);
    let left = ends_at.0.saturating_sub(now.0).max(0).unsigned_abs().div_ceil(DAY_MS.unsigned_abs());
    let days_left = u32::try_from(left).unwrap_or(u32::MAX);
    Trial { days: TRIAL_DAYS, active: days_left > 0, ends_at: Some(ends_at), days_left: Some(days_left) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_ends_90_days_after_the_first_use() {
        let start = Timestamp(1_769_851_800_000);
        let at = |days: i64, ms: i64| trial(Some(start), start.plus_ms(days * DAY_MS + ms));
        assert_eq!(trial(None, start), Trial { days: 90, active: true, ends_at: None, days_left: None });
        for (days, ms, active, left) in [
            (0, 0, true, 90),
            (0, 1, true, 90),
            (1, 0, true, 89),
            (89, 1, true, 1),
            (90, 0, false, 0),
            (400, 0, false, 0),
        ] {
            let trial = at(days, ms);
            assert_eq!((trial.active, trial.days_left), (active, Some(left)), "{days} {ms}");
        }
        assert_eq!(at(0, 0).ends_at, Some(start.plus_ms(90 * DAY_MS)));
    }
}
