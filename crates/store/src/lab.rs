//! Lab tests: the latest of each audit and strategy.
//!
//! A test begins in one transaction with its limits and its job, and ends in one with that job, so that it is neither run
//! twice nor lost.

use model::field_data::FieldData;
use model::id::{AccountId, AuditId, Owner};
use model::lab::{LabStatus, LabTest, LabTests};
use model::rendered::{Rendered, RenderedPages};
use model::time::{Day, Timestamp};
use serde::{Deserialize, Serialize};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::jobs::{JobLease, NewJob};
use crate::quotas::{HourlySpend, OnTheHour};
use crate::statement::member_reads;
use crate::store::Store;

/// Tests whose end is awaited in one look.
const MOST_RUNNING: i64 = 256;
/// The counter of all tests of a day: that of no network.
const EVERYBODY: &str = "";
/// What is counted.
const SKU: &str = "lab";

/// A lab test as stored, with the field data that came with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabRecord {
    /// The test.
    pub test: LabTest,
    /// Field data of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_data: Option<FieldData>,
    /// What scripts changed of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<Rendered>,
}

impl LabRecord {
    /// A test that brought nothing else.
    pub fn of(test: LabTest) -> Self {
        Self { test, field_data: None, rendered: None }
    }
}

/// A test to begin.
#[derive(Debug, Clone)]
pub struct NewLabTest {
    /// Its id, unique.
    pub run: String,
    /// The audit, and who must own it.
    pub audit: AuditId,
    /// See `audit`.
    pub owner: Owner,
    /// The test as it is shown while it runs.
    pub record: LabRecord,
    /// When it begins.
    pub started_at: Timestamp,
    /// The job that runs it.
    pub job: NewJob,
    /// Its limits.
    pub limits: LabLimits,
}

/// Limits that a test must not exceed.
#[derive(Debug, Clone)]
pub struct LabLimits {
    /// Tests that run at once.
    pub at_once: u32,
    /// Tests of a UTC day.
    pub per_day: u32,
    /// Tests of the caller's network in an hour.
    pub per_hour: u32,
    /// The bucket of the network's hourly uses.
    pub bucket: String,
}

/// Why a test did not begin; nothing was counted.
#[derive(Debug, Clone)]
pub enum LabRefusal {
    /// One of the same audit and strategy runs.
    Running(Box<LabTest>),
    /// As many tests run as may.
    Busy,
    /// The network has had its tests of the hour.
    RateLimited {
        /// Seconds until the next is allowed, 1 to 3,600.
        retry_after_s: u32,
    },
    /// The tests of the day are used up.
    DailyCap,
    /// The database refused; [`StoreError::NotFound`] also for an audit of someone else.
    Failed(StoreError),
}

impl From<StoreError> for LabRefusal {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// A running test, for the job that runs it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningLab {
    /// The audit.
    pub audit: AuditId,
    /// The final address of the audited page.
    pub url: String,
    /// The test as it is shown while it runs.
    pub test: LabTest,
}

/// The columns of a row of `audits` with its lab tests. A macro, as `concat!` takes literals only.
macro_rules! lab_tests {
    () => {
        "(SELECT result FROM lab_tests WHERE audit_id = audits.id AND strategy = 'mobile') AS lab_mobile, \
         (SELECT run FROM lab_tests WHERE audit_id = audits.id AND strategy = 'mobile') AS run_mobile, \
         (SELECT result FROM lab_tests WHERE audit_id = audits.id AND strategy = 'desktop') AS lab_desktop, \
         (SELECT run FROM lab_tests WHERE audit_id = audits.id AND strategy = 'desktop') AS run_desktop"
    };
}
pub(crate) use lab_tests;

// Counts first: the row of the day is locked by that, so that no two tests begin at once.
const COUNT: &str = "INSERT INTO daily_counters (network, sku, day, used) VALUES ($1, $2, $3, 1) \
    ON CONFLICT (network, sku, day) DO UPDATE SET used = daily_counters.used + 1 RETURNING used";

const OF_STRATEGY: &str = "SELECT result FROM lab_tests WHERE audit_id = $1 AND strategy = $2 AND state = 'running'";

const RUNNING_NOW: &str = "SELECT COUNT(*) AS n FROM lab_tests WHERE state = 'running'";

const BEGIN: &str = "INSERT INTO lab_tests (audit_id, strategy, run, state, started_at, result) \
    SELECT id, $1, $2, 'running', $3, $4 FROM audits WHERE id = $5 AND owner = $6 \
    ON CONFLICT (audit_id, strategy) DO UPDATE SET run = excluded.run, state = 'running', \
    started_at = excluded.started_at, result = excluded.result RETURNING run";

