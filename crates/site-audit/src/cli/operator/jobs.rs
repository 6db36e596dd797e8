//! `site-audit operator jobs` and `retry`.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use model::time::Timestamp;
use serde::Serialize;
use store::{JobRecord, JobState};

use crate::cli::output::print;
use crate::cli::place::{self, with_store};
use render::format::pretty;
use render::shown::printable;
use service::job::Job;
use service::ports::Ports;

/// Jobs that are listed at most.
const LISTED: u32 = 200;

pub(super) const LIST_HELP: &str = "\
Jobs that were given up come first. At most 200 of each state, those due longest first. JSON is an array of objects:
id, state, lane, attempts, due, what, error.

Exit codes: 0 printed, 2 the database can't be reached.

Examples:
  site-audit operator jobs
  site-audit operator jobs --state dead --format json";

pub(super) const RETRY_HELP: &str = "\
It is due at once and has all its tries again.

Exit codes: 0 it waits, 2 no job of this id was given up.

Example:
  site-audit operator retry 0192f0c1-2345-7abc-8def-0123456789ab";

/// Arguments of `site-audit operator jobs`.
#[derive(Debug, Args)]
pub(super) struct List {
    /// Only those in this state.
    #[arg(long)]
    state: Option<State>,
    /// How to print it.
    #[arg(long, default_value = "text")]
    format: Format,
    #[command(flatten)]
    place: place::Arguments,
}

/// Arguments of `site-audit operator retry`.
#[derive(Debug, Args)]
pub(super) struct Retry {
    /// The job's id.
    id: String,
    #[command(flatten)]
    place: place::Arguments,
}

/// What became of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum State {
    /// Given up.
    Dead,
    /// To be done.
    Waiting,
}

/// How lists are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For a person.
    Text,
    /// For a program.
    Json,
}

/// A job as it is printed.
#[derive(Debug, Serialize)]
struct Line {
    id: String,
    state: &'static str,
    lane: String,
    attempts: u32,
    due: Timestamp,
    what: String,
    error: Option<String>,
}

impl List {
    pub(super) fn run(self) -> Result<ExitCode> {
        let Self { state, format, place } = self;
        with_store(place, async |store| {
            let mut lines = Vec::new();
            for (wanted, of) in [(State::Dead, JobState::Dead), (State::Waiting, JobState::Waiting)] {
                if state.is_none_or(|state| state == wanted) {
                    lines.extend(store.jobs(of, LISTED).await?.into_iter().map(Line::of));
                }
            }
            print(&match format {
                Format::Text => table(&lines),
                Format::Json => pretty(&lines)?,
            })?;
            Ok(ExitCode::SUCCESS)
        })
    }
}

impl Retry {
    pub(super) fn run(self) -> Result<ExitCode> {
        let Self { id, place } = self;
        with_store(place, async |store| {
            if !store.revive_job(&id, Ports::real().now()).await? {
                bail!("no job {} was given up; `site-audit operator jobs` lists those that were", printable(&id));
            }
            print("it waits\n")?;
            Ok(ExitCode::SUCCESS)
        })
    }
}

impl Line {
    fn of(job: JobRecord) -> Self {
        Self {
            state: match job.state {
                JobState::Waiting => "waiting",
                JobState::Done => "done",
                JobState::Dead => "dead",
            },
            what: Job::described(&job.payload).unwrap_or_else(|| "no job of this version".to_owned()),
            id: job.id,
            lane: job.lane,
            attempts: job.attempts,
            due: job.run_at,
            error: job.last_error,
        }
    }
}

fn table(lines: &[Line]) -> String {
    if lines.is_empty() {
        return "nothing waits, and nothing was given up\n".to_owned();
    }
    let mut text = String::new();
    for line in lines {
        // Writing to a String can't fail.
        let _ = writeln!(
            text,
            "{}  {}  {} tries  due {}\n    {}",
            line.id,
            line.state,
            line.attempts,
            line.due,
            printable(&line.what)
        );
        if let Some(error) = &line.error {
            let _ = writeln!(text, "    {}", printable(error));
        }
    }
    text
}
