//! Mail of watches of sites: what broke since the run before, and why a run did not begin or failed.

use model::lang::Lang;
use render::mail::{self, Mail, site_watch};
use site::ChangeSummary;
use store::{SiteAlert, SiteRunRecord, SiteWatcher};

use super::answer::why;
use crate::credential::token_digest;
use crate::job::Job;
use crate::services::Services;
use crate::watches::{STOP_LINK_MS, link_token};

/// The alert of what broke since the run before; `None` without a recipient.
pub(crate) fn broken(
    services: &Services,
    watcher: &SiteWatcher,
    run: &SiteRunRecord,
    scores: (Option<u32>, Option<u32>),
    changes: &ChangeSummary,
) -> Result<Option<SiteAlert>, mail::Error> {
    let mail = |to: &str, lang: Lang, stop_token: &str| {
        let alert = site_watch::SiteWatchAlert { to, url: &run.url, run: &run.id, scores, changes, lang, stop_token };
        site_watch::alert(&services.sender(), &alert)
    };
    sent(services, watcher, format!("site-alert:{}", run.id), mail)
}

/// The alert of a run that did not begin or failed; `None` without a recipient. `turn` names the run or its slot.
pub(crate) fn troubled(
    services: &Services,
    watcher: &SiteWatcher,
    turn: &str,
    problem: &str,
) -> Result<Option<SiteAlert>, mail::Error> {
    let mail = |to: &str, lang: Lang, stop_token: &str| {
        Ok(site_watch::trouble(&services.sender(), to, &watcher.watch.url, why(problem), stop_token, lang))
    };
    sent(services, watcher, format!("site-trouble:{}:{turn}", watcher.watch.id), mail)
}

fn sent(
    services: &Services,
    watcher: &SiteWatcher,
    key: String,
    mail: impl FnOnce(&str, Lang, &str) -> Result<Mail, mail::Error>,
) -> Result<Option<SiteAlert>, mail::Error> {
    let Some(to) = &watcher.email else { return Ok(None) };
    let lang = watcher.locale.as_deref().and_then(Lang::from_tag).unwrap_or_default();
    let (ports, token) = (services.ports(), link_token(services.ports()));
    Ok(Some(SiteAlert {
        mail: Job::SendMail(mail(to, lang, &token)?).queued(ports, Some(key)),
        token_digest: token_digest(&token),
        expires_at: ports.now().plus_ms(STOP_LINK_MS),
    }))
}
