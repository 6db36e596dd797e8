//! Mail of the watch: who hears that a page got worse, and the question whether alerts may go to an address.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::change::Change;
use model::id::{AuditId, TabId};
use model::lang::Lang;
use model::report::Report;
use model::time::DAY_MS;
use render::mail::{self, Mail, watch};
use store::WatchedTab;

use crate::credential::token_digest;
use crate::error::{Code, ServiceError};
use crate::job::Job;
use crate::services::Services;

/// How long the link in an alert stops the next one: longer than anybody keeps the mail in mind.
const STOP_LINK_MS: i64 = 396 * DAY_MS;

/// A run of a watch that its owner is to hear of.
#[derive(Debug)]
pub(crate) struct Alerted<'a> {
    /// Whose page it is.
    pub watched: &'a WatchedTab,
    /// The tab.
    pub tab: &'a TabId,
    /// The run.
    pub audit: &'a AuditId,
    /// What it found.
    pub report: &'a Report,
    /// What changed, in the language of the account.
    pub change: &'a Change,
    /// Which day's run it is: one alert a day.
    pub day: i64,
}

/// The language that an account reads.
pub(crate) fn lang_of(watched: &WatchedTab) -> Lang {
    watched.locale.as_deref().and_then(Lang::from_tag).unwrap_or_default()
}

/// The alert of a run; `None` where nobody can be told: the account is gone, or an organization named no address.
pub(crate) fn alert(services: &Services, alerted: &Alerted<'_>) -> Result<Option<store::Alert>, mail::Error> {
    let watched = alerted.watched;
    let Some(to) = watched.alert_email.as_ref().or(watched.account_email.as_ref()) else { return Ok(None) };
    let token = link_token(services);
    let alert = watch::Alert {
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

/// The mail that asks whether alerts about a page may go to an address.
pub(super) fn question(
    services: &Services,
    to: &str,
    url: &str,
    token: &str,
    lang: Lang,
) -> Result<Mail, ServiceError> {
    watch::question(&services.sender(), to, url, token, lang).map_err(|error| {
        tracing::error!(%error, "a mail could not be made");
        ServiceError::new(Code::Internal)
    })
}

/// A new token for a link in a mail.
pub(super) fn link_token(services: &Services) -> String {
    URL_SAFE_NO_PAD.encode(services.ports().entropy.bytes())
}
