//! Metrics for the operator's monitoring (OpenMetrics 1.0).

use bytes::Bytes;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use schemars::{Schema, SchemaGenerator};

use crate::operation::{Access, IntoReply, Nothing, Operation, Reply};
use service::caller::Cx;
use service::database::DatabaseError;
use service::error::{Code, ServiceError};
use service::health::{self, MoneyInMotion};
use service::x402::FacilitatorState;

const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A gauge for each value of one label.
type Labelled = Family<[(&'static str, String); 1], Gauge>;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/metrics", "get_openmetrics", read)
            .text(
                "Watch over the service",
                "For the operator's monitoring, as OpenMetrics: answers by route and status with their times, audits by \
                 outcome, jobs that wait, memory, whether the database answers and takes writes, whether the facilitator \
                 answers, payments \
                 that are not over by state, Pix requests that wait for a decision, and what came in today (UTC). \
                 `unclear` payments and waiting requests need a look: `site-audit operator payments`, `site-audit pix \
                 list`. What the database can't tell while it is down is left out.",
            )
            .access(Access::Operator)
            .without_tool(),
    ]
}

async fn read(cx: Cx, _: Nothing) -> Result<OpenMetricsText, ServiceError> {
    let mut all = Registry::default();
    cx.services.metrics().register(&mut all);
    let jobs = health::jobs(&cx.services).await;
    if let Some(bytes) = health::memory() {
        let gauge = Gauge::<i64>::default();
        gauge.set(bytes.cast_signed());
        all.register_with_unit("process_memory_usage", "Resident memory", Unit::Bytes, gauge);
    }
    let registry = all.sub_registry_with_prefix("site_audit");
    let build = [("version", env!("CARGO_PKG_VERSION")), ("commit", cx.services.build().commit)];
    registry.register("build", "What runs", Info::new(build));
    let facilitator = facilitator_up(health::facilitator(&cx.services));
    note(registry, "facilitator_up", "Whether payments can be settled", facilitator);
    let money = health::money_in_motion(&cx.services).await;
    note(registry, "database_up", "Whether the database answers", Some(i64::from(money.is_ok())));
    let takes_writes = Some(i64::from(health::database_takes_writes(&cx.services)));
    note(registry, "database_takes_writes", "Whether the last write to the database was done", takes_writes);
    // While it is down the rest of the answer is true; a defect is one also here.
    match money {
        Ok(money) => register(registry, money),
        Err(DatabaseError::Down | DatabaseError::Full) => {}
        Err(error) => return Err(error.into()),
    }
    // As above: what the database can't tell is left out.
    if let Ok(jobs) = jobs {
        let queued = Family::<[(&'static str, String); 2], Gauge>::default();
        for count in jobs {
            queued
                .get_or_create(&[("lane", count.lane), ("state", count.state.to_owned())])
                .set(count.jobs.cast_signed());
        }
        registry.register("jobs", "Jobs that wait, and those that were given up", queued);
    }
    let mut text = String::new();
    encode(&mut text, &all).map_err(|error| {
        tracing::error!(%error, "metrics could not be written");
        ServiceError::new(Code::Internal)
    })?;
    Ok(OpenMetricsText(text))
}

/// Registers a gauge; none without a value.
fn note(registry: &mut Registry, name: &str, help: &str, value: Option<i64>) {
    let Some(value) = value else { return };
    let gauge = Gauge::<i64>::default();
    gauge.set(value);
    registry.register(name, help, gauge);
}

/// `None` where nothing is charged, or before the first health check.
fn facilitator_up(standing: Option<FacilitatorState>) -> Option<i64> {
    match standing? {
        FacilitatorState::Unasked => None,
        FacilitatorState::Up => Some(1),
        FacilitatorState::Unfit | FacilitatorState::Down => Some(0),
    }
}

fn register(registry: &mut Registry, money: MoneyInMotion) {
    let payments = Labelled::default();
    for (state, count) in money.unfinished_payments {
        payments.get_or_create(&[("state", state.name().to_owned())]).set(count.cast_signed());
    }
    registry.register("payments", "Payments by x402 that are not over", payments);
    let waiting = Some(money.waiting_pix.cast_signed());
    note(registry, "pix_requests_waiting", "Pix requests that nobody has decided", waiting);
    let received = Labelled::default();
    for (network, amount) in money.received {
        let by = network.unwrap_or_else(|| "pix".to_owned());
        received.get_or_create(&[("by", by)]).set(amount.0.cast_signed());
    }
    let help = "What came in since midnight (UTC), for calls and for credit, in millionths of a dollar";
    registry.register("received_micros", help, received);
}

/// OpenMetrics text.
struct OpenMetricsText(String);

impl IntoReply for OpenMetricsText {
    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply { media_type: MEDIA_TYPE, ..Reply::json(Bytes::from(self.0)) })
    }

    fn describe(_: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        (MEDIA_TYPE, None)
    }
}
