//! API keys, managed by people who are signed in.

use model::id::{ApiKeyId, OrganizationId};
use model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use store::KeyRecord;

use super::auth::Done;
use crate::operation::{Access, Effect, JsonAnswer, Nothing, Operation};
use service::accounts::keys;
use service::caller::Cx;
use service::error::{Code, ServiceError};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/account/keys", "list_api_keys", list)
            .title("List API keys", "Listar as chaves de API")
            .doc(
                "Keys of your account and of the organizations you administer: active ones first, then newest first; \
                 at most 200. The key itself is never returned; `last4` identifies it. `lastUsedAt` is updated once \
                 an hour.",
                "Chaves da sua conta e das organizações que você administra: primeiro as ativas, depois as mais \
                 novas; no máximo 200. A chave em si nunca é devolvida; `last4` a identifica. `lastUsedAt` é \
                 atualizado uma vez por hora.",
            )
            .access(Access::Session)
            .without_tool()
            .errors(&[Code::AuthUnavailable]),
        Operation::post("/api/account/keys/create", "create_api_key", create)
            .title("Create an API key", "Criar uma chave de API")
            .doc(
                "A key for programs: send it as `Authorization: Bearer` or `X-Api-Key`. It acts as your account or, \
                 with `organizationId`, as the organization, and can't manage accounts, members or keys. `secret` is \
                 returned once and stored only as a hash. Limit: 10 active keys per owner.\n\nYou must have signed in \
                 within the last 5 minutes. For an organization you must be its owner or admin, have used two-factor \
                 authentication in this session, and the organization's keys must be turned on.\n\nSecret scanners \
                 can match keys with `\\bmmk_[0-9A-Za-z]{43}\\b`.",
                "Uma chave para programas: envie-a como `Authorization: Bearer` ou `X-Api-Key`. Ela age como a sua \
                 conta ou, com `organizationId`, como a organização, e não pode administrar contas, membros nem \
                 chaves. `secret` é devolvido uma só vez e guardado só como hash. Limite: 10 chaves ativas por \
                 proprietário.\n\nVocê precisa ter entrado na conta nos últimos 5 minutos. Para uma organização, \
                 precisa ser proprietário ou administrador dela e ter usado a autenticação em dois fatores nesta \
                 sessão, e as chaves da organização precisam estar ativadas.\n\nScanners de segredos podem reconhecer \
                 chaves com `\\bmmk_[0-9A-Za-z]{43}\\b`.",
            )
            .example(r#"`{"name": "build server", "organizationId": null}`"#)
            .access(Access::Session)
            .without_tool()
            .errors(&[
                Code::InvalidKeyName,
                Code::InvalidOrganization,
                Code::ReauthRequired,
                Code::OrganizationForbidden,
                Code::OrganizationMfaRequired,
                Code::KeyLimitReached,
            ]),
        Operation::post("/api/account/keys/revoke", "revoke_api_key", revoke)
            .title("Revoke an API key", "Revogar uma chave de API")
            .doc(
                "Revokes a key permanently, on every server immediately. Idempotent.",
                "Revoga a chave para sempre e de imediato, em todos os servidores. Idempotente.",
            )
            .example(r#"`{"id": "019c1346-2f4c-7a51-8d6d-1f0c2b7a9e11"}`"#)
            .access(Access::Session)
            .effect(Effect::Removes)
            .without_tool()
            .errors(&[Code::InvalidKeyId, Code::KeyNotFound]),
    ]
}

/// A key without its secret.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "NewKey")]
struct KeySummary {
    /// Its id.
    id: ApiKeyId,
    /// Its name.
    name: String,
    /// The organization that it acts as; null: the account.
    organization_id: Option<OrganizationId>,
    /// Its last four characters.
    last4: String,
    /// Time of creation.
    created_at: Timestamp,
}

/// An API key in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Key")]
struct ListedKey {
    #[serde(flatten)]
    key: KeySummary,
    /// When it was last used, to the hour; null: never.
    last_used_at: Option<Timestamp>,
    /// When it was revoked; null: active.
    revoked_at: Option<Timestamp>,
    /// Whether it is active.
    active: bool,
}

impl From<KeyRecord> for KeySummary {
    fn from(record: KeyRecord) -> Self {
        Self {
            id: record.id,
            name: record.name,
            organization_id: record.organization,
            last4: record.last4,
            created_at: record.created_at,
        }
    }
}

impl From<KeyRecord> for ListedKey {
    fn from(record: KeyRecord) -> Self {
        let (last_used_at, revoked_at) = (record.last_used_at, record.revoked_at);
        Self { key: record.into(), last_used_at, revoked_at, active: revoked_at.is_none() }
    }
}

/// Keys.
#[derive(Debug, Serialize, JsonSchema)]
struct KeyList {
    /// Active ones first, then newest first.
    keys: Vec<ListedKey>,
}

/// The keys that the caller manages.
async fn list(cx: Cx, _: Nothing) -> Result<JsonAnswer<KeyList>, ServiceError> {
    let keys = keys::list(&cx).await?;
    Ok(JsonAnswer::new(KeyList { keys: keys.into_iter().map(ListedKey::from).collect() }))
}

/// What a new key is to be. Fields are read one by one, so that each has the contract's code for what is wrong with it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("required" = ["name", "organizationId"]))]
struct KeyToMake {
    /// Its name, at most 60 characters.
    #[serde(default)]
    #[schemars(with = "String", length(min = 1, max = 60))]
    name: Value,
    /// The organization that it acts as; null: your account.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "Option<String>")]
    organization_id: Option<Value>,
}

/// A new key with its secret, which is shown only once.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MadeKey")]
struct KeyWithSecret {
    /// What is kept.
    key: KeySummary,
    /// The key: `mmk_` and 43 digits of base 62. It is not shown again.
    secret: String,
}

/// Makes a key.
async fn create(cx: Cx, input: KeyToMake) -> Result<JsonAnswer<KeyWithSecret>, ServiceError> {
    let name = keys::key_name(input.name.as_str().unwrap_or_default())?;
    let organization = organization(input.organization_id.as_ref())?;
    let made = keys::create(&cx, name, organization).await?;
    Ok(JsonAnswer::new(KeyWithSecret { key: made.record.into(), secret: made.secret }))
}

/// Keeps null apart from a field that is missing.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The organization of a call: null for none. That the field is missing is no null.
fn organization(given: Option<&Value>) -> Result<Option<OrganizationId>, ServiceError> {
    match given {
        Some(Value::Null) => Ok(None),
        Some(Value::String(id)) => keys::organization_id(id).map(Some),
        _ => Err(ServiceError::new(Code::InvalidOrganization)),
    }
}

/// The key to revoke.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("required" = ["id"]))]
struct KeyToRevoke {
    /// Its id.
    #[serde(default)]
    #[schemars(with = "String")]
    id: Value,
}

/// Revokes a key.
async fn revoke(cx: Cx, input: KeyToRevoke) -> Result<JsonAnswer<Done>, ServiceError> {
    keys::revoke(&cx, &keys::key_id(input.id.as_str().unwrap_or_default())?).await?;
    Ok(JsonAnswer::new(Done::OK))
}
