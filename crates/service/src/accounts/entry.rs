//! Registration, e-mail first, and sign-in.

use base64::Engine as _;
use model::account::Assurance;
use model::id::AccountId;
use model::lang::text;
use render::mail::letters;
use store::{
    AccountLink, AccountRecord, AccountStatus, Factor, HourlySpend, LinkRecord, NewAccount, NewLink, Refusal, Step,
};
use url::Url;

use super::address::{Address, reachable};
use super::attempts::{Attempt, OF_ACCOUNT, check_network, failures_key};
use super::change::{AccountChange, OneTimeToken, language};
use super::unavailable::unavailable;
use super::{session, totp};
use crate::caller::Cx;
use crate::config::SecretText;
use crate::credential::{is_random_token, token_digest};
use crate::database::Database;
use crate::error::{Code, ServiceError};
use crate::vault::{PasswordCheck, Vault};

/// Lifetime of a registration link. Chosen: a day, as mail can be delayed by hours.
const REGISTER_MS: i64 = 24 * HOUR_MS;
/// Milliseconds of an hour.
const HOUR_MS: i64 = 3_600_000;
/// Lifetime of a second-factor challenge. Chosen: 10 minutes, time to find the phone.
const CHALLENGE_MS: i64 = 10 * MINUTE_MS;
const MINUTE_MS: i64 = 60_000;
/// Rate limit: mails to one address per hour. Chosen: one and two retries; more would let strangers flood a mailbox.
const MAILS_PER_ADDRESS: u32 = 3;
/// Rate limit: mails that one network may request per hour. Chosen: an office can register; a script can't mail in
/// bulk.
const MAILS_PER_NETWORK: u32 = 10;
/// Characters of a display name at most.
const NAME_CHARS: usize = 60;

/// Outcome of a sign-in.
#[derive(Debug)]
pub enum SignIn {
    /// Signed in: the session token.
    Done(OneTimeToken),
    /// Second factor required: the challenge token.
    SecondFactor(OneTimeToken),
}

/// A submitted second factor: a code of the authenticator app, or a recovery code.
#[derive(Debug, Clone)]
pub enum SecondFactor {
    /// Six digits.
    Totp(String),
    /// One of ten codes that work once each.
    Recovery(SecretText),
}

/// A valid registration link.
#[derive(Debug)]
pub struct RegistrationLink {
    /// The address that the mail went to.
    pub email: String,
    /// The page that it follows, with alerts.
    pub followed_url: Option<String>,
    /// The account that the address has already, where the link follows a page: then the link is for signing in.
    pub account: Option<AccountId>,
}

/// Sends a registration link to an address, or a notice if it has an account already. The response is the same for
/// both, so that it can't be used to look up accounts.
///
/// `followed`: a page about which alerts were asked for. The link carries it, so that it works in any browser, and is sent to an
/// account, too.
pub async fn register(cx: &Cx, email: &str, followed: Option<&Url>) -> Result<(), ServiceError> {
    let address = reachable(&cx.services, email).await?;
    if !may_write_to(cx, &address).await? {
        return Ok(());
    }
    let (account, sender) = (by_email(cx.services.database(), &address).await?, cx.services.sender());
    let (to, lang) = match &account {
        Some(account) => (account.email.clone(), language(account)),
        None => (address.typed, cx.lang),
    };
    let token = OneTimeToken::new(cx.services.ports());
    let letter = match (&account, followed) {
        (Some(_), None) => letters::has_account(&sender),
        (Some(_), Some(_)) => letters::alerts(&sender, &token.text),
        (None, None) => letters::register(&sender, &token.text),
        (None, Some(_)) => letters::register_for_alerts(&sender, &token.text),
    };
    let has_link = account.is_none() || followed.is_some();
    let link = has_link.then(|| NewLink {
        token_digest: token.digest,
        purpose: AccountLink::Register,
        email: to.clone(),
        account: None,
        followed_url: followed.map(|url| url.as_str().to_owned()),
        expires_at: cx.services.ports().now().plus_ms(REGISTER_MS),
    });
    let change = AccountChange::new(link.map(Step::AddLink)).letter(cx, &letter, &to, lang);
    Ok(change.make(cx, "sending a link that makes an account").await??)
}

