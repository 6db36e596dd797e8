//! What answers carry: headers, errors, names of content (ETags).

pub mod conditional;
mod headers;

pub use headers::{allowance, common, cors, of_error, preflight, receipt, refusal, speaks, status, unshare};
