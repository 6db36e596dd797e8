//! What a network may still do: counted in the database, and in the process while the database is away.

mod free_audits;
mod keys;
mod local;
mod uses;

pub(crate) use free_audits::Free;
pub use free_audits::Spent;
pub use uses::Allowance;
