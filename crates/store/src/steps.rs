//! Changes of accounts: steps that are stored together or not at all.
//!
//! A step is one statement, or a few. When a statement must change a row and changes none, all steps are rolled back
//! and its refusal is the answer; so one-time tokens are used exactly once, also under concurrent calls.

mod statements;

use model::account::Assurance;
use model::id::{AccountId, OrganizationId, SessionId};
use model::time::Timestamp;

use crate::error::StoreError;
use crate::jobs::NewJob;
use crate::passkeys::PasskeyStep;
use crate::refusal::Refusal;
use crate::store::Store;
use crate::transaction::Transaction;
use statements::statements;

/// Purpose of a link that was sent by mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountLink {
    /// Registers an account.
    Register,
    /// Resets the password.
    Reset,
    /// Confirms a new address of the account.
    Change,
    /// Undoes a change of the address.
    Undo,
}

/// Why a session was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// Its holder signed out, here or from another session.
    SignedOut,
    /// Its browser signed in again.
    Replaced,
    /// The account had reached its limit of sessions.
    TooMany,
    /// The password was changed or reset.
    Password,
    /// A change of the address was undone.
    Email,
    /// An operator ended it.
    Operator,
}

/// Status of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountStatus {
    /// In use.
    Active,
    /// Suspended by an operator.
    Suspended,
    /// Closed by its owner, and waiting for removal.
    Deleting,
}

/// An account to create.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// Its id, unique.
    pub id: AccountId,
    /// Its verified address.
    pub email: String,
    /// The canonical address, by which addresses are compared.
    pub email_canonical: String,
    /// Name of its owner; may be empty.
    pub name: String,
    /// Tag of the language for its mail.
    pub locale: String,
    /// PHC string.
    pub password: String,
}

/// A session to begin.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Its id, unique.
    pub id: SessionId,
    /// SHA-256 of its token.
    pub token_digest: [u8; 32],
    /// Whose it is.
    pub account: AccountId,
    /// How strongly the holder was authenticated.
    pub assurance: Assurance,
    /// Authentication methods, separated by spaces.
    pub methods: String,
    /// Its expiry unless it is seen before.
    pub idle_expires_at: Timestamp,
    /// Its absolute expiry.
    pub absolute_expires_at: Timestamp,
    /// The browser's family.
    pub agent: String,
    /// The network's /24 or /48.
    pub network: String,
}

/// A new token for a session whose holder authenticated again.
#[derive(Debug, Clone)]
pub struct Rotation {
    /// The session to end.
    pub id: SessionId,
    /// SHA-256 of its new token.
    pub token_digest: [u8; 32],
    /// Until when the old token is valid for reading.
    pub previous_until: Timestamp,
    /// How strongly the holder was authenticated.
    pub assurance: Assurance,
    /// Authentication methods, separated by spaces.
    pub methods: String,
}

/// A link to send by mail.
#[derive(Debug, Clone)]
pub struct NewLink {
    /// SHA-256 of its token.
    pub token_digest: [u8; 32],
    /// Its purpose.
    pub purpose: AccountLink,
    /// The address concerned.
    pub email: String,
    /// The account concerned, if any.
    pub account: Option<AccountId>,
    /// The page that it follows, with alerts, where it registers an account.
    pub followed_url: Option<String>,
    /// Its expiry.
    pub expires_at: Timestamp,
}

/// The actor of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// The holder of this account, signed in.
    Account(AccountId),
    /// The operator of the server.
    Operator,
    /// Somebody not signed in.
    Nobody,
}

/// A security event of an account, by itself or in an organization.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// Its id, unique and sorted by time.
    pub id: String,
    /// The actor.
    pub actor: Actor,
    /// The account that it happened to.
    pub account: AccountId,
    /// The organization concerned, if any.
    pub organization: Option<OrganizationId>,
    /// Its kind, a stable word.
    pub kind: &'static str,
    /// The network's /24 or /48.
    pub network: String,
    /// The browser's family.
    pub agent: String,
}

