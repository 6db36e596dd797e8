//! Registration by e-mail, and sign-in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{Done, Sent, sent, with_session};
use crate::operation::{Accepted, Access, JsonAnswer, Operation};
use service::accounts::entry::{self, SecondFactor, SignIn};
use service::caller::Cx;
use service::config::SecretText;
use service::error::{Code, ServiceError};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    let browser = |operation: Operation| operation.access(Access::Browser).without_tool();
    vec![
        browser(Operation::post("/api/auth/register", "register", register))
            .text(
                "Ask for an account",
                "Sends a link to the address, with which the account is made; to one that has an account, a mail that \
                 says so. The answer is the same. Three mails an hour to one address, ten from one \
                 network.\n\nExample: `{\"email\": \"ana@example.com\"}`",
            )
            .errors(&[Code::InvalidEmail, Code::RateLimited, Code::MailUnavailable]),
        browser(Operation::post("/api/auth/register/complete", "complete_registration", complete))
            .text(
                "Make the account",
                "With the token of the link that was sent: makes the account, whose address is verified by it, and \
                 signs its owner in. A password has 10 to 128 characters, any.\n\nExample: `{\"token\": \"…\", \
                 \"password\": \"correct horse battery\", \"display_name\": \"Ana\"}`",
            )
            .errors(&[Code::InvalidLink, Code::PasswordRefused]),
        browser(Operation::post("/api/auth/sign-in", "sign_in", sign_in))
            .text(
                "Sign in",
                "Sets the session's cookie or, where the account has a second factor, answers with a challenge that is \
                 good for ten minutes in this browser. After ten wrong passwords the next ones have to wait.\n\nExample: \
                 `{\"email\": \"ana@example.com\", \"password\": \"correct horse battery\"}`",
            )
            .errors(&[Code::InvalidCredentials, Code::RateLimited]),
        browser(Operation::post("/api/auth/sign-in/totp", "sign_in_with_code", with_code))
            .text(
                "Sign in with a code",
                "The second step: six digits of the authenticator. A challenge bears five tries.\n\nExample: \
                 `{\"challenge\": \"…\", \"code\": \"123456\"}`",
            )
            .errors(&[Code::InvalidChallenge, Code::InvalidCode, Code::RateLimited]),
        browser(Operation::post("/api/auth/sign-in/recovery", "sign_in_with_recovery_code", with_recovery_code))
            .text(
                "Sign in with a recovery code",
                "The second step without the authenticator: one of the ten codes, which is used up by it.\n\nExample: \
                 `{\"challenge\": \"…\", \"code\": \"ABCD-EFGH-…\"}`",
            )
            .errors(&[Code::InvalidChallenge, Code::InvalidCode, Code::RateLimited]),
    ]
}

/// Whose mail.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct EmailInput {
    /// An e-mail address.
    pub(super) email: String,
}

async fn register(cx: Cx, input: EmailInput) -> Result<Accepted<Sent>, ServiceError> {
    entry::register(&cx, &input.email).await?;
    Ok(sent())
}

/// An account to be made.
#[derive(Debug, Deserialize, JsonSchema)]
struct Completion {
    /// Of the link.
    token: String,
    /// 10 to 128 characters.
    password: SecretText,
    /// What its owner is called, at most 60 characters.
    #[serde(default)]
    display_name: String,
}

async fn complete(cx: Cx, input: Completion) -> Result<JsonAnswer<Done>, ServiceError> {
    let token = entry::complete(&cx, &input.token, input.password, &input.display_name).await?;
    Ok(with_session(&cx.services, JsonAnswer::new(Done::OK), &token))
}

/// Who signs in.
#[derive(Debug, Deserialize, JsonSchema)]
struct Credentials {
    /// The account's address.
    email: String,
    /// Its password.
    password: SecretText,
}

/// Outcome of a sign-in step.
#[derive(Debug, Serialize, JsonSchema)]
struct SignInAnswer {
    /// `signed_in` or `second_factor_required`.
    status: &'static str,
    /// For the second step.
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge: Option<String>,
    /// How the second step may be taken: `totp`, `recovery`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    methods: Vec<&'static str>,
}

impl SignInAnswer {
    const DONE: Self = Self { status: "signed_in", challenge: None, methods: Vec::new() };
}

async fn sign_in(cx: Cx, input: Credentials) -> Result<JsonAnswer<SignInAnswer>, ServiceError> {
    Ok(match entry::sign_in(&cx, &input.email, input.password).await? {
        SignIn::Done(token) => with_session(&cx.services, JsonAnswer::new(SignInAnswer::DONE), &token),
        SignIn::SecondFactor(challenge) => JsonAnswer::new(SignInAnswer {
            status: "second_factor_required",
            challenge: Some(challenge.text),
            methods: vec!["totp", "recovery"],
        }),
    })
}

/// The second step of a sign-in.
#[derive(Debug, Deserialize, JsonSchema)]
struct SecondStep {
    /// Of the first step.
    challenge: String,
    /// Six digits, or a recovery code.
    code: SecretText,
}

async fn with_code(cx: Cx, input: SecondStep) -> Result<JsonAnswer<SignInAnswer>, ServiceError> {
    let given = SecondFactor::Totp(input.code.expose().to_owned());
    let token = entry::second_factor(&cx, &input.challenge, given).await?;
    Ok(with_session(&cx.services, JsonAnswer::new(SignInAnswer::DONE), &token))
}

async fn with_recovery_code(cx: Cx, input: SecondStep) -> Result<JsonAnswer<SignInAnswer>, ServiceError> {
    let token = entry::second_factor(&cx, &input.challenge, SecondFactor::Recovery(input.code)).await?;
    Ok(with_session(&cx.services, JsonAnswer::new(SignInAnswer::DONE), &token))
}
