//! What only the owner of a report sees on its page.

use model::lang::Lang;
use service::Services;
use service::error::Code;
use service::shares::{Snippets, badge_path, report_path};

use super::shown::{Eyes, OwnersView, RefusedAlerts};
use crate::allowance;
use crate::error::{self, FormProblem};

/// What only the owner sees.
pub(super) struct OwnerView<'a> {
    pub(super) id: &'a str,
    pub(super) csrf: Option<&'a str>,
    pub(super) share: Option<ShareView>,
    /// Whether the reader may share it.
    pub(super) is_own: bool,
    pub(super) requested_url: &'a str,
    /// The followed page that it is a run of.
    pub(super) tab: Option<&'a str>,
    /// The newest run of that page, where this is an older one.
    pub(super) newer: Option<&'a str>,
    /// Whether it was just shared: its address is shown.
    pub(super) is_share_open: bool,
    /// What another audit costs of the allowance, as a sentence.
    pub(super) cost: String,
    /// Whether a button turns on alerts: the reader has an account and no alerts yet, and this server sends them.
    pub(super) has_alert_button: bool,
    /// The form for alerts, of a reader without an account.
    pub(super) alert_form: Option<AlertForm<'a>>,
}

/// The public address of a report.
pub(super) struct ShareView {
    /// Absolute.
    pub(super) address: String,
    pub(super) badge: String,
    /// Markup language and snippet of the badge.
    pub(super) snippets: [(&'static str, String); 3],
}

/// The form by which a reader without an account asks for alerts.
pub(super) struct AlertForm<'a> {
    /// The email address as it was typed.
    pub(super) typed: &'a str,
    /// Why it was refused.
    pub(super) problem: Option<String>,
}

/// The forms that verify a fix, for `verify_forms.html`.
#[derive(Debug, Clone, Copy)]
pub(super) struct VerifyForms<'a> {
    /// Id of the report.
    pub(super) id: &'a str,
    pub(super) csrf: Option<&'a str>,
    /// What an audit costs of the allowance, as a sentence.
    pub(super) cost: &'a str,
    /// What was typed: a source, and an address.
    pub(super) html: &'a str,
    pub(super) url: &'a str,
    pub(super) problem: Option<&'a FormProblem>,
}

impl OwnerView<'_> {
    /// The forms that verify a fix, empty.
    pub(super) fn verify(&self) -> VerifyForms<'_> {
        VerifyForms { id: self.id, csrf: self.csrf, cost: &self.cost, html: "", url: "", problem: None }
    }
}

impl<'a> AlertForm<'a> {
    /// `None` where this server makes no accounts, as it sends no mail or can't keep secrets; but what was refused is told.
    fn of(services: &Services, refused: Option<&'a RefusedAlerts>, lang: Lang) -> Option<Self> {
        let Some(RefusedAlerts { typed, error }) = refused else {
            let makes_accounts = services.mailer().is_some() && services.vault().keys().is_ok();
            return makes_accounts.then_some(Self { typed: "", problem: None });
        };
        let problem = match error.code {
            Code::PaymentRequired => allowance::all_free_followed(services, lang),
            _ => error::message(error, lang),
        };
        Some(Self { typed, problem: Some(problem) })
    }
}

/// Whether a query has a parameter with this value.
pub(super) fn asks(query: Option<&str>, name: &str, value: &str) -> bool {
    let mut pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.any(|pair| pair == (name.into(), value.into()))
}

/// What the reader sees as the owner; `None` for others.
pub(super) fn owner<'a>(
    services: &Services,
    score: Option<u32>,
    eyes: &Eyes<'a>,
    query: Option<&str>,
    lang: Lang,
) -> Option<OwnerView<'a>> {
    let Eyes::Owner(own) = *eyes else { return None };
    let share = own.share.map(|slug| {
        let Snippets { markdown, html, rst } = Snippets::new(services, slug, score);
        ShareView {
            address: services.url(&report_path(slug)),
            badge: badge_path(slug),
            snippets: [("Markdown", markdown), ("HTML", html), ("reStructuredText", rst)],
        }
    });
    let OwnersView { id, csrf, is_own, requested_url, tab, newer, again, refused, .. } = own;
    let has_account = csrf.is_some();
    Some(OwnerView {
        id: &id.0,
        csrf,
        share,
        is_own,
        requested_url,
        tab: tab.map(|tab| tab.id.as_str()),
        newer,
        is_share_open: asks(query, "done", "share"),
        cost: again.for_audits(1, lang),
        has_alert_button: has_account && services.mailer().is_some() && !tab.is_some_and(|tab| tab.monitor),
        alert_form: if has_account { None } else { AlertForm::of(services, refused, lang) },
    })
}
