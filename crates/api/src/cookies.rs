//! Cookies of this service: host-only, out of reach of scripts, not sent with the forms of other sites.

use http::{HeaderMap, HeaderValue, header};

use service::accounts::session::SESSION_SECONDS;
use service::error::BrowserPass;
use service::identity::OPERATOR_SECONDS;

/// Lifetime of a guest's cookie: 13 months, as long as a guest's audits are kept after a visit.
const GUEST_SECONDS: u32 = 396 * 86_400;

/// Lifetime of the chosen theme: as of the guest's cookie.
const THEME_SECONDS: u32 = GUEST_SECONDS;

/// Lifetime of the page that a new account begins at: that of the link in the mail that confirms its address.
const RETURN_SECONDS: u32 = 86_400;

/// Lifetime of the cookie of a credit: 90 days after it was entered.
const CREDIT_SECONDS: u32 = 90 * 86_400;

/// Value of a cookie of a request.
fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
}

/// The `Set-Cookie` of a cookie of this host (RFC 6265 §4.1). Without an age in seconds it ends with the browser.
fn set_cookie(name: &str, value: &str, seconds: Option<u32>, is_https: bool) -> Option<HeaderValue> {
    let age = seconds.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
    let secure = if is_https { "; Secure" } else { "" };
    HeaderValue::from_str(&format!("{name}={value}; Path=/{age}; HttpOnly; SameSite=Lax{secure}")).ok()
}

/// The same for a cookie that no link of another site sends.
fn set_strict_cookie(name: &str, value: &str, seconds: u32, is_https: bool) -> Option<HeaderValue> {
    let secure = if is_https { "; Secure" } else { "" };
    let cookie = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&cookie).ok()
}

/// Kinds of cookies. All but the theme and the way back identify a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CookieKind {
    /// The token of a session.
    Session,
    /// A random value that forms are bound to before anybody is signed in. Ends with the browser.
    Bootstrap,
    /// That the browser is verified, for the free audits of pages. Its lifetime is configured.
    Verified,
    /// The token of a guest, for pages only: `/api/*` never reads it, so no other site can use it there.
    Guest,
    /// The token of a credit that its holder entered on a page, which pays for audits of pages only: `/api/*` never reads it.
    Credit,
    /// Proof that the operator signed in, for the operator's pages only.
    Operator,
    /// The reader's choice of light or dark.
    Theme,
    /// The page that a new account begins at. It waits in the browser, as the link of the mail is opened later, and what a guest
    /// may read there only this browser can.
    Return,
}

impl CookieKind {
    /// Its name. The prefix makes browsers keep it to this host and to https; over plain http they would refuse it.
    fn name(self, is_https: bool) -> &'static str {
        match (self, is_https) {
            (Self::Session, true) => "__Host-mm-auth",
            (Self::Session, false) => "mm-auth",
            (Self::Bootstrap, true) => "__Host-mm-boot",
            (Self::Bootstrap, false) => "mm-boot",
            (Self::Verified, true) => "__Host-mm-human",
            (Self::Verified, false) => "mm-human",
            (Self::Guest, true) => "__Host-mm-guest",
            (Self::Guest, false) => "mm-guest",
            (Self::Credit, true) => "__Host-mm-credit",
            (Self::Credit, false) => "mm-credit",
            (Self::Operator, true) => "__Host-mm-operator",
            (Self::Operator, false) => "mm-operator",
            (Self::Theme, true) => "__Host-mm-theme",
            (Self::Theme, false) => "mm-theme",
            (Self::Return, true) => "__Host-mm-return",
            (Self::Return, false) => "mm-return",
        }
    }

    /// Its value in a request.
    pub fn read(self, is_https: bool, headers: &HeaderMap) -> Option<String> {
        cookie(headers, self.name(is_https))
    }

    /// The header that stores `value`, a text in base64url, a token of ours, or empty.
    pub fn set(self, is_https: bool, value: &str) -> Option<HeaderValue> {
        let seconds = match self {
            Self::Session => Some(SESSION_SECONDS),
            Self::Guest => Some(GUEST_SECONDS),
            Self::Credit => Some(CREDIT_SECONDS),
            Self::Theme => Some(THEME_SECONDS),
            Self::Return => Some(RETURN_SECONDS),
            Self::Bootstrap | Self::Verified => None,
            Self::Operator => return set_strict_cookie(self.name(is_https), value, OPERATOR_SECONDS, is_https),
        };
        set_cookie(self.name(is_https), value, seconds, is_https)
    }

    /// The header that stores a pass of human verification for as long as it holds.
    pub(crate) fn verified(is_https: bool, pass: &BrowserPass) -> Option<HeaderValue> {
        set_cookie(Self::Verified.name(is_https), &pass.value, Some(pass.seconds), is_https)
    }

    /// The header that deletes it.
    pub fn clear(self, is_https: bool) -> Option<HeaderValue> {
        if self == Self::Operator {
            return set_strict_cookie(self.name(is_https), "", 0, is_https);
        }
        set_cookie(self.name(is_https), "", Some(0), is_https)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_of_https_are_secure_and_of_this_host_alone() {
        let kinds = [
            CookieKind::Session,
            CookieKind::Bootstrap,
            CookieKind::Verified,
            CookieKind::Guest,
            CookieKind::Credit,
            CookieKind::Operator,
            CookieKind::Theme,
            CookieKind::Return,
        ];
        for kind in kinds {
            let text = |header: Option<HeaderValue>| header.unwrap().to_str().unwrap().to_owned();
            for cookie in [text(kind.set(true, "a")), text(kind.clear(true))] {
                assert!(cookie.starts_with("__Host-mm-"), "{cookie}");
                for attribute in ["; Path=/", "; HttpOnly", "; SameSite=", "; Secure"] {
                    assert!(cookie.contains(attribute), "{attribute}: {cookie}");
                }
                assert!(!cookie.contains("Domain"), "{cookie}");
            }
            // A browser would refuse the prefix and the attribute over plain http.
            let plain = text(kind.set(false, "a"));
            assert!(plain.starts_with("mm-") && !plain.contains("Secure"), "{plain}");
        }
    }
}
