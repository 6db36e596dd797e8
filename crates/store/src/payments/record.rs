//! A payment: its authorization, its states, and the right to work on it.

use model::money::Micros;
use model::time::Timestamp;

use crate::answers::PaidAnswer;

/// State of a payment. Final: settled, refused, lapsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PaymentState {
    /// Its authorization is claimed; it is being verified.
    Claimed,
    /// The work that it pays is running.
    Working,
    /// The result is stored, and hidden.
    Worked,
    /// A settle call may have been sent to the facilitator.
    Settling,
    /// Whether it settled is not known.
    Unclear,
    /// Nothing was broadcast: the same authorization may be retried.
    Released,
    /// The money came in, and the result belongs to the caller.
    Settled,
    /// No money moved.
    Refused,
    /// No money moved, and none can any more: its authorization expired unused, or was spent otherwise.
    Lapsed,
}

impl PaymentState {
    pub(super) const ALL: [Self; 9] = [
        Self::Claimed,
        Self::Working,
        Self::Worked,
        Self::Settling,
        Self::Unclear,
        Self::Released,
        Self::Settled,
        Self::Refused,
        Self::Lapsed,
    ];

    /// The unfinished states, in which a payment needs work.
    pub const UNFINISHED: [Self; 5] = [Self::Claimed, Self::Working, Self::Worked, Self::Settling, Self::Unclear];

    /// Its stored name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Working => "working",
            Self::Worked => "worked",
            Self::Settling => "settling",
            Self::Unclear => "unclear",
            Self::Released => "released",
            Self::Settled => "settled",
            Self::Refused => "refused",
            Self::Lapsed => "lapsed",
        }
    }
}

/// Identity of an authorization, which the chain accepts once (EIP-3009).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentKey {
    /// The network, CAIP-2.
    pub network: String,
    /// The token's address, lower case.
    pub asset: String,
    /// The payer's address, lower case.
    pub payer: String,
    /// 32 bytes as 0x and 64 lower-case hex digits.
    pub nonce: String,
}

/// `network/asset/payer/nonce`, as movements name it.
impl std::fmt::Display for PaymentKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { network, asset, payer, nonce } = self;
        write!(f, "{network}/{asset}/{payer}/{nonce}")
    }
}

/// A payment to claim.
#[derive(Debug, Clone)]
pub struct NewPayment {
    /// Its id, unique.
    pub id: String,
    /// Its authorization.
    pub key: PaymentKey,
    /// Digest of the request: the call, its price, and the caller.
    pub request_hash: [u8; 32],
    /// Digest of the call alone, without its price and caller.
    pub call_digest: [u8; 32],
    /// Name of the operation.
    pub operation: &'static str,
    /// The amount.
    pub amount: Micros,
    /// The payload for the facilitator, JSON, x402 version 2.
    pub payload: String,
    /// Our payment requirements, JSON, x402 version 2.
    pub requirements: String,
    /// The caller's version of x402, 1 or 2.
    pub wire_version: u8,
    /// Owner of the result.
    pub owner: Option<String>,
    /// The credit that it buys, for a purchase.
    pub purchase: Option<CreditPurchase>,
    /// Digest of the caller's `Idempotency-Key`.
    pub key_digest: Option<[u8; 32]>,
    /// Expiry of the authorization on the chain.
    pub valid_before: Timestamp,
    /// Expiry of the lease.
    pub leased_until: Timestamp,
    /// Now.
    pub now: Timestamp,
}

/// The credit that a payment buys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditPurchase {
    /// Its id.
    pub credit_id: String,
    /// Digest of its token.
    pub token_digest: [u8; 32],
}

/// The lease of a payment: writes with an older one change nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The payment.
    pub id: String,
    /// Fencing token: how often the payment was taken over.
    pub fence: i64,
}

/// A stored payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPayment {
    /// Its lease; valid only where it was just claimed or taken over.
    pub lease: Lease,
    /// Its authorization.
    pub key: PaymentKey,
    /// Digest of the request: the call, its price, and the caller.
    pub request_hash: [u8; 32],
    /// Digest of the call alone.
    pub call_digest: [u8; 32],
    /// Owner of the result: the caller, or the account that has claimed a guest since.
    pub owner: Option<String>,
    /// Name of the operation.
    pub operation: String,
    /// The amount.
    pub amount: Micros,
    /// The payload for the facilitator; empty once deleted.
    pub payload: String,
    /// Our payment requirements; empty once deleted.
    pub requirements: String,
    /// The caller's version of x402.
    pub wire_version: i64,
    /// What it buys.
    pub purchase: Option<CreditPurchase>,
    /// Digest of the caller's `Idempotency-Key`.
    pub key_digest: Option<[u8; 32]>,
    /// Its state.
    pub state: PaymentState,
    /// The transaction on the chain, as far as known.
    pub transaction: Option<String>,
    /// Why it was refused, or is unclear.
    pub reason: Option<String>,
    /// The answer that it pays.
    pub answer: Option<PaidAnswer>,
    /// Expiry of the authorization on the chain.
    pub valid_before: Timestamp,
    /// Number of settle calls that may have been sent.
    pub settle_calls: i64,
    /// Expiry of the lease, or when it is due.
    pub leased_until: Timestamp,
    /// When it was first claimed.
    pub created_at: Timestamp,
}

/// Outcome of claiming an authorization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// Claimed, with its lease.
    Claimed(Lease),
    /// Known already.
    Known(Box<StoredPayment>),
}
