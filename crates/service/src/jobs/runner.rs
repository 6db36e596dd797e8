//! Workers and scheduler of the job queue.

use std::collections::HashMap;
use std::time::Duration;

use model::time::Timestamp;
use store::{ClaimedJob, JobLease, Store, StoreError};
use tokio::sync::watch;
use tokio::task::{self, JoinSet};
use tokio::time::Instant;

use super::agreement::Agreement;
use super::perform::perform;
use crate::counting::FLUSH_EVERY;
use crate::health;
use crate::job::{Job, Lane};
use crate::lab_tests;
use crate::services::Services;
use crate::site_watches;
use crate::traces::{EXPORT_EVERY, EXPORT_TIME};
use crate::watches;

/// How long a stop waits for the receiver of traces.
const LAST_EXPORT: Duration = Duration::from_secs(2);
/// Time from the start after which the loops begin that use the database: the first callers are answered before.
const HEAD_START: Duration = Duration::from_millis(100);
/// Polling interval of a lane.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Polling interval after a database error.
const LOOK_AGAIN: Duration = Duration::from_secs(10);
/// Interval of the scheduler.
const SCHEDULE_EVERY: Duration = Duration::from_secs(60);
/// Interval of clock comparisons with the database, which all servers share.
const COMPARE_EVERY: Duration = Duration::from_secs(3_600);
/// Clock difference that is logged as a warning, in milliseconds. Chosen: above what a network round trip explains.
const APART_IS_TOLD_MS: i64 = 2_000;
/// Clock difference above which this server runs no jobs, in milliseconds: it would misjudge the leases of others, and
/// schedule wrong days.
const APART_IS_TOO_FAR_MS: i64 = 60_000;
/// What the unique keys of hourly purges begin with; the hour since 1970 follows.
const PURGE_KEY: &str = "purge:";
/// Milliseconds of an hour.
const HOUR_MS: i64 = 3_600_000;

/// Running workers and scheduler.
#[derive(Debug)]
pub struct Background {
    services: Services,
    stopping: watch::Sender<bool>,
    loops: JoinSet<()>,
}

impl Background {
    /// Stops after running jobs have ended. Housekeeping, lab tests and runs over sites, which take minutes, are aborted and
    /// returned to the queue: this server after its return, or another one, runs them again.
    pub async fn stop(mut self) {
        let _receivers_left = self.stopping.send(true);
        while let Some(ended) = self.loops.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "the background worker panicked");
            }
        }
        // After the last job, which may have counted something.
        write_counts(&self.services).await;
        let services = &self.services;
        services.traces().export(services.engine().fetcher(), Instant::now() + LAST_EXPORT).await;
    }
}

/// Starts workers and scheduler. Any number of servers may do so on one database.
pub fn start(services: Services) -> Background {
    let (stopping, stopped) = watch::channel(false);
    // Work begins after the first clock comparison.
    let (allow, may_work) = watch::channel(false);
    let mut loops = JoinSet::new();
    for lane in Lane::ALL {
        loops.spawn(work(services.clone(), lane, may_work.clone(), stopped.clone()));
    }
    loops.spawn(later(stopped.clone(), keep_counts(services.clone(), stopped.clone())));
    loops.spawn(keep_exporting(services.clone(), stopped.clone()));
    loops.spawn(later(stopped.clone(), keep_schedule(services.clone(), allow, stopped)));
    Background { services, stopping, loops }
}

/// A loop that begins after [`HEAD_START`], or when it is to stop, which it does by itself.
#[expect(clippy::disallowed_methods, reason = "the time until the loop begins")]
async fn later(mut stopped: watch::Receiver<bool>, background: impl Future<Output = ()>) {
    tokio::select! {
        _ = stopped.changed() => {}
        () = tokio::time::sleep(HEAD_START) => {}
    }
    background.await;
}

