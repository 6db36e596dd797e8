//! A request to a page of accounts: its caller, its form, and the cookies of the response.

use api::request::{BODY_BYTES, read_body};
use api::response::{of_error, status};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, header};
use model::lang::Lang;

use super::upload;
use crate::address::{came_from, is_own_path, tab_to_watch};
use crate::done::with_done;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, private};
use api::caller::{guard_form, of_page_with};
use api::cookies::CookieKind;
use service::Services;
use service::accounts::{OneTimeToken, session};
use service::caller::Cx;
use service::caller::Identity;
use service::credential::TokenKind;
use service::error::{Code, ServiceError};
use service::vault::Binding;

/// Parameters that stay when another language is chosen: the token of a mailed link, and the return path.
const KEPT: [&str; 2] = ["token", "return_to"];
/// Pages that a reader leaves for the page that they came from, once they are signed in.
const ENTRIES: [&str; 3] = ["/conta/global", "/conta/global/register", "/conta/passkey"];
/// Path of the page where an account claims what the guest of this browser owns.
pub(super) const CLAIM_PATH: &str = "/conta/claim";

/// A request, and the cookies of its response.
pub(super) struct AccountVisit {
    pub(super) cx: Cx,
    pub(super) reader: Reader,
    /// A form was sent.
    pub(super) is_sent: bool,
    /// Fields of the query and of the form; the form's go first.
    pub(super) fields: Vec<(String, String)>,
    /// The file of the form.
    pub(super) file: Option<Bytes>,
    /// The guest token in this browser's cookie.
    pub(super) guest: Option<String>,
    /// The page that an account asked for in this browser begins at.
    pub(super) begins_at: Option<String>,
    /// CSRF token of the forms on the page.
    pub(super) csrf: String,
    pub(super) cookies: Vec<HeaderValue>,
}

impl AccountVisit {
    /// Reads a request. A form must carry the CSRF token of this browser or session.
    async fn open(services: &Services, request: Request) -> Result<Self, Response> {
        let (parts, body) = request.into_parts();
        let reader = Reader::of(&parts.headers, parts.uri.query());
        Self::read(services, &parts, body, reader).await.map_err(|error| crate::error::page(services, &error, reader))
    }

    async fn read(services: &Services, parts: &Parts, body: Body, reader: Reader) -> Result<Self, ServiceError> {
        let keys = services.vault().keys()?;
        let mut cookies = Vec::new();
        let mut caller = match of_page_with(services, parts, None).await {
            // Pages that lead to signing in treat an ended session as no session.
            Err(error) if matches!(error.code, Code::SessionEnded | Code::InvalidSession) => {
                cookies.extend(CookieKind::Session.clear(services.is_https()));
                let mut parts = parts.clone();
                let bootstrap = CookieKind::Bootstrap.read(services.is_https(), &parts.headers);
                parts.headers.remove(header::COOKIE);
                let mut caller = of_page_with(services, &parts, None).await?;
                caller.bootstrap = bootstrap.filter(|value| service::credential::is_random_token(value));
                caller
            }
            caller => caller?,
        };
        if let Identity::Unverified(_) = caller.identity {
            return Err(ServiceError::new(Code::AuthUnavailable).retry_after(5));
        }
        let is_sent = parts.method == Method::POST;
        let query = url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
        let mut fields: Vec<(String, String)> = query.into_owned().collect();
        let begins_at = CookieKind::Return.read(services.is_https(), &parts.headers);
        let begins_at = begins_at.and_then(|value| decoded(&value));
        let guest = CookieKind::Guest.read(services.is_https(), &parts.headers);
        let guest = guest.filter(|token| TokenKind::Guest.fits(token));
        let has_return = fields.iter().any(|(name, _)| name == "return_to");
        if !is_sent && !has_return && ENTRIES.contains(&parts.uri.path()) {
            // A guest who asked for alerts by email and has an account may sign in by themselves, not by the link of the mail.
            let asked = begins_at.clone().filter(|path| guest.is_some() && tab_to_watch(path).is_some());
            let back = asked.or_else(|| came_from(&parts.headers));
            fields.extend(back.map(|path| ("return_to".to_owned(), path)));
        }
        let mut file = None;
        if is_sent {
            let form = match caller.identity {
                Identity::Session(_) if upload::is_announced(parts) => {
                    let sent = upload::read(services, parts, body).await?;
                    file = sent.file;
                    sent.fields
                }
                _ => {
                    let received = read_body(services, parts, body, BODY_BYTES).await?;
                    url::form_urlencoded::parse(&received.bytes).into_owned().collect()
                }
            };
            fields.splice(..0, form);
            let csrf = fields.iter().find(|(name, _)| name == "csrf").map(|(_, token)| token.clone());
            guard_form(services, &caller, &parts.headers, csrf.as_deref())?;
        }
        if caller.binding().is_none() {
            let secret = session::browser_secret(services);
            cookies.extend(CookieKind::Bootstrap.set(services.is_https(), &secret));
            caller.bootstrap = Some(secret);
        }
        let csrf = keys.csrf(caller.binding().unwrap_or(Binding::Browser("")));
        let cx = Cx::new(services, caller, reader.lang);
        Ok(Self { cx, reader, is_sent, fields, file, guest, begins_at, csrf, cookies })
    }

