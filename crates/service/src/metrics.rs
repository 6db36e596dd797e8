//! What this process has done since it started, for the operator's monitoring (OpenMetrics). Names and labels are those of
//! OpenTelemetry's semantic conventions where these have one. No label comes from outside: routes are patterns.

use std::time::Duration;

use engine::AuditTimes;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use tokio::time::Instant;

/// Bounds of the buckets of an answer's time in seconds, as the semantic conventions for HTTP advise
/// (`http.server.request.duration`), and one more: an audit may take longer than ten.
const ANSWER_SECONDS: [f64; 15] =
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 25.0];

/// Bounds of the buckets of a part of an audit in seconds: parsing a usual page takes less than a millisecond.
const STAGE_SECONDS: [f64; 16] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 25.0];

/// Bounds of the buckets of a job's time in seconds: lab tests take minutes.
const JOB_SECONDS: [f64; 12] = [0.01, 0.05, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];

/// A histogram for each combination of labels.
type Histograms<const LABELS: usize> = Family<[(&'static str, String); LABELS], Histogram, fn() -> Histogram>;

/// A gauge for each value of one label.
type Gauges = Family<[(&'static str, &'static str); 1], Gauge>;

/// Counts of this process.
#[derive(Debug)]
pub struct ProcessMetrics {
    answers: Histograms<3>,
    active: Gauges,
    connections: Gauge,
    limits: Gauges,
    audits: Histograms<1>,
    stages: Histograms<1>,
    jobs: Histograms<2>,
}

impl Default for ProcessMetrics {
    fn default() -> Self {
        let of_answers: fn() -> Histogram = || Histogram::new(ANSWER_SECONDS);
        let of_stages: fn() -> Histogram = || Histogram::new(STAGE_SECONDS);
        let of_jobs: fn() -> Histogram = || Histogram::new(JOB_SECONDS);
        Self {
            answers: Family::new_with_constructor(of_answers),
            active: Family::default(),
            connections: Gauge::default(),
            limits: Family::default(),
            audits: Family::new_with_constructor(of_answers),
            stages: Family::new_with_constructor(of_stages),
            jobs: Family::new_with_constructor(of_jobs),
        }
    }
}

/// Something under way, counted until this is dropped.
#[derive(Debug)]
#[must_use]
pub struct UnderWay(Gauge);

impl UnderWay {
    fn of(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// A method as it is told: others than those of routes count as one, as anybody may make some up.
pub fn known_method(method: &str) -> &'static str {
    const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    METHODS.into_iter().find(|known| *known == method).unwrap_or("_OTHER")
}

impl ProcessMetrics {
    /// Notes a request that is being answered.
    pub fn answering(&self, method: &str) -> UnderWay {
        UnderWay::of(&self.active.get_or_create(&[("http_request_method", known_method(method))]))
    }

    /// Notes an open connection of a caller.
    pub fn connected(&self) -> UnderWay {
        UnderWay::of(&self.connections)
    }

    /// Sets the highest number of something at the same time.
    pub fn limit(&self, limit: &'static str, most: usize) {
        self.limits.get_or_create(&[("limit", limit)]).set(i64::try_from(most).unwrap_or(i64::MAX));
    }

    /// Notes an answer: its method, the pattern of its route (empty for none), its status, and the time that it took.
    pub fn answered(&self, method: &str, route: &str, status: u16, took: Duration) {
        let labels = [
            ("http_request_method", known_method(method).to_owned()),
            ("http_route", route.to_owned()),
            ("http_response_status_code", status.to_string()),
        ];
        self.answers.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// Notes an audit: `ok`, or the code of its error, and the time that it took.
    pub(crate) fn audited(&self, outcome: &str, took: Duration) {
        self.audits.get_or_create(&[("outcome", outcome.to_owned())]).observe(took.as_secs_f64());
    }

    /// Notes the parts of an audit: `fetch`, `parse` and `judge`.
    pub(crate) fn stages(&self, times: &AuditTimes) {
        for (stage, (from, to)) in [("fetch", times.fetch), ("parse", times.parse), ("judge", times.judge)] {
            self.stage(stage, from, to);
        }
    }

    /// Notes a part of an audit.
    pub(crate) fn stage(&self, stage: &str, from: Instant, to: Instant) {
        let took = to.saturating_duration_since(from);
        self.stages.get_or_create(&[("stage", stage.to_owned())]).observe(took.as_secs_f64());
    }

    /// Notes a run of a job: its lane, what became of it (`done`, `retried` or `given_up`), and the time that it took.
    pub(crate) fn job_ran(&self, lane: &str, outcome: &str, took: Duration) {
        let labels = [("lane", lane.to_owned()), ("outcome", outcome.to_owned())];
        self.jobs.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// Adds all of them to a registry; those with names of our own begin with `site_audit`.
    pub fn register(&self, registry: &mut Registry) {
        let duration = "http_server_request_duration";
        registry.register_with_unit(duration, "Time from a request to its answer", Unit::Seconds, self.answers.clone());
        registry.register("http_server_active_requests", "Requests that are being answered", self.active.clone());
        let own = registry.sub_registry_with_prefix("site_audit");
        own.register("connections", "Open connections of callers", self.connections.clone());
        own.register("limit", "Highest number at the same time", self.limits.clone());
        own.register_with_unit(
            "audit_duration",
            "Time of an audit, by its outcome",
            Unit::Seconds,
            self.audits.clone(),
        );
        let help = "Time of a part of an audit";
        own.register_with_unit("audit_stage_duration", help, Unit::Seconds, self.stages.clone());
        own.register_with_unit(
            "job_duration",
            "Time of a run of a job, by its outcome",
            Unit::Seconds,
            self.jobs.clone(),
        );
    }
}
