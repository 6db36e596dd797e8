//! The one place where a credential becomes an identity: a session's cookie, else an API key, else a guest token.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::request::Parts;
use store::FoundSession;
use subtle::ConstantTimeEq as _;

use super::renewal::Renewal;
use super::{Caller, Cookie, Identity, SESSION_SECONDS, Sent, Unverified, guard, guest_token, sent, token_digest};
use crate::app::App;
use crate::database::Trouble;
use crate::error::{ApiError, Code};
use crate::gate::{self, Incoming};
use crate::operation::{Access, Operation};
use crate::web;

/// Between two notes that a session or key was used, in milliseconds (`interface.md` 4.7: hourly).
const NOTED_EVERY_MS: i64 = 3_600_000;

/// The caller of an operation, once its access is granted and, for a browser's write, once it is proven that a page of
/// ours made it. `body_token`: a guest token in the body.
pub(crate) async fn of_call(
    app: &App,
    operation: &Operation,
    incoming: &Incoming<'_>,
    body_token: Option<&str>,
) -> Result<Caller, ApiError> {
    let headers = incoming.headers;
    let mut caller = Caller {
        is_crawler: gate::is_crawler(app, headers),
        bootstrap: Cookie::Bootstrap.read(app, headers).filter(|value| is_random_token(value)),
        ..Caller::unknown(incoming.network, headers)
    };
    let mut sent = sent(headers, incoming.query_token)?;
    caller.credit = sent.credit.take();
    caller.is_operator = is_operator(app, &sent)?;
    let cookie = Cookie::Session.read(app, headers);
    if cookie.is_none() && sent.key.is_none() {
        // Beside a session or a key, a token in the body is what the call is about.
        sent.guest = guest_token(sent.guest, body_token)?;
    }
    caller = match identified(app, caller.clone(), cookie, sent).await {
        // What signs somebody in, or out, is for those whose session is over too.
        Err(error) if operation.access == Access::Browser && is_over(&error) => {
            Caller { renewed: Cookie::Session.clear(app), ..caller }
        }
        identified => identified?,
    };
    match operation.access {
        _ if operation.writes() => guard::guard(app, operation, &caller, headers)?,
        Access::Browser => guard::guard_read(app, headers)?,
        _ => {}
    }
    match operation.access {
        // A credit is looked up after the identity, beside which it may come.
        Access::Open | Access::Credit => {}
        Access::Browser => {
            if caller.identity == Identity::Unverified(Unverified::Account) {
                return Err(ApiError::new(Code::AuthUnavailable).retry_after(5));
            }
        }
        Access::Owner => drop(caller.required_owner()?),
        Access::Session => drop(caller.required_session()?),
        Access::Operator => required_operator(app, &caller)?,
    }
    Ok(caller)
}

/// The reader of a page: a session, else the guest of `guest`, the cookie that only pages look at. A guest's cookie
/// whose guest is gone is no credential that somebody sent on purpose: nobody's.
pub(crate) async fn of_page(app: &App, parts: &Parts, guest: Option<String>) -> Result<Caller, ApiError> {
    let headers = &parts.headers;
    let caller = Caller {
        is_crawler: gate::is_crawler(app, headers),
        bootstrap: Cookie::Bootstrap.read(app, headers).filter(|value| is_random_token(value)),
        ..Caller::unknown(web::client(app, &parts.extensions, headers), headers)
    };
    let cookie = Cookie::Session.read(app, headers);
    let mut caller = match identified(app, caller.clone(), cookie, Sent { guest, ..Sent::default() }).await {
        Err(error) if error.code == Code::GuestTokenInvalid => caller,
        identified => identified?,
    };
    if let (Some(renewal), Some(cookie)) = (parts.extensions.get::<Renewal>(), caller.renewed.take()) {
        renewal.leave(cookie);
    }
    Ok(caller)
}

/// Whether a refusal is that of a session which is over.
fn is_over(error: &ApiError) -> bool {
    matches!(error.code, Code::InvalidSession | Code::SessionEnded)
}

async fn identified(app: &App, caller: Caller, cookie: Option<String>, sent: Sent) -> Result<Caller, ApiError> {
    if let Some(token) = cookie {
        session(app, caller, &token).await
    } else if let Some(token) = sent.key {
        Ok(Caller { identity: key(app, &token).await?, ..caller })
    } else if let Some(token) = sent.guest {
        Ok(Caller { identity: guest(app, &token).await?, ..caller })
    } else {
        Ok(caller)
    }
}

