//! Forms of the workspace. Each redirects to a page (303), so that a reload sends no form again. What is typed into one that is
//! refused is in the form of the answer.

use api::cookies::CookieKind;
use api::request::{BODY_BYTES, read_body, wish};
use api::response::{of_error, status};
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{StatusCode, header};
use model::id::AuditId;
use model::tab::Tab;

use super::settings::{self, TypedSettings};
use super::snooze::{self, SnoozeForm};
use super::space::EmptyPage;
use super::visit::{TabIdPath, WorkspaceVisit, redirect};
use crate::address::way_to_watch;
use crate::allowance;
use crate::reader::Reader;
use crate::response::{html, private, see_other};
use crate::running;
use api::caller::guard_form;
use api::caller::same_origin;
use api::site::Site;
use service::Services;
use service::caller::Identity;
use service::error::{Code, ServiceError};
use service::form_audit::{self, AskedAudit};
use service::running::AuditEnding;
use service::{gate, guests, run_all, snoozes, tabs, watches};

/// A form of the workspace, and its sender.
pub(super) struct WorkspaceForm {
    pub(super) visit: WorkspaceVisit,
    fields: Vec<(String, String)>,
}

impl WorkspaceForm {
    pub(super) async fn of(services: &Services, request: Request) -> (Parts, Result<Self, ServiceError>) {
        let (parts, body) = request.into_parts();
        let received = async {
            same_origin(services, &parts)?;
            let received = read_body(services, &parts, body, BODY_BYTES).await?;
            let fields: Vec<(String, String)> = url::form_urlencoded::parse(&received.bytes).into_owned().collect();
            let form = Self { visit: WorkspaceVisit::of(services, &parts).await?, fields };
            if let Identity::Session(_) = form.visit.cx.caller.identity {
                guard_form(services, &form.visit.cx.caller, &parts.headers, form.field("csrf"))?;
            }
            Ok(form)
        };
        let form = received.await;
        (parts, form)
    }

