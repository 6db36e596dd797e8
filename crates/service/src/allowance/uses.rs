//! Rate limits per network: uses of something in an hour or a day, and lock-out after refused addresses.

use store::{DailySpend, HourlySpend};

use super::keys::{CounterKeys, Salt, key};
use super::local::LocalCounters;
use crate::config::LimitSettings;
use crate::database::{Database, DatabaseError};
use crate::error::{Code, ServiceError};
use crate::network::{Network, WIDE};
use crate::ports::Ports;
use model::time::Day;

/// Divisor of the limits that one process grants by itself while the database is down.
const LOCAL_PART: u32 = 4;

/// Counters per network: allowance and rate limits.
#[derive(Debug)]
pub struct Allowance {
    pub(super) limits: LimitSettings,
    pub(super) salt: Salt,
    pub(super) local: LocalCounters,
}

impl Allowance {
    /// Counters with nothing spent.
    pub fn new(limits: LimitSettings) -> Self {
        Self { limits, salt: Salt::default(), local: LocalCounters::default() }
    }

    /// Today (UTC), and the counter keys of a network for it.
    async fn keys_of_today(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
    ) -> Result<(Day, CounterKeys), DatabaseError> {
        let day = ports.now().day();
        Ok((day, CounterKeys::of(&self.salt.of(database, ports, day).await?, network)))
    }

    /// Today (UTC), with the counter keys of a network and of the wider one around it, for free audits that are spent later
    /// and count as today's.
    pub(crate) async fn day_keys(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
    ) -> Result<((String, String), Day), ServiceError> {
        let (day, keys) = self.keys_of_today(database, ports, network).await?;
        Ok(((keys.network, keys.wide), day))
    }

    /// The counter key of the wider network around a network, for today; and the one that it had `back_ms` ago, where that
    /// was yesterday and the salt of that day is still there.
    pub(crate) async fn wide_keys(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        back_ms: i64,
    ) -> Result<(String, Option<String>), DatabaseError> {
        let (today, keys) = self.keys_of_today(database, ports, network).await?;
        let earlier = ports.now().plus_ms(-back_ms).day();
        if earlier == today {
            return Ok((keys.wide, None));
        }
        let salt = database.ask(|store| store.salt_of(earlier)).await?;
        Ok((keys.wide, salt.map(|salt| CounterKeys::of(&salt, network).wide)))
    }

    /// Whether a network, and the wider network around it, has a daily use of `what` left. Only the database counts
    /// these.
    pub(crate) async fn has_left_of_day(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        what: &str,
        per_day: u32,
    ) -> Result<bool, ServiceError> {
        let (day, keys) = self.keys_of_today(database, ports, network).await?;
        let (used, wide_used) = tokio::join!(
            database.ask(|store| store.daily_used(&keys.network, what, day)),
            database.ask(|store| store.daily_used(&keys.wide, what, day)),
        );
        Ok(used? < per_day && wide_used? < per_day.saturating_mul(WIDE))
    }

    /// Spends one daily use; `false` when none is left.
    pub(crate) async fn spend_daily(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        what: &str,
        per_day: u32,
    ) -> Result<bool, ServiceError> {
        let (day, keys) = self.keys_of_today(database, ports, network).await?;
        if database.write(|store| store.spend_daily(&keys.network, what, day, per_day)).await? == DailySpend::Exhausted
        {
            return Ok(false);
        }
        let wide_per_day = per_day.saturating_mul(WIDE);
        let wide = database.write(|store| store.spend_daily(&keys.wide, what, day, wide_per_day)).await;
        if matches!(wide, Ok(DailySpend::Granted { .. })) {
            return Ok(true);
        }
        give_back_daily(database, &keys.network, what, day).await;
        wide.map(|_| false).map_err(ServiceError::from)
    }

    /// Releases one daily use.
    pub(crate) async fn release_daily(&self, database: &Database, ports: &Ports, network: Network, what: &str) {
        match self.keys_of_today(database, ports, network).await {
            Ok((day, keys)) => {
                tokio::join!(
                    give_back_daily(database, &keys.network, what, day),
                    give_back_daily(database, &keys.wide, what, day),
                );
            }
            Err(_) => tracing::warn!(what, "a free audit could not be returned to the daily allowance"),
        }
    }

    /// Spends one of a network's hourly uses of `what`. While the database is down, this process grants a part of
    /// them.
    pub async fn spend_hourly(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        what: &str,
        per_hour: u32,
    ) -> Result<(), ServiceError> {
        self.spend_hourly_of(database, ports, &network.to_string(), what, per_hour).await
    }

