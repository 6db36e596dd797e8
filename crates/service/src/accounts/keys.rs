//! API keys of accounts and organizations: creating, listing and revoking them.

use model::account::Assurance;
use model::id::{AccountId, ApiKeyId, OrganizationId};
use model::lang::{Text, text};
use render::mail::letters;
use store::{KeyMade, KeyRecord, NewEvent, NewKey};

use super::change::{language, own_event};
use super::session::{self, require_fresh};
use super::unavailable::unavailable;
use crate::caller::Cx;
use crate::credential::{TokenKind, token_digest};
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
use crate::job::Job;

/// Characters of a key's name at most. Chosen: one line of a table.
pub(crate) const NAME_CHARS: usize = 60;
/// Live keys per account or organization, for one product. Chosen: ten cover programs and their rotation.
const LIVE_KEYS: u32 = 10;

/// The notice of a new key.
const MADE: Text = text("An API key was created in your account", "Uma chave de API foi criada na sua conta");
/// The notice of a revoked key.
const REVOKED: Text = text("An API key was revoked in your account", "Uma chave de API foi revogada na sua conta");

/// A new key with its secret, which is shown only once.
#[derive(Debug)]
pub struct MadeKey {
    /// The stored record.
    pub record: KeyRecord,
    /// The secret: the key itself.
    pub secret: String,
}

/// Parses a key's name, without spaces around it. [`Code::InvalidKeyName`] when it is empty, too long, or has control
/// characters.
pub fn key_name(typed: &str) -> Result<String, ServiceError> {
    let name = typed.trim();
    let is_name = !name.is_empty() && name.chars().count() <= NAME_CHARS && !name.chars().any(char::is_control);
    if is_name { Ok(name.to_owned()) } else { Err(ServiceError::new(Code::InvalidKeyName)) }
}

/// Parses the id of a key.
pub fn key_id(id: &str) -> Result<ApiKeyId, ServiceError> {
    is_id(id).then(|| ApiKeyId(id.to_owned())).ok_or_else(|| ServiceError::new(Code::InvalidKeyId))
}

/// Parses the id of the organization that a key is for.
pub fn organization_id(id: &str) -> Result<OrganizationId, ServiceError> {
    is_id(id).then(|| OrganizationId(id.to_owned())).ok_or_else(|| ServiceError::new(Code::InvalidOrganization))
}

fn is_id(text: &str) -> bool {
    uuid::Uuid::try_parse(text).is_ok()
}

