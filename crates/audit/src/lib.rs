//! The pure core: a capture in, a report out. No I/O, no clock, no randomness: the same capture gives the same bytes.
//!
//! [`wanted`] says what to fetch next, [`Page::read`] and [`SiteFile::read`] parse, [`report`] judges.

mod causes;
pub mod changes;
pub mod check;
pub mod checks;
pub mod compare;
pub mod escape;
pub mod example;
pub mod facts;
pub mod fix;
mod judge;
pub mod patch;
mod path;
pub mod preview;
mod proof;
pub mod rendered;
pub mod report;
pub mod score;
mod searchable;
mod silence;
mod standing;
pub mod supplied;
mod towards;
mod uncover;
mod wanted;

pub use facts::challenge::{Blocked, blocked};
pub use facts::discovery::{PROBE_GETS, probe_gets_left};
pub use facts::field_data::field_data;
pub use facts::site_files::{SiteFile, SiteFiles};
pub use facts::sitemap::ListedPage;
pub use facts::walk::Page;
pub use judge::codes;
pub use report::{report, report_of, report_on, unproven_report, unproven_report_of};
pub use towards::towards;
pub use wanted::{wanted, wanted_first};
