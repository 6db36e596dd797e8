//! The trial of an account: its length, and its state at a given time.

use model::account::Trial;
use model::time::{DAY_MS, Timestamp};

/// Length of an account's trial, in days from its first use.
pub(crate) const TRIAL_DAYS: u32 = 90;

/// State of an account's trial; `started_at` is `None` before its first use.
pub fn trial(started_at: Option<Timestamp>, now: Timestamp) -> Trial {
    let Some(started_at) = started_at else {
        return Trial { days: TRIAL_DAYS, active: true, ends_at: None, days_left: None };
    };
    let ends_at = started_at.plus_ms(i64::from(TRIAL_DAYS) * DAY_MS);
    let left = ends_at.0.saturating_sub(now.0).max(0).unsigned_abs().div_ceil(DAY_MS.unsigned_abs());
    let days_left = u32::try_from(left).unwrap_or(u32::MAX);
    Trial { days: TRIAL_DAYS, active: days_left > 0, ends_at: Some(ends_at), days_left: Some(days_left) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_ends_90_days_after_the_first_use() {
        let start = Timestamp(1_769_851_800_000);
        let at = |days: i64, ms: i64| trial(Some(start), start.plus_ms(days * DAY_MS + ms));
        assert_eq!(trial(None, start), Trial { days: 90, active: true, ends_at: None, days_left: None });
        for (days, ms, active, left) in [
            (0, 0, true, 90),
            (0, 1, true, 90),
            (1, 0, true, 89),
            (89, 1, true, 1),
            (90, 0, false, 0),
            (400, 0, false, 0),
        ] {
            let trial = at(days, ms);
            assert_eq!((trial.active, trial.days_left), (active, Some(left)), "{days} {ms}");
        }
        assert_eq!(at(0, 0).ends_at, Some(start.plus_ms(90 * DAY_MS)));
    }
}
