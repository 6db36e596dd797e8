//! What a program that watches over this server reads (OpenMetrics 1.0): what is up, and what waits for a person.

use bytes::Bytes;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use schemars::{Schema, SchemaGenerator};

use crate::app::{App, BUILD};
use crate::database::Trouble;
use crate::error::{ApiError, Code};
use crate::operation::{Access, Answer, Cx, Nothing, Operation, Reply};
use crate::payments::facilitator::{Facilitator, Standing};

const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A gauge for each value of one label.
type Labelled = Family<[(&'static str, &'static str); 1], Gauge>;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/metrics", "get_openmetrics", read)
            .text(
                "Watch over the service",
                "For the operator's monitoring, as OpenMetrics: whether the database and the facilitator answer, payments \
                 that are not over by state, and Pix requests that wait for a decision. `unclear` payments and waiting \
                 requests need a look: `site-audit operator payments`, `site-audit pix list`. What the database can't \
                 tell while it is down is left out.",
            )
            .access(Access::Operator)
            .without_tool(),
    ]
}

async fn read(cx: Cx, _: Nothing) -> Result<Text, ApiError> {
    let mut registry = Registry::with_prefix("site_audit");
    let build = [("version", env!("CARGO_PKG_VERSION")), ("commit", BUILD)];
    registry.register("build", "What runs", Info::new(build));
    note(&mut registry, "facilitator_up", "Whether payments can be settled", facilitator_is_up(&cx.app));
    let waiting = waiting(&cx.app).await;
    note(&mut registry, "database_up", "Whether the database answers", Some(i64::from(waiting.is_ok())));
    // While it is down the rest of the answer is true; a defect is one also here.
    match waiting {
        Ok(waiting) => waiting.register(&mut registry),
        Err(Trouble::Down) => {}
        Err(trouble) => return Err(trouble.into()),
    }
    let mut text = String::new();
    encode(&mut text, &registry).map_err(|error| {
        tracing::error!(%error, "metrics could not be written");
        ApiError::new(Code::Internal)
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
fn facilitator_is_up(app: &App) -> Option<i64> {
    let payments = app.payments();
    match payments.facilitator().filter(|_| payments.is_live()).map(Facilitator::standing)? {
        Standing::Unasked => None,
        Standing::Up => Some(1),
        Standing::Unfit | Standing::Down => Some(0),
    }
}

/// What is not over, as the database knows it.
struct Waiting {
    payments: Vec<(&'static str, u64)>,
    pix: u64,
}

async fn waiting(app: &App) -> Result<Waiting, Trouble> {
    let payments = app.database().ask(|store| store.unfinished_payments()).await?;
    let payments = payments.into_iter().map(|(state, many)| (state.name(), many)).collect();
    Ok(Waiting { payments, pix: app.database().ask(|store| store.waiting_pix()).await? })
}

impl Waiting {
    fn register(&self, registry: &mut Registry) {
        let payments = Labelled::default();
        for (state, many) in &self.payments {
            payments.get_or_create(&[("state", *state)]).set(many.cast_signed());
        }
        registry.register("payments", "Payments by x402 that are not over", payments);
        note(registry, "pix_requests_waiting", "Pix requests that nobody has decided", Some(self.pix.cast_signed()));
    }
}

/// OpenMetrics text.
struct Text(String);

impl Answer for Text {
    fn reply(self) -> Result<Reply, ApiError> {
        Ok(Reply { media_type: MEDIA_TYPE, ..Reply::json(Bytes::from(self.0)) })
    }

    fn describe(_: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        (MEDIA_TYPE, None)
    }
}
