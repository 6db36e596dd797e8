//! Routes of all pages.

use api::caller::renew;
use api::site::Site;
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware;
use axum::response::Response;
use http::HeaderMap;
use service::Services;
use service::error::{Code, ServiceError};
use service::widget;

use crate::handler::{get, post};
use crate::reader::Reader;
use crate::{
    account, assets, bot, challenge, checks, compare, contact, credit, docs, embed, error, example, home, logo,
    operator, partners, pricing, report, running, running_end, share, sitemap, sites, status, theme_choice, tools,
    watch, workspace,
};

/// Routes of all pages.
pub(crate) fn router() -> Router<Site> {
    Router::<Site>::new()
        .route("/", get(home::show).merge(post(home::submit)))
        .route(compare::PATH, get(compare::show).merge(post(compare::submit)))
        .route("/running/{id}", get(running::show))
        .route("/running/{id}/end", get(running_end::show))
        .route("/reports/{id}", get(report::show).merge(post(report::open)))
        .route("/reports/{id}/share", post(report::share))
        .route("/reports/{id}/unshare", post(report::unshare))
        .route("/reports/{id}/lab", get(report::lab_state).merge(post(report::begin_lab)))
        .route("/reports/{id}/alerts", post(report::ask_for_alerts))
        .route("/reports/{id}/verify", post(report::verify))
        .route("/r/{slug}", get(share::show))
        .route("/og/{file}", get(share::picture))
        .route("/badge/{file}", get(share::badge))
        .route("/r/{slug}/files/{number}", get(share::file))
        .route("/reports/{id}/receipt.json", get(report::receipt))
        .route("/reports/{id}/{form}", get(report::form))
        .route("/reports/{id}/files/{number}", get(report::file))
        .route(widget::PATH, get(embed::show))
        .route(widget::LOADER_PATH, get(embed::loader))
        .route("/theme", post(theme_choice::choose))
        .merge(account::router())
        .merge(docs::router())
        .route("/workspace", get(workspace::show).merge(post(workspace::open)))
        .route("/workspace.json", get(workspace::json))
        .route("/workspace/webhooks", get(workspace::webhooks).merge(post(workspace::send_webhooks)))
        .route("/workspace/{id}", get(workspace::tab))
        .route("/workspace/{id}/tab.json", get(workspace::tab_json))
        .route("/workspace/{id}/run", post(workspace::run))
        .route("/workspace/{id}/history", get(workspace::history))
        .route("/workspace/{id}/history.json", get(workspace::history_json))
        .route("/workspace/{id}/history.csv", get(workspace::history_csv))
        .route("/workspace/{id}/compare", get(workspace::compare))
        .route("/workspace/{id}/compare.json", get(workspace::compare_json))
        .route("/workspace/{id}/settings", get(workspace::settings).merge(post(workspace::save)))
        .route("/workspace/{id}/watch", post(workspace::watch))
        .route("/workspace/{id}/close", post(workspace::close))
        .route("/workspace/{id}/snooze", get(workspace::snooze_form).merge(post(workspace::snooze)))
        .route("/workspace/run-all", post(workspace::run_all))
        .route(sites::PATH, get(sites::list).merge(post(sites::begin)))
        .route("/sites/{id}", get(sites::show))
        .route("/sites/watches/{id}", post(sites::change_watch))
        .route("/sites/{id}/delete", post(sites::delete))
        .route("/sites/{id}/watch", post(sites::repeat))
        .route("/sites/{id}/findings/{code}", get(sites::finding))
        .route("/sites/{id}/page", get(sites::page_at))
        .route("/sites/{id}/pages", get(sites::pages))
        .route("/sites/{id}/pages/{number}", get(sites::page))
        .route("/sites/{id}/files/{name}", get(sites::file))
        .route("/watch/agree", get(watch::ask_to_agree).merge(post(watch::agree)))
        .route("/watch/stop", get(watch::ask_to_stop).merge(post(watch::stop)))
        .route("/bot", get(bot::show))
        .route(report::EXAMPLE_PATH, get(example::show))
        .route("/example/files/{name}", get(example::file))
        .route(contact::PATH, get(contact::show).merge(post(contact::send)))
        .route(service::partners::PAGE_PATH, get(partners::show))
        .route("/pricing", get(pricing::show))
        .route(credit::PATH, get(credit::show).merge(post(credit::look)))
        .route(credit::kept::PATH, post(credit::kept::keep))
        .route(credit::pix::PATH, get(credit::pix::show).merge(post(credit::pix::send)))
        .route("/credit/pix/{id}", get(credit::pix::status))
        .route("/checks", get(checks::hub))
        .route("/checks/{code}", get(checks::show))
        .route("/tools", get(tools::hub))
        .route("/tools/{slug}", get(tools::show))
        .route(status::PATH, get(status::show))
        .route(operator::PATH, get(operator::show).merge(post(operator::sign_in)))
        .route("/operator/out", post(operator::sign_out))
        .route("/assets/{file}", get(asset))
        .route("/favicon.svg", get(assets::icon))
        .route(logo::PATH, get(logo::show))
        .route("/favicon.ico", get(assets::old_icon))
        .route(assets::TOUCH_ICON_PATH, get(assets::touch_icon))
        .route(assets::CARD_PATH, get(assets::card))
        .route("/robots.txt", get(sitemap::robots))
        .route("/sitemap.xml", get(sitemap::show))
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn(renew))
}

