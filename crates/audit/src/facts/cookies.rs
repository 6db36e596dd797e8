//! Cookies that a response sets: their names and attributes, never their values.

use model::capture::Exchange;
use model::time::Timestamp;

use super::robots_directives::parse_date;

/// Parts of names that mark a session or a login, with source and date in the file.
const SESSIONS: &str = include_str!("../data/session_cookies.txt");
/// Cookies of one response that are read (RFC 6265bis §6.1 asks user agents for 50 a domain).
const MOST_COOKIES: usize = 50;
/// Characters kept of a name.
const LONGEST_NAME: usize = 100;

/// One cookie that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cookie {
    /// As written.
    pub(crate) name: String,
    /// Only over https.
    pub(crate) secure: bool,
    /// Hidden from scripts.
    pub(crate) http_only: bool,
    /// `SameSite` with a value that browsers know.
    pub(crate) same_site: bool,
    /// The name says that it stands for a session or a login.
    pub(crate) is_session: bool,
}

/// The cookies that a response sets; those that it takes away are left out.
pub(crate) fn read(exchange: &Exchange, now: Timestamp) -> Vec<Cookie> {
    exchange.headers_named("set-cookie").take(MOST_COOKIES).filter_map(|line| cookie(line, now)).collect()
}

fn cookie(line: &str, now: Timestamp) -> Option<Cookie> {
    let mut parts = line.split(';');
    let (name, value) = parts.next()?.split_once('=')?;
    let name: String = name.trim().chars().take(LONGEST_NAME).collect();
    let is_session = is_session(&name);
    let mut out = Cookie { name, secure: false, http_only: false, same_site: false, is_session };
    let mut is_kept = !value.trim().is_empty();
    for part in parts {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let value = value.trim();
        match key.trim().to_ascii_lowercase().as_str() {
            "secure" => out.secure = true,
            "httponly" => out.http_only = true,
            "samesite" => {
                out.same_site = ["strict", "lax", "none"].iter().any(|known| value.eq_ignore_ascii_case(known));
            }
            "max-age" => is_kept &= !(value == "0" || value.starts_with('-')),
            "expires" => is_kept &= parse_date(value).is_none_or(|date| date > now),
            _ => {}
        }
    }
    (is_kept && !out.name.is_empty()).then_some(out)
}

/// Whether a name says that the cookie stands for a session or a login. A token against forged requests is read by the
/// page's own script.
fn is_session(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut marks = SESSIONS.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    !name.contains("csrf")
        && !name.contains("xsrf")
        && marks.any(|mark| match mark.strip_prefix('=') {
            Some(whole) => name == whole,
            None => name.contains(mark),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_795_262_400_000);

    #[test]
    fn names_and_attributes_are_read_and_values_are_not_kept() {
        let read = |line: &str| cookie(line, NOW);
        let full = read("PHPSESSID=secret; path=/; SECURE; HttpOnly; samesite=Lax").unwrap();
        assert!(full.secure && full.http_only && full.same_site && full.is_session);
        assert!(!format!("{full:?}").contains("secret"));
        let bare = read("theme=dark; SameSite=maybe").unwrap();
        assert!(!bare.secure && !bare.http_only && !bare.same_site && !bare.is_session);
        for gone in [
            "a=1; Max-Age=0",
            "a=; path=/",
            "a=1; max-age=-1",
            "a=1; expires=Thu, 01-Jan-1970 00:00:00 GMT",
            "a=1; expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "=1",
            "a",
        ] {
            assert_eq!(read(gone), None, "{gone}");
        }
        assert!(read("a=1; expires=Fri, 01 Jan 2038 00:00:00 GMT").is_some());
    }

    #[test]
    fn sessions_are_told_by_name() {
        for name in ["sid", "connect.sid", "JSESSIONID", "laravel_session", "auth_token", "ASP.NET_SessionId"] {
            assert!(is_session(name), "{name}");
        }
        for name in ["theme", "XSRF-TOKEN", "csrftoken", "_ga", "lang", "inside"] {
            assert!(!is_session(name), "{name}");
        }
    }
}
