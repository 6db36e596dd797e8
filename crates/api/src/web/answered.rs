//! Counting of answered requests: which surface of the service each one used, and who asked.

use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use http::{HeaderMap, HeaderName, Method, StatusCode, header};
use service::Services;
use service::counting::{Answered, ReaderKind, Sender, Surface, is_smoke};
use service::network::Network;
use service::widget;
use std::time::Duration;

use crate::handlers;
use crate::operation::Access;
use crate::request::client;
use crate::response::PageShown;
use crate::site::Site;

/// Calls of the API that are no use of it: the health check, and what our own pages report.
const NO_USE: [&str; 4] = [handlers::HEALTH_PATH, "/api/visit", "/api/erro-cliente", "/api/pagamento/aberto"];
/// Documents for programs.
const DOCUMENTS: [&str; 4] = ["/openapi.json", "/agent.json", "/apis.json", "/feeds"];
/// Beginnings of the paths of others.
const DOCUMENT_FOLDERS: [&str; 3] = ["/okf/", "/.well-known/", "/feeds/"];
/// Methods that routes have; others count as one.
const METHODS: [Method; 6] = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
/// Bytes of a user agent that are read.
const AGENT_BYTES: usize = 512;

/// Marks the answer to a call of a tool over MCP.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolCalled(pub(super) Option<&'static str>);

/// What the answer to a request shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
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
    user_agent: String,
    signature_agent: String,
    language: Option<String>,
}

impl Asked {
    /// Of a request; `None` for one that is not counted: a test of the operator's own, and the question of a browser
    /// whether it may ask.
    pub(super) fn of(request: &Request) -> Option<Self> {
        let headers = request.headers();
        let user_agent = value(headers, &header::USER_AGENT);
        if *request.method() == Method::OPTIONS || is_smoke(user_agent, headers.contains_key("x-mm-smoke")) {
            return None;
        }
        Some(Self {
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            pattern: request.extensions().get::<MatchedPath>().cloned(),
            network: client(request.extensions(), headers),
            user_agent: user_agent.get(..AGENT_BYTES).unwrap_or(user_agent).to_owned(),
            signature_agent: value(headers, &HeaderName::from_static("signature-agent")).to_owned(),
            language: language(value(headers, &header::ACCEPT_LANGUAGE)),
        })
    }

    /// What its answer shows.
    pub(super) fn outcome(&self, site: &Site, response: &Response) -> Outcome {
        let tool = response.extensions().get::<ToolCalled>().copied();
        Outcome { surface: self.surface(site, response), tool, status: response.status().as_u16() }
    }

    /// Counts its answer.
    pub(super) async fn count(&self, services: &Services, outcome: Outcome, took: Duration) {
        let Outcome { surface, tool, status } = outcome;
        let method = METHODS.iter().find(|method| **method == self.method).map_or("OTHER", Method::as_str);
        let route = self.pattern.as_ref().map(|pattern| format!("{method} {}", pattern.as_str()));
        let sender = Sender {
            user_agent: &self.user_agent,
            signature_agent: &self.signature_agent,
            is_head: self.method == Method::HEAD,
            is_mcp: tool.is_some(),
        };
        let answered = Answered {
            surface,
            reader: ReaderKind::of(&sender),
            network: self.network,
            user_agent: &self.user_agent,
            language: self.language.as_deref(),
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
            return (!NO_USE.contains(&path) && !is_for_operator(site, path)).then_some(Surface::Api);
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

fn value<'h>(headers: &'h HeaderMap, name: &HeaderName) -> &'h str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The language that a reader prefers, as two letters; `None` for others, of which there are too many to count.
fn language(accepted: &str) -> Option<String> {
    let first = accepted.split([',', ';', '-']).next().unwrap_or_default().trim();
    let is_language = first.len() == 2 && first.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_language.then(|| first.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_two_letters() {
        for (accepted, wanted) in
            [("pt-BR,pt;q=0.9", Some("pt")), ("EN", Some("en")), ("*", None), ("tlh", None), ("", None), ("é", None)]
        {
            assert_eq!(language(accepted).as_deref(), wanted, "{accepted}");
        }
    }
}