const RUNNING: &str = "SELECT run FROM lab_tests WHERE state = 'running' ORDER BY started_at, run LIMIT $1";

const BEGUN_BEFORE: &str = "SELECT l.run, l.audit_id, l.result, a.url FROM lab_tests l JOIN audits a ON a.id = l.audit_id \
    WHERE l.state = 'running' AND l.started_at < $1 ORDER BY l.started_at, l.run LIMIT $2";

const ONE: &str = "SELECT l.run, l.audit_id, l.result, a.url FROM lab_tests l JOIN audits a ON a.id = l.audit_id \
    WHERE l.run = $1 AND l.state = 'running'";

const END: &str = "UPDATE lab_tests SET state = $2, result = $3 WHERE run = $1 AND state = 'running' RETURNING run";

const OF_OWNER: &str = concat!("SELECT id, ", lab_tests!(), " FROM audits WHERE id = $1 AND owner = $2");

const OF_MEMBER: &str = concat!("SELECT id, ", lab_tests!(), " FROM audits WHERE id = $1 AND ", member_reads!());

/// The lab tests of an audit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredLab {
    /// The tests.
    pub tests: LabTests,
    /// Field data that came with the newer of them.
    pub field_data: Option<FieldData>,
    /// What scripts changed of the page, by each test that looked.
    pub rendered: RenderedPages,
    /// Ids of those that run.
    pub running: Vec<String>,
}

impl StoredLab {
    /// Reads a row with the columns of `lab_tests!`.
    pub(crate) fn of(subject: &'static str, row: &AnyRow) -> Result<Self, StoreError> {
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let mut lab = Self::default();
        let mut newest = String::new();
        for (result, run) in [("lab_mobile", "run_mobile"), ("lab_desktop", "run_desktop")] {
            let Some(result) = row.try_get::<Option<String>, _>(result).map_err(failed)? else { continue };
            let record = record(subject, &result)?;
            if record.test.status == LabStatus::Running {
                lab.running.extend(row.try_get::<Option<String>, _>(run).map_err(failed)?);
            }
            if let Some(data) = record.field_data.filter(|_| record.test.started_at > newest) {
                newest.clone_from(&record.test.started_at);
                lab.field_data = Some(data);
            }
            if let Some(page) = record.rendered {
                lab.rendered.set(record.test.strategy, page);
            }
            lab.tests.set(record.test);
        }
        Ok(lab)
    }
}

impl Store {
    /// Begins a test and enqueues its job, within its limits.
    pub async fn begin_lab(&self, new: NewLabTest) -> Result<(), LabRefusal> {
        let subject = "beginning a lab test";
        let result = written(subject, &new.record)?;
        self.db
            .transact(subject, move |transaction| {
                let (new, result) = (new.clone(), result.clone());
                Box::pin(async move {
                    let (strategy, now) = (new.record.test.strategy.name(), new.started_at);
                    let Day(day) = now.day();
                    let count = sqlx::query(COUNT).bind(EVERYBODY).bind(SKU).bind(day);
                    let used = number(subject, transaction.first(count).await?.as_ref(), "used")?;
                    let same = sqlx::query(OF_STRATEGY).bind(new.audit.0.clone()).bind(strategy);
                    if let Some(row) = transaction.first(same).await? {
                        let result: String =
                            row.try_get("result").map_err(|error| StoreError::of_driver(subject, error))?;
                        return Err(LabRefusal::Running(Box::new(record(subject, &result)?.test)));
                    }
                    let running = transaction.first(sqlx::query(RUNNING_NOW)).await?;
                    if number(subject, running.as_ref(), "n")? >= i64::from(new.limits.at_once) {
                        return Err(LabRefusal::Busy);
                    }
                    let hour = OnTheHour { bucket: &new.limits.bucket, now, per_hour: new.limits.per_hour };
                    if let HourlySpend::Refused { retry_after_s } = transaction.spend_hourly(subject, hour).await? {
                        return Err(LabRefusal::RateLimited { retry_after_s });
                    }
                    if used > i64::from(new.limits.per_day) {
                        return Err(LabRefusal::DailyCap);
                    }
                    let begin = sqlx::query(BEGIN)
                        .bind(strategy)
                        .bind(new.run)
                        .bind(now.0)
                        .bind(result)
                        .bind(new.audit.0)
                        .bind(new.owner.to_string());
                    transaction.first(begin).await?.ok_or(StoreError::NotFound { subject })?;
                    transaction.enqueue(&new.job).await?;
                    Ok(())
                })
            })
            .await
    }

