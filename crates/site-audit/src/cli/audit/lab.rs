//! The lab test of `site-audit audit --lab`, by the provider of the configuration.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use engine::Engine;
use fetch::Fetcher;
use lab::failure::Failure;
use lab::outcome;
use lab::provider::Provider;
use lab::reading::RenderedPage;
use lab::request::LabRequest;
use model::lab::{LabTests, Strategy};
use model::lang::{Lang, Text, text};
use model::rendered::RenderedPages;
use model::summary::PageSummary;
use render::format::PageOutcome;
use render::shown::{address, printable};
use service::config::{Config, Sources};
use service::ports::Ports;
use tokio::sync::Semaphore;
use url::Url;

use crate::cli::output::tell;

/// Tests at once, whatever the number of pages.
const AT_ONCE: usize = 4;
/// Runs the lab test of each audited page. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct LabRun {
    provider: Arc<Provider>,
    slots: Arc<Semaphore>,
    strategy: Strategy,
    lang: Lang,
    is_heard: bool,
    /// Whether the rendered page is compared.
    is_rendered: bool,
}

impl LabRun {
    /// With the provider that file and environment configure; an error where that is none.
    pub(super) fn open(strategy: Strategy, lang: Lang, fetcher: &Fetcher, is_heard: bool) -> Result<Self> {
        let config = Config::read(&Sources::of_process(None, Vec::new())).context("lab tests")?;
        let provider = service::lab::provider(&config, fetcher);
        if !provider.is_on() {
            bail!(
                "lab.provider is off: set it to pagespeed, with lab.key, or to lighthouse, in site-audit.toml or the environment"
            );
        }
        let slots = Arc::new(Semaphore::new(AT_ONCE.min(provider.at_once())));
        Ok(Self { provider: Arc::new(provider), slots, strategy, lang, is_heard, is_rendered: config.lab.rendered })
    }

    /// Tests an audited page, and adds the result to its report. A page that could not be audited is left alone.
    pub(super) async fn add_to(&self, engine: &Engine, audited: &mut PageOutcome) -> Result<()> {
        const RUNNING: Text = text("lab test of {page} is running", "teste de laboratório de {page} em andamento");
        const ENDED: Text = text("lab test of {page} finished", "teste de laboratório de {page} concluído");
        const FAILED: Text = text("lab test of {page} failed", "teste de laboratório de {page} falhou");
        let page = printable(&address(&audited.url));
        let Ok(report) = &mut audited.result else { return Ok(()) };
        let Some(summary) = &mut report.summary else { return Ok(()) };
        let _slot = self.slots.acquire().await.context("the run ended")?;
        self.tell(RUNNING, &page);
        let running = outcome::running(self.strategy, Ports::real().now(), self.provider.source());
        let test = match self.measured(&summary.final_url).await {
            Ok(mut measured) => {
                if let Some(page) = measured.rendered.take().filter(|_| self.is_rendered) {
                    summary.rendered = Some(self.compared(engine, summary.clone(), page).await?);
                }
                summary.crux = summary.crux.take().or(measured.field_data.take());
                outcome::finished(running, measured)
            }
            Err(failure) => {
                tell(&format!("{page}: {failure}"));
                outcome::failed(running, &failure)
            }
        };
        self.tell(if test.scores.is_some() { ENDED } else { FAILED }, &page);
        let mut tests = LabTests::default();
        tests.set(test);
        summary.lab = Some(tests);
        Ok(())
    }

    /// What scripts changed of the page.
    async fn compared(&self, engine: &Engine, source: PageSummary, page: RenderedPage) -> Result<RenderedPages> {
        let capture = audit::rendered::capture(&page.url, page.html, Ports::real().now());
        let comparing = engine.judge(capture, move |page| audit::rendered::rendered(&source, &page));
        let compared = comparing.await.map_err(|failure| anyhow!("the rendered page was not compared: {failure:?}"))?;
        let mut pages = RenderedPages::default();
        pages.set(self.strategy, compared);
        Ok(pages)
    }

    async fn measured(&self, url: &str) -> Result<lab::reading::Measured, Failure> {
        let url = Url::parse(url).map_err(|_| Failure::Trouble("url"))?;
        let request = LabRequest { url, strategy: self.strategy, lang: self.lang };
        match self.provider.run(&request).await {
            Err(failure) => match failure.second_try() {
                Some(wait) => {
                    pause(wait).await;
                    self.provider.run(&request).await
                }
                None => Err(failure),
            },
            measured => measured,
        }
    }

    fn tell(&self, sentence: Text, page: &str) {
        if self.is_heard {
            tell(sentence.phrase(&[("page", page.into())]).in_lang(self.lang));
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the pause that a provider asks for")]
async fn pause(wait: Duration) {
    tokio::time::sleep(wait).await;
}
