//! Work that no caller waits for: a queue in the database, and the runner that empties it.
//!
//! A job is queued together with the fact that causes it. Any number of servers work on one queue: each claims a job for
//! a while, and what it writes counts only while its claim does. A job that fails waits, twice as long each time; after
//! its last try it stays, for the operator to see (`site-audit operator jobs`).

mod ending;
mod perform;
mod purge;
mod run_watch;
mod runner;
mod send_mail;

pub use purge::purge;
pub use runner::{Background, is_in_step, schedule, start, work_off};
