//! `site-audit operator receipt-keys`: the public keys that verify signed receipts.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use model::time::Timestamp;
use serde::Serialize;
use store::ReceiptKeyRecord;

use super::list::ListFormat;
use crate::cli::output::print;
use crate::cli::place::{self, with_store};
use render::shown::printable;

pub(super) const HELP: &str = "\
Keys that signed receipts stay at /.well-known/jwks.json after auth.secret was replaced. If an old secret may be known to
others, whoever has it can sign as this server: forget its key. Receipts that it signed are then no longer verified.

Exit codes: 0 success, 2 unknown key, or the database can't be reached.

Examples:
  site-audit operator receipt-keys
  site-audit operator receipt-keys --forget kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";

/// Arguments of `site-audit operator receipt-keys`.
#[derive(Debug, Args)]
pub(super) struct ReceiptKeys {
    /// Remove this key from the set.
    #[arg(long, value_name = "ID")]
    forget: Option<String>,
    /// Output format.
    #[arg(long, default_value = "text", conflicts_with = "forget")]
    format: ListFormat,
    #[command(flatten)]
    place: place::ConfigArguments,
}

/// A key as it is printed.
#[derive(Debug, Serialize)]
struct KeyLine {
    id: String,
    since: Timestamp,
}

impl ReceiptKeys {
    /// Runs the command.
    pub(super) fn run(self) -> Result<ExitCode> {
        let Self { forget, format, place } = self;
        with_store(place, async move |store| {
            if let Some(id) = forget {
                if !store.forget_receipt_key(&id).await? {
                    bail!("no key {}", printable(&id));
                }
                print("forgotten\n")?;
                return Ok(ExitCode::SUCCESS);
            }
            let line = |key: ReceiptKeyRecord| KeyLine { id: key.id, since: key.created_at };
            let lines: Vec<KeyLine> = store.receipt_keys().await?.into_iter().map(line).collect();
            format.print(&lines, table)
        })
    }
}

fn table(lines: &[KeyLine]) -> String {
    if lines.is_empty() {
        return "no receipts were signed\n".to_owned();
    }
    lines.iter().map(|line| format!("{}  {}\n", line.since, line.id)).collect()
}
