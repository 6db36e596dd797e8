//! Counting of answered requests: which surface of the service each one used, and who asked.

use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use http::{Method, StatusCode};
use service::Services;
use service::counting::{AnsweredRequest, CountedReader, Surface};
use service::metrics::known_method;
use service::network::Network;
use service::widget;
use std::time::Duration;

use crate::caller::{is_smoke, reader};
use crate::handlers;
use crate::operation::Access;
use crate::request::client;
use crate::response::PageShown;
use crate::site::Site;

/// Documents for programs.
const DOCUMENTS: [&str; 4] = ["/openapi.json", "/agent.json", "/apis.json", "/feeds"];
/// Path prefixes of the other documents for programs.
const DOCUMENT_FOLDERS: [&str; 3] = ["/okf/", "/.well-known/", "/feeds/"];

/// Marks the answer to a call of a tool over MCP.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolCalled(pub(super) Option<&'static str>);

/// What the answer to a request shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnswerOutcome {
    surface: Option<Surface>,
    tool: Option<ToolCalled>,
    status: u16,
}

/// A request whose answer is to be counted.
#[derive(Debug)]
pub(super) struct Asked {
    method: Method,
    path: String,
    pattern: Option<MatchedPath>,
    network: Network,
    reader: CountedReader,
}

impl Asked {
    /// Of a request; `None` for one that is not counted: a test of the operator's own, and the question of a browser
    /// whether it may ask.
    pub(super) fn of(request: &Request) -> Option<Self> {
        let headers = request.headers();
        if *request.method() == Method::OPTIONS || is_smoke(headers) {
            return None;
        }
        Some(Self {
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            pattern: request.extensions().get::<MatchedPath>().cloned(),
            network: client(request.extensions(), headers),
            reader: reader(headers, *request.method() == Method::HEAD),
        })
    }

    /// What its answer shows.
    pub(super) fn outcome(&self, site: &Site, response: &Response) -> AnswerOutcome {
        let tool = response.extensions().get::<ToolCalled>().copied();
        AnswerOutcome { surface: self.surface(site, response), tool, status: response.status().as_u16() }
    }

    /// Counts its answer.
    pub(super) async fn count(&self, services: &Services, outcome: AnswerOutcome, took: Duration) {
        let AnswerOutcome { surface, tool, status } = outcome;
        let method = known_method(self.method.as_str());
        let route = self.pattern.as_ref().map(|pattern| format!("{method} {}", pattern.as_str()));
        let mut reader = self.reader.clone();
        if tool.is_some() {
            reader.kind = reader.kind.over_mcp();
        }
        let answered = AnsweredRequest {
            surface,
            reader: &reader,
            network: self.network,
            tool: tool.and_then(|tool| tool.0),
            route: route.as_deref(),
            status,
            took,
        };
        services.counter().answered(services.database(), services.ports(), &answered).await;
    }

    fn surface(&self, site: &Site, response: &Response) -> Option<Surface> {
        let path = self.path.as_str();
        if response.extensions().get::<ToolCalled>().is_some() {
            return Some(Surface::Mcp);
        }
        if path == "/api" || path.starts_with("/api/") {
            // The health check and what our own pages report are no use of it.
            let is_use = path != handlers::HEALTH_PATH && !handlers::REPORT_PATHS.contains(&path);
            return (is_use && !is_for_operator(site, path)).then_some(Surface::Api);
        }
        let is_answer = matches!(response.status(), StatusCode::OK | StatusCode::NOT_MODIFIED);
        if !is_answer || !matches!(self.method, Method::GET | Method::HEAD) {
            return None;
        }
        if path == widget::PATH {
            return Some(Surface::Widget);
        }
        if path.starts_with("/badge/") {
            return Some(Surface::Badge);
        }
        if DOCUMENTS.contains(&path)
            || DOCUMENT_FOLDERS.iter().any(|folder| path.starts_with(folder))
            || (path.starts_with("/llms") && path.ends_with(".txt"))
        {
            return Some(Surface::Documents);
        }
        let is_page = self.method == Method::GET && response.extensions().get::<PageShown>().is_some();
        is_page.then_some(Surface::Page)
    }
}

/// Whether an operation at this path is the operator's only.
fn is_for_operator(site: &Site, path: &str) -> bool {
    site.operations().iter().any(|operation| operation.path == path && operation.access == Access::Operator)
}
