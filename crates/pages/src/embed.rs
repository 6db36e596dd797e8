//! The embeddable widget: a page for an iframe of any site, and the script that inserts it.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue, header};
use sha2::{Digest as _, Sha256};

use crate::assets;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{SHARED_CACHE, cacheable};
use service::Services;
use service::widget::{Widget, WidgetOptions};

const LOADER: &str = include_str!(concat!(env!("OUT_DIR"), "/embed.js"));
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/widget.js"));
/// Where the widget's own script is; its name changes with its content.
pub(super) const SCRIPT_PATH: &str = concat!("/assets/widget.", env!("WIDGET_HASH"), ".js");
/// `Cache-Control` of the loader: one hour, so that sites get a new version within it.
const LOADER_CACHE: &str = "public, max-age=3600";

#[derive(Template)]
#[template(path = "embed.html")]
struct EmbedPage<'a> {
    frame: Frame<'a>,
    widget: &'a Widget,
    /// Initial value of the address field.
    url: &'a str,
    /// The rule of a chosen colour.
    rule: Option<&'a str>,
    /// The first page, with its form filled in.
    form_address: String,
    script: &'static str,
}

/// The widget. Any site may frame it; it knows no cookie.
pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    let query = request.uri().query();
    let pairs: Vec<_> = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()).collect();
    let value = |wanted: &str| pairs.iter().find(|(name, _)| name == wanted).map(|(_, value)| &**value);
    let options =
        WidgetOptions { brand: value("brand"), color: value("color"), theme: value("theme"), url: value("url") };
    let widget = Widget::new(&services, options);
    let rule = widget.rule();
    let reader = Reader::of(request.headers(), query);
    let page = EmbedPage {
        frame: Frame::new(&services, reader),
        url: widget.url.as_ref().map_or("", url::Url::as_str),
        rule: rule.as_deref(),
        form_address: widget.form_address(&services),
        widget: &widget,
        script: SCRIPT_PATH,
    };
    let mut response = cacheable(&page, reader.lang, SHARED_CACHE);
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy(rule.as_deref())) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    assets::for_any_site(response)
}

/// Content-Security-Policy of the widget: our own files only, and the one inline rule by its hash.
fn policy(rule: Option<&str>) -> String {
    let hash = rule.map(|rule| format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(rule)))).unwrap_or_default();
    format!(
        "default-src 'none'; style-src 'self'{hash}; font-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors *"
    )
}

/// The script that sites load.
pub(super) async fn loader() -> Response {
    assets::lasting(LOADER.into(), "application/javascript; charset=utf-8", LOADER_CACHE)
}

/// The widget's own script.
pub(super) fn script() -> Response {
    assets::for_any_site(assets::asset(SCRIPT, "application/javascript; charset=utf-8", assets::FOR_EVER))
}
