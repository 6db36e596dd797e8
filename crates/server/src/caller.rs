//! Who is calling: from which network, and with which credential.

mod agent;
mod cookies;
mod credential;
mod guard;
mod identity;
mod network;
mod origin;
mod renewal;

use http::{HeaderMap, HeaderValue};
use model::id::{GuestId, Owner};
use store::{ApiKey, Session};

pub(crate) use cookies::cookie;
pub use cookies::{Cookie, SESSION_SECONDS};
pub use credential::{Kind, Sent, guest_token, sent, token_digest};
pub(crate) use guard::{CONTEXT, binding, guard_form};
pub(crate) use identity::{is_random_token, of_call, of_page};
pub use network::{Network, Proxies, WIDE};
pub(crate) use origin::{is_address_of, is_loopback, is_own, same_site};
pub(crate) use renewal::renew;

use crate::error::{ApiError, Code};

/// A caller, as far as the request tells.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The network that is counted.
    pub network: Network,
    /// Whose things may be read and made.
    pub identity: Identity,
    /// A credit token that came along, to pay with. It is no identity, and not yet looked up.
    pub credit: Option<String>,
    /// The operator's token came along. It opens the operator's routes, and acts as nobody.
    pub is_operator: bool,
    /// The request carries the name of our own crawler, or of another Site Audit's.
    pub is_crawler: bool,
    /// The family of the browser or program that calls.
    pub agent: &'static str,
    /// The value of the browser's bootstrap cookie.
    pub bootstrap: Option<String>,
    /// A cookie that the answer has to carry; of a page, [`renew`] sees to it.
    pub renewed: Option<HeaderValue>,
}

/// What the caller's credential came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// None was sent.
    Nobody,
    /// A guest that is known.
    Guest(GuestId),
    /// A browser that is signed in.
    Session(Box<Session>),
    /// A program of an account or an organization.
    Key(Box<ApiKey>),
    /// A credential was sent, but the database could not be asked about it.
    Unverified(Unverified),
}

/// Whose credential could not be looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unverified {
    /// A guest's.
    Guest,
    /// An account's: a session or a key.
    Account,
}

impl Caller {
    /// Somebody at a network, of whom nothing else is known.
    pub fn unknown(network: Network, headers: &HeaderMap) -> Self {
        Self {
            network,
            identity: Identity::Nobody,
            credit: None,
            is_operator: false,
            is_crawler: false,
            agent: agent::family(headers),
            bootstrap: None,
            renewed: None,
        }
    }

    /// The owner of what this caller makes; `None`: nobody.
    pub fn owner(&self) -> Option<Owner> {
        match &self.identity {
            Identity::Guest(id) => Some(Owner::Guest(id.clone())),
            Identity::Session(session) => Some(Owner::Account(session.account.clone())),
            Identity::Key(key) => Some(key.owner.clone()),
            Identity::Nobody | Identity::Unverified(_) => None,
        }
    }

    /// The owner, where a call is for owners only.
    pub fn required_owner(&self) -> Result<Owner, ApiError> {
        let refused = match &self.identity {
            Identity::Unverified(Unverified::Guest) => ApiError::new(Code::DatabaseUnavailable).retry_after(5),
            Identity::Unverified(Unverified::Account) => ApiError::new(Code::AuthUnavailable).retry_after(5),
            _ => ApiError::new(Code::GuestTokenRequired),
        };
        self.owner().ok_or(refused)
    }

    /// The session, where a call is for people who are signed in.
    pub fn required_session(&self) -> Result<&Session, ApiError> {
        match &self.identity {
            Identity::Session(session) => Ok(session),
            Identity::Unverified(Unverified::Account) => Err(ApiError::new(Code::AuthUnavailable).retry_after(5)),
            Identity::Nobody | Identity::Guest(_) | Identity::Key(_) | Identity::Unverified(Unverified::Guest) => {
                Err(ApiError::new(Code::InvalidSession))
            }
        }
    }
}
