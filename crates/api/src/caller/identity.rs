//! Authentication of a request: the session cookie, else the API key, else the guest token. No other code reads them.

use std::sync::Arc;

use http::HeaderMap;
use http::request::Parts;
use model::id::AuditId;
use model::lang::Lang;
use service::Services;
use service::caller::{Caller, Cx, Identity, Unverified};
use service::credential::{TokenKind, is_random_token};
use service::error::{Code, ServiceError};
use service::identity::{self, SessionIdentity};
use service::network::Network;

use super::agent::{self, is_crawler, is_smoke, reader};
use super::credential::{SentCredentials, guest_token, sent};
use super::guard;
use super::incoming::{Incoming, Recognized};
use super::renewal::Renewal;
use crate::cookies::CookieKind;
use crate::operation::{Access, Operation};
use crate::request::client;

/// The caller of an operation, once its access is granted and, for a browser's write, once it is proven that a page of
/// ours made it. `body_token`: a guest token in the body. `wanted`: the audit whose head is read with a guest's identity.
pub(crate) async fn of_call(
    services: &Services,
    operation: &Operation,
    incoming: &Incoming<'_>,
    body_token: Option<&str>,
    wanted: Option<&AuditId>,
) -> Result<Recognized, ServiceError> {
    let headers = incoming.headers;
    if operation.access == Access::Operator {
        identity::require_operators_token(services)?;
    }
    let mut caller = unrecognized(services, incoming.network, headers);
    let mut sent = sent(headers, incoming.query_token)?;
    if let Some(token) = &sent.operator {
        caller.is_operator = identity::of_operator(services, token)?;
    }
    let cookie = CookieKind::Session.read(services.is_https(), headers);
    if cookie.is_none() && sent.key.is_none() {
        // Beside a session or a key, a token in the body is what the call is about.
        sent.guest = guest_token(sent.guest, body_token)?;
    }
    sent.refuse_other_scheme()?;
    caller.credit = sent.credit.take();
    let beside = beside(cookie.as_ref(), &sent);
    let Recognized { caller, renewed } = match identified(services, caller.clone(), cookie, sent, wanted).await {
        // Signing in and out must work with an ended session.
        Err(error) if operation.access == Access::Browser && is_over(&error) => {
            Recognized { caller, renewed: CookieKind::Session.clear(services.is_https()) }
        }
        identified => identified?,
    };
    refuse_unknown(services, beside).await?;
    match operation.access {
        _ if operation.writes() => guard::guard(services, operation, &caller, headers)?,
        Access::Browser => guard::guard_read(services, headers)?,
        _ => {}
    }
    match operation.access {
        // A credit is looked up after the identity, beside which it may come.
        Access::Open | Access::Credit => {}
        Access::Browser => {
            if caller.identity == Identity::Unverified(Unverified::Account) {
                return Err(ServiceError::new(Code::AuthUnavailable).retry_after(5));
            }
        }
        Access::Owner => drop(caller.required_owner()?),
        Access::Account => drop(caller.required_account()?),
        Access::Session => drop(caller.required_session()?),
        Access::Operator => identity::require_operator(&caller)?,
    }
    Ok(Recognized { caller, renewed })
}

/// The credentials that are sent beside the one that counts.
fn beside(cookie: Option<&String>, sent: &SentCredentials) -> SentCredentials {
    SentCredentials {
        key: sent.key.clone().filter(|_| cookie.is_some()),
        guest: sent.guest.clone().filter(|_| cookie.is_some() || sent.key.is_some()),
        ..SentCredentials::default()
    }
}

/// Refuses a call with a credential that is not known, also where another one counts: its sender takes it for good.
async fn refuse_unknown(services: &Services, beside: SentCredentials) -> Result<(), ServiceError> {
    if let Some(token) = beside.key {
        identity::of_key(services, &token).await?;
    }
    if let Some(token) = beside.guest {
        identity::of_guest(services, &token).await?;
    }
    Ok(())
}

