//! Answers that the endpoints of accounts share, and the cookies that go with them.

use http::{HeaderName, HeaderValue, header};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cookies::Cookie;
use crate::operation::{Accepted, Json};
use service::Services;
use service::accounts::Token;

/// Done.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Done {
    /// Always true; a failure is a status.
    ok: bool,
}

impl Done {
    /// It is.
    pub(crate) const OK: Self = Self { ok: true };
}

/// A mail may be on its way.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Sent {
    /// Always `sent`, whether there is an account or not.
    status: &'static str,
}

/// The one answer to who asks for a mail.
pub(super) fn sent() -> Accepted<Sent> {
    Accepted(Sent { status: "sent" })
}

/// An answer with which a browser gets the token of its session.
pub(crate) fn with_session<T>(services: &Services, answer: Json<T>, token: &Token) -> Json<T> {
    let cookie = Cookie::Session.set(services.is_https(), &token.text);
    cookie.into_iter().fold(answer, |answer, cookie| answer.header(header::SET_COOKIE, cookie))
}

/// An answer with which a browser forgets its session, and what it keeps of our pages.
pub(crate) fn without_session<T>(services: &Services, answer: Json<T>) -> Json<T> {
    let all = HeaderValue::from_static("\"cache\", \"storage\"");
    let answer = answer.header(HeaderName::from_static("clear-site-data"), all);
    let cookie = Cookie::Session.clear(services.is_https());
    cookie.into_iter().fold(answer, |answer, cookie| answer.header(header::SET_COOKIE, cookie))
}
