//! Running one claimed job, and recording its outcome: done, retried later, or given up.

use model::time::{DAY_MS, Timestamp};
use store::{ClaimedJob, StoreError};
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout};

use super::ending::{Ending, Unfinished};
use super::{begin_site_watch, deliver, purge, run_lab, run_site, run_watch, send_mail};
use crate::accounts::operator;
use crate::error::ServiceError;
use crate::job::Job;
use crate::services::Services;
use crate::statistics;
use crate::traces::{self, SpanKind};

/// Backoff after the first failure, in milliseconds; it doubles with each. Chosen: a minute.
const FIRST_WAIT_MS: i64 = 60_000;
/// Backoff at most, in milliseconds. Chosen: an hour.
const LAST_WAIT_MS: i64 = 3_600_000;

/// Age of a purge at which it is left to a newer one, in milliseconds. Chosen: a day, as at the start.
const STALE_PURGE_MS: i64 = DAY_MS;

/// What becomes of a job that is not tried again, in a word.
const GIVEN_UP: &str = "given_up";

/// For how long a job that can't be read is put off, in milliseconds. Chosen: a day. A server of a newer version may have
/// queued it, which goes on with it once the upgrade is over.
const UNREADABLE_MS: i64 = DAY_MS;

/// Runs a claimed job, and records its outcome.
pub(super) async fn perform(services: &Services, claimed: ClaimedJob) -> Result<(), StoreError> {
    let (store, lease) = (services.database().store(), &claimed.lease);
    let job: Job = match serde_json::from_str(&claimed.payload) {
        Ok(job) => job,
        Err(error) => {
            let now = services.ports().now();
            if now.0 - claimed.created_at.0 < UNREADABLE_MS {
                tracing::warn!(job.id = %lease.id(), %error, "a job can't be read; it is left to another server");
                // It counts as no try: nothing of it was begun.
                return store.continue_job(lease, now.plus_ms(FIRST_WAIT_MS)).await.map(drop);
            }
            tracing::error!(job.id = %lease.id(), %error, "a job can't be read");
            return store.bury_job(lease, now, &format!("it can't be read: {error}")).await.map(drop);
        }
    };
    let lane = job.lane().word();
    // Every server that claimed it died.
    if claimed.attempt > job.tries() {
        tracing::error!(job.id = %lease.id(), lane, "a job ended its worker");
        match &job {
            Job::RunLab { run, .. } => run_lab::give_up(services, run).await?,
            Job::RunSite { run, .. } => run_site::give_up(services, run).await?,
            _ => {}
        }
        return store.bury_job(lease, services.ports().now(), "it was begun and never ended").await.map(drop);
    }
    let span = services.traces().begin(services.ports(), claimed.traceparent.as_deref());
    let begun = Instant::now();
    let is_last_try = claimed.attempt >= job.tries();
    let attempted = attempt(services, &claimed, &job, is_last_try);
    let outcome = traces::within(span.clone(), timeout(job.lane().job_time(), attempted)).await;
    let became = became(&outcome, is_last_try);
    services.metrics().job_ran(lane, became, begun.elapsed());
    if let Some(span) = span {
        let attributes = vec![
            ("site_audit.job.lane", lane.into()),
            ("site_audit.job.attempt", claimed.attempt.into()),
            ("site_audit.outcome", became.into()),
        ];
        span.end(format!("job {lane}"), SpanKind::Consumer, attributes, !matches!(became, "done" | "continued"));
    }
    let now = services.ports().now();
    let mut wait_ms = wait_ms(claimed.attempt);
    let why = match outcome {
        Ok(Ok(ending)) => {
            let counts = match ending {
                Ending::Done => store.finish_job(lease, now).await?,
                Ending::Continued(wait) => {
                    let run_at = now.plus_ms(i64::try_from(wait.as_millis()).unwrap_or(LAST_WAIT_MS));
                    return store.continue_job(lease, run_at).await.map(drop);
                }
                Ending::Written => true,
                Ending::Late => false,
            };
            tracing::info!(job.id = %lease.id(), lane, attempt = claimed.attempt, counts, "a job is done");
            return Ok(());
        }
        Ok(Err(Unfinished::Never(why) | Unfinished::Later(why))) => why,
        Ok(Err(Unfinished::After { why, wait })) => {
            wait_ms = i64::try_from(wait.as_millis()).unwrap_or(LAST_WAIT_MS);
            why
        }
        Err(_) => "it took too long".to_owned(),
    };
    // The reason is stored for the operator, not logged: it may name a person.
    if became == GIVEN_UP {
        if let Job::RunSite { run, .. } = &job {
            run_site::give_up(services, run).await?;
        }
        tracing::error!(job.id = %lease.id(), lane, attempt = claimed.attempt, "a job failed for good");
        return store.bury_job(lease, now, &why).await.map(drop);
    }
    tracing::warn!(job.id = %lease.id(), lane, attempt = claimed.attempt, "a job failed; it will be tried again");
    store.postpone_job(lease, now.plus_ms(wait_ms), &why).await.map(drop)
}

