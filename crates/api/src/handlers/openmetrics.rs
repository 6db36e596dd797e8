//! What a program that watches over this server reads (OpenMetrics 1.0): what is up, and what waits for a person.

use bytes::Bytes;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use schemars::{Schema, SchemaGenerator};

use crate::operation::{Access, Answer, Nothing, Operation, Reply};
use service::Services;
use service::caller::Cx;
use service::database::DatabaseError;
use service::error::{Code, ServiceError};
use service::x402::{Facilitator, Standing};

const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A gauge for each value of one label.
type Labelled = Family<[(&'static str, String); 1], Gauge>;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/metrics", "get_openmetrics", read)
            .text(
                "Watch over the service",
                "For the operator's monitoring, as OpenMetrics: whether the database and the facilitator answer, payments \
                 that are not over by state, Pix requests that wait for a decision, and what came in today (UTC). \
                 `unclear` payments and waiting requests need a look: `site-audit operator payments`, `site-audit pix \
                 list`. What the database can't tell while it is down is left out.",
            )
            .access(Access::Operator)
            .without_tool(),
    ]
}

async fn read(cx: Cx, _: Nothing) -> Result<Text, ServiceError> {
    let mut registry = Registry::with_prefix("site_audit");
    let build = [("version", env!("CARGO_PKG_VERSION")), ("commit", cx.services.build().commit)];
    registry.register("build", "What runs", Info::new(build));
    note(&mut registry, "facilitator_up", "Whether payments can be settled", facilitator_is_up(&cx.services));
    let known = known(&cx.services).await;
    note(&mut registry, "database_up", "Whether the database answers", Some(i64::from(known.is_ok())));
    // While it is down the rest of the answer is true; a defect is one also here.
    match known {
        Ok(known) => known.register(&mut registry),
        Err(DatabaseError::Down) => {}
        Err(error) => return Err(error.into()),
    }
    let mut text = String::new();
    encode(&mut text, &registry).map_err(|error| {
        tracing::error!(%error, "metrics could not be written");
        ServiceError::new(Code::Internal)
    })?;
    Ok(Text(text))
}

/// Registers a number; none that is not known.
fn note(registry: &mut Registry, name: &str, help: &str, value: Option<i64>) {
    let Some(value) = value else { return };
    let gauge = Gauge::<i64>::default();
    gauge.set(value);
    registry.register(name, help, gauge);
}

/// None where nothing is charged, or nobody was asked yet.
fn facilitator_is_up(services: &Services) -> Option<i64> {
    let payments = services.payments();
    match payments.facilitator().filter(|_| payments.is_live()).map(Facilitator::standing)? {
        Standing::Unasked => None,
        Standing::Up => Some(1),
        Standing::Unfit | Standing::Down => Some(0),
    }
}

/// What the database knows.
struct Known {
    /// Payments that are not over, by state.
    payments: Vec<(&'static str, u64)>,
    /// Pix requests that nobody has decided.
    pix: u64,
    /// What came in today by network, and by `pix`, in millionths of a dollar.
    received: Vec<(String, u64)>,
}

async fn known(services: &Services) -> Result<Known, DatabaseError> {
    let (now, database) = (services.ports().now(), services.database());
    let midnight = now.day().start();
    let payments = database.ask(|store| store.unfinished_payments()).await?;
    let received = database.ask(|store| store.received(midnight, now.plus_ms(1))).await?;
    Ok(Known {
        payments: payments.into_iter().map(|(state, many)| (state.name(), many)).collect(),
        pix: database.ask(|store| store.waiting_pix()).await?,
        received: received
            .into_iter()
            .map(|(network, (amount, _))| (network.unwrap_or_else(|| "pix".to_owned()), amount.0))
            .collect(),
    })
}

impl Known {
    fn register(self, registry: &mut Registry) {
        let payments = Labelled::default();
        for (state, many) in self.payments {
            payments.get_or_create(&[("state", state.to_owned())]).set(many.cast_signed());
        }
        registry.register("payments", "Payments by x402 that are not over", payments);
        note(registry, "pix_requests_waiting", "Pix requests that nobody has decided", Some(self.pix.cast_signed()));
        let received = Labelled::default();
        for (by, micros) in self.received {
            received.get_or_create(&[("by", by)]).set(micros.cast_signed());
        }
        let help = "What came in since midnight (UTC), for calls and for credit, in millionths of a dollar";
        registry.register("received_micros", help, received);
    }
}

/// OpenMetrics text.
struct Text(String);

impl Answer for Text {
    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply { media_type: MEDIA_TYPE, ..Reply::json(Bytes::from(self.0)) })
    }

    fn describe(_: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        (MEDIA_TYPE, None)
    }
}
