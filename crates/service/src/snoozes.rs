//! Findings of a followed page that its owner puts off: kept out of alerts and of what to fix first until a day, never out
//! of the score.

use std::collections::BTreeSet;

use audit::score;
use model::change::Change;
use model::id::{Owner, TabId};
use model::lang::text;
use model::tab::{Snooze, Tab};
use model::time::{DAY_MS, Day, Timestamp};
use store::Snoozing;

use crate::caller::Cx;
use crate::error::{Code, ServiceError};
use crate::services::Services;
use crate::tabs::{self, tab_id, unknown_tab};

/// Characters of a reason at most.
const REASON_CHARS: usize = 500;
/// Days that a finding may be put off at most. Chosen: a year, so that none is forgotten for ever.
const MOST_DAYS: i64 = 366;

/// The findings of a followed page that are put off now.
pub async fn list(services: &Services, tab: &Tab) -> Result<Vec<Snooze>, ServiceError> {
    tabs::snoozed(services, tab).await
}

/// The same of the page that an audit is a run of; none where its owner follows no such page.
pub async fn of_page(services: &Services, owner: &Owner, url: &str) -> Result<Vec<Snooze>, ServiceError> {
    match tabs::of_page(services, owner, url).await? {
        Some(tab) => list(services, &tab).await,
        None => Ok(Vec::new()),
    }
}

/// Puts a finding of a followed page off until the start of a day (UTC), `2026-01-31`. Snoozing it again changes both.
pub async fn snooze(
    cx: &Cx,
    owner: &Owner,
    tab: &Tab,
    code: &str,
    reason: &str,
    until: &str,
) -> Result<Vec<Snooze>, ServiceError> {
    let services = &cx.services;
    audit::checks::find(code).ok_or_else(|| ServiceError::new(Code::CheckNotFound))?;
    let (id, created_at) = (tab_id(&tab.id)?, services.ports().now());
    let (reason, until) = (reason_of(reason)?, until_of(until, created_at)?);
    let new = Snooze { code: code.to_owned(), reason, until, created_at };
    let done = services.database().write(|store| store.snooze(owner, &id, new)).await.map_err(unknown_tab)?;
    match done {
        Snoozing::Done => list(services, tab).await,
        Snoozing::TooMany => {
            let most = text(
                "code: at most 100 findings of a page can be snoozed; end a snooze first",
                "code: no máximo 100 achados de uma página podem ser adiados; encerre um adiamento antes",
            );
            Err(ServiceError::new(Code::InvalidBody).explained(most.into()))
        }
    }
}

/// Ends a snooze now.
pub async fn end(cx: &Cx, owner: &Owner, tab: &Tab, code: &str) -> Result<Vec<Snooze>, ServiceError> {
    let id = tab_id(&tab.id)?;
    cx.services.database().write(|store| store.end_snooze(owner, &id, code)).await.map_err(unknown_tab)?;
    list(&cx.services, tab).await
}

fn reason_of(typed: &str) -> Result<String, ServiceError> {
    let reason = typed.trim();
    if reason.is_empty() || reason.chars().count() > REASON_CHARS || reason.chars().any(char::is_control) {
        let shape =
            text("reason: use 1 to 500 characters on one line", "reason: use de 1 a 500 caracteres em uma linha");
        return Err(ServiceError::new(Code::InvalidBody).explained(shape.into()));
    }
    Ok(reason.to_owned())
}

/// The start of a day after now, within a year.
fn until_of(typed: &str, now: Timestamp) -> Result<Timestamp, ServiceError> {
    let until = day_of(typed).map(Day::start);
    until.filter(|until| *until > now && *until <= now.plus_ms(MOST_DAYS * DAY_MS)).ok_or_else(|| {
        let shape = text(
            "until: use a date after today and within one year, in the form 2026-01-31",
            "until: use uma data depois de hoje e dentro de um ano, no formato 2026-01-31",
        );
        ServiceError::new(Code::InvalidBody).explained(shape.into())
    })
}

/// The day of a date (RFC 3339, `full-date`); `None` for what is none.
fn day_of(typed: &str) -> Option<Day> {
    let mut parts =
        typed.split('-').map(|part| part.bytes().all(|byte| byte.is_ascii_digit()).then_some(part)?.parse().ok());
    let (Some(Some(year)), Some(Some(month)), Some(Some(day)), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    if typed.len() != 10 || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let found = Day::from_civil(year, month, day);
    (found.civil() == (year, month, day)).then_some(found)
}

/// The codes that are put off now for a tab, of a job that has no caller.
pub(crate) async fn codes(services: &Services, tab: &TabId) -> Result<BTreeSet<String>, store::StoreError> {
    let now = services.ports().now();
    let snoozes = services.database().store().snoozes_of(tab, now).await?;
    Ok(snoozes.into_iter().map(|snooze| snooze.code).collect())
}

/// A change as alerts see it: without findings that are put off, and without the points that they took.
pub(crate) fn unsnoozed(change: Change, snoozed: &BTreeSet<String>) -> Change {
    let (put_off, broke): (Vec<_>, Vec<_>) =
        change.broke.into_iter().partition(|changed| snoozed.contains(&changed.code));
    let points: u32 = put_off.iter().map(|changed| score::weight(changed.severity)).sum();
    let points = i32::try_from(points).unwrap_or(i32::MAX);
    // A score that stopped at 0 lost fewer points than its findings take.
    let score = change.score.map(|change| if change < 0 { change.saturating_add(points).min(0) } else { change });
    Change { broke, score, ..change }
}

#[cfg(test)]
mod tests {
    use model::change::Changed;
    use model::finding::Severity;

    use super::*;

    #[test]
    fn a_finding_is_put_off_until_a_day_within_a_year() {
        let now = Day::from_civil(2026, 1, 31).start().plus_ms(1);
        for (typed, is_taken) in [
            ("2026-02-01", true),
            ("2027-01-31", true),
            ("2026-01-31", false),
            ("2027-02-02", false),
            ("2026-02-30", false),
            ("2026-2-1", false),
            ("2026-02-01T00:00", false),
            ("", false),
            ("+026-02-01", false),
        ] {
            assert_eq!(until_of(typed, now).is_ok(), is_taken, "{typed}");
        }
    }

    #[test]
    fn what_is_put_off_is_out_of_alerts_with_its_points() {
        let changed = |code: &str, severity| Changed { code: code.to_owned(), severity, message: String::new() };
        let change =
            |score, broke: Vec<Changed>| Change { score, from: None, to: None, broke, fixed: vec![], revealed: vec![] };
        let snoozed = BTreeSet::from(["a".to_owned()]);
        let (a, b) = (changed("a", Severity::Error), changed("b", Severity::Warn));
        let both = unsnoozed(change(Some(-26), vec![a.clone(), b.clone()]), &snoozed);
        assert_eq!((both.score, both.broke), (Some(-8), vec![b]));
        let one = unsnoozed(change(Some(-18), vec![a.clone()]), &snoozed);
        assert_eq!((one.score, one.broke), (Some(0), vec![]));
        // The score stopped at 0.
        assert_eq!(unsnoozed(change(Some(-5), vec![a.clone()]), &snoozed).score, Some(0));
        assert_eq!(unsnoozed(change(Some(8), vec![a]), &snoozed).score, Some(8));
    }
}
