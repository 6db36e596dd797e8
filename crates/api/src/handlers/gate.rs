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
            .text(
                "See what is left today",
                "Free audits that your network has, and has left, today (UTC), and whether the next one must be paid. \
                 Verification is for browsers on pages of this service: calls of the API never need it.",
            )
            .errors(&[Code::DatabaseUnavailable]),
        of_pages(Operation::post("/api/gate/challenge", "create_challenge", create))
            .text(
                "Get a verification challenge",
                "For the forms of this service's own pages, where proof of work is configured. Find the number from 0 to \
                 `maxnumber` for which the SHA-256 of `salt` followed by the number in decimal is `challenge`. A challenge \
                 works once, for ten minutes.\n\nExample: `{}`",
            )
            .errors(&[Code::NotFound, Code::RateLimited]),
        of_pages(Operation::post("/api/gate/verify", "verify_browser", verify))
            .text(
                "Verify a browser",
                "Takes the `solution` of a challenge, or the `token` of the configured verification service, and sets a \
                 cookie with which free audits on pages need no further verification. 503 `challenge_unavailable` sets \
                 one too, for ten minutes: nobody waits for a verification that can't be had.\n\nExample: \
                 `{\"token\": \"0.abc\"}`",
            )
            .errors(&[
                Code::ChallengeFailed,
                Code::ChallengeUsed,
                Code::ChallengeUnavailable,
                Code::NotFound,
                Code::RateLimited,
            ]),
    ]
}

/// The allowance in force for the calling network.
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
    /// What the widget of the verification service gave.
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
    const ONE: Text = text("send solution or token, one of them", "envie solution ou token, um dos dois");
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
