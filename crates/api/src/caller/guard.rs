//! CSRF protection: a browser's write must come from a page of ours. A credential in a header proves that by itself, since
//! no other site can send one.

use http::{HeaderMap, HeaderName, header};
use model::lang::{Text, text};

use service::caller::{Caller, Identity, Unverified};
use service::credential::is_random_token;

use super::origin;
use crate::operation::{Access, Operation};
use service::Services;
use service::error::{Code, ServiceError};

/// The header that carries the id of a page view.
pub(crate) const CONTEXT: HeaderName = HeaderName::from_static("x-mm-context");

/// Guards a write of the API: with a session, or one that signs in or out.
pub(super) fn guard(
    services: &Services,
    operation: &Operation,
    caller: &Caller,
    headers: &HeaderMap,
) -> Result<(), ServiceError> {
    require_newest(caller)?;
    let is_signed_in = match &caller.identity {
        Identity::Session(_) => true,
        // What the session is bound to is not known, so nothing can be proven.
        Identity::Unverified(Unverified::Account)
            if !headers.contains_key(header::AUTHORIZATION) && !headers.contains_key("x-api-key") =>
        {
            return Err(ServiceError::new(Code::AuthUnavailable).retry_after(5));
        }
        _ => false,
    };
    if !is_signed_in && operation.access != Access::Browser {
        return Ok(());
    }
    origin::require_own(services, headers)?;
    let token = headers.get("x-csrf-token").and_then(|value| value.to_str().ok());
    require_csrf(services, caller, token)?;
    require_context(services, caller, headers)?;
    // JSON passes here also where a form is expected: the form reader refuses it with the same error for everybody.
    let taken: &[&str] =
        if operation.takes_form { &["multipart/form-data", "application/json"] } else { &["application/json"] };
    require_type(headers, taken)
}

/// Refuses a write with a token that was replaced a moment ago: it is good for reads in flight only. The cookie stays, as
/// the browser has the new one by now.
fn require_newest(caller: &Caller) -> Result<(), ServiceError> {
    match &caller.identity {
        Identity::Session(session) if session.is_rotated => Err(ServiceError::new(Code::SessionEnded)),
        _ => Ok(()),
    }
}

/// Judges a read that only pages of ours make: a browser that says otherwise is refused.
pub(super) fn guard_read(services: &Services, headers: &HeaderMap) -> Result<(), ServiceError> {
    origin::same_site(headers)?;
    if headers.contains_key(header::ORIGIN) {
        origin::require_own(services, headers)?;
    }
    let context = headers.get(CONTEXT).map(|context| context.to_str().unwrap_or_default());
    if context.is_some_and(|context| !is_random_token(context)) {
        let shape = text("X-MM-Context: is not valid", "X-MM-Context: não é válido");
        return Err(ServiceError::new(Code::InvalidRequest).explained(shape.into()));
    }
    Ok(())
}

/// Judges a form of a page, by the token in its hidden field.
pub fn guard_form(
    services: &Services,
    caller: &Caller,
    headers: &HeaderMap,
    token: Option<&str>,
) -> Result<(), ServiceError> {
    require_newest(caller)?;
    origin::require_own_page(services, headers)?;
    require_csrf(services, caller, token)
}

fn require_csrf(services: &Services, caller: &Caller, token: Option<&str>) -> Result<(), ServiceError> {
    let keys = services.vault().keys()?;
    let is_right = caller.binding().zip(token).is_some_and(|(binding, token)| keys.is_csrf(binding, token));
    if is_right { Ok(()) } else { Err(ServiceError::new(Code::InvalidCsrf)) }
}

/// A page view of another session is out of date: somebody signed in or out in another tab meanwhile.
fn require_context(services: &Services, caller: &Caller, headers: &HeaderMap) -> Result<(), ServiceError> {
    let Some(context) = headers.get(CONTEXT) else { return Ok(()) };
    let keys = services.vault().keys()?;
    let context = context.to_str().ok().zip(caller.binding());
    match context.and_then(|(context, binding)| keys.is_context(binding, context)) {
        Some(true) => Ok(()),
        _ => {
            let changed = text(
                "X-MM-Context: the session changed since this page was loaded",
                "X-MM-Context: a sessão mudou desde que esta página foi carregada",
            );
            Err(ServiceError::new(Code::InvalidCsrf).explained(changed.into()))
        }
    }
}

/// A form of another site can't say that it sends JSON. An operation that takes a file is sent a form itself: there the
/// token in a header has proven already that no other site sends it.
fn require_type(headers: &HeaderMap, taken: &[&'static str]) -> Result<(), ServiceError> {
    let media_type = headers.get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    let has_body = headers.contains_key(header::TRANSFER_ENCODING)
        || headers.get(header::CONTENT_LENGTH).is_some_and(|length| length != "0");
    let essence = |text: &str| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match media_type {
        Some(text) if taken.contains(&essence(text).as_str()) => Ok(()),
        None if !has_body => Ok(()),
        _ => {
            const WANTED: Text = text("content-type: must be {wanted}", "content-type: deve ser {wanted}");
            Err(ServiceError::new(Code::InvalidCsrf)
                .explained(WANTED.phrase(&[("wanted", taken.join(", ").as_str().into())])))
        }
    }
}
