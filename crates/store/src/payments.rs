//! Payments by x402: one row per signed authorization, and how it may go from state to state.
//!
//! Who works on a row holds its lease and its fence; a decision that names an older fence changes nothing. That the money
//! came in is a fact and no decision: whoever knows it may write it. What must be final together (the charge, the answer,
//! the credit that was bought) is one transaction.

mod ending;
mod on_its_way;
mod overview;
mod row;

use model::money::Micros;
use model::time::Timestamp;
use sqlx::Row;

use crate::answers::PaidAnswer;
use crate::credits::{of_id, signed};
use crate::db::Statement;
use crate::transaction::Transaction;
use crate::{Store, StoreError, withheld};
pub use ending::{PaymentDecision, Unsettled};
pub use on_its_way::OnItsWay;
use row::payment;

/// State of a payment. Final: settled, refused, lapsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PaymentState {
    /// Its authorization is taken; it is being verified.
    Claimed,
    /// The work that it pays is going on.
    Working,
    /// The result is stored, and hidden.
    Worked,
    /// The facilitator may have been told to settle.
    Settling,
    /// Whether it settled is not known.
    Unclear,
    /// Nothing was broadcast: the same authorization may be tried again.
    Released,
    /// The money came in, and the result is the caller's.
    Settled,
    /// No money moved.
    Refused,
    /// No money moved, and none can any more: its time passed unused, or its authorization was spent otherwise.
    Lapsed,
}

impl PaymentState {
    const ALL: [Self; 9] = [
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

    /// Those in which somebody works on a payment, or has to.
    pub const UNFINISHED: [Self; 5] = [Self::Claimed, Self::Working, Self::Worked, Self::Settling, Self::Unclear];

    /// As it is stored.
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

/// What makes an authorization the same: the chain accepts it once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentKey {
    /// The network, CAIP-2.
    pub network: String,
    /// The token's address, lower case.
    pub asset: String,
    /// Who pays, lower case.
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
    /// What is asked, as a digest: the call, its price, and who asks.
    pub request_hash: [u8; 32],
    /// The call alone, as a digest: the same whatever it costs, and whoever asks.
    pub call_digest: [u8; 32],
    /// Name of the operation.
    pub operation: &'static str,
    /// How much.
    pub amount: Micros,
    /// What the facilitator is sent, JSON, version 2.
    pub payload: String,
    /// Our requirements, JSON, version 2.
    pub requirements: String,
    /// Version in which the caller speaks, 1 or 2.
    pub wire_version: u8,
    /// Whose the result will be.
    pub owner: Option<String>,
    /// What a purchase makes.
    pub purchase: Option<Purchase>,
    /// Digest of the caller's `Idempotency-Key`.
    pub key_digest: Option<[u8; 32]>,
    /// After it the chain accepts the authorization no more.
    pub valid_before: Timestamp,
    /// Until when whoever claims it is taken to be at work.
    pub leased_until: Timestamp,
    /// Now.
    pub now: Timestamp,
}

/// The credit that a payment buys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purchase {
    /// Its id.
    pub credit_id: String,
    /// Digest of its token.
    pub token_digest: [u8; 32],
}

/// The right to work on a payment: writes of an older one change nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The payment.
    pub id: String,
    /// How often it was taken over.
    pub fence: i64,
}

/// A payment as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    /// The right to work on it, where this came with one.
    pub lease: Lease,
    /// Its authorization.
    pub key: PaymentKey,
    /// What was asked, as a digest: the call, its price, and who asked.
    pub request_hash: [u8; 32],
    /// The call alone, as a digest.
    pub call_digest: [u8; 32],
    /// Whose the result is: who asked, or who has claimed them since.
    pub owner: Option<String>,
    /// Name of the operation.
    pub operation: String,
    /// How much.
    pub amount: Micros,
    /// What the facilitator is sent; empty once forgotten.
    pub payload: String,
    /// Our requirements; empty once forgotten.
    pub requirements: String,
    /// Version in which the caller spoke.
    pub wire_version: i64,
    /// What it buys.
    pub purchase: Option<Purchase>,
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
    /// After it the chain accepts the authorization no more.
    pub valid_before: Timestamp,
    /// How often the facilitator may have been told to settle.
    pub settle_calls: i64,
    /// Until when somebody is taken to be at work on it.
    pub leased_until: Timestamp,
    /// When it was first claimed.
    pub created_at: Timestamp,
}

