//! `site-audit operator`: commands for the operator of a server.

mod accounts;
mod events;
mod jobs;
mod list;
mod payments;
mod purge;

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
    /// List work that waits, or that was given up: mail that can't be sent, watches.
    #[command(after_help = jobs::LIST_HELP)]
    Jobs(jobs::ListJobs),
    /// Make a job that was given up wait again.
    #[command(after_help = jobs::RETRY_HELP)]
    Retry(jobs::Retry),
    /// List accounts.
    #[command(after_help = accounts::LIST_HELP)]
    Accounts(ListArguments),
    /// List what happened to accounts and organizations.
    #[command(after_help = events::HELP)]
    Events(ListArguments),
    /// Stop an account; nothing of it is deleted.
    #[command(after_help = accounts::ONE_HELP)]
    Suspend(accounts::One),
    /// Let a suspended account, or a closed one that is not removed yet, be used again.
    #[command(after_help = accounts::ONE_HELP)]
    Restore(accounts::One),
    /// End all sessions of an account, and revoke its API keys.
    #[command(after_help = accounts::ONE_HELP)]
    EndSessions(accounts::One),
    /// Begin to send somebody a link that sets a new password.
    #[command(after_help = accounts::LATER_HELP)]
    Reset(accounts::One),
    /// Begin to remove somebody's second factor.
    #[command(after_help = accounts::LATER_HELP)]
    RemoveFactor(accounts::One),
    /// List payments of which nobody knows whether they settled, or decide one of them.
    #[command(after_help = payments::HELP)]
    Payments(payments::ListPayments),
    /// Delete what is past its time now, also while that waits because the clock jumped.
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
            OperatorCommand::Purge(purge) => purge.run(),
        }
    }
}