    pub(super) fn field(&self, wanted: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    /// The settings of a tab with what was typed of them.
    fn settings(&self, tab: &Tab) -> TypedSettings {
        let stored = TypedSettings::of(tab);
        let typed = |name: &str, stored: String| self.field(name).map_or(stored, str::to_owned);
        TypedSettings {
            monitor: if self.field("monitor_email").is_some() { self.is_watched() } else { stored.monitor },
            monitor_email: typed("monitor_email", stored.monitor_email),
            alias: typed("alias", stored.alias),
            tags: typed("tags", stored.tags),
            note: typed("note", stored.note),
        }
    }

    fn is_watched(&self) -> bool {
        self.field("monitor") == Some("on")
    }
}

/// Runs `work` on a tab of the sender, and redirects to the path that it answers, in which `{id}` is the tab. Where it is refused,
/// the settings of the tab are shown, with what was typed.
async fn on_tab(
    services: Services,
    id: TabIdPath,
    request: Request,
    work: impl AsyncFnOnce(&WorkspaceForm, &Tab) -> Result<&'static str, ServiceError>,
) -> Response {
    let (parts, form) = WorkspaceForm::of(&services, request).await;
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let done = async {
        let form = form?;
        let (_, tab) = form.visit.tab(id).await?;
        Ok(match work(&form, &tab).await {
            Ok(back) => redirect(&back.replace("{id}", &tab.id), reader.lang),
            Err(error) => settings::again(&form.visit, &tab, form.settings(&tab), &error).await,
        })
    };
    match done.await {
        Ok(response) => private(response),
        Err(error) => crate::error::page(&services, &error, reader),
    }
}

/// Follows the page that was typed. A caller without an identity becomes a guest.
pub(crate) async fn open(State(services): State<Services>, request: Request) -> Response {
    let (parts, form) = WorkspaceForm::of(&services, request).await;
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let form = match form {
        Ok(form) => form,
        Err(error) => return crate::error::page(&services, &error, reader),
    };
    let mut cookie = None;
    let opened = async {
        let alias = tabs::alias_of(form.field("alias"))?;
        let url = form_audit::url_to_follow(&form.visit.cx, form.field("url").unwrap_or_default().trim()).await?;
        let owner = match &form.visit.owner {
            Some(owner) => owner.clone(),
            None => {
                let (guest, token) = guests::admit(&form.visit.cx).await?;
                cookie = CookieKind::Guest.set(services.is_https(), &token);
                model::id::Owner::Guest(guest)
            }
        };
        tabs::open(&form.visit.cx, &owner, &url, alias).await
    };
    let opened = opened.await;
    let mut response = match opened {
        Ok(tab) if form.field("watch") == Some("on") => watched(&form, &tab, reader).await,
        Ok(tab) => redirect(&format!("/workspace/{}", tab.id), reader.lang),
        Err(error) => again(&form, error, reader).await,
    };
    response.headers_mut().extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    private(response)
}

/// Begins the watch of a page that was just followed; leads a guest to an account, which a watch needs.
async fn watched(form: &WorkspaceForm, tab: &Tab, reader: Reader) -> Response {
    if form.visit.is_guest() {
        return redirect(&format!("/conta/global/register?return_to={}", way_to_watch(&tab.id)), reader.lang);
    }
    let edit = watches::TabEdit { monitor: Some(true), ..watches::TabEdit::default() };
    match change(form, tab, edit).await {
        Ok(()) => redirect(&format!("/workspace/{}?done=alerts_on", tab.id), reader.lang),
        Err(error) => again(form, error, reader).await,
    }
}

/// The form again, with the error and the typed values.
async fn again(form: &WorkspaceForm, error: ServiceError, reader: Reader) -> Response {
    let Ok(mut space) = form.visit.space(None).await else {
        return crate::error::page(&form.visit.cx.services, &error, reader);
    };
    space.problem = Some(match error.code {
        Code::PaymentRequired => allowance::all_free_followed(&form.visit.cx.services, reader.lang),
        _ => crate::error::message(&error, reader.lang),
    });
    form.field("url").unwrap_or_default().clone_into(&mut space.typed);
    let page = EmptyPage { frame: form.visit.frame(), space, tab: None, view: "" };
    let mut response = html(status(&error), &page, reader.lang);
    if error.code.status() != StatusCode::BAD_REQUEST {
        of_error(response.headers_mut(), &error, form.visit.cx.services.is_https());
    }
    response
}

/// Audits the tab's page now, as `POST /api/tabs/:id/run` does. A browser is sent to the page that shows the stages, a
/// program waits.
pub(crate) async fn run(State(site): State<Site>, id: TabIdPath, request: Request) -> Response {
    let services = site.services().clone();
    let is_browser = wish(request.headers(), "text/html") > 0;
    let (parts, form) = WorkspaceForm::of(&services, request).await;
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let done = async {
        let form = form?;
        let (_, tab) = form.visit.tab(id).await?;
        let (cx, way_on) = (&form.visit.cx, format!("/workspace/{}?lang={}", tab.id, reader.lang.tag()));
        gate::admit_audit(&cx.services, cx.caller.network, cx.caller.is_crawler)?;
        let priced = site.audit_price()?;
        if !is_browser {
            gate::run_form_audit(cx, &priced, move |cx| async move { tabs::run(&cx, &tab).await }).await?;
            return Ok(way_on);
        }
        let id = AuditId(cx.services.ports().id());
        let asked = AskedAudit { id, typed: tab.url.clone(), attempt: None, way_on: way_on.clone() };
        let audit = running::answerable(form_audit::begin_run(cx.clone(), tab, priced, asked)?).await?;
        Ok(match audit.ending() {
            None => format!("{}?lang={}", running::path(&audit.id), reader.lang.tag()),
            Some(AuditEnding::Failed(error)) => return Err(error.as_ref().clone()),
            Some(AuditEnding::Stored | AuditEnding::Unkept(_)) => way_on,
        })
    };
    match done.await {
        Ok(place) => private(see_other(&place)),
        Err(error) => crate::error::page(&services, &error, reader),
    }
}

/// Saves the settings of the tab: those that were sent.
pub(crate) async fn save(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    on_tab(services, id, request, async |form, tab| {
        let tags = |typed: &str| tabs::tags_of(&typed.split(',').collect::<Vec<_>>());
        let address = form.field("monitor_email");
        let edit = watches::TabEdit {
            alias: form.field("alias").map(|alias| tabs::alias_of(Some(alias))).transpose()?,
            tags: form.field("tags").map(tags).transpose()?,
            note: form.field("note").map(|note| tabs::note_of(Some(note))).transpose()?,
            // A box that is not ticked sends nothing: the address beside it says that the form has one.
            monitor: address.map(|_| form.is_watched()),
            alert_email: address.map(|address| watches::alert_address(Some(address))).transpose()?,
            ..watches::TabEdit::default()
        };
        change(form, tab, edit).await?;
        Ok("/workspace/{id}/settings?done=saved")
    })
    .await
}

/// Puts a finding of the tab's page off, or ends that; back to the report that was shown, or to the settings.
pub(crate) async fn snooze(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    let (parts, form) = WorkspaceForm::of(&services, request).await;
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let done = async {
        let form = form?;
        let (owner, tab) = form.visit.tab(id).await?;
        let cx = &form.visit.cx;
        let [code, reason, until] = ["code", "reason", "until"].map(|name| form.field(name).unwrap_or_default());
        let done = match form.field("do") {
            Some("end") => snoozes::end(cx, owner, &tab, code).await,
            _ => snoozes::snooze(cx, owner, &tab, code, reason, until).await,
        };
        if let Err(error) = done {
            let refused = Some(([reason, until], &error));
            return snooze::shown(&form.visit, &tab, SnoozeForm { code, report: form.field("report"), refused }).await;
        }
        let report = form.field("report").and_then(|id| uuid::Uuid::try_parse(id).ok());
        Ok(see_other(&match report {
            Some(report) => format!("/reports/{report}?lang={}#findings", reader.lang.tag()),
            None => format!("/workspace/{}/settings?lang={}", tab.id, reader.lang.tag()),
        }))
    };
    match done.await {
        Ok(response) => private(response),
        Err(error) => crate::error::page(&services, &error, reader),
    }
}

/// Runs as many of the reader's pages as the free audits of today allow, one after another, and shows the list.
pub(crate) async fn run_all(State(site): State<Site>, request: Request) -> Response {
    let services = site.services().clone();
    let (parts, form) = WorkspaceForm::of(&services, request).await;
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let begun = async {
        let form = form?;
        let owner = form.visit.owner.as_ref().ok_or_else(|| ServiceError::new(Code::TabNotFound))?;
        let cx = &form.visit.cx;
        gate::admit_audit(&cx.services, cx.caller.network, cx.caller.is_crawler)?;
        let tabs = run_all::tabs_to_run(cx, owner).await?;
        form_audit::begin_runs(cx, tabs, &site.audit_price()?)
    };
    match begun.await {
        Ok(()) => private(redirect("/workspace", reader.lang)),
        Err(error) => crate::error::page(&services, &error, reader),
    }
}

/// Starts or ends the daily watch, and sets the address of its alerts.
pub(crate) async fn watch(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    on_tab(services, id, request, async |form, tab| {
        let begins = form.is_watched();
        let alert_email = Some(watches::alert_address(form.field("monitor_email"))?);
        change(form, tab, watches::TabEdit { monitor: Some(begins), alert_email, ..watches::TabEdit::default() })
            .await?;
        Ok(if begins { "/workspace/{id}?done=alerts_on" } else { "/workspace/{id}/settings?done=watch_saved" })
    })
    .await
}

async fn change(form: &WorkspaceForm, tab: &Tab, edit: watches::TabEdit) -> Result<(), ServiceError> {
    let owner = form.visit.owner.as_ref().ok_or_else(|| ServiceError::new(Code::TabNotFound))?;
    watches::change(&form.visit.cx, owner, tab, edit).await.map(drop)
}

/// Closes the tab.
pub(crate) async fn close(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    on_tab(services, id, request, async |form, tab| {
        let owner = form.visit.owner.as_ref().ok_or_else(|| ServiceError::new(Code::TabNotFound))?;
        tabs::close(&form.visit.cx.services, owner, &tab.id).await?;
        Ok("/workspace?done=page_closed")
    })
    .await
}
