//! Account security: sessions, password, second factor, recovery codes, events.

use model::account::{SecurityEvent, SessionInfo};
use model::lang::text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Done, with_session, without_session};
use crate::operation::{Access, JsonAnswer, Nothing, Operation};
use render::qr::qr_path;
use service::accounts::entry::SecondFactor;
use service::accounts::passkeys::Assertion;
use service::accounts::security::{self, Proof};
use service::accounts::session;
use service::caller::Cx;
use service::config::SecretText;
use service::error::{Code, ServiceError};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    let signed_in = |operation: Operation| operation.access(Access::Session).without_tool();
    vec![
        signed_in(Operation::post("/api/auth/reauth", "prove_again", prove))
            .text(
                "Prove again who you are",
                "Makes the session fresh for five minutes, under a new cookie: by the password or, where the account has a \
                 second factor, by a code of it.\n\nExample: `{\"password\": \"correct horse battery\"}` or \
                 `{\"code\": \"123456\"}`",
            )
            .errors(&[Code::InvalidCredentials, Code::SecondFactorRequired, Code::RateLimited]),
        signed_in(Operation::get("/api/auth/sessions", "list_sessions", sessions))
            .text("List your sessions", "The browsers that are signed in, the last seen first."),
        signed_in(Operation::post("/api/auth/sessions/end", "end_session", end_session))
            .text("End a session", "One of yours, by its id.\n\nExample: `{\"id\": \"…\"}`")
            .errors(&[Code::SessionNotFound]),
        signed_in(Operation::post("/api/auth/sessions/end-all", "end_all_sessions", end_all))
            .text(
                "End all sessions",
                "This one too; and all API keys of the account are revoked. Needs a fresh session.\n\nExample: `{}`",
            )
            .errors(&[Code::ReauthRequired]),
        signed_in(Operation::post("/api/auth/password", "change_password", change_password))
            .text(
                "Change the password",
                "The other sessions end, and all API keys of the account are revoked. Needs a fresh session.\n\nExample: \
                 `{\"current\": \"correct horse battery\", \"password\": \"battery horse correct\"}`",
            )
            .errors(&[Code::ReauthRequired, Code::InvalidCredentials, Code::PasswordRefused, Code::RateLimited]),
        signed_in(Operation::post("/api/auth/totp/start", "offer_factor", offer))
            .text(
                "Begin a second factor",
                "A secret for an authenticator (RFC 6238), as text, address and QR code. It counts once a code was given. \
                 Needs a fresh session.\n\nExample: `{}`",
            )
            .errors(&[Code::ReauthRequired, Code::AlreadyDone]),
        signed_in(Operation::post("/api/auth/totp/confirm", "confirm_factor", confirm))
            .text(
                "Confirm the second factor",
                "With a code of it. Answers with ten recovery codes, shown once. Needs a fresh session.\n\nExample: \
                 `{\"code\": \"123456\"}`",
            )
            .errors(&[Code::ReauthRequired, Code::InvalidCode, Code::NotFound, Code::AlreadyDone]),
        signed_in(Operation::post("/api/auth/totp/remove", "remove_factor", remove))
            .text(
                "Remove the second factor",
                "With a code of it; the recovery codes end too. Needs a fresh session.\n\nExample: `{\"code\": \"123456\"}`",
            )
            .errors(&[Code::ReauthRequired, Code::InvalidCode, Code::NotFound]),
        signed_in(Operation::post("/api/auth/recovery-codes", "make_recovery_codes", recovery_codes))
            .text(
                "Make new recovery codes",
                "Ten, in place of those before, shown once; with a code of the authenticator. Needs a fresh \
                 session.\n\nExample: `{\"code\": \"123456\"}`",
            )
            .errors(&[Code::ReauthRequired, Code::InvalidCode, Code::NotFound]),
        signed_in(Operation::get("/api/auth/events", "list_events", events))
            .text("List what happened", "The last hundred events of the account's security, newest first."),
    ]
}

/// One of the three.
#[derive(Debug, Deserialize, JsonSchema)]
struct ProofInput {
    /// The password.
    #[serde(default)]
    password: Option<SecretText>,
    /// Six digits of the authenticator, or a recovery code.
    #[serde(default)]
    code: Option<SecretText>,
    /// What an authenticator answered to `POST /api/auth/passkey/options`.
    #[serde(default)]
    passkey: Option<Assertion>,
}

