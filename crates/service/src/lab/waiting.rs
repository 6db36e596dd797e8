//! Waiting for the end of a lab test, on one server or several.
//!
//! Whoever waits looks at the database when nobody of this process did within the last second, and all who wait hear what was
//! seen: one query a server and second, however many wait, and none while nobody does. A test that ends in this process is
//! looked for at once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, timeout_at};

use crate::database::Database;

/// Interval of looks at the database.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Callers who wait at once; one more is answered at once. Chosen: half of the calls that a server works on.
const MOST_WAITING: usize = 512;

/// Ids of the tests that run.
type Running = Arc<BTreeSet<String>>;

/// Those who wait.
#[derive(Debug)]
pub(crate) struct Waiting {
    seen: watch::Sender<Running>,
    /// When the database was looked at last; held while somebody looks.
    looked_at: Mutex<Option<Instant>>,
    count: AtomicUsize,
}

impl Default for Waiting {
    fn default() -> Self {
        Self { seen: watch::Sender::new(Running::default()), looked_at: Mutex::new(None), count: AtomicUsize::new(0) }
    }
}

/// A place among those who wait; given back when dropped.
struct WaitingPlace<'w>(&'w AtomicUsize);

impl Drop for WaitingPlace<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Waiting {
    /// Waits until one of the `runs` is not seen among those that run; `false` at the deadline, and at once where too many
    /// wait. A look may be older than a run, so the row itself is to be read then.
    pub(crate) async fn for_one_of(&self, runs: &[String], database: &Database, deadline: Instant) -> bool {
        let _place = WaitingPlace(&self.count);
        if self.count.fetch_add(1, Ordering::Relaxed) >= MOST_WAITING {
            return false;
        }
        let mut seen = self.seen.subscribe();
        loop {
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

    /// How many wait.
    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Looks at the database, for a test that ended here.
    pub(crate) async fn look(&self, database: &Database) {
        *self.looked_at.lock().await = Some(Instant::now());
        // Without an answer the next look tells.
        if let Ok(running) = database.ask(store::Store::running_labs).await {
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
