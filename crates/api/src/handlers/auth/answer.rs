//! Responses shared by the endpoints of accounts, with their cookies.

use http::{HeaderName, HeaderValue, header};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cookies::CookieKind;
use crate::operation::{Accepted, JsonAnswer};
use service::Services;
use service::accounts::OneTimeToken;

/// Success.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Done {
    /// Always true; a failure is a status.
    ok: bool,
}

impl Done {
    /// It is.
    pub(crate) const OK: Self = Self { ok: true };
}

/// The request was accepted; an email may follow.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Sent {
    /// Always `sent`, whether the account exists or not.
    status: &'static str,
}

/// The response to a request for a mail, the same for every address, so that it reveals no account.
pub(super) fn sent() -> Accepted<Sent> {
    Accepted(Sent { status: "sent" })
}

/// Adds the session cookie.
pub(crate) fn with_session<T>(services: &Services, answer: JsonAnswer<T>, token: &OneTimeToken) -> JsonAnswer<T> {
    let cookie = CookieKind::Session.set(services.is_https(), &token.text);
    cookie.into_iter().fold(answer, |answer, cookie| answer.header(header::SET_COOKIE, cookie))
}

/// Deletes the session cookie, and clears the site's cache and storage (`Clear-Site-Data`).
pub(crate) fn without_session<T>(services: &Services, answer: JsonAnswer<T>) -> JsonAnswer<T> {
    let all = HeaderValue::from_static("\"cache\", \"storage\"");
    let answer = answer.header(HeaderName::from_static("clear-site-data"), all);
    let cookie = CookieKind::Session.clear(services.is_https());
    cookie.into_iter().fold(answer, |answer, cookie| answer.header(header::SET_COOKIE, cookie))
}
