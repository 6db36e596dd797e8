//! Who is calling: from which network, and with which credential.

mod credential;
mod network;

use model::id::{GuestId, Owner};

pub use credential::{Credential, guest_token, new_guest_token, sent, token_digest};
pub use network::{Network, Proxies, WIDE};

use crate::error::{ApiError, Code};

/// A caller, as far as the request tells.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The network that is counted.
    pub network: Network,
    /// Whose audits may be read.
    pub identity: Identity,
    /// The request carries the name of our own crawler, or of another Site Audit's.
    pub is_crawler: bool,
    /// A payment came along.
    pub offers_payment: bool,
}

/// What the caller's credential came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// None was sent.
    Nobody,
    /// A guest that is known.
    Guest(GuestId),
    /// A guest token was sent, but the database could not be asked about it.
    Unverified,
}

impl Caller {
    /// The owner of what this caller makes; `None`: nobody.
    pub fn owner(&self) -> Option<Owner> {
        match &self.identity {
            Identity::Guest(id) => Some(Owner::Guest(id.clone())),
            Identity::Nobody | Identity::Unverified => None,
        }
    }

    /// The owner, where a call is for owners only.
    pub fn required_owner(&self) -> Result<Owner, ApiError> {
        match &self.identity {
            Identity::Guest(id) => Ok(Owner::Guest(id.clone())),
            Identity::Nobody => Err(ApiError::new(Code::GuestTokenRequired)),
            Identity::Unverified => Err(ApiError::new(Code::DatabaseUnavailable).retry_after(5)),
        }
    }
}
