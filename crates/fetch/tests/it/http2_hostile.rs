//! HTTP/2 from hostile servers, frame by frame.

use std::sync::{Arc, Mutex};

use model::capture::{BodyCut, FailureKind, Fetched};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::frames::{
    AGAIN, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, LARGEST, PUSH_PROMISE, Peer, RST_STREAM,
    STREAM, field, frame, headers, remembered, status,
};
use crate::secure::{Identity, Secure};
use crate::site::{SOON, kind, limited, reason};

const PROTOCOL_ERROR: u32 = 1;
const REFUSED_STREAM: u32 = 7;
const HTTP_1_1_REQUIRED: u32 = 13;

/// A server that answers the request with these bytes, and stays.
async fn raw(bytes: Vec<u8>) -> Secure {
    repeating(bytes, Vec::new()).await
}

/// A server that answers with the first bytes, and then with the others over and over.
async fn repeating(bytes: Vec<u8>, others: Vec<u8>) -> Secure {
    let bytes = Arc::new((bytes, others));
    Secure::start(Identity::valid(), &[b"h2"], move |stream| {
        let bytes = Arc::clone(&bytes);
        async move {
            let Some(mut peer) = Peer::asked(stream).await else { return };
            let mut there = peer.send(&bytes.0).await;
            while there && !bytes.1.is_empty() {
                there = peer.send(&bytes.1).await;
            }
            peer.until_left().await;
        }
    })
    .await
}

async fn answered(bytes: Vec<u8>) -> Fetched {
    let server = raw(bytes).await;
    let fetched = server.get("/").await;
    server.nobody_left().await;
    fetched
}

fn ok() -> Vec<u8> {
    headers(&status("200"), false)
}

fn data(bytes: &[u8], flags: u8) -> Vec<u8> {
    frame(DATA, flags, STREAM, bytes)
}

fn reset(code: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, STREAM, &code.to_be_bytes())
}

fn goaway(last: u32, code: u32) -> Vec<u8> {
    frame(GOAWAY, 0, 0, &[last.to_be_bytes(), code.to_be_bytes()].concat())
}

#[tokio::test]
async fn the_client_wants_no_push_and_announces_small_windows_and_lists() {
    let settings = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&settings);
    let server = Secure::start(Identity::valid(), &[b"h2"], move |stream| {
        let log = Arc::clone(&log);
        async move {
            let Some(mut peer) = Peer::asked(stream).await else { return };
            log.lock().unwrap().clone_from(&peer.settings);
            peer.send(&[ok(), data(b"<p>raw", END_STREAM)].concat()).await;
            peer.until_left().await;
        }
    })
    .await;
    assert_eq!(server.get("/").await.response().unwrap().body.bytes, b"<p>raw");
    let settings = settings.lock().unwrap();
    let value = |wanted: u16| settings.iter().find(|(identifier, _)| *identifier == wanted).map(|(_, value)| *value);
    let (push, window, list) = (value(2), value(4), value(6));
    assert_eq!(push, Some(0));
    assert!(window.unwrap() <= 256 * 1024 && list.unwrap() <= 128 * 1024);
}

#[tokio::test]
async fn t13_field_lists_over_the_limit_are_refused() {
    let fields = |count: usize, size: usize| {
        (0..count).flat_map(|n| field(&format!("x-{n}"), &vec![b'y'; size])).collect::<Vec<u8>>()
    };
    let small = answered(headers(&[status("200"), fields(60, 1_000)].concat(), true)).await;
    assert_eq!(small.response().unwrap().headers.len(), 60);
    for list in [fields(1, 65_536), fields(9, 8_192), fields(1, 300_000), fields(64, 8_192)] {
        let fetched = answered(headers(&[status("200"), list].concat(), true)).await;
        assert_eq!((kind(&fetched), reason(&fetched)), (Some(FailureKind::Unreachable), "headers_too_large"));
    }
}

#[tokio::test]
async fn t13_a_small_list_that_unfolds_to_a_huge_one_is_refused() {
    let once = remembered("x", &[b'y'; 4_000]);
    for times in [20, 16_000] {
        let list = [status("200"), once.clone(), vec![AGAIN; times]].concat();
        assert!(list.len() < 64 * 1024);
        assert_eq!(reason(&answered(headers(&list, true)).await), "headers_too_large", "{times}");
    }
}

