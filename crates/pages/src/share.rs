//! A shared audit for anybody: its page, its preview picture for social networks, its badge.

use api::response::status;
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderValue, header};
use model::id::Slug;
use model::lang::Lang;
use service::shares;

use crate::frame::Frame;
use crate::reader::Reader;
use crate::report::{Eyes, Filter, Shown, made, report_file, view};
use crate::response::{cacheable, html, private};
use crate::{assets, csrf, error};
use render::badge::{self, BadgeOptions};
use service::Services;
use service::error::{Code, ServiceError};

/// `Cache-Control` of a shared page. Chosen: one minute, as a revoked page must be gone soon.
const PAGE_CACHE: &str = "public, max-age=60";
/// `Cache-Control` of the picture, which never changes.
const PICTURE_CACHE: &str = "public, max-age=86400";
/// `Cache-Control` of a badge. Proxies of sites that show it serve the old one while they revalidate.
const BADGE_CACHE: &str = "public, max-age=300, s-maxage=300, stale-while-revalidate=86400";
/// Content-Security-Policy of a badge that is opened by itself: nothing is loaded or run.
const BADGE_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; sandbox; base-uri 'none'; frame-ancestors 'none'";

#[derive(Template)]
#[template(path = "gone.html")]
struct GonePage<'a> {
    frame: Frame<'a>,
    /// Proves to a signed-in reader's session that the form is ours.
    csrf: Option<&'a str>,
    sentence: &'static str,
}

/// Part of a path; an error where it is not UTF-8.
type Part = Result<Path<String>, PathRejection>;

/// The page, for anybody who has its address.
pub(super) async fn show(State(services): State<Services>, slug: Part, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let query = parts.uri.query().map(str::to_owned);
    let reader = Reader::of(&parts.headers, query.as_deref());
    let found = shares::report(&services, &slug.map(|Path(slug)| slug).unwrap_or_default()).await;
    let shared = match found {
        Ok(shared) => shared,
        Err(error) if error.code == Code::ShareNotFound => {
            let csrf = csrf::of_request(&services, &parts).await;
            return gone(&services, &error, reader, csrf.as_deref());
        }
        Err(error) => return error::page(&services, &error, reader),
    };
    made(services, reader, Ok(shared), move |services, reader, shared| {
        let Some(slug) = &shared.share_slug else {
            return gone(services, &ServiceError::new(Code::ShareNotFound), reader, None);
        };
        let (eyes, query) = (Eyes::Anybody { slug }, query.as_deref());
        let shown = Shown { report: &shared.report, created_at: shared.created_at, eyes, tool: None, query };
        let filter = Filter::of(query, reader.lang);
        cacheable(&view(services, reader, shown, &filter), reader.lang, PAGE_CACHE)
    })
    .await
}

/// A file of the patch or a table, for anybody who has the address.
pub(super) async fn file(
    State(services): State<Services>,
    named: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let found = async {
        let Path((slug, number)) = named.map_err(|_| ServiceError::new(Code::ShareNotFound))?;
        Ok((shares::report(&services, &slug).await?, number))
    };
    let found = found.await;
    made(services, reader, found, |services, reader, (shared, number)| {
        report_file(&shared.report, number, reader.lang)
            .unwrap_or_else(|refused| error::page(services, &refused, reader))
    })
    .await
}

/// The page of an unknown or revoked share, with the form for an audit.
fn gone(services: &Services, error: &ServiceError, reader: Reader, csrf: Option<&str>) -> Response {
    let sentence = error.code.sentence().in_lang(reader.lang);
    let page = GonePage { frame: Frame::new(services, reader), csrf, sentence };
    private(html(status(error), &page, reader.lang))
}

/// The picture that networks show for the page.
pub(super) async fn picture(State(services): State<Services>, file: Part, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let found = match stem(file, ".png") {
        Some(slug) => shares::picture(&services, &slug, reader.lang).await,
        None => Err(ServiceError::new(Code::ShareNotFound)),
    };
    match found {
        Ok(png) => assets::lasting(png.into(), "image/png", PICTURE_CACHE),
        Err(error) => error::page(&services, &error, reader),
    }
}

/// The badge. Revoked and unknown shares get the same one.
pub(super) async fn badge(State(services): State<Services>, file: Part, request: Request) -> Response {
    let query = request.uri().query();
    let reader = Reader::of(request.headers(), query);
    let Some(slug) = stem(file, ".svg").and_then(|slug| Slug::parse(&slug)) else {
        return error::page(&services, &ServiceError::new(Code::ShareNotFound), reader);
    };
    let report = match shares::report(&services, &slug.0).await {
        Ok(stored) => Some(stored.report),
        Err(error) if error.code == Code::ShareNotFound => None,
        Err(error) => return error::page(&services, &error, reader),
    };
    // Only the report of an unreachable page has no summary.
    let score = report.as_ref().filter(|report| report.summary.is_some()).map(|report| report.score);
    let alarm = report.as_ref().and_then(|report| report.alarm(Lang::En));
    let svg = badge::svg(score, alarm, &BadgeOptions::of_query(query));
    let mut response = assets::lasting(svg.into(), "image/svg+xml; charset=utf-8", BADGE_CACHE);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(BADGE_POLICY));
    response
}

/// The name of a file without its ending.
fn stem(file: Part, ending: &str) -> Option<String> {
    let Path(file) = file.ok()?;
    file.strip_suffix(ending).map(str::to_owned)
}
