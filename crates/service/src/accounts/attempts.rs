//! Attempts at passwords and codes: each is counted as a failure before it is compared, so that parallel ones stay
//! within the limits too, and is taken back once it proves right.

use model::lang::text;
use store::{AccountRecord, Actor, Attempted, Throttle};

use super::change::AccountChange;
use super::unavailable::unavailable;
use crate::caller::Cx;
use crate::error::{Code, ServiceError};
use crate::vault::Vault;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 3_600_000;
/// Backoff for wrong passwords and codes of one account: after 10 failures, locks of 1, 2, 4 … 60 minutes.
pub(super) const OF_ACCOUNT: Throttle =
    Throttle { scope: "account", free: 10, window_ms: 24 * HOUR_MS, first_wait_ms: MINUTE_MS, last_wait_ms: HOUR_MS };
/// Rate limit for wrong passwords and codes of one network: 30 per hour.
const OF_NETWORK: Throttle =
    Throttle { scope: "network", free: 30, window_ms: HOUR_MS, first_wait_ms: HOUR_MS, last_wait_ms: HOUR_MS };

/// An attempt that may be compared. It counts as a failure of its network and its account unless it is taken back.
#[derive(Debug)]
#[must_use]
pub(crate) struct Attempt {
    network: [u8; 32],
    account: [u8; 32],
    /// Failures of the account, this one included.
    failures: u32,
}

impl Attempt {
    /// Counts an attempt at the account of `key`; `None` while the account is locked, which counts nothing.
    /// [`Code::RateLimited`] while the network is over its rate limit.
    pub(crate) async fn begin(cx: &Cx, key: [u8; 32]) -> Result<Option<Self>, ServiceError> {
        let (network, now) = (network_key(cx)?, cx.services.ports().now());
        let counters = [(OF_NETWORK, network), (OF_ACCOUNT, key)];
        let attempted = cx.services.database().write(|store| store.begin_attempt(counters, now)).await;
        match attempted.map_err(unavailable)? {
            Attempted::Counted([_, failures]) => Ok(Some(Self { network, account: key, failures })),
            Attempted::Blocked { scope, until } if scope == OF_NETWORK.scope => {
                Err(rate_limited(until.0.saturating_sub(now.0)))
            }
            Attempted::Blocked { .. } => Ok(None),
        }
    }

    /// Ends the attempt: a wrong one stays counted, any other is taken back, because it was right or came to nothing.
    pub(crate) async fn end(
        self,
        cx: &Cx,
        account: Option<&AccountRecord>,
        is_wrong: bool,
    ) -> Result<(), ServiceError> {
        if is_wrong {
            return self.failed(cx, account).await;
        }
        self.take_back(cx).await;
        Ok(())
    }

    /// Takes the attempt back. If that fails it stays counted.
    async fn take_back(self, cx: &Cx) {
        let counters = [(OF_NETWORK, self.network), (OF_ACCOUNT, self.account)];
        if cx.services.database().insist(|store| store.take_back_attempt(counters)).await.is_err() {
            tracing::warn!("a correct password or code is still counted as a failed attempt");
        }
    }

    /// Leaves the attempt counted: it was wrong. When this locks the account, its owner gets a notice, at most once a
    /// day.
    async fn failed(self, cx: &Cx, account: Option<&AccountRecord>) -> Result<(), ServiceError> {
        let Some(account) = account.filter(|_| self.failures == OF_ACCOUNT.free) else { return Ok(()) };
        let what = text(
            "Ten failed sign-in attempts on your account; new attempts are limited for now",
            "Dez tentativas de acesso falharam na sua conta; novas tentativas estão limitadas por ora",
        );
        let change = AccountChange::default().event_by(cx, Actor::Nobody, &account.id, "sign_in_throttled");
        Ok(change.notice(cx, account, what).make(cx, "telling of wrong passwords").await??)
    }
}

/// [`Code::RateLimited`] while the caller's network is over the rate limit for wrong passwords.
pub(crate) async fn check_network(cx: &Cx) -> Result<(), ServiceError> {
    let (key, now) = (network_key(cx)?, cx.services.ports().now());
    let until =
        cx.services.database().ask(|store| store.blocked_until(OF_NETWORK, &key, now)).await.map_err(unavailable)?;
    until.map_or(Ok(()), |until| Err(rate_limited(until.0.saturating_sub(now.0))))
}

/// The key of an account's failure counter.
pub(crate) fn failures_key(vault: &Vault, account: &AccountRecord) -> Result<[u8; 32], ServiceError> {
    Ok(vault.keys()?.blind(&account.email.to_lowercase()))
}

fn network_key(cx: &Cx) -> Result<[u8; 32], ServiceError> {
    Ok(cx.services.vault().keys()?.blind(&cx.caller.network.to_string()))
}

fn rate_limited(wait_ms: i64) -> ServiceError {
    let seconds = wait_ms.max(1).unsigned_abs().div_ceil(1000);
    ServiceError::new(Code::RateLimited).retry_after(u32::try_from(seconds).unwrap_or(u32::MAX))
}
