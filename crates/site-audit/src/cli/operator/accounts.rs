//! `site-audit operator accounts`, and operations on one account.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use model::lang::Lang;
use model::time::Timestamp;
use serde::Serialize;
use store::AccountRecord;

use super::list::{LISTED, ListArguments};
use crate::cli::output::print;
use crate::cli::place;
use render::shown::printable;
use service::Services;
use service::accounts::operator;
use service::caller::Cx;
use service::error::ServiceError;
use service::ports::Ports;

/// Why an account is not suspended or restored.
const NOT_NOW: &str = "only an active account can be suspended, and only a suspended or closed one restored; \
    `site-audit operator accounts` shows its status";

pub(super) const LIST_HELP: &str = "\
At most 200, newest first. JSON is an array of objects: id, email, status, created, second_factor.

Exit codes: 0 success, 2 the database can't be reached.

Examples:
  site-audit operator accounts
  site-audit operator accounts --format json";

pub(super) const ONE_HELP: &str = "\
The owner is notified by email, and the change is recorded in the account's events.

Exit codes: 0 success, 2 unknown account, or the database can't be reached.";

pub(super) const LATER_HELP: &str = "\
For an owner who has lost all access and has proven their identity to you. The owner is notified by email immediately, and
the change takes effect after 72 hours, so that they can object; `suspend` stops it. It is recorded in the account's events.

Exit codes: 0 started, 2 unknown account or no second factor, or the database can't be reached.";

/// Arguments of an operation on one account.
#[derive(Debug, Args)]
pub(super) struct One {
    /// The account's email address.
    email: String,
    #[command(flatten)]
    place: place::ConfigArguments,
}

/// Operations on an account.
#[derive(Debug, Clone, Copy)]
pub(super) enum Deed {
    Suspend,
    Restore,
    EndSessions,
    Reset,
    RemoveFactor,
}

/// An account as it is printed.
#[derive(Debug, Serialize)]
struct AccountLine {
    id: String,
    email: String,
    status: &'static str,
    created: Timestamp,
    second_factor: bool,
}

/// Prints the newest accounts.
pub(super) fn list(arguments: ListArguments) -> Result<ExitCode> {
    arguments.run(async |store| store.accounts(LISTED).await, AccountLine::of, table)
}

impl One {
    pub(super) fn run(self, deed: Deed) -> Result<ExitCode> {
        let Self { email, place } = self;
        let config = place.config()?;
        place::require_database(&config)?;
        place::runtime()?.block_on(async {
            let address = config.listen;
            let app = Services::open(config, Ports::real(), address, crate::assembly::build()).await?;
            if let Some(off) = app.vault().off() {
                bail!("accounts are off on this server: {off}");
            }
            let done = perform(&operator::context(&app), &email, deed).await;
            app.database().store().close().await;
            done.map_err(|error| anyhow::anyhow!(explained(&error))).with_context(|| printable(&email))?;
            print(match deed {
                Deed::Suspend => "suspended\n",
                Deed::Restore => "restored\n",
                Deed::EndSessions => "all sessions have ended\n",
                Deed::Reset => "the link is sent in 72 hours\n",
                Deed::RemoveFactor => "the second factor stops counting in 72 hours\n",
            })?;
            Ok(ExitCode::SUCCESS)
        })
    }
}

async fn perform(cx: &Cx, email: &str, deed: Deed) -> Result<(), ServiceError> {
    let account = operator::account(cx, email).await?;
    match deed {
        Deed::Suspend => operator::suspend(cx, &account).await,
        Deed::Restore => operator::restore(cx, &account).await,
        Deed::EndSessions => operator::end_sessions(cx, &account).await,
        Deed::Reset => operator::begin_reset(cx, &account).await,
        Deed::RemoveFactor => operator::begin_removal(cx, &account).await,
    }
}

fn explained(error: &ServiceError) -> String {
    match error.code {
        service::error::Code::NotFound => "there is no such account, or it has no second factor".to_owned(),
        service::error::Code::RevisionConflict => NOT_NOW.to_owned(),
        code => code.sentence().in_lang(Lang::En).to_owned(),
    }
}

impl AccountLine {
    fn of(account: AccountRecord) -> Self {
        Self {
            status: account.status.word(),
            second_factor: account.totp.is_some(),
            created: account.created_at,
            id: account.id.0,
            email: account.email,
        }
    }
}

fn table(lines: &[AccountLine]) -> String {
    if lines.is_empty() {
        return "there are no accounts\n".to_owned();
    }
    let mut text = String::new();
    for line in lines {
        let factor = if line.second_factor { "  second factor" } else { "" };
        // Writing to a String can't fail.
        let _ = writeln!(text, "{}  {}  {}{factor}", line.created, line.status, printable(&line.email));
    }
    text
}
