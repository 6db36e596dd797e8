//! The turn of a watch of a site: its run begins, or its owner learns why not.

use std::time::Duration;

use model::time::{DAY_MS, Timestamp};
use store::{ClaimedJob, NewSiteRun, NewWatchedRun, SiteRefusal, SiteRunLimits, SiteWatcher};
use url::Url;

use super::ending::{Ending, Unfinished};
use crate::job::Job;
use crate::services::Services;
use crate::site_watches::{self, NO_PLACE, TurnPays};
use crate::sites::{program, seat_key};

/// Wait before the next try while the limits of concurrent site audits are reached.
const PLACE_WAIT: Duration = Duration::from_secs(600);

/// Begins the run of a watch that was due at `slot`.
pub(super) async fn run(
    services: &Services,
    claimed: &ClaimedJob,
    watch: &str,
    slot: Timestamp,
) -> Result<Ending, Unfinished> {
    let (store, ports) = (services.database().store(), services.ports());
    let Some(watcher) = store.site_watcher(watch).await? else { return Ok(Ending::Done) };
    if ports.now() >= slot.plus_ms(i64::from(watcher.watch.days) * DAY_MS) {
        // The next one is due: this one is not made up for.
        return ended(services, claimed, &watcher, slot, NO_PLACE).await;
    }
    let TurnPays { pays, trial } = match site_watches::pays(services, &watcher).await? {
        Ok(pays) => pays,
        Err(problem) => return ended(services, claimed, &watcher, slot, problem).await,
    };
    let (id, limits) = (ports.id(), services.config().limits);
    let first = Url::parse(&watcher.watch.url).ok();
    let target = first.and_then(|url| services.concurrency().target(&url));
    let new = NewSiteRun {
        id: id.clone(),
        owner: watcher.watch.owner,
        url: watcher.watch.url,
        target,
        options: watcher.watch.options,
        created_at: ports.now(),
        program: program(),
        watch: Some(NewWatchedRun { watch: watcher.watch.id, lease: claimed.lease.clone() }),
        trial,
        pays,
        job: Job::RunSite { run: id.clone(), seat: 0 }.queued(ports, Some(seat_key(&id, 0))),
        limits: SiteRunLimits {
            of_owner: limits.site_runs,
            of_all: limits.site_runs_at_once,
            of_target: limits.site_runs_per_target,
            per_hour: None,
        },
    };
    match store.begin_site(new).await {
        Ok(()) => {
            tracing::info!(site_run.id = %id, site_watch.id = %watch, "a run of a watch began");
            Ok(Ending::Written)
        }
        Err(SiteRefusal::OwnerBusy | SiteRefusal::Busy | SiteRefusal::TargetBusy | SiteRefusal::RateLimited { .. }) => {
            Ok(Ending::Continued(PLACE_WAIT))
        }
        Err(SiteRefusal::Over) => Ok(Ending::Late),
        Err(SiteRefusal::Failed(error)) => Err(error.into()),
    }
}

/// Ends a turn of which no run begins. Its owner is told when it ends so for another reason than the last one.
async fn ended(
    services: &Services,
    claimed: &ClaimedJob,
    watcher: &SiteWatcher,
    slot: Timestamp,
    problem: &str,
) -> Result<Ending, Unfinished> {
    let is_told = problem == NO_PLACE || watcher.watch.problem.as_deref() == Some(problem);
    let alert = if is_told {
        None
    } else {
        let alert = site_watches::troubled(services, watcher, &slot.0.to_string(), problem);
        alert.map_err(|error| Unfinished::Never(error.to_string()))?
    };
    tracing::info!(site_watch.id = %watcher.watch.id, problem, alerts = alert.is_some(), "a watch of a site began no run");
    let (store, now) = (services.database().store(), services.ports().now());
    let counts = store.end_site_turn(&watcher.watch.id, &claimed.lease, problem, alert, now).await?;
    Ok(if counts { Ending::Written } else { Ending::Late })
}