    /// The lab tests of an audit of `owner`; [`StoreError::NotFound`] also when it is someone else's.
    pub async fn lab_of(&self, owner: &Owner, audit: &AuditId) -> Result<StoredLab, StoreError> {
        let subject = "reading lab tests";
        let statement = sqlx::query(OF_OWNER).bind(audit.0.clone()).bind(owner.to_string());
        let row = self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?;
        StoredLab::of(subject, &row)
    }

    /// The lab tests of an audit that `account` may read as a member of an organization, as `audit_of_member` has it.
    pub async fn lab_of_member(
        &self,
        account: &AccountId,
        has_second_factor: bool,
        audit: &AuditId,
    ) -> Result<StoredLab, StoreError> {
        let subject = "reading an organization's lab tests";
        let statement =
            sqlx::query(OF_MEMBER).bind(audit.0.clone()).bind(account.0.clone()).bind(i64::from(has_second_factor));
        let row = self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?;
        StoredLab::of(subject, &row)
    }

    /// Ids of the running tests, oldest first, at most 256.
    pub async fn running_labs(&self) -> Result<Vec<String>, StoreError> {
        let subject = "looking for running lab tests";
        let rows = self.db.read_all(subject, sqlx::query(RUNNING).bind(MOST_RUNNING)).await?;
        let run = |row: &AnyRow| row.try_get("run").map_err(|error| StoreError::of_driver(subject, error));
        rows.iter().map(run).collect()
    }

    /// A running test; `None` where there is none of this id, or it has ended.
    pub async fn running_lab(&self, run: &str) -> Result<Option<RunningLab>, StoreError> {
        let subject = "reading a running lab test";
        let row = self.db.read(subject, sqlx::query(ONE).bind(run.to_owned())).await?;
        row.map(|row| running(subject, &row).map(|(_, test)| test)).transpose()
    }

    /// Tests that run since before `begun_before`, oldest first, at most 256, by their ids.
    pub async fn stale_labs(&self, begun_before: Timestamp) -> Result<Vec<(String, RunningLab)>, StoreError> {
        let subject = "looking for old lab tests";
        let statement = sqlx::query(BEGUN_BEFORE).bind(begun_before.0).bind(MOST_RUNNING);
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter().map(|row| running(subject, row)).collect()
    }

    /// Ends a running test. With a `lease`, its job is finished in the same transaction, and nothing is written where the
    /// lease was lost. `false` where nothing was written.
    pub async fn end_lab(
        &self,
        run: &str,
        record: &LabRecord,
        lease: Option<&JobLease>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let subject = "ending a lab test";
        let (run, result, lease) = (run.to_owned(), written(subject, record)?, lease.cloned());
        let state = if record.test.status == LabStatus::Finished { "finished" } else { "failed" };
        let ended = self
            .db
            .transact(subject, move |transaction| {
                let (run, result, lease) = (run.clone(), result.clone(), lease.clone());
                Box::pin(async move {
                    if let Some(lease) = &lease
                        && !transaction.finish_job(lease, now).await?
                    {
                        return Err(EndRefusal::Late);
                    }
                    let end = sqlx::query(END).bind(run).bind(state).bind(result);
                    Ok(transaction.first(end).await?.is_some())
                })
            })
            .await;
        match ended {
            Ok(ended) => Ok(ended),
            Err(EndRefusal::Late) => Ok(false),
            Err(EndRefusal::Failed(error)) => Err(error),
        }
    }
}

/// Why a test was not ended.
enum EndRefusal {
    Late,
    Failed(StoreError),
}

impl From<StoreError> for EndRefusal {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

fn running(subject: &'static str, row: &AnyRow) -> Result<(String, RunningLab), StoreError> {
    let text = |name: &str| -> Result<String, StoreError> {
        row.try_get(name).map_err(|error| StoreError::of_driver(subject, error))
    };
    let test = record(subject, &text("result")?)?.test;
    Ok((text("run")?, RunningLab { audit: AuditId(text("audit_id")?), url: text("url")?, test }))
}

fn number(subject: &'static str, row: Option<&AnyRow>, name: &str) -> Result<i64, StoreError> {
    let row = row.ok_or(StoreError::NotFound { subject })?;
    row.try_get(name).map_err(|error| StoreError::of_driver(subject, error))
}

fn written(subject: &'static str, record: &LabRecord) -> Result<String, StoreError> {
    // PostgreSQL's TEXT holds no NUL; in JSON one is written as an escape.
    serde_json::to_string(record).map_err(|error| StoreError::corrupt(subject, error))
}

fn record(subject: &'static str, result: &str) -> Result<LabRecord, StoreError> {
    serde_json::from_str(result).map_err(|error| StoreError::corrupt(subject, error))
}