/// Whose session it is. One that is over is refused, and its cookie taken back; it never becomes a guest or nobody.
async fn session(app: &App, caller: Caller, token: &str) -> Result<Caller, ApiError> {
    let unverified = Identity::Unverified(Unverified::Account);
    if app.accounts().off().is_some() {
        return Ok(Caller { identity: unverified, ..caller });
    }
    let refused = |code| {
        let clear = Cookie::Session.clear(app).map(|cookie| (http::header::SET_COOKIE, cookie));
        clear.into_iter().fold(ApiError::new(code), |error, (name, value)| error.header(name, value))
    };
    if !is_random_token(token) {
        return Err(refused(Code::InvalidSession));
    }
    let (digest, now) = (token_digest(token), app.ports().now());
    let session = match app.database().ask(|store| store.session_by_digest(&digest, now)).await {
        Ok(FoundSession::Live(session)) => session,
        Ok(FoundSession::Ended) => return Err(refused(Code::SessionEnded)),
        Ok(FoundSession::Unknown) | Err(Trouble::NotFound) => return Err(refused(Code::InvalidSession)),
        Err(Trouble::Down) => return Ok(Caller { identity: unverified, ..caller }),
        Err(Trouble::Defect) => return Err(ApiError::new(Code::Internal)),
    };
    let mut renewed = None;
    if !session.is_rotated && now >= session.last_seen_at.plus_ms(NOTED_EVERY_MS) {
        let idle_expires_at = now.plus_ms(i64::from(SESSION_SECONDS) * 1000);
        let id = session.id.clone();
        app.database().later(move |store| async move { store.touch_session(&id, now, idle_expires_at).await });
        renewed = Cookie::Session.set(app, token);
    }
    Ok(Caller { identity: Identity::Session(Box::new(session)), renewed, ..caller })
}

/// Whose key it is.
async fn key(app: &App, token: &str) -> Result<Identity, ApiError> {
    let (digest, now) = (token_digest(token), app.ports().now());
    match app.database().ask(|store| store.key_by_digest(&digest, &app.config().product.id)).await {
        Ok(Some(key)) => {
            if key.last_used_at.is_none_or(|at| now >= at.plus_ms(NOTED_EVERY_MS)) {
                let id = key.id.clone();
                app.database().later(move |store| async move { store.touch_key(&id, now).await });
            }
            Ok(Identity::Key(Box::new(key)))
        }
        Ok(None) | Err(Trouble::NotFound) => Err(ApiError::new(Code::InvalidApiKey)),
        Err(Trouble::Down) => Ok(Identity::Unverified(Unverified::Account)),
        Err(Trouble::Defect) => Err(ApiError::new(Code::Internal)),
    }
}

/// Whose guest token it is.
async fn guest(app: &App, token: &str) -> Result<Identity, ApiError> {
    let (digest, now) = (token_digest(token), app.ports().now());
    match app.database().ask(|store| store.guest_by_digest(&digest, now)).await {
        Ok(Some(id)) => Ok(Identity::Guest(id)),
        Ok(None) | Err(Trouble::NotFound) => Err(ApiError::new(Code::GuestTokenInvalid)),
        Err(Trouble::Down) => Ok(Identity::Unverified(Unverified::Guest)),
        Err(Trouble::Defect) => Err(ApiError::new(Code::Internal)),
    }
}

/// Whether the operator's token was sent; a bearer token that is nothing else is refused.
fn is_operator(app: &App, sent: &Sent) -> Result<bool, ApiError> {
    let Some(token) = &sent.operator else { return Ok(false) };
    let is_right = match app.operator_digest() {
        Some(digest) => bool::from(digest.ct_eq(&token_digest(token))),
        None => false,
    };
    if is_right { Ok(true) } else { Err(ApiError::new(Code::InvalidCredential)) }
}

fn required_operator(app: &App, caller: &Caller) -> Result<(), ApiError> {
    match (app.operator_digest(), caller.is_operator) {
        (Some(_), true) => Ok(()),
        (Some(_), false) => Err(ApiError::new(Code::OperatorTokenRequired)),
        (None, _) => Err(ApiError::new(Code::OperatorUnavailable)),
    }
}

/// Whether a text can be one of our random tokens: 32 bytes in base64url.
pub(crate) fn is_random_token(text: &str) -> bool {
    URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == 32)
}
