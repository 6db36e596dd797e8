//! Identities by credential: sessions, API keys, guest tokens, the operator's token. No other code looks a credential up.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use model::id::AuditId;
use model::time::DAY_MS;
use sha2::Sha256;
use store::{FoundGuest, FoundSession, OwnHead};
use subtle::ConstantTimeEq as _;

use crate::accounts::session::SESSION_SECONDS;
use crate::caller::{Caller, Identity, Unverified};
use crate::credential::{is_random_token, token_digest};
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
use crate::network::Network;
use crate::services::Services;

/// Milliseconds between two updates of when a session or key was last used.
const NOTED_EVERY_MS: i64 = 3_600_000;

/// The identity of a session token.
#[derive(Debug)]
pub struct SessionIdentity {
    /// The session, or [`Unverified::Account`] while the database is down.
    pub identity: Identity,
    /// Whether its idle timeout starts again, and so the age of its cookie.
    pub is_renewed: bool,
}

/// Looks a session up by its token. An ended one is refused; it never falls back to a guest or to nobody.
pub async fn of_session(services: &Services, token: &str) -> Result<SessionIdentity, ServiceError> {
    let unverified = SessionIdentity { identity: Identity::Unverified(Unverified::Account), is_renewed: false };
    if services.vault().off().is_some() {
        return Ok(unverified);
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
        Err(DatabaseError::Down | DatabaseError::Full) => return Ok(unverified),
        Err(DatabaseError::Defect) => return Err(ServiceError::new(Code::Internal)),
    };
    let is_renewed = !session.is_rotated && now >= session.last_seen_at.plus_ms(NOTED_EVERY_MS);
    if is_renewed {
        let idle_expires_at = now.plus_ms(i64::from(SESSION_SECONDS) * 1000);
        let id = session.id.clone();
        services.database().later(move |store| async move { store.touch_session(&id, now, idle_expires_at).await });
    }
    Ok(SessionIdentity { identity: Identity::Session(Box::new(session)), is_renewed })
}

/// Looks an API key up.
pub async fn of_key(services: &Services, token: &str) -> Result<Identity, ServiceError> {
    let (digest, now) = (token_digest(token), services.ports().now());
    match services.database().ask(|store| store.key_by_digest(&digest, &services.config().product.id)).await {
        Ok(Some(key)) => {
            if key.last_used_at.is_none_or(|at| now >= at.plus_ms(NOTED_EVERY_MS)) {
                let (id, hour) = (key.id.clone(), now.plus_ms(-now.0.rem_euclid(NOTED_EVERY_MS)));
                services.database().later(move |store| async move { store.touch_key(&id, hour).await });
            }
            Ok(Identity::Key(Box::new(key)))
        }
        Ok(None) | Err(DatabaseError::NotFound) => Err(ServiceError::new(Code::InvalidApiKey)),
        Err(DatabaseError::Down | DatabaseError::Full) => Ok(Identity::Unverified(Unverified::Account)),
        Err(DatabaseError::Defect) => Err(ServiceError::new(Code::Internal)),
    }
}

/// Looks a guest token up.
pub async fn of_guest(services: &Services, token: &str) -> Result<Identity, ServiceError> {
    let digest = token_digest(token);
    let found = services.database().ask(|store| store.guest_by_digest(&digest)).await;
    guest(services, found)
}

/// Looks a guest token up, and the head of the audit that the guest reads in the same query; `None` where it is not theirs.
pub async fn of_guest_who_reads(
    services: &Services,
    token: &str,
    audit: &AuditId,
) -> Result<(Identity, Option<OwnHead>), ServiceError> {
    let (digest, now) = (token_digest(token), services.ports().now());
    let found = services.database().ask(|store| store.guest_with_audit_head(&digest, audit, now)).await;
    let (found, head) = match found {
        Ok(Some((guest, head))) => (Ok(Some(guest)), head),
        Ok(None) => (Ok(None), None),
        Err(error) => (Err(error), None),
    };
    Ok((guest(services, found)?, head))
}

