//! Backups of a PostgreSQL database, by the programs that come with it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, anyhow, bail};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::cli::place::runtime;

/// Parameters that the query of the address may have, as the service reads it, and the variable of each.
const OPTIONS: [(&str, &str); 16] = [
    ("host", "PGHOST"),
    ("hostaddr", "PGHOSTADDR"),
    ("port", "PGPORT"),
    ("user", "PGUSER"),
    ("password", "PGPASSWORD"),
    ("sslmode", "PGSSLMODE"),
    ("ssl-mode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("ssl-root-cert", "PGSSLROOTCERT"),
    ("ssl-ca", "PGSSLROOTCERT"),
    ("sslcert", "PGSSLCERT"),
    ("ssl-cert", "PGSSLCERT"),
    ("sslkey", "PGSSLKEY"),
    ("ssl-key", "PGSSLKEY"),
    ("application_name", "PGAPPNAME"),
    ("options", "PGOPTIONS"),
];

/// Writes an archive to `to` and reads its table of contents; a sentence about it.
pub(super) fn back_up(url: &str, to: &Path) -> Result<String> {
    let mut name = to.as_os_str().to_owned();
    name.push(".partial");
    let partial = PathBuf::from(name);
    // pg_dump keeps the permissions of a file that is there.
    make_private(&partial).with_context(|| format!("{} can't be written", partial.display()))?;
    let dump = run(program("pg_dump", url)?
        .args(["--format=custom", "--no-owner", "--no-privileges", "--file"])
        .arg(&partial));
    let listed = dump.and_then(|_| contents(&partial));
    match listed {
        Ok(tables) => {
            std::fs::OpenOptions::new().write(true).open(&partial)?.sync_all()?;
            std::fs::rename(&partial, to).with_context(|| format!("{} can't be named", to.display()))?;
            Ok(format!("checked, {tables} tables, {} bytes", std::fs::metadata(to)?.len()))
        }
        Err(error) => {
            // The error before is what is told.
            let _removed = std::fs::remove_file(&partial);
            Err(error)
        }
    }
}

/// Makes an empty file that only its owner may read.
fn make_private(path: &Path) -> std::io::Result<()> {
    if path.exists() {
        std::fs::remove_file(path)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// Restores an archive into an empty database, as a whole or not at all.
pub(super) fn restore(archive: &Path, url: &str) -> Result<()> {
    contents(archive)?;
    if runtime()?.block_on(store::has_tables(url))? {
        bail!("the database already has tables: create an empty one and pass it with --database-url");
    }
    let database = database(&parsed(url)?)?;
    run(program("pg_restore", url)?
        .args(["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"])
        .arg(format!("--dbname={database}"))
        .arg(archive))
    .map(drop)
}

/// How many tables an archive has the rows of; an error where it is none of this program.
fn contents(archive: &Path) -> Result<usize> {
    let listed = run(started("pg_restore").arg("--list").arg(archive))?;
    let mut tables = listed.lines().filter(|line| line.contains(" TABLE DATA "));
    let count = tables.clone().count();
    if !tables.any(|line| line.contains(" audits ")) {
        bail!("{} is not a backup of this program", archive.display());
    }
    Ok(count)
}

#[expect(clippy::disallowed_methods, reason = "the only programs that read and write its archives")]
fn started(name: &str) -> Command {
    Command::new(name)
}

/// A program that connects to the database. What it is told by the environment, others on this machine can't read.
fn program(name: &str, url: &str) -> Result<Command> {
    let url = parsed(url)?;
    let decoded = |text: &str| -> Result<String> {
        let text = percent_decode_str(text).decode_utf8().context("database_url: is not UTF-8")?;
        Ok(text.into_owned())
    };
    let mut command = started(name);
    command.env("PGDATABASE", database(&url)?).stdin(Stdio::null());
    if let Some(host) = url.host_str().filter(|host| !host.is_empty()) {
        command.env("PGHOST", decoded(host.trim_matches(['[', ']']))?);
    }
    if let Some(port) = url.port() {
        command.env("PGPORT", port.to_string());
    }
    if !url.username().is_empty() {
        command.env("PGUSER", decoded(url.username())?);
    }
    if let Some(password) = url.password() {
        command.env("PGPASSWORD", decoded(password)?);
    }
    for (key, value) in url.query_pairs() {
        if let Some((_, variable)) = OPTIONS.iter().find(|(option, _)| *option == key) {
            command.env(variable, &*value);
        }
    }
    Ok(command)
}

fn parsed(url: &str) -> Result<Url> {
    // The error of the parser may repeat the password.
    Url::parse(url).map_err(|_| anyhow!("database_url: is not a URL"))
}

/// The name of the database: of the query, else of the path.
fn database(url: &Url) -> Result<String> {
    if let Some((_, name)) = url.query_pairs().find(|(key, _)| key == "dbname") {
        return Ok(name.into_owned());
    }
    let name = url.path().trim_start_matches('/');
    Ok(percent_decode_str(name).decode_utf8().context("database_url: is not UTF-8")?.into_owned())
}

/// Runs a program; what it printed.
fn run(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| {
        format!("{name} could not be started; install the client programs of PostgreSQL (Debian: postgresql-client)")
    })?;
    if !output.status.success() {
        bail!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
