//! Passkeys: sign-in, and the passkeys of an account.

use model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::PasskeyRecord;

use super::auth::{Done, with_session};
use crate::operation::{Access, Effect, JsonAnswer, Nothing, Operation};
use service::accounts::passkeys::{self, Assertion, CreationOptions, Registration, RequestOptions};
use service::caller::Cx;
use service::error::{Code, ServiceError};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    let browser = |operation: Operation| operation.access(Access::Browser).without_tool();
    let signed_in = |operation: Operation| operation.access(Access::Session).without_tool();
    vec![
        browser(Operation::post("/api/auth/passkey/options", "ask_for_passkey", request))
            .title("Start a passkey sign-in", "Iniciar o login com chave de acesso")
            .doc(
                "Options for `navigator.credentials.get`, as `PublicKeyCredential.parseRequestOptionsFromJSON` reads \
                 them. The challenge works once, for five minutes.",
                "Opções para `navigator.credentials.get`, como `PublicKeyCredential.parseRequestOptionsFromJSON` as \
                 lê. O desafio funciona uma vez, por cinco minutos.",
            )
            .example("`{}`")
            .errors(&[Code::RateLimited, Code::DatabaseUnavailable]),
        browser(Operation::post("/api/auth/passkey/verify", "sign_in_with_passkey", verify))
            .title("Sign in with a passkey", "Entrar com uma chave de acesso")
            .doc(
                "Takes the authenticator's response as its `toJSON()` gives it. Counts as two factors. Sets the \
                 session cookie.",
                "Recebe a resposta do autenticador como `toJSON()` a devolve. Conta como dois fatores. Define o \
                 cookie de sessão.",
            )
            .errors(&[Code::InvalidCredentials, Code::InvalidChallenge, Code::InvalidCode, Code::RateLimited]),
        signed_in(Operation::get("/api/auth/passkeys", "list_passkeys", list))
            .title("List your passkeys", "Listar as suas chaves de acesso")
            .doc("Oldest first; at most 20.", "As mais antigas primeiro; no máximo 20."),
        signed_in(Operation::post("/api/auth/passkeys/options", "begin_passkey", create))
            .title("Start adding a passkey", "Começar a adicionar uma chave de acesso")
            .doc(
                "Options for `navigator.credentials.create`, as `PublicKeyCredential.parseCreationOptionsFromJSON` \
                 reads them. Needs a fresh session.",
                "Opções para `navigator.credentials.create`, como `PublicKeyCredential.parseCreationOptionsFromJSON` \
                 as lê. Exige uma sessão recém-confirmada.",
            )
            .example("`{}`")
            .errors(&[Code::ReauthRequired, Code::PasskeyLimit]),
        signed_in(Operation::post("/api/auth/passkeys/add", "add_passkey", add))
            .title("Add a passkey", "Adicionar uma chave de acesso")
            .doc(
                "Takes the authenticator's response as its `toJSON()` gives it, and a name of 1 to 60 characters. \
                 Needs a fresh session.",
                "Recebe a resposta do autenticador como `toJSON()` a devolve, e um nome de 1 a 60 caracteres. Exige \
                 uma sessão recém-confirmada.",
            )
            .errors(&[Code::ReauthRequired, Code::InvalidPasskey, Code::InvalidChallenge, Code::AlreadyDone]),
        signed_in(Operation::post("/api/auth/passkeys/remove", "remove_passkey", remove))
            .title("Remove a passkey", "Remover uma chave de acesso")
            .doc(
                "It no longer signs you in. Needs a fresh session.",
                "Não é mais possível entrar com ela. Exige uma sessão recém-confirmada.",
            )
            .example(r#"`{"id": "019c1346-2f4c-7a51-8d6d-1f0c2b7a9e11"}`"#)
            .effect(Effect::Removes)
            .errors(&[Code::ReauthRequired, Code::NotFound]),
    ]
}

/// A passkey, as its owner sees it.
#[derive(Debug, Serialize, JsonSchema)]
struct Passkey {
    /// Its id.
    id: String,
    /// Name given by you.
    name: String,
    /// When it was added.
    created_at: Timestamp,
    /// When it was last used; null: never.
    last_used_at: Option<Timestamp>,
}

impl From<PasskeyRecord> for Passkey {
    fn from(record: PasskeyRecord) -> Self {
        Self { id: record.id, name: record.name, created_at: record.created_at, last_used_at: record.last_used_at }
    }
}

/// Passkeys.
#[derive(Debug, Serialize, JsonSchema)]
struct PasskeyList {
    /// Oldest first.
    passkeys: Vec<Passkey>,
}

/// One passkey.
#[derive(Debug, Serialize, JsonSchema)]
struct OnePasskey {
    /// All of it.
    passkey: Passkey,
}

/// A passkey to add.
#[derive(Debug, Deserialize, JsonSchema)]
struct ToAdd {
    /// Its name: 1 to 60 characters.
    name: String,
    /// Response of the authenticator.
    credential: Registration,
}

/// The passkey to remove.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ToRemove")]
struct PasskeyToRemove {
    /// Its id.
    id: String,
}

async fn request(cx: Cx, _: Nothing) -> Result<JsonAnswer<RequestOptions>, ServiceError> {
    Ok(JsonAnswer::new(passkeys::request_options(&cx).await?))
}

async fn verify(cx: Cx, input: Assertion) -> Result<JsonAnswer<Done>, ServiceError> {
    let token = passkeys::sign_in(&cx, &input).await?;
    Ok(with_session(&cx.services, JsonAnswer::new(Done::OK), &token))
}

async fn list(cx: Cx, _: Nothing) -> Result<JsonAnswer<PasskeyList>, ServiceError> {
    let passkeys = passkeys::list(&cx).await?;
    Ok(JsonAnswer::new(PasskeyList { passkeys: passkeys.into_iter().map(Passkey::from).collect() }))
}

async fn create(cx: Cx, _: Nothing) -> Result<JsonAnswer<CreationOptions>, ServiceError> {
    Ok(JsonAnswer::new(passkeys::creation_options(&cx).await?))
}

async fn add(cx: Cx, input: ToAdd) -> Result<JsonAnswer<OnePasskey>, ServiceError> {
    let passkey = passkeys::add(&cx, &input.name, &input.credential).await?;
    Ok(JsonAnswer::new(OnePasskey { passkey: passkey.into() }))
}

async fn remove(cx: Cx, input: PasskeyToRemove) -> Result<JsonAnswer<Done>, ServiceError> {
    passkeys::remove(&cx, &input.id).await?;
    Ok(JsonAnswer::new(Done::OK))
}
