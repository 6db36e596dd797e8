//! The inputs of an audit besides its URL, and the steps that it reports.

use std::sync::Arc;

use model::time::Timestamp;

/// What comes from outside besides the network, so that a test can fix it.
#[derive(Clone)]
pub struct Given {
    /// The only "now" of the audit.
    pub started_at: Timestamp,
    /// 32 hex digits for the not-found probe.
    pub nonce: String,
    /// Told of each step as it ends.
    pub progress: Option<Progress>,
    /// Keeps the bytes of sitemaps in the capture, so that it can be replayed; else they are dropped as they are read.
    pub keep_sitemaps: bool,
}

/// Who is told of the steps of an audit.
pub type Progress = Arc<dyn Fn(Step) + Send + Sync>;

/// A step of an audit that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The page has come, with its redirects.
    Page,
    /// robots.txt and the sitemaps have come, or have not.
    Files,
    /// The discovery files have come, or have not.
    Discovery,
    /// The page was judged.
    Judged,
}

impl Given {
    pub(super) fn tell(&self, step: Step) {
        if let Some(progress) = &self.progress {
            progress(step);
        }
    }
}
