//! Identities by credential: sessions, API keys, guest tokens, the operator's token. No other code looks a credential up.

use model::time::DAY_MS;
use store::FoundSession;
use subtle::ConstantTimeEq as _;

use crate::accounts::session::SESSION_SECONDS;
use crate::caller::{Caller, Identity, Unverified};
use crate::credential::{is_random_token, token_digest};
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
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
    let (digest, now) = (token_digest(token), services.ports().now());
    match services.database().ask(|store| store.guest_by_digest(&digest)).await {
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

/// An error unless the caller sent the operator's token, or where the server has none.
pub fn require_operator(services: &Services, caller: &Caller) -> Result<(), ServiceError> {
    match (services.operator_digest(), caller.is_operator) {
        (Some(_), true) => Ok(()),
        (Some(_), false) => Err(ServiceError::new(Code::OperatorTokenRequired)),
        (None, _) => Err(ServiceError::new(Code::OperatorUnavailable)),
    }
}
