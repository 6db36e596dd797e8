//! The report of a site in words and pictures: for a terminal, as a page, as tables and for code scanning.

mod charts;
mod page;
mod run;
mod sarif;
mod style;
mod tables;
mod text;
mod words;

pub use page::page;
pub use run::{PageRow, RunChanges, RunNotes, SiteChangeListed, SiteReportFile, page_rows};
pub use sarif::sarif;
pub use tables::{
    Cell, ColumnKind, FINDINGS, LINKS, PAGES, SiteTable, TEMPLATES, finding_row, link_rows, page_row, page_table,
    template_rows,
};
pub use text::{changes_text, text};
pub use words::{OptionNames, gain};
