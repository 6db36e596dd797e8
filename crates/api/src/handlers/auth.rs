//! Signing in and out, and what one does about one's own security: JSON twins of the pages below `/conta`.

mod entry;
mod recovery;
mod security;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderName, HeaderValue, header};
use schemars::JsonSchema;
use serde::Serialize;

use crate::caller::CONTEXT;
use crate::cookies::Cookie;
use crate::operation::{Accepted, Access, Json, Nothing, Operation};
use service::Services;
use service::accounts::{Token, session};
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::vault::Binding;

/// The endpoints of this file and of those below it.
pub(super) fn operations() -> Vec<Operation> {
    let own = vec![
        Operation::get("/api/auth/bootstrap", "bootstrap", bootstrap)
            .text(
                "Begin a page",
                "What a page of this site sends with its writes: `csrf` in the header `X-CSRF-Token`, `context` in \
                 `X-MM-Context`. The token is bound to the session or, before anybody is signed in, to a cookie that \
                 this call sets. Other sites can't read the answer.",
            )
            .access(Access::Browser)
            .without_tool()
            .unshared()
            .errors(&[Code::InvalidRequest, Code::InvalidOrigin, Code::AuthUnavailable]),
        Operation::post("/api/auth/logout", "sign_out", sign_out)
            .text(
                "Sign out",
                "Ends the session of this browser, and no other. Without one it is done already.\n\nExample: `{}`",
            )
            .access(Access::Browser)
            .without_tool(),
    ];
    [own, entry::operations(), recovery::operations(), security::operations()].into_iter().flatten().collect()
}

/// What pages send with their writes.
#[derive(Debug, Serialize, JsonSchema)]
struct Bootstrap {
    /// For `X-CSRF-Token`; stays the same for a session.
    csrf: String,
    /// For `X-MM-Context`; a new one for each page view. It grants nothing.
    context: String,
}

/// The tokens of a page view, and the cookie that they are bound to while nobody is signed in.
async fn bootstrap(cx: Cx, _: Nothing) -> Result<Json<Bootstrap>, ServiceError> {
    let (app, caller) = (&cx.services, &cx.caller);
    let keys = app.vault().keys()?;
    let made = URL_SAFE_NO_PAD.encode(app.ports().entropy.bytes());
    let bound = caller.binding();
    let binding = bound.unwrap_or(Binding::Browser(&made));
    let context = keys.context(binding, app.ports().entropy.bytes());
    let mut answer = Json::new(Bootstrap { csrf: keys.csrf(binding), context: context.clone() });
    if let Ok(context) = HeaderValue::from_str(&context) {
        answer = answer.header(CONTEXT, context);
    }
    let cookie = if bound.is_none() { Cookie::Bootstrap.set(app.is_https(), &made) } else { None };
    Ok(cookie.into_iter().fold(answer, |answer, cookie| answer.header(header::SET_COOKIE, cookie)))
}

/// Done.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Done {
    /// Always true; a failure is a status.
    ok: bool,
}

impl Done {
    /// It is.
    pub(super) const OK: Self = Self { ok: true };
}

/// A mail may be on its way.
#[derive(Debug, Serialize, JsonSchema)]
struct Sent {
    /// Always `sent`, whether there is an account or not.
    status: &'static str,
}

/// The one answer to who asks for a mail.
fn sent() -> Accepted<Sent> {
    Accepted(Sent { status: "sent" })
}

/// An answer with which a browser gets the token of its session.
pub(super) fn with_session<T>(app: &Services, answer: Json<T>, token: &Token) -> Json<T> {
    let cookie = Cookie::Session.set(app.is_https(), &token.text);
    cookie.into_iter().fold(answer, |answer, cookie| answer.header(header::SET_COOKIE, cookie))
}

/// An answer with which a browser forgets its session, and what it keeps of our pages.
pub(super) fn without_session<T>(app: &Services, answer: Json<T>) -> Json<T> {
    let all = HeaderValue::from_static("\"cache\", \"storage\"");
    let answer = answer.header(HeaderName::from_static("clear-site-data"), all);
    let cookie = Cookie::Session.clear(app.is_https());
    cookie.into_iter().fold(answer, |answer, cookie| answer.header(header::SET_COOKIE, cookie))
}

/// Ends the caller's session and takes its cookie back.
async fn sign_out(cx: Cx, _: Nothing) -> Result<Json<Done>, ServiceError> {
    session::sign_out(&cx).await?;
    Ok(without_session(&cx.services, Json::new(Done::OK)))
}
