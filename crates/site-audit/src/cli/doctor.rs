//! `site-audit doctor`: whether a deployment is sound, and what to do where it is not.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::output::{BELOW_THE_BAR, is_colour_wanted, print};
use super::place::{ConfigArguments, runtime};
use render::format::pretty;
use render::shown::printable;
use service::doctor::{self, Condition, Diagnosis};
use service::ports::Ports;

/// What `doctor --help` says after the options.
pub(super) const HELP: &str = "\
Run it with the settings of the service, as its user. It looks at settings, limits of files and memory, clock, database, mail
server, public address (DNS, proxy, TLS), payments and lab tests, changes nothing, and sends no mail. It contacts
only systems that the settings name.

Exit codes:
  0  no problems; there may be warnings
  1  something does not work, or is not safe
  2  the configuration can't be read

Examples:
  site-audit doctor
  sudo -u site-audit site-audit doctor --config /etc/site-audit/site-audit.toml
  site-audit doctor --json";

/// Arguments of `site-audit doctor`.
#[derive(Debug, Args)]
pub(super) struct DoctorArguments {
    /// Print JSON: `ok`, and `diagnoses` with area, condition (ok, off, warning, problem), found and remedy.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: ConfigArguments,
}

/// What is printed as JSON.
#[derive(Debug, Serialize)]
struct Examination<'a> {
    ok: bool,
    diagnoses: &'a [Diagnosis],
}

impl DoctorArguments {
    /// Runs the command.
    pub(super) fn run(self) -> Result<ExitCode> {
        let config = self.place.config()?;
        let commit = crate::assembly::build().commit;
        let diagnoses = runtime()?.block_on(doctor::examine(&config, &Ports::real(), commit));
        let ok = diagnoses.iter().all(|one| one.condition != Condition::Problem);
        if self.json {
            print(&pretty(&Examination { ok, diagnoses: &diagnoses })?)?;
        } else {
            let has_colours = std::io::stdout().is_terminal() && is_colour_wanted();
            print(&text(&diagnoses, has_colours))?;
        }
        Ok(if ok { ExitCode::SUCCESS } else { ExitCode::from(BELOW_THE_BAR) })
    }
}

fn text(diagnoses: &[Diagnosis], has_colours: bool) -> String {
    let mut out = String::new();
    for one in diagnoses {
        let (word, colour) = match one.condition {
            Condition::Ok => ("ok", "32"),
            Condition::Off => ("off", "2"),
            Condition::Warning => ("warning", "33"),
            Condition::Problem => ("PROBLEM", "31"),
        };
        let padded = format!("{word:<8}");
        let word = if has_colours { format!("\u{1b}[{colour}m{padded}\u{1b}[0m") } else { padded };
        out.push_str(&format!("{word} {:<12} {}\n", one.area, printable(&one.found)));
        if let Some(remedy) = &one.remedy {
            out.push_str(&format!("{:<22}→ {}\n", "", printable(remedy)));
        }
    }
    let count = |condition| diagnoses.iter().filter(|one| one.condition == condition).count();
    let (problems, warnings) = (count(Condition::Problem), count(Condition::Warning));
    let counted = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    out.push_str(&format!("\n{}, {}\n", counted(problems, "problem"), counted(warnings, "warning")));
    out
}
