//! One sitemap file (sitemaps.org protocol 0.9): what its request came to, and what was read of it.

mod fault;
mod file;
mod kind;
mod plain;
mod reading;
mod tally;
mod target;
mod xml;

pub use fault::Fault;
pub use file::{End, MOST_FILE_BYTES, SitemapFile};
pub use kind::{Kind, MOST_FILES, MOST_LOC_BYTES, MOST_URLS};
pub use reading::Entry;
pub(super) use reading::{Child, fetchable};
pub use tally::{BadLoc, Tally};
pub use target::Target;
pub use xml::NAMESPACE;

#[cfg(test)]
mod tests;
