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
            .title("Request an account", "Pedir uma conta")
            .doc(
                "Emails a link that creates the account. An address that already has an account gets an email that \
                 says so; the answer is the same. Limits: 3 emails an hour to one address, 10 from one \
                 network.",
                "Envia por e-mail um link que cria a conta. Um endereço que já tem conta recebe um e-mail que diz \
                 isso; a resposta é a mesma. Limites: 3 e-mails por hora para um endereço, 10 de uma rede.",
            )
            .example(r#"`{"email": "ana@example.com"}`"#)
            .errors(&[Code::InvalidEmail, Code::RateLimited, Code::MailUnavailable]),
        browser(Operation::post("/api/auth/register/complete", "complete_registration", complete))
            .title("Create the account", "Criar a conta")
            .doc(
                "Needs the token of the emailed link. Creates the account, confirms its address and signs its owner \
                 in. A password has 10 to 128 characters of any kind.",
                "Precisa do token do link enviado por e-mail. Cria a conta, confirma o endereço e abre uma sessão. \
                 Uma senha tem de 10 a 128 caracteres de qualquer tipo.",
            )
            .example(r#"`{"token": "…", "password": "correct horse battery", "display_name": "Ana"}`"#)
            .errors(&[Code::InvalidLink, Code::PasswordRefused]),
        browser(Operation::post("/api/auth/sign-in", "sign_in", sign_in))
            .title("Sign in", "Entrar")
            .doc(
                "Sets the session cookie or, with two-factor authentication, returns a challenge that is valid for \
                 ten minutes in this browser. After ten wrong passwords, further attempts are delayed.",
                "Define o cookie de sessão ou, com a autenticação em dois fatores, devolve um desafio que vale por \
                 dez minutos neste navegador. Depois de dez senhas erradas, novas tentativas ficam mais lentas.",
            )
            .example(r#"`{"email": "ana@example.com", "password": "correct horse battery"}`"#)
            .errors(&[Code::InvalidCredentials, Code::RateLimited]),
        browser(Operation::post("/api/auth/sign-in/totp", "sign_in_with_code", with_code))
            .title("Sign in with a code", "Entrar com um código")
            .doc(
                "The second step: the 6-digit code of the authenticator app. A challenge allows five attempts.",
                "A segunda etapa: o código de 6 dígitos do aplicativo autenticador. Um desafio permite cinco \
                 tentativas.",
            )
            .example(r#"`{"challenge": "…", "code": "123456"}`"#)
            .errors(&[Code::InvalidChallenge, Code::InvalidCode, Code::RateLimited]),
        browser(Operation::post("/api/auth/sign-in/recovery", "sign_in_with_recovery_code", with_recovery_code))
            .title("Sign in with a recovery code", "Entrar com um código de recuperação")
            .doc(
                "The second step without the authenticator app: one of the ten recovery codes. Each works once.",
                "A segunda etapa sem o aplicativo autenticador: um dos dez códigos de recuperação. Cada um funciona \
                 uma vez.",
            )
            .example(r#"`{"challenge": "…", "code": "ABCD-EFGH-…"}`"#)
            .errors(&[Code::InvalidChallenge, Code::InvalidCode, Code::RateLimited]),
    ]
}

/// The address to email.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct EmailInput {
    /// An e-mail address.
    pub(super) email: String,
}

async fn register(cx: Cx, input: EmailInput) -> Result<Accepted<Sent>, ServiceError> {
    entry::register(&cx, &input.email, None).await?;
    Ok(sent())
}

/// An account to be made.
#[derive(Debug, Deserialize, JsonSchema)]
struct Completion {
    /// Token of the link.
    token: String,
    /// 10 to 128 characters.
    password: SecretText,
    /// Name of its owner, at most 60 characters.
    #[serde(default)]
    display_name: String,
}

async fn complete(cx: Cx, input: Completion) -> Result<JsonAnswer<Done>, ServiceError> {
    let token = entry::complete(&cx, &input.token, input.password, &input.display_name).await?;
    Ok(with_session(&cx.services, JsonAnswer::new(Done::OK), &token))
}

/// A sign-in.
#[derive(Debug, Deserialize, JsonSchema)]
struct Credentials {
    /// The account's address.
    email: String,
    /// Password of the account.
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
    /// Allowed second factors: `totp`, `recovery`.
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
    /// Challenge of the first step.
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