/// Reads a registration link.
pub async fn registration(cx: &Cx, token: &str) -> Result<RegistrationLink, ServiceError> {
    let (_, LinkRecord { email, followed_url, .. }) = link_of(cx, token, AccountLink::Register).await?;
    let account = match &followed_url {
        Some(_) => by_email(cx.services.database(), &Address::parse(&email)?).await?,
        None => None,
    };
    Ok(RegistrationLink { email, followed_url, account: account.map(|account| account.id) })
}

/// Uses a registration link of an address that has an account.
pub async fn use_registration(cx: &Cx, token: &str) -> Result<(), ServiceError> {
    let used = Step::UseLink(token_digest(token), AccountLink::Register);
    Ok(AccountChange::new([used]).make(cx, "using a link that follows a page").await??)
}

/// Creates the account of a registration link's address, and signs its owner in.
pub async fn complete(cx: &Cx, token: &str, password: SecretText, name: &str) -> Result<OneTimeToken, ServiceError> {
    let (digest, link) = link_of(cx, token, AccountLink::Register).await?;
    let name = judged_name(name)?;
    let address = Address::parse(&link.email)?;
    let password = accept(cx, password, &address).await?;
    let account = AccountId(cx.services.ports().id());
    let begun = session::begin(cx, &account, Assurance::Aal1, "password");
    let made = NewAccount {
        id: account.clone(),
        email: address.typed,
        email_canonical: address.canonical,
        name,
        locale: cx.lang.tag().to_owned(),
        password,
    };
    let change = AccountChange::new([Step::UseLink(digest, AccountLink::Register), Step::Register(made)])
        .steps(begun.steps)
        .event(cx, &account, "registered");
    match change.make(cx, "making an account").await? {
        Ok(()) => Ok(begun.token),
        // A concurrent request with another link created it.
        Err(Refusal::Taken) => Err(ServiceError::new(Code::InvalidLink)),
        Err(refusal) => Err(refusal.into()),
    }
}

/// Signs in with a password. Wrong password, unknown address and lock-out are indistinguishable to the caller.
pub async fn sign_in(cx: &Cx, email: &str, password: SecretText) -> Result<SignIn, ServiceError> {
    let wrong = || ServiceError::new(Code::InvalidCredentials);
    // An invalid address takes the same path as an unknown one.
    let address = Address::parse(email).unwrap_or_else(|_| Address { typed: String::new(), canonical: String::new() });
    let key = cx.services.vault().keys()?.blind(&address.canonical);
    let now = cx.services.ports().now();
    let attempt = Attempt::begin(cx, key).await?;
    let compared = compared(cx, &address, &password, attempt.is_none()).await;
    if let Some(attempt) = attempt {
        let (account, is_wrong) = match &compared {
            Ok((account, verdict)) => (account.as_ref(), *verdict == PasswordCheck::Wrong),
            Err(_) => (None, false),
        };
        attempt.end(cx, account, is_wrong).await?;
    }
    let (Some(account), PasswordCheck::Right { is_outdated }) = compared? else { return Err(wrong()) };
    let account = &account;
    let Some(phc) = account.password.clone() else { return Err(wrong()) };
    // The step fails if another request set a new password during the comparison: that one ended all sessions, and
    // none may begin with the old password.
    let expect = Step::ExpectPassword(account.id.clone(), phc);
    let in_time = |made: Result<(), Refusal>| match made {
        Err(Refusal::Stale) => Err(wrong()),
        made => Ok(made?),
    };
    let mut change = AccountChange::new([expect.clone(), Step::ForgetFailures(OF_ACCOUNT.scope, key)]);
    if is_outdated && let Ok(phc) = accept(cx, password, &address).await {
        change = change.step(Step::Rehash(account.id.clone(), phc));
    }
    if has_factor(cx, account) {
        let challenge = OneTimeToken::new(cx.services.ports());
        let until = now.plus_ms(CHALLENGE_MS);
        // The failure counter is not reset here: a correct password alone must not clear wrong second-factor codes.
        let begin = Step::AddChallenge(challenge.digest, account.id.clone(), browser(cx)?, until);
        in_time(AccountChange::new([expect, begin]).make(cx, "asking for a second factor").await?)?;
        return Ok(SignIn::SecondFactor(challenge));
    }
    if account.totp.is_some() {
        // The scheduled removal of the factor is due.
        change = change.step(Step::Factor(account.id.clone(), Factor::Remove));
    }
    let begun = session::begin(cx, &account.id, Assurance::Aal1, "password");
    in_time(change.steps(begun.steps).event(cx, &account.id, "signed_in").make(cx, "signing in").await?)?;
    Ok(SignIn::Done(begun.token))
}

