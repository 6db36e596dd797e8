//! The remaining free audits of the calling network, and human verification.

use http::header::SET_COOKIE;
use model::billing::Gate;
use model::lang::{Text, text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cookies::CookieKind;
use crate::operation::{JsonAnswer, Nothing, Operation};
use service::caller::Cx;
use service::challenge::{self, ProofOfWork};
use service::error::{Code, ServiceError};
use service::gate;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    let of_pages = |operation: Operation| operation.without_tool().unshared();
    vec![
        Operation::get("/api/gate", "get_gate", read)
            .title("Get today's allowance", "Obter a franquia de hoje")
            .doc(
                "Free audits of your network today (UTC), how many are left, and whether the next one must be paid. \
                 Verification is for browsers on pages of this service; API calls never need it.",
                "Auditorias grátis da sua rede hoje (UTC), quantas restam e se a próxima precisa ser paga. A \
                 verificação é para navegadores nas páginas deste serviço; chamadas da API nunca precisam dela.",
            )
            .errors(&[Code::DatabaseUnavailable]),
        of_pages(Operation::post("/api/gate/challenge", "create_challenge", create))
            .title("Get a verification challenge", "Obter um desafio de verificação")
            .doc(
                "Proof of work for the forms of this service, where configured. Find the number from 0 to `maxnumber` \
                 for which the SHA-256 of `salt` followed by the number in decimal is `challenge`. A challenge works \
                 once, for ten minutes.",
                "Prova de trabalho para os formulários deste serviço, se configurada. Encontre o número de 0 a \
                 `maxnumber` para o qual o SHA-256 de `salt` seguido do número em decimal é `challenge`. Um desafio \
                 funciona uma vez, por dez minutos.",
            )
            .example("`{}`")
            .errors(&[Code::NotFound, Code::RateLimited]),
        of_pages(Operation::post("/api/gate/verify", "verify_browser", verify))
            .title("Verify a browser", "Verificar um navegador")
            .doc(
                "Takes the `solution` of a challenge, or the `token` of the configured verification service, and sets \
                 a cookie that lets this browser make free audits without another verification. While verification is \
                 unavailable, 503 `challenge_unavailable` sets such a cookie for ten minutes.",
                "Recebe a `solution` de um desafio, ou o `token` do serviço de verificação configurado, e define um \
                 cookie que permite a este navegador fazer auditorias grátis sem outra verificação. Enquanto a \
                 verificação está indisponível, o 503 `challenge_unavailable` define um cookie assim por dez minutos.",
            )
            .example(r#"`{"token": "0.abc"}`"#)
            .errors(&[
                Code::ChallengeFailed,
                Code::ChallengeUsed,
                Code::ChallengeUnavailable,
                Code::NotFound,
                Code::RateLimited,
            ]),
    ]
}

/// The allowance of the calling network.
async fn read(cx: Cx, _: Nothing) -> Result<JsonAnswer<Gate>, ServiceError> {
    gate::allowance(&cx).await.map(JsonAnswer::new)
}

/// A new challenge.
async fn create(cx: Cx, _: Nothing) -> Result<JsonAnswer<ProofOfWork>, ServiceError> {
    challenge::make(&cx).await.map(JsonAnswer::new)
}

/// The answer to a challenge: one of the two.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
struct ChallengeAnswer {
    /// Base64 of a JSON object with `algorithm`, `challenge`, `salt` and `signature` of the challenge, and the `number`.
    #[serde(default)]
    #[schemars(with = "String")]
    solution: Option<String>,
    /// Token of the verification service's widget.
    #[serde(default)]
    #[schemars(with = "String")]
    token: Option<String>,
}

/// A verified browser.
#[derive(Debug, Serialize, JsonSchema)]
struct VerifiedBrowser {
    /// Until when, in seconds since 1970-01-01 (UTC).
    verified_until: i64,
}

/// Checks an answer, and sets the browser's cookie.
async fn verify(cx: Cx, input: ChallengeAnswer) -> Result<JsonAnswer<VerifiedBrowser>, ServiceError> {
    const ONE: Text = text("send either solution or token", "envie solution ou token");
    let answer = match (input.solution, input.token) {
        (Some(answer), None) | (None, Some(answer)) => answer,
        (Some(_), Some(_)) | (None, None) => {
            return Err(ServiceError::new(Code::InvalidBody).explained(ONE.into()));
        }
    };
    let pass = challenge::verify(&cx, &answer).await?;
    let verified = JsonAnswer::new(VerifiedBrowser { verified_until: pass.until });
    Ok(match CookieKind::verified(cx.services.is_https(), &pass) {
        Some(cookie) => verified.header(SET_COOKIE, cookie),
        None => verified,
    })
}
