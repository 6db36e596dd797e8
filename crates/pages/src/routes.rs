//! Routes of all pages.

use api::caller::renew;
use api::site::Site;
use axum::Router;
use axum::extract::State;
use axum::middleware;
use axum::response::Response;
use axum::routing::{get, post};
use http::HeaderMap;
use service::Services;
use service::error::{Code, ServiceError};
use service::widget;

use crate::reader::Reader;
use crate::{
    account, assets, bot, challenge, checks, contact, credit, embed, error, home, pricing, report, share, sitemap,
    theme_choice, tools, watch, workspace,
};

/// Routes of all pages.
pub(crate) fn router() -> Router<Site> {
    Router::<Site>::new()
        .route("/", get(home::show).post(home::submit))
        .route("/reports/{id}", get(report::show).post(report::open))
        .route("/reports/{id}/share", post(report::share))
        .route("/reports/{id}/unshare", post(report::unshare))
        .route("/reports/{id}/lab", post(report::begin_lab))
        .route("/r/{slug}", get(share::show))
        .route("/og/{file}", get(share::picture))
        .route("/badge/{file}", get(share::badge))
        .route("/r/{slug}/files/{number}", get(share::file))
        .route("/reports/{id}/{form}", get(report::form))
        .route("/reports/{id}/files/{number}", get(report::file))
        .route(assets::REPORT_PATH, get(assets::report))
        .route(widget::PATH, get(embed::show))
        .route(widget::LOADER_PATH, get(embed::loader))
        .route(embed::SCRIPT_PATH, get(embed::script))
        .route(challenge::SCRIPT_PATH, get(challenge::script))
        .route("/theme", post(theme_choice::choose))
        .merge(account::router())
        .route("/workspace", get(workspace::show).post(workspace::open))
        .route("/workspace.json", get(workspace::json))
        .route("/workspace/{id}", get(workspace::tab))
        .route("/workspace/{id}/tab.json", get(workspace::tab_json))
        .route("/workspace/{id}/run", post(workspace::run))
        .route("/workspace/{id}/history", get(workspace::history))
        .route("/workspace/{id}/history.json", get(workspace::history_json))
        .route("/workspace/{id}/history.csv", get(workspace::history_csv))
        .route("/workspace/{id}/compare", get(workspace::compare))
        .route("/workspace/{id}/compare.json", get(workspace::compare_json))
        .route("/workspace/{id}/settings", get(workspace::settings))
        .route("/workspace/{id}/name", post(workspace::rename))
        .route("/workspace/{id}/watch", post(workspace::watch))
        .route("/workspace/{id}/close", post(workspace::close))
        .route("/watch/agree", get(watch::ask_to_agree).post(watch::agree))
        .route("/watch/stop", get(watch::ask_to_stop).post(watch::stop))
        .route("/bot", get(bot::show))
        .route(contact::PATH, get(contact::show).post(contact::send))
        .route("/pricing", get(pricing::show))
        .route(credit::PATH, get(credit::show).post(credit::look))
        .route(credit::pix::PATH, get(credit::pix::show).post(credit::pix::send))
        .route("/credit/pix/{id}", get(credit::pix::status))
        .route("/checks", get(checks::hub))
        .route("/checks/{code}", get(checks::show))
        .route("/tools", get(tools::hub))
        .route("/tools/{slug}", get(tools::show))
        .route(assets::STYLE_PATH, get(assets::style))
        .route(assets::PAGE_PATH, get(assets::page))
        .route("/favicon.svg", get(assets::icon))
        .route(assets::CARD_PATH, get(assets::card))
        .route("/robots.txt", get(sitemap::robots))
        .route("/sitemap.xml", get(sitemap::show))
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn(renew))
}

/// 405 of a page.
async fn wrong_method(State(services): State<Services>, headers: HeaderMap, uri: http::Uri) -> Response {
    error::page(&services, &ServiceError::new(Code::MethodNotAllowed), Reader::of(&headers, uri.query()))
}
