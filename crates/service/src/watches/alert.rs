//! Mail of watches: alerts when a page got worse, and confirmation of alert addresses.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::change::Change;
use model::id::{AuditId, TabId};
use model::lang::Lang;
use model::report::Report;
use model::time::DAY_MS;
use render::mail::{self, Mail, Sender, watch};
use store::WatchedTab;

use crate::credential::token_digest;
use crate::job::Job;
use crate::ports::Ports;
use crate::services::Services;

/// Lifetime of the unsubscribe link in an alert. Chosen: 13 months, longer than people act on a mail.
pub(crate) const STOP_LINK_MS: i64 = 396 * DAY_MS;

/// A run that calls for an alert.
#[derive(Debug)]
pub(crate) struct Alerted<'a> {
    /// The watched tab's row.
    pub watched: &'a WatchedTab,
    /// The tab.
    pub tab: &'a TabId,
    /// The run.
    pub audit: &'a AuditId,
    /// What it found.
    pub report: &'a Report,
    /// What changed, in the owner's language.
    pub change: &'a Change,
    /// Day of the run; there is one alert per day.
    pub day: i64,
}

/// The owner's language.
pub(crate) fn lang_of(watched: &WatchedTab) -> Lang {
    watched.locale.as_deref().and_then(Lang::from_tag).unwrap_or_default()
}

/// The alert of a run; `None` without a recipient: the account is gone, or the organization set no address.
pub(crate) fn alert(services: &Services, alerted: &Alerted<'_>) -> Result<Option<store::Alert>, mail::Error> {
    let watched = alerted.watched;
    let Some(to) = watched.alert_email.as_ref().or(watched.account_email.as_ref()) else { return Ok(None) };
    let token = link_token(services.ports());
    let alert = watch::WatchAlert {
        to,
        name: watched.alias.as_deref().unwrap_or(&watched.url),
        url: &watched.url,
        tab: alerted.tab,
        audit: alerted.audit,
        report: alerted.report,
        change: alerted.change,
        lang: lang_of(watched),
        stop_token: &token,
    };
    let mail = watch::alert(&services.sender(), &alert)?;
    let key = format!("alert:{}:{}", alerted.tab, alerted.day);
    Ok(Some(store::Alert {
        mail: Job::SendMail(mail).queued(services.ports(), Some(key)),
        token_digest: token_digest(&token),
        email: watched.alert_email.clone(),
        expires_at: services.ports().now().plus_ms(STOP_LINK_MS),
    }))
}

/// The confirmation request to an alert address.
pub(super) fn question(sender: &Sender<'_>, to: &str, url: &str, token: &str, lang: Lang) -> Mail {
    watch::question(sender, url, token).to(to, lang)
}

/// A random token for a link in a mail.
pub(crate) fn link_token(ports: &Ports) -> String {
    URL_SAFE_NO_PAD.encode(ports.entropy.bytes())
}
