//! Authentication of a request: the session cookie, else the API key, else the guest token. No other code does it.

use http::HeaderMap;
use http::request::Parts;
use service::Services;
use service::accounts::session::SESSION_SECONDS;
use service::caller::{Caller, Identity, Unverified};
use service::credential::{is_random_token, token_digest};
use service::database::DatabaseError;
use service::error::{Code, ServiceError};
use service::network::Network;
use store::FoundSession;
use subtle::ConstantTimeEq as _;

use super::agent::{self, is_crawler};
use super::credential::{Sent, guest_token, sent};
use super::guard;
use super::incoming::{Incoming, Recognized};
use super::renewal::Renewal;
use crate::cookies::Cookie;
use crate::operation::{Access, Operation};
use crate::request::client;

/// Milliseconds between two updates of when a session or key was last used.
const NOTED_EVERY_MS: i64 = 3_600_000;

/// The caller of an operation, once its access is granted and, for a browser's write, once it is proven that a page of
/// ours made it. `body_token`: a guest token in the body.
pub(crate) async fn of_call(
    services: &Services,
    operation: &Operation,
    incoming: &Incoming<'_>,
    body_token: Option<&str>,
) -> Result<Recognized, ServiceError> {
    let headers = incoming.headers;
    let mut caller = unrecognized(services, incoming.network, headers);
    let mut sent = sent(headers, incoming.query_token)?;
    caller.credit = sent.credit.take();
    caller.is_operator = is_operator(services, &sent)?;
    let cookie = Cookie::Session.read(services.is_https(), headers);
    if cookie.is_none() && sent.key.is_none() {
        // Beside a session or a key, a token in the body is what the call is about.
        sent.guest = guest_token(sent.guest, body_token)?;
    }
    let Recognized { caller, renewed } = match identified(services, caller.clone(), cookie, sent).await {
        // Signing in and out must work with an ended session.
        Err(error) if operation.access == Access::Browser && is_over(&error) => {
            Recognized { caller, renewed: Cookie::Session.clear(services.is_https()) }
        }
        identified => identified?,
    };
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
        Access::Session => drop(caller.required_session()?),
        Access::Operator => required_operator(services, &caller)?,
    }
    Ok(Recognized { caller, renewed })
}

/// The reader of a page: a session, else the guest of `guest`, the cookie that only pages look at. A guest's cookie
/// whose guest was deleted counts as no credential, as nobody sent it on purpose.
pub async fn of_page(services: &Services, parts: &Parts, guest: Option<String>) -> Result<Caller, ServiceError> {
    let headers = &parts.headers;
    let caller = unrecognized(services, client(&parts.extensions, headers), headers);
    let cookie = Cookie::Session.read(services.is_https(), headers);
    let Recognized { caller, renewed } =
        match identified(services, caller.clone(), cookie, Sent { guest, ..Sent::default() }).await {
            Err(error) if error.code == Code::GuestTokenInvalid => Recognized { caller, renewed: None },
            identified => identified?,
        };
    if let (Some(renewal), Some(cookie)) = (parts.extensions.get::<Renewal>(), renewed) {
        renewal.leave(cookie);
    }
    Ok(caller)
}

