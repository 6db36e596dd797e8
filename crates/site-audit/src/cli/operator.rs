//! `site-audit operator`: commands for the operator of a server.

mod accounts;
mod events;
mod jobs;
mod list;
mod payments;
mod purge;
mod receipt_keys;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

use accounts::Deed;
use list::ListArguments;

/// Arguments of `site-audit operator`.
#[derive(Debug, Args)]
pub(super) struct OperatorArguments {
    #[command(subcommand)]
    command: OperatorCommand,
}

// One database, named as for the service.
#[derive(Debug, Subcommand)]
enum OperatorCommand {
    /// List waiting and failed jobs, such as unsent email and watches.
    #[command(after_help = jobs::LIST_HELP)]
    Jobs(jobs::ListJobs),
    /// Retry a failed job.
    #[command(after_help = jobs::RETRY_HELP)]
    Retry(jobs::Retry),
    /// List accounts.
    #[command(after_help = accounts::LIST_HELP)]
    Accounts(ListArguments),
    /// List security events of accounts and organizations.
    #[command(after_help = events::HELP)]
    Events(ListArguments),
    /// Suspend an account; nothing is deleted.
    #[command(after_help = accounts::ONE_HELP)]
    Suspend(accounts::One),
    /// Restore a suspended account, or a closed one that is not deleted yet.
    #[command(after_help = accounts::ONE_HELP)]
    Restore(accounts::One),
    /// End all sessions of an account and revoke its API keys.
    #[command(after_help = accounts::ONE_HELP)]
    EndSessions(accounts::One),
    /// Start a password reset: the link is emailed after 72 hours.
    #[command(after_help = accounts::LATER_HELP)]
    Reset(accounts::One),
    /// Start turning off two-factor authentication of an account; it takes effect after 72 hours.
    #[command(after_help = accounts::LATER_HELP)]
    RemoveFactor(accounts::One),
    /// List payments with an unknown outcome, or decide one of them.
    #[command(after_help = payments::HELP)]
    Payments(payments::ListPayments),
    /// List the public keys of signed receipts, or forget one.
    #[command(after_help = receipt_keys::HELP)]
    ReceiptKeys(receipt_keys::ReceiptKeys),
    /// Delete expired data now, even while purging is paused because the clock jumped.
    #[command(after_help = purge::HELP)]
    Purge(purge::Purge),
}

impl OperatorArguments {
    /// Runs the command.
    pub(super) fn run(self) -> Result<ExitCode> {
        match self.command {
            OperatorCommand::Jobs(list) => list.run(),
            OperatorCommand::Retry(retry) => retry.run(),
            OperatorCommand::Accounts(arguments) => accounts::list(arguments),
            OperatorCommand::Events(arguments) => events::list(arguments),
            OperatorCommand::Suspend(one) => one.run(Deed::Suspend),
            OperatorCommand::Restore(one) => one.run(Deed::Restore),
            OperatorCommand::EndSessions(one) => one.run(Deed::EndSessions),
            OperatorCommand::Reset(one) => one.run(Deed::Reset),
            OperatorCommand::RemoveFactor(one) => one.run(Deed::RemoveFactor),
            OperatorCommand::Payments(payments) => payments.run(),
            OperatorCommand::ReceiptKeys(keys) => keys.run(),
            OperatorCommand::Purge(purge) => purge.run(),
        }
    }
}
