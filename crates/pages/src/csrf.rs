//! CSRF tokens of forms that act for a session.

use api::caller::of_page_with;
use api::cookies::CookieKind;
use http::request::Parts;
use service::Services;
use service::caller::{Cx, Identity};
use service::error::ServiceError;

/// The CSRF token for the session of a request; `None` without a session. A request without a session cookie costs no
/// look-up.
pub(crate) async fn of_request(services: &Services, parts: &Parts) -> Option<String> {
    CookieKind::Session.read(services.is_https(), &parts.headers)?;
    let caller = of_page_with(services, parts, None).await.ok()?;
    let Identity::Session(_) = caller.identity else { return None };
    Some(services.vault().keys().ok()?.csrf(caller.binding()?))
}

/// The CSRF token for the session of a call; `None` for a guest, whose cookie other sites can't use.
pub(crate) fn of_call(cx: &Cx) -> Result<Option<String>, ServiceError> {
    match &cx.caller.identity {
        Identity::Session(_) => {
            let keys = cx.services.vault().keys()?;
            Ok(cx.caller.binding().map(|binding| keys.csrf(binding)))
        }
        _ => Ok(None),
    }
}
