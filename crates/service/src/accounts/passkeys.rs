//! Passkeys: registration, removal and sign-in. The authenticator verifies its user, so a passkey counts as two
//! factors.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::account::Assurance;
use model::id::AccountId;
use model::lang::text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{MOST_PASSKEYS, PasskeyRecord, PasskeyStep, Step};
use url::Url;

use super::attempts;
use super::change::{AccountChange, OneTimeToken};
use super::session;
use super::unavailable::unavailable;
use super::webauthn::{ALGORITHMS, Credential, RelyingParty, SignedAssertion};
use crate::caller::Cx;
use crate::credential::token_digest;
use crate::error::{Code, ServiceError};
use crate::origin::is_loopback;
use crate::services::Services;

/// Timeout of a challenge, in milliseconds: 5 minutes, as recommended for user-verifying ceremonies (Web
/// Authentication, level 3, §15.1).
const CHALLENGE_MS: i64 = 300_000;
/// Rate limit: sign-in challenges per network and hour. Chosen: each is a row until it expires.
const CHALLENGES_PER_NETWORK: u32 = 120;
/// Characters of a passkey's name at most.
const NAME_CHARS: usize = 60;
/// The credential type of Web Authentication.
const PUBLIC_KEY: &str = "public-key";

/// Options for `navigator.credentials.create` (`PublicKeyCredentialCreationOptionsJSON`).
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreationOptions {
    /// The relying party: this site.
    rp: Party,
    /// The account that the passkey is for.
    user: User,
    /// Random, base64url; good once, for five minutes.
    challenge: String,
    /// Accepted signature algorithms, the preferred one first.
    pub_key_cred_params: Vec<Parameter>,
    /// Milliseconds.
    timeout: i64,
    /// Passkeys of the account: an authenticator that has one of them is not registered again.
    exclude_credentials: Vec<KnownCredential>,
    /// Requirements on the authenticator.
    authenticator_selection: Selection,
    /// Always `none`.
    attestation: &'static str,
}

/// This site.
#[derive(Debug, Serialize, JsonSchema)]
struct Party {
    /// The domain that passkeys are bound to.
    id: String,
    /// What it is called.
    name: String,
}

/// The account of the passkey.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct User {
    /// The account's id, base64url.
    id: String,
    /// The account's address.
    name: String,
    /// What its owner is called, or the address.
    display_name: String,
}

/// An accepted algorithm.
#[derive(Debug, Serialize, JsonSchema)]
struct Parameter {
    #[serde(rename = "type")]
    kind: &'static str,
    /// As COSE numbers it.
    alg: i64,
}

/// An already registered credential.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Descriptor")]
struct KnownCredential {
    #[serde(rename = "type")]
    kind: &'static str,
    /// Its id, base64url.
    id: String,
}

/// Accepted authenticators.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Selection {
    /// Always `required`: sign-in needs no user name.
    resident_key: &'static str,
    require_resident_key: bool,
    /// Always `required`: it counts for two factors.
    user_verification: &'static str,
}

/// Options for `navigator.credentials.get` (`PublicKeyCredentialRequestOptionsJSON`).
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestOptions {
    /// Random, base64url; good once, for five minutes.
    challenge: String,
    /// Milliseconds.
    timeout: i64,
    /// The domain that passkeys are bound to.
    rp_id: String,
    /// Always `required`.
    user_verification: &'static str,
}

/// What `navigator.credentials.create` answered, by its `toJSON()` (`RegistrationResponseJSON`). Browsers send
/// members that nobody here reads.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
pub struct Registration {
    response: Attestation,
}

/// The authenticator's data.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("additionalProperties" = true))]
struct Attestation {
    /// base64url.
    #[serde(rename = "clientDataJSON")]
    client_data: String,
    /// base64url.
    attestation_object: String,
}

/// What `navigator.credentials.get` answered, by its `toJSON()` (`AuthenticationResponseJSON`). Browsers send
/// members that nobody here reads.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
pub struct Assertion {
    /// The credential, base64url.
    id: String,
    /// The assertion: data of the client and of the authenticator, and the signature over both.
    response: AssertionResponse,
}

/// The authenticator's data.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("additionalProperties" = true))]
struct AssertionResponse {
    /// base64url.
    #[serde(rename = "clientDataJSON")]
    client_data: String,
    /// base64url.
    authenticator_data: String,
    /// base64url.
    signature: String,
    /// The account's id, base64url.
    #[serde(default)]
    user_handle: Option<String>,
}

