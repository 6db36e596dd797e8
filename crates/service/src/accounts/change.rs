//! Account changes: their steps, the security event recorded with each, and the mail that announces it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::id::AccountId;
use model::lang::{Lang, Text};
use store::{AccountRecord, Actor, NewEvent, NewJob, Refusal, Step};

use super::unavailable::unavailable;
use crate::caller::Cx;
use crate::credential::token_digest;
use crate::error::{Code, ServiceError};
use crate::job::Job;
use crate::ports::Ports;
use render::mail::letters::{self, Letter};

/// A one-time secret that is shown once, in a link or a cookie, and stored as a digest.
#[derive(Clone)]
pub struct OneTimeToken {
    /// 32 random bytes in base64url.
    pub text: String,
    /// SHA-256 of the text; this is what the database stores.
    pub digest: [u8; 32],
}

impl OneTimeToken {
    /// A new random token.
    pub fn new(ports: &Ports) -> Self {
        let text = URL_SAFE_NO_PAD.encode(ports.entropy.bytes());
        Self { digest: token_digest(&text), text }
    }
}

impl std::fmt::Debug for OneTimeToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// A change to an account, being put together.
#[derive(Debug, Default)]
pub(crate) struct AccountChange {
    steps: Vec<Step>,
    jobs: Vec<NewJob>,
}

impl AccountChange {
    /// A change of these steps.
    pub(crate) fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self { steps: steps.into_iter().collect(), jobs: Vec::new() }
    }

    /// With one more step.
    #[must_use]
    pub(crate) fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// With more steps.
    #[must_use]
    pub(crate) fn steps(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.steps.extend(steps);
        self
    }

    /// With a security event of the account's owner.
    #[must_use]
    pub(crate) fn event(self, cx: &Cx, account: &AccountId, kind: &'static str) -> Self {
        self.step(Step::Event(own_event(cx, account, kind)))
    }

    /// With a security event of another actor.
    #[must_use]
    pub(crate) fn event_by(self, cx: &Cx, actor: Actor, account: &AccountId, kind: &'static str) -> Self {
        self.step(Step::Event(event(cx, actor, account, kind)))
    }

    /// With a mail to an address. While no mail server is configured, it stays in the queue.
    #[must_use]
    pub(crate) fn letter(mut self, cx: &Cx, letter: &Letter, to: &str, lang: Lang) -> Self {
        self.jobs.push(Job::SendMail(letter.to(to, lang)).queued(cx.services.ports(), None));
        self
    }

    /// With a job.
    #[must_use]
    pub(crate) fn job(mut self, job: NewJob) -> Self {
        self.jobs.push(job);
        self
    }

    /// With a notice of what happened, by mail to the account's owner.
    #[must_use]
    pub(crate) fn notice(self, cx: &Cx, account: &AccountRecord, what: Text) -> Self {
        self.letter(cx, &letters::notice(&cx.services.sender(), what), &account.email, language(account))
    }

    /// Applies all of the change in one transaction, or none of it.
    pub(crate) async fn make(self, cx: &Cx, subject: &'static str) -> Result<Result<(), Refusal>, ServiceError> {
        let (Self { steps, jobs }, now) = (self, cx.services.ports().now());
        cx.services.database().write(|store| store.change_account(subject, steps, jobs, now)).await.map_err(unavailable)
    }
}

/// A security event that the account's owner caused.
pub(crate) fn own_event(cx: &Cx, account: &AccountId, kind: &'static str) -> NewEvent {
    event(cx, Actor::Account(account.clone()), account, kind)
}

/// A security event on an account.
pub(super) fn event(cx: &Cx, actor: Actor, account: &AccountId, kind: &'static str) -> NewEvent {
    NewEvent {
        id: cx.services.ports().id(),
        actor,
        account: account.clone(),
        organization: None,
        kind,
        network: cx.caller.network.wide(),
        agent: cx.caller.agent.to_owned(),
    }
}

/// The language of an account's mail.
pub(super) fn language(account: &AccountRecord) -> Lang {
    Lang::from_tag(&account.profile.locale).unwrap_or_default()
}

impl From<Refusal> for ServiceError {
    fn from(refusal: Refusal) -> Self {
        Self::new(match refusal {
            Refusal::Link => Code::InvalidLink,
            Refusal::Taken => Code::AlreadyDone,
            Refusal::Challenge => Code::InvalidChallenge,
            Refusal::Code => Code::InvalidCode,
            Refusal::Stale => Code::RevisionConflict,
            Refusal::Missing => Code::NotFound,
        })
    }
}
