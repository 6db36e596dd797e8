//! A payment that is being settled, and the reason why its settlement is unclear.

use model::time::Timestamp;
use store::Lease;

use super::state::PaymentTerms;
use crate::services::Services;

/// A payment that is being settled.
pub(super) struct Settling<'p> {
    pub(super) services: &'p Services,
    pub(super) terms: &'p PaymentTerms,
    pub(super) lease: &'p Lease,
    /// Its age counts from here.
    pub(super) since: Timestamp,
}

impl<'p> Settling<'p> {
    pub(super) fn new(services: &'p Services, terms: &'p PaymentTerms, lease: &'p Lease) -> Self {
        let since = terms.claimed_at.unwrap_or_else(|| services.ports().now());
        Self { services, terms, lease, since }
    }
}

/// Why it is not clear whether a payment was settled.
#[derive(Debug)]
pub(super) struct Doubt {
    pub(super) reason: String,
    /// The transaction, where one was named.
    pub(super) transaction: Option<String>,
    /// The facilitator would not send it, and the only transaction that ever was has failed.
    pub(super) is_final: bool,
}

impl Doubt {
    pub(super) fn of(reason: &str) -> Self {
        Self { reason: reason.to_owned(), transaction: None, is_final: false }
    }
}
