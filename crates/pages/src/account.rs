//! Pages of accounts: plain forms that work without a script, each the twin of a call below `/api/auth/`.

mod avatar;
mod claim;
mod entry;
mod events;
mod form;
mod home;
mod keys;
mod organizations;
mod passkeys;
mod upload;

use api::request::{BODY_BYTES, read_body};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, header};
use model::lang::Lang;

use super::{Frame, Reader, assets, guest_cookie, html, is_own_path, private};
use api::caller::{guard_form, of_page};
use api::cookies::Cookie;
use api::site::Site;
use service::Services;
use service::accounts::Token;
use service::caller::Cx;
use service::caller::Identity;
use service::credential::TokenKind;
use service::error::{Code, ServiceError};
use service::vault::Binding;

/// Parameters that a page is nothing without: the token of a mail's link, and where to go on. They stay when another
/// language is chosen.
const KEPT: [&str; 2] = ["token", "return_to"];

/// Routes of these pages.
pub(super) fn router() -> Router<Site> {
    Router::new()
        .route("/conta/global", get(entry::sign_in).post(entry::sign_in))
        .route("/conta/global/factor", get(entry::factor).post(entry::factor))
        .route("/conta/global/register", get(entry::register).post(entry::register))
        .route("/conta/global/complete", get(entry::complete).post(entry::complete))
        .route("/conta/global/reset", get(entry::reset).post(entry::reset))
        .route("/conta/global/password", get(entry::new_password).post(entry::new_password))
        .route("/conta/global/email", get(entry::confirm_email).post(entry::confirm_email))
        .route("/conta/global/undo", get(entry::undo_email).post(entry::undo_email))
        .route("/conta", get(home::show))
        .route("/conta/profile", get(home::profile).post(home::profile))
        .route("/conta/avatar", get(avatar::show).post(avatar::show))
        .route("/conta/avatar/remove", get(avatar::remove).post(avatar::remove))
        .route(claim::PATH, get(claim::show).post(claim::show))
        .route("/conta/proof", get(home::proof).post(home::proof))
        .route("/conta/password", get(home::password).post(home::password))
        .route("/conta/email", get(home::email).post(home::email))
        .route("/conta/factor", get(home::factor).post(home::factor))
        .route("/conta/factor/remove", get(home::remove_factor).post(home::remove_factor))
        .route("/conta/recovery-codes", get(home::recovery_codes).post(home::recovery_codes))
        .route("/conta/sessions/end", get(home::end_session).post(home::end_session))
        .route("/conta/sessions/end-all", get(home::end_all).post(home::end_all))
        .route("/conta/keys", get(keys::show).post(keys::show))
        .route("/conta/keys/revoke", get(keys::revoke).post(keys::revoke))
        .route("/conta/passkey", get(passkeys::sign_in))
        .route("/conta/passkeys", get(passkeys::show))
        .route("/conta/passkeys/remove", get(passkeys::remove).post(passkeys::remove))
        .route("/conta/organizations", get(organizations::list).post(organizations::list))
        .route("/conta/organizations/{id}", get(organizations::one).post(organizations::one))
        .route("/conta/invitation", get(organizations::invitation).post(organizations::invitation))
        .route("/conta/delete", get(home::delete).post(home::delete))
        .route(assets::PASSKEYS_PATH, get(assets::passkeys))
        .route("/conta/out", get(home::sign_out).post(home::sign_out))
}

/// A request of a page, and what its answer has to carry.
struct Visit {
    cx: Cx,
    reader: Reader,
    /// A form was sent.
    is_sent: bool,
    /// Fields of the query and of the form; the form's go first.
    fields: Vec<(String, String)>,
    /// The file of the form.
    file: Option<Bytes>,
    /// The token of the guest that this browser was, or is beside the account.
    guest: Option<String>,
    /// Proves that a form is of this page.
    csrf: String,
    cookies: Vec<HeaderValue>,
}

impl Visit {
    /// Reads a request. A form must have been made for this very browser or session.
    async fn open(app: &Services, request: Request) -> Result<Self, Response> {
        let (parts, body) = request.into_parts();
        let reader = Reader::of(&parts.headers, parts.uri.query());
        Self::read(app, &parts, body, reader).await.map_err(|error| super::error::page(app, &error, reader))
    }

    async fn read(app: &Services, parts: &Parts, body: Body, reader: Reader) -> Result<Self, ServiceError> {
        let keys = app.vault().keys()?;
        let mut cookies = Vec::new();
        let mut caller = match of_page(app, parts, None).await {
            // Somebody whose session is over is nobody here, where one signs in.
            Err(error) if matches!(error.code, Code::SessionEnded | Code::InvalidSession) => {
                cookies.extend(Cookie::Session.clear(app.is_https()));
                let mut parts = parts.clone();
                let kept = Cookie::Bootstrap.read(app.is_https(), &parts.headers);
                parts.headers.remove(header::COOKIE);
                let mut caller = of_page(app, &parts, None).await?;
                caller.bootstrap = kept.filter(|value| service::credential::is_random_token(value));
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
        let mut file = None;
        if is_sent {
            let form = match caller.identity {
                Identity::Session(_) if upload::is_announced(parts) => {
                    let sent = upload::read(app, parts, body).await?;
                    file = sent.file;
                    sent.fields
                }
                _ => {
                    let received = read_body(app, parts, body, BODY_BYTES).await?;
                    url::form_urlencoded::parse(&received.bytes).into_owned().collect()
                }
            };
            fields.splice(..0, form);
            let csrf = fields.iter().find(|(name, _)| name == "csrf").map(|(_, token)| token.clone());
            guard_form(app, &caller, &parts.headers, csrf.as_deref())?;
        }
        if caller.binding().is_none() {
            let made = URL_SAFE_NO_PAD.encode(app.ports().entropy.bytes());
            cookies.extend(Cookie::Bootstrap.set(app.is_https(), &made));
            caller.bootstrap = Some(made);
        }
        let csrf = keys.csrf(caller.binding().unwrap_or(Binding::Browser("")));
        let guest = guest_cookie::read(app, &parts.headers).filter(|token| TokenKind::Guest.fits(token));
        Ok(Self { cx: Cx::new(app, caller, reader.lang), reader, is_sent, fields, file, guest, csrf, cookies })
    }

    /// A field; empty when it was not sent.
    fn field(&self, wanted: &str) -> &str {
        self.fields.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value.as_str())
    }

    fn is_signed_in(&self) -> bool {
        matches!(self.cx.caller.identity, Identity::Session(_))
    }

    fn lang(&self) -> Lang {
        self.reader.lang
    }

    /// What was sent in a form is kept too, as its answer has another address than the page before.
    fn frame(&self) -> Frame<'_> {
        let kept = KEPT.map(|name| (name, self.field(name)));
        Frame::new(&self.cx.services, self.reader).keeping(kept.into_iter().filter(|(_, value)| !value.is_empty()))
    }

