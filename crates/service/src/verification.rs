//! Verification of a page that the caller sends: it is judged like an audit, and nothing is fetched or stored.

use std::collections::BTreeMap;

use audit::compare::Side;
use engine::{Supplied, Verification};
use fetch::PAGE_BYTES;
use model::capture::ROBOTS_BYTES;
use model::id::AuditId;
use model::lang::{Text, text};
use model::report::Report;
use url::Url;

use crate::audits::{readable, undone};
use crate::caller::Cx;
use crate::counting::Event;
use crate::error::{Code, ServiceError};

/// Bytes of the page's URL.
const URL_BYTES: usize = 2048;
/// Response headers.
const MOST_HEADERS: usize = 100;
/// Bytes of all their names and values.
const HEADERS_BYTES: usize = 64 * 1024;
/// Bytes of one header's name.
const HEADER_NAME_BYTES: usize = 65_535;

/// The page to judge, as it was sent.
#[derive(Debug)]
pub struct PageToVerify {
    /// Absolute http or https URL; it is not fetched.
    pub url: String,
    /// Source of the page.
    pub html: String,
    /// Response headers by name; `None` when unknown.
    pub headers: Option<BTreeMap<String, String>>,
    /// Text of the site's robots.txt; `None` when unknown.
    pub robots_txt: Option<String>,
    /// The audit to compare with, which must be the caller's.
    pub audit_id: Option<String>,
}

/// Judges the page on a core. `answer` turns the verification, the report behind it, and the id of the audit that it was compared with, into
/// the caller's response, off the async workers.
pub async fn verify<A: Send + 'static>(
    cx: &Cx,
    page: PageToVerify,
    answer: impl FnOnce(Verification, &Report, Option<&AuditId>) -> A + Send + 'static,
) -> Result<A, ServiceError> {
    let PageToVerify { url, html, headers, robots_txt, audit_id } = page;
    let url = page_url(&url)?;
    let headers = headers.map(read_headers).transpose()?;
    within("html", html.len(), PAGE_BYTES)?;
    if let Some(robots_txt) = &robots_txt {
        within("robots_txt", robots_txt.len(), ROBOTS_BYTES)?;
    }
    let before = match audit_id {
        Some(id) => Some(readable(cx, &cx.caller.required_owner()?, id).await?.stored),
        None => None,
    };
    let content_type = before.as_ref().and_then(|before| before.report.headers.get("content-type").cloned());
    let supplied = Supplied { headers, content_type, robots_txt, ..Supplied::page(url, html.into()) };
    let capture = supplied.capture(cx.services.ports().now());
    let lang = cx.lang;
    let finish = move |report: Report| {
        let issues = before.as_ref().map(|before| (before.report.issues_in(lang), &before.report.coverage));
        let side = issues.as_ref().map(|(issues, coverage)| Side { issues, coverage });
        answer(Verification::of(&report, side, lang), &report, before.as_ref().map(|before| &before.id))
    };
    let answer = cx.services.engine().judge(capture, finish).await.map_err(undone)?;
    cx.count(&Event::Verification);
    Ok(answer)
}

/// The URL of the page, which need not be reachable.
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
        if is_header_name(&name) && !value.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
            return Ok((name.to_ascii_lowercase(), value));
        }
        const NO_HEADER: Text =
            text("headers.{name}: is not a valid HTTP header", "headers.{name}: não é um cabeçalho HTTP válido");
        Err(ServiceError::new(Code::InvalidBody).explained(NO_HEADER.phrase(&[("name", name.into())])))
    });
    read.collect()
}

/// Whether a text is a token (RFC 9110 §5.6.2), as names of fields are.
fn is_header_name(name: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    (1..=HEADER_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_token)
}

fn within(field: &str, size: usize, most: usize) -> Result<(), ServiceError> {
    if size <= most {
        return Ok(());
    }
    const TOO_LARGE: Text =
        text("{field}: can have at most {most}, not {size}", "{field}: pode ter no máximo {most}, não {size}");
    let values = [("field", field.into()), ("most", most.into()), ("size", size.into())];
    Err(ServiceError::new(Code::BodyTooLarge).explained(TOO_LARGE.phrase(&values)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_has_a_token_for_a_name_and_one_line_for_a_value() {
        let read = |name: &str, value: &str| {
            read_headers(BTreeMap::from([(name.to_owned(), value.to_owned())])).map_err(|error| error.code)
        };
        assert_eq!(read("X-Robots-Tag", "noindex"), Ok(vec![("x-robots-tag".to_owned(), "noindex".to_owned())]));
        assert_eq!(read("a!#$%&'*+-.^_`|~9", "é").map(|read| read.len()), Ok(1));
        for (name, value) in
            [("", "a"), ("a b", "a"), ("a:", "a"), ("a\"", "a"), ("é", "a"), ("a", "b\r\nc: d"), ("a", "\0")]
        {
            assert_eq!(read(name, value), Err(Code::InvalidBody), "{name:?}: {value:?}");
        }
        assert_eq!(read("a", &"b".repeat(HEADERS_BYTES)), Err(Code::BodyTooLarge));
    }
}
