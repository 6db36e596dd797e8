//! The client against real sockets: stub servers that answer exact bytes, and listeners that must see nobody.
#![expect(
    clippy::disallowed_methods,
    reason = "tests are the clock, the network and the environment of what they test"
)]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
#![expect(clippy::print_stdout, reason = "a measured process tells its parent what it measured")]

mod addresses;
mod bombs;
mod connecting;
mod dns;
mod environment;
mod frames;
mod guarded;
mod http2;
mod http2_hostile;
mod kept;
mod memory;
mod names;
mod secure;
mod site;
mod tls;
mod transport;
mod tunnel;
