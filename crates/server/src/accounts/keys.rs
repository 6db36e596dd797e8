//! API keys of accounts and organizations: who may make and end them.

use model::id::{AccountId, ApiKeyId, OrganizationId};
use store::{KeyMade, KeyRecord, NewKey, Session};

use super::session::require_fresh;
use super::unavailable;
use crate::app::App;
use crate::caller::{Kind, token_digest};
use crate::database::Trouble;
use crate::error::{ApiError, Code};
use model::account::Assurance;

/// Characters of a key's name at most (`interface.md` section 8).
pub(crate) const NAME_CHARS: usize = 60;
/// Live keys of one account or organization for a product (`interface.md` section 8).
const LIVE_KEYS: u32 = 10;

/// A key just made, with the one sight of it that there is.
#[derive(Debug)]
pub(crate) struct MadeKey {
    /// What is kept.
    pub(crate) record: KeyRecord,
    /// The key itself.
    pub(crate) secret: String,
}

/// A key's name as it is kept: without spaces around it. [`Code::InvalidKeyName`] for none, for a longer one and for
/// one with control characters.
pub(crate) fn key_name(typed: &str) -> Result<String, ApiError> {
    let name = typed.trim();
    let is_name = !name.is_empty() && name.chars().count() <= NAME_CHARS && !name.chars().any(char::is_control);
    if is_name { Ok(name.to_owned()) } else { Err(ApiError::new(Code::InvalidKeyName)) }
}

/// Makes a key for the session's account, or for an organization in whose name it may. What speaks against it is told
/// in the order of `specs/accounts.md` 4.8, after session, CSRF and name: fresh, organization, factor, limit.
pub(crate) async fn create(
    app: &App,
    session: &Session,
    name: String,
    organization: Option<OrganizationId>,
) -> Result<MadeKey, ApiError> {
    let now = app.ports().now();
    require_fresh(session, now)?;
    let product = app.config().product.id.as_str();
    if let Some(id) = &organization {
        let manages = app.database().ask(|store| store.manages_keys(&session.account, id, product)).await;
        if !manages.map_err(unavailable)? {
            return Err(ApiError::new(Code::OrganizationForbidden));
        }
        if session.assurance < Assurance::Aal2 {
            return Err(ApiError::new(Code::OrganizationMfaRequired));
        }
    }
    let secret = Kind::Key.token(app.ports().entropy.bytes());
    let last4 = secret.get(secret.len().saturating_sub(4)..).unwrap_or_default().to_owned();
    let key = NewKey {
        id: ApiKeyId(app.ports().id()),
        organization,
        product: product.to_owned(),
        created_by: session.account.clone(),
        name,
        token_digest: token_digest(&secret),
        last4,
        created_at: now,
    };
    let made = app.database().ask(|store| store.create_key(key.clone(), LIVE_KEYS)).await.map_err(unavailable)?;
    match made {
        KeyMade::Made => {}
        KeyMade::LimitReached => return Err(ApiError::new(Code::KeyLimitReached)),
        KeyMade::Forbidden if key.organization.is_some() => return Err(ApiError::new(Code::OrganizationForbidden)),
        // The account was closed since the session was looked up.
        KeyMade::Forbidden => return Err(ApiError::new(Code::SessionEnded)),
    }
    tracing::info!(key.id = %key.id, "an API key was made");
    let record = KeyRecord {
        id: key.id,
        name: key.name,
        organization: key.organization,
        last4: key.last4,
        created_at: key.created_at,
        last_used_at: None,
        revoked_at: None,
    };
    Ok(MadeKey { record, secret })
}

/// The keys that an account manages, live ones first.
pub(crate) async fn list(app: &App, account: &AccountId) -> Result<Vec<KeyRecord>, ApiError> {
    app.database().ask(|store| store.keys(account, &app.config().product.id)).await.map_err(unavailable)
}

/// Revokes a key that an account manages; [`Code::KeyNotFound`] when there is no such key among those.
pub(crate) async fn revoke(app: &App, account: &AccountId, id: &ApiKeyId) -> Result<(), ApiError> {
    let now = app.ports().now();
    let revoked = app.database().ask(|store| store.revoke_key(account, id, &app.config().product.id, now)).await;
    revoked.map_err(|trouble| match trouble {
        Trouble::NotFound => ApiError::new(Code::KeyNotFound),
        other => unavailable(other),
    })?;
    tracing::info!(key.id = %id, "an API key was revoked");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_to_sixty_characters() {
        for (typed, name) in [
            (" build server ", Some("build server")),
            ("é", Some("é")),
            ("", None),
            (" \t", None),
            ("a\nb", None),
            ("a\0", None),
        ] {
            assert_eq!(key_name(typed).ok().as_deref(), name, "{typed:?}");
        }
        assert!(key_name(&"é".repeat(NAME_CHARS)).is_ok());
        assert!(key_name(&"é".repeat(NAME_CHARS + 1)).is_err());
    }
}
