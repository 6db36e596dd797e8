//! Password reset and e-mail change: the flows that begin with a link in a mail.

use model::id::AccountId;
use model::lang::text;
use model::time::DAY_MS;
use render::mail::letters;
use store::{AccountLink, AccountRecord, AccountStatus, Actor, EndReason, NewLink, Refusal, Step};

use super::address::{Address, reachable};
use super::attempts::{self, Attempt};
use super::change::{AccountChange, OneTimeToken, language};
use super::entry::{self, SecondFactor};
use super::session;
use super::unavailable::unavailable;
use crate::caller::Cx;
use crate::config::SecretText;
use crate::database::Database;
use crate::error::{Code, ServiceError};

/// Lifetime of a password reset link. Chosen: 30 minutes; mail can be delayed by some, a stolen link is of short use.
const RESET_MS: i64 = 30 * 60_000;
/// Lifetime of a link that confirms a new address.
const CHANGE_MS: i64 = DAY_MS;
/// How long an e-mail change can be undone. Chosen: a week, so that an owner on holiday can still react.
const UNDO_MS: i64 = 7 * DAY_MS;

/// Sends a password reset link, or a notice that there is no account. The response is the same for both.
pub async fn reset(cx: &Cx, email: &str) -> Result<(), ServiceError> {
    let address = reachable(&cx.services, email).await?;
    if !entry::may_write_to(cx, &address).await? {
        return Ok(());
    }
    let account = entry::by_email(cx.services.database(), &address).await?;
    let change = match account.filter(|account| account.status == AccountStatus::Active) {
        Some(account) => reset_link(cx, &account).event_by(cx, Actor::Nobody, &account.id, "reset_asked"),
        None => {
            AccountChange::default().letter(cx, &letters::no_account(&cx.services.sender()), &address.typed, cx.lang)
        }
    };
    Ok(change.make(cx, "sending a link that sets a password").await??)
}

/// Adds a password reset link, which replaces earlier ones.
pub(crate) fn reset_link(cx: &Cx, account: &AccountRecord) -> AccountChange {
    let token = OneTimeToken::new(cx.services.ports());
    let link = new_link(cx, &token, AccountLink::Reset, account, &account.email, RESET_MS);
    let letter = letters::reset(&cx.services.sender(), &token.text);
    let steps = [Step::DropLinks(account.id.clone(), AccountLink::Reset), Step::AddLink(link)];
    AccountChange::new(steps).letter(cx, &letter, &account.email, language(account))
}

fn new_link(
    cx: &Cx,
    token: &OneTimeToken,
    purpose: AccountLink,
    account: &AccountRecord,
    email: &str,
    good_ms: i64,
) -> NewLink {
    NewLink {
        token_digest: token.digest,
        purpose,
        email: email.to_owned(),
        account: Some(account.id.clone()),
        followed_url: None,
        expires_at: cx.services.ports().now().plus_ms(good_ms),
    }
}

/// A valid password reset: its account, and whether a second factor is required.
#[derive(Debug)]
pub struct Reset {
    /// The account.
    pub account: AccountRecord,
    /// A second factor is required too: a reset never removes one.
    pub wants_factor: bool,
}

/// The account of a valid reset link.
pub async fn reset_of(cx: &Cx, token: &str) -> Result<Reset, ServiceError> {
    let (_, account) = account_of(cx, token, AccountLink::Reset).await?;
    Ok(Reset { wants_factor: entry::has_factor(cx, &account), account })
}

async fn account_of(cx: &Cx, token: &str, purpose: AccountLink) -> Result<([u8; 32], AccountRecord), ServiceError> {
    let invalid = || ServiceError::new(Code::InvalidLink);
    let (digest, link) = entry::link_of(cx, token, purpose).await?;
    let id = link.account.ok_or_else(invalid)?;
    let account = cx.services.database().ask(|store| store.account_by_id(&id)).await.map_err(unavailable)?;
    let account = account.filter(|account| account.status == AccountStatus::Active).ok_or_else(invalid)?;
    // Links sent to a former address are void.
    let fits = purpose != AccountLink::Reset || account.email == link.email;
    if fits { Ok((digest, account)) } else { Err(invalid()) }
}

/// Sets a new password by a reset link. All sessions end, and all API keys of the account are revoked.
pub async fn complete_reset(
    cx: &Cx,
    token: &str,
    password: SecretText,
    factor: Option<SecondFactor>,
) -> Result<(), ServiceError> {
    let (digest, account) = account_of(cx, token, AccountLink::Reset).await?;
    attempts::check_network(cx).await?;
    if !entry::has_factor(cx, &account) {
        return Ok(set_password(cx, digest, &account, password, None).await??);
    }
    let factor = factor.ok_or_else(|| ServiceError::new(Code::SecondFactorRequired))?;
    // Wrong codes count towards the lock, as at sign-in.
    let key = attempts::failures_key(cx.services.vault(), &account)?;
    let attempt = Attempt::begin(cx, key).await?.ok_or_else(|| ServiceError::new(Code::InvalidCode))?;
    let outcome = match factor.step(cx, &account) {
        Ok(Some(step)) => set_password(cx, digest, &account, password, Some(step)).await,
        Ok(None) => Ok(Err(Refusal::Code)),
        Err(error) => Err(error),
    };
    attempt.end(cx, Some(&account), matches!(outcome, Ok(Err(Refusal::Code)))).await?;
    Ok(outcome??)
}

