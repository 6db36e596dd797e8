//! The end of a run.

use model::time::Timestamp;
use sqlx::Row as _;

use super::SiteState;
use crate::error::StoreError;
use crate::jobs::{JobLease, NewJob};
use crate::site_runs::{packed, unpacked};
use crate::statement::of_id;
use crate::store::Store;

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
}

// What the site answered at the beginning is of no use after the end, and has HTML of the site.
const END: &str = "UPDATE site_runs SET state = $2, reason = $3, inputs = $4, figures = $5, ended_at = $6, begun = NULL \
    WHERE id = $1 AND state = 'running' RETURNING done";

// Given out, and not committed when the run ended.
const FORGET: &str = "DELETE FROM site_pages WHERE run_id = $1 AND place >= $2";

const INPUTS: &str = "SELECT inputs FROM site_runs WHERE id = $1";

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
                    let ended = ended.bind(inputs).bind(end.figures).bind(now.0);
                    let Some(row) = transaction.first(ended).await? else { return Ok(false) };
                    let done: i64 = row.try_get("done").map_err(|error| StoreError::of_driver(subject, error))?;
                    transaction.run(of_id(FORGET, &run).bind(done)).await?;
                    for job in &end.jobs {
                        transaction.enqueue(job).await?;
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
