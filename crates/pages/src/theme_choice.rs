//! The form that keeps a reader's theme in a cookie, and leads back.

use api::cookies::CookieKind;
use api::request::{BODY_BYTES, read_body};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use url::Url;

use crate::address::is_own_path;
use crate::error;
use crate::reader::Reader;
use crate::response::private;
use crate::theme::Theme;
use api::caller::same_origin;
use api::caller::same_site;
use service::Services;
use service::error::{Code, ServiceError};

/// Stores the choice and redirects to the page where it was made.
pub(super) async fn choose(State(services): State<Services>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match chosen(&services, &parts, body).await {
        Ok((theme, back)) => redirect(&services, theme, &back),
        Err(error) => error::page(&services, &error, Reader::of(&parts.headers, parts.uri.query())),
    }
}

/// The theme, and the path to lead back to.
async fn chosen(services: &Services, parts: &Parts, body: Body) -> Result<(Theme, String), ServiceError> {
    // A page that sends no referrer sends no origin either (Fetch standard, "append a request Origin header").
    match parts.headers.get(header::ORIGIN) {
        Some(origin) if origin == "null" => same_site(&parts.headers)?,
        _ => same_origin(services, parts)?,
    }
    let received = read_body(services, parts, body, BODY_BYTES).await?;
    let field = |wanted: &str| url::form_urlencoded::parse(&received.bytes).find(|(name, _)| name == wanted);
    let theme = field("theme").and_then(|(_, word)| Theme::of_word(&word));
    let theme = theme.ok_or_else(|| ServiceError::new(Code::InvalidBody).detail("theme"))?;
    let own = field("back").map(|(_, path)| path.into_owned()).filter(|path| is_own_path(path));
    let came_from = parts.headers.get(header::REFERER).and_then(|value| value.to_str().ok());
    Ok((theme, own.unwrap_or_else(|| back(came_from))))
}

fn redirect(services: &Services, theme: Theme, back: &str) -> Response {
    let is_https = services.is_https();
    let cookie = match theme {
        Theme::System => CookieKind::Theme.clear(is_https),
        _ => CookieKind::Theme.set(is_https, theme.word()),
    };
    // Under https the name had no prefix before; what was chosen then must not stand beside the choice of now.
    let former = CookieKind::Theme.clear(false).filter(|_| is_https);
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    for cookie in cookie.into_iter().chain(former) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    // An address that a parser has escaped or that was judged.
    if let Ok(place) = HeaderValue::from_str(back) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    private(response)
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
