//! `site-audit backup` and `site-audit restore`: copies of the database, checked whole, and their return.

mod postgres;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use service::database::open_store;
use store::{BackupFacts, ServerLock, database_file, database_name};

use super::output::{print, tell};
use super::place::{ConfigArguments, require_database, runtime};

const BACKUP_HELP: &str = "\
Works while the service runs, without blocking it: the copy has everything that was acknowledged before it began. The copy
is verified before it gets its final name, so a file of that name is a valid backup. It has everything the database has:
reports, accounts, sessions, keys as digests, payments. Keep it where only you can read it. The secret that encrypts
second factors is not in it: with SQLite, it is in the file beside the database whose name ends with .secret. Keep both.

SQLite: one file; no other program is needed. PostgreSQL: an archive of pg_dump, which must be installed (Debian:
postgresql-client) in the server's version or newer.

Exit codes: 0 success, 2 failure.

Examples:
  site-audit backup /var/backups/site-audit-$(date +%F).db
  site-audit backup audit.dump --database-url postgres://audit@db/audit";

const RESTORE_HELP: &str = "\
Verifies the backup, then puts it in the place of the database. Stop the service first. An existing database is replaced
only with --replace, and is kept beside the new one under a name that is printed. The tables are brought up to date
afterwards, so a backup of an older version can be restored too.

PostgreSQL: restores into an empty database, by pg_restore, in one transaction.

Exit codes: 0 success, 2 failure; an existing database is then still in its place, or beside it under a name with .before-.

Examples:
  site-audit restore /var/backups/site-audit-2026-11-23.db
  site-audit restore audit.dump --database-url postgres://audit@db/new";

/// Arguments of `site-audit backup`.
#[derive(Debug, Args)]
#[command(after_help = BACKUP_HELP)]
pub(super) struct BackupArguments {
    /// File to write; must not exist.
    #[arg(value_name = "FILE")]
    to: PathBuf,
    #[command(flatten)]
    place: ConfigArguments,
}

/// Arguments of `site-audit restore`.
#[derive(Debug, Args)]
#[command(after_help = RESTORE_HELP)]
pub(super) struct RestoreArguments {
    /// Backup to restore.
    #[arg(value_name = "FILE")]
    from: PathBuf,
    /// Replace an existing database; it is kept under another name.
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    place: ConfigArguments,
}

impl BackupArguments {
    pub(super) fn run(self) -> Result<ExitCode> {
        let config = self.place.config()?;
        require_database(&config)?;
        let to = std::path::absolute(&self.to).context("the file has no absolute path")?;
        if to.exists() {
            bail!("{} already exists: choose another file name", to.display());
        }
        let what = database_name(&config.database_url);
        let summary = match database_file(&config.database_url) {
            Some(file) => {
                let facts = runtime()?.block_on(store::back_up(&file, &to));
                described(facts.with_context(|| format!("backing up {what}"))?)
            }
            None => postgres::back_up(&config.database_url, &to).with_context(|| format!("backing up {what}"))?,
        };
        print(&format!("{}: {summary}\n", to.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl RestoreArguments {
    pub(super) fn run(self) -> Result<ExitCode> {
        let config = self.place.config()?;
        let url = config.database_url;
        if !self.from.is_file() {
            bail!("no backup at {}", self.from.display());
        }
        match database_file(&url) {
            Some(file) => restore_file(&self.from, &file, &url, self.replace)?,
            None if self.replace => bail!("--replace: a PostgreSQL database is not replaced; name an empty one"),
            None => {
                postgres::restore(&self.from, &url).with_context(|| format!("restoring {}", database_name(&url)))?;
            }
        }
        // Migrates a backup of an older version, and shows that the service can open it.
        runtime()?.block_on(async {
            let store = open_store(&url).await?;
            store.close().await;
            anyhow::Ok(())
        })?;
        print(&format!("{}: restored\n", database_name(&url)))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn restore_file(backup: &Path, file: &Path, url: &str, replace: bool) -> Result<()> {
    let facts = runtime()?.block_on(store::check_backup(backup));
    let facts = facts.with_context(|| format!("{} is not a backup that can be restored", backup.display()))?;
    tell(&format!("{}: {}", backup.display(), described(facts)));
    if file.exists() && !replace {
        bail!(
            "{} already exists: add --replace to keep it under another name and put the backup in its place",
            file.display()
        );
    }
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("{} could not be created", folder.display()))?;
    }
    let _lock = ServerLock::take(url).map_err(|error| anyhow!("{:#}; stop it first", anyhow::Error::new(error)))?;
    let seconds = service::ports::Ports::real().now().0 / 1_000;
    let restored = runtime()?.block_on(store::restore(backup, file, &format!(".before-{seconds}")));
    let (_, kept) = restored.with_context(|| format!("restoring {}", file.display()))?;
    if let Some(kept) = kept {
        tell(&format!("the previous database is now {}", kept.display()));
    }
    Ok(())
}

fn described(facts: BackupFacts) -> String {
    let BackupFacts { bytes, version, rows } = facts;
    format!("checked, {rows} rows, {bytes} bytes, tables of version {version}")
}
