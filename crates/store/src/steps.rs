//! Changes of accounts: steps that are kept together or not at all.
//!
//! A step is one statement. Where it finds nothing to change although it must, all steps are undone and the step's
//! refusal is the answer; so one-time things are used exactly once, however many try at the same moment.

mod statements;

use model::account::Assurance;
use model::id::{AccountId, OrganizationId, SessionId};
use model::time::Timestamp;

use crate::passkeys::PasskeyStep;
use crate::transaction::Transaction;
use crate::{NewJob, Store, StoreError};
use statements::statements;

/// Why a change was not made. Nothing of it was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The link was used, replaced, or is too old.
    Link,
    /// The address has an account, or the account has what it was to be given.
    Taken,
    /// The challenge was used or is too old.
    Challenge,
    /// The code was used, or a later one was.
    Code,
    /// Somebody else changed it meanwhile.
    Stale,
    /// There is no such thing of this account's.
    Missing,
}

/// What a link that was sent by mail is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountLink {
    /// Making an account for the address.
    Register,
    /// A new password.
    Reset,
    /// Making the address the account's.
    Change,
    /// Taking the address before back.
    Undo,
}

/// Why a session was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// Its holder signed out, here or from another session.
    SignedOut,
    /// Its browser signed in again.
    Replaced,
    /// The account had too many.
    TooMany,
    /// The password was changed or set anew.
    Password,
    /// The address was taken back.
    Email,
    /// An operator ended it.
    Operator,
}

/// How an account stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountStatus {
    /// It can be used.
    Active,
    /// An operator stopped it.
    Suspended,
    /// Its owner asked for its end.
    Deleting,
}

/// An account to make.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// Its id, unique.
    pub id: AccountId,
    /// Its verified address.
    pub email: String,
    /// The address as addresses are compared.
    pub email_canonical: String,
    /// What its owner is called; may be empty.
    pub name: String,
    /// Tag of the language for its mail.
    pub locale: String,
    /// PHC string.
    pub password: String,
}

/// A session to keep.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Its id, unique.
    pub id: SessionId,
    /// SHA-256 of its token.
    pub token_digest: [u8; 32],
    /// Whose it is.
    pub account: AccountId,
    /// How surely it is they.
    pub assurance: Assurance,
    /// How they signed in, separated by spaces.
    pub methods: String,
    /// When it ends unless it is seen before.
    pub idle_expires_at: Timestamp,
    /// When it ends at the latest.
    pub absolute_expires_at: Timestamp,
    /// The browser's family.
    pub agent: String,
    /// The network's /24 or /48.
    pub network: String,
}

/// A new token for a session whose holder proved again who they are.
#[derive(Debug, Clone)]
pub struct Rotation {
    /// Which session.
    pub id: SessionId,
    /// SHA-256 of its new token.
    pub token_digest: [u8; 32],
    /// Until when the old token is good for reading.
    pub previous_until: Timestamp,
    /// How surely it is they.
    pub assurance: Assurance,
    /// How they signed in, separated by spaces.
    pub methods: String,
}

/// A link to be sent by mail.
#[derive(Debug, Clone)]
pub struct NewLink {
    /// SHA-256 of its token.
    pub token_digest: [u8; 32],
    /// What it is for.
    pub purpose: AccountLink,
    /// The address that it is about.
    pub email: String,
    /// Whose account it is about, if there is one.
    pub account: Option<AccountId>,
    /// Until when it is good.
    pub expires_at: Timestamp,
}

/// Who did something to an account or an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// Who was signed in to this account.
    Account(AccountId),
    /// Who runs the server.
    Operator,
    /// Somebody who was not signed in.
    Nobody,
}

/// Something that happened to an account, by itself or in an organization.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// Its id, unique and sorted by time.
    pub id: String,
    /// Who did it.
    pub actor: Actor,
    /// To whom.
    pub account: AccountId,
    /// The organization that it was about, if it was about one.
    pub organization: Option<OrganizationId>,
    /// What, a stable word.
    pub kind: &'static str,
    /// The network's /24 or /48.
    pub network: String,
    /// The browser's family.
    pub agent: String,
}