/// Worker loop of one lane.
#[expect(clippy::disallowed_methods, reason = "the interval between looks at the queue")]
async fn work(services: Services, lane: Lane, mut may_work: watch::Receiver<bool>, mut stopped: watch::Receiver<bool>) {
    let mut running: JoinSet<()> = JoinSet::new();
    let mut leases: HashMap<task::Id, JobLease> = HashMap::new();
    loop {
        let mut wait = LOOK_EVERY;
        while *may_work.borrow_and_update() && running.len() < at_once(&services, lane) {
            match claim(services.database().store(), services.ports().now(), lane).await {
                Ok(Some(claimed)) => {
                    let (services, lease) = (services.clone(), claimed.lease.clone());
                    let job = running.spawn(async move { perform_or_tell(&services, claimed).await });
                    leases.insert(job.id(), lease);
                }
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(lane = lane.word(), %error, "the job queue can't be read");
                    wait = LOOK_AGAIN;
                    break;
                }
            }
        }
        tokio::select! {
            _ = stopped.changed() => break,
            Ok(()) = may_work.changed() => {}
            Some(ended) = running.join_next_with_id() => {
                leases.remove(&ended.as_ref().map_or_else(task::JoinError::id, |(id, ())| *id));
                tell_of_panic(ended.map(drop));
            }
            () = tokio::time::sleep(wait) => {}
        }
    }
    if matches!(lane, Lane::Upkeep | Lane::Lab | Lane::Site) {
        running.abort_all();
        for lease in leases.values() {
            // Has no effect where the job ended meanwhile. Without it the job is claimed again when its lease expires.
            if let Err(error) = services.database().store().return_job(lease).await {
                tracing::warn!(job.id = %lease.id(), %error, "a job could not be returned to its queue");
            }
        }
    }
    while let Some(ended) = running.join_next().await {
        tell_of_panic(ended);
    }
}

/// Concurrency limit of a lane on this server.
fn at_once(services: &Services, lane: Lane) -> usize {
    if lane == Lane::Lab { services.lab().at_once() } else { lane.at_once() }
}

async fn claim(store: &Store, now: Timestamp, lane: Lane) -> Result<Option<ClaimedJob>, StoreError> {
    let lease_ms = i64::try_from(lane.lease().as_millis()).unwrap_or(i64::MAX);
    store.claim_job(lane.word(), now, now.plus_ms(lease_ms)).await
}

async fn perform_or_tell(services: &Services, claimed: ClaimedJob) {
    let id = claimed.lease.id().to_owned();
    if let Err(error) = perform(services, claimed).await {
        tracing::warn!(job.id = %id, %error, "the outcome of a job could not be recorded; the job will run again");
    }
}

fn tell_of_panic(ended: Result<(), tokio::task::JoinError>) {
    // The process's panic hook logged it; the job is claimed again when its lease expires.
    if ended.is_err_and(|error| error.is_panic()) {
        tracing::error!("a job panicked; this is a defect");
    }
}

/// Runs all due jobs one after another, including those that they queue; returns their number. For tests.
pub async fn work_off(services: &Services) -> Result<usize, StoreError> {
    let mut done = 0;
    loop {
        let before = done;
        for lane in Lane::ALL {
            while let Some(claimed) = claim(services.database().store(), services.ports().now(), lane).await? {
                perform(services, claimed).await?;
                done += 1;
            }
        }
        if done == before {
            return Ok(done);
        }
    }
}

/// Loop that writes what was counted.
#[expect(clippy::disallowed_methods, reason = "the interval between writes of counts")]
async fn keep_counts(services: Services, mut stopped: watch::Receiver<bool>) {
    loop {
        write_counts(&services).await;
        tokio::select! {
            _ = stopped.changed() => return,
            () = tokio::time::sleep(FLUSH_EVERY) => {}
        }
    }
}

/// Loop that sends traces.
#[expect(clippy::disallowed_methods, reason = "the interval between exports")]
async fn keep_exporting(services: Services, mut stopped: watch::Receiver<bool>) {
    if services.traces().counts().is_none() {
        return;
    }
    loop {
        // A receiver that is slow holds up neither the next export for long nor the end.
        let deadline = Instant::now() + EXPORT_TIME;
        tokio::select! {
            _ = stopped.changed() => return,
            () = services.traces().export(services.engine().fetcher(), deadline) => {}
        }
        tokio::select! {
            _ = stopped.changed() => return,
            () = tokio::time::sleep(EXPORT_EVERY) => {}
        }
    }
}

/// Writes what was counted, and that this server is healthy. A failure is logged by the database, and what was not written
/// waits for the next time.
pub async fn write_counts(services: &Services) {
    let (database, ports) = (services.database(), services.ports());
    if services.counter().flush(database, ports).await.is_ok() && health::database_answers(services).await {
        database.later({
            let now = ports.now();
            move |store| async move { store.note_healthy_minute(now).await }
        });
    }
}

