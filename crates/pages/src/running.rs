//! The page of an audit that runs, or of two that are compared: its stages, sent as they end, and at the end the way to the report. One answer in pieces,
//! so that it works without a script and each stage has the time at which it really ended.

mod stages;

use std::convert::Infallible;

use askama::Template;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use futures_util::stream;
use model::id::AuditId;
use model::lang::Lang;
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
    /// Id and address of each audit: one, or two that are compared.
    audits: Vec<(String, String)>,
    /// Checks of the catalog.
    checks: usize,
}

/// Path of the page of a running audit.
pub(super) fn path(id: &AuditId) -> String {
    format!("/running/{id}")
}

/// The parameter with the second of two audits that are compared.
const WITH: &str = "with";

/// Path of the page of two audits that are compared at the end.
pub(super) fn path_of_two(before: &AuditId, after: &AuditId, lang: Lang) -> String {
    format!("{}?{WITH}={after}&lang={}", path(before), lang.tag())
}

/// The second of two audits that a query of these pages names.
pub(super) fn second(query: Option<&str>) -> Result<Option<AuditId>, ServiceError> {
    let mut pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let named = pairs.find(|(name, _)| name == WITH);
    named.map(|(_, id)| service::audits::audit_id(id.into_owned())).transpose()
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
        let first = service::audits::audit_id(id)?;
        let ids: Vec<AuditId> = std::iter::once(first).chain(second(query.as_deref())?).collect();
        let followers: Result<Vec<_>, _> = ids.iter().map(|id| services.running().follow(&owner, &id.0)).collect();
        // Where one ended long ago, on another server perhaps, what is left is its report.
        Ok((followers?.into_iter().collect::<Option<Vec<_>>>(), ids))
    };
    match followed.await {
        Ok((Some(followers), _)) => {
            let states = states(&followers);
            if states.iter().all(|state| state.ending().is_some()) {
                return private(see_other(&way_on(&states, query.as_deref(), reader)));
            }
            let frame = Frame::new(&services, reader).below("/").keeping_query(query.as_deref());
            let audits = states.into_iter().map(|state| (state.id.0, state.url)).collect();
            let page = RunningPage { frame, audits, checks: audit::checks::all().count() };
            private(in_pieces(&page, reader.lang, |text| streamed(&text, followers, query, reader)))
        }
        Ok((None, ids)) => private(see_other(&reports(&ids, query.as_deref(), reader))),
        Err(error) => error::page(&services, &error, reader),
    }
}

fn states(followers: &[Receiver<RunningAudit>]) -> Vec<RunningAudit> {
    followers.iter().map(|follower| follower.borrow().clone()).collect()
}

/// Path of the report of an audit, or of the comparison of two.
pub(super) fn reports(ids: &[AuditId], query: Option<&str>, reader: Reader) -> String {
    match ids {
        [before, after] => format!("/compare?before={before}&after={after}&lang={}", reader.lang.tag()),
        [id, ..] => with_lang(&format!("/reports/{id}"), query, reader.lang),
        [] => "/".to_owned(),
    }
}

/// Path of the page that shows how audits ended.
fn way_on(audits: &[RunningAudit], query: Option<&str>, reader: Reader) -> String {
    let is_stored = audits.iter().all(|audit| matches!(audit.ending(), Some(AuditEnding::Stored)));
    match audits {
        [audit] if is_stored => audit.way_on.clone(),
        [audit] => with_lang(&format!("{}/end", path(&audit.id)), query, reader.lang),
        [before, after] if !is_stored => {
            format!("{}/end?{WITH}={}&lang={}", path(&before.id), after.id, reader.lang.tag())
        }
        _ => reports(&audits.iter().map(|audit| audit.id.clone()).collect::<Vec<_>>(), query, reader),
    }
}

/// A page on its way.
struct PageInPieces {
    followers: Vec<Receiver<RunningAudit>>,
    /// The audit whose stages are sent.
    at: usize,
    query: Option<String>,
    reader: Reader,
    stages: Stages,
    /// What comes before the first stages, until it is sent.
    head: Option<String>,
    /// What comes after the stages of each audit.
    rest: std::vec::IntoIter<String>,
}

/// The pieces of the page, from its text: what comes before the stages, each stage, and the rest. The stages of a second audit
/// come when the first has ended, with the times that they took.
fn streamed(text: &str, followers: Vec<Receiver<RunningAudit>>, query: Option<String>, reader: Reader) -> Body {
    let mut texts = text.split(STAGES).map(str::to_owned).collect::<Vec<_>>().into_iter();
    let head = texts.next();
    let page = PageInPieces { followers, at: 0, query, reader, stages: Stages::new(reader.lang), head, rest: texts };
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
        loop {
            let state = self.followers.get_mut(self.at)?.borrow_and_update().clone();
            let mut piece = self.stages.ended_since(&state);
            if state.ending().is_some() {
                self.at += 1;
                self.stages = Stages::new(self.reader.lang);
                piece.push_str(&self.after_stages());
            }
            if !piece.is_empty() {
                return Some(piece);
            }
            // Whoever tells of the audit ends it before it goes.
            self.followers.get_mut(self.at)?.changed().await.ok()?;
        }
    }

    /// What comes after the stages of an audit; after those of the last the way on.
    fn after_stages(&mut self) -> String {
        let text = self.rest.next().unwrap_or_default();
        let Some((tail, last)) = text.split_once(END) else { return text };
        let way_on = way_on(&states(&self.followers), self.query.as_deref(), self.reader);
        format!("{tail}{}{last}", self.stages.way_on(&way_on))
    }
}
