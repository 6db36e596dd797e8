//! Report bodies as they are stored: one codec byte, then the report.

use std::sync::{Mutex, PoisonError};

use model::report::Report;
use serde::de::DeserializeOwned;
use zstd::bulk::{Compressor, Decompressor};

use crate::error::StoreError;

/// Codec byte of zstd over JSON.
const ZSTD_JSON: u8 = 1;

/// Compression level. Measured: 6 times smaller at 8,400 reports a second per core.
const LEVEL: i32 = 3;

/// Size limit of a report in bytes of JSON. Reports are cut to 1 MiB before they are stored, so a body that unpacks to
/// eight times that is corrupt.
const REPORT_LIMIT: usize = 8 * 1024 * 1024;

/// Bytes of JSON that most reports stay below.
const USUAL_JSON: usize = 64 * 1024;

/// A report as it is stored.
#[derive(Debug, Clone)]
pub struct PackedReport {
    /// The final address, a column of its own.
    pub(crate) url: String,
    pub(crate) score: u32,
    pub(crate) body: Vec<u8>,
}

impl PackedReport {
    /// The unpacked report.
    pub fn unpack(&self) -> Result<Report, StoreError> {
        unpack(&self.body)
    }
}

/// Packs report bodies. Reuses its compressors: making their tables takes longer than packing a report.
#[derive(Default)]
pub(crate) struct Codec {
    idle: Mutex<Vec<Compressor<'static>>>,
}

impl Codec {
    /// The stored form of `report`. [`StoreError::Corrupt`] when it is over the limit and could not be read again.
    pub(crate) fn pack(&self, report: &Report) -> Result<PackedReport, StoreError> {
        let subject = "packing a report";
        let mut json = Vec::with_capacity(USUAL_JSON);
        serde_json::to_writer(&mut json, report).map_err(|error| StoreError::corrupt(subject, error))?;
        if json.len() > REPORT_LIMIT {
            return Err(StoreError::corrupt(subject, "it is over 8 MiB of JSON"));
        }
        let failed = |error: std::io::Error| StoreError::unavailable(subject, error);
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut compressor = match idle {
            Some(compressor) => compressor,
            None => compressor().map_err(failed)?,
        };
        let packed = compressor.compress(&json).map_err(failed)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(compressor);

        let mut body = Vec::with_capacity(1 + packed.len());
        body.push(ZSTD_JSON);
        body.extend_from_slice(&packed);
        Ok(PackedReport { url: report.url.clone(), score: report.score, body })
    }
}

/// A compressor whose output has a checksum. Pages of SQLite have none: bits that flip on a disk could make another report.
fn compressor() -> std::io::Result<Compressor<'static>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    Ok(compressor)
}

/// The report in a stored `body`, or a part of it; [`StoreError::Corrupt`] for anything that [`Codec::pack`] does not
/// write.
pub(crate) fn unpack<T: DeserializeOwned>(body: &[u8]) -> Result<T, StoreError> {
    let subject = "unpacking a report";
    let packed = match body.split_first() {
        Some((&ZSTD_JSON, packed)) => packed,
        Some((codec, _)) => return Err(StoreError::corrupt(subject, format!("unknown codec {codec}"))),
        None => return Err(StoreError::corrupt(subject, "it is empty")),
    };
    let mut decompressor = Decompressor::new().map_err(|error| StoreError::unavailable(subject, error))?;
    // Allocates what the frame declares, and never more than the limit.
    let json = decompressor.decompress(packed, REPORT_LIMIT).map_err(|error| StoreError::corrupt(subject, error))?;
    serde_json::from_slice(&json).map_err(|error| StoreError::corrupt(subject, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(json: &[u8]) -> Vec<u8> {
        let mut body = vec![ZSTD_JSON];
        body.extend(zstd::bulk::compress(json, LEVEL).unwrap());
        body
    }

    #[test]
    fn a_damaged_body_is_corrupt() {
        let whole = body(b"{}");
        for body in [
            Vec::new(),
            vec![0],
            vec![ZSTD_JSON],
            vec![9, 1, 2, 3],
            whole[..whole.len() - 1].to_vec(),
            whole,
            body(&vec![b' '; REPORT_LIMIT + 1]),
        ] {
            assert!(matches!(unpack::<Report>(&body), Err(StoreError::Corrupt { .. })), "{:?}", body.get(..8));
        }
    }

    #[test]
    fn f19_whichever_bit_of_a_body_flips_it_is_nothing_else() {
        let report =
            serde_json::json!({"url": "https://example.org/a-page", "title": "A page of a title", "score": 74});
        let mut whole = vec![ZSTD_JSON];
        whole.extend(compressor().unwrap().compress(report.to_string().as_bytes()).unwrap());
        assert_eq!(unpack::<serde_json::Value>(&whole).unwrap(), report);
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            if let Ok(read) = unpack::<serde_json::Value>(&damaged) {
                assert_eq!(read, report, "bit {bit}");
            }
        }
    }
}
