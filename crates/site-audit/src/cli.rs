//! The command line: what a person or a build types.

mod audit;
mod backup;
mod checks;
mod doctor;
mod failure;
mod input;
mod lab;
mod mcp;
mod migrate;
mod operator;
mod output;
mod pix;
mod place;
mod receipt;
mod serve;
mod site;
mod verify;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use output::{COULD_NOT_AUDIT, print};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser, Subcommand};

/// What `--help` says after the options.
const MORE_HELP: &str = "\
Without a command the service starts: `site-audit` is `site-audit serve`. `site-audit COMMAND --help` explains each
command with examples. Exit codes: 0 success, 1 `audit` found a page below the required score or severity, 2 failure.

Examples:
  site-audit --listen 127.0.0.1:9000
  site-audit audit https://example.com/
  site-audit audit https://example.com/ --format sarif --fail-on error
  site-audit audit --html page.html --url https://example.com/page
  site-audit checks title_missing --lang pt-BR";

/// What `serve --help` says after the options.
const SERVE_HELP: &str = "\
No setting is required: the database is an SQLite file that is created on first start. Every key of the configuration
file is also an environment variable (SITE_AUDIT_LISTEN, SITE_AUDIT_FETCH__ALLOW_PRIVATE). Options override both.

Ctrl-C or SIGTERM stops the service after running calls are answered, within 25 seconds. A second Ctrl-C stops it
immediately.

Exit codes: 0 stopped, 2 could not start, 130 interrupted twice.

Examples:
  site-audit serve
  site-audit serve --listen 0.0.0.0:8080 --base-url https://audit.example.com
  site-audit serve --database-url postgres://audit@db/audit";

const OPENAPI_HELP: &str = "\
OpenAPI 3.1 as JSON, the same as /openapi.json of the running service.

Exit codes: 0 success, 2 invalid configuration.

Example:
  site-audit openapi --base-url https://audit.example.com > openapi.json";

const HEALTHCHECK_HELP: &str = "\
Calls /api/health at the address the service listens on, with a timeout of 5 seconds.

Exit codes: 0 healthy, 2 not healthy or not running.

Examples:
  site-audit healthcheck
  site-audit healthcheck --listen 127.0.0.1:9000";

const COMPLETIONS_HELP: &str = "\
Examples:
  site-audit completions bash > ~/.local/share/bash-completion/completions/site-audit
  site-audit completions zsh > ~/.zfunc/_site-audit
  site-audit completions fish > ~/.config/fish/completions/site-audit.fish";

const MAN_HELP: &str = "\
Writes site-audit.1, and a page for each command, such as site-audit-audit.1.

Exit codes: 0 success, 2 a page can't be written.

Example:
  site-audit man ~/.local/share/man/man1";

/// Audits pages for technical SEO: score, findings, and the fix for each.
#[derive(Debug, Parser)]
#[command(name = "site-audit", version, args_conflicts_with_subcommands = true, after_help = MORE_HELP)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: place::ConfigArguments,
}

