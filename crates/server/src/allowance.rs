//! What a network may still do: counted in the database, and in the process while the database is away.

mod local;

use std::sync::Mutex;

use model::time::{Day, Timestamp};
use sha2::{Digest as _, Sha256};
use store::{DailySpend, HourlySpend};

use crate::caller::Network;
use crate::config::Limits;
use crate::database::{Database, Trouble};
use crate::error::{ApiError, Code};
use crate::ports::Ports;
use local::Local;

/// How much more a wider network (IPv4 /24, IPv6 /48) may do than one network.
const WIDE: u32 = 10;
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
    day: Day,
    /// One of the free audits was spent; else the audit is paid, or let through.
    pub free: bool,
    /// Free audits left today.
    pub free_remaining: u32,
}

/// Where a spending is noted.
#[derive(Debug)]
enum Counted {
    /// In the database, under these keys.
    Stored { network: String, wide: String },
    /// In this process.
    Local(Network),
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
    pub async fn spend_audit(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        free: Free,
    ) -> Result<Spent, ApiError> {
        let now = ports.now();
        match self.spend_stored(database, ports, network, free, now).await {
            Ok(spent) => spent,
            Err(Trouble::Down) => self.spend_local(network, free, now),
            Err(trouble) => Err(trouble.into()),
        }
    }

    async fn spend_stored(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        free: Free,
        now: Timestamp,
    ) -> Result<Result<Spent, ApiError>, Trouble> {
        let day = now.day();
        let salt = self.salt(database, ports, day).await?;
        let (network, wide) = (key(&salt, &network.to_string()), key(&salt, &network.wide()));
        let (hour, wide_hour) = (format!("audits:{network}"), format!("audits:{wide}"));
        let (per_hour, wide_per_hour) = (self.limits.audits_per_hour, self.limits.audits_per_hour.saturating_mul(WIDE));
        let per_day = match free {
            Free::Counted => self.limits.free_audits_per_day,
            Free::ForNow => 0,
        };
        // At once, so that they share one commit. What was granted beside a refusal is given back.
        let (hourly, wide_hourly, daily) = tokio::join!(
            database.ask(|store| store.spend_hourly(&hour, now, per_hour)),
            database.ask(|store| store.spend_hourly(&wide_hour, now, wide_per_hour)),
            database.ask(|store| store.spend_daily(&network, FREE_AUDIT, day, per_day)),
        );
        let (hourly, wide_hourly, daily) = (hourly?, wide_hourly?, daily?);
        let (free, free_remaining) = match daily {
            DailySpend::Granted { remaining } => (true, remaining),
            DailySpend::Exhausted => (false, 0),
        };
        let retry_after = match (hourly, wide_hourly) {
            (HourlySpend::Granted, HourlySpend::Granted) => {
                return Ok(Ok(Spent { counted: Counted::Stored { network, wide }, day, free, free_remaining }));
            }
            (HourlySpend::Refused { retry_after_s }, HourlySpend::Granted) => {
                database.ask(|store| store.release_hourly(&wide_hour, wide_per_hour)).await?;
                retry_after_s
            }
            (HourlySpend::Granted, HourlySpend::Refused { retry_after_s }) => {
                database.ask(|store| store.release_hourly(&hour, per_hour)).await?;
                retry_after_s
            }
            (HourlySpend::Refused { retry_after_s: a }, HourlySpend::Refused { retry_after_s: b }) => a.max(b),
        };
        if free {
            database.ask(|store| store.release_daily(&network, FREE_AUDIT, day)).await?;
        }
        Ok(Err(ApiError::new(Code::RateLimited).retry_after(retry_after)))
    }

