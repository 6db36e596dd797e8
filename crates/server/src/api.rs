//! The catalog of the API: every endpoint, in the order of the documentation.

mod account;
mod audits;
mod auth;
mod avatar;
mod billing;
mod checks;
mod claim;
mod credit;
mod departure;
mod embed;
mod gate;
mod guests;
mod health;
mod keys;
mod openmetrics;
mod organizations;
mod passkeys;
mod pix;
mod pricing;
mod shares;
mod tabs;
mod tools;
mod verify;

pub(crate) use audits::{ReportFormat, patch_answer, stored, whole};
pub(crate) use checks::unknown_check;
pub(crate) use credit::{credit_of, credits_of, listed, pack};
pub(crate) use gate::gate_of;
pub(crate) use guests::new_guest;
pub(crate) use health::PATH as HEALTH_PATH;
pub(crate) use pix::pix_request;
pub(crate) use pricing::quota;
pub(crate) use shares::{
    Snippets, badge_path, publish, report_path, revoke, share_picture, share_state, shared_report,
};
pub(crate) use tabs::{HistoryAnswer, TabAnswer, workspace_of};
pub(crate) use tools::unknown_tool;

use crate::operation::Operation;
use crate::surfaces::{documents, index, openapi};

/// Every endpoint. Routes, index and OpenAPI are made from these.
pub fn catalog() -> Vec<Operation> {
    [
        audits::operations(),
        shares::operations(),
        embed::operations(),
        checks::operations(),
        tools::operations(),
        verify::operations(),
        guests::operations(),
        tabs::operations(),
        auth::operations(),
        avatar::operations(),
        passkeys::operations(),
        keys::operations(),
        organizations::operations(),
        claim::operations(),
        departure::operations(),
        account::operations(),
        gate::operations(),
        pricing::operations(),
        billing::operations(),
        credit::operations(),
        pix::operations(),
        health::operations(),
        openmetrics::operations(),
        index::operations(),
        openapi::operations(),
        documents::operations(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
