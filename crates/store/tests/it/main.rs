//! The store on both databases. Each test runs on SQLite and on PostgreSQL, each time in a database of its own.

#![expect(
    clippy::disallowed_methods,
    reason = "tests are the clock, the network and the environment of what they test"
)]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod accounts;
mod any_order;
mod audits;
mod challenges;
mod contacts;
mod credits;
mod damage;
mod durability;
mod guests;
mod jobs;
mod ledger;
mod once;
mod opening;
mod organizations;
mod payments;
mod pix;
mod power;
mod quotas;
mod retention;
mod salts;
mod sample;
mod shares;
mod sites;
mod tabs;
mod throttles;
mod transfer;
