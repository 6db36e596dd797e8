//! Traces for the operator (OpenTelemetry): where a request or a job spends its time.
//!
//! A span holds what is given to it by name and nothing else: no address, no query string, no text of a caller. Spans wait
//! in a bounded queue and are sent in the background; a receiver that is away costs spans, and nothing besides.

mod context;
mod exporter;
mod finished;
mod otlp;
mod span;

use std::sync::Arc;
use std::time::Duration;

use fetch::Fetcher;
use tokio::time::Instant;

pub use self::context::TraceContext;
pub use self::exporter::TraceCounts;
pub use self::finished::{SpanKind, SpanValue};
pub use self::span::OpenSpan;

use self::exporter::Exporter;
use crate::config::OtelSettings;
use crate::ports::Ports;

/// Between two exports (`OTEL_BSP_SCHEDULE_DELAY` of the OpenTelemetry specification, whose default this is).
pub const EXPORT_EVERY: Duration = Duration::from_secs(5);

/// Timeout of an export (`OTEL_EXPORTER_OTLP_TIMEOUT`, likewise).
pub const EXPORT_TIME: Duration = Duration::from_secs(10);

tokio::task_local! {
    static CURRENT: Option<OpenSpan>;
}

/// The traces of a server.
#[derive(Debug)]
pub struct Traces {
    /// `None`: traces are off.
    exporter: Option<Arc<Exporter>>,
}

impl Traces {
    /// As configured. `service` names this service, `version` its version.
    pub fn new(settings: &OtelSettings, service: &str, version: &str, ports: &Ports) -> Self {
        Self { exporter: Exporter::new(settings, service, version, ports).map(Arc::new) }
    }

    /// Begins a span that no other span of this process holds. `traceparent` is that of the caller or of the job; one that
    /// can't be read begins a new trace. `None` where traces are off, or where whoever began the trace does not record it.
    pub fn begin(&self, ports: &Ports, traceparent: Option<&str>) -> Option<OpenSpan> {
        let exporter = self.exporter.as_ref()?;
        let parent = traceparent.and_then(TraceContext::read);
        if parent.is_some_and(|parent| !parent.is_sampled) {
            return None;
        }
        Some(OpenSpan::root(Arc::clone(exporter), ports, parent))
    }

    /// Sends what waits, until `deadline`. What the receiver does not take now waits for the next time.
    pub async fn export(&self, fetcher: &Fetcher, deadline: Instant) {
        if let Some(exporter) = &self.exporter {
            exporter.export(fetcher, deadline).await;
        }
    }

    /// What became of the spans so far; `None` where traces are off.
    pub fn counts(&self) -> Option<TraceCounts> {
        self.exporter.as_ref().map(|exporter| exporter.counts())
    }
}

/// Runs work within a span: what it records is below it. The work lies on the heap: requests and audits run within one
/// another, and as parts of one future they would outgrow the stack of a thread.
pub async fn within<T>(span: Option<OpenSpan>, work: impl Future<Output = T>) -> T {
    CURRENT.scope(span, Box::pin(work)).await
}

/// The span that this work runs within.
pub fn current() -> Option<OpenSpan> {
    CURRENT.try_with(Clone::clone).ok().flatten()
}

/// Begins a span below the current one.
pub fn begin_child() -> Option<OpenSpan> {
    current().map(|span| span.child())
}

/// Records a finished span below the current one.
pub fn record(
    name: &'static str,
    kind: SpanKind,
    (from, to): (Instant, Instant),
    attributes: Vec<(&'static str, SpanValue)>,
) {
    if let Some(span) = current() {
        span.child().end_between(name.into(), kind, (from, to), attributes, false);
    }
}

/// The header `traceparent` for what this work causes later (W3C Trace Context, section 3.2).
pub fn traceparent() -> Option<String> {
    current().map(|span| span.context().to_string())
}
