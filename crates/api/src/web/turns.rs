//! Turns of what pages report. Nobody waits for the answers, so a flood of reports must not delay the calls for which
//! somebody does.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

use crate::handlers;

/// Time between two turns. Chosen: a thousand reports a second are far more than the readers of a site make, and take some
/// percent of one core.
const APART: Duration = Duration::from_millis(1);

/// The turns of a process, in the order in which they are asked for. Each waits on a connection of its own, so the bound of
/// connections is that of how many wait and how long.
#[derive(Debug)]
pub(super) struct ReportTurns(Mutex<Instant>);

impl ReportTurns {
    /// The first turn is free now.
    pub(super) fn new() -> Self {
        Self(Mutex::new(Instant::now()))
    }

    /// Waits for a turn; not at all where none was taken for a while.
    #[expect(clippy::disallowed_methods, reason = "the pace itself: nothing happens that could be awaited")]
    async fn take(&self) {
        let mut free_at = self.0.lock().await;
        if Instant::now() < *free_at {
            sleep_until(*free_at).await;
        }
        *free_at = Instant::now() + APART;
    }
}

/// Middleware: a report of a page waits for its turn, before it takes a place among the calls in the making.
pub(super) async fn in_turn(State(turns): State<Arc<ReportTurns>>, request: Request, next: Next) -> Response {
    if handlers::REPORT_PATHS.contains(&request.uri().path()) {
        turns.take().await;
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn turns_are_a_millisecond_apart_and_the_first_is_free() {
        let (turns, begun) = (ReportTurns::new(), Instant::now());
        let taken = async || {
            turns.take().await;
            begun.elapsed().as_millis()
        };
        assert_eq!(tokio::join!(taken(), taken(), taken()), (0, 1, 2));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(taken().await, 1_002, "nothing is saved up, and nothing waits where nobody came before");
        assert_eq!(taken().await, 1_003);
    }
}
