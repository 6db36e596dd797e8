//! Operator actions on accounts, from the command line. None sets a password or acts as a user.

use model::id::AccountId;
use model::lang::{Lang, text};
use model::time::DAY_MS;
use render::mail::letters;
use store::{AccountRecord, AccountStatus, Actor, EndReason, Factor, Refusal, Step};

use super::address::Address;
use super::change::{AccountChange, language};
use super::unavailable::unavailable;
use super::{entry, recovery};
use crate::caller::Caller;
use crate::caller::Cx;
use crate::error::{Code, ServiceError};
use crate::job::Job;
use crate::network::Network;
use crate::services::Services;

/// Delay before an operator's reset or factor removal takes effect: time for the owner to object. Chosen: 72 hours, a
/// weekend.
const DELAY_MS: i64 = 3 * DAY_MS;

/// The call context of an operator: no network, no browser, default language.
pub fn context(services: &Services) -> Cx {
    let nowhere = Network::of(std::net::IpAddr::from([0, 0, 0, 0]));
    let caller = Caller::unknown(nowhere, "operator");
    Cx::new(services, caller, Lang::default())
}

/// Looks up the account of an address.
pub async fn account(cx: &Cx, email: &str) -> Result<AccountRecord, ServiceError> {
    let address = Address::parse(email)?;
    entry::by_email(cx.services.database(), &address).await?.ok_or_else(|| ServiceError::new(Code::NotFound))
}

/// Suspends an account: its sessions end, its keys stop working, and nobody can sign in. Nothing is deleted.
/// [`Code::RevisionConflict`] unless it is active: a closed account stays on its way to removal.
pub async fn suspend(cx: &Cx, account: &AccountRecord) -> Result<(), ServiceError> {
    let what = text("The operator suspended your account", "O operador suspendeu a sua conta");
    let steps = [Step::Suspend(account.id.clone()), Step::EndSessions(account.id.clone(), None, EndReason::Operator)];
    let change =
        AccountChange::new(steps).event_by(cx, Actor::Operator, &account.id, "suspended").notice(cx, account, what);
    Ok(change.make(cx, "suspending an account").await??)
}

/// Restores an account that was suspended, or closed and not removed yet. Its owner has to sign in again. Keys of a
/// suspended account work as before; those of a closed one stay revoked, and its memberships stay ended.
/// [`Code::RevisionConflict`] for an active account.
pub async fn restore(cx: &Cx, account: &AccountRecord) -> Result<(), ServiceError> {
    let what = text("Your account is active again", "A sua conta está ativa de novo");
    let change = AccountChange::new([Step::Restore(account.id.clone())])
        .event_by(cx, Actor::Operator, &account.id, "restored")
        .notice(cx, account, what);
    Ok(change.make(cx, "restoring an account").await??)
}

/// Ends all sessions of an account, and revokes its keys.
pub async fn end_sessions(cx: &Cx, account: &AccountRecord) -> Result<(), ServiceError> {
    let what = text(
        "The operator ended all sessions of your account and revoked its API keys",
        "O operador encerrou todas as sessões da sua conta e revogou as suas chaves de API",
    );
    let steps =
        [Step::EndSessions(account.id.clone(), None, EndReason::Operator), Step::RevokeKeys(account.id.clone())];
    let change = AccountChange::new(steps)
        .event_by(cx, Actor::Operator, &account.id, "sessions_ended")
        .notice(cx, account, what);
    Ok(change.make(cx, "ending an account's sessions").await??)
}

/// Schedules a password reset: the owner gets a notice now, and the link in 72 hours.
pub async fn begin_reset(cx: &Cx, account: &AccountRecord) -> Result<(), ServiceError> {
    let what = text(
        "The operator started a password reset for your account",
        "O operador iniciou uma redefinição de senha da sua conta",
    );
    let mut job = Job::SendReset { account: account.id.clone() }.queued(cx.services.ports(), None);
    job.run_at = job.run_at.plus_ms(DELAY_MS);
    let letter = letters::operator_will(&cx.services.sender(), what);
    let change = AccountChange::default()
        .event_by(cx, Actor::Operator, &account.id, "reset_begun")
        .letter(cx, &letter, &account.email, language(account))
        .job(job);
    Ok(change.make(cx, "beginning a reset").await??)
}

/// Sends the link of a reset scheduled 72 hours ago; does nothing if the account was removed or suspended since.
pub(crate) async fn send_reset(services: &Services, id: &AccountId) -> Result<(), ServiceError> {
    let cx = context(services);
    let account = services.database().ask(|store| store.account_by_id(id)).await.map_err(unavailable)?;
    let Some(account) = account.filter(|account| account.status == AccountStatus::Active) else { return Ok(()) };
    let change = recovery::reset_link(&cx, &account).event_by(&cx, Actor::Operator, &account.id, "reset_asked");
    Ok(change.make(&cx, "sending a link that sets a password").await??)
}

/// Schedules the removal of the second factor: the owner gets a notice now; the factor stops counting in 72 hours.
pub async fn begin_removal(cx: &Cx, account: &AccountRecord) -> Result<(), ServiceError> {
    let what = text(
        "The operator started to turn off two-factor authentication for your account",
        "O operador iniciou a desativação da autenticação em dois fatores da sua conta",
    );
    let after = cx.services.ports().now().plus_ms(DELAY_MS);
    let letter = letters::operator_will(&cx.services.sender(), what);
    let change = AccountChange::new([Step::Factor(account.id.clone(), Factor::RemoveAfter(after))])
        .event_by(cx, Actor::Operator, &account.id, "factor_removal_begun")
        .letter(cx, &letter, &account.email, language(account));
    match change.make(cx, "beginning to remove a second factor").await? {
        Err(Refusal::Missing) => Err(ServiceError::new(Code::NotFound)),
        outcome => Ok(outcome?),
    }
}