    /// The session's cookie goes along with the answer.
    fn keep(&mut self, token: &Token) {
        self.cookies.extend(Cookie::Session.set(self.cx.services.is_https(), &token.text));
    }

    /// The browser forgets its session.
    fn forget(&mut self) {
        self.cookies.extend(Cookie::Session.clear(self.cx.services.is_https()));
    }

    /// The browser forgets the guest that it was.
    fn forget_guest(&mut self) {
        self.cookies.extend(guest_cookie::clear(&self.cx.services));
    }

    /// Where to go on from signing in: by way of what the guest of this browser has, if it was one.
    fn way_in(&self) -> String {
        let way_on = way_on(self.field("return_to"));
        if self.guest.is_some() { with_return(claim::PATH, way_on) } else { way_on.to_owned() }
    }

    /// A page as the answer.
    fn page(&self, status: StatusCode, page: &impl askama::Template) -> Response {
        self.sealed(html(status, page, self.lang()))
    }

    /// A path of ours in the reader's language.
    fn in_lang(&self, path: &str) -> String {
        let mark = if path.contains('?') { '&' } else { '?' };
        format!("{path}{mark}lang={}", self.lang().tag())
    }

    /// Leads to another page, so that a reload does nothing twice.
    fn lead(&self, path: &str) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SEE_OTHER;
        // Paths are our own, or were judged.
        if let Ok(place) = HeaderValue::from_str(&self.in_lang(path)) {
            response.headers_mut().insert(header::LOCATION, place);
        }
        self.sealed(response)
    }

    /// A refusal as the answer.
    fn refuse(&self, error: &ServiceError) -> Response {
        self.sealed(super::error::page(&self.cx.services, error, self.reader))
    }

    fn sealed(&self, response: Response) -> Response {
        let mut response = private(response);
        let headers = response.headers_mut();
        // Links of mails carry tokens, which no other site may see. `no-referrer` would make browsers send `Origin: null`
        // with the forms (Fetch standard, "append a request Origin header"), by which they could not be told from others'.
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        for cookie in &self.cookies {
            headers.append(header::SET_COOKIE, cookie.clone());
        }
        response
    }
}

/// What a form has to carry that acts for a session; `None` without one. Who is not signed in costs no look-up.
pub(super) async fn csrf(app: &Services, parts: &Parts) -> Option<String> {
    Cookie::Session.read(app.is_https(), &parts.headers)?;
    let caller = of_page(app, parts, None).await.ok()?;
    let Identity::Session(_) = caller.identity else { return None };
    Some(app.vault().keys().ok()?.csrf(caller.binding()?))
}

/// Whether a refusal leads elsewhere: to signing in, or to a fresh proof.
fn leads_away(error: &ServiceError) -> bool {
    matches!(error.code, Code::InvalidSession | Code::SessionEnded | Code::ReauthRequired)
}

/// What a refusal leads to: a sign-in, a fresh proof, both and back to a path of ours, or a page of its own.
fn refused(visit: &Visit, error: &ServiceError, back: &str) -> Response {
    match error.code {
        Code::InvalidSession | Code::SessionEnded => visit.lead(&with_return("/conta/global", back)),
        Code::ReauthRequired => visit.lead(&with_return("/conta/proof", back)),
        _ => visit.refuse(error),
    }
}

/// A path of ours that leads on to another one in the end.
fn with_return(path: &str, back: &str) -> String {
    // A `&` of the other one's would end it.
    format!("{path}?return_to={}", back.replace('%', "%25").replace('&', "%26").replace('+', "%2B"))
}

/// Where to go on after signing in: a path of ours, else the account.
fn way_on(asked: &str) -> &str {
    if is_own_path(asked) { asked } else { "/conta" }
}

/// Opens a visit and answers it.
async fn visit(app: Services, request: Request, answer: impl AsyncFnOnce(Visit) -> Response) -> Response {
    match Visit::open(&app, request).await {
        Ok(visit) => answer(visit).await,
        Err(refused) => refused,
    }
}

type AppState = State<Services>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_on_stays_here() {
        for (asked, way) in [
            ("/workspace?x=1", "/workspace?x=1"),
            ("//evil.example", "/conta"),
            ("/\\evil.example", "/conta"),
            ("/a\\b", "/conta"),
            ("https://evil.example", "/conta"),
            ("/a b", "/conta"),
            ("", "/conta"),
        ] {
            assert_eq!(way_on(asked), way, "{asked}");
        }
    }
}
