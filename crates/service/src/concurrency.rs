//! Concurrency limits of audits: in the process, per caller, and per target.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use fetch::ceiling::{self, Ceiling, CeilingPlace};
use ipnet::IpNet;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::{Host, Url};

use crate::config::{Config, LimitSettings};
use crate::error::{Code, ServiceError};
use crate::network::Network;

/// Timeout of the wait for a slot.
const WAIT: Duration = Duration::from_secs(5);
/// Seconds until a refused caller may retry: a fetch lasts 20 s at most, but usually under one.
const RETRY_AFTER: u32 = 5;

/// KiB that all request bodies over the usual size may take together. Chosen: eight of the largest.
const LARGE_BODIES_KIB: usize = 64 * 1024;

/// The part of the process's slots that is reserved: a wider network holds at most one of them. Without it, a few networks
/// that audit slow targets hold every slot, and the audits of all others wait for theirs. Chosen: a quarter.
const RESERVED_PART: usize = 4;

/// Concurrency limits.
#[derive(Debug)]
pub struct ConcurrencyLimits {
    bodies: Arc<Semaphore>,
    process: Arc<Semaphore>,
    reserved: Arc<Semaphore>,
    reserved_of_network: Ceiling,
    most_audits: usize,
    callers: Ceiling,
    targets: Ceiling,
    exempt: Vec<IpNet>,
    fixed: HashMap<String, IpAddr>,
}

/// The slots of one audit; released when dropped.
#[derive(Debug)]
#[must_use]
pub struct AuditSlots {
    _process: (OwnedSemaphorePermit, Option<CeilingPlace>),
    _caller: CeilingPlace,
    _target: Option<CeilingPlace>,
}

impl ConcurrencyLimits {
    /// As configured.
    pub fn new(config: &Config) -> Self {
        let LimitSettings { fetches, fetches_per_caller, fetches_per_target, .. } = config.limits;
        let most_audits = usize::from(fetches);
        let reserved = most_audits / RESERVED_PART;
        Self {
            bodies: Arc::new(Semaphore::new(LARGE_BODIES_KIB)),
            process: Arc::new(Semaphore::new(most_audits.saturating_sub(reserved))),
            reserved: Arc::new(Semaphore::new(reserved)),
            reserved_of_network: Ceiling::new(1),
            most_audits,
            callers: Ceiling::new(fetches_per_caller.into()),
            targets: Ceiling::new(fetches_per_target.into()),
            exempt: config.fetch.allow_private.clone(),
            fixed: config.fetch.resolve.iter().map(|fixed| (fixed.name.clone(), fixed.address)).collect(),
        }
    }

    /// Waits for a slot of each limit; [`Code::TargetBusy`] on timeout.
    pub(crate) async fn enter(&self, network: Network, target: Option<&str>) -> Result<AuditSlots, ServiceError> {
        let entered = tokio::time::timeout(WAIT, async {
            // The process's slot last: a wait for a busy target must not hold slots that others could use.
            let caller = self.callers.enter(&network.to_string()).await;
            let target = match target {
                Some(target) => Some(self.targets.enter(target).await),
                None => None,
            };
            Some(AuditSlots { _process: self.enter_process(network).await?, _caller: caller, _target: target })
        });
        match entered.await {
            Ok(Some(slots)) => Ok(slots),
            Ok(None) | Err(_) => Err(ServiceError::new(Code::TargetBusy).retry_after(RETRY_AFTER)),
        }
    }

    /// Waits for a slot of the process: one that is anybody's, or the one that the wider network may hold of those reserved.
    async fn enter_process(&self, network: Network) -> Option<(OwnedSemaphorePermit, Option<CeilingPlace>)> {
        let usual = Arc::clone(&self.process).acquire_owned();
        let reserved = async {
            let of_network = self.reserved_of_network.enter(&network.wide()).await;
            Some((Arc::clone(&self.reserved).acquire_owned().await.ok()?, Some(of_network)))
        };
        tokio::select! {
            biased;
            permit = usual => Some((permit.ok()?, None)),
            reserved = reserved => reserved,
        }
    }

    /// Reserves memory for a large body; [`Code::Overloaded`] when there is not enough.
    pub fn reserve_body(&self, kib: usize) -> Result<OwnedSemaphorePermit, ServiceError> {
        let kib = u32::try_from(kib).unwrap_or(u32::MAX);
        let permit = Arc::clone(&self.bodies).try_acquire_many_owned(kib);
        permit.map_err(|_| ServiceError::new(Code::Overloaded).retry_after(RETRY_AFTER))
    }

    /// Audits that fetch now, and the most that may.
    pub fn audits(&self) -> (usize, usize) {
        let free = self.process.available_permits().saturating_add(self.reserved.available_permits());
        (self.most_audits.saturating_sub(free), self.most_audits)
    }

