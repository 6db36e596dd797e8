//! The cookies of signed-in browsers. Host-only, out of reach of scripts, not sent with other sites' posts.

use http::{HeaderMap, HeaderValue, header};

use service::accounts::session::SESSION_SECONDS;

/// What a cookie of a request holds.
pub fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
}

/// Which cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cookie {
    /// The token of a session.
    Session,
    /// A random value that forms are bound to before anybody is signed in. Ends with the browser.
    Bootstrap,
}

impl Cookie {
    /// Its name. The prefix makes browsers keep it to this host and to https; over plain http they would refuse it.
    fn name(self, is_https: bool) -> &'static str {
        match (self, is_https) {
            (Self::Session, true) => "__Host-mm-auth",
            (Self::Session, false) => "mm-auth",
            (Self::Bootstrap, true) => "__Host-mm-boot",
            (Self::Bootstrap, false) => "mm-boot",
        }
    }

    /// Its value in a request.
    pub fn read(self, is_https: bool, headers: &HeaderMap) -> Option<String> {
        cookie(headers, self.name(is_https))
    }

    /// The header that keeps `value`, a text in base64url or empty.
    pub fn set(self, is_https: bool, value: &str) -> Option<HeaderValue> {
        let age = match self {
            Self::Session => format!("; Max-Age={SESSION_SECONDS}"),
            Self::Bootstrap => String::new(),
        };
        self.written(is_https, value, &age)
    }

    /// The header that makes a browser forget it.
    pub fn clear(self, is_https: bool) -> Option<HeaderValue> {
        self.written(is_https, "", "; Max-Age=0")
    }

    fn written(self, is_https: bool, value: &str, age: &str) -> Option<HeaderValue> {
        let secure = if is_https { "; Secure" } else { "" };
        let text = format!("{}={value}; Path=/{age}; HttpOnly; SameSite=Lax{secure}", self.name(is_https));
        HeaderValue::from_str(&text).ok()
    }
}
