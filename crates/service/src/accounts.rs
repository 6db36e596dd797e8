//! Accounts: registration, sign-in, sessions, security settings, API keys and organizations.

pub(crate) mod address;
mod attempts;
pub mod avatar;
mod change;
pub mod claim;
pub mod departure;
pub mod entry;
pub mod keys;
pub mod operator;
pub mod organizations;
pub mod passkeys;
pub mod profile;
pub mod recovery;
pub mod security;
pub mod session;
pub mod totp;
mod trial;
mod unavailable;
mod webauthn;

pub use change::OneTimeToken;
pub(crate) use trial::TRIAL_DAYS;
pub use trial::trial;
