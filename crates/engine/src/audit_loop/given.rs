//! The inputs of an audit besides its URL, and the steps that it reports.

use std::sync::Arc;

use model::time::Timestamp;

/// Inputs besides the network, so that tests can fix them.
#[derive(Clone)]
pub struct AuditInputs {
    /// The only "now" of the audit.
    pub started_at: Timestamp,
    /// Nonce of the not-found probe: 32 hex digits.
    pub nonce: String,
    /// Whether its scheme was typed.
    pub scheme: Scheme,
    /// Called with each completed step.
    pub progress: Option<Progress>,
    /// Whether the capture keeps the bytes of sitemaps, for replay; otherwise they are dropped after parsing.
    pub keep_sitemaps: bool,
}

/// Where the scheme of an audited URL comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// It was typed.
    Typed,
    /// It was not, and https was assumed: a site that refuses https is tried over http.
    Assumed,
}

/// Callback for completed steps of an audit.
pub type Progress = Arc<dyn Fn(AuditStep) + Send + Sync>;

/// A completed step of an audit, and what it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditStep {
    /// The page was fetched, with its redirects.
    Page(FetchedPage),
    /// robots.txt and the sitemaps were fetched, or failed.
    Files(FileCount),
    /// The discovery files were fetched, or failed.
    Discovery(FileCount),
    /// The page was judged.
    Judged,
}

/// The page, as it was fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchedPage {
    /// HTTP status of the final response.
    pub status: u16,
    /// Redirects that were followed.
    pub redirects: usize,
    /// Bytes of the decoded body.
    pub bytes: usize,
}

/// Files beside the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileCount {
    /// Files that were requested.
    pub requested: usize,
    /// Files that the site has: the response had a status of 200 to 299.
    pub found: usize,
}

impl AuditInputs {
    pub(super) fn tell(&self, step: AuditStep) {
        if let Some(progress) = &self.progress {
            progress(step);
        }
    }
}
