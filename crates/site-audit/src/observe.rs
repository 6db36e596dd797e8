//! Logs: fields on standard error, in lines for a person or as JSON. On a terminal a line is short and in colour: time of
//! day (UTC), level, message and fields.

use std::io::IsTerminal as _;

use anyhow::{Context as _, Result};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};

use service::config::{Log, LogFormat};
use service::ports::Ports;

use crate::log_lines::LogLines;

/// Hours, minutes and seconds, UTC.
struct TimeOfDay;

impl FormatTime for TimeOfDay {
    fn format_time(&self, line: &mut Writer<'_>) -> std::fmt::Result {
        let seconds = Ports::real().now().seconds().rem_euclid(86_400);
        write!(line, "{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
    }
}

/// A started log. Dropping it waits a second at most for the lines that were not written yet.
#[must_use]
pub struct StartedLog {
    _lines: LogLines,
}

/// Starts logging as configured. Once per process. A log that can't be written stops nothing: the lines are counted,
/// and the count is logged once writing works again. `colours`: whether a terminal gets them.
pub fn start(log: &Log, colours: bool) -> Result<StartedLog> {
    let filter = EnvFilter::try_new(&log.filter).with_context(|| format!("log.filter: {:?}", log.filter))?;
    let is_terminal = std::io::stderr().is_terminal();
    let by_default = if is_terminal { LogFormat::Text } else { LogFormat::Json };
    let format = log.format.unwrap_or(by_default);
    let lines = LogLines::start(std::io::stderr(), Box::new(move |lost| loss_notice(format, lost)))
        .context("the thread of the log could not be started")?;
    // Internal errors would go to standard error with a macro that panics where that can't be written.
    let builder =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(lines.handle()).log_internal_errors(false);
    let started = match format {
        LogFormat::Text if is_terminal => {
            let short = builder.with_timer(TimeOfDay).with_target(false).compact();
            short.with_ansi(colours).try_init()
        }
        LogFormat::Text => builder.with_ansi(false).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).with_span_list(false).try_init(),
    };
    started.map_err(|error| anyhow::anyhow!("logging could not be started: {error}"))?;
    Ok(StartedLog { _lines: lines })
}

/// The line that tells how many lines are missing. Written out: an event would come back to the log that writes it.
fn loss_notice(format: LogFormat, lost: u64) -> String {
    const MESSAGE: &str = "log lines were lost: the log could not be written";
    let mut timestamp = String::new();
    // Without a time the line still says what matters.
    let _written = SystemTime.format_time(&mut Writer::new(&mut timestamp));
    let target = module_path!();
    match format {
        LogFormat::Text => format!("{timestamp}  WARN {target}: {MESSAGE} lost={lost}\n"),
        LogFormat::Json => {
            let line = serde_json::json!({
                "timestamp": timestamp, "level": "WARN", "message": MESSAGE, "lost": lost, "target": target,
            });
            format!("{line}\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_lines_are_told_in_the_format_of_the_log() {
        let line: serde_json::Value = serde_json::from_str(&loss_notice(LogFormat::Json, 3)).unwrap();
        assert_eq!((&line["level"], &line["lost"]), (&"WARN".into(), &3.into()));
        let line = loss_notice(LogFormat::Text, 3);
        assert!(line.contains(" WARN site_audit::observe: log lines were lost"), "{line}");
        assert!(line.ends_with(" lost=3\n"), "{line}");
    }
}
