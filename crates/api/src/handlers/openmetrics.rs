//! Metrics for the operator's monitoring (OpenMetrics 1.0). Each of them is a row of docs/metrics.md.

use bytes::Bytes;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use schemars::{Schema, SchemaGenerator};

use crate::operation::{Access, IntoReply, Nothing, Operation, Reply};
use service::Services;
use service::caller::Cx;
use service::database::DatabaseError;
use service::error::{Code, ServiceError};
use service::health::{self, MoneyInMotion};
use service::traces::TraceCounts;
use service::x402::FacilitatorState;
use store::{LaneFigures, PoolState};

const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A gauge for each combination of labels.
type Labelled<const LABELS: usize> = Family<[(&'static str, String); LABELS], Gauge>;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/metrics", "get_openmetrics", read)
            .title("Get monitoring metrics", "Obter as métricas de monitoramento")
            .doc(
                "OpenMetrics for the operator: responses by route and status with their times, audits by outcome with \
                 the time of each stage, jobs, limits and their use, database connections, memory, whether the \
                 database responds and accepts writes, whether the facilitator responds, traces, open payments by \
                 state, pending Pix requests, and today's income (UTC). `unclear` payments and pending requests need \
                 action: `site-audit operator payments`, `site-audit pix list`. Values of the database are left out \
                 while it is down.",
                "OpenMetrics para o operador: respostas por rota e status com os tempos, auditorias por resultado com \
                 o tempo de cada etapa, tarefas, limites e o uso deles, conexões com o banco de dados, memória, se o \
                 banco de dados responde e aceita escritas, se o facilitador responde, traces, pagamentos abertos por \
                 estado, pedidos de Pix pendentes e a receita de hoje (UTC). Pagamentos `unclear` e pedidos pendentes \
                 exigem ação: `site-audit operator payments`, `site-audit pix list`. Os valores do banco de dados \
                 ficam de fora enquanto ele está fora do ar.",
            )
            .access(Access::Operator)
            .without_tool(),
    ]
}