/// Scheduler loop: queues what is due, while this machine's clock agrees with the database's.
#[expect(clippy::disallowed_methods, reason = "the interval of the scheduler")]
async fn keep_schedule(services: Services, allow: watch::Sender<bool>, mut stopped: watch::Receiver<bool>) {
    let mut agreement: Option<Agreement> = None;
    let mut compare_at = Instant::now();
    loop {
        let (now, instant) = (services.ports().now(), Instant::now());
        match &mut agreement {
            Some(agreement) => agreement.look(now, instant),
            None => agreement = begin(&services, now, instant).await,
        }
        services.hold_purges(!agreement.as_ref().is_some_and(|agreement| agreement.may_purge(instant)));
        // Without the newest stored time no job is done: purging might be one of those that wait.
        if agreement.is_some() && instant >= compare_at {
            match is_in_step(&services).await {
                Ok(in_step) => {
                    allow.send_replace(in_step);
                    // While it disagrees, it is compared again in every round.
                    compare_at = Instant::now() + if in_step { COMPARE_EVERY } else { Duration::ZERO };
                }
                Err(error) => tracing::warn!(%error, "the database's clock can't be read"),
            }
        }
        services.browser_errors().flush(now);
        if *allow.borrow()
            && agreement.as_ref().is_some_and(|agreement| agreement.may_schedule(instant))
            && let Err(error) = schedule(&services, now).await
        {
            tracing::warn!(%error, "due jobs could not be queued; retrying in a minute");
        }
        tokio::select! {
            _ = stopped.changed() => break,
            () = tokio::time::sleep(SCHEDULE_EVERY) => {}
        }
    }
    services.browser_errors().finish();
}

/// The clock as it is at the start; `None` while the database does not tell its newest time.
async fn begin(services: &Services, now: Timestamp, instant: Instant) -> Option<Agreement> {
    let mut agreement = Agreement::default();
    match newest_trusted(services.database().store()).await {
        Ok(newest) => agreement.begin(newest, now, instant),
        Err(error) => {
            tracing::warn!(%error, "the newest stored time can't be read; no jobs are done until it is");
            return None;
        }
    }
    Some(agreement)
}

/// The newest stored time to compare the clock with. That of the last purge, because none is queued by a clock that
/// jumped; what calls store in the meantime has the wrong time. `None` in an empty database.
async fn newest_trusted(store: &Store) -> Result<Option<Timestamp>, StoreError> {
    match store.newest_queued(Job::Purge.lane().word(), PURGE_KEY).await? {
        Some(queued) => Ok(Some(queued)),
        None => store.newest_time().await,
    }
}

/// Whether this machine's clock is close enough to the database's to run jobs; logs a difference.
pub async fn is_in_step(services: &Services) -> Result<bool, StoreError> {
    let theirs = services.database().store().clock().await?;
    Ok(theirs.is_none_or(|theirs| is_close(services.ports().now(), theirs)))
}

/// Whether two clocks differ by less than what jobs bear; logs a difference.
fn is_close(ours: Timestamp, theirs: Timestamp) -> bool {
    let apart_ms = ours.0.saturating_sub(theirs.0);
    let is_close = apart_ms.saturating_abs() <= APART_IS_TOO_FAR_MS;
    if !is_close {
        tracing::error!(apart_ms, "job processing is paused: this machine's clock differs from the database's");
    } else if apart_ms.saturating_abs() > APART_IS_TOLD_MS {
        tracing::warn!(apart_ms, "this machine's clock and the database's clock differ");
    }
    is_close
}

/// Queues what is due at `now`. Unique keys make it idempotent across servers.
pub async fn schedule(services: &Services, now: Timestamp) -> Result<(), StoreError> {
    if !services.are_purges_held() {
        let key = format!("{PURGE_KEY}{}", now.0.div_euclid(HOUR_MS));
        services.database().store().enqueue(Job::Purge.queued(services.ports(), Some(key))).await?;
    }
    lab_tests::end_lost(services, now).await?;
    let hour = now.0.div_euclid(HOUR_MS);
    let publication = Job::PublishShowcase { hour }.queued(services.ports(), Some(format!("showcase:{hour}")));
    services.database().store().enqueue(publication).await?;
    watches::queue_due(services, now).await?;
    site_watches::queue_due(services, now).await
}

#[cfg(test)]
mod tests;
