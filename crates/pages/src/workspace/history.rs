//! A tab's runs as a chart, a table, JSON and CSV.

use std::fmt::Write as _;

use askama::Template;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use model::lang::Lang;
use model::tab::{Run, Tab};

use super::chart::Chart;
use super::compare::SAME_RUN;
use super::space::{Space, direction};
use super::visit::{TabIdPath, answered, document};
use crate::filters;
use crate::frame::Frame;
use crate::response::html;
use render::shown::{minute, signed};
use service::Services;
use service::tabs::{self, ReadableTab};

/// Runs that a page shows; the API gives as many at once.
const SHOWN: u32 = 100;

#[derive(Template)]
#[template(path = "workspace_history.html")]
struct HistoryPage<'a> {
    frame: Frame<'a>,
    space: Space,
    tab: Option<&'a Tab>,
    view: &'static str,
    chart: Option<Chart>,
    runs: Vec<RunLine>,
    /// Whether one run was to be compared with itself.
    is_same_run: bool,
}

impl HistoryPage<'_> {
    fn has_alerts(&self) -> bool {
        self.runs.iter().any(|line| line.run.alerted)
    }
}

/// A run in the table.
struct RunLine {
    run: Run,
    /// To the minute.
    created_at: String,
    /// The change of the score with its sign; empty where there is none to tell.
    points: String,
    /// Class of the change: `good`, `bad` or none.
    class: &'static str,
    /// How many findings are new and how many fixed; empty for the first run, which is compared with none.
    broke: String,
    fixed: String,
}

impl RunLine {
    fn of(run: Run, lang: Lang) -> Self {
        let change = run.change.as_ref();
        Self {
            created_at: minute(run.created_at, lang),
            points: change.and_then(|change| change.score).map_or(String::new(), signed),
            class: change.and_then(|change| change.score).map_or("", direction),
            broke: change.map(|change| change.broke.len().to_string()).unwrap_or_default(),
            fixed: change.map(|change| change.fixed.len().to_string()).unwrap_or_default(),
            run,
        }
    }
}

/// The history of a tab.
pub(crate) async fn show(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let lang = visit.reader.lang;
        let ReadableTab { owner, tab, .. } = visit.readable(id).await?;
        let runs = tabs::latest_runs(&services, &owner, &tab, SHOWN, lang).await?;
        let page = HistoryPage {
            frame: visit.frame(),
            space: visit.space_of(Some(&owner), Some(&tab.id)).await?,
            tab: Some(&tab),
            view: "history",
            is_same_run: parts.uri.query().is_some_and(|query| query.contains(SAME_RUN)),
            chart: Chart::of(&runs, lang),
            runs: runs.into_iter().map(|run| RunLine::of(run, lang)).collect(),
        };
        Ok(html(StatusCode::OK, &page, lang))
    })
    .await
}

/// `GET /api/tabs/:id/history` for the reader of the page.
pub(crate) async fn json(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let lang = visit.reader.lang;
        let ReadableTab { owner, tab, .. } = visit.readable(id).await?;
        Ok(document(&tabs::history(&services, &owner, tab, Some(SHOWN), lang).await?, lang))
    })
    .await
}

/// The table as CSV (RFC 4180). It holds numbers, instants and ids of ours only, so no cell can be a formula.
pub(crate) async fn csv(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let ReadableTab { owner, tab, .. } = visit.readable(id).await?;
        let mut text = "created_at,score,errors,warnings,info,audit_id\r\n".to_owned();
        for run in tabs::latest_runs(&services, &owner, &tab, SHOWN, visit.reader.lang).await? {
            let score = run.score.map_or(String::new(), |score| score.to_string());
            let counts = run.counts;
            // Writing to a String can't fail.
            let _ = write!(
                text,
                "{},{score},{},{},{},{}\r\n",
                run.created_at, counts.errors, counts.warnings, counts.info, run.audit_id
            );
        }
        let mut response = Response::new(Body::from(text));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8; header=present"));
        headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"history.csv\""));
        Ok(response)
    })
    .await
}