/// Creates a key for the session's account, or for an organization whose keys the account manages. After session, CSRF
/// and name, errors are checked in this order: fresh session, organization, second factor, limit.
pub async fn create(cx: &Cx, name: String, organization: Option<OrganizationId>) -> Result<MadeKey, ServiceError> {
    let (services, session, now) = (&cx.services, cx.caller.required_session()?, cx.services.ports().now());
    require_fresh(session, now)?;
    let product = services.config().product.id.as_str();
    if let Some(id) = &organization {
        let manages = services.database().ask(|store| store.manages_keys(&session.account, id, product)).await;
        if !manages.map_err(unavailable)? {
            return Err(ServiceError::new(Code::OrganizationForbidden));
        }
        if session.assurance < Assurance::Aal2 {
            return Err(ServiceError::new(Code::OrganizationMfaRequired));
        }
    }
    let secret = TokenKind::Key.token(services.ports().entropy.bytes());
    let last4 = secret.get(secret.len().saturating_sub(4)..).unwrap_or_default().to_owned();
    let key = NewKey {
        id: ApiKeyId(services.ports().id()),
        organization,
        product: product.to_owned(),
        created_by: session.account.clone(),
        name,
        token_digest: token_digest(&secret),
        last4,
        created_at: now,
    };
    let account = session::account(cx, session).await?;
    let mail = letters::key_changed(&services.sender(), MADE, &key.name).to(&account.email, language(&account));
    let (mail, event) = (
        Job::SendMail(mail).queued(services.ports(), None),
        key_event(cx, &account.id, key.organization.clone(), "key_made"),
    );
    let made = services.database().write(|store| store.create_key(key.clone(), LIVE_KEYS, event, vec![mail])).await;
    let made = made.map_err(unavailable)?;
    match made {
        KeyMade::Made => {}
        KeyMade::LimitReached => return Err(ServiceError::new(Code::KeyLimitReached)),
        KeyMade::Forbidden if key.organization.is_some() => return Err(ServiceError::new(Code::OrganizationForbidden)),
        // The account was closed after the session was looked up.
        KeyMade::Forbidden => return Err(ServiceError::new(Code::SessionEnded)),
    }
    tracing::info!(key.id = %key.id, "an API key was created");
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

/// The security event of a key: on the account, and on the organization that the key acts for.
fn key_event(cx: &Cx, account: &AccountId, organization: Option<OrganizationId>, kind: &'static str) -> NewEvent {
    NewEvent { organization, ..own_event(cx, account, kind) }
}

/// The keys that the caller manages, live ones first.
pub async fn list(cx: &Cx) -> Result<Vec<KeyRecord>, ServiceError> {
    let session = cx.caller.required_session()?;
    let product = cx.services.config().product.id.as_str();
    cx.services.database().ask(|store| store.keys(&session.account, product)).await.map_err(unavailable)
}

/// Revokes a key that the caller manages; [`Code::KeyNotFound`] for any other. Idempotent.
pub async fn revoke(cx: &Cx, id: &ApiKeyId) -> Result<(), ServiceError> {
    let (services, session, now) = (&cx.services, cx.caller.required_session()?, cx.services.ports().now());
    let account = session::account(cx, session).await?;
    let key = list(cx).await?.into_iter().find(|key| key.id == *id);
    let key = key.ok_or_else(|| ServiceError::new(Code::KeyNotFound))?;
    let mail = letters::key_changed(&services.sender(), REVOKED, &key.name).to(&account.email, language(&account));
    let (mail, event) = (
        Job::SendMail(mail).queued(services.ports(), None),
        key_event(cx, &account.id, key.organization, "key_revoked"),
    );
    let product = services.config().product.id.as_str();
    let database = services.database();
    let revoked = database.write(|store| store.revoke_key(&account.id, id, product, now, event, vec![mail])).await;
    revoked.map_err(|error| match error {
        DatabaseError::NotFound => ServiceError::new(Code::KeyNotFound),
        other => unavailable(other),
    })?;
    tracing::info!(key.id = %id, "an API key was revoked");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::session::events;
    use crate::testing::{NOW, TestService, service_on};

    /// A new organization of the caller's.
    async fn organization_of(test: &TestService, cx: &Cx) -> OrganizationId {
        let id = OrganizationId(test.services.ports().id());
        let owner = &cx.caller.required_session().unwrap().account;
        let (product, event) = (&test.services.config().product.id, own_event(cx, owner, "organization_made"));
        let store = test.services.database().store();
        store.create_organization(&id, "Acme", owner, product, event, NOW).await.unwrap().unwrap();
        id
    }

    #[tokio::test]
    async fn whoever_may_not_make_a_key_any_more_is_told_why() {
        let test = service_on(|_| {}).await;
        let cx = test.signed_in(&test.account("maria@example.com").await, Assurance::Aal2).await;
        let organization = organization_of(&test, &cx).await;
        // Their membership ends after it was looked up, and before the key is made.
        let leaves = "CREATE TRIGGER leaves AFTER UPDATE ON organizations BEGIN DELETE FROM members; END";
        test.database.execute(leaves).await;
        let refused = create(&cx, "k".to_owned(), Some(organization)).await.unwrap_err();
        assert_eq!(refused.code, Code::OrganizationForbidden);
        test.database.execute("UPDATE accounts SET status = 'suspended'").await;
        assert_eq!(create(&cx, "k".to_owned(), None).await.unwrap_err().code, Code::SessionEnded);
        assert!(list(&cx).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn the_events_of_a_key_name_the_organization_that_it_acts_for() {
        let test = service_on(|_| {}).await;
        let cx = test.signed_in(&test.account("maria@example.com").await, Assurance::Aal2).await;
        let organization = organization_of(&test, &cx).await;
        let of_organization = create(&cx, "a".to_owned(), Some(organization.clone())).await.unwrap();
        let own = create(&cx, "b".to_owned(), None).await.unwrap();
        for key in [of_organization, own] {
            revoke(&cx, &key.record.id).await.unwrap();
        }
        for kind in ["key_made", "key_revoked"] {
            let events = events(&cx).await.unwrap().into_iter().filter(|event| event.kind == kind);
            let mut named: Vec<Option<String>> = events.map(|event| event.organization).collect();
            named.sort();
            assert_eq!(named, [None, Some(organization.0.clone())], "{kind}");
        }
    }

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
        assert!(key_name(&"é".repeat(60)).is_ok());
        assert!(key_name(&"é".repeat(61)).is_err());
    }
}
