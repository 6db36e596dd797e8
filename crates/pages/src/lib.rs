//! Pages for people: HTML that works without a script. They show what use cases answer.

mod account;
mod assets;
mod bot;
mod card;
mod checks;
mod credit;
mod embed;
pub(crate) mod error;
mod filters;
mod guest_cookie;
mod home;
mod hub_filter;
pub(crate) mod markdown;
mod pieces;
mod pricing;
mod report;
mod share;
mod sitemap;
mod theme;
mod tools;
mod watch;
mod workspace;

use api::request::language;
use api::response::{conditional, speaks};
use askama::Template;
use audit::check::Family;
use axum::Router;
use axum::body::Body;
use axum::middleware;
use axum::response::Response;
use axum::routing::{get, post};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use model::lang::Lang;

use api::caller::renew;
use api::site::Site;
use api::web::Pages;
use render::catalog;
use service::Services;
use service::error::{Code, ServiceError};
use service::widget;

use theme::Theme;

/// What pages may load: our own style and images, nothing else.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// All pages, for the web side.
pub fn pages() -> Pages {
    Pages {
        router: router(),
        not_found: |site, request| {
            let reader = Reader::of(request.headers(), request.uri().query());
            error::page(site.services(), &ServiceError::new(Code::NotFound), reader)
        },
        around: |router, site| router.layer(middleware::from_fn_with_state(site, markdown::negotiate)),
    }
}

/// Routes of all pages.
fn router() -> Router<Site> {
    Router::<Site>::new()
        .route("/", get(home::show).post(home::submit))
        .route("/reports/{id}", get(report::show).post(report::open))
        .route("/reports/{id}/share", post(report::share))
        .route("/reports/{id}/unshare", post(report::unshare))
        .route("/r/{slug}", get(share::show))
        .route("/og/{file}", get(share::picture))
        .route("/badge/{file}", get(share::badge))
        .route("/r/{slug}/files/{number}", get(share::file))
        .route("/reports/{id}/{form}", get(report::form))
        .route("/reports/{id}/files/{number}", get(report::file))
        .route(assets::REPORT_PATH, get(assets::report))
        .route(widget::PATH, get(embed::show))
        .route(widget::LOADER_PATH, get(embed::loader))
        .route(embed::SCRIPT_PATH, get(embed::script))
        .route("/theme", post(theme::choose))
        .merge(account::router())
        .route("/workspace", get(workspace::show).post(workspace::open))
        .route("/workspace.json", get(workspace::json))
        .route("/workspace/{id}", get(workspace::tab))
        .route("/workspace/{id}/tab.json", get(workspace::tab_json))
        .route("/workspace/{id}/run", post(workspace::run))
        .route("/workspace/{id}/history", get(workspace::history))
        .route("/workspace/{id}/history.json", get(workspace::history_json))
        .route("/workspace/{id}/history.csv", get(workspace::history_csv))
        .route("/workspace/{id}/compare", get(workspace::compare))
        .route("/workspace/{id}/compare.json", get(workspace::compare_json))
        .route("/workspace/{id}/settings", get(workspace::settings))
        .route("/workspace/{id}/name", post(workspace::rename))
        .route("/workspace/{id}/watch", post(workspace::watch))
        .route("/workspace/{id}/close", post(workspace::close))
        .route("/watch/agree", get(watch::ask_to_agree).post(watch::agree))
        .route("/watch/stop", get(watch::ask_to_stop).post(watch::stop))
        .route("/bot", get(bot::show))
        .route("/pricing", get(pricing::show))
        .route(credit::PATH, get(credit::show).post(credit::look))
        .route(credit::pix::PATH, get(credit::pix::show).post(credit::pix::send))
        .route("/credit/pix/{id}", get(credit::pix::status))
        .route("/checks", get(checks::hub))
        .route("/checks/{code}", get(checks::show))
        .route("/tools", get(tools::hub))
        .route("/tools/{slug}", get(tools::show))
        .route(assets::STYLE_PATH, get(assets::style))
        .route("/favicon.svg", get(assets::icon))
        .route(assets::CARD_PATH, get(assets::card))
        .route("/robots.txt", get(sitemap::robots))
        .route("/sitemap.xml", get(sitemap::show))
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn(renew))
}

/// 405 of a page.
async fn wrong_method(
    axum::extract::State(app): axum::extract::State<Services>,
    headers: HeaderMap,
    uri: http::Uri,
) -> Response {
    error::page(&app, &ServiceError::new(Code::MethodNotAllowed), Reader::of(&headers, uri.query()))
}

/// Who reads a page, as far as its looks go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader {
    /// The language they read.
    pub(crate) lang: Lang,
    /// Light or dark.
    pub(crate) theme: Theme,
}

impl Reader {
    /// The reader behind a request. A language that we don't speak is no reason to show nothing.
    pub(crate) fn of(headers: &HeaderMap, query: Option<&str>) -> Self {
        Self { lang: language(headers, query).unwrap_or_default(), theme: Theme::of(headers) }
    }
}

/// What every page knows.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    /// Whom it is for.
    pub(crate) reader: Reader,
    /// Name of the product.
    pub(crate) product: &'a str,
    /// Address of the style sheet.
    pub(crate) style: &'static str,
    /// What the page's address says besides the language; stays when another one is chosen.
    kept: String,
    /// Path that the choice of a theme leads back to; `None`: the one that the browser says it came from.
    back: Option<String>,
}

impl<'a> Frame<'a> {
    /// The frame of a page for a reader.
    pub(crate) fn new(app: &'a Services, reader: Reader) -> Self {
        let product = &app.config().product.name;
        Self { reader, product, style: assets::STYLE_PATH, kept: String::new(), back: None }
    }