async fn attempt(
    services: &Services,
    claimed: &ClaimedJob,
    job: &Job,
    is_last_try: bool,
) -> Result<Ending, Unfinished> {
    match job {
        Job::SendMail(mail) | Job::SendContact(mail) => {
            send_mail::run(services.mailer(), claimed.lease.id(), mail, services.ports().now())
                .await
                .map(|()| Ending::Done)
        }
        Job::SendReset { account } => match operator::send_reset(services, account).await {
            Ok(()) => Ok(Ending::Done),
            Err(error) => Err(Unfinished::Later(error.code.wire().to_owned())),
        },
        Job::RunWatch { tab, day } => run_watch::run(services, claimed, tab, *day).await,
        Job::BeginSiteWatch { watch, slot } => begin_site_watch::run(services, claimed, watch, Timestamp(*slot)).await,
        Job::RunLab { run, lang } => run_lab::run(services, claimed, run, *lang).await,
        // Boxed, as its future has 100 KB, of which each caller above would have a copy on its stack.
        Job::RunSite { run, seat } => Box::pin(run_site::run(services, claimed, run, *seat)).await,
        Job::AnnounceRun { owner, tab, audit, is_alert } => {
            deliver::announce(services, claimed, owner, (tab, audit), *is_alert, is_last_try).await
        }
        Job::DeliverWebhook { webhook } => deliver::deliver(services, claimed, webhook).await,
        Job::PublishShowcase { hour } => match statistics::publish(services, *hour).await {
            Ok(()) => Ok(Ending::Done),
            Err(error) => Err(Unfinished::Later(ServiceError::from(error).code.wire().to_owned())),
        },
        // Another purge is queued every hour.
        Job::Purge if services.are_purges_held() => {
            tracing::warn!("purging is paused: the clock jumped less than an hour ago");
            Ok(Ending::Done)
        }
        // The clock may have jumped since it was queued, and was not looked at yet.
        Job::Purge if services.ports().now().0.saturating_sub(claimed.created_at.0) > STALE_PURGE_MS => {
            tracing::warn!("purging is paused: it is overdue by more than a day, so the clock may be wrong");
            Ok(Ending::Done)
        }
        Job::Purge => match purge::purge(services).await {
            Ok(rows) => {
                tracing::info!(rows, "deleted expired data");
                Ok(Ending::Done)
            }
            Err(error) => Err(error.into()),
        },
    }
}

/// What becomes of a job after a try, in a word.
fn became(outcome: &Result<Result<Ending, Unfinished>, Elapsed>, is_last_try: bool) -> &'static str {
    match outcome {
        Ok(Ok(Ending::Continued(_))) => "continued",
        Ok(Ok(_)) => "done",
        Ok(Err(Unfinished::Never(_))) => GIVEN_UP,
        _ if is_last_try => GIVEN_UP,
        _ => "retried",
    }
}

/// The backoff after a try.
fn wait_ms(attempt: u32) -> i64 {
    let doublings = attempt.saturating_sub(1).min(16);
    (FIRST_WAIT_MS << doublings).min(LAST_WAIT_MS)
}

#[cfg(test)]
mod tests;