// Every command of a server takes the same options; its help shows only those that it uses.
#[derive(Debug, Subcommand)]
enum Command {
    /// Start the service: API and pages. The default.
    #[command(after_help = SERVE_HELP)]
    Serve(place::ConfigArguments),
    /// Audit pages, and fail if they are below a score or have findings of a severity.
    Audit(audit::AuditArguments),
    /// Audit a whole site: every page, and findings across pages.
    Site(site::SiteArguments),
    /// Verify a changed page before publishing it, without network.
    Verify(verify::VerifyArguments),
    /// Verify signed receipts of audits, without network.
    Receipt(receipt::ReceiptArguments),
    /// Run the MCP server for agents on this machine, over standard input and output.
    Mcp(mcp::McpArguments),
    /// List the catalog of checks, or explain one.
    Checks(checks::ChecksArguments),
    /// Bring the tables of the database up to date, or move it to PostgreSQL.
    #[command(after_help = migrate::HELP, mut_args = |arg| shown(arg, &["config", "database_url", "from", "to"]))]
    Migrate(migrate::MigrateArguments),
    /// Back up the database while the service runs.
    Backup(backup::BackupArguments),
    /// Restore the database from a backup.
    Restore(backup::RestoreArguments),
    /// Print the OpenAPI description of the service.
    #[command(after_help = OPENAPI_HELP, mut_args = |arg| shown(arg, &["config", "listen", "base_url"]))]
    Openapi(place::ConfigArguments),
    /// Check whether the service on this machine is healthy.
    #[command(after_help = HEALTHCHECK_HELP, mut_args = |arg| shown(arg, &["config", "listen"]))]
    Healthcheck(place::ConfigArguments),
    /// Set up lab tests by Lighthouse on this machine.
    Lab(lab::LabArguments),
    /// Check a deployment, and say what to correct.
    #[command(after_help = doctor::HELP)]
    Doctor(doctor::DoctorArguments),
    /// Operate a server: jobs, accounts, payments and purging.
    Operator(operator::OperatorArguments),
    /// Review Pix payments for credit: release or refuse them.
    #[command(after_help = pix::HELP)]
    Pix(pix::PixArguments),
    /// Print a completion script for your shell.
    #[command(after_help = COMPLETIONS_HELP)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages of all commands into a folder.
    #[command(after_help = MAN_HELP)]
    Man {
        /// The folder; created if absent.
        folder: PathBuf,
    },
}

/// Hides an argument from help unless it is one of these.
fn shown(arg: clap::Arg, names: &[&str]) -> clap::Arg {
    let is_hidden = !names.contains(&arg.get_id().as_str());
    arg.hide(is_hidden)
}

impl Cli {
    /// Reads the command line. Ends the process with help, or with what is wrong with it.
    pub fn read() -> Self {
        Self::try_parse().unwrap_or_else(|mut error| {
            let typed = error.get(ContextKind::InvalidSubcommand).map(ToString::to_string).unwrap_or_default();
            if error.kind() == ErrorKind::InvalidSubcommand && typed.contains(['.', ':', '/']) {
                let tip = "to audit a page, write 'site-audit audit URL'".to_owned();
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            }
            error.exit()
        })
    }

    /// Runs the command; the exit code of the process.
    pub fn run(self) -> ExitCode {
        let done = match self.command.unwrap_or(Command::Serve(self.serve)) {
            Command::Serve(arguments) => arguments.serve(),
            Command::Audit(arguments) => arguments.run(),
            Command::Site(arguments) => arguments.run(),
            Command::Verify(arguments) => arguments.run(),
            Command::Receipt(arguments) => arguments.run(),
            Command::Mcp(arguments) => arguments.run(),
            Command::Checks(arguments) => arguments.run(),
            Command::Backup(arguments) => arguments.run(),
            Command::Restore(arguments) => arguments.run(),
            Command::Migrate(arguments) => arguments.run(),
            Command::Openapi(arguments) => arguments.openapi(),
            Command::Healthcheck(arguments) => arguments.healthcheck(),
            Command::Lab(arguments) => arguments.run(),
            Command::Doctor(arguments) => arguments.run(),
            Command::Operator(arguments) => arguments.run(),
            Command::Pix(arguments) => arguments.run(),
            Command::Completions { shell } => {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut Self::command(), "site-audit", &mut script);
                print(&String::from_utf8_lossy(&script)).map(|()| ExitCode::SUCCESS)
            }
            Command::Man { folder } => std::fs::create_dir_all(&folder)
                .and_then(|()| clap_mangen::generate_to(Self::command(), &folder))
                .map(|()| ExitCode::SUCCESS)
                .with_context(|| format!("writing manual pages into {}", folder.display())),
        };
        done.unwrap_or_else(|error| {
            // Nothing is left to report to when stderr is closed too.
            let _written = writeln!(std::io::stderr(), "site-audit: {error:#}");
            ExitCode::from(COULD_NOT_AUDIT)
        })
    }
}
