//! Memory of parsed pages: small ones are unlimited, large ones share a fixed amount.

use std::sync::Arc;

use audit::Page;
use model::capture::{Capture, Fetched};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::failure::{AuditFailure, on_a_core};
use crate::cores::Cores;

/// Bytes of a parsed page that are not counted: real pages take less.
const LIGHT_PAGE: usize = 2 * 1024 * 1024;
/// KiB that all larger pages may take together while they wait for files: with 64 small ones, 224 MiB.
const HEAVY_PAGES_KIB: u32 = 96 * 1024;

/// The memory shared by large parsed pages. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct PageMemory {
    /// KiB.
    heavy: Arc<Semaphore>,
}

/// A parsed page, with its memory reservation if it is large.
#[derive(Debug)]
pub(super) struct Parsed {
    /// In a box: it has kilobytes itself, and lies in every future on its way to who judges it.
    pub(super) page: Box<Page>,
    _memory: Option<OwnedSemaphorePermit>,
}

impl PageMemory {
    /// All of it free.
    pub(super) fn new() -> Self {
        Self { heavy: Arc::new(Semaphore::new(HEAVY_PAGES_KIB as usize)) }
    }

    /// Bytes that large pages hold, and the most that they may.
    pub(super) fn held(&self) -> (usize, usize) {
        let most = HEAVY_PAGES_KIB as usize;
        (most.saturating_sub(self.heavy.available_permits()) * 1024, most * 1024)
    }

    /// Parses a page. A large one that finds no memory is dropped, and parsed again when there is some: so pages
    /// waiting for slow files can't fill the memory, and nothing waits for memory while it holds a core.
    pub(super) async fn parse(
        &self,
        cores: &Cores,
        capture: Arc<Capture>,
        until: Instant,
    ) -> Result<Parsed, AuditFailure> {
        let bytes = page_bytes(&capture);
        let read = || {
            let capture = Arc::clone(&capture);
            on_a_core(cores, bytes, until, move || Box::new(Page::read(&capture)))
        };
        let page = read().await?;
        let kib = u32::try_from(page.memory() / 1024).unwrap_or(u32::MAX).min(HEAVY_PAGES_KIB);
        if kib as usize * 1024 <= LIGHT_PAGE {
            return Ok(Parsed { page, _memory: None });
        }
        if let Ok(memory) = Arc::clone(&self.heavy).try_acquire_many_owned(kib) {
            return Ok(Parsed { page, _memory: Some(memory) });
        }
        drop(page);
        let waiting = timeout_at(until, Arc::clone(&self.heavy).acquire_many_owned(kib));
        let Ok(Ok(memory)) = waiting.await else { return Err(AuditFailure::Overloaded) };
        Ok(Parsed { page: read().await?, _memory: Some(memory) })
    }
}

/// Size of the page of a capture in bytes.
pub(super) fn page_bytes(capture: &Capture) -> usize {
    match &capture.page {
        Fetched::Response(exchange) => exchange.body.bytes.len(),
        Fetched::Failed(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use model::time::Timestamp;

    use super::*;
    use audit::supplied::Supplied;

    fn capture(html: &str) -> Arc<Capture> {
        Arc::new(Supplied::page("https://example.com/".parse().unwrap(), html.into()).capture(Timestamp(0)))
    }

    #[tokio::test]
    async fn a_large_page_holds_its_memory_and_a_small_one_none() {
        let (memory, cores) = (PageMemory::new(), Cores::start(1).unwrap());
        let until = Instant::now() + Duration::from_secs(600);
        let most = 96 * 1024 * 1024;
        assert_eq!(memory.held(), (0, most));
        let small = memory.parse(&cores, capture("<p>a"), until).await.unwrap();
        assert!(small.page.memory() <= 2 * 1024 * 1024);
        assert_eq!(memory.held(), (0, most));
        let large = capture(&"<p>a".repeat(200_000));
        assert_eq!(page_bytes(&large), 800_000);
        let large = memory.parse(&cores, large, until).await.unwrap();
        let (bytes, kib) = (large.page.memory(), large.page.memory() / 1024);
        assert!(bytes > 2 * 1024 * 1024 && bytes < most, "{bytes}");
        assert_eq!(memory.held(), (kib * 1024, most));
        drop(large);
        assert_eq!(memory.held(), (0, most));
    }

    /// Pages of many elements and ever longer comments, until they are well past the limit.
    #[tokio::test]
    async fn a_page_of_more_than_2_mib_is_large() {
        let (memory, cores) = (PageMemory::new(), Cores::start(1).unwrap());
        let until = Instant::now() + Duration::from_secs(600);
        let (mut light, mut heavy) = (0, 0);
        let elements = "<p>a".repeat(8_000);
        for length in (1..64).map(|step| step * 32 * 1024) {
            let html = format!("<!--{}-->{elements}", "a".repeat(length));
            let page = memory.parse(&cores, capture(&html), until).await.unwrap();
            let kib = page.page.memory() / 1024;
            let is_large = kib > 2_048;
            assert_eq!(memory.held().0, if is_large { kib * 1024 } else { 0 }, "{kib} KiB");
            match (is_large, kib < 2_304) {
                (false, _) => light += 1,
                (true, true) => heavy += 1,
                (true, false) => break,
            }
        }
        assert!(light > 0 && heavy > 0, "some were just above it: {light} {heavy}");
    }
}
