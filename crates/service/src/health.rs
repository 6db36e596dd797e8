//! State of the service for its operator: the database, the facilitator, and what waits for a person.

use std::collections::BTreeMap;

use model::money::Micros;
use store::PaymentState;

use crate::database::DatabaseError;
use crate::services::Services;
use crate::x402::{Facilitator, FacilitatorState};

/// Whether the database answers now, and takes writes as far as the last one tells.
pub async fn database_answers(services: &Services) -> bool {
    services.database().ask(|store| store.ping()).await.is_ok() && services.database().takes_writes()
}

/// Whether the database takes writes, as far as the last one tells.
pub fn database_takes_writes(services: &Services) -> bool {
    services.database().takes_writes()
}

/// State of the facilitator at its last health check; `None` where nothing is charged.
pub fn facilitator(services: &Services) -> Option<FacilitatorState> {
    let payments = services.payments();
    payments.facilitator().filter(|_| payments.is_live()).map(Facilitator::standing)
}

/// Unfinished payments, and today's revenue.
#[derive(Debug)]
pub struct MoneyInMotion {
    /// Payments by x402 that have not ended, by state.
    pub unfinished_payments: BTreeMap<PaymentState, u64>,
    /// Pix requests that no operator has decided.
    pub waiting_pix: u64,
    /// Revenue since midnight (UTC) by network of the payment; `None` is Pix.
    pub received: BTreeMap<Option<String>, Micros>,
}

/// Counts unfinished payments and sums today's revenue.
pub async fn money_in_motion(services: &Services) -> Result<MoneyInMotion, DatabaseError> {
    let (now, database) = (services.ports().now(), services.database());
    let midnight = now.day().start();
    let unfinished_payments = database.ask(|store| store.unfinished_payments()).await?;
    let received = database.ask(|store| store.received(midnight, now.plus_ms(1))).await?;
    let waiting_pix = database.ask(|store| store.waiting_pix()).await?;
    let received = received.into_iter().map(|(network, (amount, _))| (network, amount)).collect();
    Ok(MoneyInMotion { unfinished_payments, waiting_pix, received })
}