/// One step of a change.
#[derive(Debug, Clone)]
pub enum Step {
    /// Stores a link.
    AddLink(NewLink),
    /// Uses a link; [`Refusal::Link`] when it was used, replaced, or has expired.
    UseLink([u8; 32], AccountLink),
    /// Invalidates the links of a purpose that an account was sent.
    DropLinks(AccountId, AccountLink),
    /// Makes an account; [`Refusal::Taken`] when its address has one.
    Register(NewAccount),
    /// Sets an account's password, a PHC string, and drops pending sign-in challenges.
    SetPassword(AccountId, String),
    /// Requires that an account's password still is this one, a PHC string, and that the account is active;
    /// [`Refusal::Stale`] otherwise.
    ExpectPassword(AccountId, String),
    /// Replaces the hash of the same password.
    Rehash(AccountId, String),
    /// Sets an account's address and its canonical form; [`Refusal::Taken`] when another account has it.
    SetEmail(AccountId, String, String),
    /// Sets the profile on top of a revision; [`Refusal::Stale`] when that is not the latest.
    SetProfile(AccountId, ProfileRecord),
    /// Suspends an account; [`Refusal::Stale`] unless it is active, so that a closed one keeps waiting for its removal.
    Suspend(AccountId),
    /// Reactivates an account that is suspended, or closed and not due for removal; [`Refusal::Stale`] otherwise.
    Restore(AccountId),
    /// Begins a session, and ends those past the limit.
    BeginSession(NewSession),
    /// Ends the session that its browser had before, if it is live.
    ReplaceSession(SessionId),
    /// Gives a session a new token; [`Refusal::Missing`] when it has ended.
    RotateSession(Rotation),
    /// Ends a session of an account; [`Refusal::Missing`] when it is not live.
    EndSession(AccountId, SessionId, EndReason),
    /// Ends all sessions of an account, except one if given.
    EndSessions(AccountId, Option<SessionId>, EndReason),
    /// Revokes all live keys of an account.
    RevokeKeys(AccountId),
    /// Adds a sign-in challenge, between the password and the second factor: token digest, account, browser digest,
    /// expiry.
    AddChallenge([u8; 32], AccountId, [u8; 32], Timestamp),
    /// Uses a sign-in challenge; [`Refusal::Challenge`] when it was used.
    UseChallenge([u8; 32]),
    /// Changes an account's second factor.
    Factor(AccountId, Factor),
    /// Changes an account's passkeys.
    Passkey(PasskeyStep),
    /// Resets a throttle: scope and key digest.
    ForgetFailures(&'static str, [u8; 32]),
    /// Records an event.
    Event(NewEvent),
}

/// A change of a second factor (TOTP, RFC 6238).
#[derive(Debug, Clone)]
pub enum Factor {
    /// Offers a secret, encrypted under a key; [`Refusal::Taken`] when there is a confirmed one.
    Offer(Vec<u8>, String),
    /// Confirms an offered secret with the code of a time step; [`Refusal::Taken`] when it is confirmed, or another was
    /// offered since.
    Confirm(Vec<u8>, i64),
    /// Uses the code of a time step; [`Refusal::Code`] when that or a later one was used.
    Use(i64),
    /// Removes the secret and its recovery codes; [`Refusal::Missing`] without one.
    Remove,
    /// Schedules a removal by an operator; [`Refusal::Missing`] without a secret.
    RemoveAfter(Timestamp),
    /// Deletes all recovery codes.
    DropRecoveryCodes,
    /// Adds a recovery code, as its digest.
    AddRecoveryCode([u8; 32]),
    /// Uses a recovery code; [`Refusal::Code`] when there is no such unused one.
    UseRecoveryCode([u8; 32]),
}

/// The profile of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileRecord {
    /// Their name; may be empty.
    pub name: String,
    /// Tag of the language for their mail.
    pub locale: String,
    /// Name of their time zone.
    pub time_zone: String,
    /// `system`, `light` or `dark`.
    pub theme: String,
    /// Grows with each change.
    pub revision: i64,
}

/// Records an event in the transaction of the change that caused it.
pub(crate) async fn note(transaction: &mut Transaction<'_>, event: NewEvent, now: Timestamp) -> Result<(), StoreError> {
    for (statement, _) in statements(Step::Event(event), now) {
        transaction.run(statement).await?;
    }
    Ok(())
}

/// Why steps were rolled back.
enum StepError {
    Store(StoreError),
    Refused(Refusal),
}

impl From<StoreError> for StepError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Store {
    /// Makes all of `steps`, in order, and queues `jobs`, or none of it.
    pub async fn change_account(
        &self,
        subject: &'static str,
        steps: Vec<Step>,
        jobs: Vec<NewJob>,
        now: Timestamp,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let done = self
            .db
            .transact(subject, move |transaction| {
                let (steps, jobs) = (steps.clone(), jobs.clone());
                Box::pin(async move {
                    for step in steps {
                        for (statement, refusal) in statements(step, now) {
                            let changed = transaction.run(statement).await?;
                            if let Some(refusal) = refusal.filter(|_| changed == 0) {
                                return Err(StepError::Refused(refusal));
                            }
                        }
                    }
                    for job in &jobs {
                        transaction.enqueue(job).await?;
                    }
                    Ok(())
                })
            })
            .await;
        match done {
            Ok(()) => Ok(Ok(())),
            Err(StepError::Refused(refusal)) => Ok(Err(refusal)),
            // Two changes to the same address at the same time.
            Err(StepError::Store(StoreError::Conflict { .. })) => Ok(Err(Refusal::Taken)),
            Err(StepError::Store(error)) => Err(error),
        }
    }
}

impl Actor {
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Account(_) => "account",
            Self::Operator => "operator",
            Self::Nobody => "nobody",
        }
    }

    fn id(self) -> Option<String> {
        match self {
            Self::Account(id) => Some(id.0),
            Self::Operator | Self::Nobody => None,
        }
    }
}

impl AccountLink {
    const ALL: [Self; 4] = [Self::Register, Self::Reset, Self::Change, Self::Undo];

    fn word(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::Reset => "reset",
            Self::Change => "change",
            Self::Undo => "undo",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.word() == word)
    }
}

impl EndReason {
    fn word(self) -> &'static str {
        match self {
            Self::SignedOut => "signed_out",
            Self::Replaced => "replaced",
            Self::TooMany => "too_many",
            Self::Password => "password",
            Self::Email => "email",
            Self::Operator => "operator",
        }
    }
}

impl AccountStatus {
    const ALL: [Self; 3] = [Self::Active, Self::Suspended, Self::Deleting];

    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Suspended => "suspended",
            Self::Deleting => "deleting",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }
}
