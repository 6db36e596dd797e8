//! Thread pool for CPU-bound work: parsing, judging, writing reports. One thread per core, so that such work never
//! blocks an async worker, nor runs more at once than the machine can.
//!
//! Work on large pages waits in a queue of its own: a crowd of them, each of which may take half a second, would hold up
//! every other caller for all of theirs. Other work goes first, and one thread of several takes nothing else.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crossbeam_channel::{Receiver, Select, Sender, bounded};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

/// Queue length. Chosen: above what the concurrency limits admit, so that it is reached only if they are configured
/// too high.
const QUEUE: usize = 1024;

/// A piece of work, including sending its result.
type CoreWork = Box<dyn FnOnce() + Send>;

/// Bytes of a page or file from which on work on it is large. Chosen: the HTML of nearly all pages is smaller, and
/// takes some milliseconds.
const LARGE: usize = 512 * 1024;

/// The thread pool. Its threads end when the last clone is dropped and the queues are empty.
#[derive(Clone)]
pub struct Cores {
    usual: Sender<CoreWork>,
    large: Sender<CoreWork>,
}

/// Pieces of work that wait for a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoreQueues {
    /// On usual pages and files.
    pub usual: usize,
    /// On large ones.
    pub large: usize,
}

/// Why work was not done.
#[derive(Debug, PartialEq, Eq)]
pub enum Undone {
    /// No core came free in time, or the queue is full.
    Overloaded,
    /// It panicked: a defect, logged by the process's panic hook.
    Panicked,
}

/// States of a queued piece of work; the first transition wins.
mod turn {
    pub(super) const WAITS: u8 = 0;
    pub(super) const BEGUN: u8 = 1;
    pub(super) const GIVEN_UP: u8 = 2;
}

impl Cores {
    /// Starts `count` threads, at least one. An error when the system gives no thread.
    #[expect(clippy::disallowed_methods, reason = "the threads themselves")]
    pub fn start(count: usize) -> std::io::Result<Self> {
        let (usual, usual_jobs) = bounded(QUEUE);
        let (large, large_jobs) = bounded(QUEUE);
        let count = count.max(1);
        for number in 0..count {
            let (usual, large): (Receiver<CoreWork>, Receiver<CoreWork>) = (usual_jobs.clone(), large_jobs.clone());
            let thread = std::thread::Builder::new().name(format!("core-{number}"));
            let takes_large = number > 0 || count == 1;
            thread.spawn(move || match takes_large {
                true => work_on_both(&usual, &large),
                false => usual.into_iter().for_each(|job| job()),
            })?;
        }
        Ok(Self { usual, large })
    }

    /// One thread per core of the machine.
    pub fn of_the_machine() -> std::io::Result<Self> {
        Self::start(std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
    }

    /// Work that waits.
    pub fn queues(&self) -> CoreQueues {
        CoreQueues { usual: self.usual.len(), large: self.large.len() }
    }

    /// Runs `work` on a page or file of `bytes` on one of the threads. Waits for a free thread until `until`, then for the
    /// work to end. Work whose caller has left is not begun.
    pub async fn run<T: Send + 'static>(
        &self,
        bytes: usize,
        until: Instant,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Undone> {
        let turn = Arc::new(AtomicU8::new(turn::WAITS));
        let take = |turn: &AtomicU8, as_what| {
            turn.compare_exchange(turn::WAITS, as_what, Ordering::AcqRel, Ordering::Acquire).is_ok()
        };
        let (answer, mut received) = oneshot::channel();
        let theirs = Arc::clone(&turn);
        let job = move || {
            if answer.is_closed() || !take(&theirs, turn::BEGUN) {
                return;
            }
            let result = catch_unwind(AssertUnwindSafe(work));
            // The caller may have left.
            drop(answer.send(result));
        };
        let queue = if bytes >= LARGE { &self.large } else { &self.usual };
        queue.try_send(Box::new(job)).map_err(|_| Undone::Overloaded)?;
        let ended = match timeout_at(until, &mut received).await {
            Ok(ended) => ended,
            Err(_) if take(&turn, turn::GIVEN_UP) => return Err(Undone::Overloaded),
            Err(_) => received.await,
        };
        // The sender is dropped unused only by a thread that died.
        ended.map_err(|_| Undone::Panicked)?.map_err(|_| Undone::Panicked)
    }
}

/// The loop of a thread that takes large work where no other waits; ends when both queues are closed and empty.
fn work_on_both(usual: &Receiver<CoreWork>, large: &Receiver<CoreWork>) {
    loop {
        // The senders are dropped together, so a closed queue means that the other gets no more either.
        let mut either = Select::new_biased();
        let (first, _) = (either.recv(usual), either.recv(large));
        let ready = either.select();
        let job = match ready.index() == first {
            true => ready.recv(usual).or_else(|_| large.recv()),
            false => ready.recv(large).or_else(|_| usual.recv()),
        };
        match job {
            Ok(job) => job(),
            Err(_) => return,
        }
    }
}

impl fmt::Debug for Cores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (usual, large) = (self.usual.len(), self.large.len());
        f.debug_struct("Cores").field("waiting", &usual).field("large_waiting", &large).finish()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a caller that goes away")]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    fn far() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    /// Cores of which one is held until the returned end is dropped.
    async fn held() -> (Cores, mpsc::Sender<()>) {
        let cores = Cores::start(1).unwrap();
        let (release, released) = mpsc::channel::<()>();
        let (began, begun) = oneshot::channel();
        let holding = cores.clone();
        tokio::spawn(async move {
            let hold = move || {
                began.send(()).unwrap();
                assert!(released.recv().is_err(), "nothing is ever sent");
            };
            holding.run(0, far(), hold).await.unwrap();
        });
        begun.await.unwrap();
        (cores, release)
    }

