//! Turns of what pages report. Nobody waits for the answers, so a flood of reports must not delay the calls for which
//! somebody does.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::{Instant, sleep_until};

use crate::handlers;

/// Time between two turns. Chosen: a thousand reports a second are far more than the readers of a site make, and take some
/// percent of one core.
const APART: Duration = Duration::from_millis(1);

/// Reports that wait at most: a second of them. Each waits on a connection, of which calls must find one free.
const MOST_WAITING: usize = 1_000;

/// The turns of a process, in the order in which they are asked for.
#[derive(Debug)]
pub(super) struct ReportTurns {
    free_at: Mutex<Instant>,
    waiting: Semaphore,
}

impl ReportTurns {
    /// The first turn is free now.
    pub(super) fn new() -> Self {
        Self { free_at: Mutex::new(Instant::now()), waiting: Semaphore::new(MOST_WAITING) }
    }

    /// Waits for a turn; not at all where none was taken for a while. `false`, at once, where too many wait already.
    #[expect(clippy::disallowed_methods, reason = "the pace itself: nothing happens that could be awaited")]
    async fn take(&self) -> bool {
        let Ok(_place) = self.waiting.try_acquire() else { return false };
        let mut free_at = self.free_at.lock().await;
        if Instant::now() < *free_at {
            sleep_until(*free_at).await;
        }
        *free_at = Instant::now() + APART;
        true
    }
}

/// Middleware: a report of a page waits for its turn, before it takes a place among the calls in the making. Of too many at
/// once, it is lost: nobody reads its answer.
pub(super) async fn in_turn(State(turns): State<Arc<ReportTurns>>, request: Request, next: Next) -> Response {
    if handlers::REPORT_PATHS.contains(&request.uri().path()) && !turns.take().await {
        return StatusCode::NO_CONTENT.into_response();
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
            assert!(turns.take().await);
            begun.elapsed().as_millis()
        };
        assert_eq!(tokio::join!(taken(), taken(), taken()), (0, 1, 2));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(taken().await, 1_002, "nothing is saved up, and nothing waits where nobody came before");
        assert_eq!(taken().await, 1_003);
    }

    #[tokio::test(start_paused = true)]
    async fn of_too_many_at_once_the_last_do_not_wait() {
        let turns = ReportTurns::new();
        let all = futures_util::future::join_all((0..MOST_WAITING + 3).map(|_| turns.take())).await;
        // The first one does not wait.
        assert_eq!(all.iter().filter(|taken| !**taken).count(), 2);
        assert!(turns.take().await, "there is room again");
    }
}