#[tokio::test]
async fn t13_continuations_without_end_are_refused() {
    for piece in [vec![], field("x", &[b'y'; 1_000]), vec![b'y'; LARGEST]] {
        let first = frame(HEADERS, 0, STREAM, &status("200"));
        let server = repeating(first, frame(CONTINUATION, 0, STREAM, &piece)).await;
        let fetched = server.get("/").await;
        assert_eq!(kind(&fetched), Some(FailureKind::Unreachable), "{}", piece.len());
        assert!(matches!(reason(&fetched), "headers_too_large" | "protocol"), "{}", reason(&fetched));
        server.nobody_left().await;
    }
}

#[tokio::test]
async fn t14_sixteen_interim_responses_pass_and_more_do_not() {
    let hints = || headers(&[status("103"), field("link", b"</a.css>; rel=preload")].concat(), false);
    for (count, wanted) in [(1, "response"), (16, "response"), (17, "protocol"), (200, "protocol")] {
        let bytes = [hints().repeat(count), ok(), data(b"abc", END_STREAM)].concat();
        let fetched = answered(bytes).await;
        assert_eq!(reason(&fetched), wanted, "{count}");
        if let Some(exchange) = fetched.response() {
            assert_eq!((exchange.body.bytes.as_slice(), exchange.header("link")), (&b"abc"[..], None));
        }
    }
    let endless = repeating(Vec::new(), hints()).await;
    assert_eq!(reason(&endless.get("/").await), "protocol");
    endless.nobody_left().await;
}

#[tokio::test]
async fn t08_t10_malformed_responses_are_refused() {
    let with = |fields: &[Vec<u8>]| headers(&[status("200"), fields.concat()].concat(), false);
    let length = |value: &[u8]| field("content-length", value);
    for (case, bytes) in [
        ("two lengths", with(&[length(b"3"), length(b"4")])),
        ("a negative length", with(&[length(b"-3")])),
        ("letters for a length", with(&[length(b"abc")])),
        ("a field of the connection", with(&[field("connection", b"close")])),
        ("a transfer coding", with(&[field("transfer-encoding", b"chunked")])),
        ("a line end in a value", with(&[field("x", b"a\r\nb")])),
        ("NUL in a value", with(&[field("x", b"a\0b")])),
        ("capitals in a name", with(&[field("X-Y", b"z")])),
        ("no status", headers(&field("x", b"y"), false)),
        ("a status of letters", headers(&status("abc"), false)),
        ("a status of zeros", headers(&status("000"), false)),
        ("a table entry that is not there", headers(&[0xFF, 0xFF, 0x7F], false)),
        ("data before the head", data(b"<p>", 0)),
        ("a push that was refused", frame(PUSH_PROMISE, END_HEADERS, STREAM, &[0, 0, 0, 2])),
        ("another stream's response", frame(HEADERS, END_HEADERS, 3, &status("200"))),
        ("a frame over the size", frame(DATA, 0, STREAM, &vec![0; LARGEST + 1])),
        ("a reset", reset(PROTOCOL_ERROR)),
        ("going away", goaway(0, PROTOCOL_ERROR)),
    ] {
        assert_eq!(reason(&answered(bytes).await), "protocol", "{case}");
    }
}

