//! Concurrency limits per key, such as a target or a caller.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::{Host, Url};

/// A concurrency limit per key. Keys without a holder are dropped, so the map holds active keys only.
#[derive(Debug)]
pub struct Ceiling {
    most: usize,
    holders: Arc<Mutex<HashMap<String, Arc<Semaphore>>>>,
}

/// A permit of one key; released when dropped.
#[derive(Debug)]
#[must_use]
pub struct CeilingPlace {
    permit: Option<OwnedSemaphorePermit>,
    key: String,
    holders: Arc<Mutex<HashMap<String, Arc<Semaphore>>>>,
}

impl Ceiling {
    /// A limit of `most` permits for each key.
    pub fn new(most: usize) -> Self {
        Self { most, holders: Arc::default() }
    }

    /// Waits for a permit. The caller sets the timeout.
    pub async fn enter(&self, key: &str) -> CeilingPlace {
        // Made before waiting, so that a caller cancelled while waiting cleans up too.
        let mut place = CeilingPlace { permit: None, key: key.to_owned(), holders: Arc::clone(&self.holders) };
        let semaphore = {
            let mut holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(holders.entry(key.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(self.most))))
        };
        // The semaphore is never closed.
        place.permit = semaphore.acquire_owned().await.ok();
        place
    }

    /// Whether no key has a holder or a waiter.
    pub fn is_idle(&self) -> bool {
        self.holders.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

impl Drop for CeilingPlace {
    fn drop(&mut self) {
        self.permit = None;
        let mut holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
        // Only the map holds it: the key has no holder and no waiter.
        if holders.get(&self.key).is_some_and(|semaphore| Arc::strong_count(semaphore) == 1) {
            holders.remove(&self.key);
        }
    }
}

/// The target of a URL: its registrable domain, or its address.
pub fn target(url: &Url) -> Option<String> {
    Some(match url.host()? {
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            domains::registrable_domain(name).unwrap_or(name).to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_registrable_domains_or_addresses() {
        let target = |url: &str| target(&Url::parse(url).unwrap());
        assert_eq!(target("https://www.a.co.uk/").as_deref(), Some("a.co.uk"));
        assert_eq!(target("https://b.a.co.uk./x").as_deref(), Some("a.co.uk"));
        assert_eq!(target("http://203.0.113.7/").as_deref(), Some("203.0.113.7"));
        assert_eq!(target("http://[2001:db8::1]:8080/").as_deref(), Some("2001:db8::1"));
    }

    #[tokio::test]
    async fn one_more_waits_and_keys_without_a_holder_are_forgotten() {
        let ceiling = Ceiling::new(1);
        let first = ceiling.enter("a").await;
        let other = ceiling.enter("b").await;
        assert!(!ceiling.is_idle());
        let waiting = tokio::time::timeout(std::time::Duration::ZERO, ceiling.enter("a"));
        assert!(waiting.await.is_err());
        drop(first);
        drop(ceiling.enter("a").await);
        drop(other);
        assert!(ceiling.is_idle());
    }
}
