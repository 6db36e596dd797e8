//! A shared audit for anybody: its page, its preview picture for social networks, its badge.

use api::response::conditional::{self, KnownContents};
use api::response::status;
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderValue, header};
use model::id::Slug;
use model::lang::Lang;
use service::shares;
use store::{AuditHead, StoredReport};

use crate::frame::Frame;
use crate::reader::Reader;
use crate::report::{Eyes, Filter, Shown, made, report_file, view};
use crate::response::{cacheable_and, html, of_written, private};
use crate::{assets, csrf, error};
use render::badge::{self, BadgeOptions};
use render::shown;
use service::Services;
use service::error::{Code, ServiceError};
use service::written_answers::{AnswerName, WrittenAnswer};

/// `Cache-Control` of a shared page. Chosen: one minute, as a revoked page must be gone soon.
const PAGE_CACHE: &str = "public, max-age=60";
/// `Cache-Control` of the picture, which never changes.
const PICTURE_CACHE: &str = "public, max-age=86400";
/// `Cache-Control` of a badge. Proxies of sites that show it serve the old one while they revalidate.
const BADGE_CACHE: &str = "public, max-age=300, s-maxage=300, stale-while-revalidate=86400";
/// The media type of a badge.
const BADGE: &str = "image/svg+xml; charset=utf-8";
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
    let slug = slug.map(|Path(slug)| slug).unwrap_or_default();
    let found = async {
        let head = shares::head(&services, &slug).await?;
        let name = page_name(&services, reader, &head, query.as_deref());
        Ok::<_, ServiceError>(match services.answers().get(&name) {
            Some(written) => Found::Written(written),
            None => Found::Stored(Box::new(shares::report(&services, &slug).await?), name, head.is_in_lab()),
        })
    };
    let (shared, name, is_in_lab) = match found.await {
        Ok(Found::Written(written)) => return of_written(&written, reader.lang, PAGE_CACHE),
        Ok(Found::Stored(shared, name, is_in_lab)) => (shared, name, is_in_lab),
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
        cacheable_and(&view(services, reader, shown, &filter), reader.lang, PAGE_CACHE, |written| {
            // While a test runs, the page tells its seconds.
            if !is_in_lab {
                services.answers().keep(name, written.clone());
            }
        })
    })
    .await
}

/// What is found at a public address.
enum Found {
    /// Its page, written a moment ago.
    Written(WrittenAnswer),
    /// The audit, the name of its page, and whether a lab test of it runs.
    Stored(Box<StoredReport>, AnswerName, bool),
}

/// The name of the page of a shared audit: of all that it shows on this server, whose settings stay while it runs.
fn page_name(services: &Services, reader: Reader, head: &AuditHead, query: Option<&str>) -> AnswerName {
    let lang = reader.lang;
    let slug = head.share_slug.as_ref().map(|slug| slug.0.as_str());
    let lab = head.lab_name();
    let age = shown::age(head.created_at, services.ports().now(), lang);
    // All of the reader, in a form that nobody sees.
    let reader = format!("{reader:?}");
    services.answer_name(&[
        Some("shared page"),
        Some(head.id.0.as_str()),
        slug,
        Some(lab.as_str()),
        Some(age.as_str()),
        Some(reader.as_str()),
        query,
    ])
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
    let head = match shares::head(&services, &slug.0).await {
        Ok(head) => Some(head),
        Err(error) if error.code == Code::ShareNotFound => None,
        Err(error) => return error::page(&services, &error, reader),
    };
    let options = BadgeOptions::of_query(query);
    let (name, known) = (badge_name(&services, head.as_ref(), &options), KnownContents::of(request.headers()));
    let etag = conditional::etag_of(&name.0);
    if etag.as_ref().is_some_and(|etag| known.has_named(etag)) {
        return conditional::unchanged(badge_response(Bytes::new(), etag));
    }
    if let Some(written) = services.answers().get(&name) {
        return badge_response(written.body, etag);
    }
    let searchable = match &head {
        Some(_) => shares::searchable(&services, &slug).await,
        None => Ok(None),
    };
    let (head, searchable) = match searchable {
        Ok(searchable) => (head, searchable),
        // It was revoked since.
        Err(error) if error.code == Code::ShareNotFound => (None, None),
        Err(error) => return error::page(&services, &error, reader),
    };
    let name = badge_name(&services, head.as_ref(), &options);
    let alarm = searchable.as_ref().and_then(|searchable| searchable.alarm(Lang::En));
    let written = WrittenAnswer::new(BADGE, badge::svg(head.and_then(|head| head.score), alarm, &options).into());
    services.answers().keep(name, written.clone());
    badge_response(written.body, conditional::etag_of(&name.0))
}

/// The name of a badge: of the audit behind it, if there is one, and its options.
fn badge_name(services: &Services, head: Option<&AuditHead>, options: &BadgeOptions) -> AnswerName {
    let score = head.and_then(|head| head.score).map(|score| score.to_string());
    // All of the options, in a form that nobody sees.
    let options = format!("{options:?}");
    let id = head.map(|head| head.id.0.as_str());
    services.answer_name(&[Some("badge"), id, score.as_deref(), Some(options.as_str())])
}

fn badge_response(svg: Bytes, etag: Option<HeaderValue>) -> Response {
    let mut response = assets::for_any_site(assets::asset(svg, BADGE, BADGE_CACHE));
    let headers = response.headers_mut();
    headers.extend(etag.map(|etag| (header::ETAG, etag)));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(BADGE_POLICY));
    response
}

/// The name of a file without its ending.
fn stem(file: Part, ending: &str) -> Option<String> {
    let Path(file) = file.ok()?;
    file.strip_suffix(ending).map(str::to_owned)
}
