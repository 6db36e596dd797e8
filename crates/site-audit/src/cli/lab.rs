//! `site-audit lab setup` and `site-audit lab check`: the programs that local lab tests need.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use lab::lighthouse::programs::{InstalledProgram, OLDEST_NODE, Programs};
use lab::lighthouse::setup::{self, Install};

use super::output::{COULD_NOT_AUDIT, print, tell};

/// What `lab setup --help` says after the options.
const SETUP_HELP: &str = "\
Shows the commands that install what is missing, and runs them after you agree. npm packages are pinned by digest, go
into a folder of their own, and run no installation scripts. Chromium comes from the system's packages.

Exit codes: 0 everything is installed, 2 something is missing.

Examples:
  site-audit lab setup
  site-audit lab setup --yes --folder /var/lib/site-audit/lab";

/// What `lab check --help` says after the options.
const CHECK_HELP: &str = "\
Checks what lab tests by Lighthouse need on this machine: Node, Lighthouse, Chromium. Changes nothing.

Exit codes: 0 everything is installed, 2 something is missing.

Example:
  site-audit lab check";

/// What root is told: with the programs in place, every lab test would still fail.
const ROOT: &str = "Chromium's sandbox does not work as root, so every lab test of a service that runs as root fails. \
Run the service as an ordinary user. Set lab.sandbox to false only inside a container that holds no secrets.";

/// Arguments of `site-audit lab`.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(super) struct LabArguments {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Debug, Subcommand)]
enum LabCommand {
    /// Check that the programs for lab tests are installed.
    #[command(after_help = CHECK_HELP)]
    Check(ProgramPlace),
    /// Install what Lighthouse lab tests need on this machine.
    #[command(after_help = SETUP_HELP)]
    Setup {
        #[command(flatten)]
        place: ProgramPlace,
        /// Run the commands without asking.
        #[arg(long)]
        yes: bool,
    },
}

/// Where the programs are.
#[derive(Debug, Clone, Args)]
struct ProgramPlace {
    /// Folder of the npm packages, as lab.folder.
    #[arg(long, value_name = "FOLDER", default_value = lab::lighthouse::FOLDER)]
    folder: PathBuf,
    /// The Chromium program, as lab.chromium; by default it is searched for.
    #[arg(long, value_name = "FILE")]
    chromium: Option<PathBuf>,
}

impl LabArguments {
    pub(super) fn run(self) -> Result<ExitCode> {
        match self.command {
            LabCommand::Check(place) => place.check(),
            LabCommand::Setup { place, yes } => place.setup(yes),
        }
    }
}

impl ProgramPlace {
    /// Says what is there and what is missing.
    fn check(self) -> Result<ExitCode> {
        let found = self.found()?;
        print(&report(&found))?;
        if is_root() {
            tell(ROOT);
        }
        if found.iter().all(|found| found.is_usable) {
            return Ok(ExitCode::SUCCESS);
        }
        tell("Lab tests by Lighthouse need what is missing. Run `site-audit lab setup` to install it.");
        Ok(ExitCode::from(COULD_NOT_AUDIT))
    }

    fn setup(self, yes: bool) -> Result<ExitCode> {
        let folder = std::path::absolute(&self.folder).context("the folder has no absolute path")?;
        let commands = setup::commands(&self.found()?, &folder);
        if !commands.is_empty() {
            tell("To be installed:");
            for install in &commands {
                tell(&format!("  {}: {}", install.what, line(install)));
            }
            if !yes && !agrees()? {
                bail!("nothing was installed");
            }
            setup::write_pins(&folder).with_context(|| format!("{} can't be written to", folder.display()))?;
            commands.iter().try_for_each(install)?;
        }
        self.check()
    }

    fn found(&self) -> Result<[InstalledProgram; 3]> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("no runtime")?;
        Ok(runtime.block_on(Programs::find(&self.folder, self.chromium.as_deref()).versions()))
    }
}

/// Whether this runs as root, where the system tells it.
fn is_root() -> bool {
    #[cfg(unix)]
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    #[cfg(not(unix))]
    let is_root = false;
    is_root
}

/// One line for each program.
fn report(programs: &[InstalledProgram]) -> String {
    programs.iter().map(|found| format!("{}\n", state(found))).collect()
}

fn state(found: &InstalledProgram) -> String {
    let InstalledProgram { name, path, version, is_usable } = found;
    let place = path.as_deref().map(Path::display);
    // Chromium tells its name with its version, and so do browsers made of it.
    let version = version.as_deref().map(|version| version.strip_prefix(name).unwrap_or(version).trim_start());
    match (place, version) {
        (Some(place), Some(version)) if *is_usable => format!("ok       {name} {version} ({place})"),
        (Some(place), Some(version)) => {
            let (major, minor) = OLDEST_NODE;
            format!("too old  {name} {version} ({place}): {major}.{minor} or later is needed")
        }
        (Some(place), None) => {
            format!("broken   {name} ({place}): it does not start; run it with --version to see why")
        }
        (None, _) => format!("missing  {name}"),
    }
}

fn line(install: &Install) -> String {
    let arguments = install.arguments.iter().map(|argument| argument.to_string_lossy());
    std::iter::once(install.program.into()).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Asks on the terminal. Where there is none, nobody agrees.
fn agrees() -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        tell("Repeat it with --yes to install this.");
        return Ok(false);
    }
    write!(std::io::stderr(), "Install? [y/N] ").context("the terminal can't be written to")?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).context("the terminal can't be read")?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

#[expect(clippy::disallowed_methods, reason = "a command that a person agreed to, shown before")]
fn install(install: &Install) -> Result<()> {
    tell(&format!("$ {}", line(install)));
    let status = Command::new(install.program).args(&install.arguments).status();
    let status = status.with_context(|| format!("{} could not be started: install it first", install.program))?;
    if status.success() { Ok(()) } else { bail!("{} failed: {status}", line(install)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_has_a_line_that_says_what_is_wrong() {
        let found = |path: Option<&str>, version: Option<&str>, is_usable| {
            let (path, version) = (path.map(PathBuf::from), version.map(str::to_owned));
            state(&InstalledProgram { name: "Node", path, version, is_usable })
        };
        assert_eq!(found(Some("/b/node"), Some("v24.1.0"), true), "ok       Node v24.1.0 (/b/node)");
        assert_eq!(
            found(Some("/b/node"), Some("v20.1.0"), false),
            "too old  Node v20.1.0 (/b/node): 22.19 or later is needed"
        );
        assert!(found(Some("/b/node"), None, false).starts_with("broken   Node (/b/node)"));
        assert_eq!(found(None, None, false), "missing  Node");
        assert_eq!(found(Some("/b/node"), Some("Node 24.1.0"), true), "ok       Node 24.1.0 (/b/node)");
    }
}
