//! `site-audit operator purge`: the word of a person that the clock is right.

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;

use crate::cli::output::print;
use crate::cli::place;
use render::shown::printable;
use service::Services;
use service::jobs;
use service::ports::Ports;

pub(super) const HELP: &str = "\
The service deletes expired data every hour. It pauses for an hour after its clock jumped by more than a minute, or after a
start more than a day past the last purge, because a wrong clock would delete too much. Once you have checked the clock,
use this command to purge now. `--date` is today's date in UTC, as you know it: if the clock of this machine has another
date, nothing is deleted. Retention times are in the section `retention` of the configuration.

Exit codes: 0 deleted, 2 the clock has another date, or the database can't be reached.

Example:
  site-audit operator purge --date 2026-11-22";

/// Arguments of `site-audit operator purge`.
#[derive(Debug, Args)]
pub(super) struct Purge {
    /// Today's date in UTC.
    #[arg(long, value_name = "YYYY-MM-DD")]
    date: String,
    #[command(flatten)]
    place: place::ConfigArguments,
}

impl Purge {
    pub(super) fn run(self) -> Result<ExitCode> {
        let Self { date, place } = self;
        let ports = Ports::real();
        let today = ports.now().day().to_string();
        if date != today {
            bail!(
                "the clock of this machine says {today} (UTC), not {}: nothing was deleted; correct the clock or --date",
                printable(&date)
            );
        }
        let config = place.config()?;
        place::require_database(&config)?;
        place::runtime()?.block_on(async {
            let address = config.listen;
            let services = Services::open(config, ports, address, crate::assembly::build()).await?;
            let purged = jobs::purge(&services).await;
            services.database().store().close().await;
            let rows = purged.context("the database could not be purged")?;
            print(&format!("deleted {rows} {}\n", if rows == 1 { "row" } else { "rows" }))?;
            Ok(ExitCode::SUCCESS)
        })
    }
}
