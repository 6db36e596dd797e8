//! Page views that our own script reports, once a page is visible.

use schemars::JsonSchema;
use serde::Serialize;

use crate::caller::Cx;
use crate::counting::{Event, ReaderKind};

/// The path under which a command line with telemetry reports.
const COMMAND_LINE: &str = "cli";
/// Characters of the id of a request.
const ID_CHARS: usize = 32;

/// A page view as it was reported.
#[derive(Debug)]
pub struct Visit {
    /// Whether its path is that of a page of ours.
    pub is_page: bool,
    /// Its path.
    pub path: String,
    /// Whether it is a test of the operator's own.
    pub is_smoke: bool,
    /// The id of the request that the page answered, where the page did not come from a cache.
    pub request_id: Option<String>,
}

/// Whether a page view is counted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VisitAnswer {
    /// Always true.
    ok: bool,
    /// Whether the view is counted.
    counted: bool,
    /// Why it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<NotCounted>,
}

/// Why a page view is not counted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum NotCounted {
    /// It is a test of the operator's own.
    Smoke,
    /// A program reported it.
    Machine,
    /// No page of ours has this path.
    UnknownPath,
    /// The network reported more than 60 within a minute.
    TooMany,
}

/// Counts a page view. The server that answered a request has counted its page already: a view with the id of its request
/// adds nothing.
pub async fn visit(cx: &Cx, visit: Visit) -> VisitAnswer {
    let (services, reader) = (&cx.services, &cx.caller.reader);
    let now = services.ports().now();
    let refused = if cx.caller.is_smoke || visit.is_smoke {
        Some(NotCounted::Smoke)
    } else if !services.counter().admits_visit(cx.caller.network, now) {
        Some(NotCounted::TooMany)
    } else if visit.path == COMMAND_LINE {
        services.counter().add(&Event::CommandLine, now);
        return VisitAnswer { ok: true, counted: true, reason: None };
    } else if reader.kind != ReaderKind::Person {
        Some(NotCounted::Machine)
    } else if !visit.is_page {
        Some(NotCounted::UnknownPath)
    } else {
        None
    };
    if refused.is_none() && !visit.request_id.as_deref().is_some_and(is_request_id) {
        services.counter().viewed(services.database(), services.ports(), reader, cx.caller.network).await;
    }
    VisitAnswer { ok: true, counted: refused.is_none(), reason: refused }
}

fn is_request_id(text: &str) -> bool {
    text.len() == ID_CHARS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
