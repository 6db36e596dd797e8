//! Which codes an operation may answer with.

use super::{Access, Operation};
use service::error::Code;

/// Codes that any call may answer with.
const COMMON: &[Code] = &[
    Code::InvalidParameter,
    Code::InvalidApiKey,
    Code::InvalidCredential,
    Code::GuestTokenInvalid,
    Code::InvalidSession,
    Code::SessionEnded,
    Code::RequestTimeout,
    Code::HeadersTooLarge,
    Code::Overloaded,
    Code::Internal,
];

/// Codes that a call which is paid may answer with.
const PAID: &[Code] = &[
    Code::InvalidPayment,
    Code::PaymentRefused,
    Code::PaymentUsed,
    Code::InsufficientCredit,
    Code::CreditPending,
    Code::CreditRefused,
    Code::CreditWithoutValue,
    Code::PaymentInProgress,
    Code::IdempotencyConflict,
    Code::SettlementPending,
    Code::FacilitatorUnavailable,
    Code::DatabaseUnavailable,
];

/// Codes that a report of a page may be answered with: those of the server's own limits.
const BEACON: &[Code] = &[Code::HeadersTooLarge, Code::Overloaded, Code::Internal];

impl Operation {
    /// Every code it may answer with.
    pub fn all_errors(&self) -> impl Iterator<Item = Code> {
        if self.is_beacon {
            return BEACON.to_vec().into_iter();
        }
        let of_body: &[Code] = if self.takes_body() || self.writes() {
            &[Code::InvalidBody, Code::BodyTooLarge, Code::UnsupportedMediaType]
        } else {
            &[]
        };
        let of_price: &[Code] = if self.price.is_some() || self.sells { PAID } else { &[] };
        let of_write: &[Code] = if self.writes() {
            &[Code::InvalidOrigin, Code::InvalidCsrf, Code::AuthUnavailable, Code::StorageFull]
        } else {
            &[]
        };
        let of_access: &[Code] = match self.access {
            Access::Open | Access::Browser => &[],
            Access::Owner => &[Code::GuestTokenRequired, Code::AuthUnavailable, Code::DatabaseUnavailable],
            Access::Account => {
                &[Code::GuestTokenRequired, Code::AccountRequired, Code::AuthUnavailable, Code::DatabaseUnavailable]
            }
            Access::Session => &[Code::AuthUnavailable],
            Access::Credit => &[Code::CreditRequired, Code::DatabaseUnavailable],
            Access::Operator => &[Code::OperatorTokenRequired, Code::OperatorUnavailable],
        };
        // A code of several of these is listed once.
        let mut codes: Vec<Code> = Vec::new();
        for code in [self.errors, of_price, of_body, of_write, of_access, COMMON].concat() {
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
        codes.into_iter()
    }
}
