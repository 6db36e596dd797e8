//! Human verification: challenges for browsers that spend the free allowance on our own pages, and the pass that a browser
//! gets for a solved one. Calls of the API, accounts, credit and payments never meet it.

mod pass;
mod proof_of_work;
mod siteverify;

use model::lang::{Text, text};
use model::time::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::caller::{Cx, Identity, Unverified};
use crate::config::{ChallengeProvider, Sku};
use crate::database::DatabaseError;
use crate::error::{BrowserPass, Code, ServiceError};
use crate::services::Services;

pub use proof_of_work::{MOST_NUMBER, ProofOfWork};
use proof_of_work::{Solved, Unsolved};
use siteverify::TokenVerdict;

/// How long a challenge can be solved, in milliseconds: ten minutes.
const CHALLENGE_MS: i64 = 600_000;
/// How long a used challenge is kept, in milliseconds: as long again as it is good, for servers whose clocks differ.
const USED_MS: i64 = 2 * CHALLENGE_MS;
/// How long a browser goes on without verification while nobody can verify it, in seconds. Chosen: as long as a challenge is good.
const WITHOUT_SECONDS: u32 = 600;
/// Rate limits: challenges made, and answers checked, per network and hour. Chosen: far more than people need; an answer costs a
/// row for a while, or a call of the verification service.
const PER_HOUR: u32 = 120;

/// Verification as it applies to a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationState {
    /// Whether verification is configured.
    pub is_configured: bool,
    /// Until when the caller's browser is verified.
    pub verified_until: Option<Timestamp>,
    /// Whether the caller's next free audit needs it.
    pub is_needed: bool,
    /// Public key for the widget of the verification service.
    pub sitekey: Option<String>,
}

/// How verification applies to a caller. Asks nobody.
pub fn standing(cx: &Cx) -> VerificationState {
    let settings = &cx.services.config().challenge;
    let is_configured = settings.provider != ChallengeProvider::Off;
    let verified_until = if is_configured { verified_until(cx) } else { None };
    let is_free_for_now = cx.services.config().free_now.contains(&Sku::Audit);
    let may_be_asked = cx.caller.is_page && is_signed_out(&cx.caller.identity) && !is_free_for_now;
    VerificationState {
        is_configured,
        verified_until,
        is_needed: is_configured && verified_until.is_none() && may_be_asked,
        sitekey: settings.sitekey.clone().filter(|_| settings.provider == ChallengeProvider::Siteverify),
    }
}

/// Whether no account is behind a call, so that its free audits are the network's.
fn is_signed_out(identity: &Identity) -> bool {
    match identity {
        Identity::Nobody | Identity::Guest(_) | Identity::Unverified(Unverified::Guest) => true,
        Identity::Session(_) | Identity::Key(_) | Identity::Unverified(Unverified::Account) => false,
    }
}

fn verified_until(cx: &Cx) -> Option<Timestamp> {
    let (keys, now) = (cx.services.vault().keys().ok()?, cx.services.ports().now());
    pass::verified_until(keys, cx.caller.network, now, cx.caller.verified.as_deref()?)
}

/// Makes a challenge; [`Code::NotFound`] where this server makes none.
pub async fn make(cx: &Cx) -> Result<ProofOfWork, ServiceError> {
    const OTHER: Text = text(
        "this server does not use proof of work (challenge.provider is not altcha)",
        "este servidor não usa prova de trabalho (challenge.provider não é altcha)",
    );
    if cx.services.config().challenge.provider != ChallengeProvider::Altcha {
        return Err(ServiceError::new(Code::NotFound).explained(OTHER.into()));
    }
    spend(cx, "challenges").await?;
    let (keys, ports) = (cx.services.vault().keys()?, cx.services.ports());
    Ok(ProofOfWork::new(keys, ports.now().plus_ms(CHALLENGE_MS), ports.entropy.bytes()))
}

/// Checks the answer to a challenge: the solution in ALTCHA's format, or the token of the verification service. The pass of
/// the browser; [`Code::ChallengeFailed`], [`Code::ChallengeUsed`], or [`Code::ChallengeUnavailable`] with a short pass when
/// nobody can tell, so that the audit goes on without verification.
pub async fn verify(cx: &Cx, answer: &str) -> Result<BrowserPass, ServiceError> {
    const OFF: Text = text(
        "verification is off on this server (challenge.provider)",
        "a verificação está desativada neste servidor (challenge.provider)",
    );
    let services = &cx.services;
    let provider = services.config().challenge.provider;
    if provider == ChallengeProvider::Off {
        return Err(ServiceError::new(Code::NotFound).explained(OFF.into()));
    }
    spend(cx, "challenge answers").await?;
    let now = services.ports().now();
    let digest = match provider {
        ChallengeProvider::Siteverify => match siteverify::verdict(services, answer).await {
            TokenVerdict::Passed => Sha256::digest(answer).into(),
            TokenVerdict::Failed => return Err(ServiceError::new(Code::ChallengeFailed)),
            TokenVerdict::None(why) => return Err(unavailable(cx, why)?),
        },
        ChallengeProvider::Altcha | ChallengeProvider::Off => solved(services, answer, now)?.digest,
    };
    let used = services.database().write(|store| store.use_challenge(&digest, now.plus_ms(USED_MS))).await;
    match used {
        Ok(true) => pass(cx, services.config().challenge.valid_hours.saturating_mul(3600)),
        Ok(false) => Err(ServiceError::new(Code::ChallengeUsed)),
        Err(DatabaseError::Down) => Err(unavailable(cx, "database")?),
        Err(error) => Err(error.into()),
    }
}

fn solved(services: &Services, answer: &str, now: Timestamp) -> Result<Solved, ServiceError> {
    const EXPIRED: Text =
        text("expired: a challenge is valid for ten minutes", "expired: um desafio vale por dez minutos");
    proof_of_work::check(services.vault().keys()?, now, answer).map_err(|unsolved| {
        let failed = ServiceError::new(Code::ChallengeFailed);
        match unsolved {
            Unsolved::Expired => failed.explained(EXPIRED.into()),
            Unsolved::Wrong => failed,
        }
    })
}

/// The error while nobody can verify: logged, and with a pass for the time being.
fn unavailable(cx: &Cx, why: &'static str) -> Result<ServiceError, ServiceError> {
    tracing::warn!(why, "human verification is unavailable; free audits continue without it");
    Ok(ServiceError::new(Code::ChallengeUnavailable).with_pass(pass(cx, WITHOUT_SECONDS)?))
}

fn pass(cx: &Cx, seconds: u32) -> Result<BrowserPass, ServiceError> {
    let until = cx.services.ports().now().plus_ms(i64::from(seconds) * 1000);
    let value = pass::new(cx.services.vault().keys()?, cx.caller.network, until);
    Ok(BrowserPass { value, seconds, until: until.seconds() })
}

async fn spend(cx: &Cx, what: &str) -> Result<(), ServiceError> {
    let services = &cx.services;
    let allowance = services.allowance();
    allowance.spend_hourly(services.database(), services.ports(), cx.caller.network, what, PER_HOUR).await
}
