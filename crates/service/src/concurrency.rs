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

/// Concurrency limits.
#[derive(Debug)]
pub struct ConcurrencyLimits {
    bodies: Arc<Semaphore>,
    process: Arc<Semaphore>,
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
    _process: OwnedSemaphorePermit,
    _caller: CeilingPlace,
    _target: Option<CeilingPlace>,
}

impl ConcurrencyLimits {
    /// As configured.
    pub fn new(config: &Config) -> Self {
        let LimitSettings { fetches, fetches_per_caller, fetches_per_target, .. } = config.limits;
        Self {
            bodies: Arc::new(Semaphore::new(LARGE_BODIES_KIB)),
            process: Arc::new(Semaphore::new(fetches.into())),
            most_audits: fetches.into(),
            callers: Ceiling::new(fetches_per_caller.into()),
            targets: Ceiling::new(fetches_per_target.into()),
            exempt: config.fetch.allow_private.clone(),
            fixed: config.fetch.resolve.iter().map(|fixed| (fixed.name.clone(), fixed.address)).collect(),
        }
    }

    /// Waits for a slot of each limit; [`Code::TargetBusy`] on timeout.
    pub(crate) async fn enter(&self, caller: Network, target: Option<&str>) -> Result<AuditSlots, ServiceError> {
        let entered = tokio::time::timeout(WAIT, async {
            // The process's slot last: a wait for a busy target must not hold slots that others could use.
            let caller = self.callers.enter(&caller.to_string()).await;
            let target = match target {
                Some(target) => Some(self.targets.enter(target).await),
                None => None,
            };
            let process = Arc::clone(&self.process).acquire_owned().await.ok()?;
            Some(AuditSlots { _process: process, _caller: caller, _target: target })
        });
        match entered.await {
            Ok(Some(slots)) => Ok(slots),
            Ok(None) | Err(_) => Err(ServiceError::new(Code::TargetBusy).retry_after(RETRY_AFTER)),
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
        (self.most_audits.saturating_sub(self.process.available_permits()), self.most_audits)
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