/// What became of an attempt to claim an authorization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// It is the caller's to work on.
    Claimed(Lease),
    /// It came before.
    Known(Box<Payment>),
}

// A payment that nobody works on and that was never told to settle may be claimed again.
const CLAIM: &str = "INSERT INTO payments \
    (id, network, asset, payer, nonce, request_hash, operation, amount_micros, payload, requirements, wire_version, \
    owner, credit_id, credit_digest, key_digest, state, valid_before, settle_calls, fence, leased_until, created_at, \
    updated_at, call_digest) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'claimed', $16, 0, 1, $17, $18, $18, $19) \
    ON CONFLICT (network, asset, payer, nonce) DO UPDATE SET request_hash = $6, operation = $7, amount_micros = $8, \
    payload = $9, requirements = $10, wire_version = $11, owner = $12, credit_id = $13, credit_digest = $14, \
    key_digest = $15, state = 'claimed', reason = NULL, valid_before = $16, fence = payments.fence + 1, \
    leased_until = $17, updated_at = $18, call_digest = $19 \
    WHERE payments.state = 'released' OR (payments.state IN ('claimed', 'working') AND payments.leased_until <= $18) \
    RETURNING id, fence";

/// The columns of a [`Payment`]. A macro, as `concat!` takes literals only.
macro_rules! columns {
    () => {
        "id, network, asset, payer, nonce, request_hash, call_digest, owner, operation, amount_micros, payload, \
        requirements, wire_version, credit_id, credit_digest, key_digest, state, tx_hash, reason, answer_head, answer_body, \
        valid_before, settle_calls, fence, leased_until, created_at"
    };
}

const SELECT: &str =
    concat!("SELECT ", columns!(), " FROM payments WHERE network = $1 AND asset = $2 AND payer = $3 AND nonce = $4");

/// Beyond every lease and every wait between two looks, which last an hour at most, in milliseconds: what was put off for
/// longer was so by a clock that was ahead, and is due.
const TOO_FAR_MS: i64 = 2 * 3_600_000;

// Both conditions twice: PostgreSQL looks at the row once more when another worker had it meanwhile, and by the outer
// ones only. What that worker ended is not to be taken up again.
const TAKE: &str = concat!(
    "UPDATE payments SET fence = fence + 1, leased_until = $2, updated_at = $3 WHERE id = \
    (SELECT id FROM payments WHERE state IN ('claimed', 'working', 'worked', 'settling', 'unclear') \
    AND (leased_until <= $1 OR leased_until > $4) ORDER BY leased_until, id LIMIT 1) \
    AND state IN ('claimed', 'working', 'worked', 'settling', 'unclear') \
    AND (leased_until <= $1 OR leased_until > $4) RETURNING ",
    columns!()
);

const TAKE_ONE: &str = concat!(
    "UPDATE payments SET fence = fence + 1, leased_until = $3, updated_at = $2 WHERE id = $1 \
    AND state IN ('worked', 'settling', 'unclear') AND (leased_until <= $2 OR leased_until > $4) RETURNING ",
    columns!()
);

const NEXT_DUE: &str = "SELECT MIN(leased_until) AS next_due FROM payments \
    WHERE state IN ('claimed', 'working', 'worked', 'settling', 'unclear')";

const UNCLEAR: &str =
    concat!("SELECT ", columns!(), " FROM payments WHERE state = 'unclear' ORDER BY created_at, id LIMIT $1");

const WORKING: &str = "UPDATE payments SET state = 'working', leased_until = $3, updated_at = $4 \
    WHERE id = $1 AND fence = $2 AND state = 'claimed' RETURNING id";

