//! The form that audits an address, on the page of a tool and of a check.

use askama::Template;
use axum::response::Response;
use http::StatusCode;
use http::request::Parts;
use model::lang::Lang;
use service::Services;

use crate::allowance::NextAudit;
use crate::challenge::{self, ChallengeView};
use crate::csrf;
use crate::response::{html, lasting, private};

/// The form, for `audit_form.html`.
#[derive(Debug)]
pub(crate) struct AuditForm {
    /// Proves to a signed-in reader's session that the form is ours.
    pub(crate) csrf: Option<String>,
    /// The challenge that comes before the audit.
    pub(crate) challenge: Option<ChallengeView>,
    /// The tool whose findings come first in the report.
    pub(crate) tool: &'static str,
    pub(crate) free_per_day: u32,
    pub(crate) is_on_trial: bool,
}

impl AuditForm {
    /// For the reader of a request.
    pub(crate) async fn of(services: &Services, parts: &Parts, tool: &'static str) -> Self {
        let csrf = csrf::of_request(services, parts).await;
        Self {
            challenge: challenge::of_request(services, parts, csrf.is_some()),
            is_on_trial: csrf.is_some() && NextAudit::is_on_trial(services, parts).await,
            tool,
            free_per_day: services.config().limits.free_audits_per_day,
            csrf,
        }
    }

    /// A page with the form as the response. One with a token or a challenge is private to its reader, others may be kept.
    pub(crate) fn answer(&self, page: &impl Template, lang: Lang) -> Response {
        if self.csrf.is_none() && self.challenge.is_none() {
            return lasting(page, lang);
        }
        let mut response = private(html(StatusCode::OK, page, lang));
        challenge::allow(&mut response, self.challenge.as_ref());
        response
    }
}
