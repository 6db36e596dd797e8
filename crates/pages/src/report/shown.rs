//! A report to show, and its audience.

use audit::check::Family;
use model::change::Change;
use model::id::{AuditId, Slug};
use model::report::Report;
use model::tab::{Snooze, Tab};
use model::time::Timestamp;

use crate::allowance::NextAudit;
use service::error::ServiceError;

/// Entries of a list of the summary that a page shows; the JSON has all.
pub(super) const SHOWN: usize = 50;

/// Path of the example of a report.
pub(crate) const EXAMPLE_PATH: &str = "/example";

/// The audience of a report.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Eyes<'a> {
    /// Its owner, at its own address.
    Owner(OwnersView<'a>),
    /// The person who ran the audit just now; it was not stored.
    Asker,
    /// The holder of the guest token that owns it: its address needs that token.
    Holder,
    /// Anybody, at a public address.
    Anybody { slug: &'a Slug },
    /// Anybody, who looks at the example.
    Example,
}

/// What only the owner's page of a report shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnersView<'a> {
    pub(super) id: &'a AuditId,
    /// The public address that the owner gave it.
    pub(super) share: Option<&'a Slug>,
    /// Whether the reader is the owner, who may share it, and no member of the organization that is.
    pub(super) is_own: bool,
    /// CSRF token of the forms of a session.
    pub(super) csrf: Option<&'a str>,
    /// The address as it was asked for.
    pub(super) requested_url: &'a str,
    /// What the next audit takes of the free ones.
    pub(super) again: NextAudit,
    /// The followed page that it is a run of.
    pub(super) tab: Option<&'a Tab>,
    /// The newest run of that page, where this is an older one.
    pub(super) newer: Option<&'a str>,
    /// Findings of that page which are put off.
    pub(super) snoozes: &'a [Snooze],
    /// The run of the page before this one.
    pub(super) before: Option<RunBefore<'a>>,
    /// What the form for alerts was refused for.
    pub(super) refused: Option<&'a RefusedAlerts>,
}

/// An earlier run of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunBefore<'a> {
    pub(super) id: &'a AuditId,
    pub(super) created_at: Timestamp,
    /// What changed since.
    pub(super) change: &'a Change,
}

/// A form for alerts that was refused.
#[derive(Debug)]
pub(crate) struct RefusedAlerts {
    /// The email address as it was typed.
    pub(super) typed: String,
    pub(super) error: ServiceError,
}

/// A report to show.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) report: &'a Report,
    pub(crate) created_at: Timestamp,
    pub(crate) eyes: Eyes<'a>,
    /// The tool whose findings come first.
    pub(crate) tool: Option<&'static Family>,
    /// The query of the page's address, where it has one.
    pub(crate) query: Option<&'a str>,
}
