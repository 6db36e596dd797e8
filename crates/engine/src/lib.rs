//! The audit loop: fetches a page and its files, and runs the pure core on them. It knows no callers, databases or
//! prices.

mod audit_loop;
mod cores;
mod crawl;
mod verification;

pub use audit_loop::{
    AUDIT_TIME, AuditFailure, AuditInputs, AuditStep, AuditTimes, Audited, Engine, FetchedPage, FieldDataSource,
    FileCount, Progress, Scheme,
};
pub use cores::{CoreQueues, Cores, Undone};
pub use crawl::{
    Crawl, CrawlAnswer, CrawlAsker, CrawlFailure, CrawlOptions, CrawledPage, CrawledResources, KnownVersions,
    MOST_RESOURCES, SharedCrawl, SitemapList, crawl_spill, report_spill,
};
pub use verification::Verification;
