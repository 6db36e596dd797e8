//! Guests: identities without an account.

use model::id::GuestId;

use crate::caller::{Caller, Cx, Identity};
use crate::credential::{TokenKind, token_digest};
use crate::error::ServiceError;
use crate::gate::{self, RateLimit};
use crate::services::Services;

/// Creates a guest; returns its id and token.
pub async fn create(services: &Services) -> Result<(GuestId, String), ServiceError> {
    let token = TokenKind::Guest.token(services.ports().entropy.bytes());
    let (id, digest, now) = (GuestId(services.ports().id()), token_digest(&token), services.ports().now());
    services.database().write(|store| store.create_guest(id.clone(), &digest, now)).await?;
    Ok((id, token))
}

/// A new guest and its token, within the hourly ceiling of the caller's network.
pub async fn admit(cx: &Cx) -> Result<(GuestId, String), ServiceError> {
    gate::spend_hourly(&cx.services, cx.caller.network, RateLimit::Guests).await?;
    create(&cx.services).await
}

/// The call of a guest that is made for it, with the guest's token; the call itself and no token where it has an identity.
pub async fn or_new(cx: Cx) -> Result<(Cx, Option<String>), ServiceError> {
    if cx.caller.identity != Identity::Nobody {
        return Ok((cx, None));
    }
    let (id, token) = admit(&cx).await?;
    let caller = Caller { identity: Identity::Guest(id), ..cx.caller };
    Ok((Cx { caller, ..cx }, Some(token)))
}
