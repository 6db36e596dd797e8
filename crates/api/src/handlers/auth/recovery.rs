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
            .text(
                "Request a password reset",
                "Emails a link that sets a new password, valid for 30 minutes. An address without an account gets an \
                 email that says so; the answer is the same.\n\nExample: `{\"email\": \"ana@example.com\"}`",
            )
            .errors(&[Code::InvalidEmail, Code::RateLimited, Code::MailUnavailable]),
        browser(Operation::post("/api/auth/reset/complete", "reset_password", complete))
            .text(
                "Set a new password",
                "Needs the token of the emailed link and, with two-factor authentication, a code or a recovery code. \
                 Ends all sessions of the account and revokes its API keys.\n\nExample: `{\"token\": \"…\", \
                 \"password\": \"correct horse battery\"}`",
            )
            .errors(&[
                Code::InvalidLink,
                Code::PasswordRefused,
                Code::SecondFactorRequired,
                Code::InvalidCode,
                Code::RateLimited,
            ]),
        Operation::post("/api/auth/email", "change_email", change_email)
            .text(
                "Change the email address",
                "Emails a confirmation link to the new address. Needs a fresh session.\n\nExample: `{\"email\": \
                 \"ana@example.org\"}`",
            )
            .access(Access::Session)
            .without_tool()
            .errors(&[Code::ReauthRequired, Code::InvalidEmail, Code::RateLimited, Code::MailUnavailable]),
        browser(Operation::post("/api/auth/email/confirm", "confirm_email", confirm_email))
            .text(
                "Confirm the email address",
                "Needs the token of the emailed link. The previous address is notified and can undo the change for 7 \
                 days.\n\nExample: `{\"token\": \"…\"}`",
            )
            .errors(&[Code::InvalidLink]),
        browser(Operation::post("/api/auth/email/undo", "undo_email", undo_email))
            .text(
                "Undo the email change",
                "Needs the token of the emailed link. Ends all sessions and revokes all API keys.\n\nExample: \
                 `{\"token\": \"…\"}`",
            )
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
