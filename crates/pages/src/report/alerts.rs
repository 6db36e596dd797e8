//! The form of a report by which a reader without an account asks for alerts: it follows the page and asks for an account. The
//! link of the mail makes the account, or signs in to it, follows the page and turns the alerts on
//! (`crates/pages/src/account/alerts.rs`).

use api::caller::{guard_form, same_origin};
use api::request::{BODY_BYTES, read_body};
use api::response::{of_error, status};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderValue, header};
use model::id::Owner;
use service::Services;
use service::accounts::entry;
use service::caller::{Cx, Identity};
use service::error::ServiceError;
use service::{audits, tabs};

use super::lookup::{ReportIdPath, made, owned_by_caller};
use super::shown::RefusedAlerts;
use super::{field, found, page};
use crate::account::return_cookie;
use crate::address::way_to_watch;
use crate::error;
use crate::reader::Reader;
use crate::response::{private, see_other};

/// What the form asks for, and who sent it.
struct AlertRequest {
    cx: Cx,
    owner: Owner,
    id: String,
    /// The audited page, as it was asked for.
    url: String,
    /// As it was typed.
    email: String,
    /// The reader has an account, and wants to sign in.
    has_account: bool,
}

impl AlertRequest {
    /// Follows the page, and sends the link; the path that the reader is led to, and the cookie that remembers the page.
    async fn begin(&self) -> Result<(String, Option<HeaderValue>), ServiceError> {
        let (cx, lang) = (&self.cx, self.cx.lang.tag());
        let Owner::Guest(_) = self.owner else {
            // Signed in since the form was shown: the report has a button for it now.
            return Ok((format!("/reports/{}?lang={lang}", self.id), None));
        };
        let url = tabs::page_of(&cx.services, &self.url)?;
        let follow = async || tabs::open(cx, &self.owner, &url, None).await;
        if self.has_account {
            let way_on = way_to_watch(&follow().await?.id);
            return Ok((format!("/conta/global?return_to={way_on}&lang={lang}"), None));
        }
        // No mail is sent where the page can't be followed, and no page is followed where no mail can be sent.
        if !tabs::is_free(cx, &url).await? {
            follow().await?;
        }
        entry::register(cx, &self.email, Some(&url)).await?;
        let way_on = way_to_watch(&follow().await?.id);
        let place = format!("/reports/{}?done=alerts_sent&lang={lang}", self.id);
        Ok((place, return_cookie(&cx.services, &way_on)))
    }
}

/// Does what the form asks for, and leads back to the report; shows the report again where it is refused, with what was typed.
pub(crate) async fn submit(State(services): State<Services>, id: ReportIdPath, request: Request) -> Response {
    let query = request.uri().query().map(str::to_owned);
    let reader = Reader::of(request.headers(), query.as_deref());
    let (parts, body) = request.into_parts();
    let received = async {
        same_origin(&services, &parts)?;
        let received = read_body(&services, &parts, body, BODY_BYTES).await?;
        let (cx, owner, id) = owned_by_caller(&services, &parts, id, reader.lang).await?;
        let field = |name| field(&received.bytes, name).unwrap_or_default();
        if let Identity::Session(_) = cx.caller.identity {
            guard_form(&services, &cx.caller, &parts.headers, Some(&field("csrf")))?;
        }
        let head = audits::readable_head(&cx, &owner, id).await?.head;
        let has_account = field("do") == "sign_in";
        Ok(AlertRequest { cx, owner, id: head.id.0, url: head.requested_url, email: field("email"), has_account })
    };
    let asked = match received.await {
        Ok(asked) => asked,
        Err(error) => return error::page(&services, &error, reader),
    };
    let error = match asked.begin().await {
        Ok((place, cookie)) => {
            let mut response = private(see_other(&place));
            response.headers_mut().extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
            return response;
        }
        Err(error) => error,
    };
    let refused = RefusedAlerts { typed: asked.email, error };
    let found = found(&services, &parts, Ok(Path(asked.id)), reader.lang).await;
    made(services, reader, found, move |services, reader, found| {
        match page(services, reader, found, query.as_deref(), Some(&refused)) {
            Ok(mut page) => {
                *page.status_mut() = status(&refused.error);
                of_error(page.headers_mut(), &refused.error, services.is_https());
                private(page)
            }
            Err(error) => error::page(services, &error, reader),
        }
    })
    .await
}
