//! Reading a payment from its row.

use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::record::{CreditPurchase, Lease, PaymentKey, PaymentState, StoredPayment};
use crate::answers::PaidAnswer;
use crate::columns::{digest, micros};
use crate::error::StoreError;
use crate::statement::{Statement, of_id};

/// The authorization of a row.
pub(super) fn key(subject: &'static str, row: &AnyRow) -> Result<PaymentKey, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    Ok(PaymentKey {
        network: row.try_get("network").map_err(failed)?,
        asset: row.try_get("asset").map_err(failed)?,
        payer: row.try_get("payer").map_err(failed)?,
        nonce: row.try_get("nonce").map_err(failed)?,
    })
}

/// The state of a row.
pub(super) fn state(subject: &'static str, row: &AnyRow) -> Result<PaymentState, StoreError> {
    let state: String = row.try_get("state").map_err(|error| StoreError::of_driver(subject, error))?;
    PaymentState::ALL
        .into_iter()
        .find(|known| known.name() == state)
        .ok_or_else(|| StoreError::corrupt(subject, format!("unknown state {state}")))
}

/// What a payment buys.
pub(super) fn purchase(subject: &'static str, row: &AnyRow) -> Result<Option<CreditPurchase>, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let credit_id: Option<String> = row.try_get("credit_id").map_err(failed)?;
    let token_digest: Option<Vec<u8>> = row.try_get("credit_digest").map_err(failed)?;
    let (Some(credit_id), Some(token_digest)) = (credit_id, token_digest) else { return Ok(None) };
    Ok(Some(CreditPurchase { credit_id, token_digest: digest(subject, token_digest)? }))
}

/// A payment of a row with all columns.
pub(super) fn payment(subject: &'static str, row: &AnyRow) -> Result<StoredPayment, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let key_digest: Option<Vec<u8>> = row.try_get("key_digest").map_err(failed)?;
    Ok(StoredPayment {
        lease: Lease { id: row.try_get("id").map_err(failed)?, fence: row.try_get("fence").map_err(failed)? },
        key: key(subject, row)?,
        request_hash: digest(subject, row.try_get("request_hash").map_err(failed)?)?,
        call_digest: digest(subject, row.try_get("call_digest").map_err(failed)?)?,
        owner: row.try_get("owner").map_err(failed)?,
        operation: row.try_get("operation").map_err(failed)?,
        amount: micros(subject, row.try_get("amount_micros"))?,
        payload: row.try_get::<Option<String>, _>("payload").map_err(failed)?.unwrap_or_default(),
        requirements: row.try_get::<Option<String>, _>("requirements").map_err(failed)?.unwrap_or_default(),
        wire_version: row.try_get("wire_version").map_err(failed)?,
        purchase: purchase(subject, row)?,
        key_digest: key_digest.map(|stored| digest(subject, stored)).transpose()?,
        state: state(subject, row)?,
        transaction: row.try_get("tx_hash").map_err(failed)?,
        reason: row.try_get("reason").map_err(failed)?,
        answer: PaidAnswer::of_row(subject, row)?,
        valid_before: Timestamp(row.try_get("valid_before").map_err(failed)?),
        settle_calls: row.try_get("settle_calls").map_err(failed)?,
        leased_until: Timestamp(row.try_get("leased_until").map_err(failed)?),
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
    })
}

/// A statement on the row with the id and the fence of a lease.
pub(super) fn of_lease(sql: &'static str, lease: &Lease) -> Statement {
    of_id(sql, &lease.id).bind(lease.fence)
}
