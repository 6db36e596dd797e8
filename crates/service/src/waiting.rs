//! Waiting for the end of a lab test or of a run over a site, on one server or several.
//!
//! Whoever waits looks at the database when nobody of this process did within the last second, and all who wait hear what was
//! seen: one query a server and second, however many wait, and none while nobody does. What ends in this process is looked
//! for at once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, timeout_at};

use crate::database::Database;

/// Longest wait of a call for the end of a lab test or of a run over a site.
pub const MOST_WAIT: Duration = Duration::from_secs(25);
/// Interval of looks at the database.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Callers who wait at once; one more is answered at once. Chosen: half of the calls that a server works on.
const MOST_WAITING: usize = 512;

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// Lab tests.
    Labs,
    /// Runs over sites.
    Sites,
}

/// The end of a wait that begins now, of [`MOST_WAIT`] at most.
pub(crate) fn deadline(wait: Duration) -> Instant {
    Instant::now() + wait.min(MOST_WAIT)
}

/// Ids of what runs.
type Running = Arc<BTreeSet<String>>;

/// Those who wait.
#[derive(Debug)]
pub(crate) struct Waiting {
    awaited: Awaited,
    seen: watch::Sender<Running>,
    /// When the database was looked at last; held while somebody looks.
    looked_at: Mutex<Option<Instant>>,
    count: AtomicUsize,
    /// The server stops: nobody waits any more.
    is_over: AtomicBool,
}

/// A place among those who wait; given back when dropped.
struct WaitingPlace<'w>(&'w AtomicUsize);

impl Drop for WaitingPlace<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Waiting {
    /// Nobody waits.
    pub(crate) fn new(awaited: Awaited) -> Self {
        Self {
            awaited,
            seen: watch::Sender::new(Running::default()),
            looked_at: Mutex::new(None),
            count: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    /// Waits until one of the `runs` is not seen among those that run; `false` at the deadline, and at once where too many
    /// wait or the server stops. A look may be older than a run, so the row itself is to be read then.
    pub(crate) async fn for_one_of(&self, runs: &[String], database: &Database, deadline: Instant) -> bool {
        let _place = WaitingPlace(&self.count);
        if self.count.fetch_add(1, Ordering::Relaxed) >= MOST_WAITING {
            return false;
        }
        // Before the look at the mark: whoever sets it wakes all who are here by then.
        let mut seen = self.seen.subscribe();
        loop {
            if self.is_over.load(Ordering::SeqCst) {
                return false;
            }
            let next_look = deadline.min(Instant::now() + LOOK_EVERY);
            match timeout_at(next_look, seen.changed()).await {
                Ok(Ok(())) => {
                    let running = Arc::clone(&seen.borrow_and_update());
                    if runs.iter().any(|run| !running.contains(run)) {
                        return true;
                    }
                }
                Err(_) if Instant::now() < deadline => self.look_unless_fresh(database).await,
                Ok(Err(_)) | Err(_) => return false,
            }
        }
    }

    /// Ends all waits, now and from now on.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.seen.send_modify(|_| {});
    }

    /// How many wait.
    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Looks at the database, for what ended here.
    pub(crate) async fn look(&self, database: &Database) {
        *self.looked_at.lock().await = Some(Instant::now());
        // Without an answer the next look tells.
        let running = match self.awaited {
            Awaited::Labs => database.ask(store::Store::running_labs).await,
            Awaited::Sites => database.ask(store::Store::running_sites).await,
        };
        if let Ok(running) = running {
            self.seen.send_replace(Arc::new(running.into_iter().collect()));
        }
    }

    /// Looks unless somebody did within the last second, or does now.
    async fn look_unless_fresh(&self, database: &Database) {
        let is_due = match self.looked_at.try_lock() {
            Ok(mut at) if at.is_none_or(|at| at.elapsed() >= LOOK_EVERY) => {
                *at = Some(Instant::now());
                true
            }
            _ => false,
        };
        if is_due {
            self.look(database).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::JoinSet;

    use super::*;
    use crate::database::open_store;

    #[tokio::test(start_paused = true)]
    async fn a_wait_lasts_25_seconds_at_most() {
        for (asked, wait) in [(0, 0), (24, 24), (25, 25), (26, 25), (u64::from(u32::MAX), 25)] {
            assert_eq!((deadline(Duration::from_secs(asked)) - Instant::now()).as_secs(), wait, "{asked}");
        }
    }

    #[tokio::test]
    async fn past_the_limit_and_while_the_server_stops_a_caller_is_answered_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("lab.db").display());
        let database = Arc::new(Database::new(open_store(&url).await.unwrap(), Duration::from_secs(60)));
        let (waiting, runs) = (Arc::new(Waiting::new(Awaited::Labs)), ["a run".to_owned()]);
        let deadline = Instant::now() + Duration::from_secs(86_400);
        // Nobody looks while somebody else does, so the run seems to go on.
        let look = waiting.looked_at.lock().await;
        let mut callers = JoinSet::new();
        for _ in 0..512 {
            let (waiting, runs, database) = (Arc::clone(&waiting), runs.clone(), Arc::clone(&database));
            callers.spawn(async move { waiting.for_one_of(&runs, &database, deadline).await });
        }
        while waiting.count() < 512 {
            tokio::task::yield_now().await;
        }
        assert!(!waiting.for_one_of(&runs, &database, deadline).await, "one too many");
        assert_eq!((waiting.count(), callers.len()), (512, 512));
        waiting.end();
        while let Some(caller) = callers.join_next().await {
            caller.unwrap();
        }
        assert_eq!(waiting.count(), 0);
        assert!(!waiting.for_one_of(&runs, &database, deadline).await, "the server stops");
        drop(look);
    }

    #[tokio::test]
    async fn the_database_is_looked_at_a_second_after_the_last_look() {
        let test = crate::testing::service_on(|_| {}).await;
        let (waiting, database, now) = (Waiting::new(Awaited::Labs), test.services.database(), Instant::now());
        let mut seen = waiting.seen.subscribe();
        for (looked_at, is_looked_at) in [
            (None, true),
            (Some(now - Duration::from_secs(1)), true),
            // However long this test takes, it is no second.
            (Some(now + Duration::from_secs(3_600)), false),
        ] {
            *waiting.looked_at.lock().await = looked_at;
            waiting.look_unless_fresh(database).await;
            assert_eq!(seen.has_changed().unwrap(), is_looked_at, "{looked_at:?}");
            seen.mark_unchanged();
        }
        // Somebody else looks now.
        let look = waiting.looked_at.lock().await;
        waiting.look_unless_fresh(database).await;
        assert!(!seen.has_changed().unwrap());
        drop(look);
    }
}