    fn spend_local(&self, network: Network, free: Free, now: Timestamp) -> Result<Spent, ApiError> {
        let part = |limit: u32| if limit == 0 { 0 } else { (limit / LOCAL_PART).max(1) };
        self.local
            .spend_hourly(&format!("audits:{network}"), now, part(self.limits.audits_per_hour))
            .map_err(|seconds| ApiError::new(Code::RateLimited).retry_after(seconds))?;
        let per_day = match free {
            Free::Counted => part(self.limits.free_audits_per_day),
            Free::ForNow => 0,
        };
        let remaining = self.local.spend_daily(network, now.day(), per_day);
        let counted = Counted::Local(network);
        Ok(Spent { counted, day: now.day(), free: remaining.is_some(), free_remaining: remaining.unwrap_or_default() })
    }

    /// Gives back what an audit spent that came to nothing.
    pub async fn release(&self, database: &Database, spent: Spent) {
        match &spent.counted {
            Counted::Local(network) => self.local.release_daily(*network, spent.day, spent.free),
            Counted::Stored { network, wide } => {
                let (hour, wide_hour) = (format!("audits:{network}"), format!("audits:{wide}"));
                let per_hour = self.limits.audits_per_hour;
                let (hourly, wide_hourly, daily) = tokio::join!(
                    database.ask(|store| store.release_hourly(&hour, per_hour)),
                    database.ask(|store| store.release_hourly(&wide_hour, per_hour.saturating_mul(WIDE))),
                    async {
                        match spent.free {
                            true => database.ask(|store| store.release_daily(network, FREE_AUDIT, spent.day)).await,
                            false => Ok(()),
                        }
                    },
                );
                if hourly.is_err() || wide_hourly.is_err() || daily.is_err() {
                    tracing::warn!("an allowance could not be given back");
                }
            }
        }
    }

    /// Free audits that a network has left today; what the process knows while the database is away.
    pub async fn free_remaining(&self, database: &Database, ports: &Ports, network: Network) -> Result<u32, ApiError> {
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

    /// Spends one of the uses that a network has of something in an hour. While the database is away the process
    /// grants a part.
    pub async fn spend_hourly(
        &self,
        database: &Database,
        ports: &Ports,
        network: Network,
        what: &str,
        per_hour: u32,
    ) -> Result<(), ApiError> {
        let now = ports.now();
        let stored = async {
            let salt = self.salt(database, ports, now.day()).await?;
            let bucket = format!("{what}:{}", key(&salt, &format!("{what} {network}")));
            database.ask(|store| store.spend_hourly(&bucket, now, per_hour)).await
        };
        let refused = |seconds| ApiError::new(Code::RateLimited).retry_after(seconds);
        match stored.await {
            Ok(HourlySpend::Granted) => Ok(()),
            Ok(HourlySpend::Refused { retry_after_s }) => Err(refused(retry_after_s)),
            Err(Trouble::Down) => {
                let part = if per_hour == 0 { 0 } else { (per_hour / LOCAL_PART).max(1) };
                self.local.spend_hourly(&format!("{what}:{network}"), now, part).map_err(refused)
            }
            Err(trouble) => Err(trouble.into()),
        }
    }

    /// Counts a refused target address. Past the ceiling the network's audits are refused for a while, here without a
    /// look at the database.
    pub async fn count_refusal(&self, database: &Database, ports: &Ports, network: Network) -> Result<(), ApiError> {
        let counted = self.spend_hourly(database, ports, network, "refused", self.limits.refused_per_hour).await;
        if let Err(error) = &counted
            && let Some(seconds) = error.retry_after
        {
            self.local.lock_out(network, ports.now(), seconds);
        }
        counted
    }

    /// [`Code::RateLimited`] while a network is refused for asking for too many addresses that are refused.
    pub fn check_refusals(&self, ports: &Ports, network: Network) -> Result<(), ApiError> {
        match self.local.locked_out(network, ports.now()) {
            Some(seconds) => Err(ApiError::new(Code::RateLimited).retry_after(seconds)),
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

/// The key under which a network is counted: no address is ever stored.
fn key(salt: &[u8; 32], network: &str) -> String {
    let digest = Sha256::new().chain_update(salt).chain_update(network).finalize();
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
