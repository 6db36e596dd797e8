//! The job queue: leases with fencing tokens, unique keys, back-off.
//!
//! Jobs run at least once. A claim is a lease with a fencing token that grows with each claim; the holder of an expired
//! lease changes nothing, because every write checks the token.

use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::store::Store;
use crate::transaction::Transaction;

/// Ended jobs that one statement deletes at most.
const PURGE_BATCH: i64 = 500;

/// Length limit of a stored error in characters.
const ERROR_CHARS: usize = 500;

/// A job to enqueue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// Its id, unique.
    pub id: String,
    /// Its queue; a full one does not delay the others.
    pub lane: &'static str,
    /// Unique key, also after the job is done, if it has one.
    pub unique_key: Option<String>,
    /// The payload; emptied once the job is done.
    pub payload: String,
    /// When it is due.
    pub run_at: Timestamp,
    /// When it was enqueued.
    pub created_at: Timestamp,
    /// The position in a trace of what enqueued it (`traceparent` of W3C Trace Context), where that was traced.
    pub traceparent: Option<String>,
}

/// The lease of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobLease {
    id: String,
    fence: i64,
}

/// A claimed job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedJob {
    /// Its lease.
    pub lease: JobLease,
    /// The payload.
    pub payload: String,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// When it was enqueued.
    pub created_at: Timestamp,
    /// The position in a trace of what enqueued it.
    pub traceparent: Option<String>,
}

/// State of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// Queued or running.
    Waiting,
    /// Done.
    Done,
    /// Dead: given up, for the operator to look at.
    Dead,
}

/// A job as an operator sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRecord {
    /// Its id.
    pub id: String,
    /// Its queue.
    pub lane: String,
    /// Its state.
    pub state: JobState,
    /// The payload; empty once the job is done.
    pub payload: String,
    /// When it is due.
    pub run_at: Timestamp,
    /// Attempts so far.
    pub attempts: u32,
    /// Error of the last attempt.
    pub last_error: Option<String>,
}

impl JobLease {
    /// The job.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The fencing token.
    pub(crate) fn fence(&self) -> i64 {
        self.fence
    }
}

impl JobState {
    fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Dead => "dead",
        }
    }

    fn of(word: &str) -> Option<Self> {
        [Self::Waiting, Self::Done, Self::Dead].into_iter().find(|state| state.word() == word)
    }
}

const INSERT: &str = "INSERT INTO jobs (id, lane, unique_key, payload, state, run_at, attempts, locked_until, fence, \
    created_at, traceparent) VALUES ($1, $2, $3, $4, 'waiting', $5, 0, 0, 0, $6, $7) ON CONFLICT DO NOTHING RETURNING id";

const DUE: &str = "SELECT id FROM jobs WHERE lane = $1 AND state = 'waiting' AND run_at <= $2 AND locked_until <= $2 \
    ORDER BY run_at, id LIMIT 1";

// Both conditions twice: on PostgreSQL a second server waits for the row and then checks only the outer ones again.
const CLAIM: &str = "UPDATE jobs SET locked_until = $3, fence = fence + 1, attempts = attempts + 1 \
    WHERE id = (SELECT id FROM jobs WHERE lane = $1 AND state = 'waiting' AND run_at <= $2 AND locked_until <= $2 \
    ORDER BY run_at, id LIMIT 1) AND state = 'waiting' AND run_at <= $2 AND locked_until <= $2 \
    RETURNING id, payload, attempts, fence, created_at, traceparent";

const FINISH: &str = "UPDATE jobs SET state = 'done', payload = '', last_error = NULL, ended_at = $3 \
    WHERE id = $1 AND fence = $2 AND state = 'waiting' RETURNING id";

const POSTPONE: &str = "UPDATE jobs SET run_at = $3, locked_until = 0, last_error = $4 \
    WHERE id = $1 AND fence = $2 AND state = 'waiting' RETURNING id";

const BURY: &str = "UPDATE jobs SET state = 'dead', ended_at = $3, last_error = $4 \
    WHERE id = $1 AND fence = $2 AND state = 'waiting' RETURNING id";

// Not an attempt: the job was returned before it was begun.
const RETURN: &str = "UPDATE jobs SET locked_until = 0, attempts = attempts - 1 \
    WHERE id = $1 AND fence = $2 AND state = 'waiting' RETURNING id";

