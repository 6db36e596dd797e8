//! Light or dark: as the system says, or as the reader chose, kept in a cookie so that it needs no script and no page
//! flashes.

use api::request::{BODY_BYTES, read_body};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use url::Url;

use super::{Reader, error, is_own_path};
use api::caller::same_origin;
use api::caller::same_site;
use api::cookies::cookie;
use service::Services;
use service::error::{Code, ServiceError};

/// The cookie. It tells nothing about anybody, so it needs no prefix.
const COOKIE: &str = "mm-theme";
/// 13 months, as the other cookie of the pages.
const SECONDS: u32 = 396 * 86_400;

/// How pages look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// All of them, in the order of the switch.
    pub(crate) const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The word in forms, cookies and style.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.word() == word)
    }

    /// What a request's reader chose; the system's where there is no choice, or one that is not known here.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        cookie(headers, COOKIE).and_then(|word| Self::of_word(&word)).unwrap_or_default()
    }
}

/// Keeps a choice and leads back to where it was made.
pub(super) async fn choose(State(app): State<Services>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match chosen(&app, &parts, body).await {
        Ok((theme, back)) => kept(&app, theme, &back),
        Err(error) => error::page(&app, &error, Reader::of(&parts.headers, parts.uri.query())),
    }
}

/// The theme, and the path to lead back to.
async fn chosen(app: &Services, parts: &Parts, body: Body) -> Result<(Theme, String), ServiceError> {
    // A page that sends no referrer sends no origin either (Fetch standard, "append a request Origin header").
    match parts.headers.get(header::ORIGIN) {
        Some(origin) if origin == "null" => same_site(&parts.headers)?,
        _ => same_origin(app, parts)?,
    }
    let received = read_body(app, parts, body, BODY_BYTES).await?;
    let field = |wanted: &str| url::form_urlencoded::parse(&received.bytes).find(|(name, _)| name == wanted);
    let theme = field("theme").and_then(|(_, word)| Theme::of_word(&word));
    let theme = theme.ok_or_else(|| ServiceError::new(Code::InvalidBody).detail("theme"))?;
    let own = field("back").map(|(_, path)| path.into_owned()).filter(|path| is_own_path(path));
    let came_from = parts.headers.get(header::REFERER).and_then(|value| value.to_str().ok());
    Ok((theme, own.unwrap_or_else(|| back(came_from))))
}

fn kept(app: &Services, theme: Theme, back: &str) -> Response {
    let secure = if app.is_https() { "; Secure" } else { "" };
    let seconds = if theme == Theme::System { 0 } else { SECONDS };
    let cookie = format!("{COOKIE}={}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}", theme.word());
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    for (name, text) in [(header::SET_COOKIE, cookie.as_str()), (header::LOCATION, back)] {
        // Words and numbers of ours, and an address that a parser has escaped or that was judged.
        if let Ok(value) = HeaderValue::from_str(text) {
            response.headers_mut().insert(name, value);
        }
    }
    super::private(response)
}

/// The path that a reader came from, on whatever host; one slash at its beginning, as two would name a host.
fn back(came_from: Option<&str>) -> String {
    let Some(url) = came_from.and_then(|text| Url::parse(text).ok()) else { return "/".to_owned() };
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    format!("/{}{query}", url.path().trim_start_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_leads_back_to_our_own_page_only() {
        for (came_from, path) in [
            (Some("http://127.0.0.1:1/tools?lang=en#x"), "/tools?lang=en"),
            (Some("http://127.0.0.1:1//evil.example/x"), "/evil.example/x"),
            (Some("http://127.0.0.1:1/\\evil.example"), "/evil.example"),
            (Some("data:text/html,x"), "/text/html,x"),
            (Some("nonsense"), "/"),
            (None, "/"),
        ] {
            assert_eq!(back(came_from), path, "{came_from:?}");
        }
    }
}
