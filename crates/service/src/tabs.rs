//! Followed pages: opening one, running it again, and comparing its runs. Used by the API, the pages and the daily
//! watch.

mod change;
mod lab_change;
mod open;
mod runs;
mod words;
mod workspace;

pub use change::{Compared, ComparedRun, Judgement, between};
pub use lab_change::LabChange;
pub use open::{
    ReadableTab, alias_of, close, is_free, list, note_of, of_organization, of_page, open, page_of, readable, tab,
    tab_id, tags_of, unknown_tab,
};
pub use runs::{
    change_since, compared, compared_audits, last_report, last_run, latest_runs, run, run_again, run_before, scores,
    snoozed, without_snoozed,
};
pub use words::WordKind;
pub use workspace::{HistoryAnswer, HistoryRun, TabAnswer, Workspace, history, workspace};
