//! Reading a request: its client, its language, its body within limits, its place among the concurrent calls.

mod accept;
mod body;
mod peer;
mod place;
mod proxies;

pub(crate) use accept::coding;
pub use accept::wish;
pub use body::{BODY_BYTES, Received, client, language, read_body};
pub(crate) use peer::LAST_BYTES;
pub use peer::{Patience, Peer};
pub use place::RequestPlace;
pub use proxies::Proxies;
