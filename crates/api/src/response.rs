//! Responses: headers, errors, ETags.

pub mod conditional;
mod headers;

pub(crate) use headers::withhold;
pub use headers::{PageShown, SentInPieces, common, of_error, refusal, speaks, status};
pub(crate) use headers::{allowance, cors, preflight, receipt, unshare};
