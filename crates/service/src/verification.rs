//! Verification of a page that the caller sends: it is judged like an audit, and nothing is fetched or stored.

use std::collections::BTreeMap;

use audit::compare::Side;
use audit::supplied::{self, Supplied, SuppliedFault};
use engine::Verification;
use model::id::AuditId;
use model::report::Report;

use crate::audits::{readable, undone};
use crate::caller::Cx;
use crate::counting::Event;
use crate::error::{Code, ServiceError};

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
    let url = supplied::page_url(&url).map_err(refused)?;
    let headers = headers.map(|headers| supplied::page_headers(headers.into_iter().collect()));
    let headers = headers.transpose().map_err(refused)?;
    supplied::check_page(html.len()).map_err(refused)?;
    if let Some(robots_txt) = &robots_txt {
        supplied::check_robots_txt(robots_txt.len()).map_err(refused)?;
    }
    let before = match audit_id {
        Some(id) => Some(readable(cx, &cx.caller.required_owner()?, id).await?.stored),
        None => None,
    };
    let content_type = before.as_ref().and_then(|before| before.report.headers.get("content-type").cloned());
    let page = Supplied { headers, content_type, robots_txt, ..Supplied::page(url, html.into()) };
    let capture = page.capture(cx.services.ports().now());
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

fn refused(fault: SuppliedFault) -> ServiceError {
    let code = match fault {
        SuppliedFault::Url => return ServiceError::new(Code::InvalidUrl).detail("url"),
        SuppliedFault::TooLarge { .. } => Code::BodyTooLarge,
        SuppliedFault::Header(_) | SuppliedFault::Status(_) => Code::InvalidBody,
    };
    ServiceError::new(code).explained(fault.message())
}
