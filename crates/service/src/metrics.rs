//! What this process has done since it started, for the operator's monitoring (OpenMetrics). Names and labels are those of
//! OpenTelemetry's semantic conventions where these have one. No label comes from outside: routes are patterns.

use std::time::Duration;

use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// Bounds of the buckets of an answer's time in seconds, as the semantic conventions for HTTP advise
/// (`http.server.request.duration`), and one more: an audit may take longer than ten.
const ANSWER_SECONDS: [f64; 15] =
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 25.0];

/// A histogram for each combination of labels.
type Histograms<const LABELS: usize> = Family<[(&'static str, String); LABELS], Histogram, fn() -> Histogram>;

/// Counts of this process.
#[derive(Debug)]
pub struct ProcessMetrics {
    answers: Histograms<3>,
    audits: Histograms<1>,
}

impl Default for ProcessMetrics {
    fn default() -> Self {
        let histogram: fn() -> Histogram = || Histogram::new(ANSWER_SECONDS);
        Self { answers: Family::new_with_constructor(histogram), audits: Family::new_with_constructor(histogram) }
    }
}

impl ProcessMetrics {
    /// Notes an answer: its method, the pattern of its route (empty for none), its status, and the time that it took.
    pub fn answered(&self, method: &str, route: &str, status: u16, took: Duration) {
        // Others are in no route, and anybody may make some up.
        let method = match method {
            "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" => method,
            _ => "_OTHER",
        };
        let labels = [
            ("http_request_method", method.to_owned()),
            ("http_route", route.to_owned()),
            ("http_response_status_code", status.to_string()),
        ];
        self.answers.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// Notes an audit: `ok`, or the code of its error, and the time that it took.
    pub(crate) fn audited(&self, outcome: &str, took: Duration) {
        self.audits.get_or_create(&[("outcome", outcome.to_owned())]).observe(took.as_secs_f64());
    }

    /// Adds all of them to a registry; `own` is its part for names of our own.
    pub fn register(&self, registry: &mut Registry) {
        registry.register_with_unit(
            "http_server_request_duration",
            "Time from a request to its answer",
            Unit::Seconds,
            self.answers.clone(),
        );
        let own = registry.sub_registry_with_prefix("site_audit");
        own.register_with_unit(
            "audit_duration",
            "Time of an audit, by its outcome",
            Unit::Seconds,
            self.audits.clone(),
        );
    }
}