#[tokio::test]
async fn a_request_that_was_not_taken_is_asked_once_more_over_http_1() {
    for (case, bytes) in [
        ("HTTP/1.1 is required", reset(HTTP_1_1_REQUIRED)),
        ("the connection wants HTTP/1.1", goaway(0, HTTP_1_1_REQUIRED)),
        ("the stream was refused", reset(REFUSED_STREAM)),
        ("the connection ends in peace", goaway(0, 0)),
    ] {
        let server = Secure::start(Identity::valid(), &[b"h2", b"http/1.1"], move |mut stream| {
            let bytes = bytes.clone();
            async move {
                if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                    let Some(mut peer) = Peer::asked(stream).await else { return };
                    peer.send(&bytes).await;
                    peer.until_left().await;
                } else {
                    let mut head = [0; 4];
                    let asked = stream.read_exact(&mut head).await.is_ok() && &head == b"GET ";
                    assert!(asked, "{case}");
                    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n<p>";
                    let _client_may_leave = stream.write_all(answer).await;
                    let _client_may_leave = stream.flush().await;
                    let _until_it_leaves = stream.read_to_end(&mut Vec::new()).await;
                }
            }
        })
        .await;
        let fetched = server.get_within(limited(|_| {})).await;
        let exchange = fetched.response().unwrap_or_else(|| panic!("{case}: {}", reason(&fetched)));
        assert_eq!((exchange.timing.http_version.as_str(), &*exchange.body.bytes), ("HTTP/1.1", &b"<p>"[..]), "{case}");
        assert_eq!(server.accepts(), 2, "{case}");
    }
}

#[tokio::test]
async fn a_server_that_never_takes_the_request_is_asked_twice() {
    let server = raw(reset(REFUSED_STREAM)).await;
    let fetched = server.get_within(limited(|_| {})).await;
    assert_eq!((reason(&fetched), server.accepts()), ("tls_handshake", 2), "it speaks nothing else");
}

#[tokio::test]
async fn t02_t03_silence_and_an_unfinished_head_time_out() {
    for bytes in [Vec::new(), frame(HEADERS, 0, STREAM, &status("200")), headers(&status("103"), false)] {
        let fetched = raw(bytes).await.get_within(limited(|limits| limits.head = SOON)).await;
        assert_eq!(kind(&fetched), Some(FailureKind::Timeout));
    }
}

#[tokio::test]
async fn t07_t20_a_body_that_ends_early_keeps_what_came() {
    let long = || headers(&[status("200"), field("content-length", b"99")].concat(), false);
    for (case, bytes) in [
        ("a reset", [ok(), data(b"<p>part", 0), reset(PROTOCOL_ERROR)].concat()),
        ("a reset without error", [ok(), data(b"<p>part", 0), reset(0)].concat()),
        ("going away for ever", [ok(), data(b"<p>part", 0), goaway(0, PROTOCOL_ERROR)].concat()),
        ("fewer bytes than announced", [long(), data(b"<p>part", END_STREAM)].concat()),
        ("garbage", [ok(), data(b"<p>part", 0), frame(HEADERS, END_HEADERS, 0, b"")].concat()),
    ] {
        let fetched = answered(bytes).await;
        let body = &fetched.response().unwrap_or_else(|| panic!("{case}: {}", reason(&fetched))).body;
        assert_eq!(body.cut, Some(BodyCut::Connection), "{case}");
        assert!(b"<p>part".starts_with(&body.bytes), "{case}");
    }
}

#[tokio::test]
async fn a_server_that_goes_away_in_peace_still_ends_its_response() {
    let bytes = [ok(), data(b"<p>one", 0), goaway(STREAM, 0), data(b" two", END_STREAM)].concat();
    let fetched = answered(bytes).await;
    let body = &fetched.response().unwrap().body;
    assert_eq!((body.bytes.as_slice(), body.cut), (&b"<p>one two"[..], None));
}

#[tokio::test]
async fn t04_empty_pieces_without_end_are_not_waited_for() {
    let server = repeating([ok(), data(b"<p>", 0)].concat(), data(b"", 0)).await;
    let fetched = server.get_within(limited(|limits| limits.body = SOON)).await;
    let body = &fetched.response().unwrap().body;
    assert!(matches!(body.cut, Some(BodyCut::Time | BodyCut::Connection)));
    server.nobody_left().await;
}

#[tokio::test]
async fn floods_of_control_frames_do_not_outlast_the_time_for_a_body() {
    let (ping, settings) = (frame(6, 0, 0, &[0; 8]), frame(4, 0, 0, &[]));
    for flood in [ping, settings] {
        let server = repeating([ok(), data(b"<p>", 0)].concat(), flood).await;
        let fetched = server.get_within(limited(|limits| limits.body = SOON)).await;
        assert!(fetched.response().unwrap().body.cut.is_some());
        server.nobody_left().await;
    }
}