/// The account that a sign-in may enter, and whether the password is its own. Of a locked one, as of none, the password is
/// compared with the dummy hash, so that it takes as long.
async fn compared(
    cx: &Cx,
    address: &Address,
    password: &SecretText,
    is_locked: bool,
) -> Result<(Option<AccountRecord>, PasswordCheck), ServiceError> {
    let account = by_email(cx.services.database(), address).await?;
    let usable = account.filter(|account| account.status == AccountStatus::Active && !is_locked);
    let phc = usable.as_ref().and_then(|account| account.password.clone());
    Ok((usable, cx.services.vault().passwords().compare(password.clone(), phc).await?))
}

/// Completes a sign-in with the second factor of its challenge.
pub async fn second_factor(cx: &Cx, challenge: &str, given: SecondFactor) -> Result<OneTimeToken, ServiceError> {
    let invalid = || ServiceError::new(Code::InvalidChallenge);
    check_network(cx).await?;
    if !is_random_token(challenge) {
        return Err(invalid());
    }
    let (digest, browser, now) = (token_digest(challenge), browser(cx)?, cx.services.ports().now());
    let account = cx.services.database().write(|store| store.try_challenge(&digest, &browser, now)).await;
    let account = account.map_err(unavailable)?.ok_or_else(invalid)?;
    let account = cx.services.database().ask(|store| store.account_by_id(&account)).await.map_err(unavailable)?;
    let account = account.filter(|account| account.status == AccountStatus::Active).ok_or_else(invalid)?;
    let key = failures_key(cx.services.vault(), &account)?;
    let Some(attempt) = Attempt::begin(cx, key).await? else {
        return Err(ServiceError::new(Code::InvalidCode));
    };
    let begun = session::begin(cx, &account.id, Assurance::Aal2, &format!("password {}", given.method()));
    let outcome = match given.step(cx, &account)? {
        Some(step) => {
            let forget = Step::ForgetFailures(OF_ACCOUNT.scope, key);
            let change = AccountChange::new([Step::UseChallenge(digest), step, forget]);
            change.steps(begun.steps).event(cx, &account.id, "signed_in").make(cx, "signing in").await?
        }
        None => Err(Refusal::Code),
    };
    attempt.end(cx, Some(&account), outcome.is_err()).await?;
    outcome?;
    Ok(begun.token)
}

impl SecondFactor {
    /// Parses a typed code: six digits are of the authenticator app, anything else is a recovery code.
    pub fn of(typed: &SecretText) -> Self {
        let text: String = typed.expose().chars().filter(|c| !c.is_whitespace()).collect();
        if text.len() == 6 && text.bytes().all(|b| b.is_ascii_digit()) {
            Self::Totp(text)
        } else {
            Self::Recovery(typed.clone())
        }
    }

    /// The authentication method that the session records.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Totp(_) => "totp",
            Self::Recovery(_) => "recovery",
        }
    }

    /// The step that consumes this factor; `None` when the code is wrong.
    pub fn step(&self, cx: &Cx, account: &AccountRecord) -> Result<Option<Step>, ServiceError> {
        let factor = match self {
            Self::Totp(code) => {
                let Some(record) = &account.totp else { return Ok(None) };
                let secret = unsealed(cx.services.vault(), &account.id, record)?;
                totp::step_of(&secret, code, cx.services.ports().now()).map(Factor::Use)
            }
            Self::Recovery(code) => Some(Factor::UseRecoveryCode(recovery_digest(code.expose()))),
        };
        Ok(factor.map(|factor| Step::Factor(account.id.clone(), factor)))
    }
}

/// The decrypted secret of a second factor.
pub(crate) fn unsealed(
    vault: &Vault,
    account: &AccountId,
    record: &store::TotpRecord,
) -> Result<Vec<u8>, ServiceError> {
    vault.keys()?.unseal(&account.0, &record.secret, &record.key_id).ok_or_else(|| {
        tracing::error!(key = record.key_id, "a second factor can't be decrypted: is auth.previous_secret missing?");
        ServiceError::new(Code::AuthUnavailable)
    })
}

