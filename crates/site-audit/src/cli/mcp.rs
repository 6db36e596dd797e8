//! `site-audit mcp`: the MCP server over standard input and output, for agents on this machine.

use std::io::{BufRead as _, Read as _};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use api::site::Site;
use api::web::{MESSAGE_BYTES, answer_line};
use clap::Args;
use model::lang::Lang;
use service::blocking::off_worker;
use service::config::{Config, FixedName, TargetPorts};
use service::error::ServiceError;
use service::guests;
use service::ports::Ports;
use tokio::task::JoinSet;

use super::output::print;
use super::place::runtime;

/// Messages that are answered at once; further ones wait in the pipe.
const AT_ONCE: usize = 8;

const MORE_HELP: &str = "\
The same tools as the MCP server of a service, without running a service: audits are kept in a temporary folder until the
command ends. Every call is made for one guest, so no token is needed. No web server runs, so links in responses don't open.

Exit codes: 0 the input ended, 2 could not start.

Examples:
  site-audit mcp
  site-audit mcp --allow-private
  claude mcp add site-audit -- site-audit mcp --allow-private";

/// Arguments of `site-audit mcp`.
#[derive(Debug, Args)]
#[command(after_help = MORE_HELP)]
pub(super) struct McpArguments {
    /// Allow private addresses and any port, to audit your own machines.
    #[arg(long)]
    allow_private: bool,
}

impl McpArguments {
    /// Answers messages until the input ends.
    pub(super) fn run(self) -> Result<ExitCode> {
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let database = folder.path().join("mcp.db");
        let mut config = Config { database_url: format!("sqlite://{}", database.display()), ..Config::default() };
        if self.allow_private {
            config.fetch.allow_private = vec!["0.0.0.0/0".parse()?, "::/0".parse()?];
            config.fetch.allow_ports = TargetPorts::Any;
            let here = |address| FixedName { name: "localhost".to_owned(), address };
            config.fetch.resolve = vec![here(Ipv4Addr::LOCALHOST.into()), here(Ipv6Addr::LOCALHOST.into())];
        }
        runtime()?.block_on(async {
            let address = config.listen;
            let site = crate::assembly::open(config, Ports::real(), address).await?;
            let (_, token) = guests::create(site.services()).await.map_err(failed)?;
            let served = serve(&site, &token).await;
            site.services().database().store().close().await;
            served.map(|()| ExitCode::SUCCESS)
        })
    }
}

async fn serve(site: &Site, token: &str) -> Result<()> {
    let mut running = JoinSet::new();
    while let Some(line) = off_worker(next_line).await.map_err(failed)?? {
        if running.len() == AT_ONCE {
            finish(running.join_next().await)?;
        }
        let (site, token) = (site.clone(), token.to_owned());
        running.spawn(async move {
            match answer_line(&site, line.into(), &token).await {
                Some(answer) => print(&format!("{}\n", String::from_utf8_lossy(&answer))),
                None => Ok(()),
            }
        });
    }
    while let Some(done) = running.join_next().await {
        finish(Some(done))?;
    }
    Ok(())
}

fn failed(error: ServiceError) -> anyhow::Error {
    anyhow!(error.message(Lang::En))
}

fn finish(done: Option<Result<Result<()>, tokio::task::JoinError>>) -> Result<()> {
    match done {
        Some(done) => done.context("a call was cut off")?,
        None => Ok(()),
    }
}

/// The next line that holds something; `None` at the end of the input.
fn next_line() -> Result<Option<Vec<u8>>> {
    loop {
        let mut line = Vec::new();
        let most = MESSAGE_BYTES as u64 + 1;
        let read = std::io::stdin().lock().take(most).read_until(b'\n', &mut line)?;
        if line.len() > MESSAGE_BYTES {
            bail!("a message is longer than {MESSAGE_BYTES} bytes");
        }
        if read == 0 {
            return Ok(None);
        }
        if !line.iter().all(u8::is_ascii_whitespace) {
            return Ok(Some(line));
        }
    }
}
