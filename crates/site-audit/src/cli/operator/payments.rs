//! `site-audit operator payments`, and what a person decides of one of them.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use store::{PaymentDecision, StoredPayment};

use crate::cli::output::print;
use crate::cli::place::{self, with_store};
use render::shown::printable;
use service::ports::Ports;
use service::x402::is_transaction;

/// Payments that are listed at most.
const LISTED: u32 = 200;
/// Why a payment lapsed that the operator says never to have settled.
const BY_OPERATOR: &str = "operator";

pub(super) const HELP: &str = "\
Without a command, lists payments with an unknown outcome: neither the facilitator nor a node (payments.rpc_url) could say
whether they settled. At most 200, oldest first. The service keeps checking them. Decide the ones that remain after you
have looked up payer and nonce on the chain (events AuthorizationUsed and AuthorizationCanceled of the token).

Exit codes: 0 success, 2 the database can't be reached.

Examples:
  site-audit operator payments
  site-audit operator payments settle 0192f0c1-2345-7abc-8def-0123456789ab --transaction 0x…
  site-audit operator payments lapse 0192f0c1-2345-7abc-8def-0123456789ab";

const SETTLE_HELP: &str = "\
Use this if a transaction has both the event AuthorizationUsed of this payer and nonce and the transfer to you. A caller
who repeats the call with the same payment gets the result, or the credit; the payment counts as income. This can't be
undone.

Exit codes: 0 success, 2 no payment with this id has an unknown outcome (one that is being checked right now does not
count: try again in three minutes), or the database can't be reached.

Example:
  site-audit operator payments settle 0192f0c1-2345-7abc-8def-0123456789ab --transaction 0x…";

const LAPSE_HELP: &str = "\
Use this if the payment can no longer settle: the payer cancelled the authorization (AuthorizationCanceled), used it for
another transfer, or let it expire unused. An unused authorization that has not expired can still move the money, and the
caller would pay twice. The stored result is deleted, and the caller must pay again. This can't be undone.

Exit codes: 0 success, 2 no payment with this id has an unknown outcome (one that is being checked right now does not
count: try again in three minutes), or the database can't be reached.

Example:
  site-audit operator payments lapse 0192f0c1-2345-7abc-8def-0123456789ab";

/// Arguments of `site-audit operator payments`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct ListPayments {
    #[command(subcommand)]
    command: Option<PaymentsCommand>,
    #[command(flatten)]
    place: place::ConfigArguments,
}

#[derive(Debug, Subcommand)]
enum PaymentsCommand {
    /// Mark a payment as settled, by a transaction that you have seen on the chain.
    #[command(after_help = SETTLE_HELP)]
    Settle(Settle),
    /// Mark a payment as lapsed: it did not settle and can't any more.
    #[command(after_help = LAPSE_HELP)]
    Lapse(Lapse),
}

#[derive(Debug, Args)]
struct Settle {
    /// The payment's id, from the list.
    id: String,
    /// The transaction on the chain: 0x and 64 hex digits.
    #[arg(long, value_parser = transaction)]
    transaction: String,
    #[command(flatten)]
    place: place::ConfigArguments,
}

#[derive(Debug, Args)]
struct Lapse {
    /// The payment's id, from the list.
    id: String,
    #[command(flatten)]
    place: place::ConfigArguments,
}

impl ListPayments {
    pub(super) fn run(self) -> Result<ExitCode> {
        match self.command {
            None => list(self.place),
            Some(PaymentsCommand::Settle(Settle { id, transaction, place })) => {
                decide(place, id, PaymentDecision::Settled(transaction), "settled\n")
            }
            Some(PaymentsCommand::Lapse(Lapse { id, place })) => {
                decide(place, id, PaymentDecision::Lapsed(BY_OPERATOR.to_owned()), "lapsed\n")
            }
        }
    }
}

fn list(place: place::ConfigArguments) -> Result<ExitCode> {
    with_store(place, async |store| {
        let unclear = store.unclear_payments(LISTED).await?;
        let mut text = String::new();
        if unclear.is_empty() {
            text.push_str("no payments with an unknown outcome\n");
        }
        for payment in &unclear {
            describe(&mut text, payment);
        }
        print(&text)?;
        Ok(ExitCode::SUCCESS)
    })
}

fn describe(text: &mut String, payment: &StoredPayment) {
    // Writing to a String can't fail.
    let _ = writeln!(
        text,
        "{}  {} USD  {}  since {}  valid until {}\n    {}, payer {}, nonce {}, {}: {}",
        payment.lease.id,
        payment.amount,
        payment.operation,
        payment.created_at,
        payment.valid_before,
        payment.key.network,
        payment.key.payer,
        payment.key.nonce,
        payment.transaction.as_deref().unwrap_or("no transaction known"),
        printable(payment.reason.as_deref().unwrap_or_default()),
    );
}

fn decide(place: place::ConfigArguments, id: String, found: PaymentDecision, done: &'static str) -> Result<ExitCode> {
    with_store(place, async |store| {
        if !store.decide_payment(&id, found, Ports::real().now()).await? {
            bail!(
                "no payment {} has an unknown outcome; `site-audit operator payments` lists those that do",
                printable(&id)
            );
        }
        print(done)?;
        Ok(ExitCode::SUCCESS)
    })
}

fn transaction(text: &str) -> Result<String, &'static str> {
    if is_transaction(text) { Ok(text.to_owned()) } else { Err("a transaction is 0x and 64 hex digits") }
}
