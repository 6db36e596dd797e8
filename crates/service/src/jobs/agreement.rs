//! Whether the clock can be trusted to delete what is past its time: what a wrong clock deletes is lost.

use std::time::Duration;

use model::time::{DAY_MS, Timestamp};
use tokio::time::Instant;

/// A jump of the clock that is logged, and after which nothing is purged for an hour, in milliseconds: larger than
/// corrections by NTP and a slow round explain.
const JUMP_MS: i64 = 60_000;
/// How far the clock may be ahead of the newest stored time at the start, in milliseconds. Chosen: a day; a server that
/// runs queues a purge every hour. Beyond it the server was off for long, or its clock is wrong.
const STORED_AHEAD_MS: i64 = DAY_MS;
/// How long the clock has to agree with the monotonic clock after a jump: time to correct it, or to stop the server.
pub(super) const AGREEMENT: Duration = Duration::from_secs(3_600);

/// The wall clock against the monotonic clock and the newest stored time.
#[derive(Debug, Default)]
pub(super) struct Agreement {
    last: Option<(Timestamp, Instant)>,
    /// Nothing is purged until then.
    held_until: Option<Instant>,
    /// No watches are scheduled until then: a jump of more than a day.
    quiet_until: Option<Instant>,
}

impl Agreement {
    /// At the start: compares the clock with the newest time in the database.
    pub(super) fn begin(&mut self, newest: Option<Timestamp>, now: Timestamp, instant: Instant) {
        self.last = Some((now, instant));
        let Some(newest) = newest else { return };
        let ahead_ms = now.0.saturating_sub(newest.0);
        if ahead_ms > STORED_AHEAD_MS {
            tracing::error!(
                %now, newest_stored = %newest, ahead_days = ahead_ms / DAY_MS,
                "the clock is far ahead of the newest stored time: nothing is purged for an hour; if the clock is wrong, \
                 stop the server and correct it, if it is right, `site-audit operator purge` need not wait"
            );
            self.hold(instant, ahead_ms);
        }
    }

    /// In every round: compares the clock's step with the monotonic clock's.
    pub(super) fn look(&mut self, now: Timestamp, instant: Instant) {
        let Some((last, last_instant)) = self.last.replace((now, instant)) else { return };
        let elapsed_ms = i64::try_from(instant.duration_since(last_instant).as_millis()).unwrap_or(i64::MAX);
        let jump_ms = now.0.saturating_sub(last.0).saturating_sub(elapsed_ms);
        if jump_ms.saturating_abs() <= JUMP_MS {
            return;
        }
        tracing::warn!(%now, jump_ms, "the clock jumped; purging is paused for an hour");
        self.hold(instant, jump_ms);
    }

    fn hold(&mut self, instant: Instant, jump_ms: i64) {
        self.held_until = Some(instant + AGREEMENT);
        if jump_ms > DAY_MS {
            self.quiet_until = Some(instant + AGREEMENT);
        }
    }

    /// Whether rows past their time may be deleted.
    pub(super) fn may_purge(&self, instant: Instant) -> bool {
        self.held_until.is_none_or(|until| instant >= until)
    }

    /// Whether what is due may be queued.
    pub(super) fn may_schedule(&self, instant: Instant) -> bool {
        self.quiet_until.is_none_or(|until| instant >= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_769_851_800_000);

    #[test]
    fn a_clock_far_ahead_of_what_is_stored_purges_nothing_for_an_hour() {
        let start = Instant::now();
        for (newest, may_purge) in [
            (None, true),
            (Some(NOW), true),
            (Some(NOW.plus_ms(-DAY_MS)), true),
            (Some(NOW.plus_ms(5 * DAY_MS)), true),
            (Some(NOW.plus_ms(-DAY_MS - 1)), false),
            (Some(NOW.plus_ms(-400 * DAY_MS)), false),
        ] {
            let mut agreement = Agreement::default();
            agreement.begin(newest, NOW, start);
            assert_eq!(agreement.may_purge(start), may_purge, "{newest:?}");
            assert_eq!(agreement.may_schedule(start), may_purge, "{newest:?}");
            assert_eq!(agreement.may_purge(start + Duration::from_secs(3_599)), may_purge, "{newest:?}");
            assert!(agreement.may_purge(start + Duration::from_secs(3_600)));
        }
    }

    #[test]
    fn a_jump_of_more_than_a_minute_holds_purging_and_one_of_a_day_all_that_is_due() {
        let start = Instant::now();
        let later = start + Duration::from_secs(90);
        for (step_ms, may_purge, may_schedule) in [
            (90_000, true, true),
            (90_000 + 60_000, true, true),
            (90_000 - 60_000, true, true),
            (90_000 + 60_001, false, true),
            (90_000 - 60_001, false, true),
            (90_000 + DAY_MS, false, true),
            (90_000 + DAY_MS + 1, false, false),
            (-400 * DAY_MS, false, true),
            (i64::MAX, false, false),
        ] {
            let mut agreement = Agreement::default();
            agreement.begin(Some(NOW), NOW, start);
            agreement.look(NOW.plus_ms(step_ms), later);
            let allowed = (agreement.may_purge(later), agreement.may_schedule(later));
            assert_eq!(allowed, (may_purge, may_schedule), "{step_ms}");
        }
    }

    #[test]
    fn a_second_jump_begins_the_hour_again() {
        let start = Instant::now();
        let mut agreement = Agreement::default();
        agreement.begin(Some(NOW), NOW, start);
        agreement.look(NOW.plus_ms(10 * DAY_MS), start);
        let half = start + AGREEMENT / 2;
        agreement.look(NOW.plus_ms(20 * DAY_MS), half);
        assert!(!agreement.may_purge(start + AGREEMENT));
        assert!(agreement.may_purge(half + AGREEMENT));
    }
}