/// Sets the password of an account by its link, and by the step that consumes the code of its second factor.
async fn set_password(
    cx: &Cx,
    digest: [u8; 32],
    account: &AccountRecord,
    password: SecretText,
    factor: Option<Step>,
) -> Result<Result<(), Refusal>, ServiceError> {
    let phc = entry::accept(cx, password, &Address::parse(&account.email)?).await?;
    let keys = live_keys(cx.services.database(), &account.id).await?;
    let change = AccountChange::new([Step::UseLink(digest, AccountLink::Reset)])
        .steps(factor)
        .steps([
            Step::SetPassword(account.id.clone(), phc),
            Step::EndSessions(account.id.clone(), None, EndReason::Password),
            Step::RevokeKeys(account.id.clone()),
            Step::DropLinks(account.id.clone(), AccountLink::Change),
        ])
        .event_by(cx, Actor::Nobody, &account.id, "password_reset")
        .letter(cx, &letters::password_changed(&cx.services.sender(), &keys), &account.email, language(account));
    change.make(cx, "setting a password by a link").await
}

/// The names of an account's live keys.
pub(crate) async fn live_keys(database: &Database, account: &AccountId) -> Result<Vec<String>, ServiceError> {
    database.ask(|store| store.live_key_names(account)).await.map_err(unavailable)
}

/// Sends a confirmation link to the caller's new address.
pub async fn change_email(cx: &Cx, email: &str) -> Result<(), ServiceError> {
    let account = session::account(cx, session::fresh(cx)?).await?;
    let address = reachable(&cx.services, email).await?;
    if !entry::may_write_to(cx, &address).await? {
        return Ok(());
    }
    let change = match entry::by_email(cx.services.database(), &address).await? {
        Some(_) => {
            AccountChange::default().letter(cx, &letters::address_taken(&cx.services.sender()), &address.typed, cx.lang)
        }
        None => {
            let token = OneTimeToken::new(cx.services.ports());
            let link = new_link(cx, &token, AccountLink::Change, &account, &address.typed, CHANGE_MS);
            let steps = [Step::DropLinks(account.id.clone(), AccountLink::Change), Step::AddLink(link)];
            let letter = letters::change_email(&cx.services.sender(), &token.text);
            AccountChange::new(steps).letter(cx, &letter, &address.typed, language(&account))
        }
    };
    let change = change.event(cx, &account.id, "email_change_asked");
    Ok(change.make(cx, "sending a link that confirms an address").await??)
}

/// Completes an e-mail change by its link. The former address gets a notice with an undo link.
pub async fn confirm_email(cx: &Cx, token: &str) -> Result<(), ServiceError> {
    let (digest, account) = account_of(cx, token, AccountLink::Change).await?;
    let (_, link) = entry::link_of(cx, token, AccountLink::Change).await?;
    let address = Address::parse(&link.email)?;
    let undo = OneTimeToken::new(cx.services.ports());
    let link = new_link(cx, &undo, AccountLink::Undo, &account, &account.email, UNDO_MS);
    let letter = letters::email_changed(&cx.services.sender(), &undo.text);
    let change = AccountChange::new([
        Step::UseLink(digest, AccountLink::Change),
        Step::SetEmail(account.id.clone(), address.typed, address.canonical),
        Step::DropLinks(account.id.clone(), AccountLink::Reset),
        Step::AddLink(link),
    ]);
    let change = change.event_by(cx, Actor::Nobody, &account.id, "email_changed");
    match change.letter(cx, &letter, &account.email, language(&account)).make(cx, "confirming an address").await? {
        Err(Refusal::Taken) => Err(ServiceError::new(Code::InvalidLink)),
        outcome => Ok(outcome?),
    }
}

/// Undoes an e-mail change. All sessions end, as the person who made the change may still be signed in.
pub async fn undo_email(cx: &Cx, token: &str) -> Result<(), ServiceError> {
    let (digest, account) = account_of(cx, token, AccountLink::Undo).await?;
    let (_, link) = entry::link_of(cx, token, AccountLink::Undo).await?;
    let address = Address::parse(&link.email)?;
    let to = address.typed.clone();
    let change = AccountChange::new([
        Step::UseLink(digest, AccountLink::Undo),
        Step::SetEmail(account.id.clone(), address.typed, address.canonical),
        Step::DropLinks(account.id.clone(), AccountLink::Undo),
        Step::DropLinks(account.id.clone(), AccountLink::Change),
        Step::DropLinks(account.id.clone(), AccountLink::Reset),
        Step::EndSessions(account.id.clone(), None, EndReason::Email),
        Step::RevokeKeys(account.id.clone()),
    ]);
    let what = text(
        "The email change was undone, and all sessions of your account have ended",
        "A mudança de e-mail foi desfeita e todas as sessões da sua conta terminaram",
    );
    let change = change.event_by(cx, Actor::Nobody, &account.id, "email_change_undone");
    let change = change.letter(cx, &letters::notice(&cx.services.sender(), what), &to, language(&account));
    match change.make(cx, "undoing an email change").await? {
        Err(Refusal::Taken) => Err(ServiceError::new(Code::InvalidLink)),
        outcome => Ok(outcome?),
    }
}
