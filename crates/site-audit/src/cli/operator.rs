//! `site-audit operator`: commands for the operator of a server.

mod accounts;
mod events;
mod jobs;
mod payments;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

use accounts::Deed;

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
    /// List accounts.
    #[command(after_help = accounts::LIST_HELP)]
    Accounts(accounts::List),
    /// List what happened to accounts and organizations.
    #[command(after_help = events::HELP)]
    Events(events::List),
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
    Payments(payments::Payments),
}

impl Arguments {
    /// Runs the command.
    pub(super) fn run(self) -> Result<ExitCode> {
        match self.command {
            Command::Jobs(list) => list.run(),
            Command::Retry(retry) => retry.run(),
            Command::Accounts(list) => list.run(),
            Command::Events(list) => list.run(),
            Command::Suspend(one) => one.run(Deed::Suspend),
            Command::Restore(one) => one.run(Deed::Restore),
            Command::EndSessions(one) => one.run(Deed::EndSessions),
            Command::Reset(one) => one.run(Deed::Reset),
            Command::RemoveFactor(one) => one.run(Deed::RemoveFactor),
            Command::Payments(payments) => payments.run(),
        }
    }
}
