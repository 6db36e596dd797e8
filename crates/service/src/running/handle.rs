//! What the task of an audit tells of it.

use std::fmt;
use std::sync::Arc;

use engine::Progress;
use model::id::{AuditId, Owner};
use tokio::sync::watch;
use tokio::time::Instant;

use super::{AuditEnding, AuditPhase, RunningAudit};
use crate::error::{Code, ServiceError};

/// What the task of an audit tells of it. Dropped without an end, as by a panic, it ends the audit as failed.
#[derive(Debug)]
pub struct RunningHandle {
    state: watch::Sender<RunningAudit>,
}

/// The id of an audit, and who is told of its steps.
#[derive(Clone)]
pub struct ObservedAudit {
    /// The id that the audit is stored under.
    pub id: AuditId,
    /// Called with each completed step.
    pub progress: Progress,
}

impl fmt::Debug for ObservedAudit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObservedAudit").field("id", &self.id).finish_non_exhaustive()
    }
}

impl RunningHandle {
    pub(super) fn new(state: watch::Sender<RunningAudit>) -> Self {
        Self { state }
    }

    /// To be called when the audit begins: its caller is admitted, as a new guest perhaps.
    pub(crate) fn admission(&self) -> impl FnOnce(Option<Owner>, Option<String>) + Send + use<> {
        let state = self.state.clone();
        move |owner, new_guest| {
            state.send_modify(|state| {
                (state.owner, state.new_guest, state.phase) = (owner, new_guest, AuditPhase::Running);
            });
        }
    }

    /// The id and the observer for the audit itself.
    pub(crate) fn observed(&self) -> ObservedAudit {
        let state = self.state.clone();
        let id = state.borrow().id.clone();
        let progress: Progress =
            Arc::new(move |step| state.send_modify(|state| state.steps.push((step, Instant::now()))));
        ObservedAudit { id, progress }
    }

    /// A guest was created for the caller, who keeps it however the audit ends.
    pub(crate) fn met(&mut self, new_guest: Option<String>) {
        self.state.send_modify(|state| state.new_guest = new_guest);
    }

    /// The audit has ended.
    pub(crate) fn end(&mut self, ending: AuditEnding) {
        self.state.send_modify(|state| state.phase = AuditPhase::Ended(ending));
    }
}

impl Drop for RunningHandle {
    fn drop(&mut self) {
        if self.state.borrow().ending().is_none() {
            self.end(AuditEnding::Failed(Arc::new(ServiceError::new(Code::Internal))));
        }
    }
}
