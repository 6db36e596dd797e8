//! How many audits fetch at once: in the process, for one caller, of one target.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ipnet::IpNet;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::{Host, Url};

use crate::caller::Network;
use crate::config::{Config, Limits};
use crate::error::{ApiError, Code};

/// How long one more audit waits for a place.
const WAIT: Duration = Duration::from_secs(5);
/// Seconds after which a refused caller may try again: the longest that a fetch lasts is 20 s, most last under one.
const RETRY_AFTER: u32 = 5;

/// The ceilings.
#[derive(Debug)]
pub struct Ceilings {
    process: Arc<Semaphore>,
    callers: Keyed,
    targets: Keyed,
    exempt: Vec<IpNet>,
    fixed: HashMap<String, IpAddr>,
}

/// Places held by one audit; free again when dropped.
#[derive(Debug)]
#[must_use]
pub struct Places {
    _process: OwnedSemaphorePermit,
    _caller: Place,
    _target: Option<Place>,
}

impl Ceilings {
    /// Ceilings as configured.
    pub fn new(config: &Config) -> Self {
        let Limits { fetches, fetches_per_caller, fetches_per_target, .. } = config.limits;
        Self {
            process: Arc::new(Semaphore::new(fetches.into())),
            callers: Keyed::new(fetches_per_caller.into()),
            targets: Keyed::new(fetches_per_target.into()),
            exempt: config.fetch.allow_private.clone(),
            fixed: config.fetch.resolve.iter().map(|fixed| (fixed.name.clone(), fixed.address)).collect(),
        }
    }

    /// Waits for a place at each ceiling; [`Code::TargetBusy`] when there is none in time.
    pub async fn enter(&self, caller: Network, target: Option<&str>) -> Result<Places, ApiError> {
        let entered = tokio::time::timeout(WAIT, async {
            // The process's place last: who waits for a target keeps no place from others.
            let caller = self.callers.enter(&caller.to_string()).await?;
            let target = match target {
                Some(target) => Some(self.targets.enter(target).await?),
                None => None,
            };
            let process = Arc::clone(&self.process).acquire_owned().await.ok()?;
            Some(Places { _process: process, _caller: caller, _target: target })
        });
        match entered.await {
            Ok(Some(places)) => Ok(places),
            Ok(None) | Err(_) => Err(ApiError::new(Code::TargetBusy).retry_after(RETRY_AFTER)),
        }
    }

    /// What counts as one target: the registrable domain, or the address itself. `None` for the operator's own
    /// machines, which have no ceiling.
    pub fn target(&self, url: &Url) -> Option<String> {
        let own = |address: IpAddr| self.exempt.iter().any(|network| network.contains(&address));
        match url.host()? {
            Host::Ipv4(address) => (!own(address.into())).then(|| address.to_string()),
            Host::Ipv6(address) => (!own(address.into())).then(|| address.to_string()),
            Host::Domain(name) => {
                let name = name.strip_suffix('.').unwrap_or(name);
                if self.fixed.get(name).is_some_and(|address| own(*address)) {
                    return None;
                }
                Some(psl::domain_str(name).unwrap_or(name).to_owned())
            }
        }
    }
}

/// One ceiling per key. Keys without a holder are forgotten, so the map is as large as what is going on.
#[derive(Debug)]
struct Keyed {
    most: usize,
    holders: Arc<Mutex<HashMap<String, Arc<Semaphore>>>>,
}

/// One place below a key.
#[derive(Debug)]
struct Place {
    permit: Option<OwnedSemaphorePermit>,
    key: String,
    holders: Arc<Mutex<HashMap<String, Arc<Semaphore>>>>,
}

impl Keyed {
    fn new(most: usize) -> Self {
        Self { most, holders: Arc::default() }
    }

    async fn enter(&self, key: &str) -> Option<Place> {
        // Made before waiting, so that a caller who gives up while waiting cleans up as well.
        let mut place = Place { permit: None, key: key.to_owned(), holders: Arc::clone(&self.holders) };
        let semaphore = {
            let mut holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(holders.entry(key.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(self.most))))
        };
        place.permit = Some(semaphore.acquire_owned().await.ok()?);
        Some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.permit = None;
        let mut holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
        // Only the map holds it: nobody has a place or waits for one.
        if holders.get(&self.key).is_some_and(|semaphore| Arc::strong_count(semaphore) == 1) {
            holders.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ceilings() -> Ceilings {
        let mut config = Config::default();
        config.limits.fetches_per_target = 1;
        config.limits.fetches_per_caller = 2;
        config.fetch.allow_private = vec!["127.0.0.0/8".parse().unwrap()];
        config.fetch.resolve = serde_json::from_str(r#"["own.example=127.0.0.2"]"#).unwrap();
        Ceilings::new(&config)
    }

    fn network(last: u8) -> Network {
        Network::of([203, 0, 113, last].into())
    }

    #[tokio::test(start_paused = true)]
    async fn one_more_waits_and_is_then_refused() {
        let ceilings = ceilings();
        let first = ceilings.enter(network(1), Some("a.com")).await.unwrap();
        assert_eq!(ceilings.enter(network(2), Some("a.com")).await.unwrap_err().code, Code::TargetBusy);
        let _other = ceilings.enter(network(2), Some("b.com")).await.unwrap();
        drop(first);
        let _again = ceilings.enter(network(2), Some("a.com")).await.unwrap();
        assert_eq!(ceilings.enter(network(2), None).await.unwrap_err().code, Code::TargetBusy);
    }

    #[tokio::test(start_paused = true)]
    async fn keys_without_a_holder_are_forgotten() {
        let ceilings = ceilings();
        let first = ceilings.enter(network(1), Some("a.com")).await.unwrap();
        let _refused = ceilings.enter(network(1), Some("a.com")).await;
        drop(first);
        assert!(ceilings.targets.holders.lock().unwrap().is_empty());
        assert!(ceilings.callers.holders.lock().unwrap().is_empty());
    }

    #[test]
    fn targets_are_registrable_domains_or_addresses() {
        let ceilings = ceilings();
        let target = |url: &str| ceilings.target(&Url::parse(url).unwrap());
        assert_eq!(target("https://www.a.co.uk/").as_deref(), Some("a.co.uk"));
        assert_eq!(target("https://b.a.co.uk./x").as_deref(), Some("a.co.uk"));
        assert_eq!(target("http://203.0.113.7/").as_deref(), Some("203.0.113.7"));
        assert_eq!(target("http://127.0.0.2:8080/"), None);
        assert_eq!(target("http://own.example/"), None);
    }
}
