//! The allowance of free audits a day, and the rate limit of audits an hour, free or paid.

use model::time::{Day, Timestamp};
use store::{DailySpend, HourlySpend};

use super::keys::CounterKeys;
use super::uses::{Allowance, part, refused_for};
use crate::database::{Database, DatabaseError};
use crate::error::{Code, ServiceError};
use crate::network::{Network, WIDE};
use crate::ports::Ports;

/// The daily counter of free audits.
const FREE_AUDIT: &str = "audit";

/// A spent audit, to be released when it fails. When dropped it stays spent: the work for a caller who disconnected
/// was done.
#[derive(Debug)]
#[must_use]
pub struct Spent {
    counted: CountedIn,
    network: Network,
    day: Day,
    /// Whether a free audit was spent; otherwise the audit is paid, or let through.
    pub free: bool,
    /// Free audits left today; `None` while audits are free for now and none is counted.
    pub free_remaining: Option<u32>,
}

/// Where a use was counted.
#[derive(Debug)]
enum CountedIn {
    /// In the database, under these keys.
    Stored(CounterKeys),
    /// In this process.
    Local,
}

/// Which counters granted a use.
#[derive(Debug, Clone, Copy)]
struct GrantedUses {
    hour: bool,
    wide_hour: bool,
    day: bool,
    wide_day: bool,
}

/// How a free audit is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Free {
    /// It counts against the day's allowance.
    Counted,
    /// Audits are free for now: it counts against the hourly rate limit only.
    ForNow,
}

impl Allowance {
    /// Spends one audit of the hour and, unless audits are free for now, one of the day. [`Code::RateLimited`] over
    /// the hourly rate limit; when the day's allowance is spent, [`Spent::free`] is `false`.
    pub(crate) async fn spend_audit(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        free: Free,
    ) -> Result<Spent, ServiceError> {
        let now = ports.now();
        match self.spend_stored(database, ports, network, free, now).await {
            Ok(spent) => spent,
            Err(DatabaseError::Down | DatabaseError::Full) => self.spend_local(network, free, now),
            Err(error) => Err(error.into()),
        }
    }

    /// Spends in the database: of the network's hour and day, and of the wider network's. All or nothing, as far as
    /// four statements can: a use granted beside a refusal or an error is released. Two cases remain: a write that
    /// timed out may have happened, and a release fails if the database is down by then. So an outage may cost a
    /// caller a use; no limit is ever exceeded.
    async fn spend_stored(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        free: Free,
        now: Timestamp,
    ) -> Result<Result<Spent, ServiceError>, DatabaseError> {
        let day = now.day();
        let salt = self.salt.of(database, ports, day).await?;
        let keys = CounterKeys::of(&salt, network);
        let (per_hour, wide_per_hour) = self.per_hour();
        let (per_day, wide_per_day) = match free {
            Free::Counted => self.per_day(),
            Free::ForNow => (0, 0),
        };
        let left = |remaining| (free == Free::Counted).then_some(remaining);
        // Concurrently, so that they share one commit.
        let (hour, wide_hour) = (keys.hour(), keys.wide_hour());
        let (hourly, wide_hourly, daily, wide_daily) = tokio::join!(
            database.write(|store| store.spend_hourly(&hour, now, per_hour)),
            database.write(|store| store.spend_hourly(&wide_hour, now, wide_per_hour)),
            database.write(|store| store.spend_daily(&keys.network, FREE_AUDIT, day, per_day)),
            database.write(|store| store.spend_daily(&keys.wide, FREE_AUDIT, day, wide_per_day)),
        );
        let granted = GrantedUses {
            hour: matches!(hourly, Ok(HourlySpend::Granted)),
            wide_hour: matches!(wide_hourly, Ok(HourlySpend::Granted)),
            day: matches!(daily, Ok(DailySpend::Granted { .. })),
            wide_day: matches!(wide_daily, Ok(DailySpend::Granted { .. })),
        };
        let refused = match (hourly, wide_hourly, daily, wide_daily) {
            (Ok(HourlySpend::Granted), Ok(HourlySpend::Granted), Ok(daily), Ok(wide_daily)) => {
                let (free, free_remaining) = match (daily, wide_daily) {
                    (DailySpend::Granted { remaining }, DailySpend::Granted { remaining: wide }) => {
                        (true, left(remaining.min(wide)))
                    }
                    (DailySpend::Exhausted, _) | (_, DailySpend::Exhausted) => {
                        // Not free: the daily use that one of the two counters granted is released.
                        self.give_back(database, &keys, day, GrantedUses { hour: false, wide_hour: false, ..granted })
                            .await;
                        (false, left(0))
                    }
                };
                return Ok(Ok(Spent { counted: CountedIn::Stored(keys), network, day, free, free_remaining }));
            }
            (Err(error), ..) | (_, Err(error), ..) | (_, _, Err(error), _) | (.., Err(error)) => Err(error),
            (Ok(hourly), Ok(wide_hourly), ..) => {
                let wait = |spend| match spend {
                    HourlySpend::Granted => 0,
                    HourlySpend::Refused { retry_after_s } => retry_after_s,
                };
                let seconds = wait(hourly).max(wait(wide_hourly));
                Ok(Err(ServiceError::new(Code::RateLimited).retry_after(seconds)))
            }
        };
        self.give_back(database, &keys, day, granted).await;
        refused
    }