/// Digest of a recovery code; case, spaces and hyphens don't count.
pub(crate) fn recovery_digest(code: &str) -> [u8; 32] {
    let digits: String = code.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect();
    token_digest(&digits)
}

/// Whether an account requires a second factor: it has one, and no removal is due.
pub fn has_factor(cx: &Cx, account: &AccountRecord) -> bool {
    let now = cx.services.ports().now();
    account.totp.as_ref().is_some_and(|totp| totp.remove_after.is_none_or(|after| after > now))
}

/// Looks up the account of an address.
pub(crate) async fn by_email(database: &Database, address: &Address) -> Result<Option<AccountRecord>, ServiceError> {
    database.ask(|store| store.account_by_email(&address.canonical)).await.map_err(unavailable)
}

/// Looks up a valid link, with its digest.
pub(crate) async fn link_of(
    cx: &Cx,
    token: &str,
    purpose: AccountLink,
) -> Result<([u8; 32], LinkRecord), ServiceError> {
    cx.services.vault().keys()?;
    let (digest, now) = (token_digest(token), cx.services.ports().now());
    let link = cx.services.database().ask(|store| store.link(&digest, purpose, now)).await.map_err(unavailable)?;
    link.map(|link| (digest, link)).ok_or_else(|| ServiceError::new(Code::InvalidLink))
}

/// Hashes a new password for the account of an address.
pub async fn accept(cx: &Cx, password: SecretText, address: &Address) -> Result<String, ServiceError> {
    let telling = vec![address.local().to_owned(), cx.services.config().product.name.clone()];
    cx.services.vault().passwords().accept(password, telling, cx.services.ports().entropy.bytes()).await
}

/// Parses a display name.
pub(crate) fn judged_name(name: &str) -> Result<String, ServiceError> {
    let name = name.trim();
    if name.chars().count() <= NAME_CHARS && !name.chars().any(char::is_control) {
        return Ok(name.to_owned());
    }
    let takes = text(
        "name: use at most 60 characters and no control characters",
        "name: use no máximo 60 caracteres, sem caracteres de controle",
    );
    Err(ServiceError::new(Code::InvalidBody).explained(takes.into()))
}

/// Whether a mail may be sent to an address: a mail server is configured, and neither the caller's network nor the
/// address is over its rate limit. The caller doesn't learn of the address's limit.
pub(crate) async fn may_write_to(cx: &Cx, address: &Address) -> Result<bool, ServiceError> {
    cx.services.vault().keys()?;
    if cx.services.mailer().is_none() {
        return Err(ServiceError::new(Code::MailUnavailable));
    }
    let (allowance, network) = (cx.services.allowance(), cx.caller.network);
    allowance.spend_hourly(cx.services.database(), cx.services.ports(), network, "mails", MAILS_PER_NETWORK).await?;
    Ok(spend_mail(cx, "mails", address, MAILS_PER_ADDRESS).await?.is_none())
}

/// Spends one of an address's hourly mails of a kind; the error holds the seconds to wait.
pub(crate) async fn spend_mail(
    cx: &Cx,
    what: &str,
    address: &Address,
    per_hour: u32,
) -> Result<Option<u32>, ServiceError> {
    let blind = cx.services.vault().keys()?.blind(&address.canonical);
    let bucket = format!("{what}:{}", base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(blind));
    let now = cx.services.ports().now();
    let spent = cx.services.database().write(|store| store.spend_hourly(&bucket, now, per_hour)).await;
    Ok(match spent.map_err(unavailable)? {
        HourlySpend::Granted => None,
        HourlySpend::Refused { retry_after_s } => Some(retry_after_s),
    })
}

/// What binds a challenge to a browser: the digest of its CSRF token. Only the browser that gave the password can
/// complete the sign-in.
fn browser(cx: &Cx) -> Result<[u8; 32], ServiceError> {
    let binding = cx.caller.binding().ok_or_else(|| ServiceError::new(Code::InvalidCsrf))?;
    Ok(token_digest(&cx.services.vault().keys()?.csrf(binding)))
}
