//! Where the configuration of a command comes from, and the store that it names.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use service::config::{Config, Sources};
use service::database::open_store;
use store::{Store, database_file};

/// Bytes of a thread's stack. Calls of the service are deep, and an unoptimised program came to tokio's 2 MiB. Only what is
/// touched takes memory.
const STACK: usize = 4 * 1024 * 1024;

/// Where the configuration comes from.
#[derive(Debug, Default, Args)]
pub(super) struct ConfigArguments {
    /// Configuration file in TOML; by default site-audit.toml in this folder, if it exists.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address and port to listen on; port 0 picks a free one. Default: 127.0.0.1:8080.
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// Public origin for links. Default: the address of --listen.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// sqlite://PATH or postgres://… Default: sqlite://data/site-audit.db.
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
}

impl ConfigArguments {
    /// Reads the configuration.
    pub(super) fn config(self) -> Result<Config> {
        let flags = [("listen", self.listen), ("base_url", self.base_url), ("database_url", self.database_url)];
        let flags = flags.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
        Ok(Config::read(&Sources::of_process(self.config, flags))?)
    }
}

/// The runtime of a command.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.thread_stack_size(STACK).enable_all().build().context("the runtime could not be started")
}

/// An error where the configuration names the file of a database that is not there: commands of an operator never make one.
pub(super) fn require_database(config: &Config) -> Result<()> {
    match database_file(&config.database_url) {
        Some(file) if !file.is_file() => {
            bail!("there is no database at {}; set yours with --database-url or --config", file.display())
        }
        _ => Ok(()),
    }
}

/// Opens the store that the configuration names, runs `work` on it, and closes it.
pub(super) fn with_store<F>(place: ConfigArguments, work: impl FnOnce(Store) -> F) -> Result<ExitCode>
where
    F: Future<Output = Result<ExitCode>>,
{
    let config = place.config()?;
    require_database(&config)?;
    runtime()?.block_on(async {
        let store = open_store(&config.database_url).await?;
        let done = work(store.clone()).await;
        store.close().await;
        done
    })
}
