//! The credit that a browser keeps: its token is entered once, and pays for audits of pages where no free one is left. It is in
//! a cookie that no script reads, and no page shows more of it than its end.

use api::caller::{of_reader, same_origin};
use api::cookies::CookieKind;
use api::request::{BODY_BYTES, Received, read_body};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, header};
use service::Services;
use service::caller::Caller;
use service::error::ServiceError;

use super::{CreditPage, page, problem, refused};
use crate::address::is_own_path;
use crate::error;
use crate::reader::Reader;
use crate::response::{private, see_other};

/// Path of the form.
pub(crate) const PATH: &str = "/credit/browser";
/// Letters of a token that are shown.
const SHOWN: usize = 4;

/// The field for a credit, beside a price.
#[derive(Debug, Clone)]
pub(crate) struct CreditField {
    /// The end of the token that the browser keeps; `None` where it keeps none.
    pub(crate) kept: Option<String>,
    /// The path that the form leads back to.
    pub(crate) back: String,
    /// The field is there to be filled in at once: a payment was just asked for, or the token was refused.
    pub(crate) is_open: bool,
    /// Why the token was refused.
    pub(crate) problem: Option<String>,
}

impl CreditField {
    /// The field on the page at a path; `None` where nothing is charged.
    pub(crate) fn of(services: &Services, parts: &Parts, back: &str) -> Option<Self> {
        Self::of_caller(services, &of_reader(services, parts), back)
    }

    /// The same of a caller who is known.
    pub(crate) fn of_caller(services: &Services, caller: &Caller, back: &str) -> Option<Self> {
        let end = |token: &String| token.chars().skip(token.chars().count().saturating_sub(SHOWN)).collect();
        let kept = caller.credit.as_ref().map(end);
        services.payments().is_live().then(|| Self { kept, back: back.to_owned(), is_open: false, problem: None })
    }

    /// Whether the browser keeps a credit.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }
}

/// Keeps the credit of the token that was entered, or removes the one that is kept, and leads back. A token that is refused is
/// asked for again, by a form that leads back to the same place.
pub(crate) async fn keep(State(services): State<Services>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let received = match received(&services, &parts, body).await {
        Ok(received) => received,
        Err(error) => return error::page(&services, &error, reader),
    };
    let field = |wanted: &str| {
        let mut fields = url::form_urlencoded::parse(&received.bytes);
        fields.find(|(name, _)| name == wanted).map(|(_, value)| value.trim().to_owned())
    };
    let back = field("back").filter(|path| is_own_path(path)).unwrap_or_else(|| super::PATH.to_owned());
    let kept = match field("do").as_deref() {
        Some("remove") => Ok(CookieKind::Credit.clear(services.is_https())),
        _ => kept(&services, &field("token").unwrap_or_default()).await,
    };
    match kept {
        Ok(cookie) => {
            let mark = if back.contains('?') { '&' } else { '?' };
            let mut response = private(see_other(&format!("{back}{mark}lang={}", reader.lang.tag())));
            response.headers_mut().extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
            response
        }
        Err(error) => {
            let (page, problem) = (page(&services, &parts, reader), Some(problem(&error, reader.lang)));
            let page = match page.credit {
                Some(_) => {
                    CreditPage { credit: Some(CreditField { kept: None, back, is_open: true, problem }), ..page }
                }
                // Where nothing is charged, there is no field for a credit.
                None => CreditPage { problem, ..page },
            };
            refused(&services, reader, &page, &error)
        }
    }
}

async fn received(services: &Services, parts: &Parts, body: Body) -> Result<Received, ServiceError> {
    same_origin(services, parts)?;
    read_body(services, parts, body, BODY_BYTES).await
}

/// The cookie that keeps a credit. A mistyped token is told now, not when it is to pay.
async fn kept(services: &Services, token: &str) -> Result<Option<HeaderValue>, ServiceError> {
    service::credit::statement_of_token(services, token).await?;
    Ok(CookieKind::Credit.set(services.is_https(), token))
}
