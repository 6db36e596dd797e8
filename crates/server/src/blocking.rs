//! Work that takes long: on threads that no other call waits for.

use tokio::task::spawn_blocking;

use crate::error::{ApiError, Code};

/// Does it off the async workers, each of which serves many calls. For what grows with a report: up to a megabyte is
/// rendered, or written as JSON.
pub(crate) async fn off_worker<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
    // It ends early only by a panic, which the process's panic hook tells of, or with the runtime.
    spawn_blocking(work).await.map_err(|_| ApiError::new(Code::Internal))
}
