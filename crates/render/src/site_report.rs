//! The report of a site in words and pictures: for a terminal, as a page, as tables and for code scanning.

mod charts;
mod page;
mod run;
mod sarif;
mod tables;
mod text;
mod words;

pub use page::{PageRow, page};
pub use run::{RunNotes, SiteChange, SiteChanges};
pub use sarif::sarif;
pub use tables::{FINDING_COLUMNS, LINK_COLUMNS, PAGE_COLUMNS, TEMPLATE_COLUMNS, link_rows, page_row, template_rows};
pub use text::{changes_text, text};
