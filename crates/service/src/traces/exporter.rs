//! The queue of finished spans, and sending it to the receiver (OTLP over HTTP, as JSON).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fetch::{Fetcher, ServiceBody, ServiceQuestion};
use tokio::time::Instant;
use url::Url;

use super::finished::FinishedSpan;
use super::otlp::{self, Resource};
use crate::config::{OtelSettings, SecretText};
use crate::ports::Ports;

/// Finished spans that may wait (`OTEL_BSP_MAX_QUEUE_SIZE` of the OpenTelemetry specification, whose default this is): some
/// 1.5 MB. Further ones are lost.
const QUEUE: usize = 2_048;
/// Spans of one export (`OTEL_BSP_MAX_EXPORT_BATCH_SIZE`, likewise).
const BATCH: usize = 512;
/// Bytes of a receiver's answer that are read: an empty object, or a message about rejected spans.
const ANSWER_BYTES: usize = 64 * 1024;
/// Path of traces below the receiver's base URL (OTLP, "OTLP/HTTP Request").
const PATH: &str = "v1/traces";

/// What became of the spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceCounts {
    /// The receiver has them.
    pub exported: u64,
    /// The receiver answered that it does not take them.
    pub rejected: u64,
    /// The queue was full.
    pub lost: u64,
    /// They wait.
    pub waiting: usize,
    /// So many may wait.
    pub capacity: usize,
}

/// Sends spans to the receiver.
#[derive(Debug)]
pub(super) struct Exporter {
    url: Url,
    authorization: Option<SecretText>,
    resource: Resource,
    queue: Mutex<VecDeque<FinishedSpan>>,
    exported: AtomicU64,
    rejected: AtomicU64,
    lost: AtomicU64,
    is_failing: AtomicBool,
}

impl Exporter {
    /// As configured; `None` without a receiver.
    pub(super) fn new(settings: &OtelSettings, service: &str, version: &str, ports: &Ports) -> Option<Self> {
        let mut url = Url::parse(settings.endpoint.as_ref()?).ok()?;
        url.path_segments_mut().ok()?.pop_if_empty().extend(PATH.split('/'));
        Some(Self {
            url,
            authorization: settings.authorization.clone(),
            resource: Resource { service: service.to_owned(), version: version.to_owned(), instance: ports.id() },
            queue: Mutex::default(),
            exported: AtomicU64::new(0),
            rejected: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            is_failing: AtomicBool::new(false),
        })
    }

