//! The service: everything that a request may use.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use fetch::Fetcher;
use model::time::Timestamp;
use store::Store;

use crate::accounts::Accounts;
use crate::allowance::Allowance;
use crate::api;
use crate::caller::{Proxies, token_digest};
use crate::catalog::tool::Examples;
use crate::ceilings::Ceilings;
use crate::config::Config;
use crate::cores::Cores;
use crate::database::{ANSWER_WITHIN, Database};
use crate::engine::Engine;
use crate::mail::Mailer;
use crate::operation::Operation;
use crate::payments::Payments;
use crate::ports::Ports;
use crate::surfaces::Documents;

/// The service. Cheap to clone.
#[derive(Debug, Clone)]
pub struct App {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: Config,
    base_url: String,
    is_on_loopback: bool,
    ports: Ports,
    accounts: Accounts,
    operator: Option<[u8; 32]>,
    engine: Engine,
    database: Database,
    allowance: Allowance,
    ceilings: Ceilings,
    payments: Payments,
    mailer: Option<Mailer>,
    proxies: Proxies,
    operations: Vec<Operation>,
    documents: Documents,
    examples: Examples,
    started_at: Timestamp,
}

impl App {
    /// Opens the database and sets everything up. `address` is where the service listens.
    pub async fn open(config: Config, ports: Ports, address: SocketAddr) -> Result<Self> {
        Self::open_patient(config, ports, address, ANSWER_WITHIN).await
    }

    /// The same with another patience for the database while a call is served: tests are for machines of any speed.
    pub async fn open_patient(
        config: Config,
        ports: Ports,
        address: SocketAddr,
        answer_within: Duration,
    ) -> Result<Self> {
        let base_url = base_url(&config, address);
        let fetcher = Fetcher::new(config.fetch_config(&base_url, address)).context("the fetching client")?;
        let cores = Cores::of_the_machine().context("the threads that judge pages")?;
        let operations = api::catalog();
        let documents = Documents::new(&operations, &config, &base_url).context("the descriptions of the API")?;
        let store = Store::open(&config.database_url).await.context("the database (database_url)")?;
        let accounts = Accounts::open(&config, &base_url, &ports).context("accounts (auth.secret)")?;
        if let Some(off) = accounts.off() {
            tracing::warn!("there are no accounts on this server: {off}");
        } else if !base_url.starts_with("https://") {
            tracing::warn!("plain http: cookies of accounts have neither the __Host- prefix nor Secure");
        }
        let inner = Inner {
            accounts,
            operator: config.operator.token.as_ref().map(|token| token_digest(token.expose())),
            engine: Engine::new(fetcher, cores).with_field_data(config.field_data_source()),
            database: Database::new(store, answer_within),
            allowance: Allowance::new(config.limits),
            ceilings: Ceilings::new(&config),
            payments: Payments::new(&config),
            mailer: Mailer::new(&config, &base_url).context("mail")?,
            proxies: Proxies::new(config.trusted_proxies.clone()),
            operations,
            documents,
            examples: Examples::default(),
            started_at: ports.now(),
            ports,
            is_on_loopback: address.ip().is_loopback(),
            base_url,
            config,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// The absolute URL of a path of ours.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.inner.base_url)
    }

    /// The public origin, without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.inner.base_url
    }

    /// Whether the public origin is https: decides cookies and transport headers.
    pub fn is_https(&self) -> bool {
        self.inner.base_url.starts_with("https://")
    }

    /// Whether nothing but this machine can reach the service, but for what a proxy on it passes on.
    pub fn is_on_loopback(&self) -> bool {
        self.inner.is_on_loopback
    }

    /// When it started.
    pub fn started_at(&self) -> Timestamp {
        self.inner.started_at
    }

    /// Time and chance.
    pub fn ports(&self) -> &Ports {
        &self.inner.ports
    }

    /// Accounts.
    pub fn accounts(&self) -> &Accounts {
        &self.inner.accounts
    }

    /// SHA-256 of the operator's token; `None` where there is none.
    pub(crate) fn operator_digest(&self) -> Option<&[u8; 32]> {
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

    /// What networks may still do.
    pub fn allowance(&self) -> &Allowance {
        &self.inner.allowance
    }

    /// How much fetches at once.
    pub fn ceilings(&self) -> &Ceilings {
        &self.inner.ceilings
    }

    /// Prices and how they are asked for.
    pub fn payments(&self) -> &Payments {
        &self.inner.payments
    }

    /// The mail server; `None` where none is configured.
    pub fn mailer(&self) -> Option<&Mailer> {
        self.inner.mailer.as_ref()
    }

    /// The proxies in front of the service.
    pub fn proxies(&self) -> &Proxies {
        &self.inner.proxies
    }

    /// Every endpoint of the API, in the order of the documentation.
    pub fn operations(&self) -> &[Operation] {
        &self.inner.operations
    }

    /// The worked examples of the catalog.
    pub(crate) fn examples(&self) -> &Examples {
        &self.inner.examples
    }

    /// What describes the API.
    pub fn documents(&self) -> &Documents {
        &self.inner.documents
    }
}

/// The public origin: as configured, else the address that is listened on, with `localhost` for an unspecified one.
fn base_url(config: &Config, address: SocketAddr) -> String {
    match &config.base_url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None if address.ip().is_unspecified() => format!("http://localhost:{}", address.port()),
        None => format!("http://{address}"),
    }
}

/// The short commit id that this program was built from.
pub const BUILD: &str = env!("BUILD_COMMIT");

/// The day of that commit, `2026-01-31`; that of the catalog of checks, where this program was built outside a checkout.
pub(crate) fn build_day() -> &'static str {
    let day = env!("BUILD_DAY");
    if day.is_empty() { audit::report::CATALOG_VERSION } else { day }
}
