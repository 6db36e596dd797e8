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

#[cfg(test)]
mod tests {
    use store::JobState;

    use super::*;
    use crate::caller::Caller;
    use crate::testing::{TestService, network, service_on};

    /// Security events of an account, and mails that wait.
    async fn told(test: &TestService, account: &AccountRecord) -> (Vec<String>, usize) {
        let store = test.services.database().store();
        let events = store.events_of(&account.id).await.unwrap();
        let mails = store.jobs(JobState::Waiting, 10).await.unwrap();
        (events.into_iter().map(|event| event.kind).collect(), mails.len())
    }

    #[tokio::test]
    async fn ten_wrong_attempts_lock_an_account_and_its_owner_is_told_once() {
        let test = service_on(|_| {}).await;
        let (cx, account) = (test.nobody(), test.account("maria@example.com").await);
        let key = failures_key(test.services.vault(), &account).unwrap();
        let begin = || async { Attempt::begin(&cx, key).await.unwrap() };
        for _ in 0..9 {
            begin().await.unwrap().end(&cx, Some(&account), true).await.unwrap();
        }
        // The tenth is right, so that it counts for nothing.
        begin().await.unwrap().end(&cx, Some(&account), false).await.unwrap();
        assert_eq!(told(&test, &account).await, (Vec::new(), 0));
        begin().await.unwrap().end(&cx, Some(&account), true).await.unwrap();
        assert_eq!(told(&test, &account).await, (vec!["sign_in_throttled".to_owned()], 1));
        // One minute, then two.
        for wait_ms in [60_000, 120_000] {
            assert!(begin().await.is_none());
            test.clock.pass(wait_ms - 1);
            assert!(begin().await.is_none());
            test.clock.pass(1);
            begin().await.unwrap().end(&cx, Some(&account), true).await.unwrap();
        }
        assert_eq!(told(&test, &account).await.1, 1);
    }

    #[tokio::test]
    async fn thirty_wrong_attempts_lock_a_network_out_for_an_hour() {
        let test = service_on(|_| {}).await;
        let (cx, other) = (test.nobody(), test.cx(Caller::unknown(network(8), "test")));
        let refused = |error: ServiceError| (error.code, error.retry_after);
        for n in 0..30 {
            check_network(&cx).await.unwrap();
            // Of many accounts, none of which is locked.
            Attempt::begin(&cx, [n; 32]).await.unwrap().unwrap().end(&cx, None, true).await.unwrap();
        }
        for (retry_after, wait_ms) in [(3_600, 3_599_999), (1, 1)] {
            let error = check_network(&cx).await.map_err(refused);
            assert_eq!(error, Err((Code::RateLimited, Some(retry_after))));
            let error = Attempt::begin(&cx, [99; 32]).await.map(drop).map_err(refused);
            assert_eq!(error, Err((Code::RateLimited, Some(retry_after))));
            test.clock.pass(wait_ms);
        }
        check_network(&cx).await.unwrap();
        // The hour in which failures are counted is over too.
        Attempt::begin(&cx, [0; 32]).await.unwrap().unwrap().end(&cx, None, true).await.unwrap();
        check_network(&cx).await.unwrap();
        check_network(&other).await.unwrap();
    }

    #[tokio::test]
    async fn failures_are_counted_by_address_whatever_its_case() {
        let test = service_on(|_| {}).await;
        let key = |account: &AccountRecord| failures_key(test.services.vault(), account).unwrap();
        let (maria, ana) = (test.account("maria@example.com").await, test.account("ana@example.com").await);
        let shouting = AccountRecord { email: "MARIA@example.com".to_owned(), ..maria.clone() };
        assert_eq!(key(&maria), key(&shouting));
        assert_ne!(key(&maria), key(&ana));
    }
}
