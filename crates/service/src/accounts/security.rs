//! Security settings of a signed-in account: reauthentication, password, two-factor and recovery codes.

use model::account::Assurance;
use model::id::AccountId;
use model::lang::text;
use render::mail::letters;
use store::{AccountRecord, EndReason, Factor, Refusal, Session, Step};

use super::address::Address;
use super::attempts::{self, Attempt};
use super::change::{AccountChange, OneTimeToken, language};
use super::entry::{self, SecondFactor};
use super::passkeys::{self, Assertion};
use super::recovery::live_keys;
use super::unavailable::unavailable;
use super::{session, totp};
use crate::caller::Cx;
use crate::config::SecretText;
use crate::error::{Code, ServiceError};
use crate::ports::Ports;
use crate::vault::PasswordCheck;

/// Recovery codes per account. Chosen: ten, a list that fits a note.
const RECOVERY_CODES: usize = 10;
/// Random bytes of a recovery code: 120 bits, 24 digits of base 32.
const RECOVERY_BYTES: usize = 15;
/// Digits between two hyphens of a recovery code.
const GROUP: usize = 4;

/// A reauthentication proof.
#[derive(Debug)]
pub enum Proof {
    /// The password.
    Password(SecretText),
    /// The second factor.
    Factor(SecondFactor),
    /// A passkey.
    Passkey(Assertion),
}

/// A second factor that was offered and awaits confirmation.
#[derive(Debug)]
pub struct FactorOffer {
    /// The secret in base 32.
    pub secret: String,
    /// The key URI, for the authenticator app.
    pub uri: String,
}

/// Reauthenticates the caller: makes the session fresh, and rotates its token.
pub async fn prove(cx: &Cx, proof: Proof) -> Result<OneTimeToken, ServiceError> {
    let session = cx.caller.required_session()?;
    let account = session::account(cx, session).await?;
    let proof = match proof {
        Proof::Passkey(given) => {
            attempts::check_network(cx).await?;
            return prove_by_passkey(cx, session, &given).await;
        }
        Proof::Password(_) if entry::has_factor(cx, &account) => {
            return Err(ServiceError::new(Code::SecondFactorRequired));
        }
        proof => proof,
    };
    let wrong = || ServiceError::new(Code::InvalidCredentials);
    let key = attempts::failures_key(cx.services.vault(), &account)?;
    let attempt = Attempt::begin(cx, key).await?.ok_or_else(wrong)?;
    let outcome = proven(cx, session, &account, proof).await;
    let is_wrong = matches!(outcome, Ok(Err(Refusal::Code)));
    attempt.end(cx, Some(&account), is_wrong).await?;
    if is_wrong { Err(wrong()) } else { of_session(outcome?) }
}

/// Compares a password or code and rotates the session; [`Refusal::Code`] when it is wrong.
async fn proven(
    cx: &Cx,
    session: &Session,
    account: &AccountRecord,
    proof: Proof,
) -> Result<Result<OneTimeToken, Refusal>, ServiceError> {
    let (step, begun) = match proof {
        Proof::Password(password) => {
            let phc = account.password.clone();
            if cx.services.vault().passwords().compare(password, phc).await? == PasswordCheck::Wrong {
                return Ok(Err(Refusal::Code));
            }
            (None, session::rotate(cx, session, Assurance::Aal1, "password"))
        }
        Proof::Factor(factor) => match factor.step(cx, account)? {
            Some(step) => (Some(step), session::rotate(cx, session, Assurance::Aal2, factor.method())),
            None => return Ok(Err(Refusal::Code)),
        },
        // A ceremony of its own, with nothing to guess.
        Proof::Passkey(_) => return Ok(Err(Refusal::Code)),
    };
    let change = AccountChange::new(step).steps(begun.steps).event(cx, &account.id, "proven_again");
    Ok(change.make(cx, "confirming an identity").await?.map(|()| begun.token))
}

/// Reauthentication by passkey; ignores the lock of wrong passwords.
async fn prove_by_passkey(cx: &Cx, session: &Session, given: &Assertion) -> Result<OneTimeToken, ServiceError> {
    let (account, steps) = passkeys::proof(cx, given).await?;
    if account != session.account {
        return Err(ServiceError::new(Code::InvalidCredentials));
    }
    let begun = session::rotate(cx, session, Assurance::Aal2, "passkey");
    let change = AccountChange::new(steps).steps(begun.steps).event(cx, &account, "proven_again");
    of_session(change.make(cx, "confirming an identity").await?)?;
    Ok(begun.token)
}

