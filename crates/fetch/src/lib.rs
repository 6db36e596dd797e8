//! The guarded client: the only code that opens sockets to addresses a caller, a page or a redirect chose.
//!
//! Every hop is checked again: the text of the URL, its host and port, every address the name resolves to, and the
//! address the connection really has. A refusal has the same words whatever its reason, so that nobody can use us to map
//! a private network.

mod body;
mod budget;
pub mod ceiling;
mod client;
mod config;
mod dial;
mod exchange;
mod failure;
mod fetcher;
mod follow;
pub mod guard;
mod http1;
mod http2;
pub mod intake;
mod kept;
mod post;
mod request;
mod resolve;
mod response;
mod room;
mod rules;
mod service;
mod tunnel;

pub use body::decoded;
pub use budget::Budget;
pub use config::{FetchConfig, FetchTimeouts, SetupError};
pub use fetcher::Fetcher;
pub use follow::answered;
pub use guard::AddressPolicy;
pub use intake::Intake;
pub use kept::KeptConnections;
pub use model::capture::PAGE_BYTES;
pub use post::{GuardedPost, NotPosted, PostAnswer};
pub use room::Room;
pub use rules::{KnownVersion, PAGE_REDIRECTS};
pub use service::{NoAnswer, ServiceAnswer, ServiceBody, ServiceQuestion};
pub use tunnel::NoTunnel;
