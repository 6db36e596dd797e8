//! Content decoding: compressed bodies.
//!
//! The first byte chooses the codings and the cap; the rest is the body as it came.

use fetch::decoded;
use model::capture::{BodyCut, Coding};

/// Values of `Content-Encoding`.
const DECLARED: [&str; 10] = [
    "gzip",
    "deflate",
    "br",
    "zstd",
    "gzip, br",
    "zstd, gzip",
    "Deflate , identity, X-GZIP",
    "exi",
    "br, gzip, br",
    "identity",
];
/// Decoded bytes allowed: of a test, of a text file, of a page.
const CAPS: [usize; 3] = [100, 64 * 1024, fetch::PAGE_BYTES];

/// Nothing decodes past the cap, and what can't be decoded gives no bytes.
pub fn check(data: &[u8]) {
    let Some((choice, wire)) = data.split_first() else { return };
    let (choice, cap) = (usize::from(*choice) % 30, CAPS.get(usize::from(*choice) % 30 / 10));
    let (Some(declared), Some(cap)) = (DECLARED.get(choice % 10), cap) else { return };
    // The wire was read under the same cap.
    let wire = wire.get(..*cap).unwrap_or(wire);
    let body = decoded(Some(declared), wire.to_vec(), None, *cap);
    assert!(body.bytes.len() <= *cap, "{} bytes under a cap of {cap}", body.bytes.len());
    match &body.coding {
        Coding::Identity => assert_eq!(&*body.bytes, wire),
        Coding::Decoded(_) => assert_ne!(body.cut, Some(BodyCut::Time)),
        Coding::Broken(_) | Coding::Unknown(_) => assert!(body.bytes.is_empty() && body.cut.is_none()),
    }
    assert_eq!(body, decoded(Some(declared), wire.to_vec(), None, *cap), "the same bytes decoded to others");
    let cut = decoded(Some(declared), wire.to_vec(), Some(BodyCut::Connection), *cap);
    assert_eq!(cut.bytes, body.bytes, "how the wire ended changed what was decoded");
}
