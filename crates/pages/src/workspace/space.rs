//! The side of the workspace, on all of its pages: the list of tabs, and the form to follow a page.

use askama::Template;
use model::change::Change;
use model::tab::Tab;

use crate::challenge::ChallengeView;
use crate::credit::CreditField;
use crate::filters;
use crate::frame::Frame;
use crate::pieces::arc;
use render::band::Band;
use render::shown;

/// The side of the workspace.
pub(super) struct Space {
    /// Whose pages there are to see; empty for a member of no organization.
    pub(super) places: Vec<WorkspacePlace>,
    /// That these are the pages of an organization, which its members only read, as a sentence; `None` for the reader's own.
    pub(super) members_note: Option<String>,
    pub(super) tabs: Vec<TabLine>,
    /// CSRF token of the forms of a session.
    pub(super) csrf: Option<String>,
    /// The challenge that comes before an audit.
    pub(super) challenge: Option<ChallengeView>,
    /// The credit that pays where no free audit is left.
    pub(super) credit: Option<CreditField>,
    pub(super) is_guest: bool,
    pub(super) free_tabs: u32,
    /// What is left of the free audits of the day, in words.
    pub(super) left: String,
    /// What the next audit takes of them, or the audits of all pages.
    pub(super) cost: String,
    /// Why the form to follow a page was refused.
    pub(super) problem: Option<String>,
    /// The address typed into the form.
    pub(super) typed: String,
}

/// The followed pages of the reader, or of an organization that they are a member of.
pub(super) struct WorkspacePlace {
    pub(super) name: String,
    /// Path, in the reader's language.
    pub(super) path: String,
    pub(super) is_shown: bool,
}

/// A tab in the list.
pub(super) struct TabLine {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) score: Option<u32>,
    /// Length of the arc of the score's ring.
    pub(super) arc: Option<String>,
    pub(super) band: &'static str,
    /// What changed since the run before.
    pub(super) change: Option<ChangeCounts>,
    pub(super) has_run: bool,
    pub(super) is_watched: bool,
    pub(super) is_shown: bool,
}

#[derive(Template)]
#[template(path = "workspace.html")]
pub(super) struct EmptyPage<'a> {
    pub(super) frame: Frame<'a>,
    pub(super) space: Space,
    /// Always `None`: the template marks the views of a tab, and this page shows none.
    pub(super) tab: Option<&'a Tab>,
    pub(super) view: &'static str,
}

/// A change in numbers.
pub(super) struct ChangeCounts {
    /// With its sign; empty where one of the runs has no score.
    pub(super) points: String,
    pub(super) broke: usize,
    pub(super) fixed: usize,
}

impl TabLine {
    pub(super) fn of(tab: Tab, change: Option<ChangeCounts>, shown: Option<&str>) -> Self {
        Self {
            name: name(&tab),
            score: tab.score,
            arc: tab.score.map(arc),
            change,
            band: band(tab.score),
            has_run: tab.audit_id.is_some(),
            is_watched: tab.monitor,
            is_shown: shown == Some(tab.id.as_str()),
            id: tab.id,
        }
    }
}

/// The name of a tab: its alias, else its address without scheme and trailing slash.
pub(super) fn name(tab: &Tab) -> String {
    let bare = || tab.url.trim_start_matches("https://").trim_start_matches("http://").trim_end_matches('/').to_owned();
    tab.alias.clone().unwrap_or_else(bare)
}

/// The class of a score; empty where there is none.
pub(super) fn band(score: Option<u32>) -> &'static str {
    score.map_or("", |score| Band::of(score).class())
}

/// The class of a change of the score: `good`, `bad` or none.
pub(super) fn direction(points: i32) -> &'static str {
    match points {
        0 => "",
        1.. => "good",
        _ => "bad",
    }
}

impl ChangeCounts {
    pub(super) fn of(change: &Change) -> Self {
        let points = change.score.map_or(String::new(), shown::signed);
        Self { points, broke: change.broke.len(), fixed: change.fixed.len() }
    }

    /// CSS class of the change: `good` where everything improved, `bad` where something got worse.
    pub(super) fn class(&self) -> &'static str {
        match (self.broke, self.points.starts_with('−'), self.fixed) {
            (0, false, 0) => "",
            (0, false, _) => "good",
            _ => "bad",
        }
    }
}
