//! Events of followed pages in words: a headline and what changed, as messages of chats, and as a feed.

mod atom;
mod discord;
mod headline;
mod slack;

pub use atom::{FeedEntry, FeedHead, atom};
pub use discord::discord;
pub use headline::{alarm, changes, headline};
pub use slack::slack;
