//! Lists for the operator: arguments, and output as text or JSON.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;
use store::{Store, StoreError};

use crate::cli::output::print;
use crate::cli::place::{self, with_store};
use render::format::pretty;

/// Rows that are listed at most.
pub(super) const LISTED: u32 = 200;

/// Arguments of a list.
#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// Output format.
    #[arg(long, default_value = "text")]
    format: ListFormat,
    #[command(flatten)]
    place: place::ConfigArguments,
}

/// How lists are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ListFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

impl ListArguments {
    /// Prints the rows that `read` gives, as lines of JSON or, by `table`, as text.
    pub(super) fn run<R, L: Serialize>(
        self,
        read: impl AsyncFnOnce(&Store) -> Result<Vec<R>, StoreError>,
        line: fn(R) -> L,
        table: fn(&[L]) -> String,
    ) -> Result<ExitCode> {
        let Self { format, place } = self;
        with_store(place, async |store| {
            let lines: Vec<L> = read(&store).await?.into_iter().map(line).collect();
            format.print(&lines, table)
        })
    }
}

impl ListFormat {
    /// Prints lines as an array of JSON, or as the text that `table` makes of them.
    pub(super) fn print<L: Serialize>(self, lines: &[L], table: fn(&[L]) -> String) -> Result<ExitCode> {
        print(&match self {
            Self::Text => table(lines),
            Self::Json => pretty(&lines)?,
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
