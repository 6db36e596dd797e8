//! Real runs of Lighthouse in a real Chromium, on made-up pages of this machine.
#![expect(clippy::disallowed_methods, reason = "tests start, find and kill processes")]
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]
#![expect(clippy::print_stdout, reason = "tests say what they pass over")]

mod addresses;
mod endings;
mod measured;
mod run;
