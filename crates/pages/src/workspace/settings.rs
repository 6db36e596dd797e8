//! A tab's watch, its name, and how to close it.

use askama::Template;
use audit::checks;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use model::tab::Tab;

use super::space::Space;
use super::visit::{TabIdPath, answered};
use crate::filters;
use crate::frame::Frame;
use crate::response::html;
use render::shown::date;
use service::Services;
use service::snoozes;

#[derive(Template)]
#[template(path = "workspace_settings.html")]
struct SettingsPage<'a> {
    frame: Frame<'a>,
    space: Space,
    tab: Option<&'a Tab>,
    view: &'static str,
    /// This server sends mail.
    has_mail: bool,
    /// Tags as they are typed.
    tags: String,
    /// Title, code, reason and last day of each finding that is put off.
    snoozes: Vec<(&'static str, String, String, String)>,
}

/// The settings of a tab.
pub(crate) async fn show(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let (_, tab) = visit.tab(id).await?;
        let space = visit.space(Some(&tab.id)).await?;
        let (frame, has_mail) = (visit.frame(), services.mailer().is_some());
        let lang = visit.reader.lang;
        let put_off = snoozes::list(&services, &tab).await?.into_iter().map(|snooze| {
            let title = checks::find(&snooze.code).map_or("", |check| check.title.in_lang(lang));
            (title, snooze.code, snooze.reason, date(snooze.until, lang))
        });
        let (tags, snoozes) = (tab.tags.join(", "), put_off.collect());
        let page = SettingsPage { frame, space, tab: Some(&tab), view: "settings", has_mail, tags, snoozes };
        Ok(html(StatusCode::OK, &page, visit.reader.lang))
    })
    .await
}
