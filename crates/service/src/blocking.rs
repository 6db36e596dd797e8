//! CPU-bound work off the async workers.

use tokio::task::spawn_blocking;

use crate::error::{Code, ServiceError};

/// Runs CPU-bound work on a blocking thread, so that the async worker serves other calls meanwhile. For work that
/// grows with a report, such as rendering a megabyte or writing it as JSON.
#[expect(clippy::disallowed_methods, reason = "the room of slow work")]
pub async fn off_worker<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ServiceError> {
    // An error only if the work panicked, which the process's panic hook logs, or if the runtime is shutting down.
    spawn_blocking(work).await.map_err(|_| ServiceError::new(Code::Internal))
}
