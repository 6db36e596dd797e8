//! HTTP responses: head and body as a server sends them.
//!
//! The first byte says in pieces of how many bytes the rest arrives; 0 is all at once.

use std::time::Duration;

use fetch::{FetchTimeouts, PAGE_BYTES};
use model::capture::{BodyCut, Exchange, FailureKind, FetchFailure, Fetched};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use url::Url;

/// Header fields of a response at most.
const MOST_FIELDS: usize = 100;
/// Size limit of a response head in bytes.
const HEAD_BYTES: usize = 64 * 1024;
/// Bytes between the two ends of the connection.
const PIPE_BYTES: usize = 64 * 1024;
/// Longer than any answer that ends takes.
const LONG: Duration = Duration::from_secs(20);

/// Any bytes are a response within the limits or a failure with a word, however they are cut into pieces.
pub fn check(data: &[u8]) {
    let (piece, wire) = data.split_first().map_or((0, data), |(first, rest)| (usize::from(*first), rest));
    let fetched = fetched(wire, piece);
    let whole = self::fetched(wire, 0);
    match &fetched {
        Fetched::Response(exchange) => within_the_limits(exchange, wire),
        Fetched::Failed(failure) => {
            assert_eq!(failure.kind, FailureKind::Unreachable, "{}", failure.reason);
            assert!(matches!(failure.reason.as_str(), "protocol" | "headers_too_large"), "{}", failure.reason);
        }
    }
    assert_eq!(unmeasured(fetched), unmeasured(whole), "pieces of {piece} bytes gave another answer");
}

fn within_the_limits(exchange: &Exchange, wire: &[u8]) {
    assert!((100..1_000).contains(&exchange.status), "status {}", exchange.status);
    assert!(exchange.headers.len() <= MOST_FIELDS, "{} fields", exchange.headers.len());
    // A byte that is no text became a character of three bytes.
    let head: usize = exchange.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    assert!(head <= 3 * HEAD_BYTES && head <= 3 * wire.len(), "a head of {head} bytes");
    for (name, value) in &exchange.headers {
        assert!(!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase()));
        assert!(!value.chars().any(|c| c.is_ascii_control() && c != '\t'), "{name}: {value:?}");
    }
    assert!(exchange.body.bytes.len() <= PAGE_BYTES);
    assert!(exchange.timing.bytes <= wire.len() as u64, "more bytes than were sent");
    assert_ne!(exchange.body.cut, Some(BodyCut::Time), "an answer that ends did not end");
}

/// The answer with nothing in it that depends on the time, or on how far the head had come when it was refused: of a
/// head that is both too large and broken the word may be either.
fn unmeasured(fetched: Fetched) -> Fetched {
    match fetched {
        Fetched::Failed(failure) => Fetched::Failed(FetchFailure { reason: String::new(), ..failure }),
        Fetched::Response(mut exchange) => {
            exchange.timing = model::capture::Timing { bytes: exchange.timing.bytes, ..Default::default() };
            Fetched::Response(exchange)
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "it ends with its runtime")]
fn fetched(wire: &[u8], piece: usize) -> Fetched {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime without I/O starts");
    let wire = wire.to_vec();
    runtime.block_on(async move {
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        tokio::spawn(serve(theirs, wire, piece));
        let url = Url::parse("http://example.com/a").expect("a plain URL");
        let limits = FetchTimeouts { head: LONG, body_idle: LONG, body: LONG, ..FetchTimeouts::default() };
        fetch::answered(ours, &url, &limits, tokio::time::Instant::now() + LONG).await
    })
}

/// A server: takes the request, sends the bytes, and closes.
async fn serve(mut stream: tokio::io::DuplexStream, wire: Vec<u8>, piece: usize) {
    let mut request = vec![0; 4_096];
    // What the client asks for does not matter here, and a client that left ends the sending.
    let Ok(_) = stream.read(&mut request).await else { return };
    let piece = if piece == 0 { wire.len().max(1) } else { piece };
    for bytes in wire.chunks(piece) {
        if stream.write_all(bytes).await.is_err() {
            return;
        }
        tokio::task::yield_now().await;
    }
}