async fn read(cx: Cx, _: Nothing) -> Result<OpenMetricsText, ServiceError> {
    let services = &cx.services;
    let mut all = Registry::default();
    services.metrics().register(&mut all);
    register_process(&mut all, services);
    register_pools(&mut all, &services.database().store().pools());
    if let Some(counts) = services.traces().counts() {
        register_traces(&mut all, counts);
    }
    let registry = all.sub_registry_with_prefix("site_audit");
    let build = [("version", env!("CARGO_PKG_VERSION")), ("commit", services.build().commit)];
    registry.register("build", "What runs", Info::new(build));
    register_use(registry, services);
    note(registry, "facilitator_up", "Whether payments can be settled", facilitator_up(health::facilitator(services)));
    let money = health::money_in_motion(services).await;
    note(registry, "database_up", "Whether the database answers", Some(i64::from(money.is_ok())));
    let takes_writes = Some(i64::from(health::database_takes_writes(services)));
    note(registry, "database_takes_writes", "Whether the last write to the database was done", takes_writes);
    // While it is down the rest of the answer is true; a defect is one also here.
    match money {
        Ok(money) => register_money(registry, money),
        Err(DatabaseError::Down | DatabaseError::Full) => {}
        Err(error) => return Err(error.into()),
    }
    // As above: what the database can't tell is left out.
    if let Ok(lanes) = health::lanes(services).await {
        register_jobs(registry, services, &lanes);
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
    registry.register(name, help, gauge(value));
}

fn gauge(value: i64) -> Gauge {
    let gauge = Gauge::default();
    gauge.set(value);
    gauge
}

/// A number as a gauge has it.
fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn register_process(registry: &mut Registry, services: &Services) {
    if let Some(bytes) = health::memory() {
        let memory = gauge(bytes.cast_signed());
        registry.register_with_unit("process_memory_usage", "Resident memory", Unit::Bytes, memory);
    }
    let descriptors = health::open_files().map(number);
    note(registry, "process_open_file_descriptor_count", "Open file descriptors", descriptors);
    let up = services.ports().now().0.saturating_sub(services.started_at().0) / 1_000;
    registry.register_with_unit("process_uptime", "Time since the start", Unit::Seconds, gauge(up));
}

/// Connections to the database (semantic conventions for database clients).
fn register_pools(registry: &mut Registry, pools: &[PoolState]) {
    const POOL: &str = "db_client_connection_pool_name";
    let (count, max, pending) = (Labelled::<2>::default(), Labelled::<1>::default(), Labelled::<1>::default());
    for pool in pools {
        let name = pool.name.to_owned();
        for (state, connections) in [("idle", pool.idle), ("used", pool.used)] {
            let labels = [(POOL, name.clone()), ("db_client_connection_state", state.to_owned())];
            count.get_or_create(&labels).set(connections.cast_signed());
        }
        max.get_or_create(&[(POOL, name.clone())]).set(pool.most.cast_signed());
        if let Some(waiting) = pool.waiting {
            pending.get_or_create(&[(POOL, name)]).set(waiting.cast_signed());
        }
    }
    registry.register("db_client_connection_count", "Database connections by state", count);
    registry.register("db_client_connection_max", "Database connections that may be open", max);
    let help = "Writes that wait for the connection that writes";
    registry.register("db_client_connection_pending_requests", help, pending);
}

/// Traces (semantic conventions for SDK metrics).
fn register_traces(registry: &mut Registry, counts: TraceCounts) {
    const ERROR: &str = "error_type";
    let (exported, processed) = (Family::<[(&str, &str); 1], Counter>::default(), Family::<_, Counter>::default());
    exported.get_or_create(&[(ERROR, "")]).inc_by(counts.exported);
    exported.get_or_create(&[(ERROR, "rejected")]).inc_by(counts.rejected);
    processed.get_or_create(&[(ERROR, "queue_full")]).inc_by(counts.lost);
    registry.register("otel_sdk_exporter_span_exported", "Spans that the receiver was sent", exported);
    registry.register("otel_sdk_processor_span_processed", "Spans that found no room in the queue", processed);
    registry.register("otel_sdk_processor_span_queue_size", "Spans that wait", gauge(number(counts.waiting)));
    let capacity = gauge(number(counts.capacity));
    registry.register("otel_sdk_processor_span_queue_capacity", "Spans that may wait", capacity);
}

/// How much of the limits is in use, and what waits for a core.
fn register_use(registry: &mut Registry, services: &Services) {
    let (audits, most_audits) = services.concurrency().audits();
    let (bodies, most_bodies) = services.concurrency().large_bodies();
    let (pages, most_pages) = services.engine().large_pages();
    let metrics = services.metrics();
    metrics.limit("audits", most_audits);
    metrics.limit("large_body_bytes", most_bodies);
    metrics.limit("large_page_bytes", most_pages);
    note(registry, "audits_fetching", "Audits that fetch", Some(number(audits)));
    note(registry, "large_body_bytes", "Bytes that large request bodies hold", Some(number(bodies)));
    note(registry, "large_page_bytes", "Bytes that large parsed pages hold", Some(number(pages)));
    let (waiting, queues) = (Labelled::<1>::default(), services.engine().core_queues());
    for (size, count) in [("usual", queues.usual), ("large", queues.large)] {
        waiting.get_or_create(&[("size", size.to_owned())]).set(number(count));
    }
    registry.register("core_queue", "Pages and files that wait for a core", waiting);
}

/// The queue of jobs.
fn register_jobs(registry: &mut Registry, services: &Services, lanes: &[LaneFigures]) {
    let now = services.ports().now().0;
    let (queued, late) = (Labelled::<2>::default(), Labelled::<1>::default());
    for lane in lanes {
        for (state, count) in [("waiting", lane.waiting), ("dead", lane.failed)] {
            let labels = [("lane", lane.lane.clone()), ("state", state.to_owned())];
            queued.get_or_create(&labels).set(count.cast_signed());
        }
        let overdue = lane.oldest_due_at.map_or(0, |due| now.saturating_sub(due.0).max(0) / 1_000);
        late.get_or_create(&[("lane", lane.lane.clone())]).set(overdue);
    }
    registry.register("jobs", "Jobs that wait, and those that were given up", queued);
    let help = "How long the oldest waiting job has been due";
    registry.register_with_unit("jobs_oldest_due", help, Unit::Seconds, late);
}

/// `None` where nothing is charged, or before the first health check.
fn facilitator_up(standing: Option<FacilitatorState>) -> Option<i64> {
    match standing? {
        FacilitatorState::Unasked => None,
        FacilitatorState::Up => Some(1),
        FacilitatorState::Unfit | FacilitatorState::Down => Some(0),
    }
}

fn register_money(registry: &mut Registry, money: MoneyInMotion) {
    let payments = Labelled::<1>::default();
    for (state, count) in money.unfinished_payments {
        payments.get_or_create(&[("state", state.name().to_owned())]).set(count.cast_signed());
    }
    registry.register("payments", "Payments by x402 that are not over", payments);
    let waiting = Some(money.waiting_pix.cast_signed());
    note(registry, "pix_requests_waiting", "Pix requests that nobody has decided", waiting);
    let received = Labelled::<1>::default();
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
