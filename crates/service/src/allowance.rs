//! What a network may still do: counted in the database, and in the process while the database is away.

mod local;

use std::sync::Mutex;

use data_encoding::HEXLOWER;
use model::time::{Day, Timestamp};
use sha2::{Digest as _, Sha256};
use store::{DailySpend, HourlySpend};

use crate::config::Limits;
use crate::database::{Database, Trouble};
use crate::error::{Code, ServiceError};
use crate::network::{Network, WIDE};
use crate::ports::Ports;
use local::Local;

/// The part of a limit that one process grants by itself while the database is away.
const LOCAL_PART: u32 = 4;
/// The daily counter of free audits.
const FREE_AUDIT: &str = "audit";

/// The counters.
#[derive(Debug)]
pub struct Allowance {
    limits: Limits,
    salt: Mutex<Option<(Day, [u8; 32])>>,
    local: Local,
}

/// What one audit has spent, to be given back when nothing came of it. Dropped unreleased it stays spent: a caller who
/// goes away in the middle has had the work.
#[derive(Debug)]
#[must_use]
pub struct Spent {
    counted: Counted,
    network: Network,
    day: Day,
    /// One of the free audits was spent; else the audit is paid, or let through.
    pub free: bool,
    /// Free audits left today; `None` where none is counted, as audits are free for now.
    pub free_remaining: Option<u32>,
}

/// Where a spending is noted.
#[derive(Debug)]
enum Counted {
    /// In the database, under these keys.
    Stored(Keys),
    /// In this process.
    Local,
}

/// The keys under which a network is counted: no address is ever stored.
#[derive(Debug)]
struct Keys {
    network: String,
    wide: String,
}

impl Keys {
    fn of(salt: &[u8; 32], network: Network) -> Self {
        Self { network: key(salt, &network.to_string()), wide: key(salt, &network.wide()) }
    }

    /// The bucket of the network's audits in an hour.
    fn hour(&self) -> String {
        format!("audits:{}", self.network)
    }

    /// The same of the wider network.
    fn wide_hour(&self) -> String {
        format!("audits:{}", self.wide)
    }
}

/// Which uses were granted.
#[derive(Debug, Clone, Copy)]
struct Granted {
    hour: bool,
    wide_hour: bool,
    day: bool,
}

/// What a free audit came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Free {
    /// Counts against the day's free audits.
    Counted,
    /// Free for the time being: counts against the hour only.
    ForNow,
}

impl Allowance {
    /// Counters that are full.
    pub fn new(limits: Limits) -> Self {
        Self { limits, salt: Mutex::new(None), local: Local::default() }
    }

