//! Responses: headers, errors, ETags.

pub mod conditional;
mod headers;

pub(crate) use headers::withhold;
pub(crate) use headers::{allowance, cors, preflight, receipt, unshare};
pub use headers::{common, of_error, refusal, speaks, status};
