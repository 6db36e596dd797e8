//! The dependencies of use cases: configuration, clock, database, engine, mail, payments, counters. No routes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use engine::{Cores, Engine};
use fetch::Fetcher;
use model::time::Timestamp;
use render::mail::Sender;

use crate::allowance::Allowance;
use crate::browser_errors::BrowserErrors;
use crate::concurrency::ConcurrencyLimits;
use crate::config::{ChallengeProvider, Config};
use crate::counting::Counter;
use crate::credential::token_digest;
use crate::database::{ANSWER_WITHIN, Database, open_store};
use crate::figures::CachedFigures;
use crate::lab::Lab;
use crate::logo::Logo;
use crate::mail::Mailer;
use crate::metrics::ProcessMetrics;
use crate::ports::Ports;
use crate::running::RunningAudits;
use crate::site_desk::SiteDesk;
use crate::traces::Traces;
use crate::vault::Vault;
use crate::written_answers::{AnswerName, WrittenAnswers};
use crate::x402::Payments;

/// The build of the program.
#[derive(Debug, Clone, Copy)]
pub struct Build {
    /// The short id of its commit.
    pub commit: &'static str,
    /// The day of that commit, `2026-01-31`; empty where the program was built outside a checkout.
    pub day: &'static str,
}

/// How long the service waits for others. Tests on slow machines need other times.
#[derive(Debug, Clone, Copy)]
pub struct Waits {
    /// For an answer of the database.
    pub database: Duration,
    /// For the head of a target's response, a page and an audit; `None` for the usual timeouts of each.
    pub target: Option<Duration>,
}

impl Default for Waits {
    fn default() -> Self {
        Self { database: ANSWER_WITHIN, target: None }
    }
}

/// The dependencies of use cases. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Services {
    inner: Arc<ServicesInner>,
}

#[derive(Debug)]
struct ServicesInner {
    config: Config,
    base_url: String,
    is_on_loopback: bool,
    ports: Ports,
    vault: Vault,
    operator: Option<[u8; 32]>,
    engine: Engine,
    database: Database,
    allowance: Allowance,
    counter: Counter,
    figures: CachedFigures,
    answers: WrittenAnswers,
    concurrency: ConcurrencyLimits,
    payments: Payments,
    mailer: Option<Mailer>,
    logo: Option<Logo>,
    browser_errors: BrowserErrors,
    lab: Lab,
    metrics: ProcessMetrics,
    traces: Traces,
    running: RunningAudits,
    sites: SiteDesk,
    build: Build,
    started_at: Timestamp,
    are_purges_held: AtomicBool,
}

impl Services {
    /// Opens the database and sets everything up. `address` is where the service listens.
    pub async fn open(config: Config, ports: Ports, address: SocketAddr, build: Build) -> Result<Self> {
        Self::open_patient(config, ports, address, build, Waits::default()).await
    }

    /// The same with other timeouts.
    pub async fn open_patient(
        config: Config,
        ports: Ports,
        address: SocketAddr,
        build: Build,
        waits: Waits,
    ) -> Result<Self> {
        let base_url = base_url(&config, address);
        let mut fetching = config.fetch_config(&base_url, address);
        fetching.limits.head = waits.target.unwrap_or(fetching.limits.head);
        // Made while the database is opened, which has threads of its own.
        let working = async {
            let fetcher = Fetcher::new(fetching).context("the fetching client")?;
            anyhow::Ok((fetcher, Cores::of_the_machine().context("the threads that judge pages")?))
        };
        let (store, working) = tokio::join!(open_store(&config.database_url), working);
        let (fetcher, cores) = working?;
        let store = store?;
        let vault = Vault::open(&config, &base_url, &ports).context("accounts (auth.secret)")?;
        if let Some(off) = vault.off().filter(|_| config.challenge.provider != ChallengeProvider::Off) {
            bail!("challenge.provider: must be off on this server: {off}");
        }
        if let Some(off) = vault.off() {
            tracing::warn!("there are no accounts on this server: {off}");
        } else if !base_url.starts_with("https://") {
            tracing::warn!("plain http: cookies of accounts have neither the __Host- prefix nor Secure");
        }
        let engine = Engine::new(fetcher.clone(), cores).with_field_data(config.field_data_source());
        let engine = waits.target.into_iter().fold(engine, Engine::waiting);
        let inner = ServicesInner {
            vault,
            operator: config.operator.token.as_ref().map(|token| token_digest(token.expose())),
            lab: Lab::new(&config, &fetcher),
            engine,
            database: Database::new(store, waits.database),
            allowance: Allowance::new(config.limits),
            counter: Counter::default(),
            figures: CachedFigures::default(),
            answers: WrittenAnswers::default(),
            concurrency: ConcurrencyLimits::new(&config),
            payments: Payments::new(&config, &base_url),
            mailer: Mailer::new(&config, &base_url).context("mail")?,
            logo: config.product.logo.as_deref().map(Logo::read).transpose().context("product.logo")?,
            browser_errors: BrowserErrors::default(),
            metrics: ProcessMetrics::default(),
            traces: Traces::new(&config.otel, &config.product.id, env!("CARGO_PKG_VERSION"), &ports),
            running: RunningAudits::default(),
            sites: SiteDesk::default(),
            started_at: ports.now(),
            are_purges_held: AtomicBool::new(false),
            ports,
            is_on_loopback: address.ip().is_loopback(),
            base_url,
            config,
            build,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// The absolute URL of one of our paths.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.inner.base_url)
    }

    /// The public origin, without a trailing slash.
    pub fn base_url(&self) -> &str {
        &self.inner.base_url
    }

    /// Whether the public origin is https: decides cookies and transport headers.
    pub fn is_https(&self) -> bool {
        self.inner.base_url.starts_with("https://")
    }

    /// Whether the server listens on loopback only; a proxy on the machine may still make it public.
    pub fn is_on_loopback(&self) -> bool {
        self.inner.is_on_loopback
    }

    /// When it started.
    pub fn started_at(&self) -> Timestamp {
        self.inner.started_at
    }

    /// Whether nothing may be purged, because the clock jumped.
    pub(crate) fn are_purges_held(&self) -> bool {
        self.inner.are_purges_held.load(Ordering::Relaxed)
    }

    /// Sets whether purging waits.
    pub(crate) fn hold_purges(&self, are_held: bool) {
        self.inner.are_purges_held.store(are_held, Ordering::Relaxed);
    }

    /// Clock and randomness.
    pub fn ports(&self) -> &Ports {
        &self.inner.ports
    }

    /// Secrets of accounts: keys, password hashing, picture processing.
    pub fn vault(&self) -> &Vault {
        &self.inner.vault
    }

    /// The sender of mail: product name and base URL of links.
    pub fn sender(&self) -> Sender<'_> {
        Sender { product: &self.inner.config.product.name, base_url: &self.inner.base_url }
    }