    /// Spends one audit of the hour and, unless audits are free for now, one of the day. [`Code::RateLimited`] past the
    /// hour's ceiling; past the day's free ones the answer says so in [`Spent::free`].
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
            Err(Trouble::Down) => self.spend_local(network, free, now),
            Err(trouble) => Err(trouble.into()),
        }
    }

    /// Spends in the database: of the hour, of the wider network's hour, and of the day. All or none, as far as three
    /// statements can: what was granted beside a refusal or a failure is given back. What remains: a write that timed
    /// out may have been made all the same and stays spent, as does what can't be given back because the database is
    /// gone by then. So a caller may lose a use in an outage; no limit is ever passed.
    async fn spend_stored(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        free: Free,
        now: Timestamp,
    ) -> Result<Result<Spent, ServiceError>, Trouble> {
        let day = now.day();
        let salt = self.salt(database, ports, day).await?;
        let keys = Keys::of(&salt, network);
        let (per_hour, wide_per_hour) = self.per_hour();
        let per_day = match free {
            Free::Counted => self.limits.free_audits_per_day,
            Free::ForNow => 0,
        };
        let left = |remaining| (free == Free::Counted).then_some(remaining);
        // At once, so that they share one commit.
        let (hour, wide_hour) = (keys.hour(), keys.wide_hour());
        let (hourly, wide_hourly, daily) = tokio::join!(
            database.ask(|store| store.spend_hourly(&hour, now, per_hour)),
            database.ask(|store| store.spend_hourly(&wide_hour, now, wide_per_hour)),
            database.ask(|store| store.spend_daily(&keys.network, FREE_AUDIT, day, per_day)),
        );
        let granted = Granted {
            hour: matches!(hourly, Ok(HourlySpend::Granted)),
            wide_hour: matches!(wide_hourly, Ok(HourlySpend::Granted)),
            day: matches!(daily, Ok(DailySpend::Granted { .. })),
        };
        let refused = match (hourly, wide_hourly, daily) {
            (Ok(HourlySpend::Granted), Ok(HourlySpend::Granted), Ok(daily)) => {
                let (free, free_remaining) = match daily {
                    DailySpend::Granted { remaining } => (true, left(remaining)),
                    DailySpend::Exhausted => (false, left(0)),
                };
                return Ok(Ok(Spent { counted: Counted::Stored(keys), network, day, free, free_remaining }));
            }
            (Err(trouble), _, _) | (_, Err(trouble), _) | (_, _, Err(trouble)) => Err(trouble),
            (Ok(hourly), Ok(wide_hourly), Ok(_)) => {
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
        Ok(Spent { counted: Counted::Local, network, day: now.day(), free: remaining.is_some(), free_remaining })
    }

    /// Gives back what an audit spent that came to nothing.
    pub async fn release(&self, database: &Database, spent: Spent) {
        let Spent { counted, network, day, free, .. } = spent;
        match &counted {
            Counted::Local => {
                self.local.release_hourly(&local_hour(network), part(self.limits.audits_per_hour));
                self.local.release_daily(network, day, free);
            }
            Counted::Stored(keys) => {
                let granted = Granted { hour: true, wide_hour: true, day: free };
                self.give_back(database, keys, day, granted).await;
            }
        }
    }

    /// Gives uses back to the database, each for itself: one that can't be stays spent, which the log tells.
    async fn give_back(&self, database: &Database, keys: &Keys, day: Day, granted: Granted) {
        let (per_hour, wide_per_hour) = self.per_hour();
        let (hour, wide_hour) = (keys.hour(), keys.wide_hour());
        let (hourly, wide_hourly, daily) = tokio::join!(
            when(granted.hour, database.insist(|store| store.release_hourly(&hour, per_hour))),
            when(granted.wide_hour, database.insist(|store| store.release_hourly(&wide_hour, wide_per_hour))),
            when(granted.day, database.insist(|store| store.release_daily(&keys.network, FREE_AUDIT, day))),
        );
        if hourly.is_err() || wide_hourly.is_err() || daily.is_err() {
            tracing::warn!("an allowance could not be given back");
        }
    }

    /// Audits an hour, of a network and of the wider one.
    fn per_hour(&self) -> (u32, u32) {
        (self.limits.audits_per_hour, self.limits.audits_per_hour.saturating_mul(WIDE))
    }

    /// Notes that a network has spent the day's free audits, so that it is told so again without a write.
    pub(crate) fn note_spent(&self, spent: &Spent) {
        if matches!(spent.counted, Counted::Stored(_)) && !spent.free {
            self.local.note_spent(spent.network, spent.day);
        }
    }

    /// Whether a network is known to have spent the day's free audits. The database is looked at, but not written to:
    /// another process may have given one back in the meantime. `false` when it is not known.
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

    /// Free audits that a network has left today; what the process knows while the database is away.
    pub async fn free_remaining(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
    ) -> Result<u32, ServiceError> {
        let day = ports.now().day();
        let used = async {
            let salt = self.salt(database, ports, day).await?;
            let network = key(&salt, &network.to_string());
            database.ask(|store| store.daily_used(&network, FREE_AUDIT, day)).await
        };
        match used.await {
            Ok(used) => Ok(self.limits.free_audits_per_day.saturating_sub(used)),
            Err(trouble) => Err(trouble.into()),
        }
    }

    /// Whether a network, and the wider one around it, has a use left of something in a day, which only the database
    /// counts.
    pub(crate) async fn has_left_of_day(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        what: &str,
        per_day: u32,
    ) -> Result<bool, ServiceError> {
        let day = ports.now().day();
        let keys = Keys::of(&self.salt(database, ports, day).await?, network);
        let (used, wide_used) = tokio::join!(
            database.ask(|store| store.daily_used(&keys.network, what, day)),
            database.ask(|store| store.daily_used(&keys.wide, what, day)),
        );
        Ok(used? < per_day && wide_used? < per_day.saturating_mul(WIDE))
    }

    /// Spends one of these uses; `false` when none is left.
    pub(crate) async fn spend_daily(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        what: &str,
        per_day: u32,
    ) -> Result<bool, ServiceError> {
        let day = ports.now().day();
        let keys = Keys::of(&self.salt(database, ports, day).await?, network);
        if database.ask(|store| store.spend_daily(&keys.network, what, day, per_day)).await? == DailySpend::Exhausted {
            return Ok(false);
        }
        let wide_per_day = per_day.saturating_mul(WIDE);
        let wide = database.ask(|store| store.spend_daily(&keys.wide, what, day, wide_per_day)).await;
        if matches!(wide, Ok(DailySpend::Granted { .. })) {
            return Ok(true);
        }
        give_back_daily(database, &keys.network, what, day).await;
        wide.map(|_| false).map_err(ServiceError::from)
    }

    /// Gives such a use back.
    pub(crate) async fn release_daily(&self, database: &Database, ports: &Ports, network: Network, what: &str) {
        let day = ports.now().day();
        match self.salt(database, ports, day).await {
            Ok(salt) => {
                let keys = Keys::of(&salt, network);
                tokio::join!(
                    give_back_daily(database, &keys.network, what, day),
                    give_back_daily(database, &keys.wide, what, day),
                );
            }
            Err(_) => tracing::warn!(what, "a use of the day could not be given back"),
        }
    }

    /// Spends one of the uses that a network has of something in an hour. While the database is away the process
    /// grants a part.
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

    /// The same, and one of those of the wider network: of what costs us more than a row of the caller's own.
    pub(crate) async fn spend_hourly_widely(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        what: &str,
        per_hour: u32,
    ) -> Result<(), ServiceError> {
        self.spend_hourly(database, ports, network, what, per_hour).await?;
        // What the network itself spent is not given back: while the wider one has nothing left, it is of no use.
        self.spend_hourly_of(database, ports, &network.wide(), what, per_hour.saturating_mul(WIDE)).await
    }

    /// Spends one of the uses that `who`, a network, has of something in an hour.
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
            let salt = self.salt(database, ports, now.day()).await?;
            let bucket = format!("{what}:{}", key(&salt, &format!("{what} {who}")));
            database.ask(|store| store.spend_hourly(&bucket, now, per_hour)).await
        };
        let refused = |seconds| ServiceError::new(Code::RateLimited).retry_after(seconds);
        match stored.await {
            Ok(HourlySpend::Granted) => Ok(()),
            Ok(HourlySpend::Refused { retry_after_s }) => Err(refused(retry_after_s)),
            Err(Trouble::Down) => {
                self.local.spend_hourly(&format!("{what}:{who}"), now, part(per_hour)).map_err(refused)
            }
            Err(trouble) => Err(trouble.into()),
        }
    }

    /// Counts a refused target address. Past the ceiling the network's audits are refused for a while, here without a
    /// look at the database.
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

    /// [`Code::RateLimited`] while a network is refused for asking for too many addresses that are refused.
    pub fn check_refusals(&self, ports: &Ports, network: Network) -> Result<(), ServiceError> {
        match self.local.locked_out(network, ports.now()) {
            Some(seconds) => Err(ServiceError::new(Code::RateLimited).retry_after(seconds)),
            None => Ok(()),
        }
    }

    /// What networks are hashed with today. Agreed upon through the database, so that all servers count alike; kept
    /// here for the day.
    async fn salt(&self, database: &Database, ports: &Ports, day: Day) -> Result<[u8; 32], Trouble> {
        let known =
            |salt: &Mutex<Option<(Day, [u8; 32])>>| *salt.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, salt)) = known(&self.salt).filter(|(of, _)| *of == day) {
            return Ok(salt);
        }
        let offered = ports.entropy.bytes();
        let salt = database.ask(|store| store.daily_salt(day, &offered)).await?;
        *self.salt.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some((day, salt));
        Ok(salt)
    }
}

/// Gives a use of a day back; one that can't be stays spent, which the log tells.
async fn give_back_daily(database: &Database, key: &str, what: &str, day: Day) {
    if database.insist(|store| store.release_daily(key, what, day)).await.is_err() {
        tracing::warn!(what, "a use of the day could not be given back");
    }
}

/// The bucket of a network's audits in an hour, in this process.
fn local_hour(network: Network) -> String {
    format!("audits:{network}")
}

/// The part of a limit that this process grants by itself: of what there is, at least one.
fn part(limit: u32) -> u32 {
    if limit == 0 { 0 } else { (limit / LOCAL_PART).max(1) }
}

/// Does it when it is wanted.
async fn when<E>(wanted: bool, work: impl Future<Output = Result<(), E>>) -> Result<(), E> {
    if wanted { work.await } else { Ok(()) }
}

/// The key under which a network is counted.
fn key(salt: &[u8; 32], network: &str) -> String {
    let digest = Sha256::new().chain_update(salt).chain_update(network).finalize();
    HEXLOWER.encode(digest.get(..16).unwrap_or(&digest))
}