    /// A field; empty when it was not sent.
    pub(super) fn field(&self, wanted: &str) -> &str {
        self.fields.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value.as_str())
    }

    pub(super) fn is_signed_in(&self) -> bool {
        matches!(self.cx.caller.identity, Identity::Session(_))
    }

    pub(super) fn lang(&self) -> Lang {
        self.reader.lang
    }

    /// The frame of the page. It keeps [`KEPT`] from the form too, as the response to a form has no query.
    pub(super) fn frame(&self) -> Frame<'_> {
        let pairs = KEPT.map(|name| (name, self.field(name)));
        Frame::new(&self.cx.services, self.reader).keeping(pairs.into_iter().filter(|(_, value)| !value.is_empty()))
    }

    /// Sets the session cookie.
    pub(super) fn keep(&mut self, token: &OneTimeToken) {
        self.cookies.extend(CookieKind::Session.set(self.cx.services.is_https(), &token.text));
    }

    /// Deletes the session cookie.
    pub(super) fn forget(&mut self) {
        self.cookies.extend(CookieKind::Session.clear(self.cx.services.is_https()));
    }

    /// Deletes the guest cookie.
    pub(super) fn forget_guest(&mut self) {
        self.guest = None;
        self.cookies.extend(CookieKind::Guest.clear(self.cx.services.is_https()));
    }

    /// Remembers the page that the account begins at, until the link of the mail is opened.
    pub(super) fn keep_return(&mut self) {
        let services = &self.cx.services;
        let kept = match Some(self.field("return_to")).filter(|path| is_own_path(path)) {
            Some(path) => return_cookie(services, path),
            None => CookieKind::Return.clear(services.is_https()),
        };
        self.cookies.extend(kept);
    }

    /// Forgets it.
    pub(super) fn forget_return(&mut self) {
        self.cookies.extend(CookieKind::Return.clear(self.cx.services.is_https()));
    }

    /// Signs in with a session. Where the reader goes on is in the form by now.
    pub(super) fn begin_session(&mut self, token: &OneTimeToken) {
        self.keep(token);
        if self.begins_at.take().is_some() {
            self.forget_return();
        }
    }

    /// The path after signing in: through the claim page where the browser has a guest.
    pub(super) fn way_in(&self) -> String {
        self.way_in_to(self.field("return_to"))
    }

    /// The same to a page.
    pub(super) fn way_in_to(&self, path: &str) -> String {
        let way_on = way_on(path);
        if self.guest.is_some() { with_return(CLAIM_PATH, way_on) } else { way_on.to_owned() }
    }

    /// A page as the response.
    pub(super) fn page(&self, status: StatusCode, page: &impl askama::Template) -> Response {
        self.sealed(html(status, page, self.lang()))
    }

    /// A page with a form as the response: as it is, or refused.
    pub(super) fn form_page(&self, error: Option<&ServiceError>, page: &impl askama::Template) -> Response {
        let mut response = self.page(error.map_or(StatusCode::OK, status), page);
        if let Some(error) = error {
            of_error(response.headers_mut(), error, self.cx.services.is_https());
        }
        response
    }

    /// A path of ours in the reader's language.
    pub(super) fn in_lang(&self, path: &str) -> String {
        let mark = if path.contains('?') { '&' } else { '?' };
        format!("{path}{mark}lang={}", self.lang().tag())
    }

    /// Redirects to another page (303), so that a reload sends no form again.
    pub(super) fn lead(&self, path: &str) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SEE_OTHER;
        // Paths are our own, or were judged.
        if let Ok(place) = HeaderValue::from_str(&self.in_lang(path)) {
            response.headers_mut().insert(header::LOCATION, place);
        }
        self.sealed(response)
    }

    /// Redirects to another page, whose status line confirms what was done.
    pub(super) fn lead_after(&self, path: &str, done: &str) -> Response {
        self.lead(&with_done(path, done))
    }

    /// The error page as the response.
    pub(super) fn refuse(&self, error: &ServiceError) -> Response {
        self.sealed(crate::error::page(&self.cx.services, error, self.reader))
    }

    fn sealed(&self, response: Response) -> Response {
        let mut response = private(response);
        let headers = response.headers_mut();
        // The address of a page that a mail links to carries a token.
        let policy = if self.field("token").is_empty() { "same-origin" } else { "no-referrer" };
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static(policy));
        for cookie in &self.cookies {
            headers.append(header::SET_COOKIE, cookie.clone());
        }
        response
    }
}

