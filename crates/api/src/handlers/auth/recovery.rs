//! Password reset, and change of the e-mail address.

use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::{Done, Sent, sent, without_session};
use super::entry::EmailInput;
use crate::operation::{Accepted, Access, JsonAnswer, Operation};
use service::accounts::entry::SecondFactor;
use service::accounts::recovery;
use service::caller::Cx;
use service::config::SecretText;
use service::error::{Code, ServiceError};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    let browser = |operation: Operation| operation.access(Access::Browser).without_tool();
    vec![
        browser(Operation::post("/api/auth/reset", "ask_reset", reset))
            .title("Request a password reset", "Pedir a redefinição da senha")
            .doc(
                "Emails a link that sets a new password, valid for 30 minutes. An address without an account gets an \
                 email that says so; the answer is the same.",
                "Envia por e-mail um link que define uma nova senha, válido por 30 minutos. Um endereço sem conta \
                 recebe um e-mail que diz isso; a resposta é a mesma.",
            )
            .example(r#"`{"email": "ana@example.com"}`"#)
            .errors(&[Code::InvalidEmail, Code::RateLimited, Code::MailUnavailable]),
        browser(Operation::post("/api/auth/reset/complete", "reset_password", complete))
            .title("Set a new password", "Definir uma nova senha")
            .doc(
                "Needs the token of the emailed link and, with two-factor authentication, a code or a recovery code. \
                 Ends all sessions of the account and revokes its API keys.",
                "Precisa do token do link enviado por e-mail e, com a autenticação em dois fatores, de um código ou \
                 um código de recuperação. Encerra todas as sessões da conta e revoga as chaves de API dela.",
            )
            .example(r#"`{"token": "…", "password": "correct horse battery"}`"#)
            .errors(&[
                Code::InvalidLink,
                Code::PasswordRefused,
                Code::SecondFactorRequired,
                Code::InvalidCode,
                Code::RateLimited,
            ]),
        Operation::post("/api/auth/email", "change_email", change_email)
            .title("Change the email address", "Mudar o endereço de e-mail")
            .doc(
                "Emails a confirmation link to the new address. Needs a fresh session.",
                "Envia um link de confirmação ao novo endereço. Exige uma sessão recém-confirmada.",
            )
            .example(r#"`{"email": "ana@example.org"}`"#)
            .access(Access::Session)
            .without_tool()
            .errors(&[Code::ReauthRequired, Code::InvalidEmail, Code::RateLimited, Code::MailUnavailable]),
        browser(Operation::post("/api/auth/email/confirm", "confirm_email", confirm_email))
            .title("Confirm the email address", "Confirmar o endereço de e-mail")
            .doc(
                "Needs the token of the emailed link. The previous address is notified and can undo the change for 7 \
                 days.",
                "Precisa do token do link enviado por e-mail. O endereço anterior é avisado e pode desfazer a mudança \
                 por 7 dias.",
            )
            .example(r#"`{"token": "…"}`"#)
            .errors(&[Code::InvalidLink]),
        browser(Operation::post("/api/auth/email/undo", "undo_email", undo_email))
            .title("Undo the email change", "Desfazer a mudança de e-mail")
            .doc(
                "Needs the token of the emailed link. Ends all sessions and revokes all API keys.",
                "Precisa do token do link enviado por e-mail. Encerra todas as sessões e revoga todas as chaves de \
                 API.",
            )
            .example(r#"`{"token": "…"}`"#)
            .errors(&[Code::InvalidLink]),
    ]
}

async fn reset(cx: Cx, input: EmailInput) -> Result<Accepted<Sent>, ServiceError> {
    recovery::reset(&cx, &input.email).await?;
    Ok(sent())
}

/// A new password.
#[derive(Debug, Deserialize, JsonSchema)]
struct NewPassword {
    /// Token of the link.
    token: String,
    /// 10 to 128 characters.
    password: SecretText,
    /// Six digits of the authenticator, or a recovery code, where the account has a second factor.
    #[serde(default)]
    code: Option<SecretText>,
}

async fn complete(cx: Cx, input: NewPassword) -> Result<JsonAnswer<Done>, ServiceError> {
    let factor = input.code.map(|code| SecondFactor::of(&code));
    recovery::complete_reset(&cx, &input.token, input.password, factor).await?;
    Ok(without_session(&cx.services, JsonAnswer::new(Done::OK)))
}

async fn change_email(cx: Cx, input: EmailInput) -> Result<Accepted<Sent>, ServiceError> {
    recovery::change_email(&cx, &input.email).await?;
    Ok(sent())
}

/// A link.
#[derive(Debug, Deserialize, JsonSchema)]
struct LinkInput {
    /// Token of the link.
    token: String,
}

async fn confirm_email(cx: Cx, input: LinkInput) -> Result<JsonAnswer<Done>, ServiceError> {
    recovery::confirm_email(&cx, &input.token).await?;
    Ok(JsonAnswer::new(Done::OK))
}

async fn undo_email(cx: Cx, input: LinkInput) -> Result<JsonAnswer<Done>, ServiceError> {
    recovery::undo_email(&cx, &input.token).await?;
    Ok(without_session(&cx.services, JsonAnswer::new(Done::OK)))
}
