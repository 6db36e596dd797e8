//! A tab's watch, its name, and how to close it.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use model::tab::Tab;

use super::space::Space;
use super::visit::{TabIdPath, answered};
use crate::filters;
use crate::frame::Frame;
use crate::response::html;
use service::Services;

#[derive(Template)]
#[template(path = "workspace_settings.html")]
struct SettingsPage<'a> {
    frame: Frame<'a>,
    space: Space,
    tab: Option<&'a Tab>,
    view: &'static str,
    /// This server sends mail.
    has_mail: bool,
}

/// The settings of a tab.
pub(crate) async fn show(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let (_, tab) = visit.tab(id).await?;
        let space = visit.space(Some(&tab.id)).await?;
        let (frame, has_mail) = (visit.frame(), services.mailer().is_some());
        let page = SettingsPage { frame, space, tab: Some(&tab), view: "settings", has_mail };
        Ok(html(StatusCode::OK, &page, visit.reader.lang))
    })
    .await
}
