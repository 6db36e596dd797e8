//! What answers carry: headers, errors, names of content (ETags).

pub mod conditional;
mod headers;

pub(crate) use headers::{allowance, cors, preflight, receipt, unshare};
pub use headers::{common, of_error, refusal, speaks, status};