/// Changes the password. All other sessions end, and the account's API keys are revoked.
pub async fn change_password(cx: &Cx, current: SecretText, new: SecretText) -> Result<OneTimeToken, ServiceError> {
    let session = session::fresh(cx)?;
    let account = session::account(cx, session).await?;
    let wrong = || ServiceError::new(Code::InvalidCredentials);
    let key = attempts::failures_key(cx.services.vault(), &account)?;
    // Failures during a lock don't extend it.
    let attempt = Attempt::begin(cx, key).await?.ok_or_else(wrong)?;
    let compared = cx.services.vault().passwords().compare(current, account.password.clone()).await;
    attempt.end(cx, Some(&account), matches!(compared, Ok(PasswordCheck::Wrong))).await?;
    if compared? == PasswordCheck::Wrong {
        return Err(wrong());
    }
    let phc = entry::accept(cx, new, &Address::parse(&account.email)?).await?;
    let begun = session::rotate(cx, session, session.assurance, "password");
    let keys = live_keys(cx.services.database(), &account.id).await?;
    let change = AccountChange::new([
        Step::SetPassword(account.id.clone(), phc),
        Step::EndSessions(account.id.clone(), Some(session.id.clone()), EndReason::Password),
        Step::RevokeKeys(account.id.clone()),
        Step::DropLinks(account.id.clone(), store::AccountLink::Reset),
    ]);
    let change = change.steps(begun.steps).event(cx, &account.id, "password_changed");
    let letter = letters::password_changed(&cx.services.sender(), &keys);
    let change = change.letter(cx, &letter, &account.email, language(&account));
    of_session(change.make(cx, "changing a password").await?)?;
    Ok(begun.token)
}

/// Maps the result of a change that rotates the session's token: if it is missing, the session ended meanwhile.
fn of_session<T>(made: Result<T, Refusal>) -> Result<T, ServiceError> {
    match made {
        Err(Refusal::Missing) => Err(ServiceError::new(Code::SessionEnded)),
        made => Ok(made?),
    }
}

/// Offers a second factor; it counts after confirmation.
pub async fn offer_factor(cx: &Cx) -> Result<FactorOffer, ServiceError> {
    let account = session::account(cx, session::fresh(cx)?).await?;
    let random = cx.services.ports().entropy.bytes();
    let secret = random.get(..totp::SECRET_BYTES).unwrap_or_default();
    let keys = cx.services.vault().keys()?;
    let sealed = keys.seal(&account.id.0, secret, cx.services.ports().entropy.bytes());
    let (sealed, key_id) = sealed.ok_or_else(|| ServiceError::new(Code::Internal))?;
    let offer = Step::Factor(account.id.clone(), Factor::Offer(sealed, key_id));
    AccountChange::new([offer]).make(cx, "offering a second factor").await??;
    Ok(offer_of(&cx.services.config().product.name, &account.email, secret))
}

/// The offered second factor, to be shown again before confirmation; [`Code::NotFound`] without one.
pub async fn offered(cx: &Cx, session: &Session) -> Result<FactorOffer, ServiceError> {
    let account = session::account(cx, session).await?;
    let (secret, _) = offered_secret(cx, &account).await?;
    Ok(offer_of(&cx.services.config().product.name, &account.email, &secret))
}

fn offer_of(product: &str, email: &str, secret: &[u8]) -> FactorOffer {
    FactorOffer { secret: totp::base32(secret), uri: totp::uri(product, email, secret) }
}

/// The offered secret, in the clear and sealed.
async fn offered_secret(cx: &Cx, account: &AccountRecord) -> Result<(Vec<u8>, Vec<u8>), ServiceError> {
    let offered = cx.services.database().ask(|store| store.offered_totp(&account.id)).await.map_err(unavailable)?;
    let offered = offered.ok_or_else(|| ServiceError::new(Code::NotFound))?;
    Ok((entry::unsealed(cx.services.vault(), &account.id, &offered)?, offered.secret))
}

