//! Audits that run for a page: their stages as they end, kept in the process so that the page can show them.
//!
//! Each runs in a task of its own, so it goes on when its reader closes or reloads the page. The records are bounded: in
//! number, in how long an ended one is kept, and in how many follow one.

mod handle;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::AuditStep;
use model::id::{AuditId, Owner};
use model::report::Report;
use model::time::Timestamp;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::error::{Code, ServiceError};
use crate::network::Network;
use crate::traces;

pub use handle::{ObservedAudit, RunningHandle};

/// Records at most. Chosen: eight times the audits that fetch at once by default; past it the oldest ended one is forgotten.
const MOST: usize = 512;
/// How long an ended record is kept, for a reader who reloads its page. Its report is read from the database afterwards.
const KEPT: Duration = Duration::from_secs(10 * 60);
/// Readers who follow one audit at once. Chosen: several tabs of one browser.
const MOST_READERS: usize = 8;
/// How long a shutdown waits for audits whose readers have left: above the longest audit.
const LAST_AUDITS: Duration = Duration::from_secs(25);

/// An audit that runs or has ended, as its page shows it.
#[derive(Debug, Clone)]
pub struct RunningAudit {
    /// The id that the audit is stored under.
    pub id: AuditId,
    /// Who may see it; `None` until the caller is admitted, and for a caller without an identity.
    pub owner: Option<Owner>,
    /// Token of the guest that was created for its caller.
    pub new_guest: Option<String>,
    /// The audited page, as it was typed.
    pub url: String,
    /// Where its page leads to at the end: a path of ours.
    pub way_on: String,
    /// Whether the form of the first page asked for it.
    pub is_of_form: bool,
    /// When it was asked for.
    pub started_at: Timestamp,
    /// The same on the clock that measures.
    pub begun: Instant,
    /// Ended steps in order, each with when it ended.
    pub steps: Vec<(AuditStep, Instant)>,
    /// How far it is.
    pub phase: AuditPhase,
}

/// How far an audit is.
#[derive(Debug, Clone)]
pub enum AuditPhase {
    /// Its caller is not admitted yet: the allowance, the guest.
    Admitting,
    /// It runs.
    Running,
    /// It has ended.
    Ended(AuditEnding),
}

/// How an audit ended. Cheap to clone.
#[derive(Debug, Clone)]
pub enum AuditEnding {
    /// The report is stored under the audit's id.
    Stored,
    /// There is a report that could not be stored.
    Unkept(Arc<UnkeptReport>),
    /// There is none.
    Failed(Arc<ServiceError>),
}

/// A report that was not stored.
#[derive(Debug)]
pub struct UnkeptReport {
    /// The report.
    pub report: Report,
    /// When the audit began.
    pub created_at: Timestamp,
}

impl RunningAudit {
    /// How it ended; `None` while it runs.
    pub fn ending(&self) -> Option<&AuditEnding> {
        match &self.phase {
            AuditPhase::Ended(ending) => Some(ending),
            AuditPhase::Admitting | AuditPhase::Running => None,
        }
    }

    /// Whether it has ended, or its page can be shown to somebody.
    pub fn is_answerable(&self) -> bool {
        match self.phase {
            AuditPhase::Admitting => false,
            AuditPhase::Running => self.owner.is_some(),
            AuditPhase::Ended(_) => true,
        }
    }
}

/// An audit to begin.
#[derive(Debug)]
pub(crate) struct NewRun {
    pub(crate) id: AuditId,
    pub(crate) owner: Option<Owner>,
    /// The network, and the random text that the form had: a form that is sent twice has the same.
    pub(crate) attempt: Option<(Network, String)>,
    pub(crate) url: String,
    pub(crate) way_on: String,
    pub(crate) is_of_form: bool,
    pub(crate) started_at: Timestamp,
}

/// A record.
#[derive(Debug)]
struct ProgressRecord {
    attempt: Option<(Network, String)>,
    state: watch::Sender<RunningAudit>,
}

impl ProgressRecord {
    /// Whether it runs and was asked for by the same reader, for the same page.
    fn is_same(&self, new: &NewRun) -> bool {
        let state = self.state.borrow();
        let is_same_reader =
            (new.owner.is_some() && state.owner == new.owner) || (new.attempt.is_some() && self.attempt == new.attempt);
        state.ending().is_none() && state.url == new.url && state.is_of_form == new.is_of_form && is_same_reader
    }
}

