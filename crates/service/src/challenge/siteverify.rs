//! Verification services that take a secret and a token as a form and answer in JSON whether the token is good, as Turnstile,
//! hCaptcha and reCAPTCHA do.

use std::time::Duration;

use fetch::{ServiceBody, ServiceQuestion};
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use crate::config::SecretText;
use crate::services::Services;

/// For an answer. Chosen: people wait for it; the services answer within a second.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);
/// Bytes of an answer; one has some hundred.
const ANSWER_BYTES: usize = 16 * 1024;
/// Bytes of a token at most; the longest known have about 4,000.
const TOKEN_BYTES: usize = 8 * 1024;

/// Error codes that say that our request or our keys are wrong, not the visitor's token (documentation of the three services).
const OURS: [&str; 10] = [
    "missing-input-secret",
    "invalid-input-secret",
    "bad-request",
    "internal-error",
    "sitekey-secret-mismatch",
    "invalid-sitekey",
    "missing-remoteip",
    "invalid-remoteip",
    "not-using-dummy-passcode",
    "not-using-dummy-secret",
];

/// What a verification service says of a token.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TokenVerdict {
    /// A person solved it.
    Passed,
    /// It is wrong, expired or used.
    Failed,
    /// Nothing, for this reason: the service does not answer, or refuses us.
    None(&'static str),
}

/// Asks the verification service about a token. The visitor's address is not sent.
pub(super) async fn verdict(services: &Services, token: &str) -> TokenVerdict {
    if token.is_empty() || token.len() > TOKEN_BYTES {
        return TokenVerdict::Failed;
    }
    let settings = &services.config().challenge;
    let Some(url) = settings.url.as_deref().and_then(|url| Url::parse(url).ok()) else {
        return TokenVerdict::None("url");
    };
    let secret = settings.secret.as_ref().map(SecretText::expose).unwrap_or_default();
    let body = Some(ServiceBody::Form(form(secret, token)));
    let question = ServiceQuestion { url: &url, body, authorization: None, answer_bytes: ANSWER_BYTES };
    match services.engine().fetcher().ask_service(question, Instant::now() + ANSWER_WITHIN).await {
        Ok(answer) => read(answer.status, &answer.body),
        Err(error) => TokenVerdict::None(error.0),
    }
}

fn form(secret: &str, token: &str) -> String {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("secret", secret).append_pair("response", token).finish()
}

/// Reads an answer. Success and a refused request come with a verdict, a redirect or a failure of the service do not.
fn read(status: u16, body: &[u8]) -> TokenVerdict {
    if !matches!(status, 200..=299 | 400..=499) {
        return TokenVerdict::None("status");
    }
    let Ok(answer) = serde_json::from_slice::<Value>(body) else { return TokenVerdict::None("json") };
    let codes = answer.get("error-codes").and_then(Value::as_array).into_iter().flatten();
    let is_ours = codes.filter_map(Value::as_str).any(|code| OURS.contains(&code));
    match answer.get("success").and_then(Value::as_bool) {
        Some(true) => TokenVerdict::Passed,
        Some(false) if is_ours => TokenVerdict::None("refused"),
        Some(false) => TokenVerdict::Failed,
        None => TokenVerdict::None("answer"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_a_verdict_is_an_outage() {
        for (status, body, verdict) in [
            (
                200,
                r#"{"success":true,"challenge_ts":"2026-01-31T09:30:00Z","hostname":"example.com"}"#,
                TokenVerdict::Passed,
            ),
            (200, r#"{"success":false,"error-codes":["timeout-or-duplicate"]}"#, TokenVerdict::Failed),
            (400, r#"{"success":false,"error-codes":["invalid-input-response"]}"#, TokenVerdict::Failed),
            (200, r#"{"success":false}"#, TokenVerdict::Failed),
            (200, r#"{"success":false,"error-codes":["invalid-input-secret"]}"#, TokenVerdict::None("refused")),
            (200, r#"{"success":"yes"}"#, TokenVerdict::None("answer")),
            (200, "[]", TokenVerdict::None("answer")),
            (200, "<html>", TokenVerdict::None("json")),
            (200, "", TokenVerdict::None("json")),
            (302, r#"{"success":true}"#, TokenVerdict::None("status")),
            (503, r#"{"success":true}"#, TokenVerdict::None("status")),
        ] {
            assert_eq!(read(status, body.as_bytes()), verdict, "{status} {body}");
        }
    }

    /// With [`OURS`], every error code of the documentation of Turnstile, hCaptcha and reCAPTCHA.
    #[test]
    fn an_error_of_ours_is_no_failure_of_the_visitor() {
        let of_visitor = [
            "missing-input-response",
            "invalid-input-response",
            "expired-input-response",
            "already-seen-response",
            "invalid-or-already-seen-response",
            "timeout-or-duplicate",
            "a-code-of-tomorrow",
        ];
        let verdict = |codes: &[&str]| {
            read(200, serde_json::json!({"success": false, "error-codes": codes}).to_string().as_bytes())
        };
        for code in OURS {
            assert_eq!(verdict(&[code]), TokenVerdict::None("refused"), "{code}");
            assert_eq!(verdict(&["invalid-input-response", code]), TokenVerdict::None("refused"), "{code}");
        }
        for code in of_visitor {
            assert_eq!(verdict(&[code]), TokenVerdict::Failed, "{code}");
        }
        assert_eq!(verdict(&[]), TokenVerdict::Failed);
    }
}
