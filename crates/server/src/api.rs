//! The catalog of the API: every endpoint, in the order of the documentation.

mod account;
mod audits;
mod auth;
mod billing;
mod checks;
mod claim;
mod credit;
mod gate;
mod guests;
mod health;
mod keys;
mod pricing;
mod tabs;
mod tools;
mod verify;

pub(crate) use audits::{patch_answer, stored};
pub(crate) use checks::unknown_check;
pub(crate) use gate::gate_of;
pub(crate) use guests::new_guest;
pub(crate) use health::PATH as HEALTH_PATH;
pub(crate) use tabs::{HistoryAnswer, TabAnswer, workspace_of};
pub(crate) use tools::unknown_tool;

use crate::operation::Operation;
use crate::surfaces::{documents, index, openapi};

/// Every endpoint. Routes, index and OpenAPI are made from these.
pub fn catalog() -> Vec<Operation> {
    [
        audits::operations(),
        checks::operations(),
        tools::operations(),
        verify::operations(),
        guests::operations(),
        tabs::operations(),
        auth::operations(),
        keys::operations(),
        claim::operations(),
        account::operations(),
        gate::operations(),
        pricing::operations(),
        billing::operations(),
        credit::operations(),
        health::operations(),
        index::operations(),
        openapi::operations(),
        documents::operations(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
