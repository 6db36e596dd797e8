//! HTTP/2 frames by hand (RFC 9113 §4), for servers that no library would be.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PUSH_PROMISE: u8 = 5;
pub(crate) const GOAWAY: u8 = 7;
pub(crate) const CONTINUATION: u8 = 9;

pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;

/// The one stream of a connection.
pub(crate) const STREAM: u32 = 1;
/// Bytes of a frame that every peer takes.
pub(crate) const LARGEST: usize = 16_384;
/// What a client starts with (RFC 9113 §3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A field list in as many frames as it takes.
pub(crate) fn headers(list: &[u8], end_stream: bool) -> Vec<u8> {
    let mut pieces = list.chunks(LARGEST).peekable();
    let (mut kind, mut flags, mut out) = (HEADERS, u8::from(end_stream) * END_STREAM, Vec::new());
    while let Some(piece) = pieces.next() {
        let last = if pieces.peek().is_none() { END_HEADERS } else { 0 };
        out.extend(frame(kind, flags | last, STREAM, piece));
        (kind, flags) = (CONTINUATION, 0);
    }
    out
}

/// `:status` (RFC 7541, static table), never put in the dynamic table.
pub(crate) fn status(status: &str) -> Vec<u8> {
    [&[8, 3], status.as_bytes()].concat()
}

/// A field, never put in the dynamic table.
pub(crate) fn field(name: &str, value: &[u8]) -> Vec<u8> {
    [&[0][..], &length(name.len()), name.as_bytes(), &length(value.len()), value].concat()
}

/// A field that is put in the dynamic table, where [`AGAIN`] names it.
pub(crate) fn remembered(name: &str, value: &[u8]) -> Vec<u8> {
    [&[0x40][..], &length(name.len()), name.as_bytes(), &length(value.len()), value].concat()
}

/// The last remembered field once more, in one byte: the first index after the static table's 61.
pub(crate) const AGAIN: u8 = 0x80 | 62;

/// An integer in a prefix of seven bits (RFC 7541 §5.1).
fn length(value: usize) -> Vec<u8> {
    if value < 127 {
        return vec![u8::try_from(value).unwrap()];
    }
    let (mut rest, mut out) = (value - 127, vec![127]);
    while rest >= 128 {
        out.push(u8::try_from(rest % 128).unwrap() | 0x80);
        rest /= 128;
    }
    out.push(u8::try_from(rest).unwrap());
    out
}

/// The server's side of a connection, once the request has come.
pub(crate) struct Peer {
    stream: TlsStream<TcpStream>,
    /// Identifiers and values that the client announced.
    pub(crate) settings: Vec<(u16, u32)>,
}

impl Peer {
    /// Reads until the request is there. `None` when the client leaves before.
    pub(crate) async fn asked(mut stream: TlsStream<TcpStream>) -> Option<Self> {
        let mut preface = [0; PREFACE.len()];
        stream.read_exact(&mut preface).await.ok()?;
        assert_eq!(preface, PREFACE);
        stream.write_all(&frame(SETTINGS, 0, 0, &[])).await.ok()?;
        let mut peer = Self { stream, settings: Vec::new() };
        while peer.read().await? != HEADERS {}
        Some(peer)
    }

    /// Reads one frame: its kind. `None` when the client has left.
    async fn read(&mut self) -> Option<u8> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head).await.ok()?;
        let mut payload = vec![0; usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2])];
        self.stream.read_exact(&mut payload).await.ok()?;
        if head[3] == SETTINGS {
            self.settings.extend(payload.chunks(6).map(|entry| {
                (u16::from_be_bytes([entry[0], entry[1]]), u32::from_be_bytes([entry[2], entry[3], entry[4], entry[5]]))
            }));
        }
        Some(head[3])
    }

    /// Sends bytes; whether the client was still there.
    pub(crate) async fn send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).await.is_ok() && self.stream.flush().await.is_ok()
    }

    /// Waits until the client has left.
    pub(crate) async fn until_left(mut self) {
        while self.read().await.is_some() {}
    }
}