/// Confirms the offered factor with one of its codes. The session becomes two-factor, under a new token; the recovery
/// codes are shown once.
pub async fn confirm_factor(cx: &Cx, code: &str) -> Result<(OneTimeToken, Vec<String>), ServiceError> {
    let session = session::fresh(cx)?;
    let account = session::account(cx, session).await?;
    let wrong = || ServiceError::new(Code::InvalidCode);
    let key = attempts::failures_key(cx.services.vault(), &account)?;
    let (secret, sealed) = offered_secret(cx, &account).await?;
    let attempt = Attempt::begin(cx, key).await?.ok_or_else(wrong)?;
    let step = totp::step_of(&secret, code, cx.services.ports().now());
    attempt.end(cx, Some(&account), step.is_none()).await?;
    let step = step.ok_or_else(wrong)?;
    let begun = session::rotate(cx, session, Assurance::Aal2, "totp");
    let (codes, steps) = recovery_codes(cx.services.ports(), &account.id);
    let what = text(
        "Two-factor authentication was turned on for your account",
        "A autenticação em dois fatores foi ativada na sua conta",
    );
    let change = AccountChange::new([Step::Factor(account.id.clone(), Factor::Confirm(sealed, step))])
        .steps(steps)
        .steps(begun.steps)
        .event(cx, &account.id, "factor_added")
        .notice(cx, &account, what);
    of_session(change.make(cx, "confirming a second factor").await?)?;
    Ok((begun.token, codes))
}

/// Removes the second factor and its recovery codes, given a valid code.
pub async fn remove_factor(cx: &Cx, code: &str) -> Result<(), ServiceError> {
    let account = session::account(cx, session::fresh(cx)?).await?;
    let what = text(
        "Two-factor authentication was turned off for your account",
        "A autenticação em dois fatores foi desativada na sua conta",
    );
    let step = used(cx, &account, code).await?;
    AccountChange::new([step, Step::Factor(account.id.clone(), Factor::Remove)])
        .event(cx, &account.id, "factor_removed")
        .notice(cx, &account, what)
        .make(cx, "removing a second factor")
        .await??;
    Ok(())
}

/// Replaces the recovery codes with ten new ones, given a valid code of the authenticator app.
pub async fn new_recovery_codes(cx: &Cx, code: &str) -> Result<Vec<String>, ServiceError> {
    let account = session::account(cx, session::fresh(cx)?).await?;
    let step = used(cx, &account, code).await?;
    let (codes, steps) = recovery_codes(cx.services.ports(), &account.id);
    let what = text("Your account has new recovery codes", "A sua conta tem novos códigos de recuperação");
    AccountChange::new([step])
        .steps(steps)
        .event(cx, &account.id, "recovery_codes_made")
        .notice(cx, &account, what)
        .make(cx, "making recovery codes")
        .await??;
    Ok(codes)
}

/// The step that consumes a code of the confirmed factor.
async fn used(cx: &Cx, account: &AccountRecord, code: &str) -> Result<Step, ServiceError> {
    if account.totp.is_none() {
        return Err(ServiceError::new(Code::NotFound));
    }
    let wrong = || ServiceError::new(Code::InvalidCode);
    let key = attempts::failures_key(cx.services.vault(), account)?;
    let attempt = Attempt::begin(cx, key).await?.ok_or_else(wrong)?;
    let step = SecondFactor::Totp(code.to_owned()).step(cx, account);
    attempt.end(cx, Some(account), matches!(step, Ok(None))).await?;
    step?.ok_or_else(wrong)
}

/// Ten new recovery codes, and the steps that replace the stored digests.
fn recovery_codes(ports: &Ports, account: &AccountId) -> (Vec<String>, Vec<Step>) {
    let mut steps = vec![Step::Factor(account.clone(), Factor::DropRecoveryCodes)];
    let mut codes = Vec::new();
    for _ in 0..RECOVERY_CODES {
        let random = ports.entropy.bytes();
        let digits = totp::base32(random.get(..RECOVERY_BYTES).unwrap_or_default());
        let mut code = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && at % GROUP == 0 {
                code.push('-');
            }
            code.push(digit);
        }
        let digest = entry::recovery_digest(&code);
        steps.push(Step::Factor(account.clone(), Factor::AddRecoveryCode(digest)));
        codes.push(code);
    }
    (codes, steps)
}