async fn prove(cx: Cx, input: ProofInput) -> Result<JsonAnswer<Done>, ServiceError> {
    let proof = match (input.password, input.code, input.passkey) {
        (.., Some(passkey)) => Proof::Passkey(passkey),
        (_, Some(code), None) => Proof::Factor(SecondFactor::of(&code)),
        (Some(password), None, None) => Proof::Password(password),
        (None, None, None) => {
            let one = text("password: send it, or a code", "password: envie-a, ou um código");
            return Err(ServiceError::new(Code::InvalidBody).explained(one.into()));
        }
    };
    let token = security::prove(&cx, proof).await?;
    Ok(with_session(&cx.services, JsonAnswer::new(Done::OK), &token))
}

/// Your sessions.
#[derive(Debug, Serialize, JsonSchema)]
struct Sessions {
    /// The last seen first.
    sessions: Vec<SessionInfo>,
}

async fn sessions(cx: Cx, _: Nothing) -> Result<JsonAnswer<Sessions>, ServiceError> {
    Ok(JsonAnswer::new(Sessions { sessions: session::list(&cx).await? }))
}

/// Which session.
#[derive(Debug, Deserialize, JsonSchema)]
struct SessionInput {
    /// Its id.
    id: String,
}

async fn end_session(cx: Cx, input: SessionInput) -> Result<JsonAnswer<Done>, ServiceError> {
    session::end(&cx, &input.id).await?;
    Ok(JsonAnswer::new(Done::OK))
}

async fn end_all(cx: Cx, _: Nothing) -> Result<JsonAnswer<Done>, ServiceError> {
    session::end_all(&cx).await?;
    Ok(without_session(&cx.services, JsonAnswer::new(Done::OK)))
}

/// A password in place of another.
#[derive(Debug, Deserialize, JsonSchema)]
struct PasswordChange {
    /// The password until now.
    current: SecretText,
    /// The new one, 10 to 128 characters.
    password: SecretText,
}

async fn change_password(cx: Cx, input: PasswordChange) -> Result<JsonAnswer<Done>, ServiceError> {
    let token = security::change_password(&cx, input.current, input.password).await?;
    Ok(with_session(&cx.services, JsonAnswer::new(Done::OK), &token))
}

/// A second factor to confirm.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Offered")]
struct OfferedFactor {
    /// The secret in base 32, to be typed.
    secret: String,
    /// The same as an `otpauth:` address.
    uri: String,
    /// The address as a QR code: an SVG document.
    qr: String,
}

async fn offer(cx: Cx, _: Nothing) -> Result<JsonAnswer<OfferedFactor>, ServiceError> {
    let offer = security::offer_factor(&cx).await?;
    let (path, width) = qr_path(&offer.uri).ok_or_else(|| ServiceError::new(Code::Internal))?;
    let qr = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {width}\"><path fill=\"#fff\" d=\"M0 \
         0h{width}v{width}H0z\"/><path d=\"{path}\"/></svg>"
    );
    Ok(JsonAnswer::new(OfferedFactor { secret: offer.secret, uri: offer.uri, qr }))
}

/// A code of the authenticator.
#[derive(Debug, Deserialize, JsonSchema)]
struct CodeInput {
    /// Six digits.
    code: SecretText,
}

/// Codes that work once each, shown once.
#[derive(Debug, Serialize, JsonSchema)]
struct RecoveryCodes {
    /// Ten of them.
    recovery_codes: Vec<String>,
}

async fn confirm(cx: Cx, input: CodeInput) -> Result<JsonAnswer<RecoveryCodes>, ServiceError> {
    let (token, recovery_codes) = security::confirm_factor(&cx, input.code.expose()).await?;
    Ok(with_session(&cx.services, JsonAnswer::new(RecoveryCodes { recovery_codes }), &token))
}

async fn remove(cx: Cx, input: CodeInput) -> Result<JsonAnswer<Done>, ServiceError> {
    security::remove_factor(&cx, input.code.expose()).await?;
    Ok(JsonAnswer::new(Done::OK))
}

async fn recovery_codes(cx: Cx, input: CodeInput) -> Result<JsonAnswer<RecoveryCodes>, ServiceError> {
    let recovery_codes = security::new_recovery_codes(&cx, input.code.expose()).await?;
    Ok(JsonAnswer::new(RecoveryCodes { recovery_codes }))
}

/// Security events of the account.
#[derive(Debug, Serialize, JsonSchema)]
struct Events {
    /// Newest first, at most 100.
    events: Vec<SecurityEvent>,
}

async fn events(cx: Cx, _: Nothing) -> Result<JsonAnswer<Events>, ServiceError> {
    Ok(JsonAnswer::new(Events { events: session::events(&cx).await? }))
}
