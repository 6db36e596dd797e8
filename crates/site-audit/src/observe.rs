//! Logs: fields on standard error, in lines for a person or as JSON.

use std::io::IsTerminal as _;

use anyhow::{Context as _, Result};
use tracing_subscriber::EnvFilter;

use service::config::{Log, LogFormat};

/// Starts logging as configured. Once per process.
pub fn start(log: &Log) -> Result<()> {
    let filter = EnvFilter::try_new(&log.filter).with_context(|| format!("log.filter: {:?}", log.filter))?;
    let by_default = if std::io::stderr().is_terminal() { LogFormat::Text } else { LogFormat::Json };
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match log.format.unwrap_or(by_default) {
        LogFormat::Text => builder.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).with_span_list(false).try_init(),
    };
    started.map_err(|error| anyhow::anyhow!("logging could not be started: {error}"))
}
