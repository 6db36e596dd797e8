//! Why an audit failed, and running work on a core with that error.

use audit::Blocked;
use futures_util::future::TryFutureExt as _;
use model::capture::FetchFailure;
use tokio::time::Instant;

use crate::cores::{Cores, Undone};

/// Why an audit failed.
#[derive(Debug)]
pub enum AuditFailure {
    /// No response: refused by us, unreachable, or out of time.
    Fetch(FetchFailure),
    /// A firewall or a rate limit of the target answered instead of the page.
    Blocked(Blocked),
    /// No core came free in time.
    Overloaded,
    /// The core panicked: a defect of ours.
    Defect,
}

/// Runs `work` on a page or file of `bytes` on one of `cores`; waits for a free one until `until`. No `async fn`, whose future
/// would have room for `work` twice: as its argument, and as that of what it waits for.
pub(super) fn on_a_core<T: Send + 'static>(
    cores: &Cores,
    bytes: usize,
    until: Instant,
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = Result<T, AuditFailure>> + Send {
    cores.run(bytes, until, work).map_err(|undone| match undone {
        Undone::Overloaded => AuditFailure::Overloaded,
        Undone::Panicked => AuditFailure::Defect,
    })
}