    /// Queues a span; in a full queue it is lost.
    pub(super) fn add(&self, span: FinishedSpan) {
        let mut queue = self.queue();
        if queue.len() < QUEUE {
            queue.push_back(span);
        } else {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Sends batches until none waits, the receiver fails, or `deadline`.
    pub(super) async fn export(&self, fetcher: &Fetcher, deadline: Instant) {
        while Instant::now() < deadline {
            let batch = TakenBatch::of(self);
            if batch.spans.is_empty() || !self.send(fetcher, batch, deadline).await {
                return;
            }
        }
    }

    /// Sends a batch; `false` where it waits for another time.
    async fn send(&self, fetcher: &Fetcher, mut batch: TakenBatch<'_>, deadline: Instant) -> bool {
        let question = ServiceQuestion {
            url: &self.url,
            body: Some(ServiceBody::Json(otlp::request(&self.resource, &batch.spans).to_string())),
            authorization: self.authorization.as_ref().map(SecretText::expose),
            answer_bytes: ANSWER_BYTES,
        };
        let count = batch.spans.len() as u64;
        let why = match fetcher.ask_service(question, deadline).await {
            Ok(answer) if (200..300).contains(&answer.status) => {
                batch.spans.clear();
                let rejected = otlp::rejected(&answer.body).min(count);
                self.rejected.fetch_add(rejected, Ordering::Relaxed);
                self.exported.fetch_add(count - rejected, Ordering::Relaxed);
                if self.is_failing.swap(false, Ordering::Relaxed) {
                    tracing::info!("trace export works again");
                }
                return true;
            }
            // The receiver may take them later (OTLP, "Retryable Response Codes").
            Ok(answer) if matches!(answer.status, 429 | 502 | 503 | 504) => answer.status.to_string(),
            Ok(answer) => {
                batch.spans.clear();
                self.rejected.fetch_add(count, Ordering::Relaxed);
                self.tell(&answer.status.to_string());
                return true;
            }
            Err(error) => error.0.to_owned(),
        };
        self.tell(&why);
        false
    }

    /// Logs that the receiver fails, once until it works again.
    fn tell(&self, why: &str) {
        if !self.is_failing.swap(true, Ordering::Relaxed) {
            tracing::warn!(why, "traces can't be exported (otel.endpoint); the service is not affected");
        }
    }

    /// Puts a batch back to the front; what has no room there any more is lost, the newest first.
    fn put_back(&self, batch: Vec<FinishedSpan>) {
        let mut queue = self.queue();
        for span in batch.into_iter().rev() {
            queue.push_front(span);
        }
        let too_many = queue.len().saturating_sub(QUEUE);
        queue.truncate(QUEUE);
        self.lost.fetch_add(too_many as u64, Ordering::Relaxed);
    }

    pub(super) fn counts(&self) -> TraceCounts {
        TraceCounts {
            exported: self.exported.load(Ordering::Relaxed),
            rejected: self.rejected.load(Ordering::Relaxed),
            lost: self.lost.load(Ordering::Relaxed),
            waiting: self.queue().len(),
            capacity: QUEUE,
        }
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<FinishedSpan>> {
        // Whole spans: a panic elsewhere can't have left one half written.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Spans that are being sent. What is left of them when this is dropped waits again: an export may be cancelled.
struct TakenBatch<'e> {
    exporter: &'e Exporter,
    spans: Vec<FinishedSpan>,
}

impl<'e> TakenBatch<'e> {
    /// The oldest ones.
    fn of(exporter: &'e Exporter) -> Self {
        let mut queue = exporter.queue();
        let count = queue.len().min(BATCH);
        let spans = queue.drain(..count).collect();
        drop(queue);
        Self { exporter, spans }
    }
}

impl Drop for TakenBatch<'_> {
    fn drop(&mut self) {
        self.exporter.put_back(std::mem::take(&mut self.spans));
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::TraceContext;
    use super::super::finished::SpanKind;
    use super::*;

    fn exporter(endpoint: &str) -> Exporter {
        let settings = OtelSettings { endpoint: Some(endpoint.to_owned()), ..OtelSettings::default() };
        Exporter::new(&settings, "site-audit", "1", &Ports::real()).unwrap()
    }

    fn span(number: u64) -> FinishedSpan {
        FinishedSpan {
            context: TraceContext { trace: [1; 16], span: [1; 8], is_sampled: true },
            parent: None,
            name: "work".into(),
            kind: SpanKind::Internal,
            from: number,
            to: number,
            attributes: Vec::new(),
            has_failed: false,
        }
    }

    #[test]
    fn traces_have_a_path_below_the_base() {
        for endpoint in ["http://127.0.0.1:4318", "http://127.0.0.1:4318/"] {
            assert_eq!(exporter(endpoint).url.as_str(), "http://127.0.0.1:4318/v1/traces");
        }
        assert_eq!(exporter("https://otel.example/in/").url.as_str(), "https://otel.example/in/v1/traces");
    }

    #[test]
    fn a_full_queue_loses_the_newest() {
        let exporter = exporter("http://127.0.0.1:4318");
        for number in 0..QUEUE as u64 + 3 {
            exporter.add(span(number));
        }
        assert_eq!((exporter.counts().waiting, exporter.counts().lost), (QUEUE, 3));
        let batch = TakenBatch::of(&exporter);
        exporter.add(span(9_999));
        drop(batch);
        assert_eq!((exporter.counts().waiting, exporter.counts().lost), (QUEUE, 4));
        assert_eq!(exporter.queue().front().map(|span| span.from), Some(0));
    }
}
