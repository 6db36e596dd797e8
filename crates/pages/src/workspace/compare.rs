//! Comparison of two runs of a followed page.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use http::request::Parts;
use model::id::Owner;
use model::tab::Tab;

use super::space::Space;
use super::visit::{TabIdPath, WorkspaceVisit, answered, document, redirect};
use crate::comparison::ComparisonView;
use crate::filters;
use crate::frame::Frame;
use crate::response::html;
use service::Services;
use service::error::{Code, ServiceError};
use service::tabs::{self, Compared, ReadableTab, WordKind};

#[derive(Template)]
#[template(path = "workspace_compare.html")]
struct RunsComparedPage<'a> {
    frame: Frame<'a>,
    space: Space,
    tab: Option<&'a Tab>,
    view: &'static str,
    comparison: ComparisonView<'a>,
}

/// The comparison of the runs `before` and `after` of the query.
pub(crate) async fn show(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let lang = visit.reader.lang;
        if is_one_run(&parts) {
            let tab = visit.readable(id).await?.tab;
            return Ok(redirect(&format!("/workspace/{}/history?{SAME_RUN}=1", tab.id), lang));
        }
        let (owner, tab, compared) = compared(&services, visit, id, &parts).await?;
        let (before, after) = (&compared.before.audit_id, &compared.after.audit_id);
        let json = format!("/workspace/{}/compare.json?before={before}&after={after}&lang={}", tab.id, lang.tag());
        let page = RunsComparedPage {
            frame: visit.frame(),
            space: visit.space_of(Some(&owner), Some(&tab.id)).await?,
            tab: Some(&tab),
            view: "history",
            comparison: ComparisonView::of(&compared, json, lang),
        };
        Ok(html(StatusCode::OK, &page, lang))
    })
    .await
}

/// The comparison as JSON.
pub(crate) async fn json(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let (.., compared) = compared(&services, visit, id, &parts).await?;
        Ok(document(&compared, visit.reader.lang))
    })
    .await
}

/// Parameter of the history to which the comparison of a run with itself leads.
pub(super) const SAME_RUN: &str = "same_run";

/// Whether the form was sent with one run as both.
fn is_one_run(parts: &Parts) -> bool {
    let query = parts.uri.query().unwrap_or_default();
    let parameter =
        |wanted: &str| url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == wanted).map(|(_, id)| id);
    parameter("before").is_some_and(|before| Some(before) == parameter("after"))
}

async fn compared(
    services: &Services,
    visit: &WorkspaceVisit,
    id: TabIdPath,
    parts: &Parts,
) -> Result<(Owner, Tab, Compared), ServiceError> {
    let ReadableTab { owner, tab, .. } = visit.readable(id).await?;
    let query = parts.uri.query().unwrap_or_default();
    let parameter = |wanted: &'static str| {
        let found = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == wanted);
        found.map(|(_, id)| id.into_owned()).ok_or_else(|| ServiceError::new(Code::InvalidParameter).detail(wanted))
    };
    let (before, after) = (parameter("before")?, parameter("after")?);
    let compared = tabs::compared(services, &owner, &tab, before, after, visit.reader.lang).await?;
    Ok((owner, tab, compared))
}