/// One step of a change.
#[derive(Debug, Clone)]
pub enum Step {
    /// Keeps a link.
    AddLink(NewLink),
    /// Uses a link; [`Refusal::Link`] when it can't be.
    UseLink([u8; 32], AccountLink),
    /// Ends the links of a purpose that an account was sent.
    DropLinks(AccountId, AccountLink),
    /// Makes an account; [`Refusal::Taken`] when its address has one.
    Register(NewAccount),
    /// Sets an account's password, a PHC string; who is between a right old one and the second factor begins anew.
    SetPassword(AccountId, String),
    /// Asks that an account's password is this one still, a PHC string; [`Refusal::Stale`] when it is not, or nobody can
    /// sign in.
    ExpectPassword(AccountId, String),
    /// Replaces the hash of the same password.
    Rehash(AccountId, String),
    /// Sets an account's address, as it is and as it is compared; [`Refusal::Taken`] when it is another's.
    SetEmail(AccountId, String, String),
    /// Sets what its owner may say of themselves, on top of a revision; [`Refusal::Stale`] when that is not the last.
    SetProfile(AccountId, ProfileRecord),
    /// Stops an account; [`Refusal::Stale`] unless it is active, so that none escapes the removal it waits for.
    Suspend(AccountId),
    /// Makes an account active again that is suspended, or closed and not due for removal; [`Refusal::Stale`] otherwise.
    Restore(AccountId),
    /// Begins a session, and ends those that are too many.
    BeginSession(NewSession),
    /// Ends the session that its browser had before, if it still lives.
    ReplaceSession(SessionId),
    /// Gives a session a new token; [`Refusal::Missing`] when it has ended.
    RotateSession(Rotation),
    /// Ends a session of an account; [`Refusal::Missing`] when there is no such live one.
    EndSession(AccountId, SessionId, EndReason),
    /// Ends all sessions of an account, but perhaps one.
    EndSessions(AccountId, Option<SessionId>, EndReason),
    /// Revokes all live keys of an account.
    RevokeKeys(AccountId),
    /// Begins the time between a right password and the second factor: token, account, browser, end.
    AddChallenge([u8; 32], AccountId, [u8; 32], Timestamp),
    /// Ends it; [`Refusal::Challenge`] when it has been.
    UseChallenge([u8; 32]),
    /// Changes an account's second factor.
    Factor(AccountId, Factor),
    /// Changes an account's passkeys.
    Passkey(PasskeyStep),
    /// Forgets failed tries.
    ForgetFailures(&'static str, [u8; 32]),
    /// Notes what happened.
    Event(NewEvent),
}

/// One step of a change of a second factor.
#[derive(Debug, Clone)]
pub enum Factor {
    /// Offers a secret, encrypted under a key; [`Refusal::Taken`] when there is a confirmed one.
    Offer(Vec<u8>, String),
    /// Confirms a secret, as it was offered, with the code of a time step; [`Refusal::Taken`] when it is, or another was
    /// offered since.
    Confirm(Vec<u8>, i64),
    /// Uses the code of a time step; [`Refusal::Code`] when that or a later one was used.
    Use(i64),
    /// Takes the secret and its recovery codes away; [`Refusal::Missing`] without one.
    Remove,
    /// Lets an operator's removal begin to run; [`Refusal::Missing`] without a secret.
    RemoveAfter(Timestamp),
    /// Ends all recovery codes.
    DropRecoveryCodes,
    /// Keeps a recovery code.
    AddRecoveryCode([u8; 32]),
    /// Uses a recovery code; [`Refusal::Code`] when there is no such unused one.
    UseRecoveryCode([u8; 32]),
}

/// What an account's owner may say of themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileRecord {
    /// What they are called; may be empty.
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

/// Notes what happened together with what made it happen.
pub(crate) async fn note(transaction: &mut Transaction<'_>, event: NewEvent, now: Timestamp) -> Result<(), StoreError> {
    for (statement, _) in statements(Step::Event(event), now) {
        transaction.run(statement).await?;
    }
    Ok(())
}

enum Undone {
    Store(StoreError),
    Refused(Refusal),
}

impl From<StoreError> for Undone {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Store {
    /// Takes all of `steps`, in order, and queues `jobs`, or none of it.
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
                                return Err(Undone::Refused(refusal));
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
            Err(Undone::Refused(refusal)) => Ok(Err(refusal)),
            // Two who took the same address at the same moment.
            Err(Undone::Store(StoreError::Conflict { .. })) => Ok(Err(Refusal::Taken)),
            Err(Undone::Store(error)) => Err(error),
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
