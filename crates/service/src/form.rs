//! Forms with files, as the web side has read them (RFC 7578).

use bytes::Bytes;

/// One field of a form.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its content; of a file, the file.
    pub content: Bytes,
}
