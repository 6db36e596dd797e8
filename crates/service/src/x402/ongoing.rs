//! Paid work in tasks of its own: it goes on when its caller hangs up, and a shutdown waits for it.

use std::time::Duration;

use tokio::sync::watch;
use tracing::Instrument as _;

use crate::error::{Code, ServiceError};
use crate::traces;

/// A lease for settling, in milliseconds: one settle call, a search of the chain, and recording the result. Each settle call
/// renews it.
pub(crate) const SETTLE_LEASE_MS: i64 = 150_000;
/// How long a shutdown waits for paid work: as long as one settle call, the search of the chain after it and recording the
/// result may take. What is cut off later is taken up by the worker of the next start, which settles it again.
const LAST_PAYMENTS: Duration = Duration::from_millis(SETTLE_LEASE_MS.unsigned_abs());

/// The paid work in progress.
#[derive(Debug)]
pub struct Ongoing {
    count: watch::Sender<usize>,
}

/// Counts one task until it is dropped: also when it panics.
struct CountedTask(watch::Sender<usize>);

impl CountedTask {
    fn in_all(count: &watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count.clone())
    }
}

impl Drop for CountedTask {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl Default for Ongoing {
    fn default() -> Self {
        Self { count: watch::Sender::new(0) }
    }
}

impl Ongoing {
    /// Runs work in a task of its own, which goes on when its caller hangs up.
    #[expect(clippy::disallowed_methods, reason = "it goes on without its caller; `end` waits for it")]
    pub(crate) async fn run_detached<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let counted = CountedTask::in_all(&self.count);
        let work = async move {
            let done = work.await;
            drop(counted);
            done
        };
        tokio::spawn(traces::within(traces::current(), work).in_current_span()).await.map_err(|error| {
            tracing::error!(%error, "a paid call panicked; this is a defect");
            ServiceError::new(Code::Internal)
        })
    }

    /// Waits until all of it has ended. To be called when no more calls are taken, and before the database is closed.
    pub async fn end(&self) {
        let mut count = self.count.subscribe();
        let payments = *count.borrow();
        if payments == 0 {
            return;
        }
        tracing::info!(payments, at_most_s = LAST_PAYMENTS.as_secs(), "stopping: waiting for paid calls to settle");
        let ended = count.wait_for(|count| *count == 0);
        if tokio::time::timeout(LAST_PAYMENTS, ended).await.is_err() {
            let payments = *self.count.borrow();
            tracing::warn!(payments, "stopped with unsettled payments; the next start continues them");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    #[tokio::test(start_paused = true)]
    async fn the_end_waits_for_work_whose_caller_left() {
        let (ongoing, (done, is_done)) = (Ongoing::default(), oneshot::channel::<()>());
        let call = tokio::time::timeout(Duration::from_secs(1), ongoing.run_detached(is_done));
        assert!(call.await.is_err(), "the caller left");
        let mut end = std::pin::pin!(ongoing.end());
        assert!(tokio::time::timeout(LAST_PAYMENTS / 2, &mut end).await.is_err());
        done.send(()).unwrap();
        end.await;
        assert_eq!(*ongoing.count.borrow(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_does_not_wait_for_ever() {
        let ongoing = Ongoing::default();
        let call = tokio::time::timeout(Duration::from_secs(1), ongoing.run_detached(std::future::pending::<()>()));
        assert!(call.await.is_err());
        ongoing.end().await;
        assert_eq!(*ongoing.count.borrow(), 1);
    }
}