/// The identity of a guest who was looked up.
fn guest(services: &Services, found: Result<Option<FoundGuest>, DatabaseError>) -> Result<Identity, ServiceError> {
    let now = services.ports().now();
    match found {
        Ok(Some(guest)) => {
            if now >= guest.last_seen_at.plus_ms(DAY_MS) {
                let id = guest.id.clone();
                services.database().later(move |store| async move { store.touch_guest(&id, now).await });
            }
            Ok(Identity::Guest(guest.id))
        }
        Ok(None) | Err(DatabaseError::NotFound) => Err(ServiceError::new(Code::GuestTokenInvalid)),
        Err(DatabaseError::Down | DatabaseError::Full) => Ok(Identity::Unverified(Unverified::Guest)),
        Err(DatabaseError::Defect) => Err(ServiceError::new(Code::Internal)),
    }
}

/// Whether a bearer token is the operator's; an error for any other.
pub fn of_operator(services: &Services, token: &str) -> Result<bool, ServiceError> {
    let digest = services.operator_digest();
    let is_right = digest.is_some_and(|digest| bool::from(digest.ct_eq(&token_digest(token))));
    if is_right { Ok(true) } else { Err(ServiceError::new(Code::InvalidCredential)) }
}

/// Seconds for which the operator stays signed in on the pages.
pub const OPERATOR_SECONDS: u32 = 8 * 3_600;
/// Sign-ins of the operator per network and hour, tries included.
const OPERATOR_TRIES: u32 = 20;

/// The value of the cookie that keeps the operator signed in on the pages: when it ends, and a proof that only this
/// operator's token makes. [`Code::InvalidCredential`] for a wrong token, [`Code::RateLimited`] after too many tries.
pub async fn operator_session(services: &Services, network: Network, token: &str) -> Result<String, ServiceError> {
    require_operators_token(services)?;
    let (database, ports) = (services.database(), services.ports());
    services.allowance().spend_hourly(database, ports, network, "operator", OPERATOR_TRIES).await?;
    of_operator(services, token)?;
    let ends_at = ports.now().plus_ms(i64::from(OPERATOR_SECONDS) * 1000).0;
    Ok(format!("{ends_at}.{}", operator_proof(services, ends_at)?))
}

/// Whether the value of a cookie is that of an operator who is still signed in.
pub fn is_operator_session(services: &Services, value: &str) -> bool {
    let now = services.ports().now().0;
    let Some((ends_at, proof)) = value.split_once('.') else { return false };
    let Ok(ends_at) = ends_at.parse::<i64>() else { return false };
    let is_current = ends_at > now && ends_at <= now.saturating_add(i64::from(OPERATOR_SECONDS) * 1000);
    is_current
        && operator_proof(services, ends_at).is_ok_and(|right| bool::from(right.as_bytes().ct_eq(proof.as_bytes())))
}

/// Proof that the operator's token was given, for a session that ends then.
fn operator_proof(services: &Services, ends_at: i64) -> Result<String, ServiceError> {
    let digest = services.operator_digest().ok_or_else(|| ServiceError::new(Code::OperatorUnavailable))?;
    let mut mac = Hmac::<Sha256>::new_from_slice(digest).map_err(|_| ServiceError::new(Code::Internal))?;
    mac.update(format!("operator session until {ends_at}").as_bytes());
    Ok(HEXLOWER.encode(&mac.finalize().into_bytes()))
}

/// [`Code::OperatorUnavailable`] where the server has no operator's token: then no bearer token is right or wrong.
pub fn require_operators_token(services: &Services) -> Result<(), ServiceError> {
    services.operator_digest().map(drop).ok_or_else(|| ServiceError::new(Code::OperatorUnavailable))
}

/// An error unless the caller sent the operator's token.
pub fn require_operator(caller: &Caller) -> Result<(), ServiceError> {
    if caller.is_operator { Ok(()) } else { Err(ServiceError::new(Code::OperatorTokenRequired)) }
}
