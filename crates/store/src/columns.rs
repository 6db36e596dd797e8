//! Values of columns: as they are bound, and as they are read back.

use model::credit::PixState;
use model::money::Micros;

use crate::error::StoreError;

/// An amount as it is bound.
pub(crate) fn signed(amount: Micros) -> Result<i64, StoreError> {
    i64::try_from(amount.0).map_err(|error| StoreError::corrupt("writing an amount of money", error))
}

/// An amount as it was stored.
pub(crate) fn micros(subject: &'static str, stored: Result<i64, sqlx::Error>) -> Result<Micros, StoreError> {
    let stored = stored.map_err(|error| StoreError::of_driver(subject, error))?;
    u64::try_from(stored).map(Micros).map_err(|error| StoreError::corrupt(subject, error))
}

/// 32 bytes as they were stored.
pub(crate) fn digest(subject: &'static str, stored: Vec<u8>) -> Result<[u8; 32], StoreError> {
    stored.try_into().map_err(|_| StoreError::corrupt(subject, "a digest is not 32 bytes"))
}

/// The state of a Pix request as it was stored.
pub(crate) fn pix_state(subject: &'static str, stored: &str) -> Result<PixState, StoreError> {
    PixState::of(stored).ok_or_else(|| StoreError::corrupt(subject, format!("unknown state {stored}")))
}
