//! A tab's watch, its name, and how to close it. What is refused of these forms is shown again, with what was typed.

use api::response::{of_error, status};
use askama::Template;
use audit::checks;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use model::tab::Tab;

use super::space::Space;
use super::visit::{TabIdPath, WorkspaceVisit, answered};
use crate::error::FormProblem;
use crate::filters;
use crate::frame::Frame;
use crate::response::html;
use render::shown::date;
use service::Services;
use service::error::ServiceError;
use service::snoozes;

/// Fields of the form that an error may name.
const FIELDS: [&str; 4] = ["monitor_email", "alias", "tags", "note"];

#[derive(Template)]
#[template(path = "workspace_settings.html")]
struct SettingsPage<'a> {
    frame: Frame<'a>,
    space: Space,
    tab: Option<&'a Tab>,
    view: &'static str,
    /// This server sends mail.
    has_mail: bool,
    /// What the fields hold.
    typed: TypedSettings,
    problem: Option<FormProblem>,
    /// Title, code, reason and last day of each finding that is put off.
    snoozes: Vec<(&'static str, String, String, String)>,
}

/// What the fields of the form hold.
pub(super) struct TypedSettings {
    pub(super) monitor: bool,
    pub(super) monitor_email: String,
    pub(super) alias: String,
    /// Separated by commas.
    pub(super) tags: String,
    pub(super) note: String,
}

impl TypedSettings {
    /// What is stored.
    pub(super) fn of(tab: &Tab) -> Self {
        Self {
            monitor: tab.monitor,
            monitor_email: tab.monitor_email.clone().unwrap_or_default(),
            alias: tab.alias.clone().unwrap_or_default(),
            tags: tab.tags.join(", "),
            note: tab.note.clone().unwrap_or_default(),
        }
    }
}

/// The settings of a tab.
pub(crate) async fn show(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let (_, tab) = visit.tab(id).await?;
        shown(visit, &tab, TypedSettings::of(&tab), None).await
    })
    .await
}

/// The settings once more, with what was typed and why it was refused; the error page where they can't be shown.
pub(super) async fn again(visit: &WorkspaceVisit, tab: &Tab, typed: TypedSettings, error: &ServiceError) -> Response {
    shown(visit, tab, typed, Some(error))
        .await
        .unwrap_or_else(|_| crate::error::page(&visit.cx.services, error, visit.reader))
}

async fn shown(
    visit: &WorkspaceVisit,
    tab: &Tab,
    typed: TypedSettings,
    error: Option<&ServiceError>,
) -> Result<Response, ServiceError> {
    let (services, lang) = (&visit.cx.services, visit.reader.lang);
    let put_off = snoozes::list(services, tab).await?.into_iter().map(|snooze| {
        let title = checks::find(&snooze.code).map_or("", |check| check.title.in_lang(lang));
        (title, snooze.code, snooze.reason, date(snooze.until, lang))
    });
    let page = SettingsPage {
        frame: visit.frame(),
        space: visit.space(Some(&tab.id)).await?,
        tab: Some(tab),
        view: "settings",
        has_mail: services.mailer().is_some(),
        typed,
        problem: error.map(|error| FormProblem::of(error, &FIELDS, lang)),
        snoozes: put_off.collect(),
    };
    let mut response = html(error.map_or(StatusCode::OK, status), &page, lang);
    if let Some(error) = error {
        of_error(response.headers_mut(), error, services.is_https());
    }
    Ok(response)
}