    /// Spends one hourly use of the network and one of the wider network, for what costs us more than a row of the
    /// caller's own.
    pub(crate) async fn spend_hourly_widely(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        what: &str,
        per_hour: u32,
    ) -> Result<(), ServiceError> {
        self.spend_hourly(database, ports, network, what, per_hour).await?;
        // The network's own use is not released: while the wider network has none left, it is of no value.
        self.spend_hourly_of(database, ports, &network.wide(), what, per_hour.saturating_mul(WIDE)).await
    }

    /// [`Code::RateLimited`] where [`Self::spend_hourly_widely`] would refuse. Nothing is spent.
    pub(crate) async fn check_hourly_widely(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        what: &str,
        per_hour: u32,
    ) -> Result<(), ServiceError> {
        let now = ports.now();
        let salt = self.salt.of(database, ports, now.day()).await?;
        let (bucket, wide) = (bucket(&salt, &network.to_string(), what), bucket(&salt, &network.wide(), what));
        let (wait, wide_wait) = tokio::join!(
            database.ask(|store| store.hourly_wait(&bucket, now, per_hour)),
            database.ask(|store| store.hourly_wait(&wide, now, per_hour.saturating_mul(WIDE))),
        );
        refused_for(wait?.max(wide_wait?))
    }

    /// Spends one hourly use of `what` by `who`, a network.
    async fn spend_hourly_of(
        &self,
        database: &Database,
        ports: &Ports,
        who: &str,
        what: &str,
        per_hour: u32,
    ) -> Result<(), ServiceError> {
        let now = ports.now();
        let stored = async {
            let salt = self.salt.of(database, ports, now.day()).await?;
            let bucket = bucket(&salt, who, what);
            database.write(|store| store.spend_hourly(&bucket, now, per_hour)).await
        };
        let refused = |seconds| ServiceError::new(Code::RateLimited).retry_after(seconds);
        match stored.await {
            Ok(HourlySpend::Granted) => Ok(()),
            Ok(HourlySpend::Refused { retry_after_s }) => Err(refused(retry_after_s)),
            Err(DatabaseError::Down | DatabaseError::Full) => {
                self.local.spend_hourly(&format!("{what}:{who}"), now, part(per_hour)).map_err(refused)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The bucket of a network's hourly uses of `what`, for one that is spent in a transaction with what it is for.
    pub(crate) async fn hourly_bucket(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        what: &str,
    ) -> Result<String, ServiceError> {
        let salt = self.salt.of(database, ports, ports.now().day()).await?;
        Ok(bucket(&salt, &network.to_string(), what))
    }

    /// Counts a refused target address. Over the rate limit, the network's audits are locked out for a while, in this
    /// process and without a query.
    pub async fn count_refusal(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
    ) -> Result<(), ServiceError> {
        let counted = self.spend_hourly(database, ports, network, "refused", self.limits.refused_per_hour).await;
        if let Err(error) = &counted
            && let Some(seconds) = error.retry_after
        {
            self.local.lock_out(network, ports.now(), seconds);
        }
        counted
    }

    /// [`Code::RateLimited`] while a network is locked out after too many refused addresses.
    pub fn check_refusals(&self, ports: &Ports, network: Network) -> Result<(), ServiceError> {
        match self.local.locked_out(network, ports.now()) {
            Some(seconds) => Err(ServiceError::new(Code::RateLimited).retry_after(seconds)),
            None => Ok(()),
        }
    }
}

/// The bucket of the hourly uses of `what` by `who`, a network.
fn bucket(salt: &[u8; 32], who: &str, what: &str) -> String {
    format!("{what}:{}", key(salt, &format!("{what} {who}")))
}

/// [`Code::RateLimited`] where there are seconds to wait.
pub(super) fn refused_for(wait: Option<u32>) -> Result<(), ServiceError> {
    wait.map_or(Ok(()), |seconds| Err(ServiceError::new(Code::RateLimited).retry_after(seconds)))
}

/// Releases one daily use; one that fails stays spent, and is logged.
async fn give_back_daily(database: &Database, key: &str, what: &str, day: Day) {
    if database.insist(|store| store.release_daily(key, what, day)).await.is_err() {
        tracing::warn!(what, "a free audit could not be returned to the daily allowance");
    }
}

/// The part of a limit that this process grants by itself; at least one, unless the limit is zero.
pub(super) fn part(limit: u32) -> u32 {
    if limit == 0 { 0 } else { (limit / LOCAL_PART).max(1) }
}
