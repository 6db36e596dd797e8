//! The pace of a crawl: how many requests at once, how long between them, and rest when the site asks for it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use model::capture::Fetched;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

/// Longest `Crawl-delay` that is kept: longer ones would make a run endless, and most crawlers cap them likewise.
pub(super) const MOST_DELAY: Duration = Duration::from_secs(10);
/// Longest rest that a site may ask for at a time.
const MOST_REST: Duration = Duration::from_secs(120);
/// Rest where a site asks for one and does not say how long; doubled with each try.
const USUAL_REST: Duration = Duration::from_secs(2);
/// Requests for one address that is answered with 429 or 503.
pub(super) const MOST_TRIES: u32 = 3;

/// The pace of the requests of a run.
#[derive(Debug)]
pub(super) struct Pace {
    slots: Semaphore,
    /// Time between the beginnings of two requests.
    gap: Duration,
    /// When the next may begin.
    next: Mutex<Instant>,
}

impl Pace {
    /// So many requests at once, with so much time between their beginnings.
    pub(super) fn new(at_once: usize, gap: Duration) -> Self {
        Self { slots: Semaphore::new(at_once.max(1)), gap, next: Mutex::new(Instant::now()) }
    }

    /// Time between the beginnings of two requests.
    pub(super) fn gap(&self) -> Duration {
        self.gap
    }

    /// Waits until a request may begin; it has ended when the permit is dropped.
    #[expect(clippy::disallowed_methods, reason = "politeness is a wait")]
    pub(super) async fn enter(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        let permit = self.slots.acquire().await.ok()?;
        loop {
            let begins = {
                let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
                let now = Instant::now();
                if *next <= now {
                    *next = now + self.gap;
                    return Some(permit);
                }
                *next
            };
            tokio::time::sleep_until(begins).await;
        }
    }

    /// Takes note of an answer: a site that asks for rest gets it. `true` where the address is to be asked again.
    pub(super) fn note(&self, answer: &Fetched, tries: u32) -> bool {
        let Some(rest) = rest(answer, tries) else { return false };
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = (*next).max(Instant::now() + rest);
        tries < MOST_TRIES
    }
}

/// How long a site asks to be left alone: 429, or 503 with or without a time (RFC 9110 §10.2.3, in seconds).
pub(super) fn rest(answer: &Fetched, tries: u32) -> Option<Duration> {
    let exchange = answer.response()?;
    if !matches!(exchange.status, 429 | 503) {
        return None;
    }
    let asked = exchange.header("retry-after").and_then(|value| value.trim().parse::<u64>().ok());
    // A server error without a time is an answer like others.
    if exchange.status == 503 && asked.is_none() {
        return None;
    }
    let usual = USUAL_REST * 2u32.saturating_pow(tries.saturating_sub(1).min(6));
    Some(asked.map_or(usual, Duration::from_secs).min(MOST_REST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::capture::{Body, Exchange, Timing};

    fn answer(status: u16, retry_after: Option<&str>) -> Fetched {
        let header = retry_after.map(|value| ("retry-after".to_owned(), value.to_owned()));
        Fetched::Response(Exchange {
            hops: Vec::new(),
            url: String::new(),
            status,
            headers: header.into_iter().collect(),
            body: Body::default(),
            timing: Timing::default(),
            ambiguous_length: false,
            certificate: None,
        })
    }

    #[tokio::test(start_paused = true)]
    async fn requests_keep_their_distance_and_a_site_gets_its_rest() {
        let begun = Instant::now();
        let pace = Pace::new(4, Duration::from_secs(2));
        for expected in [0, 2, 4] {
            let permit = pace.enter().await;
            assert!(permit.is_some());
            assert_eq!(begun.elapsed().as_secs(), expected);
        }
        assert!(pace.note(&answer(429, Some("30")), 1));
        drop(pace.enter().await);
        assert_eq!(begun.elapsed().as_secs(), 34);
        assert!(!pace.note(&answer(200, None), 1) && !pace.note(&answer(503, None), 1));
        assert!(!pace.note(&answer(503, Some("86400")), MOST_TRIES), "not asked for ever");
        drop(pace.enter().await);
        assert_eq!(begun.elapsed().as_secs(), 34 + 120, "no rest is longer than two minutes");
    }
}