// Progress was made, so the attempts before count no more.
const CONTINUE: &str = "UPDATE jobs SET run_at = $3, locked_until = 0, attempts = 0 \
    WHERE id = $1 AND fence = $2 AND state = 'waiting' RETURNING id";

const RENEW: &str = "UPDATE jobs SET locked_until = $3 WHERE id = $1 AND fence = $2 AND state = 'waiting' RETURNING id";

const HOLDS: &str = "UPDATE jobs SET fence = fence WHERE id = $1 AND fence = $2 AND state = 'waiting' RETURNING id";

const LIST: &str = "SELECT id, lane, state, payload, run_at, attempts, last_error FROM jobs \
    WHERE state = $1 ORDER BY run_at, id LIMIT $2";

const REVIVE: &str = "UPDATE jobs SET state = 'waiting', run_at = $2, locked_until = 0, attempts = 0, ended_at = NULL \
    WHERE id = $1 AND state = 'dead' RETURNING id";

const PURGE: &str = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs \
    WHERE (state = 'done' AND ended_at < $1) OR (state = 'dead' AND ended_at < $2) \
    ORDER BY ended_at, id LIMIT $3) RETURNING id";

impl Transaction<'_> {
    /// Enqueues `job` in this transaction; `false` when a job with its key exists.
    pub(crate) async fn enqueue(&mut self, job: &NewJob) -> Result<bool, StoreError> {
        let statement = sqlx::query(INSERT)
            .bind(job.id.clone())
            .bind(job.lane)
            .bind(job.unique_key.clone())
            .bind(job.payload.clone())
            .bind(job.run_at.0)
            .bind(job.created_at.0)
            .bind(job.traceparent.clone());
        Ok(self.first(statement).await?.is_some())
    }

    /// Completes the job of `lease` in this transaction. `false` when the lease was lost: then the transaction must be
    /// rolled back.
    pub(crate) async fn finish_job(&mut self, lease: &JobLease, now: Timestamp) -> Result<bool, StoreError> {
        let statement = sqlx::query(FINISH).bind(lease.id.clone()).bind(lease.fence).bind(now.0);
        Ok(self.first(statement).await?.is_some())
    }

    /// Whether `lease` holds its job until this transaction ends.
    pub(crate) async fn holds_job(&mut self, lease: &JobLease) -> Result<bool, StoreError> {
        let statement = sqlx::query(HOLDS).bind(lease.id.clone()).bind(lease.fence);
        Ok(self.first(statement).await?.is_some())
    }
}

impl Store {
    /// Enqueues `job`; `false` when a job with its key exists.
    pub async fn enqueue(&self, job: NewJob) -> Result<bool, StoreError> {
        self.db
            .transact("enqueueing a job", move |transaction| {
                let job = job.clone();
                Box::pin(async move { transaction.enqueue(&job).await })
            })
            .await
    }