    #[tokio::test]
    async fn work_is_done_elsewhere_and_a_panic_is_told_and_survived() {
        let cores = Cores::start(1).unwrap();
        let here = std::thread::current().id();
        assert_ne!(cores.run(0, far(), || std::thread::current().id()).await, Ok(here));
        assert_eq!(
            cores.run(0, far(), || std::panic::resume_unwind(Box::new(()))).await,
            Err::<(), _>(Undone::Panicked)
        );
        assert_eq!(cores.run(0, far(), || 1).await, Ok(1));
    }

    #[tokio::test]
    async fn who_waits_too_long_is_told_and_the_work_is_never_begun() {
        let (cores, release) = held().await;
        let ran = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&ran);
        let waiting = cores.run(0, Instant::now(), move || theirs.store(true, Ordering::SeqCst));
        assert_eq!(waiting.await, Err(Undone::Overloaded));
        drop(release);
        cores.run(0, far(), || ()).await.unwrap();
        assert!(!ran.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn work_of_a_caller_who_left_is_not_begun() {
        let (cores, release) = held().await;
        let ran = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&ran);
        let left =
            tokio::time::timeout(Duration::ZERO, cores.run(0, far(), move || theirs.store(true, Ordering::SeqCst)));
        assert!(left.await.is_err());
        drop(release);
        cores.run(0, far(), || ()).await.unwrap();
        assert!(!ran.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn more_than_the_queue_holds_is_refused_at_once() {
        let (cores, release) = held().await;
        let mut waiting = Vec::new();
        for _ in 0..QUEUE {
            let mut job = Box::pin(cores.run(0, far(), || ()));
            assert!(tokio::time::timeout(Duration::ZERO, &mut job).await.is_err());
            waiting.push(job);
        }
        assert_eq!(cores.run(0, far(), || ()).await, Err(Undone::Overloaded));
        drop(release);
        for job in waiting {
            job.await.unwrap();
        }
    }

    /// A crowd of large pages held up the small ones of all others.
    #[tokio::test]
    async fn large_work_holds_up_no_other() {
        const CROWD: usize = 20;
        let cores = Cores::start(2).unwrap();
        let (release, released) = mpsc::channel::<()>();
        let released = Arc::new(std::sync::Mutex::new(released));
        let crowd = (0..CROWD).map(|_| {
            let released = Arc::clone(&released);
            // One waits for the end of the test, the others for that one.
            cores.run(LARGE, far(), move || released.lock().unwrap().recv().is_err())
        });
        let mut crowd = Box::pin(futures_util::future::join_all(crowd));
        assert!(tokio::time::timeout(Duration::ZERO, &mut crowd).await.is_err());
        for number in 0..100 {
            assert_eq!(cores.run(LARGE - 1, far(), move || number).await, Ok(number));
        }
        drop(release);
        assert!(crowd.await.into_iter().all(|done| done == Ok(true)));
    }

    #[tokio::test]
    async fn on_one_core_large_work_goes_last_and_is_done() {
        let (cores, release) = held().await;
        let order = Arc::new(std::sync::Mutex::new(Vec::new()));
        let job = |bytes, name: &'static str| {
            let order = Arc::clone(&order);
            cores.run(bytes, far(), move || order.lock().unwrap().push(name))
        };
        let mut all = Box::pin(futures_util::future::join_all([job(LARGE, "large"), job(0, "usual"), job(0, "usual")]));
        assert!(tokio::time::timeout(Duration::ZERO, &mut all).await.is_err());
        drop(release);
        all.await;
        assert_eq!(*order.lock().unwrap(), ["usual", "usual", "large"]);
    }
}
