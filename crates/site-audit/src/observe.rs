//! Logs: fields on standard error, in lines for a person or as JSON. On a terminal a line is short and in colour: time of
//! day (UTC), level, message and fields.

use std::io::IsTerminal as _;

use anyhow::{Context as _, Result};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

use service::config::{Log, LogFormat};
use service::ports::Ports;

/// Hours, minutes and seconds, UTC.
struct TimeOfDay;

impl FormatTime for TimeOfDay {
    fn format_time(&self, line: &mut Writer<'_>) -> std::fmt::Result {
        let seconds = Ports::real().now().seconds().rem_euclid(86_400);
        write!(line, "{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
    }
}

/// Starts logging as configured. Once per process. `colours`: whether a terminal gets them.
pub fn start(log: &Log, colours: bool) -> Result<()> {
    let filter = EnvFilter::try_new(&log.filter).with_context(|| format!("log.filter: {:?}", log.filter))?;
    let is_terminal = std::io::stderr().is_terminal();
    let by_default = if is_terminal { LogFormat::Text } else { LogFormat::Json };
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match log.format.unwrap_or(by_default) {
        LogFormat::Text if is_terminal => {
            let short = builder.with_timer(TimeOfDay).with_target(false).compact();
            short.with_ansi(colours).try_init()
        }
        LogFormat::Text => builder.with_ansi(false).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).with_span_list(false).try_init(),
    };
    started.map_err(|error| anyhow::anyhow!("logging could not be started: {error}"))
}
