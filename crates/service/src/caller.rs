//! Who is calling: from which network, and as whom.

use std::sync::Arc;

use model::id::{GuestId, Owner};
use model::lang::Lang;
use store::{ApiKey, Session};

use crate::error::{Code, ServiceError};
use crate::network::Network;
use crate::services::Services;
use crate::vault::Binding;
use crate::x402::CallPayment;

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
    /// A caller of whom only the network and the family of the program are known.
    pub fn unknown(network: Network, agent: &'static str) -> Self {
        Self {
            network,
            identity: Identity::Nobody,
            credit: None,
            is_operator: false,
            is_crawler: false,
            agent,
            bootstrap: None,
        }
    }

    /// What the CSRF tokens of a caller's pages are bound to; `None` before the first bootstrap.
    pub fn binding(&self) -> Option<Binding<'_>> {
        match (&self.identity, &self.bootstrap) {
            (Identity::Session(session), _) => Some(Binding::Session(&session.id.0)),
            (_, Some(value)) => Some(Binding::Browser(value)),
            (_, None) => None,
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
    pub fn required_owner(&self) -> Result<Owner, ServiceError> {
        let refused = match &self.identity {
            Identity::Unverified(Unverified::Guest) => ServiceError::new(Code::DatabaseUnavailable).retry_after(5),
            Identity::Unverified(Unverified::Account) => ServiceError::new(Code::AuthUnavailable).retry_after(5),
            _ => ServiceError::new(Code::GuestTokenRequired),
        };
        self.owner().ok_or(refused)
    }

    /// The session, where a call is for people who are signed in.
    pub fn required_session(&self) -> Result<&Session, ServiceError> {
        match &self.identity {
            Identity::Session(session) => Ok(session),
            Identity::Unverified(Unverified::Account) => Err(ServiceError::new(Code::AuthUnavailable).retry_after(5)),
            Identity::Nobody | Identity::Guest(_) | Identity::Key(_) | Identity::Unverified(Unverified::Guest) => {
                Err(ServiceError::new(Code::InvalidSession))
            }
        }
    }
}

/// One call: what it may use, who makes it, in which language, and how it is paid.
#[derive(Debug, Clone)]
pub struct Cx {
    /// The service.
    pub services: Services,
    /// Who calls.
    pub caller: Caller,
    /// The language of the texts.
    pub lang: Lang,
    /// The debit or payment that pays for this call and is not final yet; what is made meanwhile is withheld.
    pub withheld: Option<Arc<str>>,
    /// The means to pay that came with the call.
    pub payment: CallPayment,
}

impl Cx {
    /// A call that nothing is held for.
    pub fn new(services: &Services, caller: Caller, lang: Lang) -> Self {
        Self { services: services.clone(), caller, lang, withheld: None, payment: CallPayment::default() }
    }
}