/// Begins the registration ceremony of a new passkey for the caller.
pub async fn creation_options(cx: &Cx) -> Result<CreationOptions, ServiceError> {
    let account = session::account(cx, session::fresh(cx)?).await?;
    let registered = list(cx).await?;
    let is_full = i64::try_from(registered.len()).is_ok_and(|count| count >= MOST_PASSKEYS);
    if is_full {
        return Err(ServiceError::new(Code::PasskeyLimit));
    }
    let challenge = challenge(cx, Some(&account.id)).await?;
    let called = Some(account.profile.name.clone()).filter(|name| !name.is_empty());
    Ok(CreationOptions {
        rp: Party { id: site(&cx.services)?.id, name: cx.services.config().product.name.clone() },
        user: User {
            id: URL_SAFE_NO_PAD.encode(&account.id.0),
            name: account.email.clone(),
            display_name: called.unwrap_or(account.email),
        },
        challenge,
        pub_key_cred_params: ALGORITHMS.map(|alg| Parameter { kind: PUBLIC_KEY, alg }).into(),
        timeout: CHALLENGE_MS,
        exclude_credentials: registered
            .iter()
            .map(|passkey| KnownCredential { kind: PUBLIC_KEY, id: URL_SAFE_NO_PAD.encode(&passkey.credential_id) })
            .collect(),
        authenticator_selection: Selection {
            resident_key: "required",
            require_resident_key: true,
            user_verification: "required",
        },
        attestation: "none",
    })
}

/// Completes the registration ceremony: stores the passkey that an authenticator created.
pub async fn add(cx: &Cx, name: &str, made: &Registration) -> Result<PasskeyRecord, ServiceError> {
    let account = session::account(cx, session::fresh(cx)?).await?;
    let name = passkey_name(name)?;
    let refused = || ServiceError::new(Code::InvalidPasskey);
    let (site, client_data) = (site(&cx.services)?, decoded(&made.response.client_data).ok_or_else(refused)?);
    let challenge = site.challenge(&client_data, "webauthn.create").ok_or_else(refused)?;
    let attestation = decoded(&made.response.attestation_object).ok_or_else(refused)?;
    let credential = site.credential(&attestation).ok_or_else(refused)?;
    let record = PasskeyRecord {
        id: cx.services.ports().id(),
        account: account.id.clone(),
        credential_id: credential.id,
        public_key: credential.public_key,
        sign_count: credential.sign_count,
        name,
        created_at: cx.services.ports().now(),
        last_used_at: None,
    };
    let what = text("A passkey was added to your account", "Uma chave de acesso foi adicionada à sua conta");
    AccountChange::new([
        Step::Passkey(PasskeyStep::Answer(challenge_digest(challenge), Some(account.id.clone()))),
        Step::Passkey(PasskeyStep::Add(record.clone())),
    ])
    .event(cx, &account.id, "passkey_added")
    .notice(cx, &account, what)
    .make(cx, "adding a passkey")
    .await??;
    Ok(record)
}

/// The caller's passkeys, oldest first.
pub async fn list(cx: &Cx) -> Result<Vec<PasskeyRecord>, ServiceError> {
    let session = cx.caller.required_session()?;
    cx.services.database().ask(|store| store.passkeys(&session.account)).await.map_err(unavailable)
}

/// Removes one of the caller's passkeys.
pub async fn remove(cx: &Cx, id: &str) -> Result<(), ServiceError> {
    let account = session::account(cx, session::fresh(cx)?).await?;
    let id = uuid::Uuid::try_parse(id).map_err(|_| ServiceError::new(Code::NotFound))?;
    let what = text("A passkey was removed from your account", "Uma chave de acesso foi removida da sua conta");
    AccountChange::new([Step::Passkey(PasskeyStep::Remove(account.id.clone(), id.to_string()))])
        .event(cx, &account.id, "passkey_removed")
        .notice(cx, &account, what)
        .make(cx, "removing a passkey")
        .await??;
    Ok(())
}

