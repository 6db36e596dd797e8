//! Guests: identities without an account.

use model::id::GuestId;

use crate::credential::{TokenKind, token_digest};
use crate::error::ServiceError;
use crate::services::Services;

/// Creates a guest; returns its id and token.
pub async fn create(services: &Services) -> Result<(GuestId, String), ServiceError> {
    let token = TokenKind::Guest.token(services.ports().entropy.bytes());
    let (id, digest, now) = (GuestId(services.ports().id()), token_digest(&token), services.ports().now());
    services.database().ask(|store| store.create_guest(id.clone(), &digest, now)).await?;
    Ok((id, token))
}
