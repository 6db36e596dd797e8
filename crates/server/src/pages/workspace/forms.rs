//! What the workspace's forms do. Each leads back to a page, so that a reload does nothing twice.

use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{StatusCode, header};
use model::lang::Lang;
use model::tab::Tab;

use super::{EmptyPage, Id, Visit, redirect};
use crate::app::App;
use crate::caller::{Identity, guard_form};
use crate::error::{ApiError, Code};
use crate::pages::home::{new_guest, same_origin};
use crate::pages::{Reader, guest_cookie, html, private};
use crate::{gate, tabs, watches, web};

/// A form of the workspace, and who sent it.
struct Form {
    visit: Visit,
    fields: Vec<(String, String)>,
}

impl Form {
    async fn of(app: &App, request: Request) -> (Parts, Result<Self, ApiError>) {
        let (parts, body) = request.into_parts();
        let received = async {
            same_origin(app, &parts)?;
            let received = web::read_body(app, &parts, body, web::BODY_BYTES).await?;
            let fields: Vec<(String, String)> = url::form_urlencoded::parse(&received.bytes).into_owned().collect();
            let form = Self { visit: Visit::of(app, &parts).await?, fields };
            if let Identity::Session(_) = form.visit.cx.caller.identity {
                guard_form(app, &form.visit.cx.caller, &parts.headers, form.field("csrf"))?;
            }
            Ok(form)
        };
        let form = received.await;
        (parts, form)
    }

    fn field(&self, wanted: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }
}

/// Does something with one tab of the sender, and leads to the page at `back` of it.
async fn on_tab(
    app: App,
    id: Id,
    request: Request,
    back: &str,
    work: impl AsyncFnOnce(&Form, &Tab) -> Result<(), ApiError>,
) -> Response {
    let (parts, form) = Form::of(&app, request).await;
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let done = async {
        let form = form?;
        let (_, tab) = form.visit.tab(id).await?;
        work(&form, &tab).await?;
        Ok(tab.id)
    };
    match done.await {
        Ok(id) => private(redirect(&back.replace("{id}", &id), reader.lang)),
        Err(error) => crate::pages::error::page(&app, &error, reader),
    }
}

/// Follows the page that was typed. Somebody new becomes a guest.
pub(in crate::pages) async fn open(State(app): State<App>, request: Request) -> Response {
    let (parts, form) = Form::of(&app, request).await;
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let form = match form {
        Ok(form) => form,
        Err(error) => return crate::pages::error::page(&app, &error, reader),
    };
    let mut cookie = None;
    let opened = async {
        let typed = form.field("url").unwrap_or_default().trim();
        let address = if typed.contains("://") { typed.to_owned() } else { format!("https://{typed}") };
        let (url, alias) = (tabs::page_of(&app, &address)?, tabs::alias_of(form.field("alias"))?);
        let owner = match &form.visit.owner {
            Some(owner) => owner.clone(),
            None => {
                let (guest, token) = new_guest(&form.visit.cx).await?;
                cookie = guest_cookie::set(&app, &token);
                model::id::Owner::Guest(guest)
            }
        };
        tabs::open(&form.visit.cx, &owner, &url, alias).await
    };
    let opened = opened.await;
    let mut response = match opened {
        Ok(tab) => redirect(&format!("/workspace/{}", tab.id), reader.lang),
        Err(error) => again(&form, error, reader).await,
    };
    response.headers_mut().extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    private(response)
}

/// The form once more, with what is wrong and what was typed.
async fn again(form: &Form, error: ApiError, reader: Reader) -> Response {
    let Ok(mut space) = form.visit.space(None).await else {
        return crate::pages::error::page(&form.visit.cx.app, &error, reader);
    };
    space.problem = Some(told(&error, reader.lang));
    form.field("url").unwrap_or_default().clone_into(&mut space.typed);
    let page = EmptyPage { frame: form.visit.frame(), space, tab: None, view: "" };
    let mut response = html(error.code.status(), &page, reader.lang);
    if error.code.status() != StatusCode::BAD_REQUEST {
        web::of_error(response.headers_mut(), &error);
    }
    response
}

fn told(error: &ApiError, lang: Lang) -> String {
    let sentence = error.code.sentence().in_lang(lang);
    match &error.detail {
        Some(detail) => format!("{sentence} ({})", detail.in_lang(lang)),
        None => sentence.to_owned(),
    }
}

/// Audits the tab's page now, as `POST /api/tabs/:id/run` does.
pub(in crate::pages) async fn run(State(app): State<App>, id: Id, request: Request) -> Response {
    on_tab(app, id, request, "/workspace/{id}", async |form, tab| {
        let cx = &form.visit.cx;
        gate::admit_audit(&cx.app, cx.caller.network, cx.caller.is_crawler)?;
        let held = gate::hold(cx).await?;
        let done = tabs::run(cx, tab).await;
        gate::settle(cx, held, done).await.map(drop)
    })
    .await
}

/// Names the tab.
pub(in crate::pages) async fn rename(State(app): State<App>, id: Id, request: Request) -> Response {
    on_tab(app, id, request, "/workspace/{id}/settings", async |form, tab| {
        let alias = Some(tabs::alias_of(form.field("alias"))?);
        change(form, tab, watches::Wanted { alias, ..watches::Wanted::default() }).await
    })
    .await
}

/// Begins or ends the daily watch, and says where its alerts go.
pub(in crate::pages) async fn watch(State(app): State<App>, id: Id, request: Request) -> Response {
    on_tab(app, id, request, "/workspace/{id}/settings", async |form, tab| {
        let monitor = Some(form.field("monitor") == Some("on"));
        let alert_email = Some(watches::alert_address(form.field("monitor_email"))?);
        change(form, tab, watches::Wanted { monitor, alert_email, ..watches::Wanted::default() }).await
    })
    .await
}

async fn change(form: &Form, tab: &Tab, wanted: watches::Wanted) -> Result<(), ApiError> {
    let owner = form.visit.owner.as_ref().ok_or_else(|| ApiError::new(Code::TabNotFound))?;
    watches::change(&form.visit.cx, owner, tab, wanted).await.map(drop)
}

/// Follows the page no more.
pub(in crate::pages) async fn close(State(app): State<App>, id: Id, request: Request) -> Response {
    on_tab(app, id, request, "/workspace", async |form, tab| {
        let owner = form.visit.owner.as_ref().ok_or_else(|| ApiError::new(Code::TabNotFound))?;
        let id = tabs::tab_id(&tab.id)?;
        form.visit.cx.app.database().ask(|store| store.close_tab(owner, &id)).await.map_err(tabs::unknown_tab)
    })
    .await
}
