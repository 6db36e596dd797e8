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
            .title("Confirm it's you", "Confirmar que é você")
            .doc(
                "Makes the session fresh for five minutes and replaces its cookie. Needs the password or, with \
                 two-factor authentication, a code.",
                "Torna a sessão recém-confirmada por cinco minutos e troca o cookie dela. Precisa da senha ou, com a \
                 autenticação em dois fatores, de um código.",
            )
            .example(r#"`{"password": "correct horse battery"}` or `{"code": "123456"}`"#)
            .errors(&[Code::InvalidCredentials, Code::SecondFactorRequired, Code::RateLimited]),
        signed_in(Operation::get("/api/auth/sessions", "list_sessions", sessions))
            .title("List your sessions", "Listar as suas sessões")
            .doc(
                "Signed-in browsers, most recently used first.",
                "Navegadores com sessão, os usados por último primeiro.",
            ),
        signed_in(Operation::post("/api/auth/sessions/end", "end_session", end_session))
            .title("End a session", "Encerrar uma sessão")
            .doc("Ends one of your sessions by its id.", "Encerra uma das suas sessões pelo id.")
            .example(r#"`{"id": "…"}`"#)
            .errors(&[Code::SessionNotFound]),
        signed_in(Operation::post("/api/auth/sessions/end-all", "end_all_sessions", end_all))
            .title("End all sessions", "Encerrar todas as sessões")
            .doc(
                "Ends the current session too, and revokes all API keys of the account. Needs a fresh session.",
                "Encerra também a sessão atual e revoga todas as chaves de API da conta. Exige uma sessão \
                 recém-confirmada.",
            )
            .example("`{}`")
            .errors(&[Code::ReauthRequired]),
        signed_in(Operation::post("/api/auth/password", "change_password", change_password))
            .title("Change the password", "Mudar a senha")
            .doc(
                "Ends the other sessions and revokes all API keys of the account. Needs a fresh session.",
                "Encerra as outras sessões e revoga todas as chaves de API da conta. Exige uma sessão \
                 recém-confirmada.",
            )
            .example(r#"`{"current": "correct horse battery", "password": "battery horse correct"}`"#)
            .errors(&[Code::ReauthRequired, Code::InvalidCredentials, Code::PasswordRefused, Code::RateLimited]),
        signed_in(Operation::post("/api/auth/totp/start", "offer_factor", offer))
            .title("Start two-factor setup", "Iniciar a configuração dos dois fatores")
            .doc(
                "Returns a secret for an authenticator app (RFC 6238) as text, URI and QR code. It takes effect once \
                 confirmed with a code. Needs a fresh session.",
                "Devolve um segredo para um aplicativo autenticador (RFC 6238) como texto, URI e código QR. Ele passa \
                 a valer quando confirmado com um código. Exige uma sessão recém-confirmada.",
            )
            .example("`{}`")
            .errors(&[Code::ReauthRequired, Code::AlreadyDone]),
        signed_in(Operation::post("/api/auth/totp/confirm", "confirm_factor", confirm))
            .title("Turn on two-factor authentication", "Ativar a autenticação em dois fatores")
            .doc(
                "Needs a code of the authenticator app. Returns ten recovery codes, shown once. Needs a fresh session.",
                "Precisa de um código do aplicativo autenticador. Devolve dez códigos de recuperação, mostrados uma \
                 vez. Exige uma sessão recém-confirmada.",
            )
            .example(r#"`{"code": "123456"}`"#)
            .errors(&[Code::ReauthRequired, Code::InvalidCode, Code::NotFound, Code::AlreadyDone]),
        signed_in(Operation::post("/api/auth/totp/remove", "remove_factor", remove))
            .title("Turn off two-factor authentication", "Desativar a autenticação em dois fatores")
            .doc(
                "Needs a code. The recovery codes stop working. Needs a fresh session.",
                "Precisa de um código. Os códigos de recuperação deixam de funcionar. Exige uma sessão \
                 recém-confirmada.",
            )
            .example(r#"`{"code": "123456"}`"#)
            .errors(&[Code::ReauthRequired, Code::InvalidCode, Code::NotFound]),
        signed_in(Operation::post("/api/auth/recovery-codes", "make_recovery_codes", recovery_codes))
            .title("Replace the recovery codes", "Substituir os códigos de recuperação")
            .doc(
                "Returns ten new codes, shown once; the previous ones stop working. Needs a code of the authenticator \
                 app and a fresh session.",
                "Devolve dez códigos novos, mostrados uma vez; os anteriores deixam de funcionar. Precisa de um \
                 código do aplicativo autenticador e de uma sessão recém-confirmada.",
            )
            .example(r#"`{"code": "123456"}`"#)
            .errors(&[Code::ReauthRequired, Code::InvalidCode, Code::NotFound]),
        signed_in(Operation::get("/api/auth/events", "list_events", events))
            .title("List security events", "Listar os eventos de segurança")
            .doc(
                "The 100 newest security events of the account, newest first.",
                "Os 100 eventos de segurança mais recentes da conta, os mais novos primeiro.",
            ),
    ]
}

/// One of the three fields.
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
            let one = text("password: send a password or a code", "password: envie uma senha ou um código");
            return Err(ServiceError::new(Code::InvalidBody).explained(one.into()));
        }
    };
    let token = security::prove(&cx, proof).await?;
    Ok(with_session(&cx.services, JsonAnswer::new(Done::OK), &token))
}

/// Your sessions.
#[derive(Debug, Serialize, JsonSchema)]
struct Sessions {
    /// Most recently used first.
    sessions: Vec<SessionInfo>,
}

async fn sessions(cx: Cx, _: Nothing) -> Result<JsonAnswer<Sessions>, ServiceError> {
    Ok(JsonAnswer::new(Sessions { sessions: session::list(&cx).await? }))
}

/// The session to end.
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
    /// The current password.
    current: SecretText,
    /// The new one, 10 to 128 characters.
    password: SecretText,
}

async fn change_password(cx: Cx, input: PasswordChange) -> Result<JsonAnswer<Done>, ServiceError> {
    let token = security::change_password(&cx, input.current, input.password).await?;
    Ok(with_session(&cx.services, JsonAnswer::new(Done::OK), &token))
}

/// A second factor that is not confirmed yet.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Offered")]
struct OfferedFactor {
    /// The secret in base 32, for typing.
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

/// Recovery codes: each works once; shown once.
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
