//! What our crawler does, for the owners of the sites it visits; its user agent names this page.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;

use super::{Addresses, Frame, Reader, html};
use crate::app::App;

#[derive(Template)]
#[template(path = "bot.html")]
struct BotPage<'a> {
    frame: Frame<'a>,
    addresses: Addresses,
    user_agent: &'a str,
    per_target: u16,
    per_hour: u32,
}

pub(super) async fn show(State(app): State<App>, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let page = BotPage {
        frame: Frame::new(&app, reader),
        addresses: Addresses::new(&app, request.uri().path(), request.uri().query(), reader.lang),
        user_agent: &app.config().user_agent(app.base_url()),
        per_target: app.config().limits.fetches_per_target,
        per_hour: app.config().limits.audits_per_target_hour,
    };
    html(StatusCode::OK, &page, reader.lang)
}
