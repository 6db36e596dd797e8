//! The page of an audit that runs: its stages, sent as they end, and at the end the way to the report. One answer in pieces,
//! so that it works without a script and each stage has the time at which it really ended.

mod stages;

use std::convert::Infallible;

use askama::Template;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use futures_util::stream;
use model::id::AuditId;
use service::Services;
use service::error::{Code, ServiceError};
use service::running::{AuditEnding, RunningAudit};
use tokio::sync::watch::Receiver;

use crate::address::with_lang;
use crate::error;
use crate::filters;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::report::{ReportIdPath, owned_by_caller};
use crate::response::{in_pieces, private, see_other};
use stages::Stages;

/// Where the template has the stages that end, and what comes at the end.
const STAGES: &str = "<!--stages-->";
const END: &str = "<!--end-->";

#[derive(Template)]
#[template(path = "running.html")]
struct RunningPage<'a> {
    frame: Frame<'a>,
    id: &'a str,
    url: &'a str,
    /// Checks of the catalog.
    checks: usize,
}

/// Path of the page of a running audit.
pub(super) fn path(id: &AuditId) -> String {
    format!("/running/{id}")
}

/// Waits until the page of an audit can be shown, or it has ended.
pub(super) async fn answerable(mut follower: Receiver<RunningAudit>) -> Result<RunningAudit, ServiceError> {
    let state = follower.wait_for(RunningAudit::is_answerable).await;
    state.map(|state| state.clone()).map_err(|_| ServiceError::new(Code::Internal))
}

/// The page, to the reader who asked for the audit. Where it has ended, the way to its end.
pub(super) async fn show(State(services): State<Services>, id: ReportIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let query = parts.uri.query().map(str::to_owned);
    let reader = Reader::of(&parts.headers, query.as_deref());
    let followed = async {
        let (_, owner, id) = owned_by_caller(&services, &parts, id, reader.lang).await?;
        let id = service::audits::audit_id(id)?;
        Ok((services.running().follow(&owner, &id.0)?, id))
    };
    match followed.await {
        Ok((Some(follower), id)) => {
            let state = follower.borrow().clone();
            if state.ending().is_some() {
                return private(see_other(&way_on(&state, query.as_deref(), reader)));
            }
            let frame = Frame::new(&services, reader).below("/").keeping_query(query.as_deref());
            let page = RunningPage { frame, id: &id.0, url: &state.url, checks: audit::checks::all().count() };
            private(in_pieces(&page, reader.lang, |text| streamed(text, follower, query, reader)))
        }
        // It ended long ago, on another server perhaps: what is left is its report.
        Ok((None, id)) => private(see_other(&with_lang(&format!("/reports/{id}"), query.as_deref(), reader.lang))),
        Err(error) => error::page(&services, &error, reader),
    }
}

/// Path of the page that shows how an audit ended.
fn way_on(audit: &RunningAudit, query: Option<&str>, reader: Reader) -> String {
    match audit.ending() {
        Some(AuditEnding::Stored) => audit.way_on.clone(),
        _ => with_lang(&format!("{}/end", path(&audit.id)), query, reader.lang),
    }
}

/// A page on its way.
struct PageInPieces {
    follower: Receiver<RunningAudit>,
    query: Option<String>,
    reader: Reader,
    stages: Stages,
    /// What comes before the stages, until it is sent.
    head: Option<String>,
    /// What comes after them, before and after the way on, until it is sent.
    tail: Option<(String, String)>,
}

/// The pieces of the page, from its text: what comes before the stages, each stage, and the rest.
fn streamed(text: String, follower: Receiver<RunningAudit>, query: Option<String>, reader: Reader) -> Body {
    let (head, rest) = text.split_once(STAGES).unwrap_or((&text, ""));
    let (tail, last) = rest.split_once(END).unwrap_or((rest, ""));
    let tail = Some((tail.to_owned(), last.to_owned()));
    let page =
        PageInPieces { follower, query, reader, stages: Stages::new(reader.lang), head: Some(head.to_owned()), tail };
    Body::from_stream(stream::unfold(page, |mut page| async move {
        let piece = page.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(piece)), page))
    }))
}

impl PageInPieces {
    /// The next piece; `None` after the last.
    async fn next(&mut self) -> Option<String> {
        if let Some(head) = self.head.take() {
            return Some(head);
        }
        self.tail.as_ref()?;
        loop {
            let state = self.follower.borrow_and_update().clone();
            let mut piece = self.stages.ended_since(&state);
            if state.ending().is_some()
                && let Some((tail, last)) = self.tail.take()
            {
                let way_on = way_on(&state, self.query.as_deref(), self.reader);
                piece.push_str(&tail);
                piece.push_str(&self.stages.way_on(&way_on));
                piece.push_str(&last);
            }
            if !piece.is_empty() {
                return Some(piece);
            }
            // Whoever tells of the audit ends it before it goes.
            self.follower.changed().await.ok()?;
        }
    }
}
