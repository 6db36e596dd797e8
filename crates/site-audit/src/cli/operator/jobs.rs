//! `site-audit operator jobs` and `retry`.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use model::time::Timestamp;
use serde::Serialize;
use store::{JobRecord, JobState};

use super::list::{LISTED, ListFormat};
use crate::cli::output::print;
use crate::cli::place::{self, with_store};
use render::shown::printable;
use service::job::Job;
use service::ports::Ports;

pub(super) const LIST_HELP: &str = "\
Failed jobs come first. At most 200 of each state, longest overdue first. JSON is an array of objects:
id, state, lane, attempts, due, what, error.

Exit codes: 0 success, 2 the database can't be reached.

Examples:
  site-audit operator jobs
  site-audit operator jobs --state dead --format json";

pub(super) const RETRY_HELP: &str = "\
The job is due at once, with all its attempts again.

Exit codes: 0 queued, 2 no failed job has this id.

Example:
  site-audit operator retry 0192f0c1-2345-7abc-8def-0123456789ab";

/// Arguments of `site-audit operator jobs`.
#[derive(Debug, Args)]
pub(super) struct ListJobs {
    /// Only jobs in this state.
    #[arg(long)]
    state: Option<ListedState>,
    /// Output format.
    #[arg(long, default_value = "text")]
    format: ListFormat,
    #[command(flatten)]
    place: place::ConfigArguments,
}

/// Arguments of `site-audit operator retry`.
#[derive(Debug, Args)]
pub(super) struct Retry {
    /// The job's id.
    id: String,
    #[command(flatten)]
    place: place::ConfigArguments,
}

/// State of the jobs to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ListedState {
    /// Failed for good.
    Dead,
    /// Waiting to run.
    Waiting,
}

/// A job as it is printed.
#[derive(Debug, Serialize)]
struct JobLine {
    id: String,
    state: &'static str,
    lane: String,
    attempts: u32,
    due: Timestamp,
    what: String,
    error: Option<String>,
}

impl ListJobs {
    pub(super) fn run(self) -> Result<ExitCode> {
        let Self { state, format, place } = self;
        with_store(place, async |store| {
            let mut lines = Vec::new();
            for (wanted, of) in [(ListedState::Dead, JobState::Dead), (ListedState::Waiting, JobState::Waiting)] {
                if state.is_none_or(|state| state == wanted) {
                    lines.extend(store.jobs(of, LISTED).await?.into_iter().map(JobLine::of));
                }
            }
            format.print(&lines, table)
        })
    }
}

impl Retry {
    pub(super) fn run(self) -> Result<ExitCode> {
        let Self { id, place } = self;
        with_store(place, async |store| {
            if !store.revive_job(&id, Ports::real().now()).await? {
                bail!("no failed job {}; `site-audit operator jobs` lists failed jobs", printable(&id));
            }
            print("queued\n")?;
            Ok(ExitCode::SUCCESS)
        })
    }
}

impl JobLine {
    fn of(job: JobRecord) -> Self {
        Self {
            state: match job.state {
                JobState::Waiting => "waiting",
                JobState::Done => "done",
                JobState::Dead => "dead",
            },
            what: Job::described(&job.payload).unwrap_or_else(|| "unknown to this version".to_owned()),
            id: job.id,
            lane: job.lane,
            attempts: job.attempts,
            due: job.run_at,
            error: job.last_error,
        }
    }
}

fn table(lines: &[JobLine]) -> String {
    if lines.is_empty() {
        return "no waiting and no failed jobs\n".to_owned();
    }
    let mut text = String::new();
    for line in lines {
        // Writing to a String can't fail.
        let _ = writeln!(
            text,
            "{}  {}  {} attempts  due {}\n    {}",
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