/// The running audits of the process.
#[derive(Debug, Default)]
pub struct RunningAudits {
    records: Mutex<HashMap<String, ProgressRecord>>,
    tasks: Mutex<JoinSet<()>>,
    /// The service is being stopped: no more audits begin.
    is_over: AtomicBool,
}

impl RunningAudits {
    /// Begins an audit in a task of its own, or finds the one that the same reader has running for the same page. `work`
    /// gets the handle that tells how far it is. [`Code::Overloaded`] where too many run.
    pub(crate) fn begin<W: Future<Output = ()> + Send + 'static>(
        &self,
        new: NewRun,
        work: impl FnOnce(RunningHandle) -> W,
    ) -> Result<watch::Receiver<RunningAudit>, ServiceError> {
        let mut records = locked(&self.records);
        if let Some(same) = records.values().find(|record| record.is_same(&new)) {
            return Ok(same.state.subscribe());
        }
        forget(&mut records);
        if records.len() >= MOST || self.is_over.load(Ordering::SeqCst) {
            return Err(ServiceError::new(Code::Overloaded).retry_after(5));
        }
        let NewRun { id, owner, attempt, url, way_on, is_of_form, started_at } = new;
        let key = id.0.clone();
        let (begun, steps) = (Instant::now(), Vec::new());
        let phase = AuditPhase::Admitting;
        let state =
            RunningAudit { id, owner, new_guest: None, url, way_on, is_of_form, started_at, begun, steps, phase };
        let (state, follower) = watch::channel(state);
        let handle = RunningHandle::new(state.clone());
        records.insert(key, ProgressRecord { attempt, state });
        drop(records);
        let mut tasks = locked(&self.tasks);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(traces::within(traces::current(), work(handle)).in_current_span());
        Ok(follower)
    }

    /// Goes on with something when an audit has ended, unless the service is being stopped.
    pub(crate) fn afterwards(
        &self,
        mut follower: watch::Receiver<RunningAudit>,
        go_on: impl FnOnce(&AuditEnding) + Send + 'static,
    ) {
        locked(&self.tasks).spawn(async move {
            let ended = follower.wait_for(|audit| audit.ending().is_some()).await.map(|audit| audit.clone());
            if let Some(ending) = ended.as_ref().ok().and_then(RunningAudit::ending) {
                go_on(ending);
            }
        });
    }

    /// Running audits of an owner, the oldest first.
    pub fn of_owner(&self, owner: &Owner) -> Vec<RunningAudit> {
        let records = locked(&self.records);
        let states = records.values().map(|record| record.state.borrow().clone());
        let mut running: Vec<_> =
            states.filter(|audit| audit.ending().is_none() && audit.owner.as_ref() == Some(owner)).collect();
        running.sort_by_key(|audit| audit.begun);
        running
    }

    /// An audit of an owner; `None` where there is none, or it ended too long ago.
    pub fn read(&self, owner: &Owner, id: &str) -> Option<RunningAudit> {
        let mut records = locked(&self.records);
        forget(&mut records);
        let state = records.get(id)?.state.borrow().clone();
        (state.owner.as_ref() == Some(owner)).then_some(state)
    }

    /// Follows an audit of an owner. [`Code::Overloaded`] where too many follow it already.
    pub fn follow(&self, owner: &Owner, id: &str) -> Result<Option<watch::Receiver<RunningAudit>>, ServiceError> {
        let records = locked(&self.records);
        let Some(record) = records.get(id) else { return Ok(None) };
        if record.state.borrow().owner.as_ref() != Some(owner) {
            return Ok(None);
        }
        if record.state.receiver_count() >= MOST_READERS {
            return Err(ServiceError::new(Code::Overloaded).retry_after(1));
        }
        Ok(Some(record.state.subscribe()))
    }

    /// Begins no more, and waits until all of them have ended. To be called when no more calls are taken, before the database
    /// is closed.
    pub async fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        if tokio::time::timeout(LAST_AUDITS, self.end_of_all()).await.is_err() {
            tracing::warn!("stopped with audits unfinished");
        }
    }

    /// Waits until all of them have ended, those that they lead to among them.
    pub async fn end_of_all(&self) {
        loop {
            let mut tasks = std::mem::take(&mut *locked(&self.tasks));
            if tasks.is_empty() {
                return;
            }
            while tasks.join_next().await.is_some() {}
        }
    }
}