    /// Bytes that large bodies hold, and the most that they may.
    pub fn large_bodies(&self) -> (usize, usize) {
        (LARGE_BODIES_KIB.saturating_sub(self.bodies.available_permits()) * 1024, LARGE_BODIES_KIB * 1024)
    }

    /// The target that is counted: the registrable domain, or the IP address. `None` for the operator's own machines,
    /// which are not limited.
    pub fn target(&self, url: &Url) -> Option<String> {
        let own = |address: IpAddr| self.exempt.iter().any(|network| network.contains(&address));
        let is_own = match url.host()? {
            Host::Ipv4(address) => own(address.into()),
            Host::Ipv6(address) => own(address.into()),
            Host::Domain(name) => {
                self.fixed.get(name.strip_suffix('.').unwrap_or(name)).is_some_and(|fixed| own(*fixed))
            }
        };
        if is_own { None } else { ceiling::target(url) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> ConcurrencyLimits {
        let mut config = Config::default();
        config.limits.fetches_per_target = 1;
        config.limits.fetches_per_caller = 2;
        config.fetch.allow_private = vec!["127.0.0.0/8".parse().unwrap()];
        config.fetch.resolve = serde_json::from_str(r#"["own.example=127.0.0.2"]"#).unwrap();
        ConcurrencyLimits::new(&config)
    }

    fn network(last: u8) -> Network {
        Network::of([203, 0, 113, last].into())
    }

    #[tokio::test(start_paused = true)]
    async fn one_more_waits_and_is_then_refused() {
        let limits = limits();
        assert_eq!(limits.audits(), (0, 64));
        let first = limits.enter(network(1), Some("a.com")).await.unwrap();
        assert_eq!(limits.audits(), (1, 64));
        let begun = tokio::time::Instant::now();
        let refused = limits.enter(network(2), Some("a.com")).await.unwrap_err();
        assert_eq!((refused.code, refused.retry_after), (Code::TargetBusy, Some(5)));
        assert_eq!(begun.elapsed().as_secs(), 5);
        let _other = limits.enter(network(2), Some("b.com")).await.unwrap();
        drop(first);
        let _again = limits.enter(network(2), Some("a.com")).await.unwrap();
        assert_eq!(limits.enter(network(2), None).await.unwrap_err().code, Code::TargetBusy);
    }

    /// The audits of all others waited for those of a crowd.
    #[tokio::test(start_paused = true)]
    async fn a_few_networks_leave_slots_for_all_others() {
        let mut config = Config::default();
        (config.limits.fetches, config.limits.fetches_per_caller) = (8, 8);
        let limits = ConcurrencyLimits::new(&config);
        let of = |address: &str| Network::of(address.parse().unwrap());
        // Six slots are anybody's, and of the other two a wider network may hold one.
        let mut crowd = Vec::new();
        for last in 1..=7 {
            crowd.push(limits.enter(network(last), None).await.unwrap());
        }
        assert_eq!(limits.enter(network(8), None).await.unwrap_err().code, Code::TargetBusy);
        let other = limits.enter(of("2001:db8:1:1::1"), None).await.unwrap();
        assert_eq!(limits.audits(), (8, 8));
        assert_eq!(limits.enter(of("198.51.100.1"), None).await.unwrap_err().code, Code::TargetBusy);
        drop(crowd.pop());
        // The last of the crowd held the slot that was reserved.
        assert_eq!(limits.enter(of("2001:db8:1:2::1"), None).await.unwrap_err().code, Code::TargetBusy);
        let third = limits.enter(of("198.51.100.1"), None).await.unwrap();
        drop((crowd, other, third));
        assert_eq!(limits.audits(), (0, 8));
        assert!(limits.reserved_of_network.is_idle());
    }

    #[test]
    fn large_bodies_share_64_mib() {
        let limits = limits();
        let mib = 1024 * 1024;
        let held = limits.reserve_body(63 * 1024).unwrap();
        assert_eq!(limits.large_bodies(), (63 * mib, 64 * mib));
        let refused = limits.reserve_body(1_025).unwrap_err();
        assert_eq!((refused.code, refused.retry_after), (Code::Overloaded, Some(5)));
        let rest = limits.reserve_body(1_024).unwrap();
        assert_eq!(limits.large_bodies(), (64 * mib, 64 * mib));
        drop((held, rest));
        assert_eq!(limits.large_bodies().0, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn keys_without_a_holder_are_forgotten() {
        let limits = limits();
        let first = limits.enter(network(1), Some("a.com")).await.unwrap();
        let _refused = limits.enter(network(1), Some("a.com")).await;
        drop(first);
        assert!(limits.targets.is_idle() && limits.callers.is_idle());
    }

    #[test]
    fn own_machines_are_no_targets() {
        let limits = limits();
        let target = |url: &str| limits.target(&Url::parse(url).unwrap());
        assert_eq!(target("https://www.a.co.uk/").as_deref(), Some("a.co.uk"));
        assert_eq!(target("http://127.0.0.2:8080/"), None);
        assert_eq!(target("http://own.example/"), None);
    }
}
