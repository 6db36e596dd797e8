//! Answers without a network, and what a hop holds.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;
use crate::config::FetchConfig;

/// What is made of an answer to a request for `http://example.com/`.
async fn answer(bytes: String) -> Fetched {
    let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
    let url = Url::parse("http://example.com/").unwrap();
    let server = async {
        // An answer before the request would be one to nothing.
        let _request = theirs.read(&mut [0; 4_096]).await.unwrap();
        theirs.write_all(bytes.as_bytes()).await.unwrap();
        theirs.shutdown().await.unwrap();
    };
    let limits = FetchTimeouts::default();
    let deadline = Instant::now() + Duration::from_secs(10);
    tokio::join!(answered(ours, &url, &limits, deadline), server).0
}

#[tokio::test]
async fn a_location_has_2_048_bytes_at_most() {
    for (bytes, is_followed) in [(2_048, true), (2_049, false)] {
        let location = format!("/{}", "a".repeat(bytes - 1));
        let answer = answer(format!("HTTP/1.1 301 M\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n")).await;
        match answer {
            Fetched::Response(_) => assert!(is_followed, "{bytes}"),
            Fetched::Failed(failure) => assert_eq!((is_followed, &*failure.reason), (false, "protocol"), "{bytes}"),
        }
    }
}

#[tokio::test]
async fn a_length_is_ambiguous_where_it_is_told_in_both_ways() {
    for (fields, body, is_ambiguous) in [
        ("content-length: 1", "a", false),
        ("transfer-encoding: chunked", "1\r\na\r\n0\r\n\r\n", false),
        ("content-length: 1\r\ntransfer-encoding: chunked", "1\r\na\r\n0\r\n\r\n", true),
    ] {
        let answer = answer(format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n{body}")).await;
        let Fetched::Response(exchange) = answer else { panic!("{fields}: {answer:?}") };
        assert_eq!((exchange.ambiguous_length, &*exchange.body.bytes), (is_ambiguous, &b"a"[..]), "{fields}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_target_has_sixteen_connections_and_a_machine_of_ones_own_has_any_number() {
    let own = FetchConfig { allow_private: vec!["10.0.0.0/8".parse().unwrap()], ..FetchConfig::default() };
    let client = Client::new(own).unwrap();
    let deadline = Instant::now() + Duration::from_secs(1);
    let enter = |host: &'static str| {
        let (url, address) = (Url::parse(&format!("http://{host}/")).unwrap(), host.parse().unwrap());
        let client = &client;
        async move { place(client, &url, &[address], deadline).await }
    };
    let mut held = Vec::new();
    for _ in 0..16 {
        held.push(enter("203.0.113.5").await.unwrap().expect("a place of a ceiling"));
        assert!(enter("10.0.0.5").await.unwrap().is_none());
    }
    let refused = enter("203.0.113.5").await.map(drop).unwrap_err();
    assert_eq!((refused.kind, refused.reason), (FailureKind::TargetBusy, "connections"));
    held.pop();
    assert!(enter("203.0.113.5").await.is_ok());
}

/// Bytes as a gzip file that is longer than they are.
fn gzip(bytes: usize) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    std::io::Write::write_all(&mut encoder, &vec![b'a'; bytes]).unwrap();
    encoder.finish().unwrap()
}

/// What becomes of a body that is such a file.
async fn gunzipped(client: &Client, room: &mut Room, body: Vec<u8>) -> Body {
    let fields = [(header::CONTENT_ENCODING, "gzip".parse().unwrap())].into_iter().collect();
    let mut raw = RawResponse {
        version: HttpVersion::Http1,
        status: 200,
        fields,
        wire_bytes: body.len(),
        body,
        cut: None,
        is_read: true,
        ttfb: Duration::ZERO,
        download: Duration::ZERO,
    };
    let deadline = Instant::now() + Duration::from_secs(10);
    decoded(&mut raw, 50_000_000, client, Some(room), deadline).await
}

#[tokio::test]
async fn a_large_coded_body_has_room_for_its_bytes_and_for_what_they_may_become() {
    let client = Client::new(FetchConfig::default()).unwrap();
    let decoded = async |room: &mut Room| gunzipped(&client, room, gzip(5_000)).await;
    // A hundred times 5,023 bytes, and these, are two steps of 256 KiB at most.
    let mut others = client.large.room();
    assert!(others.grow_to(158 * 1024 * 1024));
    let body = decoded(&mut client.large.room()).await;
    assert_eq!((body.bytes.len(), body.cut), (5_000, None));
    assert!(others.grow_to(160 * 1024 * 1024));
    let body = decoded(&mut client.large.room()).await;
    assert_eq!((body.bytes.len(), body.cut), (0, Some(BodyCut::Size)));
}

#[tokio::test]
async fn a_coded_body_of_4_kib_needs_no_room() {
    let client = Client::new(FetchConfig::default()).unwrap();
    let mut others = client.large.room();
    assert!(others.grow_to(160 * 1024 * 1024), "all that there is");
    let around = gzip(4_000).len() - 4_000;
    for (coded, cut) in [(4_096, None), (4_097, Some(BodyCut::Size))] {
        let (bytes, body) = (coded - around, gzip(coded - around));
        assert_eq!(body.len(), coded);
        let body = gunzipped(&client, &mut client.large.room(), body).await;
        assert_eq!((body.bytes.len(), body.cut), (if cut.is_none() { bytes } else { 0 }, cut), "{coded}");
    }
}

#[tokio::test(start_paused = true)]
async fn durations_are_whole_milliseconds() {
    let since = Instant::now();
    tokio::time::advance(Duration::from_micros(7_900)).await;
    assert_eq!((millis(since), whole_millis(Duration::from_secs(3))), (7, 3_000));
    assert_eq!(whole_millis(Duration::MAX), u32::MAX);
}
