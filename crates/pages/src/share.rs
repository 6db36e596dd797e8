//! What anybody sees of a shared audit: its page, the picture that networks show of it, its badge.

use api::response::status;
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderValue, header};
use model::id::Slug;
use model::lang::Lang;
use service::shares;
use store::ShareState;

use super::report::{Eyes, Filter, Shown, made, patch_file, view, with_script};
use super::{Frame, Reader, assets, error, html, kept};
use render::badge::{self, Choice};
use service::Services;
use service::error::{Code, ServiceError};

/// How long a shared page may be kept without asking (design of pages, own performance): what was revoked must be gone.
const PAGE_KEPT: &str = "public, max-age=60";
/// How long the picture may be kept: it never changes while it is there.
const PICTURE_KEPT: &str = "public, max-age=86400";
/// How long a badge may be kept. Sites that show it through a proxy of their own keep the old one while they ask.
const BADGE_KEPT: &str = "public, max-age=300, s-maxage=300, stale-while-revalidate=86400";
/// A badge that is opened by itself loads and runs nothing.
const BADGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

#[derive(Template)]
#[template(path = "gone.html")]
struct GonePage<'a> {
    frame: Frame<'a>,
    /// Proves to a signed-in reader's session that the form is ours.
    csrf: Option<&'a str>,
    sentence: &'static str,
}

/// Part of a path, if it is UTF-8.
type Part = Result<Path<String>, PathRejection>;

/// The page, for anybody who has its address.
pub(super) async fn show(State(app): State<Services>, slug: Part, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let query = parts.uri.query().map(str::to_owned);
    let reader = Reader::of(&parts.headers, query.as_deref());
    let found = shares::report(&app, &slug.map(|Path(slug)| slug).unwrap_or_default()).await;
    let shared = match found {
        Ok(shared) => shared,
        Err(error) if error.code == Code::ShareNotFound => {
            let csrf = super::account::csrf(&app, &parts).await;
            return gone(&app, &error, reader, csrf.as_deref());
        }
        Err(error) => return error::page(&app, &error, reader),
    };
    made(app, reader, Ok(shared), move |app, reader, shared| {
        let Some(slug) = &shared.share_slug else {
            return gone(app, &ServiceError::new(Code::ShareNotFound), reader, None);
        };
        let (eyes, query) = (Eyes::Anybody { slug }, query.as_deref());
        let shown = Shown { report: &shared.report, created_at: shared.created_at, eyes, tool: None, query };
        let filter = Filter::of(query, reader.lang);
        with_script(kept(&view(app, reader, shown, &filter), reader.lang, PAGE_KEPT))
    })
    .await
}

/// A file of the patch, for anybody who has the address.
pub(super) async fn file(
    State(app): State<Services>,
    named: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let found = async {
        let Path((slug, number)) = named.map_err(|_| ServiceError::new(Code::ShareNotFound))?;
        Ok((shares::report(&app, &slug).await?, number))
    };
    let found = found.await;
    made(app, reader, found, |app, reader, (shared, number)| {
        patch_file(&shared.report, number).unwrap_or_else(|refused| error::page(app, &refused, reader))
    })
    .await
}

/// What stands at an address that was revoked or never given: a form for an audit of one's own.
fn gone(app: &Services, error: &ServiceError, reader: Reader, csrf: Option<&str>) -> Response {
    let sentence = error.code.sentence().in_lang(reader.lang);
    let page = GonePage { frame: Frame::new(app, reader), csrf, sentence };
    super::private(html(status(&error), &page, reader.lang))
}

/// Path of the picture of a shared audit.
pub(super) fn picture_path(slug: &Slug, lang: Lang) -> String {
    format!("/og/{slug}.png?lang={}", lang.tag())
}

/// The picture that networks show for the page.
pub(super) async fn picture(State(app): State<Services>, file: Part, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let found = match stem(file, ".png") {
        Some(slug) => shares::picture(&app, &slug, reader.lang).await,
        None => Err(ServiceError::new(Code::ShareNotFound)),
    };
    match found {
        Ok(png) => assets::lasting(png.into(), "image/png", PICTURE_KEPT),
        Err(error) => error::page(&app, &error, reader),
    }
}

/// The badge. One that was revoked and one that never was look the same.
pub(super) async fn badge(State(app): State<Services>, file: Part, request: Request) -> Response {
    let query = request.uri().query();
    let reader = Reader::of(request.headers(), query);
    let Some(slug) = stem(file, ".svg").and_then(|slug| Slug::parse(&slug)) else {
        return error::page(&app, &ServiceError::new(Code::ShareNotFound), reader);
    };
    let score = match shares::state(&app, &slug).await {
        Ok(ShareState::InForce { score }) => score,
        Ok(ShareState::Revoked) => None,
        Err(error) if error.code == Code::ShareNotFound => None,
        Err(error) => return error::page(&app, &error, reader),
    };
    let svg = badge::svg(score, &Choice::of_query(query));
    let mut response = assets::lasting(svg.into(), "image/svg+xml; charset=utf-8", BADGE_KEPT);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(BADGE_POLICY));
    response
}

/// The name of a file without its ending.
fn stem(file: Part, ending: &str) -> Option<String> {
    let Path(file) = file.ok()?;
    file.strip_suffix(ending).map(str::to_owned)
}
