//! The command line: what a person or a build types.

mod audit;
mod checks;
pub mod format;
mod serve;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};
use model::lang::Lang;

/// Audits pages for technical SEO: score, findings, and a ready fix for each.
#[derive(Debug, Parser)]
#[command(
    name = "site-audit",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Without a command the service is started: `site-audit` is `site-audit serve`.\n\nExamples:\n  site-audit --listen 127.0.0.1:9000\n  site-audit audit https://example.com/\n  site-audit audit https://example.com/ --format sarif --fail-on error\n  site-audit audit --html page.html --url https://example.com/page\n  site-audit checks title_missing --lang pt-BR"
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::Arguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the service: API and pages. The default.
    Serve(serve::Arguments),
    /// Audit pages. Exit code 0: passed; 1: below the bar you set; 2: could not audit.
    Audit(audit::Arguments),
    /// List the catalog of checks, or explain one.
    Checks(checks::Arguments),
    /// Bring the tables of the database up to date, and stop.
    Migrate(serve::Arguments),
    /// Print the OpenAPI description of the service.
    Openapi(serve::Arguments),
    /// Ask the service on this machine whether it runs: exit code 0, or 2.
    Healthcheck(serve::Arguments),
    /// Print a completion script for your shell.
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
}

/// Language of the texts.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum LangName {
    /// English.
    #[default]
    En,
    /// Brazilian Portuguese.
    #[value(name = "pt-BR", alias = "pt")]
    PtBr,
}

impl From<LangName> for Lang {
    fn from(name: LangName) -> Self {
        match name {
            LangName::En => Self::En,
            LangName::PtBr => Self::PtBr,
        }
    }
}

/// Nothing could be audited.
const COULD_NOT_AUDIT: u8 = 2;

impl Cli {
    /// Does what was asked, and answers with the process's exit code.
    pub fn run(self) -> ExitCode {
        let done = match self.command.unwrap_or(Command::Serve(self.serve)) {
            Command::Serve(arguments) => arguments.serve(),
            Command::Audit(arguments) => arguments.run(),
            Command::Checks(arguments) => arguments.run(),
            Command::Migrate(arguments) => arguments.migrate(),
            Command::Openapi(arguments) => arguments.openapi(),
            Command::Healthcheck(arguments) => arguments.healthcheck(),
            Command::Completions { shell } => {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut Self::command(), "site-audit", &mut script);
                print(&String::from_utf8_lossy(&script)).map(|()| ExitCode::SUCCESS)
            }
        };
        done.unwrap_or_else(|error| {
            // Nothing is left to report to when stderr is closed too.
            let _written = writeln!(std::io::stderr(), "site-audit: {error:#}");
            ExitCode::from(COULD_NOT_AUDIT)
        })
    }
}

/// Writes to stdout. A reader that went away (`| head`) is no error.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
