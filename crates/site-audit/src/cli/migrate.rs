//! `site-audit migrate`: the tables are brought up to date, or an SQLite database moves to PostgreSQL.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use store::{ServerLock, TransferStep, database_file, database_name};
use tokio::time::Instant;

use super::output::{print, tell};
use super::place::{ConfigArguments, runtime};

pub(super) const HELP: &str = "\
The service brings its tables up to date when it starts, and creates the SQLite file if it does not exist; this command does
not create it. Run it before an update if several servers share a database.

With --from and --to, copies every row of an SQLite database to PostgreSQL, then compares both databases, row by row.
Stop the service first. The old database stays as it is, except that its tables are brought up to date. The new one must
be empty. To resume an interrupted move, run the same command again; until it is finished, no service starts on the new
database.

Then give every server the new database and the secret of the old one, which is in the file beside it whose name ends
with .secret: without it, sessions, second factors and webhook secrets are lost.

Exit codes: 0 success, 2 failure.

Examples:
  site-audit migrate --database-url postgres://audit@db/audit
  site-audit migrate --from sqlite:///var/lib/site-audit/site-audit.db --to postgres://audit@db/audit
  SITE_AUDIT_AUTH__SECRET=$(cat /var/lib/site-audit/site-audit.db.secret) \\
    site-audit serve --database-url postgres://audit@db/audit";

/// Time between two lines of progress.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// Arguments of `site-audit migrate`.
#[derive(Debug, Args)]
pub(super) struct MigrateArguments {
    /// The database to move, sqlite://PATH.
    #[arg(long, value_name = "URL", requires = "to", conflicts_with_all = ["config", "database_url"])]
    from: Option<String>,
    /// The empty database it moves to, postgres://USER@HOST/NAME.
    #[arg(long, value_name = "URL", requires = "from")]
    to: Option<String>,
    #[command(flatten)]
    place: ConfigArguments,
}

impl MigrateArguments {
    pub(super) fn run(self) -> Result<ExitCode> {
        match (self.from, self.to) {
            (Some(from), Some(to)) => moved(&from, &to),
            _ => self.place.migrate(),
        }
    }
}

/// Moves a database.
fn moved(from: &str, to: &str) -> Result<ExitCode> {
    let Some(file) = database_file(from) else { bail!("--from: must be sqlite:// and a path") };
    if !["postgres://", "postgresql://"].iter().any(|scheme| to.starts_with(scheme)) {
        bail!("--to: must be a postgres:// URL");
    }
    if !file.is_file() {
        bail!("--from: there is no database at {}", file.display());
    }
    let _lock = ServerLock::take(from).map_err(|error| anyhow!("{:#}; stop it first", anyhow::Error::new(error)))?;
    let (from, name) = (file.display(), database_name(to));
    let mut printed_at = Instant::now();
    let moved = runtime()?.block_on(store::transfer(&file, to, |step| {
        if step.is_comparing || printed_at.elapsed() >= PROGRESS_EVERY {
            tell(&progress(&step));
            printed_at = Instant::now();
        }
    }));
    let moved = moved.with_context(|| format!("moving {from} to {name}"))?;
    let (rows, tables) = (moved.rows, moved.tables);
    print(&format!("{name}: {rows} rows of {tables} tables, compared with {from}\n"))?;
    tell(&format!("start the service with auth.secret set to the content of {from}.secret"));
    Ok(ExitCode::SUCCESS)
}

fn progress(step: &TransferStep) -> String {
    let TransferStep { table, rows, is_comparing } = step;
    match is_comparing {
        true => format!("{table}: compared, {rows} rows"),
        false => format!("{table}: {rows} rows copied"),
    }
}
