//! The catalog of the API: every endpoint, in the order of the documentation.

mod account;
mod audits;
mod auth;
mod avatar;
mod billing;
mod calendar;
mod checks;
mod claim;
mod compare;
mod contact;
mod credit;
mod departure;
mod embed;
mod gate;
mod guests;
mod health;
mod keys;
mod lab;
mod openmetrics;
mod organizations;
mod partners;
mod passkeys;
mod patch;
mod pix;
mod pricing;
mod receipts;
mod running;
mod shares;
mod site_watches;
mod sites;
mod snoozes;
mod statistics;
mod tabs;
mod telemetry;
mod tools;
mod verify;
mod visits;
mod webhooks;

pub use health::PATH as HEALTH_PATH;

/// Paths of what our own pages report without waiting for an answer.
pub(crate) const REPORT_PATHS: [&str; 3] = [visits::PATH, telemetry::ERRORS_PATH, telemetry::PROMPT_PATH];

use crate::documents::{self, index, openapi, operations};
use crate::operation::Operation;

/// Every endpoint. Routes, index and OpenAPI are made from these.
pub fn catalog() -> Vec<Operation> {
    [
        audits::operations(),
        patch::operations(),
        lab::operations(),
        sites::operations(),
        site_watches::operations(),
        running::operations(),
        compare::operations(),
        shares::operations(),
        receipts::operations(),
        embed::operations(),
        checks::operations(),
        tools::operations(),
        verify::operations(),
        guests::operations(),
        tabs::operations(),
        webhooks::operations(),
        calendar::operations(),
        snoozes::operations(),
        auth::operations(),
        avatar::operations(),
        passkeys::operations(),
        keys::operations(),
        organizations::operations(),
        claim::operations(),
        departure::operations(),
        account::operations(),
        contact::operations(),
        partners::operations(),
        gate::operations(),
        pricing::operations(),
        billing::operations(),
        credit::operations(),
        pix::operations(),
        telemetry::operations(),
        health::operations(),
        statistics::operations(),
        visits::operations(),
        openmetrics::operations(),
        index::operations(),
        operations::operations(),
        openapi::operations(),
        documents::operations(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use service::error::Code;

    #[test]
    fn the_call_that_an_error_names_is_an_operation() {
        let operations = super::catalog();
        for next in Code::ALL.iter().filter_map(|code| code.next()) {
            let is_it = operations.iter().any(|operation| {
                (operation.name, operation.method.as_str(), operation.path) == (next.operation, next.method, next.path)
            });
            assert!(is_it, "{next:?}");
        }
    }
}
