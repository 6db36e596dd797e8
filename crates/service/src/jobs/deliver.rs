//! Jobs of webhooks: the event of a run, and the deliveries of an endpoint.

use model::id::{AuditId, Owner, TabId};
use store::ClaimedJob;

use super::ending::{Ending, Unfinished};
use crate::services::Services;
use crate::webhooks::{self, Announced, AnnouncedRun, NotTold};

/// Tells subscribers of a run: stores its event, and queues the deliveries.
pub(super) async fn announce(
    services: &Services,
    claimed: &ClaimedJob,
    owner: &str,
    (tab, audit): (&TabId, &AuditId),
    is_alert: bool,
    is_last_try: bool,
) -> Result<Ending, Unfinished> {
    let owner = Owner::parse(owner).ok_or_else(|| Unfinished::Never("its owner can't be read".to_owned()))?;
    let run = AnnouncedRun { owner: &owner, tab, audit, is_alert };
    match webhooks::announce(services, &claimed.lease, run).await {
        Ok(Announced::Told) => Ok(Ending::Written),
        Ok(Announced::LeaseLost) => Ok(Ending::Late),
        Ok(Announced::Unfollowed) => Ok(Ending::Done),
        // Its payment came to nothing, or the audit was deleted.
        Ok(Announced::Unreadable) if is_last_try => Ok(Ending::Done),
        Ok(Announced::Unreadable) => Err(Unfinished::Later("the run can't be read yet".to_owned())),
        Err(NotTold::Store(error)) => Err(error.into()),
        Err(error @ NotTold::Unmade) => Err(Unfinished::Later(error.to_string())),
    }
}

/// Makes the deliveries of a webhook that are due, and has the job wait for the next.
pub(super) async fn deliver(services: &Services, claimed: &ClaimedJob, webhook: &str) -> Result<Ending, Unfinished> {
    webhooks::deliver(services, webhook).await?;
    let (store, now) = (services.database().store(), services.ports().now());
    let is_ours = store.rest_deliveries(&claimed.lease, webhook, now).await?;
    Ok(if is_ours { Ending::Written } else { Ending::Late })
}
