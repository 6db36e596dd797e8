//! Counting: how much the service is used, in numbers of days and hours. Of a caller nothing is kept: no address, no user
//! agent, no path with an id.
//!
//! Numbers are added up in memory and written every ten seconds, and at the end; a crash loses at most those. While the
//! database is away they wait.

mod counter;
mod event;
mod latency;
mod minutes;
mod reader;
mod tally;
mod visitors;

pub use counter::{AnsweredRequest, Counter, FLUSH_EVERY, Surface};
pub use event::{Event, kind};
pub use latency::Latencies;
pub use minutes::MinuteUses;
pub use reader::{CountedReader, ReaderKind, is_smoke};
pub use visitors::{estimate, merge};
