//! The form that puts a finding of a followed page off.

use askama::Template;
use audit::checks;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use model::tab::{Snooze, Tab};
use model::time::DAY_MS;

use super::space::Space;
use super::visit::{TabIdPath, answered};
use crate::filters;
use crate::frame::Frame;
use crate::response::html;
use service::Services;
use service::error::{Code, ServiceError};
use service::snoozes;

/// Days that the form offers. Chosen: a sprint of two weeks.
const OFFERED_DAYS: i64 = 14;

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
    report: Option<String>,
    /// Where the finding is put off already.
    snooze: Option<Snooze>,
    /// The day that the form offers.
    until: String,
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
        let check = parameter("code").and_then(|code| checks::find(&code));
        let check = check.ok_or_else(|| ServiceError::new(Code::CheckNotFound))?;
        let snoozes = snoozes::list(&services, &tab).await?;
        let snooze = snoozes.into_iter().find(|snooze| snooze.code == check.code);
        let until = snooze
            .as_ref()
            .map_or_else(|| services.ports().now().plus_ms(OFFERED_DAYS * DAY_MS), |snooze| snooze.until);
        let page = SnoozePage {
            frame: visit.frame(),
            space: visit.space(Some(&tab.id)).await?,
            tab: Some(&tab),
            view: "settings",
            code: check.code,
            title: check.title.in_lang(visit.reader.lang),
            report: parameter("report").filter(|id| uuid::Uuid::try_parse(id).is_ok()),
            snooze,
            until: until.to_string().chars().take(10).collect(),
        };
        Ok(html(StatusCode::OK, &page, visit.reader.lang))
    })
    .await
}
