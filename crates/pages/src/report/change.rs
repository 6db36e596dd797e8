//! What changed since the run before, as a report shows it.

use model::change::Change;
use model::id::AuditId;
use model::lang::Lang;
use render::shown;

use super::findings::{CheckLink, named};

/// What changed since the run before.
pub(super) struct RunChange<'a> {
    /// The run before.
    pub(super) id: &'a str,
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
    pub(super) fn of(id: &'a AuditId, change: &Change, lang: Lang) -> Self {
        Self {
            id: &id.0,
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
