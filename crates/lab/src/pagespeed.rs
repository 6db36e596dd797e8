//! The PageSpeed Insights API, version 5: method `pagespeedapi.runpagespeed`.

use std::fmt;

use fetch::{Fetcher, ServiceAnswer, ServiceQuestion};
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use crate::failure::{Failure, PageFailure};
use crate::request::{LabRequest, TEST_TIME};

/// Size limit of an answer in bytes. Usual ones have 300 to 800 kB, more with screenshots.
const ANSWER_BYTES: usize = 8 * 1024 * 1024;

/// Categories that are asked for; the API alone would measure performance only.
const CATEGORIES: [&str; 4] = ["performance", "accessibility", "best-practices", "seo"];

/// What Lighthouse's code follows in the message of an error.
const LIGHTHOUSE_ERROR: &str = "Lighthouse returned error: ";

/// A client of the API, with the operator's key.
pub struct PageSpeed {
    fetcher: Fetcher,
    endpoint: Url,
    key: String,
}

/// Leaves out the key.
impl fmt::Debug for PageSpeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageSpeed").field("host", &self.endpoint.host_str()).finish_non_exhaustive()
    }
}

impl PageSpeed {
    /// A client of the API at an http or https URL.
    pub fn new(fetcher: Fetcher, endpoint: Url, key: String) -> Self {
        Self { fetcher, endpoint, key }
    }

    /// Asks for one test; the whole answer of a page that could be measured, and of some that could not.
    pub(crate) async fn ask(&self, request: &LabRequest) -> Result<Vec<u8>, Failure> {
        let url = self.question(request);
        let question = ServiceQuestion { url: &url, body: None, authorization: None, answer_bytes: ANSWER_BYTES };
        let answer = self.fetcher.ask_service(question, Instant::now() + TEST_TIME).await;
        let answer = answer.map_err(|no_answer| Failure::Trouble(no_answer.0))?;
        if answer.status == 200 { Ok(answer.body) } else { Err(failure(&answer)) }
    }

    fn question(&self, request: &LabRequest) -> Url {
        let mut url = self.endpoint.clone();
        let mut query = url.query_pairs_mut();
        query.append_pair("url", request.url.as_str()).append_pair("strategy", request.strategy.name());
        for category in CATEGORIES {
            query.append_pair("category", category);
        }
        query.append_pair("locale", request.lang.tag()).append_pair("key", &self.key);
        drop(query);
        url
    }
}

/// What an answer with another status than 200 means, by status and the error's reasons. Its message is read for the code
/// of Lighthouse and for a bad key only, which nothing else tells in every answer.
fn failure(answer: &ServiceAnswer) -> Failure {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let error = body.get("error").unwrap_or(&Value::Null);
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    let has_reason = |wanted: &[&str]| {
        ["errors", "details"]
            .into_iter()
            .filter_map(|list| error.get(list)?.as_array())
            .flatten()
            .any(|one| one.get("reason").and_then(Value::as_str).is_some_and(|reason| wanted.contains(&reason)))
    };
    if has_reason(&["lighthouseError"]) || message.starts_with(LIGHTHOUSE_ERROR) {
        let code = message.strip_prefix(LIGHTHOUSE_ERROR).unwrap_or_default();
        let end = code.find(|c: char| !c.is_ascii_uppercase() && !c.is_ascii_digit() && c != '_');
        return Failure::Page(PageFailure::new(code.get(..end.unwrap_or(code.len())).unwrap_or_default()));
    }
    let is_quota = has_reason(&["rateLimitExceeded", "dailyLimitExceeded", "quotaExceeded"]);
    match answer.status {
        429 => Failure::Quota { retry_after: answer.retry_after },
        403 if is_quota => Failure::Quota { retry_after: answer.retry_after },
        401 | 403 => Failure::Unavailable("forbidden"),
        400 if has_reason(&["API_KEY_INVALID"]) || message.contains("API key") => Failure::Unavailable("bad_key"),
        400 if error.is_object() => Failure::Page(PageFailure::new("INVALID_URL")),
        404 | 405 => Failure::Unavailable("no_such_service"),
        500.. => Failure::Trouble("status_5xx"),
        _ => Failure::Trouble("status"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::lab::Strategy;
    use model::lang::Lang;
    use serde_json::json;

    fn answer(status: u16, body: &str) -> ServiceAnswer {
        ServiceAnswer { status, retry_after: Some(7), body: body.as_bytes().to_vec() }
    }

    #[test]
    fn every_class_of_error_is_told_apart() {
        let of = |message: &str, reason: &str, status: &str| {
            json!({"error": {"code": 1, "message": message, "errors": [{"reason": reason}], "status": status}})
                .to_string()
        };
        let page = |code: &str| Failure::Page(PageFailure::new(code));
        let quota = Failure::Quota { retry_after: Some(7) };
        for (status, body, expected) in [
            (500, of("Lighthouse returned error: NO_FCP. The page…", "lighthouseError", ""), page("NO_FCP")),
            (400, of("Lighthouse returned error: NOT_HTML", "lighthouseError", ""), page("NOT_HTML")),
            (500, of("Something went wrong.", "lighthouseError", ""), page("UNKNOWN")),
            (
                400,
                of("API key not valid. Please pass…", "badRequest", "INVALID_ARGUMENT"),
                Failure::Unavailable("bad_key"),
            ),
            (400, of("Invalid value 'x'", "invalid", "INVALID_ARGUMENT"), page("INVALID_URL")),
            (403, of("It has not been used", "forbidden", "PERMISSION_DENIED"), Failure::Unavailable("forbidden")),
            (403, of("Quota", "dailyLimitExceeded", ""), quota.clone()),
            (429, of("Quota exceeded", "rateLimitExceeded", "RESOURCE_EXHAUSTED"), quota.clone()),
            (429, "<html>".to_owned(), quota),
            (500, of("Internal", "backendError", "INTERNAL"), Failure::Trouble("status_5xx")),
            (502, "<html>Bad gateway".to_owned(), Failure::Trouble("status_5xx")),
            (404, "<html>".to_owned(), Failure::Unavailable("no_such_service")),
            (302, String::new(), Failure::Trouble("status")),
            (400, "[]".to_owned(), Failure::Trouble("status")),
        ] {
            assert_eq!(failure(&answer(status, &body)), expected, "{status} {body}");
        }
    }

    #[test]
    fn a_question_names_everything_and_a_debug_output_no_key() {
        let fetcher = Fetcher::new(fetch::FetchConfig::default()).unwrap();
        let endpoint = Url::parse("https://example.com/run?alt=json").unwrap();
        let service = PageSpeed::new(fetcher, endpoint, "canary & key".to_owned());
        let request = LabRequest {
            url: Url::parse("https://example.com/?a=b&c=é").unwrap(),
            strategy: Strategy::Desktop,
            lang: Lang::PtBr,
        };
        assert_eq!(
            service.question(&request).query(),
            Some(
                "alt=json&url=https%3A%2F%2Fexample.com%2F%3Fa%3Db%26c%3D%25C3%25A9&strategy=desktop&category=performance\
                 &category=accessibility&category=best-practices&category=seo&locale=pt-BR&key=canary+%26+key"
            )
        );
        assert!(!format!("{service:?}").contains("canary"));
    }
}
