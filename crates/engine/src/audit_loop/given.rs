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

/// A completed step of an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditStep {
    /// The page was fetched, with its redirects.
    Page,
    /// robots.txt and the sitemaps were fetched, or failed.
    Files,
    /// The discovery files were fetched, or failed.
    Discovery,
    /// The page was judged.
    Judged,
}

impl AuditInputs {
    pub(super) fn tell(&self, step: AuditStep) {
        if let Some(progress) = &self.progress {
            progress(step);
        }
    }
}