/// Whether an error redirects: to sign in, or to reauthenticate.
pub(super) fn leads_away(error: &ServiceError) -> bool {
    matches!(error.code, Code::InvalidSession | Code::SessionEnded | Code::ReauthRequired)
}

/// The response to an error: a redirect to sign in or to reauthenticate, which leads back to `back`; else an error page.
pub(super) fn refused(visit: &AccountVisit, error: &ServiceError, back: &str) -> Response {
    match error.code {
        Code::InvalidSession | Code::SessionEnded => visit.lead(&with_return("/conta/global", back)),
        Code::ReauthRequired => visit.lead(&with_return("/conta/proof", back)),
        _ => visit.refuse(error),
    }
}

/// The cookie that remembers the page that an account begins at.
pub(crate) fn return_cookie(services: &Services, path: &str) -> Option<HeaderValue> {
    CookieKind::Return.set(services.is_https(), &encoded(path))
}

/// A path as the value of a cookie.
fn encoded(path: &str) -> String {
    URL_SAFE_NO_PAD.encode(path)
}

/// The path of such a value; `None` for what is none of ours.
fn decoded(value: &str) -> Option<String> {
    String::from_utf8(URL_SAFE_NO_PAD.decode(value).ok()?).ok().filter(|path| is_own_path(path))
}

/// A path with a `return_to` parameter.
pub(super) fn with_return(path: &str, back: &str) -> String {
    // An unescaped `&` of `back` would end the parameter.
    format!("{path}?return_to={}", back.replace('%', "%25").replace('&', "%26").replace('+', "%2B"))
}

/// A safe return path: `path` where it is one of this host, else the account page.
pub(super) fn way_on(path: &str) -> &str {
    if is_own_path(path) { path } else { "/conta" }
}

/// Opens a visit and answers it.
pub(super) async fn visit(
    services: Services,
    request: Request,
    answer: impl AsyncFnOnce(AccountVisit) -> Response,
) -> Response {
    match AccountVisit::open(&services, request).await {
        Ok(visit) => answer(visit).await,
        Err(refused) => refused,
    }
}

pub(super) type AppState = State<Services>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_leads_to_a_page_of_ours_only() {
        assert_eq!(decoded(&encoded("/reports/1?a=b;c")).as_deref(), Some("/reports/1?a=b;c"));
        for value in [encoded("//evil.example"), encoded("https://evil.example"), "?".to_owned(), String::new()] {
            assert_eq!(decoded(&value), None, "{value}");
        }
    }

    #[test]
    fn the_way_on_stays_here() {
        for (path, way) in [
            ("/workspace?x=1", "/workspace?x=1"),
            ("//evil.example", "/conta"),
            ("/\\evil.example", "/conta"),
            ("/a\\b", "/conta"),
            ("https://evil.example", "/conta"),
            ("/a b", "/conta"),
            ("", "/conta"),
        ] {
            assert_eq!(way_on(path), way, "{path}");
        }
    }
}