/// A file whose name changes with its content. One route for all of them: figures by route outlive the names.
async fn asset(State(services): State<Services>, request: Request) -> Response {
    match request.uri().path() {
        assets::STYLE_PATH => assets::style(),
        assets::DISPLAY_PATH => assets::display(),
        assets::TEXT_PATH => assets::text(),
        assets::PAGE_PATH => assets::page(),
        assets::VISIT_PATH => assets::visit(),
        assets::REPORT_PATH => assets::report(),
        assets::DOCS_PATH => assets::docs(),
        assets::PASSKEYS_PATH => assets::passkeys(),
        embed::SCRIPT_PATH => embed::script(),
        challenge::SCRIPT_PATH => challenge::script(),
        _ => {
            let reader = Reader::of(request.headers(), request.uri().query());
            error::page(&services, &ServiceError::new(Code::NotFound), reader)
        }
    }
}

/// Patterns of the routes that show a page.
const PAGES: [&str; 64] = [
    "/",
    "/compare",
    "/running/{id}",
    "/running/{id}/end",
    "/reports/{id}",
    "/reports/{id}/{form}",
    "/r/{slug}",
    "/workspace",
    "/workspace/webhooks",
    "/workspace/{id}",
    "/workspace/{id}/history",
    "/workspace/{id}/compare",
    "/workspace/{id}/settings",
    "/workspace/{id}/snooze",
    "/watch/agree",
    "/watch/stop",
    "/bot",
    "/example",
    "/docs",
    "/docs/api/{name}",
    "/docs/embed",
    "/docs/errors",
    "/docs/guides/{slug}",
    "/pricing",
    "/credit",
    "/credit/pix",
    "/credit/pix/{id}",
    "/checks",
    "/checks/{code}",
    "/tools",
    "/tools/{slug}",
    "/status",
    "/operator",
    "/conta",
    "/conta/global",
    "/conta/global/factor",
    "/conta/global/register",
    "/conta/global/complete",
    "/conta/global/reset",
    "/conta/global/password",
    "/conta/global/email",
    "/conta/global/undo",
    "/conta/profile",
    "/conta/avatar",
    "/conta/avatar/remove",
    "/conta/claim",
    "/conta/proof",
    "/conta/password",
    "/conta/email",
    "/conta/factor",
    "/conta/factor/remove",
    "/conta/recovery-codes",
    "/conta/sessions/end",
    "/conta/sessions/end-all",
    "/conta/keys",
    "/conta/keys/revoke",
    "/conta/passkey",
    "/conta/passkeys",
    "/conta/passkeys/remove",
    "/conta/organizations",
    "/conta/organizations/{id}",
    "/conta/invitation",
    "/conta/delete",
    "/conta/out",
];

/// The pattern of the page at a path; `None` for what is no page.
pub(crate) fn pattern(path: &str) -> Option<&'static str> {
    let fits = |pattern: &str| {
        let (mut parts, mut names) = (path.split('/'), pattern.split('/'));
        loop {
            match (parts.next(), names.next()) {
                (None, None) => return true,
                (Some(part), Some(name)) if part == name || (name.starts_with('{') && !part.is_empty()) => {}
                _ => return false,
            }
        }
    };
    PAGES.into_iter().find(|pattern| fits(pattern))
}

/// 405 of a page.
async fn wrong_method(State(services): State<Services>, headers: HeaderMap, uri: http::Uri) -> Response {
    error::page(&services, &ServiceError::new(Code::MethodNotAllowed), Reader::of(&headers, uri.query()))
}
