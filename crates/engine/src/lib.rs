//! The audit loop: fetches a page and what belongs to it, and has the pure core judge it. It knows neither callers nor
//! databases nor prices.

mod audit_loop;
mod cores;
mod supplied;
mod verification;

pub use audit_loop::{AUDIT_TIME, AuditFailure, Audited, Engine, FieldDataSource, Given, Progress, Step};
pub use cores::{Cores, Undone};
pub use supplied::Supplied;
pub use verification::Verification;
