//! The form that puts a finding of a followed page off. What is refused of it is shown again, with what was typed.

use api::response::{of_error, status};
use askama::Template;
use audit::checks;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use model::tab::Tab;
use model::time::DAY_MS;

use super::space::Space;
use super::visit::{TabIdPath, WorkspaceVisit, answered};
use crate::error::FormProblem;
use crate::filters;
use crate::frame::Frame;
use crate::response::html;
use service::Services;
use service::error::{Code, ServiceError};
use service::snoozes;

/// Days that the form offers. Chosen: a sprint of two weeks.
const OFFERED_DAYS: i64 = 14;

/// Fields of the form that an error may name.
const FIELDS: [&str; 2] = ["reason", "until"];

#[derive(Template)]
#[template(path = "workspace_snooze.html")]
struct SnoozePage<'a> {
    frame: Frame<'a>,
    space: Space,
    tab: Option<&'a Tab>,
    view: &'static str,
    code: &'static str,
    title: &'static str,
    /// The report to go back to.
    report: Option<&'a str>,
    /// Whether the finding is put off already.
    is_snoozed: bool,
    reason: String,
    /// A day, `2026-01-31`.
    until: String,
    problem: Option<FormProblem>,
}

/// What the form is about, and what was typed into it and refused.
pub(super) struct SnoozeForm<'a> {
    pub(super) code: &'a str,
    /// The report to go back to.
    pub(super) report: Option<&'a str>,
    /// Reason and day, and why they were refused.
    pub(super) refused: Option<([&'a str; 2], &'a ServiceError)>,
}

/// The form for the finding `code` of the query; `report` is the audit to go back to.
pub(crate) async fn show(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let (_, tab) = visit.tab(id).await?;
        let query = parts.uri.query().unwrap_or_default();
        let parameter = |wanted: &str| {
            url::form_urlencoded::parse(query.as_bytes())
                .find(|(name, _)| name == wanted)
                .map(|(_, value)| value.into_owned())
        };
        let (code, report) = (parameter("code").unwrap_or_default(), parameter("report"));
        shown(visit, &tab, SnoozeForm { code: &code, report: report.as_deref(), refused: None }).await
    })
    .await
}

/// The page with the form; [`Code::CheckNotFound`] for a finding that no check makes.
pub(super) async fn shown(visit: &WorkspaceVisit, tab: &Tab, form: SnoozeForm<'_>) -> Result<Response, ServiceError> {
    let (services, lang) = (&visit.cx.services, visit.reader.lang);
    let check = checks::find(form.code).ok_or_else(|| ServiceError::new(Code::CheckNotFound))?;
    let snoozes = snoozes::list(services, tab).await?;
    let snooze = snoozes.into_iter().find(|snooze| snooze.code == check.code);
    let is_snoozed = snooze.is_some();
    let offered = || services.ports().now().plus_ms(OFFERED_DAYS * DAY_MS);
    let (stored_reason, day) =
        snooze.map_or_else(|| (String::new(), offered()), |snooze| (snooze.reason, snooze.until));
    let (reason, until) = match form.refused {
        Some(([reason, until], _)) => (reason.to_owned(), until.to_owned()),
        None => (stored_reason, day.to_string().chars().take(10).collect()),
    };
    let error = form.refused.map(|(_, error)| error);
    let report = form.report.filter(|id| uuid::Uuid::try_parse(id).is_ok());
    // The address that the form is sent to has no such parameters.
    let kept = [("code", Some(check.code)), ("report", report)].into_iter().filter(|_| error.is_some());
    let page = SnoozePage {
        frame: visit.frame().keeping(kept.filter_map(|(name, value)| Some((name, value?)))),
        space: visit.space(Some(&tab.id)).await?,
        tab: Some(tab),
        view: "settings",
        code: check.code,
        title: check.title.in_lang(lang),
        report,
        is_snoozed,
        reason,
        until,
        problem: error.map(|error| FormProblem::of(error, &FIELDS, lang)),
    };
    let mut response = html(error.map_or(StatusCode::OK, status), &page, lang);
    if let Some(error) = error {
        of_error(response.headers_mut(), error, services.is_https());
    }
    Ok(response)
}
