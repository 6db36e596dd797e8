//! `site-audit operator events`: what happened to accounts and organizations.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use model::time::Timestamp;
use serde::Serialize;
use store::EventRecord;

use super::list::{LISTED, ListArguments};
use render::shown::printable;

pub(super) const HELP: &str = "\
At most 200, newest first. JSON is an array of objects: at, kind, actor (account, operator, nobody), actor_id, account,
organization, network, agent. Networks are IPv4 /24 or IPv6 /48.

Exit codes: 0 success, 2 the database can't be reached.

Examples:
  site-audit operator events
  site-audit operator events --format json";

/// An event as it is printed.
#[derive(Debug, Serialize)]
struct EventLine {
    at: Timestamp,
    kind: String,
    actor: String,
    actor_id: Option<String>,
    account: Option<String>,
    organization: Option<String>,
    network: String,
    agent: String,
}

/// Prints the newest events.
pub(super) fn list(arguments: ListArguments) -> Result<ExitCode> {
    arguments.run(async |store| store.newest_events(LISTED).await, EventLine::of, table)
}

impl EventLine {
    fn of(event: EventRecord) -> Self {
        Self {
            at: event.at,
            kind: event.kind,
            actor: event.actor,
            actor_id: event.actor_id.map(|id| id.0),
            account: event.account.map(|id| id.0),
            organization: event.organization.map(|id| id.0),
            network: event.network,
            agent: event.agent,
        }
    }
}

fn table(lines: &[EventLine]) -> String {
    if lines.is_empty() {
        return "no events\n".to_owned();
    }
    let mut text = String::new();
    for line in lines {
        let by = line.actor_id.as_deref().unwrap_or(&line.actor);
        // Writing to a String can't fail.
        let _ = write!(text, "{}  {}  by {by}", line.at, line.kind);
        if let Some(account) = &line.account {
            let _ = write!(text, "  account {account}");
        }
        if let Some(organization) = &line.organization {
            let _ = write!(text, "  organization {organization}");
        }
        let _ = writeln!(text, "  {}  {}", printable(&line.network), printable(&line.agent));
    }
    text
}
