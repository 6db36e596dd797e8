//! The cookie that holds a guest's token, for pages only. `/api/*` never looks at it, so no other site can use it there.

use http::{HeaderMap, HeaderValue, header};

use crate::app::App;

/// 13 months, as long as a guest's audits are kept after a visit.
const SECONDS: u32 = 396 * 86_400;

/// Its name. The prefix makes browsers keep it to this host and to https; over plain http they would refuse it.
fn name(app: &App) -> &'static str {
    if app.is_https() { "__Host-mm-guest" } else { "mm-guest" }
}

/// The guest token that a page request carries.
pub(super) fn read(app: &App, headers: &HeaderMap) -> Option<String> {
    value(headers, name(app))
}

/// What a cookie of a request holds.
pub(super) fn value(headers: &HeaderMap, name: &str) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
}

/// The header that keeps a token.
pub(super) fn set(app: &App, token: &str) -> Option<HeaderValue> {
    let secure = if app.is_https() { "; Secure" } else { "" };
    let text = format!("{}={token}; Path=/; Max-Age={SECONDS}; HttpOnly; SameSite=Lax{secure}", name(app));
    HeaderValue::from_str(&text).ok()
}