/// A panic while it is held leaves the map whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Forgets what ended too long ago, and the oldest ended one where there is no room.
fn forget(records: &mut HashMap<String, ProgressRecord>) {
    let ended_at = |record: &ProgressRecord| {
        let state = record.state.borrow();
        state.ending()?;
        Some(state.steps.last().map_or(state.begun, |(_, at)| *at))
    };
    records.retain(|_, record| ended_at(record).is_none_or(|at| at.elapsed() < KEPT));
    if records.len() >= MOST {
        let ended = records.iter().filter_map(|(id, record)| Some((ended_at(record)?, id.clone())));
        if let Some((_, oldest)) = ended.min() {
            records.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use model::id::GuestId;

    use super::*;

    fn new(id: usize, owner: Option<&str>, attempt: Option<&str>) -> NewRun {
        NewRun {
            id: AuditId(id.to_string()),
            owner: owner.map(|owner| Owner::Guest(GuestId(owner.to_owned()))),
            attempt: attempt.map(|text| (Network::of([203, 0, 113, 1].into()), text.to_owned())),
            url: "https://example.com/".to_owned(),
            way_on: String::new(),
            is_of_form: true,
            started_at: Timestamp(0),
        }
    }

    fn begun(runs: &RunningAudits, new: NewRun) -> Result<String, Code> {
        let state = runs.begin(new, |handle| async move {
            std::future::pending::<()>().await;
            drop(handle);
        });
        state.map(|state| state.borrow().id.0.clone()).map_err(|error| error.code)
    }

    #[tokio::test]
    async fn the_same_reader_starts_no_second_audit_of_a_page() {
        let runs = RunningAudits::default();
        for (id, owner, attempt, found) in [
            (1, None, Some("a"), "1"),
            (2, None, Some("a"), "1"),
            (3, None, Some("b"), "3"),
            (4, None, None, "4"),
            (5, None, None, "5"),
            (6, Some("x"), None, "6"),
            (7, Some("x"), Some("c"), "6"),
            (8, Some("y"), None, "8"),
        ] {
            assert_eq!(begun(&runs, new(id, owner, attempt)).as_deref(), Ok(found), "{id}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn records_are_bounded_and_ended_ones_are_forgotten() {
        let runs = RunningAudits::default();
        let x = Owner::Guest(GuestId("x".to_owned()));
        let ended = runs.begin(new(0, Some("x"), None), |mut handle| async move {
            handle.end(AuditEnding::Stored);
        });
        ended.unwrap().wait_for(|state| state.ending().is_some()).await.unwrap();
        assert!(runs.read(&x, "0").is_some());
        assert!(runs.read(&Owner::Guest(GuestId("y".to_owned())), "0").is_none(), "somebody else's");
        for id in 1..=MOST {
            // The ended one makes room for the last.
            assert_eq!(begun(&runs, new(id, None, None)), Ok(id.to_string()));
        }
        assert!(runs.read(&x, "0").is_none());
        assert_eq!(begun(&runs, new(9_999, None, None)), Err(Code::Overloaded));

        let runs = RunningAudits::default();
        let ended = runs.begin(new(0, Some("x"), None), |handle| async move { drop(handle) });
        let mut ended = ended.unwrap();
        let state = ended.wait_for(|state| state.ending().is_some()).await.unwrap().clone();
        assert!(matches!(state.ending().unwrap(), AuditEnding::Failed(error) if error.code == Code::Internal));
        tokio::time::advance(KEPT).await;
        assert!(runs.read(&x, "0").is_none());
    }

    #[tokio::test]
    async fn so_many_follow_one_audit_and_no_more() {
        let runs = RunningAudits::default();
        let x = Owner::Guest(GuestId("x".to_owned()));
        begun(&runs, new(1, Some("x"), None)).unwrap();
        let mut followers: Vec<_> = (0..MOST_READERS).map(|_| runs.follow(&x, "1").unwrap().unwrap()).collect();
        assert_eq!(runs.follow(&x, "1").unwrap_err().code, Code::Overloaded);
        followers.pop();
        assert!(runs.follow(&x, "1").unwrap().is_some());
        assert!(runs.follow(&x, "2").unwrap().is_none());
    }
}
