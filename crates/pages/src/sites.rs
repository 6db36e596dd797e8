//! Runs over whole sites: the form that begins one, the list, its progress, and what it found.

mod below;
mod rows;
mod run;
mod start;
mod watch;

use api::caller::{guard_form, of_page, same_origin};
use api::request::{BODY_BYTES, read_body};
use axum::body::Body;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::response::Response;
use http::request::Parts;
use model::finding::Severity;
use model::lang::{Lang, Phrase, Text, text};
use render::band::Band;
use service::Services;
use service::caller::{Cx, Identity};
use service::error::{Code, ServiceError};
use service::sites::{SiteRunAnswer, SiteRunStatus};
use std::time::Duration;

use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::private;
use crate::words::severity_word;

pub(super) use below::{delete, file, finding, page, page_at, pages};
pub(super) use run::show;
pub(super) use start::{begin, list};
pub(super) use watch::{change_watch, repeat};

/// Where the pages are.
pub(super) const PATH: &str = "/sites";

/// The parts of a path; an error where one is not UTF-8, or no number.
type InPath<T> = Result<Path<T>, PathRejection>;

/// A request to these pages: its reader as a caller.
struct SiteVisit {
    cx: Cx,
    reader: Reader,
    query: Option<String>,
}

impl SiteVisit {
    async fn of(services: &Services, parts: &Parts) -> Result<Self, ServiceError> {
        let reader = Reader::of(&parts.headers, parts.uri.query());
        let cx = Cx::new(services, of_page(services, parts).await?, reader.lang);
        Ok(Self {
            cx: service::sites::with_kept_credit(cx).await?,
            reader,
            query: parts.uri.query().map(str::to_owned),
        })
    }

    /// A run in the language of the reader.
    async fn run(&self, id: &str) -> Result<SiteRunAnswer, ServiceError> {
        let run = service::sites::read(&self.cx, id, Duration::ZERO).await?;
        SiteRunAnswer::whole(&self.cx.services, &run, self.reader.lang)
    }

    fn frame(&self) -> Frame<'_> {
        Frame::new(&self.cx.services, self.reader).below("/workspace").keeping_query(self.query.as_deref())
    }

    /// A parameter of the query; `None` where it is absent or empty.
    fn parameter(&self, wanted: &str) -> Option<String> {
        let mut pairs = url::form_urlencoded::parse(self.query.as_deref().unwrap_or_default().as_bytes());
        pairs.find(|(name, value)| name == wanted && !value.is_empty()).map(|(_, value)| value.into_owned())
    }
}

/// The fields of a form that was sent.
struct SentFields(Vec<(String, String)>);

impl SentFields {
    /// A field; `None` where it was not sent.
    fn get(&self, wanted: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == wanted).map(|(_, value)| &**value)
    }
}

/// Reads a form of these pages, which one of ours has to have sent.
async fn form(services: &Services, parts: &Parts, body: Body) -> Result<(SiteVisit, SentFields), ServiceError> {
    same_origin(services, parts)?;
    let received = read_body(services, parts, body, BODY_BYTES).await?;
    let fields = SentFields(url::form_urlencoded::parse(&received.bytes).into_owned().collect());
    let visit = SiteVisit::of(services, parts).await?;
    if let Identity::Session(_) = visit.cx.caller.identity {
        guard_form(services, &visit.cx.caller, &parts.headers, fields.get("csrf"))?;
    }
    Ok((visit, fields))
}

/// Answers a request, or with an error page. Both are private to the reader.
async fn answered(
    services: &Services,
    parts: &Parts,
    answer: impl AsyncFnOnce(&SiteVisit) -> Result<Response, ServiceError>,
) -> Response {
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let done = async {
        let visit = SiteVisit::of(services, parts).await?;
        answer(&visit).await
    };
    match done.await {
        Ok(response) => private(response),
        Err(error) => crate::error::page(services, &error, reader),
    }
}

/// What a path names; not found where that is nothing.
fn named<T>(path: InPath<T>) -> Result<T, ServiceError> {
    path.map(|Path(value)| value).map_err(|_| ServiceError::new(Code::SiteNotFound))
}

/// Path that leads to the page of an address in a run.
fn page_path(run: &str, url: &str, lang: Lang) -> String {
    let url: String = url::form_urlencoded::byte_serialize(url.as_bytes()).collect();
    format!("{PATH}/{run}/page?url={url}&lang={}", lang.tag())
}

/// The colour of a score.
fn band(score: Option<u32>) -> &'static str {
    score.map_or("", |score| Band::of(score).class())
}

/// The state of a run, for a person.
fn status_word(status: SiteRunStatus) -> Text {
    match status {
        SiteRunStatus::Running => text("running", "em andamento"),
        SiteRunStatus::Finished => text("finished", "concluída"),
        SiteRunStatus::Failed => text("failed", "falhou"),
    }
}

/// What an address answered, for a person.
fn answer_word(answer: &str) -> Text {
    match answer {
        "page" => text("page", "página"),
        "redirect" => text("redirect", "redirecionamento"),
        "client_error" => text("client error", "erro do cliente"),
        "server_error" => text("server error", "erro do servidor"),
        "no_response" => text("no response", "sem resposta"),
        "blocked" => text("blocked by robots.txt", "bloqueada pelo robots.txt"),
        _ => text("other file", "outro arquivo"),
    }
}

/// Class and word of a severity.
fn severity(severity: Severity, lang: Lang) -> (&'static str, &'static str) {
    (severity.word(), severity_word(severity).in_lang(lang))
}

/// The heading above `shown` addresses of `total`.
fn addresses(shown: usize, total: usize) -> Phrase {
    const ALL: Text = text("{total} {total|address|addresses}", "{total} {total|endereço|endereços}");
    const SOME: Text = text("The first {shown} of {total} addresses", "Os primeiros {shown} de {total} endereços");
    let words = if shown < total { SOME } else { ALL };
    words.phrase(&[("shown", shown.into()), ("total", total.into())])
}
