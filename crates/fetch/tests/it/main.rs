//! The client against real sockets: stub servers that answer exact bytes, and listeners that must see nobody.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod dns;
mod guarded;
mod names;
mod site;
mod tls;
mod transport;
