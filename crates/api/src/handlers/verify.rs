//! Judging a page that the caller sends: proves a patch before it is published.

use std::collections::BTreeMap;

use audit::compare::Side;
use fetch::PAGE_BYTES;
use model::lang::{Lang, Text, text};
use model::report::Report;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::StoredReport;
use url::Url;

use crate::operation::{Effect, Operation, RateLimit, Written};
use engine::Supplied;
use engine::Verification;
use service::Services;
use service::audits::stored;
use service::audits::undone;
use service::caller::Cx;
use service::error::{Code, ServiceError};

/// Bytes of the body: a page of 2 MB whose every third byte is escaped, and the rest.
const BODY_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of the page's address.
const URL_BYTES: usize = 2048;
/// Headers that are taken.
const MOST_HEADERS: usize = 100;
/// Bytes of all of them.
const HEADERS_BYTES: usize = 64 * 1024;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/verify", "verify_page", run)
            .text(
                "Prove a patch before publishing it",
                "Judges the page that you send, by the rules of an audit and with no request to anybody. Send the \
                 response headers and robots.txt too where you know them: what they say is not measured otherwise, and \
                 neither is what only the network can tell (sitemaps, discovery files, times). With `audit_id` the \
                 result is compared with that audit, which must be yours: `fixed`, `broke` and `notCompared`. Free, \
                 120 an hour for each network; nothing is stored.\n\nExample: `{\"url\": \"https://example.com/\", \
                 \"html\": \"<!doctype html>…\", \"audit_id\": \"…\"}`",
            )
            .effect(Effect::Reads)
            .body(BODY_BYTES)
            .rate_limit(RateLimit::Verifications)
            .errors(&[
                Code::InvalidUrl,
                Code::RateLimited,
                Code::GuestTokenRequired,
                Code::AuditNotFound,
                Code::DatabaseUnavailable,
            ]),
    ]
}

/// The page to judge, and what else is known of it.
#[derive(Debug, Deserialize, JsonSchema)]
struct VerifyRequest {
    /// Absolute http or https URL that the page has or will have, at most 2,048 bytes. It is not fetched.
    url: String,
    /// The page's source, at most 2,097,152 bytes of UTF-8.
    html: String,
    /// Response headers by name, as the page is or will be sent; at most 100.
    #[serde(default)]
    headers: Option<BTreeMap<String, String>>,
    /// The text of the site's robots.txt, at most 500 KiB.
    #[serde(default)]
    robots_txt: Option<String>,
    /// The audit that this page began from. Its media type is taken where no headers are sent.
    #[serde(default)]
    audit_id: Option<String>,
    /// The guest who owns the audit; the same as the header `X-Guest-Token`.
    #[serde(default)]
    #[expect(dead_code, reason = "read at the gate; here for the schema and the type")]
    guest_token: Option<String>,
}

/// A verification and where it belongs.
#[derive(Debug, Serialize, JsonSchema)]
struct VerifyAnswer {
    #[serde(flatten)]
    verification: Verification,
    #[serde(rename = "_links")]
    links: VerificationLinks,
}

/// Related addresses.
#[derive(Debug, Serialize, JsonSchema)]
struct VerificationLinks {
    /// The audit that it was compared with.
    audit: Option<String>,
    /// `GET /api/`.
    api_index: String,
}

/// Judges the page on a core; the network is never asked.
async fn run(cx: Cx, input: VerifyRequest) -> Result<Written<VerifyAnswer>, ServiceError> {
    let url = page_url(&input.url)?;
    let headers = input.headers.map(read_headers).transpose()?;
    within("html", input.html.len(), PAGE_BYTES)?;
    if let Some(robots_txt) = &input.robots_txt {
        within("robots_txt", robots_txt.len(), model::capture::ROBOTS_BYTES)?;
    }
    let before = match input.audit_id {
        Some(id) => Some(stored(&cx, &cx.caller.required_owner()?, id).await?),
        None => None,
    };
    let content_type = before.as_ref().and_then(|before| before.report.headers.get("content-type").cloned());
    let supplied =
        Supplied { headers, content_type, robots_txt: input.robots_txt, ..Supplied::page(url, input.html.into()) };
    let capture = supplied.capture(cx.services.ports().now());
    let (services, lang) = (cx.services.clone(), cx.lang);
    let finish = move |report: Report| Written::spoken(&answer(&services, &report, before.as_ref(), lang));
    cx.services.engine().judge(capture, finish).await.map_err(undone)?
}

fn answer(services: &Services, report: &Report, before: Option<&StoredReport>, lang: Lang) -> VerifyAnswer {
    let known = before.map(|before| (before.report.issues_in(lang), &before.report.coverage));
    let known = known.as_ref().map(|(issues, coverage)| Side { issues, coverage });
    VerifyAnswer {
        verification: Verification::of(report, known, lang),
        links: VerificationLinks {
            audit: before.map(|before| services.url(&format!("/api/audits/{}", before.id))),
            api_index: services.url("/api/"),
        },
    }
}

/// An address that needs not be reachable: it is only the page's name here.
fn page_url(typed: &str) -> Result<Url, ServiceError> {
    let url = Some(typed).filter(|typed| typed.len() <= URL_BYTES).and_then(|typed| Url::parse(typed).ok());
    let is_page = |url: &Url| matches!(url.scheme(), "http" | "https") && url.username().is_empty();
    url.filter(is_page).ok_or_else(|| ServiceError::new(Code::InvalidUrl).detail("url"))
}

/// Names in lower case, as a capture has them.
fn read_headers(headers: BTreeMap<String, String>) -> Result<Vec<(String, String)>, ServiceError> {
    within("headers", headers.len(), MOST_HEADERS)?;
    within("headers", headers.iter().map(|(name, value)| name.len() + value.len()).sum(), HEADERS_BYTES)?;
    let read = headers.into_iter().map(|(name, value)| {
        let is_name = http::HeaderName::from_bytes(name.as_bytes()).is_ok();
        let is_value = !value.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0));
        if is_name && is_value {
            return Ok((name.to_ascii_lowercase(), value));
        }
        const NO_HEADER: Text = text("headers.{name}: not a header of HTTP", "headers.{name}: não é um cabeçalho HTTP");
        Err(ServiceError::new(Code::InvalidBody).explained(NO_HEADER.phrase(&[("name", name.into())])))
    });
    read.collect()
}

fn within(field: &str, size: usize, most: usize) -> Result<(), ServiceError> {
    if size <= most {
        return Ok(());
    }
    const TOO_LARGE: Text = text("{field}: at most {most}, not {size}", "{field}: no máximo {most}, não {size}");
    let values = [("field", field.into()), ("most", most.into()), ("size", size.into())];
    Err(ServiceError::new(Code::BodyTooLarge).explained(TOO_LARGE.phrase(&values)))
}
