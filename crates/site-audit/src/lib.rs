//! Site Audit as a program: the command line, logs, and the service put together.

mod assembly;
pub mod cli;
mod log_lines;
pub mod observe;

pub use assembly::{build, open, open_patient};
