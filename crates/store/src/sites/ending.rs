//! The end of a run.

use model::time::Timestamp;
use sqlx::Row as _;

use super::SiteState;
use crate::error::StoreError;
use crate::jobs::{JobLease, NewJob};
use crate::site_runs::{packed, unpacked};
use crate::statement::of_id;
use crate::store::Store;
use crate::transaction::Transaction;

/// How a run ends.
#[derive(Debug, Clone)]
pub struct SiteEnd {
    /// [`SiteState::Finished`] with a report, or [`SiteState::Failed`].
    pub state: SiteState,
    /// Why it ended before its site did, or failed, in a word.
    pub reason: Option<String>,
    /// What is known of the site besides its pages, in the caller's encoding.
    pub inputs: Option<Vec<u8>>,
    /// Its figures, in the caller's encoding.
    pub figures: Option<String>,
    /// What is to be done after it.
    pub jobs: Vec<NewJob>,
    /// What it means to its watch.
    pub watched: Option<WatchedEnd>,
}

/// What the end of a run means to its watch.
#[derive(Debug, Clone)]
pub struct WatchedEnd {
    /// The watch.
    pub watch: String,
    /// What changed since the run before, in the caller's encoding; `None` where the two can't be compared.
    pub changes: Option<String>,
    /// Why the run failed, in a word.
    pub problem: Option<String>,
    /// The alert, where there is one to send. It is sent unless the watch was stopped meanwhile.
    pub alert: Option<SiteAlert>,
}

/// An alert of a watch of a site, and the link in it that stops the watch.
#[derive(Debug, Clone)]
pub struct SiteAlert {
    /// The mail.
    pub mail: NewJob,
    /// Digest of the token in its link.
    pub token_digest: [u8; 32],
    /// How long the link works.
    pub expires_at: Timestamp,
}

// What the site answered at the beginning is of no use after the end, and has HTML of the site.
const END: &str = "UPDATE site_runs SET state = $2, reason = $3, inputs = $4, figures = $5, ended_at = $6, changes = $7, \
    begun = NULL \
    WHERE id = $1 AND state = 'running' RETURNING done";

// Given out, and not committed when the run ended.
const FORGET: &str = "DELETE FROM site_pages WHERE run_id = $1 AND place >= $2";

const SETTLE: &str = "UPDATE site_watches SET problem = $2 WHERE id = $1 AND due_at IS NOT NULL RETURNING id";

const KEEP_LINK: &str = "INSERT INTO site_watch_links (token_digest, watch_id, expires_at) VALUES ($1, $2, $3)";

const INPUTS: &str = "SELECT inputs FROM site_runs WHERE id = $1";

/// Keeps what came of a turn of a watch, and sends its alert. Nothing of that where the watch was stopped.
pub(crate) async fn settle(
    transaction: &mut Transaction<'_>,
    watch: &str,
    problem: Option<String>,
    alert: Option<SiteAlert>,
) -> Result<(), StoreError> {
    let is_on = transaction.first(of_id(SETTLE, watch).bind(problem)).await?.is_some();
    if let Some(SiteAlert { mail, token_digest, expires_at }) = alert.filter(|_| is_on) {
        let link = sqlx::query(KEEP_LINK).bind(token_digest.to_vec()).bind(watch.to_owned()).bind(expires_at.0);
        transaction.run(link).await?;
        transaction.enqueue(&mail).await?;
    }
    Ok(())
}

impl Store {
    /// Ends a run that is running, forgets pages that were not committed, and enqueues what follows. `false` where it has
    /// ended already. With a `lease`, nothing is done where it was lost.
    pub async fn end_site(
        &self,
        run: &str,
        lease: Option<&JobLease>,
        end: SiteEnd,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let subject = "ending a run over a site";
        let (run, lease, inputs) = (run.to_owned(), lease.cloned(), end.inputs.as_deref().map(packed).transpose()?);
        self.db
            .transact(subject, move |transaction| {
                let (run, lease, inputs, end) = (run.clone(), lease.clone(), inputs.clone(), end.clone());
                Box::pin(async move {
                    if let Some(lease) = &lease
                        && !transaction.holds_job(lease).await?
                    {
                        return Ok(false);
                    }
                    let ended = of_id(END, &run).bind(end.state.word()).bind(end.reason);
                    let changes = end.watched.as_ref().and_then(|watched| watched.changes.clone());
                    let ended = ended.bind(inputs).bind(end.figures).bind(now.0).bind(changes);
                    let Some(row) = transaction.first(ended).await? else { return Ok(false) };
                    let done: i64 = row.try_get("done").map_err(|error| StoreError::of_driver(subject, error))?;
                    transaction.run(of_id(FORGET, &run).bind(done)).await?;
                    for job in &end.jobs {
                        transaction.enqueue(job).await?;
                    }
                    if let Some(WatchedEnd { watch, problem, alert, .. }) = end.watched {
                        settle(transaction, &watch, problem, alert).await?;
                    }
                    Ok(true)
                })
            })
            .await
    }

    /// What is known of the site of a finished run besides its pages, in the caller's encoding.
    pub async fn site_inputs(&self, run: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let subject = "reading what is known of a site";
        let Some(row) = self.db.read(subject, of_id(INPUTS, run)).await? else { return Ok(None) };
        let inputs: Option<Vec<u8>> = row.try_get("inputs").map_err(|error| StoreError::of_driver(subject, error))?;
        inputs.as_deref().map(unpacked).transpose()
    }
}