    fn spend_local(&self, network: Network, free: Free, now: Timestamp) -> Result<Spent, ServiceError> {
        self.local
            .spend_hourly(&local_hour(network), now, part(self.limits.audits_per_hour))
            .map_err(|seconds| ServiceError::new(Code::RateLimited).retry_after(seconds))?;
        let per_day = match free {
            Free::Counted => part(self.limits.free_audits_per_day),
            Free::ForNow => 0,
        };
        let remaining = self.local.spend_daily(network, now.day(), per_day);
        let free_remaining = (free == Free::Counted).then_some(remaining.unwrap_or_default());
        Ok(Spent { counted: CountedIn::Local, network, day: now.day(), free: remaining.is_some(), free_remaining })
    }

    /// Releases the uses of an audit that failed.
    pub async fn release(&self, database: &Database, spent: Spent) {
        let Spent { counted, network, day, free, .. } = spent;
        match &counted {
            CountedIn::Local => {
                self.local.release_hourly(&local_hour(network), part(self.limits.audits_per_hour));
                self.local.release_daily(network, day, free);
            }
            CountedIn::Stored(keys) => {
                let granted = GrantedUses { hour: true, wide_hour: true, day: free, wide_day: free };
                self.give_back(database, keys, day, granted).await;
            }
        }
    }

    /// Releases uses in the database, each on its own; one that fails stays spent, and is logged.
    async fn give_back(&self, database: &Database, keys: &CounterKeys, day: Day, granted: GrantedUses) {
        let (per_hour, wide_per_hour) = self.per_hour();
        let (hour, wide_hour) = (keys.hour(), keys.wide_hour());
        let (hourly, wide_hourly, daily, wide_daily) = tokio::join!(
            when(granted.hour, database.insist(|store| store.release_hourly(&hour, per_hour))),
            when(granted.wide_hour, database.insist(|store| store.release_hourly(&wide_hour, wide_per_hour))),
            when(granted.day, database.insist(|store| store.release_daily(&keys.network, FREE_AUDIT, day))),
            when(granted.wide_day, database.insist(|store| store.release_daily(&keys.wide, FREE_AUDIT, day))),
        );
        if hourly.is_err() || wide_hourly.is_err() || daily.is_err() || wide_daily.is_err() {
            tracing::warn!("a use could not be returned to an allowance");
        }
    }

    /// Audits per hour of a network, and of the wider network.
    fn per_hour(&self) -> (u32, u32) {
        (self.limits.audits_per_hour, self.limits.audits_per_hour.saturating_mul(WIDE))
    }

    /// Free audits per day of a network, and of the wider network.
    pub(crate) fn per_day(&self) -> (u32, u32) {
        (self.limits.free_audits_per_day, self.limits.free_audits_per_day.saturating_mul(WIDE))
    }

    /// Caches that a network has spent the day's allowance, so that its next call is refused without a write. The database
    /// is asked before that is believed, so that it may also be noted of an audit that only this process refused.
    pub(crate) fn note_spent(&self, spent: &Spent) {
        self.local.note_spent(spent.network, spent.day);
    }

    /// Whether a network has spent the day's allowance, as far as is cached; `false` when unknown. It reads the
    /// database, as another process may have released a use, but does not write.
    pub(crate) async fn has_spent(&self, database: &Database, ports: &Ports, network: Network) -> bool {
        let day = ports.now().day();
        if !self.local.has_spent(network, day) {
            return false;
        }
        let left = self.free_remaining(database, ports, network).await;
        if matches!(left, Ok(1..)) {
            self.local.forget_spent(network);
        }
        matches!(left, Ok(0))
    }

    /// [`Code::RateLimited`] while a network, or the wider one around it, has spent its audits of the hour. Nothing is
    /// spent.
    pub(crate) async fn check_hour(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
    ) -> Result<(), ServiceError> {
        let now = ports.now();
        let keys = CounterKeys::of(&self.salt.of(database, ports, now.day()).await?, network);
        let (per_hour, wide_per_hour) = self.per_hour();
        let (hour, wide_hour) = (keys.hour(), keys.wide_hour());
        let (wait, wide_wait) = tokio::join!(
            database.ask(|store| store.hourly_wait(&hour, now, per_hour)),
            database.ask(|store| store.hourly_wait(&wide_hour, now, wide_per_hour)),
        );
        refused_for(wait?.max(wide_wait?))
    }

    /// Free audits that a network has left today; fewer where the wider network has fewer.
    pub async fn free_remaining(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
    ) -> Result<u32, ServiceError> {
        let day = ports.now().day();
        let keys = CounterKeys::of(&self.salt.of(database, ports, day).await?, network);
        let (used, wide_used) = tokio::join!(
            database.ask(|store| store.daily_used(&keys.network, FREE_AUDIT, day)),
            database.ask(|store| store.daily_used(&keys.wide, FREE_AUDIT, day)),
        );
        let (per_day, wide_per_day) = self.per_day();
        Ok(per_day.saturating_sub(used?).min(wide_per_day.saturating_sub(wide_used?)))
    }
}

/// The bucket of a network's hourly audits in this process.
fn local_hour(network: Network) -> String {
    format!("audits:{network}")
}

/// Awaits `work` if `wanted`.
async fn when<E>(wanted: bool, work: impl Future<Output = Result<(), E>>) -> Result<(), E> {
    if wanted { work.await } else { Ok(()) }
}
