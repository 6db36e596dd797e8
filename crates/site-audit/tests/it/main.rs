//! The program from outside.
#![expect(
    clippy::disallowed_methods,
    reason = "tests are the clock, the network and the environment of what they test"
)]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod agents;
mod api;
mod app;
mod asvs;
mod canary;
mod clients;
mod command_line;
mod contract;
mod counting;
mod documented;
mod faults;
mod generated;
mod jobs;
mod judges;
mod lab_kills;
mod mcp;
mod metrics;
mod pages;
mod payments;
mod privacy;
mod schema;
mod server_process;
mod site_kills;
mod statistics;
mod tidy;
mod traces;
mod watch_servers;
mod webhook_kills;
