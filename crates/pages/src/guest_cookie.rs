//! The cookie that holds a guest's token, for pages only. `/api/*` never looks at it, so no other site can use it there.

use http::{HeaderMap, HeaderValue};

use api::cookies::cookie;
use service::Services;

/// 13 months, as long as a guest's audits are kept after a visit.
const SECONDS: u32 = 396 * 86_400;

/// Its name. The prefix makes browsers keep it to this host and to https; over plain http they would refuse it.
fn name(app: &Services) -> &'static str {
    if app.is_https() { "__Host-mm-guest" } else { "mm-guest" }
}

/// The guest token that a page request carries.
pub(super) fn read(app: &Services, headers: &HeaderMap) -> Option<String> {
    cookie(headers, name(app))
}

/// The header that keeps a token.
pub(super) fn set(app: &Services, token: &str) -> Option<HeaderValue> {
    written(app, token, SECONDS)
}

/// The header that makes a browser forget it.
pub(super) fn clear(app: &Services) -> Option<HeaderValue> {
    written(app, "", 0)
}

fn written(app: &Services, token: &str, seconds: u32) -> Option<HeaderValue> {
    let secure = if app.is_https() { "; Secure" } else { "" };
    let text = format!("{}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}", name(app));
    HeaderValue::from_str(&text).ok()
}
