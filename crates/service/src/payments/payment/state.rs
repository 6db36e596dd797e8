//! A payment by x402: its terms, what it buys, and its state.

use model::money::Micros;
use model::time::Timestamp;
use serde_json::Value;
use store::{CreditPurchase, Lease, PaidAnswer, PaymentKey, PaymentState};

use crate::caller::Cx;
use crate::error::ServiceError;
use crate::payments::answer::{CallAnswer, Work};
use crate::x402::SignedPayment;

/// A payment, from its checked header to its end.
pub(crate) struct X402Payment {
    pub(crate) terms: PaymentTerms,
    pub(crate) good: Good,
    pub(crate) state: PaymentStage,
}

/// What was signed, and what the facilitator is asked to settle.
#[derive(Debug)]
pub(crate) struct PaymentTerms {
    /// Network, asset, payer and nonce: an authorization, which the token accepts once (EIP-3009).
    pub(crate) key: PaymentKey,
    /// The caller's version of x402.
    pub(crate) wire_version: i64,
    pub(crate) amount: Micros,
    /// The payload for the facilitator, version 2 of x402.
    pub(crate) payload: Value,
    /// Our payment requirements, version 2 of x402.
    pub(crate) requirements: Value,
    /// When it was claimed; `None` in the call that claims it: its age counts from the first settle call.
    pub(crate) claimed_at: Option<Timestamp>,
    /// When the authorization expires; `None` in the call that claims it, which it was checked to outlast.
    pub(crate) valid_before: Option<Timestamp>,
    /// The transaction that an earlier settle call named.
    pub(crate) transaction: Option<String>,
}

/// The purchase of a payment: a call's result, or credit.
pub(crate) enum Good {
    /// The result of a call that has not run yet.
    Work(Work, Box<Cx>),
    /// The result of the call that ran.
    Answer(CallAnswer),
    /// The stored result of an earlier call; `None` once its retention is over.
    Stored(Option<PaidAnswer>),
    /// Credit, which exists from the settlement on.
    Credit(CreditPurchase),
}

/// State of a payment; the table in `payment.rs` has the transitions.
#[derive(Debug)]
pub(crate) enum PaymentStage {
    /// It agrees with our requirements. Nothing is stored.
    Judged(Box<SignedPayment>),
    /// An earlier call claimed it: this is its row.
    Known(Box<store::StoredPayment>),
    /// Its row is claimed under this lease, and the facilitator was not asked yet.
    Claimed(Lease),
    /// The facilitator would settle it.
    Verified(Lease),
    /// There is nothing left to do but to settle it.
    Worked(Lease),
    /// Taken over from a call that ended before its result was stored.
    Abandoned(Lease),
    /// Taken over, and its row is damaged.
    Unreadable(Lease),
    /// Final: the money came in, in this transaction.
    Settled(String),
    /// Final: no money moved.
    Refused {
        /// A stable word of x402.
        reason: String,
        /// The step that refused it.
        by: RefusedBy,
    },
    /// Final: no money moved, and none can any more, for this reason.
    Lapsed(String),
    /// The money may still move, perhaps in this transaction. The worker asks again.
    Unclear(Option<String>),
    /// Nothing was broadcast: the authorization may be claimed again. The error of the call.
    Released(ServiceError),
    /// Whether its result was stored is not known, or its lease was lost; the worker goes on. The error of the call.
    Interrupted(ServiceError),
    /// Another call or the worker holds its lease.
    InProgress,
}

/// Step in which a payment was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusedBy {
    /// The facilitator would not settle it: it was never sent.
    Verify,
    /// The facilitator did not settle it.
    Settle,
    /// It ended so in an earlier call, refused or lapsed.
    EarlierCall,
}

impl X402Payment {
    /// A stored payment whose lease was taken over.
    pub(crate) fn taken_over(row: store::StoredPayment) -> Self {
        let lease = row.lease.clone();
        let (terms, is_whole) = PaymentTerms::stored(&row);
        let state = match row.state {
            PaymentState::Claimed | PaymentState::Working => PaymentStage::Abandoned(lease),
            _ if !is_whole => PaymentStage::Unreadable(lease),
            _ => PaymentStage::Worked(lease),
        };
        Self { terms, good: Good::stored(row), state }
    }

    /// A stored payment that may not be taken over: it is final, or somebody else holds its lease.
    pub(crate) fn stored(row: store::StoredPayment) -> Self {
        let state = match row.state {
            PaymentState::Claimed
            | PaymentState::Working
            | PaymentState::Worked
            | PaymentState::Settling
            | PaymentState::Released => PaymentStage::InProgress,
            PaymentState::Unclear => PaymentStage::Unclear(row.transaction.clone()),
            PaymentState::Settled => PaymentStage::Settled(row.transaction.clone().unwrap_or_default()),
            PaymentState::Refused | PaymentState::Lapsed => {
                let reason = row.reason.clone().unwrap_or_else(|| "expired".to_owned());
                PaymentStage::Refused { reason, by: RefusedBy::EarlierCall }
            }
        };
        let (terms, _) = PaymentTerms::stored(&row);
        Self { terms, good: Good::stored(row), state }
    }
}

impl PaymentTerms {
    /// The terms of a stored payment, and whether they are whole: once its retention is over they are not.
    fn stored(row: &store::StoredPayment) -> (Self, bool) {
        let json = |text: &str| serde_json::from_str(text).ok();
        let parsed = json(&row.payload).zip(json(&row.requirements));
        let is_whole = parsed.is_some();
        let (payload, requirements) = parsed.unwrap_or_default();
        let terms = Self {
            key: row.key.clone(),
            wire_version: row.wire_version,
            amount: row.amount,
            payload,
            requirements,
            claimed_at: Some(row.created_at),
            valid_before: Some(row.valid_before),
            transaction: row.transaction.clone(),
        };
        (terms, is_whole)
    }
}

impl Good {
    fn stored(row: store::StoredPayment) -> Self {
        match row.purchase {
            Some(purchase) => Self::Credit(purchase),
            None => Self::Stored(row.answer),
        }
    }
}
