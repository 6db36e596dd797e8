//! `site-audit operator`: what only one who runs a server does.

mod jobs;

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use store::Store;

use super::serve;

/// Arguments of `site-audit operator`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

// One database, named as for the service.
#[derive(Debug, Subcommand)]
enum Command {
    /// List work that waits, or that was given up: mail that can't be sent, watches.
    #[command(after_help = jobs::LIST_HELP)]
    Jobs(jobs::List),
    /// Make a job that was given up wait again.
    #[command(after_help = jobs::RETRY_HELP)]
    Retry(jobs::Retry),
}

impl Arguments {
    /// Does what was asked.
    pub(super) fn run(self) -> Result<ExitCode> {
        match self.command {
            Command::Jobs(list) => list.run(),
            Command::Retry(retry) => retry.run(),
        }
    }
}

/// Does something with the store that the configuration names.
fn with_store<F>(place: serve::Arguments, work: impl FnOnce(Store) -> F) -> Result<ExitCode>
where
    F: Future<Output = Result<ExitCode>>,
{
    let config = place.config()?;
    serve::runtime()?.block_on(async {
        let store = Store::open(&config.database_url).await.context("the database (database_url)")?;
        let done = work(store.clone()).await;
        store.close().await;
        done
    })
}
