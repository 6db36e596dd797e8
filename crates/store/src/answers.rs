//! The stored answer of a paid call, for replays.

use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;

/// Compression level, as of reports.
const LEVEL: i32 = 3;

/// Bytes of an answer; a report is cut to 1 MiB before it gets here.
const ANSWER_BYTES: usize = 8 * 1024 * 1024;

/// The answer of a paid call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaidAnswer {
    /// Status and headers, in the caller's encoding.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl PaidAnswer {
    /// The compressed body.
    pub(crate) fn packed(&self) -> Result<Vec<u8>, StoreError> {
        let subject = "packing an answer";
        if self.body.len() > ANSWER_BYTES {
            return Err(StoreError::corrupt(subject, "it is over 8 MiB"));
        }
        zstd::bulk::compress(&self.body, LEVEL).map_err(|error| StoreError::unavailable(subject, error))
    }

    /// The answer of a row with `answer_head` and `answer_body`, if it has one.
    pub(crate) fn of_row(subject: &'static str, row: &AnyRow) -> Result<Option<Self>, StoreError> {
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let head: Option<String> = row.try_get("answer_head").map_err(failed)?;
        let body: Option<Vec<u8>> = row.try_get("answer_body").map_err(failed)?;
        let (Some(head), Some(packed)) = (head, body) else { return Ok(None) };
        let body =
            zstd::bulk::decompress(&packed, ANSWER_BYTES).map_err(|error| StoreError::corrupt(subject, error))?;
        Ok(Some(Self { head, body }))
    }
}