/// The reader of a page: a session, else the guest of the cookie.
pub async fn of_page(services: &Services, parts: &Parts) -> Result<Caller, ServiceError> {
    of_page_with(services, parts, CookieKind::Guest.read(services.is_https(), &parts.headers)).await
}

/// The reader of a page: a session, else the guest of a token. The token of a deleted guest counts as no credential, as
/// nobody sent its cookie on purpose.
pub async fn of_page_with(services: &Services, parts: &Parts, guest: Option<String>) -> Result<Caller, ServiceError> {
    let headers = &parts.headers;
    let caller = of_reader(services, parts);
    let cookie = CookieKind::Session.read(services.is_https(), headers);
    let Recognized { caller, renewed } = match identified(
        services,
        caller.clone(),
        cookie,
        SentCredentials { guest, ..SentCredentials::default() },
        None,
    )
    .await
    {
        Err(error) if error.code == Code::GuestTokenInvalid => Recognized { caller, renewed: None },
        identified => identified?,
    };
    if let (Some(renewal), Some(cookie)) = (parts.extensions.get::<Renewal>(), renewed) {
        renewal.leave(cookie);
    }
    Ok(caller)
}

/// The reader of a page, by network and cookies alone: who they are is not looked up.
pub fn of_reader(services: &Services, parts: &Parts) -> Caller {
    let network = client(&parts.extensions, &parts.headers);
    let credit = CookieKind::Credit.read(services.is_https(), &parts.headers);
    let credit = credit.filter(|token| TokenKind::Credit.fits(token));
    Caller { is_page: true, credit, ..unrecognized(services, network, &parts.headers) }
}

/// The operator who is signed in on the pages; `None` for everybody else.
pub fn operator_caller(services: &Services, parts: &Parts, lang: Lang) -> Option<Cx> {
    let proof = CookieKind::Operator.read(services.is_https(), &parts.headers)?;
    let caller = unrecognized(services, client(&parts.extensions, &parts.headers), &parts.headers);
    let caller = Caller { is_operator: identity::is_operator_session(services, &proof), ..caller };
    caller.is_operator.then(|| Cx::new(services, caller, lang))
}

/// The caller of a request before its credential is looked up.
fn unrecognized(services: &Services, network: Network, headers: &HeaderMap) -> Caller {
    let bootstrap = CookieKind::Bootstrap.read(services.is_https(), headers);
    Caller {
        is_crawler: is_crawler(services, headers),
        is_smoke: is_smoke(headers),
        reader: reader(headers, false),
        bootstrap: bootstrap.filter(|value| is_random_token(value)),
        verified: CookieKind::Verified.read(services.is_https(), headers),
        // Browsers say so of themselves (Fetch Metadata, W3C); other programs don't send it.
        is_page: headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin"),
        ..Caller::unknown(network, agent::family(headers))
    }
}

/// Whether a refusal is that of a session which is over.
fn is_over(error: &ServiceError) -> bool {
    matches!(error.code, Code::InvalidSession | Code::SessionEnded)
}

async fn identified(
    services: &Services,
    caller: Caller,
    cookie: Option<String>,
    sent: SentCredentials,
    wanted: Option<&AuditId>,
) -> Result<Recognized, ServiceError> {
    let mut read_beside = None;
    let (identity, renewed) = if let Some(token) = cookie {
        let SessionIdentity { identity, is_renewed } = identity::of_session(services, &token).await?;
        let cookie = is_renewed.then(|| CookieKind::Session.set(services.is_https(), &token));
        (identity, cookie.flatten())
    } else if let Some(token) = sent.key {
        (identity::of_key(services, &token).await?, None)
    } else if let (Some(token), Some(audit)) = (&sent.guest, wanted) {
        let (identity, head) = identity::of_guest_who_reads(services, token, audit).await?;
        read_beside = head.map(Arc::new);
        (identity, None)
    } else if let Some(token) = sent.guest {
        (identity::of_guest(services, &token).await?, None)
    } else {
        (Identity::Nobody, None)
    };
    Ok(Recognized { caller: Caller { identity, read_beside, ..caller }, renewed })
}