    /// Claims the job of `lane` that has been due longest, with a lease until `until`; `None` when none is due, or
    /// another server was faster.
    pub async fn claim_job(
        &self,
        lane: &'static str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<ClaimedJob>, StoreError> {
        let subject = "claiming a job";
        // Most polls find nothing; those cost no write.
        if self.db.read(subject, sqlx::query(DUE).bind(lane).bind(now.0)).await?.is_none() {
            return Ok(None);
        }
        let rows = self.db.write(subject, sqlx::query(CLAIM).bind(lane).bind(now.0).bind(until.0)).await?;
        rows.first().map(claimed).transpose().map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Completes a job; `false` when the lease was lost.
    pub async fn finish_job(&self, lease: &JobLease, now: Timestamp) -> Result<bool, StoreError> {
        let statement = sqlx::query(FINISH).bind(lease.id.clone()).bind(lease.fence).bind(now.0);
        Ok(!self.db.write("finishing a job", statement).await?.is_empty())
    }

    /// Reschedules a failed job to `run_at`; `false` when the lease was lost.
    pub async fn postpone_job(&self, lease: &JobLease, run_at: Timestamp, why: &str) -> Result<bool, StoreError> {
        let statement =
            sqlx::query(POSTPONE).bind(lease.id.clone()).bind(lease.fence).bind(run_at.0).bind(shortened(why));
        Ok(!self.db.write("putting a job off", statement).await?.is_empty())
    }

    /// Gives a job up: it stays as dead, for the operator to see. `false` when the lease was lost.
    pub async fn bury_job(&self, lease: &JobLease, now: Timestamp, why: &str) -> Result<bool, StoreError> {
        let statement = sqlx::query(BURY).bind(lease.id.clone()).bind(lease.fence).bind(now.0).bind(shortened(why));
        Ok(!self.db.write("giving a job up", statement).await?.is_empty())
    }

    /// Returns a job that was not begun to its queue; `false` when the lease was lost.
    pub async fn return_job(&self, lease: &JobLease) -> Result<bool, StoreError> {
        let statement = sqlx::query(RETURN).bind(lease.id.clone()).bind(lease.fence);
        Ok(!self.db.write("giving a job back", statement).await?.is_empty())
    }

    /// Extends the lease of a running job; `false` when it was lost.
    pub async fn renew_job(&self, lease: &JobLease, until: Timestamp) -> Result<bool, StoreError> {
        let statement = sqlx::query(RENEW).bind(lease.id.clone()).bind(lease.fence).bind(until.0);
        Ok(!self.db.write("renewing the lease of a job", statement).await?.is_empty())
    }

    /// Returns a job that has done a part of its work to its queue, due at `run_at`; `false` when the lease was lost.
    pub async fn continue_job(&self, lease: &JobLease, run_at: Timestamp) -> Result<bool, StoreError> {
        let statement = sqlx::query(CONTINUE).bind(lease.id.clone()).bind(lease.fence).bind(run_at.0);
        Ok(!self.db.write("continuing a job", statement).await?.is_empty())
    }

    /// At most `limit` jobs in a state, those that are due longest first.
    pub async fn jobs(&self, state: JobState, limit: u32) -> Result<Vec<JobRecord>, StoreError> {
        let subject = "listing jobs";
        let statement = sqlx::query(LIST).bind(state.word()).bind(i64::from(limit));
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter().map(|row| record(subject, row)).collect()
    }

    /// Requeues a dead job with all its attempts; `false` when there is no such dead job.
    pub async fn revive_job(&self, id: &str, now: Timestamp) -> Result<bool, StoreError> {
        // PostgreSQL's TEXT holds no NUL, so there is no such id.
        let id = id.replace('\0', "");
        Ok(!self.db.write("reviving a job", sqlx::query(REVIVE).bind(id).bind(now.0)).await?.is_empty())
    }

    /// Deletes jobs done before `done_before` and those given up before `dead_before`; how many.
    pub async fn purge_jobs(&self, done_before: Timestamp, dead_before: Timestamp) -> Result<u64, StoreError> {
        let mut purged = 0;
        loop {
            let statement = sqlx::query(PURGE).bind(done_before.0).bind(dead_before.0).bind(PURGE_BATCH);
            let rows = self.db.write("purging jobs", statement).await?;
            if rows.is_empty() {
                return Ok(purged);
            }
            purged += rows.len() as u64;
        }
    }
}

fn claimed(row: &AnyRow) -> Result<ClaimedJob, sqlx::Error> {
    Ok(ClaimedJob {
        lease: JobLease { id: row.try_get("id")?, fence: row.try_get("fence")? },
        payload: row.try_get("payload")?,
        attempt: attempts(row)?,
        created_at: Timestamp(row.try_get("created_at")?),
        traceparent: row.try_get("traceparent")?,
    })
}

fn record(subject: &'static str, row: &AnyRow) -> Result<JobRecord, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let state: String = row.try_get("state").map_err(failed)?;
    Ok(JobRecord {
        id: row.try_get("id").map_err(failed)?,
        lane: row.try_get("lane").map_err(failed)?,
        state: JobState::of(&state).ok_or_else(|| StoreError::corrupt(subject, format!("unknown state {state}")))?,
        payload: row.try_get("payload").map_err(failed)?,
        run_at: Timestamp(row.try_get("run_at").map_err(failed)?),
        attempts: attempts(row).map_err(failed)?,
        last_error: row.try_get("last_error").map_err(failed)?,
    })
}

fn attempts(row: &AnyRow) -> Result<u32, sqlx::Error> {
    let stored: i64 = row.try_get("attempts")?;
    u32::try_from(stored).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// An error as it is stored: without NUL, which PostgreSQL's TEXT can't hold, and cut to its length limit.
fn shortened(why: &str) -> String {
    why.chars().filter(|&c| c != '\0').take(ERROR_CHARS).collect()
}
