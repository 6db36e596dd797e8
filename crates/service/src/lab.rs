//! What lab tests share in this process: the provider, its circuit breaker, and who waits for a test's end.

mod breaker;
mod filmstrips;

use std::sync::Arc;

use fetch::Fetcher;
use lab::lighthouse::{FOLDER, LighthouseSettings, RunLimits, Runner};
use lab::pagespeed::PageSpeed;
use lab::provider::Provider;
use model::id::AuditId;
use model::lab::{LabFrame, LabTest};
use model::time::Timestamp;
use url::Url;

use crate::config::{Config, LabProvider, LabSettings};
use crate::waiting::{Awaited, Waiting};
use breaker::Breaker;
use filmstrips::Filmstrips;

/// The provider of lab tests and its state in this process.
#[derive(Debug)]
pub struct Lab {
    pub(crate) provider: Provider,
    pub(crate) breaker: Breaker,
    pub(crate) waiting: Waiting,
    pub(crate) filmstrips: Filmstrips,
    at_once: usize,
}

impl Lab {
    /// As configured.
    pub(crate) fn new(config: &Config, fetcher: &Fetcher) -> Self {
        let provider = provider(config, fetcher);
        let configured = usize::try_from(config.lab.at_once).unwrap_or(usize::MAX);
        let at_once = configured.min(provider.at_once());
        Self {
            provider,
            breaker: Breaker::default(),
            waiting: Waiting::new(Awaited::Labs),
            filmstrips: Filmstrips::default(),
            at_once,
        }
    }

    /// Pictures of the page while it loaded, by a test that this server ran within the last 15 minutes.
    pub fn filmstrip(&self, audit: &AuditId, test: &LabTest, now: Timestamp) -> Arc<[LabFrame]> {
        self.filmstrips.of(audit, test, now)
    }

    /// Callers who wait for the end of a test.
    pub fn waiting(&self) -> usize {
        self.waiting.count()
    }

    /// Answers all callers who wait: the server stops.
    pub fn end_waits(&self) {
        self.waiting.end();
    }

    /// Tests that this server runs at once; others wait in the queue of jobs.
    pub(crate) fn at_once(&self) -> usize {
        self.at_once
    }

    /// Whether this server runs lab tests.
    pub fn is_on(&self) -> bool {
        self.provider.is_on()
    }
}

/// The configured provider; also for the command line.
pub fn provider(config: &Config, fetcher: &Fetcher) -> Provider {
    let settings = &config.lab;
    match (settings.provider, &settings.key, Url::parse(&settings.url)) {
        (LabProvider::Pagespeed, Some(key), Ok(endpoint)) => {
            Provider::PageSpeed(PageSpeed::new(fetcher.clone(), endpoint, key.expose().to_owned()))
        }
        (LabProvider::Lighthouse, ..) => {
            Provider::Lighthouse(Runner::new(lighthouse(settings), fetcher.clone(), RunLimits::default()))
        }
        // A configuration without key or with an invalid URL does not pass validation.
        (LabProvider::Off | LabProvider::Pagespeed, ..) => Provider::Off,
    }
}

fn lighthouse(settings: &LabSettings) -> LighthouseSettings {
    LighthouseSettings {
        folder: settings.folder.clone().unwrap_or_else(|| FOLDER.into()),
        chromium: settings.chromium.clone(),
        sandbox: settings.sandbox,
        rendered: settings.rendered,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sandbox_is_on_and_the_rendered_page_off_unless_the_operator_says_otherwise() {
        let settings = LabSettings::default();
        let of = |settings: &LabSettings| (lighthouse(settings).sandbox, lighthouse(settings).rendered);
        assert_eq!(of(&settings), (true, false));
        assert_eq!(of(&LabSettings { sandbox: false, rendered: true, ..settings }), (false, true));
    }
}