/// Begins the sign-in ceremony, for any passkey of this site (discoverable credentials).
pub async fn request_options(cx: &Cx) -> Result<RequestOptions, ServiceError> {
    attempts::check_network(cx).await?;
    let (services, network) = (&cx.services, cx.caller.network);
    services
        .allowance()
        .spend_hourly(services.database(), services.ports(), network, "passkeys", CHALLENGES_PER_NETWORK)
        .await?;
    Ok(RequestOptions {
        challenge: challenge(cx, None).await?,
        timeout: CHALLENGE_MS,
        rp_id: site(services)?.id,
        user_verification: "required",
    })
}

/// Completes the sign-in ceremony. It ignores the lock of wrong passwords, which a passkey can't be guessed past.
pub async fn sign_in(cx: &Cx, given: &Assertion) -> Result<OneTimeToken, ServiceError> {
    attempts::check_network(cx).await?;
    let (account, steps) = proof(cx, given).await?;
    let begun = session::begin(cx, &account, Assurance::Aal2, "passkey");
    let change = AccountChange::new(steps).steps(begun.steps).event(cx, &account, "signed_in");
    change.make(cx, "signing in").await??;
    Ok(begun.token)
}

/// Verifies an assertion: its account, and the steps that consume it; [`Code::InvalidCredentials`] when it is not
/// valid.
pub async fn proof(cx: &Cx, given: &Assertion) -> Result<(AccountId, Vec<Step>), ServiceError> {
    let wrong = || ServiceError::new(Code::InvalidCredentials);
    let (site, client_data) = (site(&cx.services)?, decoded(&given.response.client_data).ok_or_else(wrong)?);
    let challenge = site.challenge(&client_data, "webauthn.get").ok_or_else(wrong)?;
    let id = decoded(&given.id).ok_or_else(wrong)?;
    let passkey = cx.services.database().ask(|store| store.passkey(&id)).await.map_err(unavailable)?;
    let passkey = passkey.ok_or_else(wrong)?;
    if let Some(handle) = &given.response.user_handle
        && decoded(handle).as_deref() != Some(passkey.account.0.as_bytes())
    {
        return Err(wrong());
    }
    let authenticator_data = decoded(&given.response.authenticator_data).ok_or_else(wrong)?;
    let signature = decoded(&given.response.signature).ok_or_else(wrong)?;
    let proof =
        SignedAssertion { authenticator_data: &authenticator_data, client_data: &client_data, signature: &signature };
    let credential =
        Credential { id: passkey.credential_id, public_key: passkey.public_key, sign_count: passkey.sign_count };
    let sign_count = site.proven(&proof, &credential).ok_or_else(wrong)?;
    let steps = vec![
        Step::Passkey(PasskeyStep::Answer(challenge_digest(challenge), None)),
        Step::Passkey(PasskeyStep::Use(passkey.id, sign_count)),
    ];
    Ok((passkey.account, steps))
}

/// Creates a challenge, and stores its digest.
async fn challenge(cx: &Cx, account: Option<&AccountId>) -> Result<String, ServiceError> {
    let (bytes, ports) = (cx.services.ports().entropy.bytes(), cx.services.ports());
    let (id, digest, expires_at) = (ports.id(), challenge_digest(bytes), ports.now().plus_ms(CHALLENGE_MS));
    let added = cx.services.database().write(|store| store.add_challenge(&id, account, &digest, expires_at)).await;
    added.map_err(unavailable)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn challenge_digest(bytes: [u8; 32]) -> [u8; 32] {
    token_digest(&URL_SAFE_NO_PAD.encode(bytes))
}

/// The relying party: the host of our origin. Browsers bind no passkey to an IP address, so loopback is `localhost`.
fn site(services: &Services) -> Result<RelyingParty, ServiceError> {
    services.vault().keys()?;
    let origin = Url::parse(services.base_url()).map_err(|_| ServiceError::new(Code::AuthUnavailable))?;
    let host = if is_loopback(&origin) { Some("localhost") } else { origin.host_str() };
    let id = host.unwrap_or_default().to_owned();
    Ok(RelyingParty { origin, id })
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

fn passkey_name(typed: &str) -> Result<String, ServiceError> {
    let name = typed.trim();
    if !name.is_empty() && name.chars().count() <= NAME_CHARS && !name.chars().any(char::is_control) {
        return Ok(name.to_owned());
    }
    let takes = text(
        "name: use 1 to 60 characters and no control characters",
        "name: use de 1 a 60 caracteres, sem caracteres de controle",
    );
    Err(ServiceError::new(Code::InvalidBody).explained(takes.into()))
}
