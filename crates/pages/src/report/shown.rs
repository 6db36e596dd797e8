//! A report to show, and its audience.

use audit::check::Family;
use model::billing::Gate;
use model::change::Change;
use model::id::{AuditId, Slug};
use model::lang::{Lang, Text, text};
use model::report::Report;
use model::tab::Snooze;
use model::time::Timestamp;

/// Entries of a list of the summary that a page shows; the JSON has all.
pub(super) const SHOWN: usize = 50;

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
    /// Cost of the next audit in free audits.
    pub(super) again: Again,
    /// The followed page that it is a run of.
    pub(super) tab: Option<&'a str>,
    /// Findings of that page which are put off.
    pub(super) snoozes: &'a [Snooze],
    /// The run of the page before this one, and what changed since.
    pub(super) before: Option<(&'a AuditId, &'a Change)>,
}

/// Cost of an owner's next audit in free audits of the day.
#[derive(Debug, Clone, Copy)]
pub(super) enum Again {
    /// Nothing of the day's allowance.
    Free,
    /// One of those left of the day's.
    OneOf(u32),
    /// More than is left.
    Spent,
}

impl Again {
    /// From the allowance in force, and whether the next audit is free anyway.
    pub(super) fn of(gate: &Gate, is_free: bool) -> Self {
        match gate.free_remaining {
            _ if is_free => Self::Free,
            0 => Self::Spent,
            left => Self::OneOf(left),
        }
    }

    /// As a sentence.
    pub(super) fn in_words(self, lang: Lang) -> String {
        const FREE: Text = text("Does not use a free audit.", "Não usa uma auditoria grátis.");
        const ONE: Text =
            text("Uses one free audit: {n} left today.", "Usa uma auditoria grátis: {n|resta|restam} {n} hoje.");
        const SPENT: Text = text(
            "Today's free audits are used up. Come back tomorrow (UTC).",
            "As auditorias grátis de hoje acabaram. Volte amanhã (UTC).",
        );
        let (sentence, left) = match self {
            Self::Free => (FREE, 0),
            Self::OneOf(left) => (ONE, left),
            Self::Spent => (SPENT, 0),
        };
        sentence.phrase(&[("n", left.into())]).in_lang(lang).to_owned()
    }
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
