//! The allowance of free audits a day, and rate limits per network: counted in the database, and in this process
//! during an outage.

mod free_audits;
mod keys;
mod local;
mod uses;

#[cfg(test)]
mod tests;

pub(crate) use free_audits::Free;
pub use free_audits::Spent;
pub(crate) use keys::Salt as DaySalt;
pub use uses::Allowance;