    /// The build of the program.
    pub fn build(&self) -> Build {
        self.inner.build
    }

    /// SHA-256 of the operator's token; `None` without one.
    pub fn operator_digest(&self) -> Option<&[u8; 32]> {
        self.inner.operator.as_ref()
    }

    /// The audit loop.
    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// The database.
    pub fn database(&self) -> &Database {
        &self.inner.database
    }

    /// The allowance of free audits, and rate limits.
    pub fn allowance(&self) -> &Allowance {
        &self.inner.allowance
    }

    /// What is counted of the service's use.
    pub fn counter(&self) -> &Counter {
        &self.inner.counter
    }

    /// Figures that were read a while ago.
    pub(crate) fn figures(&self) -> &CachedFigures {
        &self.inner.figures
    }

    /// Answers that were written a moment ago.
    pub fn answers(&self) -> &WrittenAnswers {
        &self.inner.answers
    }

    /// The name of an answer that depends on `parts` and, as all do, on the build.
    pub fn answer_name(&self, parts: &[Option<&str>]) -> AnswerName {
        let Build { commit, day } = self.inner.build;
        let build = [env!("CARGO_PKG_VERSION"), commit, day].map(Some);
        AnswerName::of(build.into_iter().chain(parts.iter().copied()))
    }

    /// Concurrency limits.
    pub fn concurrency(&self) -> &ConcurrencyLimits {
        &self.inner.concurrency
    }

    /// Prices and payment requirements.
    pub fn payments(&self) -> &Payments {
        &self.inner.payments
    }

    /// The provider of lab tests.
    pub fn lab(&self) -> &Lab {
        &self.inner.lab
    }

    /// The mail server; `None` when none is configured.
    pub fn mailer(&self) -> Option<&Mailer> {
        self.inner.mailer.as_ref()
    }

    /// The operator's logo; `None` where none is configured.
    pub fn logo(&self) -> Option<&Logo> {
        self.inner.logo.as_ref()
    }

    /// What this process has done.
    pub fn metrics(&self) -> &ProcessMetrics {
        &self.inner.metrics
    }

    /// Traces of requests and jobs.
    pub fn traces(&self) -> &Traces {
        &self.inner.traces
    }

    /// Audits that run for a page.
    pub fn running(&self) -> &RunningAudits {
        &self.inner.running
    }

    /// Runs over sites, as far as this process works on them.
    pub(crate) fn sites(&self) -> &SiteDesk {
        &self.inner.sites
    }

    /// Errors that browsers reported in this minute.
    pub fn browser_errors(&self) -> &BrowserErrors {
        &self.inner.browser_errors
    }
}

/// The public origin: as configured, otherwise the listening address, with `localhost` for an unspecified one.
fn base_url(config: &Config, address: SocketAddr) -> String {
    match &config.base_url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None if address.ip().is_unspecified() => format!("http://localhost:{}", address.port()),
        None => format!("http://{address}"),
    }
}
