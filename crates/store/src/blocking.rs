//! Slow work beside the async workers.

use crate::error::StoreError;

/// Runs slow work on a blocking thread, so that no other call waits for it.
#[expect(clippy::disallowed_methods, reason = "this room")]
pub(crate) async fn off_worker<T: Send + 'static>(
    subject: &'static str,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(ended) => match ended.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(ended) => Err(StoreError::unavailable(subject, ended)),
        },
    }
}