const WORKED: &str = "UPDATE payments SET state = 'worked', answer_head = $3, answer_body = $4, updated_at = $5 \
    WHERE id = $1 AND fence = $2 AND state = 'working' RETURNING id";

// A purchase needs no work between its claim and this.
const SETTLING: &str = "UPDATE payments SET state = 'settling', settle_calls = settle_calls + 1, leased_until = $3, \
    updated_at = $4 WHERE id = $1 AND fence = $2 AND (state IN ('worked', 'settling', 'unclear') \
    OR (state = 'claimed' AND credit_id IS NOT NULL)) RETURNING settle_calls";

const BREAK: &str = "UPDATE payments SET leased_until = $1 \
    WHERE state IN ('claimed', 'working', 'worked', 'settling') AND leased_until > $1";

// An authorization that is good for more than a day is the caller's own wish, and may be good for ever: then the time begins
// with the last change.
const FORGET: &str = "UPDATE payments SET payload = NULL, requirements = NULL, answer_head = NULL, answer_body = NULL \
    WHERE id IN (SELECT id FROM payments WHERE state = 'settled' AND payload IS NOT NULL AND updated_at < $1 \
    AND (valid_before < $1 OR valid_before > updated_at + 86400000) ORDER BY updated_at, id LIMIT $2) RETURNING id";

impl Store {
    /// Claims an authorization before anything is done for it, unless it came before and may not be tried again.
    pub async fn claim_payment(&self, new: NewPayment) -> Result<Claim, StoreError> {
        self.db
            .transact("claiming a payment", move |transaction| {
                let new = new.clone();
                Box::pin(async move { claim(transaction, new).await })
            })
            .await
    }

    /// The payment with this authorization, if it came before.
    pub async fn payment(&self, key: &PaymentKey) -> Result<Option<Payment>, StoreError> {
        let subject = "looking up a payment";
        let row = self.db.read(subject, of_key(key)).await?;
        row.map(|row| payment(subject, &row)).transpose()
    }

    /// Notes that the work goes on, until `leased_until` at most; `false` when somebody else took over.
    pub async fn begin_paid_work(
        &self,
        lease: &Lease,
        leased_until: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let statement = of_lease(WORKING, lease).bind(leased_until.0).bind(now.0);
        self.changes("beginning paid work", statement).await
    }

    /// Keeps the answer, hidden until the payment is settled; `false` when somebody else took over.
    pub async fn end_paid_work(&self, lease: &Lease, answer: &PaidAnswer, now: Timestamp) -> Result<bool, StoreError> {
        let statement = of_lease(WORKED, lease).bind(answer.head.clone()).bind(answer.packed()?).bind(now.0);
        self.changes("keeping a paid answer", statement).await
    }

