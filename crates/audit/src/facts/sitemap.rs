//! One sitemap file (sitemaps.org protocol 0.9): the outcome of its request, and its content.

mod fault;
mod file;
mod kind;
mod plain;
mod reading;
mod tally;
mod target;
mod xml;
mod xml_stop;

pub use fault::SitemapFault;
pub use file::{End, MOST_FILE_BYTES, SitemapFile};
pub use kind::{MOST_FILES, MOST_LOC_BYTES, MOST_URLS, SitemapKind};
pub use reading::SitemapEntry;
pub(super) use reading::{Child, fetchable};
pub use tally::{BadLoc, Tally};
pub use target::ListedPage;
pub use xml::NAMESPACE;

#[cfg(test)]
mod tests;
