//! `site-audit operator payments`.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use super::with_store;
use crate::cli::{print, serve};
use crate::shown::printable;

/// Payments that are listed at most.
const LISTED: u32 = 200;

pub(super) const HELP: &str = "\
Payments of which neither the facilitator nor a node (payments.rpc_url) could tell whether they settled, oldest first: look
for the payer's nonce on the chain. They are asked about again by themselves.

Exit codes: 0 printed, 2 the database can't be reached.

Example:
  site-audit operator payments";

/// Arguments of `site-audit operator payments`.
#[derive(Debug, Args)]
pub(super) struct List {
    #[command(flatten)]
    place: serve::Arguments,
}

impl List {
    pub(super) fn run(self) -> Result<ExitCode> {
        with_store(self.place, async |store| {
            let unclear = store.unclear_payments(LISTED).await?;
            let mut text = String::new();
            if unclear.is_empty() {
                text.push_str("no payment is unclear\n");
            }
            for payment in unclear {
                // Writing to a String can't fail.
                let _ = writeln!(
                    text,
                    "{}  {} USD  {}  since {}\n    payer {}, nonce {}, {}: {}",
                    payment.lease.id,
                    payment.amount,
                    payment.operation,
                    payment.created_at,
                    payment.key.payer,
                    payment.key.nonce,
                    payment.transaction.as_deref().unwrap_or("no transaction known"),
                    printable(payment.reason.as_deref().unwrap_or_default()),
                );
            }
            print(&text)?;
            Ok(ExitCode::SUCCESS)
        })
    }
}
