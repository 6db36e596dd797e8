//! Work that takes long: on threads that no other call waits for.

use tokio::task::spawn_blocking;

use crate::error::{Code, ServiceError};

/// Does it off the async workers, each of which serves many calls. For what grows with a report: up to a megabyte is
/// rendered, or written as JSON.
pub async fn off_worker<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ServiceError> {
    // It ends early only by a panic, which the process's panic hook tells of, or with the runtime.
    spawn_blocking(work).await.map_err(|_| ServiceError::new(Code::Internal))
}
