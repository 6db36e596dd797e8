//! Faults made on purpose while clients work, and what must hold all the same (`docs/reliability.md`).
//!
//! `SITE_AUDIT_TEST_RUNS` says how often each is made, `SITE_AUDIT_TEST_SEED` where the dice begin; a failure is made again
//! with the seed that was printed. `cargo xtask faults` sets both.
#![expect(clippy::print_stdout, reason = "a fault says how often it was made, and what it found")]

mod backup;
mod clients;
mod crowd;
mod database;
mod disk;
mod io;
mod kills;
mod limits;
mod network;
mod points;
mod proxy;
mod scale_out;
mod scene;
mod strace;
mod versions;

pub(crate) use testkit::faults::{Dice, runs, tell};
