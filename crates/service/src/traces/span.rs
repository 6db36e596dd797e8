//! A span that is under way.

use std::borrow::Cow;
use std::sync::Arc;

use tokio::time::Instant;

use super::context::TraceContext;
use super::exporter::Exporter;
use super::finished::{FinishedSpan, SpanKind, SpanValue};
use crate::ports::{Entropy, Ports};

/// A span that is under way. It is recorded when it is ended, and not when it is dropped. Cheap to clone.
#[derive(Debug, Clone)]
pub struct OpenSpan {
    exporter: Arc<Exporter>,
    entropy: Arc<dyn Entropy>,
    context: TraceContext,
    parent: Option<[u8; 8]>,
    /// The same instant by both clocks: the outermost span of this process began then, and all below it count from it.
    anchor: (u64, Instant),
    begun: Instant,
}

impl OpenSpan {
    /// The outermost span of this process, in the trace of `parent` or in a new one.
    pub(super) fn root(exporter: Arc<Exporter>, ports: &Ports, parent: Option<TraceContext>) -> Self {
        let entropy = Arc::clone(&ports.entropy);
        let (trace, span) = ids(&*entropy);
        let context = TraceContext { trace: parent.map_or(trace, |parent| parent.trace), span, is_sampled: true };
        let begun = Instant::now();
        let at = u64::try_from(ports.now().0).unwrap_or_default().saturating_mul(1_000_000);
        Self { exporter, entropy, context, parent: parent.map(|parent| parent.span), anchor: (at, begun), begun }
    }

    /// A span below this one, which begins now.
    #[must_use]
    pub fn child(&self) -> Self {
        let (_, span) = ids(&*self.entropy);
        let context = TraceContext { span, ..self.context };
        Self { context, parent: Some(self.context.span), begun: Instant::now(), ..self.clone() }
    }

    /// Its position in the trace.
    pub fn context(&self) -> TraceContext {
        self.context
    }

    /// Ends it now, and records it.
    pub fn end(
        self,
        name: impl Into<Cow<'static, str>>,
        kind: SpanKind,
        attributes: Vec<(&'static str, SpanValue)>,
        has_failed: bool,
    ) {
        let begun = self.begun;
        self.end_between(name.into(), kind, (begun, Instant::now()), attributes, has_failed);
    }

    /// Records it as one that began and ended then.
    pub(super) fn end_between(
        self,
        name: Cow<'static, str>,
        kind: SpanKind,
        (from, to): (Instant, Instant),
        attributes: Vec<(&'static str, SpanValue)>,
        has_failed: bool,
    ) {
        let (from, to) = (self.nanoseconds(from), self.nanoseconds(to));
        let Self { exporter, context, parent, .. } = self;
        exporter.add(FinishedSpan { context, parent, name, kind, from, to: to.max(from), attributes, has_failed });
    }

    fn nanoseconds(&self, instant: Instant) -> u64 {
        let (at, anchor) = self.anchor;
        let since = instant.saturating_duration_since(anchor);
        at.saturating_add(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
    }
}

/// Random ids of a trace and of a span.
fn ids(entropy: &dyn Entropy) -> ([u8; 16], [u8; 8]) {
    let random = entropy.bytes();
    let (mut trace, mut span) = ([0; 16], [0; 8]);
    for (to, from) in trace.iter_mut().chain(&mut span).zip(random) {
        *to = from;
    }
    // All zeros are no id (W3C Trace Context, section 3.2.2.3).
    trace[0] |= u8::from(trace == [0; 16]);
    span[0] |= u8::from(span == [0; 8]);
    (trace, span)
}
