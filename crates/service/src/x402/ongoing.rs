//! Paid work: it goes on when its caller leaves, and the end of the service waits for it.

use std::time::Duration;

use tokio::sync::watch;
use tracing::Instrument as _;

use crate::error::{Code, ServiceError};

/// Milliseconds of a lease for settling: a call of the facilitator, a look at the chain, and the keeping of what was learned. Each
/// call renews it.
pub(crate) const SETTLE_LEASE_MS: i64 = 150_000;
/// How long the end of the service waits for paid work: as long as one call to settle, the look at the chain after it and the
/// keeping of what was learned may take. What is cut off later is taken up by the worker of the next start, which has to ask
/// what became of it.
const LAST_PAYMENTS: Duration = Duration::from_millis(SETTLE_LEASE_MS.unsigned_abs());

/// The paid work that is going on.
#[derive(Debug)]
pub struct Ongoing {
    count: watch::Sender<usize>,
}

/// One piece of it, until it is dropped: also when it panics.
struct Counted(watch::Sender<usize>);

impl Counted {
    fn in_all(count: &watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count.clone())
    }
}

impl Drop for Counted {
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
    /// Does work that goes on when its caller leaves.
    pub(crate) async fn off_the_call<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let counted = Counted::in_all(&self.count);
        let work = async move {
            let done = work.await;
            drop(counted);
            done
        };
        tokio::spawn(work.in_current_span()).await.map_err(|error| {
            tracing::error!(%error, "a paid call ended badly; this is a defect");
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
        tracing::info!(payments, at_most_s = LAST_PAYMENTS.as_secs(), "stopping: paid calls are settled first");
        let ended = count.wait_for(|count| *count == 0);
        if tokio::time::timeout(LAST_PAYMENTS, ended).await.is_err() {
            let payments = *self.count.borrow();
            tracing::warn!(payments, "stopped with payments unfinished; the next start goes on with them");
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
        let call = tokio::time::timeout(Duration::from_secs(1), ongoing.off_the_call(is_done));
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
        let call = tokio::time::timeout(Duration::from_secs(1), ongoing.off_the_call(std::future::pending::<()>()));
        assert!(call.await.is_err());
        ongoing.end().await;
        assert_eq!(*ongoing.count.borrow(), 1);
    }
}
