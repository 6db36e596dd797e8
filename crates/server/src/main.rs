//! The `site-audit` program.

use std::process::ExitCode;

use clap::Parser as _;
use site_audit::cli::Cli;

fn main() -> ExitCode {
    Cli::parse().run()
}
