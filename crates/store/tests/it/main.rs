//! The store on both databases. Each test runs on SQLite and on PostgreSQL, each time in a database of its own.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests fail by panicking and say what they pass over")]

mod audits;
mod durability;
mod guests;
mod opening;
mod quotas;
mod retention;
mod salts;
mod sample;
