//! What the workspace's forms do. Each leads back to a page, so that a reload does nothing twice.

use api::request::{BODY_BYTES, read_body};
use api::response::{of_error, status};
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{StatusCode, header};
use model::lang::Lang;
use model::tab::Tab;

use super::{EmptyPage, Id, Visit, redirect};
use crate::home::new_guest;
use crate::{Reader, guest_cookie, html, private};
use api::caller::guard_form;
use api::caller::same_origin;
use api::site::Site;
use service::Services;
use service::caller::Identity;
use service::error::{Code, ServiceError};
use service::{gate, tabs, watches};

/// A form of the workspace, and who sent it.
struct Form {
    visit: Visit,
    fields: Vec<(String, String)>,
}

impl Form {
    async fn of(app: &Services, request: Request) -> (Parts, Result<Self, ServiceError>) {
        let (parts, body) = request.into_parts();
        let received = async {
            same_origin(app, &parts)?;
            let received = read_body(app, &parts, body, BODY_BYTES).await?;
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
    app: Services,
    id: Id,
    request: Request,
    back: &str,
    work: impl AsyncFnOnce(&Form, &Tab) -> Result<(), ServiceError>,
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
        Err(error) => crate::error::page(&app, &error, reader),
    }
}

/// Follows the page that was typed. Somebody new becomes a guest.
pub(crate) async fn open(State(app): State<Services>, request: Request) -> Response {
    let (parts, form) = Form::of(&app, request).await;
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let form = match form {
        Ok(form) => form,
        Err(error) => return crate::error::page(&app, &error, reader),
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
async fn again(form: &Form, error: ServiceError, reader: Reader) -> Response {
    let Ok(mut space) = form.visit.space(None).await else {
        return crate::error::page(&form.visit.cx.services, &error, reader);
    };
    space.problem = Some(told(&error, reader.lang));
    form.field("url").unwrap_or_default().clone_into(&mut space.typed);
    let page = EmptyPage { frame: form.visit.frame(), space, tab: None, view: "" };
    let mut response = html(status(&error), &page, reader.lang);
    if error.code.status() != StatusCode::BAD_REQUEST {
        of_error(response.headers_mut(), &error, form.visit.cx.services.is_https());
    }
    response
}

fn told(error: &ServiceError, lang: Lang) -> String {
    let sentence = error.code.sentence().in_lang(lang);
    match &error.detail {
        Some(detail) => format!("{sentence} ({})", detail.in_lang(lang)),
        None => sentence.to_owned(),
    }
}

/// Audits the tab's page now, as `POST /api/tabs/:id/run` does.
pub(crate) async fn run(State(site): State<Site>, id: Id, request: Request) -> Response {
    on_tab(site.services().clone(), id, request, "/workspace/{id}", async |form, tab| {
        let cx = &form.visit.cx;
        api::gate::admit_audit(&cx.services, cx.caller.network, cx.caller.is_crawler)?;
        let held = gate::hold(cx, &site.audit_price()?).await?;
        let done = tabs::run(cx, tab).await;
        gate::settle(cx, held, done).await.map(drop)
    })
    .await
}

/// Names the tab.
pub(crate) async fn rename(State(app): State<Services>, id: Id, request: Request) -> Response {
    on_tab(app, id, request, "/workspace/{id}/settings", async |form, tab| {
        let alias = Some(tabs::alias_of(form.field("alias"))?);
        change(form, tab, watches::TabEdit { alias, ..watches::TabEdit::default() }).await
    })
    .await
}

/// Begins or ends the daily watch, and says where its alerts go.
pub(crate) async fn watch(State(app): State<Services>, id: Id, request: Request) -> Response {
    on_tab(app, id, request, "/workspace/{id}/settings", async |form, tab| {
        let monitor = Some(form.field("monitor") == Some("on"));
        let alert_email = Some(watches::alert_address(form.field("monitor_email"))?);
        change(form, tab, watches::TabEdit { monitor, alert_email, ..watches::TabEdit::default() }).await
    })
    .await
}

async fn change(form: &Form, tab: &Tab, edit: watches::TabEdit) -> Result<(), ServiceError> {
    let owner = form.visit.owner.as_ref().ok_or_else(|| ServiceError::new(Code::TabNotFound))?;
    watches::change(&form.visit.cx, owner, tab, edit).await.map(drop)
}

/// Follows the page no more.
pub(crate) async fn close(State(app): State<Services>, id: Id, request: Request) -> Response {
    on_tab(app, id, request, "/workspace", async |form, tab| {
        let owner = form.visit.owner.as_ref().ok_or_else(|| ServiceError::new(Code::TabNotFound))?;
        let id = tabs::tab_id(&tab.id)?;
        form.visit.cx.services.database().ask(|store| store.close_tab(owner, &id)).await.map_err(tabs::unknown_tab)
    })
    .await
}
