//! Work on all cores, or on as many threads as tests have, an item at a time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use sha2::{Digest as _, Sha256};

/// Time between two lines that say how far the work is.
const TOLD_EVERY: Duration = Duration::from_secs(15);

/// The results of `work`, which is given the worker's number and an item, in no order. The first error ends it.
pub(crate) fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(usize, &T) -> Result<R> + Sync) -> Result<Vec<R>> {
    // As many as tests run at once, where that is said: on a machine that does other work too, most of a run is waiting.
    let asked = std::env::var("RUST_TEST_THREADS").ok().and_then(|number| number.parse().ok());
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let workers = asked.unwrap_or_else(cores).max(1);
    let (next, told, done) = (AtomicUsize::new(0), Mutex::new(Instant::now()), Mutex::new(Vec::new()));
    let run = |worker| -> Result<()> {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = work(worker, item).inspect_err(|_| next.store(items.len(), Ordering::Relaxed))?;
            let mut done = done.lock().map_err(|_| anyhow!("another worker has panicked"))?;
            done.push(result);
            let mut told = told.lock().map_err(|_| anyhow!("another worker has panicked"))?;
            if told.elapsed() > TOLD_EVERY {
                println!("  {} of {}", done.len(), items.len());
                *told = Instant::now();
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|worker| scope.spawn(move || run(worker))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| anyhow!("a worker panicked"))?)
    })?;
    done.into_inner().map_err(|_| anyhow!("a worker has panicked"))
}

/// SHA-256 of bytes, in hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