    /// With parameters of the page's address that stay when another language is chosen.
    pub(crate) fn keeping<K: AsRef<str>, V: AsRef<str>>(mut self, pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut kept = url::form_urlencoded::Serializer::new(std::mem::take(&mut self.kept));
        kept.extend_pairs(pairs.into_iter().filter(|(name, _)| name.as_ref() != "lang"));
        self.kept = kept.finish();
        self
    }

    /// With the whole query of the page's address, which stays when another language is chosen.
    pub(crate) fn keeping_query(self, query: Option<&str>) -> Self {
        self.keeping(url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()))
    }

    /// With the path that the choice of a theme leads back to, where the browser may not say where it came from.
    pub(crate) fn leading_back_to(self, path: String) -> Self {
        Self { back: Some(path), ..self }
    }

    /// The text of the page's language. Templates hold both, side by side.
    pub(crate) fn t<'t>(&self, en: &'t str, pt: &'t str) -> &'t str {
        match self.reader.lang {
            Lang::En => en,
            Lang::PtBr => pt,
        }
    }

    /// The language tag.
    pub(crate) fn tag(&self) -> &'static str {
        self.reader.lang.tag()
    }

    /// What the reader chose, as the root element says it; `None`: what the system says.
    pub(crate) fn theme(&self) -> Option<&'static str> {
        (self.reader.theme != Theme::System).then_some(self.reader.theme.word())
    }

    /// Word and name of every theme, and whether it is chosen.
    pub(crate) fn themes(&self) -> [(&'static str, &'static str, bool); 3] {
        Theme::ALL.map(|theme| {
            let name = match theme {
                Theme::System => self.t("System", "Sistema"),
                Theme::Light => self.t("Light", "Claro"),
                Theme::Dark => self.t("Dark", "Escuro"),
            };
            (theme.word(), name, theme == self.reader.theme)
        })
    }

    /// Tag and own name of every language, and the address of this page in it.
    pub(crate) fn languages(&self) -> [(&'static str, &'static str, String); 2] {
        let mark = if self.kept.is_empty() { "" } else { "&" };
        [(Lang::En, "English"), (Lang::PtBr, "Português")]
            .map(|(lang, name)| (lang.tag(), name, format!("?lang={}{mark}{}", lang.tag(), self.kept)))
    }
}

/// Where a page that may be indexed is. Its plain address speaks the language that the browser prefers.
#[derive(Debug)]
pub(crate) struct Addresses {
    /// Absolute, as it was asked for: each language is a page of its own.
    pub(crate) canonical: String,
    /// Absolute, without a language.
    pub(crate) plain: String,
}

impl Addresses {
    /// Those of the page at a path, of which `query` asks for a language or not.
    pub(crate) fn new(app: &Services, path: &str, query: Option<&str>, lang: Lang) -> Self {
        Self { canonical: app.url(&with_lang(path, query, lang)), plain: app.url(path) }
    }
}

/// A path of ours in which a language that was asked for stays asked for.
pub(crate) fn with_lang(path: &str, query: Option<&str>, lang: Lang) -> String {
    let mut pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let is_asked = pairs.any(|(name, _)| name == "lang");
    if is_asked { format!("{path}?lang={}", lang.tag()) } else { path.to_owned() }
}

/// Whether a text is a path of ours, with a query perhaps: no address of another host.
pub(crate) fn is_own_path(text: &str) -> bool {
    // Two slashes would name a host, and browsers read `\` as `/` (URL standard, "relative slash state").
    text.starts_with('/')
        && !text.starts_with("//")
        && !text.contains('\\')
        && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The tool that a query names: its findings come first in a report.
fn tool_asked(query: Option<&str>) -> Option<&'static Family> {
    let mut pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.find(|(name, _)| name == "tool").and_then(|(_, slug)| catalog::family(&slug))
}

/// A page as an answer.
pub(crate) fn html(status: StatusCode, page: &impl Template, lang: Lang) -> Response {
    let (status, body) = rendered(status, page, lang);
    document(status, body.into(), lang)
}

fn rendered(status: StatusCode, page: &impl Template, lang: Lang) -> (StatusCode, String) {
    match page.render() {
        Ok(body) => (status, body),
        Err(error) => {
            tracing::error!(%error, "a page could not be made");
            (StatusCode::INTERNAL_SERVER_ERROR, Code::Internal.sentence().in_lang(lang).to_owned())
        }
    }
}

fn document(status: StatusCode, body: Bytes, lang: Lang) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    speaks(headers, lang);
    // The theme is in one.
    headers.append(header::VARY, HeaderValue::from_static("Cookie"));
    response
}

/// How long a page that is the same for everybody may be kept without asking: it names a style sheet, which another
/// build of the service may have under another name.
const KEPT: &str = "public, max-age=300";

/// A page that stays the same while the service runs.
pub(crate) fn lasting(page: &impl Template, lang: Lang) -> Response {
    kept(page, lang, KEPT)
}

/// A page that may be kept without asking as `cache` says.
pub(crate) fn kept(page: &impl Template, lang: Lang, cache: &'static str) -> Response {
    let (status, body) = rendered(StatusCode::OK, page, lang);
    let content = Bytes::from(body);
    let mut response = document(status, content.clone(), lang);
    if status == StatusCode::OK {
        response.headers_mut().extend(conditional::lasting(&content, cache));
    }
    response
}

/// Marks a page that nobody may keep: what it says is of this moment and this reader.
fn unstored(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Marks a page as its reader's own.
pub(crate) fn private(response: Response) -> Response {
    let mut response = unstored(response);
    let headers = response.headers_mut();
    if !headers.get_all(header::VARY).iter().any(|names| names == "Cookie") {
        headers.append(header::VARY, HeaderValue::from_static("Cookie"));
    }
    headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    response
}
