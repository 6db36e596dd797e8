//! Comparison of two runs of a followed page.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use http::request::Parts;
use model::tab::Tab;

use super::space::{Space, band};
use super::visit::{TabIdPath, WorkspaceVisit, answered, document};
use crate::filters;
use crate::frame::Frame;
use crate::response::html;
use crate::words::severity_word;
use model::lang::Lang;
use render::lab;
use render::shown::signed;
use service::Services;
use service::error::{Code, ServiceError};
use service::tabs::{self, Compared, LabChange, WordKind};

#[derive(Template)]
#[template(path = "workspace_compare.html")]
struct ComparePage<'a> {
    frame: Frame<'a>,
    space: Space,
    tab: Option<&'a Tab>,
    view: &'static str,
    compared: &'a Compared,
    sides: [RunColumn<'a>; 2],
    points: String,
    lab: Vec<LabRows>,
}

/// The lab tests of one strategy.
struct LabRows {
    name: &'static str,
    /// Name, earlier and later value, and the difference.
    rows: Vec<(&'static str, [String; 3])>,
}

impl LabRows {
    fn of(change: &LabChange, lang: Lang) -> Self {
        let text = |score: Option<u32>| score.map_or_else(|| "–".to_owned(), |score| score.to_string());
        let scores = lab::scores(&change.before, lang).into_iter().zip(lab::scores(&change.after, lang));
        let difference = |before: Option<u32>, after: Option<u32>| {
            let points = |score: Option<u32>| i32::try_from(score?).ok();
            let points = points(before).zip(points(after)).map(|(before, after)| after.saturating_sub(before));
            points.map_or_else(String::new, signed)
        };
        let scores =
            scores.map(|((name, before), (_, after))| (name, [text(before), text(after), difference(before, after)]));
        Self {
            name: lab::strategy(change.strategy).in_lang(lang),
            rows: scores.chain(lab::pairs(&change.metrics, lang)).collect(),
        }
    }
}

/// One of the two runs.
struct RunColumn<'a> {
    name: &'a str,
    audit_id: &'a str,
    created_at: String,
    score: Option<u32>,
    band: &'static str,
}

impl ComparePage<'_> {
    fn word(&self, severity: &model::finding::Severity) -> &'static str {
        severity_word(*severity).in_lang(self.frame.reader.lang)
    }
}

/// The comparison of the runs `before` and `after` of the query.
pub(crate) async fn show(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let (tab, compared) = compared(&services, visit, id, &parts).await?;
        let frame = visit.frame();
        let names = [frame.t("Before", "Antes"), frame.t("After", "Depois")];
        let [before, after] = [&compared.before, &compared.after];
        let side = |name, run: &'_ tabs::ComparedRun| RunColumn {
            name,
            audit_id: "",
            created_at: run.created_at.to_string().get(..16).unwrap_or_default().replace('T', " "),
            score: run.score,
            band: band(run.score),
        };
        let [first, second] = names;
        let sides = [
            RunColumn { audit_id: &before.audit_id, ..side(first, before) },
            RunColumn { audit_id: &after.audit_id, ..side(second, after) },
        ];
        let page = ComparePage {
            space: visit.space(Some(&tab.id)).await?,
            tab: Some(&tab),
            view: "history",
            points: compared.change.score.map_or(String::new(), signed),
            lab: compared.lab.iter().map(|change| LabRows::of(change, visit.reader.lang)).collect(),
            compared: &compared,
            sides,
            frame,
        };
        Ok(html(StatusCode::OK, &page, visit.reader.lang))
    })
    .await
}

/// The comparison as JSON.
pub(crate) async fn json(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let (_, compared) = compared(&services, visit, id, &parts).await?;
        Ok(document(&compared, visit.reader.lang))
    })
    .await
}

async fn compared(
    services: &Services,
    visit: &WorkspaceVisit,
    id: TabIdPath,
    parts: &Parts,
) -> Result<(Tab, Compared), ServiceError> {
    let (owner, tab) = visit.tab(id).await?;
    let query = parts.uri.query().unwrap_or_default();
    let parameter = |wanted: &'static str| {
        let found = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == wanted);
        found.map(|(_, id)| id.into_owned()).ok_or_else(|| ServiceError::new(Code::InvalidParameter).detail(wanted))
    };
    let (before, after) = (parameter("before")?, parameter("after")?);
    let compared = tabs::compared(services, owner, &tab, before, after, visit.reader.lang).await?;
    Ok((tab, compared))
}
