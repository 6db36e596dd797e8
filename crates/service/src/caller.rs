//! The caller of a use case: network, identity, and means of payment.

use std::sync::Arc;

use model::id::{GuestId, Owner};
use model::lang::Lang;
use store::{ApiKey, OwnHead, Session};

use crate::counting::{CountedReader, Event};
use crate::error::{Code, ServiceError};
use crate::network::Network;
use crate::running::ObservedAudit;
use crate::services::Services;
use crate::vault::Binding;
use crate::x402::CallPayment;

/// A caller, as far as the request reveals.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The network, for rate limits.
    pub network: Network,
    /// The identity that owns what is read and created.
    pub identity: Identity,
    /// A credit token to pay with, not yet looked up. It is not an identity.
    pub credit: Option<String>,
    /// Whether the operator's token was sent. It opens the operator's routes, but is not an identity.
    pub is_operator: bool,
    /// Whether the user agent is our own crawler, or that of another Site Audit.
    pub is_crawler: bool,
    /// Whether this is a test of the operator's own, which is counted nowhere.
    pub is_smoke: bool,
    /// Who asks, as far as headers tell, for what is counted.
    pub reader: CountedReader,
    /// Family of the browser or program.
    pub agent: &'static str,
    /// The value of the browser's bootstrap cookie.
    pub bootstrap: Option<String>,
    /// The value of the cookie that says that the browser is verified, as it was sent.
    pub verified: Option<String>,
    /// Whether a page of ours made the call, in a browser.
    pub is_page: bool,
    /// The head of the audit that the call reads, where it is this caller's and was read with the identity, in one query.
    pub read_beside: Option<Arc<OwnHead>>,
}

/// Identity of a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// No credential was sent.
    Nobody,
    /// A guest.
    Guest(GuestId),
    /// A signed-in browser.
    Session(Box<Session>),
    /// An API key of an account or an organization.
    Key(Box<ApiKey>),
    /// A credential was sent, but could not be looked up: the database is down.
    Unverified(Unverified),
}

/// Kind of a credential that could not be looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unverified {
    /// A guest token.
    Guest,
    /// A session or an API key.
    Account,
}

impl Caller {
    /// A caller known by network and program only.
    pub fn unknown(network: Network, agent: &'static str) -> Self {
        Self {
            network,
            identity: Identity::Nobody,
            credit: None,
            is_operator: false,
            is_crawler: false,
            is_smoke: false,
            reader: CountedReader::of("", "", "", false),
            agent,
            bootstrap: None,
            verified: None,
            is_page: false,
            read_beside: None,
        }
    }

    /// What the caller's CSRF tokens are bound to; `None` before the first bootstrap.
    pub fn binding(&self) -> Option<Binding<'_>> {
        match (&self.identity, &self.bootstrap) {
            (Identity::Session(session), _) => Some(Binding::Session(&session.id.0)),
            (_, Some(value)) => Some(Binding::Browser(value)),
            (_, None) => None,
        }
    }

    /// The owner of what this caller creates; `None` for nobody.
    pub fn owner(&self) -> Option<Owner> {
        match &self.identity {
            Identity::Guest(id) => Some(Owner::Guest(id.clone())),
            Identity::Session(session) => Some(Owner::Account(session.account.clone())),
            Identity::Key(key) => Some(key.owner.clone()),
            Identity::Nobody | Identity::Unverified(_) => None,
        }
    }

    /// The owner; an error when the call needs one and there is none.
    pub fn required_owner(&self) -> Result<Owner, ServiceError> {
        let refused = match &self.identity {
            Identity::Unverified(Unverified::Guest) => ServiceError::new(Code::DatabaseUnavailable).retry_after(5),
            Identity::Unverified(Unverified::Account) => ServiceError::new(Code::AuthUnavailable).retry_after(5),
            _ => ServiceError::new(Code::GuestTokenRequired),
        };
        self.owner().ok_or(refused)
    }

    /// The owner where it is an account or an organization; [`Code::AccountRequired`] for a guest.
    pub fn required_account(&self) -> Result<Owner, ServiceError> {
        match self.required_owner()? {
            Owner::Guest(_) => Err(ServiceError::new(Code::AccountRequired)),
            owner => Ok(owner),
        }
    }

    /// The session; an error when nobody is signed in.
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

/// The context of one call: services, caller, language, and payment.
#[derive(Debug, Clone)]
pub struct Cx {
    /// The service.
    pub services: Services,
    /// The caller.
    pub caller: Caller,
    /// The language of the texts.
    pub lang: Lang,
    /// The pending debit or payment of this call; what is created meanwhile is withheld until it settles.
    pub withheld: Option<Arc<str>>,
    /// The means to pay that came with the call.
    pub payment: CallPayment,
    /// The id of the audit that the call makes, and who is told of its steps; `None` where nobody looks on.
    pub observed: Option<ObservedAudit>,
}

impl Cx {
    /// A call without a pending payment.
    pub fn new(services: &Services, caller: Caller, lang: Lang) -> Self {
        Self {
            services: services.clone(),
            caller,
            lang,
            withheld: None,
            payment: CallPayment::default(),
            observed: None,
        }
    }

    /// Counts an event of the product, unless the call is a test of the operator's own.
    pub fn count(&self, event: &Event) {
        if !self.caller.is_smoke {
            self.services.counter().add(event, self.services.ports().now());
        }
    }
}
