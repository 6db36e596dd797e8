//! The core of a site run from outside: answers of a site in, its report out.
#![expect(
    clippy::disallowed_methods,
    reason = "tests are the clock, the network and the environment of what they test"
)]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking and say what they pass over"
)]

mod changes;
mod fixtures;
mod likeness;
mod shuffled;