    /// Notes, before the facilitator is told, that it is told to settle; how often it was, this time included. `None`
    /// when somebody else took over.
    pub async fn begin_settling(
        &self,
        lease: &Lease,
        leased_until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let subject = "beginning to settle a payment";
        let rows = self.db.write(subject, of_lease(SETTLING, lease).bind(leased_until.0).bind(now.0)).await?;
        let calls = rows.first().map(|row| row.try_get("settle_calls"));
        calls.transpose().map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Takes over a payment that was due at `due_before`, and that is not final, if there is one.
    pub async fn take_due_payment(
        &self,
        due_before: Timestamp,
        leased_until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Payment>, StoreError> {
        let subject = "taking over a payment";
        let too_far = now.plus_ms(TOO_FAR_MS);
        let statement = sqlx::query(TAKE).bind(due_before.0).bind(leased_until.0).bind(now.0).bind(too_far.0);
        let rows = self.db.write(subject, statement).await?;
        rows.first().map(|row| payment(subject, row)).transpose()
    }

    /// When the next payment that is not final will be due, if there is one.
    pub async fn next_due_payment(&self) -> Result<Option<Timestamp>, StoreError> {
        let subject = "looking for the next payment";
        let row = self.db.read(subject, sqlx::query(NEXT_DUE)).await?;
        let row = row.ok_or(StoreError::NotFound { subject })?;
        let next: Option<i64> = row.try_get("next_due").map_err(|error| StoreError::of_driver(subject, error))?;
        Ok(next.map(Timestamp))
    }

    /// Takes over this payment for settling, where nobody works on it.
    pub async fn take_payment(
        &self,
        id: &str,
        now: Timestamp,
        leased_until: Timestamp,
    ) -> Result<Option<Payment>, StoreError> {
        let subject = "taking over a payment";
        let too_far = now.plus_ms(TOO_FAR_MS);
        let statement = of_id(TAKE_ONE, id).bind(now.0).bind(leased_until.0).bind(too_far.0);
        let rows = self.db.write(subject, statement).await?;
        rows.first().map(|row| payment(subject, row)).transpose()
    }

    /// Payments of which nobody knows whether they settled, oldest first, at most `limit`.
    pub async fn unclear_payments(&self, limit: u32) -> Result<Vec<Payment>, StoreError> {
        let subject = "listing unclear payments";
        let rows = self.db.read_all(subject, sqlx::query(UNCLEAR).bind(i64::from(limit))).await?;
        rows.iter().map(|row| payment(subject, row)).collect()
    }

    /// Ends all leases on payments, at the start of the only server of an embedded database: whoever held them is gone.
    pub async fn break_leases(&self, now: Timestamp) -> Result<(), StoreError> {
        if !self.db.is_embedded() {
            return Ok(());
        }
        self.db.write("ending leases", sqlx::query(BREAK).bind(now.0)).await.map(drop)
    }

    /// Forgets what was said and answered of payments that settled, and whose authorizations ended, before `before`, at
    /// most `limit`; how many. That their authorizations were used is kept.
    pub async fn forget_payments(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let statement = sqlx::query(FORGET).bind(before.0).bind(i64::from(limit));
        Ok(self.db.write("forgetting payments", statement).await?.len() as u64)
    }

    /// Whether a statement that returns what it changed changed anything.
    async fn changes(&self, subject: &'static str, statement: Statement) -> Result<bool, StoreError> {
        Ok(!self.db.write(subject, statement).await?.is_empty())
    }
}

async fn claim(transaction: &mut Transaction<'_>, new: NewPayment) -> Result<Claim, StoreError> {
    let subject = "claiming a payment";
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let key = new.key.clone();
    let (credit_id, credit_digest) = match new.purchase {
        Some(purchase) => (Some(purchase.credit_id), Some(purchase.token_digest.to_vec())),
        None => (None, None),
    };
    let statement = sqlx::query(CLAIM)
        .bind(new.id)
        .bind(new.key.network)
        .bind(new.key.asset)
        .bind(new.key.payer)
        .bind(new.key.nonce)
        .bind(new.request_hash.to_vec())
        .bind(new.operation)
        .bind(signed(new.amount)?)
        .bind(new.payload)
        .bind(new.requirements)
        .bind(i64::from(new.wire_version))
        .bind(new.owner)
        .bind(credit_id)
        .bind(credit_digest)
        .bind(new.key_digest.map(|digest| digest.to_vec()))
        .bind(new.valid_before.0)
        .bind(new.leased_until.0)
        .bind(new.now.0)
        .bind(new.call_digest.to_vec());
    if let Some(row) = transaction.first(statement).await? {
        let lease = Lease { id: row.try_get("id").map_err(failed)?, fence: row.try_get("fence").map_err(failed)? };
        if lease.fence > 1 {
            // What an earlier attempt made before its process ended.
            withheld::forget(transaction, &lease.id).await?;
        }
        return Ok(Claim::Claimed(lease));
    }
    let row = transaction.first(of_key(&key)).await?.ok_or(StoreError::NotFound { subject })?;
    Ok(Claim::Known(Box::new(payment(subject, &row)?)))
}

fn of_key(key: &PaymentKey) -> Statement {
    let PaymentKey { network, asset, payer, nonce } = key.clone();
    sqlx::query(SELECT).bind(network).bind(asset).bind(payer).bind(nonce)
}

fn of_lease(sql: &'static str, lease: &Lease) -> Statement {
    of_id(sql, &lease.id).bind(lease.fence)
}
