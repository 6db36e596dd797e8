//! The cookie that holds a guest's token, for pages only. `/api/*` never looks at it, so no other site can use it there.

use http::{HeaderMap, HeaderValue};

use api::cookies::cookie;
use service::Services;

/// 13 months, as long as a guest's audits are kept after a visit.
const SECONDS: u32 = 396 * 86_400;

/// Its name. The prefix makes browsers keep it to this host and to https; over plain http they would refuse it.
fn name(services: &Services) -> &'static str {
    if services.is_https() { "__Host-mm-guest" } else { "mm-guest" }
}

/// The guest token that a page request carries.
pub(super) fn read(services: &Services, headers: &HeaderMap) -> Option<String> {
    cookie(headers, name(services))
}

/// The header that stores a token.
pub(super) fn set(services: &Services, token: &str) -> Option<HeaderValue> {
    written(services, token, SECONDS)
}

/// The header that deletes the cookie.
pub(super) fn clear(services: &Services) -> Option<HeaderValue> {
    written(services, "", 0)
}

fn written(services: &Services, token: &str, seconds: u32) -> Option<HeaderValue> {
    let secure = if services.is_https() { "; Secure" } else { "" };
    let text = format!("{}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}", name(services));
    HeaderValue::from_str(&text).ok()
}