/// The caller of a request before its credential is looked up.
fn unrecognized(services: &Services, network: Network, headers: &HeaderMap) -> Caller {
    let bootstrap = Cookie::Bootstrap.read(services.is_https(), headers);
    Caller {
        is_crawler: is_crawler(services, headers),
        bootstrap: bootstrap.filter(|value| is_random_token(value)),
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
    sent: Sent,
) -> Result<Recognized, ServiceError> {
    if let Some(token) = cookie {
        session(services, caller, &token).await
    } else if let Some(token) = sent.key {
        Ok(known(caller, key(services, &token).await?))
    } else if let Some(token) = sent.guest {
        Ok(known(caller, guest(services, &token).await?))
    } else {
        Ok(Recognized { caller, renewed: None })
    }
}

fn known(caller: Caller, identity: Identity) -> Recognized {
    Recognized { caller: Caller { identity, ..caller }, renewed: None }
}

/// Looks a session up. An ended one is refused and its cookie deleted; it never falls back to a guest or to nobody.
async fn session(services: &Services, caller: Caller, token: &str) -> Result<Recognized, ServiceError> {
    let unverified = Identity::Unverified(Unverified::Account);
    if services.vault().off().is_some() {
        return Ok(known(caller, unverified));
    }
    let refused = |code| ServiceError::new(code).ending_session();
    if !is_random_token(token) {
        return Err(refused(Code::InvalidSession));
    }
    let (digest, now) = (token_digest(token), services.ports().now());
    let session = match services.database().ask(|store| store.session_by_digest(&digest, now)).await {
        Ok(FoundSession::Live(session)) => session,
        Ok(FoundSession::Ended) => return Err(refused(Code::SessionEnded)),
        Ok(FoundSession::Unknown) | Err(DatabaseError::NotFound) => return Err(refused(Code::InvalidSession)),
        Err(DatabaseError::Down) => return Ok(known(caller, unverified)),
        Err(DatabaseError::Defect) => return Err(ServiceError::new(Code::Internal)),
    };
    let mut renewed = None;
    if !session.is_rotated && now >= session.last_seen_at.plus_ms(NOTED_EVERY_MS) {
        let idle_expires_at = now.plus_ms(i64::from(SESSION_SECONDS) * 1000);
        let id = session.id.clone();
        services.database().later(move |store| async move { store.touch_session(&id, now, idle_expires_at).await });
        renewed = Cookie::Session.set(services.is_https(), token);
    }
    Ok(Recognized { renewed, ..known(caller, Identity::Session(Box::new(session))) })
}

/// Looks an API key up.
async fn key(services: &Services, token: &str) -> Result<Identity, ServiceError> {
    let (digest, now) = (token_digest(token), services.ports().now());
    match services.database().ask(|store| store.key_by_digest(&digest, &services.config().product.id)).await {
        Ok(Some(key)) => {
            if key.last_used_at.is_none_or(|at| now >= at.plus_ms(NOTED_EVERY_MS)) {
                let id = key.id.clone();
                services.database().later(move |store| async move { store.touch_key(&id, now).await });
            }
            Ok(Identity::Key(Box::new(key)))
        }
        Ok(None) | Err(DatabaseError::NotFound) => Err(ServiceError::new(Code::InvalidApiKey)),
        Err(DatabaseError::Down) => Ok(Identity::Unverified(Unverified::Account)),
        Err(DatabaseError::Defect) => Err(ServiceError::new(Code::Internal)),
    }
}

/// Looks a guest token up.
async fn guest(services: &Services, token: &str) -> Result<Identity, ServiceError> {
    let (digest, now) = (token_digest(token), services.ports().now());
    match services.database().ask(|store| store.guest_by_digest(&digest, now)).await {
        Ok(Some(id)) => Ok(Identity::Guest(id)),
        Ok(None) | Err(DatabaseError::NotFound) => Err(ServiceError::new(Code::GuestTokenInvalid)),
        Err(DatabaseError::Down) => Ok(Identity::Unverified(Unverified::Guest)),
        Err(DatabaseError::Defect) => Err(ServiceError::new(Code::Internal)),
    }
}

/// Whether the operator's token was sent; a bearer token that is nothing else is refused.
fn is_operator(services: &Services, sent: &Sent) -> Result<bool, ServiceError> {
    let Some(token) = &sent.operator else { return Ok(false) };
    let is_right = match services.operator_digest() {
        Some(digest) => bool::from(digest.ct_eq(&token_digest(token))),
        None => false,
    };
    if is_right { Ok(true) } else { Err(ServiceError::new(Code::InvalidCredential)) }
}

fn required_operator(services: &Services, caller: &Caller) -> Result<(), ServiceError> {
    match (services.operator_digest(), caller.is_operator) {
        (Some(_), true) => Ok(()),
        (Some(_), false) => Err(ServiceError::new(Code::OperatorTokenRequired)),
        (None, _) => Err(ServiceError::new(Code::OperatorUnavailable)),
    }
}
