//! State of the service for its operator: the database, the facilitator, and what waits for a person.

use std::collections::BTreeMap;

use model::money::Micros;
use store::{LaneFigures, PaymentState};

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

/// Jobs that wait or were given up, by lane.
pub async fn lanes(services: &Services) -> Result<Vec<LaneFigures>, DatabaseError> {
    services.database().ask(|store| store.lanes()).await
}

/// Open file descriptors of this process; `None` where the system does not say (`/proc/self/fd`, proc(5)).
pub fn open_files() -> Option<usize> {
    // One of them is the folder that is read here.
    std::fs::read_dir("/proc/self/fd").ok().map(|files| files.count().saturating_sub(1))
}

/// Resident memory of this process in bytes; `None` where the system does not say (`/proc/self/status`, proc(5)).
pub fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1_024)
}
