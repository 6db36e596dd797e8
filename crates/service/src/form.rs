//! Multipart forms (RFC 7578), as parsed by the web layer.

use bytes::Bytes;

/// One field of a form.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its content; for a file, the file's bytes.
    pub content: Bytes,
}
