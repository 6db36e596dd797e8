//! Lab tests of audits: begin one, read them, wait for their end.

use std::time::Duration;

use lab::outcome;
use model::account::Assurance;
use model::id::{AuditId, Owner};
use model::lab::{LabTest, Strategy};
use model::time::Timestamp;
use store::{LabLimits, LabRecord, LabRefusal, NewLabTest, StoreError, StoredLab};
use tokio::time::Instant;

use crate::audits::{audit_id, no_such_audit};
use crate::caller::{Cx, Identity};
use crate::counting::Event;
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
use crate::job::Job;
use crate::services::Services;
pub use crate::waiting::MOST_WAIT;

/// How long a test may run before it counts as lost, in milliseconds. Above what two tries of four tests that queue for one
/// machine take.
const LOST_AFTER_MS: i64 = 30 * 60_000;
/// Seconds until a caller may retry while all places are taken: about what a quick test takes.
const BUSY_RETRY: u32 = 15;
/// Seconds until a caller may retry where there is no provider.
const OFF_RETRY: u32 = 3_600;
/// What is counted per network and hour.
const WHAT: &str = "lab";

/// Begins a lab test of an owner's audit. While one of the same strategy runs, that one is the result.
pub async fn begin(cx: &Cx, owner: &Owner, id: String, strategy: Strategy) -> Result<LabTest, ServiceError> {
    let (services, id) = (&cx.services, audit_id(id)?);
    let (lab, ports, limits) = (services.lab(), services.ports(), &services.config().lab);
    let now = ports.now();
    // Read first: whose audit it is comes before what this server can do, and a test that runs answers for itself.
    let stored = services.database().ask(|store| store.lab_of(owner, &id)).await.map_err(no_such_audit)?;
    if let Some(test) = stored.tests.of(strategy).filter(|test| test.is_running()) {
        return Ok(test.clone());
    }
    if !lab.is_on() {
        return Err(ServiceError::new(Code::LabUnavailable).retry_after(OFF_RETRY));
    }
    if let Some(seconds) = lab.breaker.wait(now) {
        return Err(ServiceError::new(Code::LabUnavailable).retry_after(seconds));
    }
    let bucket = services.allowance().hourly_bucket(services.database(), ports, cx.caller.network, WHAT).await?;
    let test = outcome::running(strategy, now, lab.provider.source());
    let run = ports.id();
    let new = NewLabTest {
        job: Job::RunLab { run: run.clone(), lang: cx.lang }.queued(ports, None),
        run,
        audit: id.clone(),
        owner: owner.clone(),
        record: LabRecord::of(test.clone()),
        started_at: now,
        limits: LabLimits { at_once: limits.at_once, per_day: limits.per_day, per_hour: limits.per_hour, bucket },
    };
    match begun(services, new).await? {
        Ok(()) => {
            lab.breaker.let_through(now);
            cx.count(&Event::LabTest);
            tracing::info!(audit.id = %id, strategy = strategy.name(), "a lab test began");
            Ok(test)
        }
        Err(LabRefusal::Running(test)) => Ok(*test),
        Err(refusal) => Err(refused(refusal, services)),
    }
}

/// The result of beginning a test; the outer error is the database's.
async fn begun(services: &Services, new: NewLabTest) -> Result<Result<(), LabRefusal>, ServiceError> {
    let asked = services.database().ask(async |store| match store.begin_lab(new).await {
        Err(LabRefusal::Failed(error)) => Err(error),
        other => Ok(other),
    });
    asked.await.map_err(no_such_audit)
}

fn refused(refusal: LabRefusal, services: &Services) -> ServiceError {
    match refusal {
        LabRefusal::Busy => ServiceError::new(Code::LabBusy).retry_after(BUSY_RETRY),
        LabRefusal::RateLimited { retry_after_s } => ServiceError::new(Code::LabRateLimited).retry_after(retry_after_s),
        LabRefusal::DailyCap => {
            ServiceError::new(Code::LabDailyCap).retry_after(services.ports().seconds_to_midnight())
        }
        // Both are answered before.
        LabRefusal::Running(_) | LabRefusal::Failed(_) => ServiceError::new(Code::Internal),
    }
}

/// The lab tests of an audit that the caller may read, once one that runs has ended or `wait`, at most [`MOST_WAIT`], is over.
/// Without a running test it answers at once.
pub async fn read(cx: &Cx, owner: &Owner, id: String, wait: Duration) -> Result<StoredLab, ServiceError> {
    let (id, database) = (audit_id(id)?, cx.services.database());
    let deadline = crate::waiting::deadline(wait);
    let mut stored = readable(cx, owner, &id).await?;
    let awaited = stored.running.clone();
    // What is seen may be older than the test, so the row decides.
    while !awaited.is_empty() && stored.running == awaited && Instant::now() < deadline {
        if !cx.services.lab().waiting.for_one_of(&awaited, database, deadline).await {
            break;
        }
        stored = readable(cx, owner, &id).await?;
    }
    Ok(stored)
}

/// The tests of an audit of the caller's or, for a session, of an organization of theirs.
async fn readable(cx: &Cx, owner: &Owner, id: &AuditId) -> Result<StoredLab, ServiceError> {
    let database = cx.services.database();
    match (database.ask(|store| store.lab_of(owner, id)).await, &cx.caller.identity) {
        (Err(DatabaseError::NotFound), Identity::Session(session)) => {
            let has_factor = session.assurance >= Assurance::Aal2;
            let found = database.ask(|store| store.lab_of_member(&session.account, has_factor, id)).await;
            found.map_err(no_such_audit)
        }
        (found, _) => found.map_err(no_such_audit),
    }
}

/// Ends tests whose job was lost, so that none runs forever.
pub(crate) async fn end_lost(services: &Services, now: Timestamp) -> Result<(), StoreError> {
    let store = services.database().store();
    for (run, lost) in store.stale_labs(now.plus_ms(-LOST_AFTER_MS)).await? {
        tracing::error!(audit.id = %lost.audit, "a lab test was lost");
        let failed = outcome::failed(lost.test, &lab::failure::Failure::Trouble("lost"));
        store.end_lab(&run, &LabRecord::of(failed), None, now).await?;
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
