//! What changed since the run before, as a report shows it.

use model::lang::Lang;
use model::time::Timestamp;
use render::shown;

use super::findings::{CheckLink, named};
use super::shown::RunBefore;

/// What changed since the run before.
pub(super) struct RunChange<'a> {
    /// The run before.
    pub(super) id: &'a str,
    /// How long ago that was.
    pub(super) age: String,
    /// With its sign; `None` where one of the runs has no score.
    pub(super) points: Option<String>,
    pub(super) broke: usize,
    pub(super) fixed: usize,
    pub(super) revealed: usize,
    /// Checks whose findings are fixed.
    pub(super) gone: Vec<CheckLink>,
    /// Nothing changed.
    pub(super) is_none: bool,
}

impl<'a> RunChange<'a> {
    pub(super) fn of(before: RunBefore<'a>, now: Timestamp, lang: Lang) -> Self {
        let change = before.change;
        Self {
            id: &before.id.0,
            age: shown::age(before.created_at, now, lang),
            points: change.score.map(shown::signed),
            broke: change.broke.len(),
            fixed: change.fixed.len(),
            revealed: change.revealed.len(),
            gone: change.fixed.iter().filter_map(|gone| named(&gone.code, lang)).collect(),
            is_none: change.score == Some(0)
                && [&change.broke, &change.fixed, &change.revealed].iter().all(|findings| findings.is_empty()),
        }
    }
}
