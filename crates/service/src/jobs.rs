//! Background jobs: a queue in the database, and its workers.
//!
//! A job is queued in the same transaction as its cause. Any number of servers work on one queue: each claims jobs
//! with a lease, and its writes count only while the lease is valid. A failed job is retried with exponential backoff;
//! after the last try it is kept for the operator (`site-audit operator jobs`).

mod agreement;
mod begin_site_watch;
mod deliver;
mod ending;
mod perform;
mod purge;
mod run_lab;
mod run_site;
mod run_watch;
mod runner;
mod send_mail;

pub use purge::purge;
pub use runner::{Background, is_in_step, schedule, start, work_off, write_counts};
