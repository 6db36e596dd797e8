//! The `site-audit` program.

use std::process::ExitCode;

use site_audit::cli::Cli;

fn main() -> ExitCode {
    Cli::read().run()
}
