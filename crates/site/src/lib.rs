//! The pure core of a site run: [`PageFacts`] of many pages in, a [`SiteReport`] out. No I/O, no clock, no randomness.
//!
//! [`Frontier`] says which address comes next, [`read_page`] takes the facts of one page, [`SiteBuilder`] joins them, and
//! [`report()`] judges. The order in which pages and links come changes nothing of the report.

mod address;
pub mod check;
pub mod checks;
mod column;
mod comparison;
mod content;
pub mod facts;
mod fold;
mod frontier;
pub mod offline;
mod page_facts;
mod points;
mod queries;
mod reading;
mod report;
mod scope;
mod skeleton;
mod sketch;
mod spill;
mod spill_map;
mod traps;
mod url_list;

pub use address::{key, origin_variants};
pub use comparison::{ChangeGroup, ChangeSummary, SiteChange, SiteChanges, Snapshot, changes, title_of};
pub use content::read as contents;
pub use facts::{SiteBuilder, SiteFacts};
pub use frontier::{Frontier, FrontierEntry, FrontierLimits, Way};
pub use page_facts::{
    ContentFacts, DocumentFacts, EntityFacts, FACTS_VERSION, OrganizationFacts, PageAnswer, PageFacts, PageFinding,
    PageLink, PageRole, RunLimit, SiteInputs, Skeleton,
};
pub use reading::{AuditedDocument, read_page, read_resource};
pub use report::{CaseView, DEEPEST_BAR, FoldedFinding, Scope, SiteFinding, SiteReport, TemplateView, report};
pub use scope::FrontierScope;
pub use sketch::{alike, sketch};
pub use spill::{Spill, SpillFailure, SpillFile};
pub use spill_map::SpillMap;
pub use traps::{Trap, TrapKind};
pub use url_list::UrlList;
