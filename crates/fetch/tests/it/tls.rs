//! TLS: a failure is final, and says why.

use fetch::FetchConfig;
use model::capture::FailureKind;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::server::TlsStream;

use crate::secure::{Identity, Secure};
use crate::site::{Answer, SOON, Site, config, get, get_with, html, kind, limited, reason};

async fn page(mut stream: TlsStream<TcpStream>) {
    let mut request = [0; 4_096];
    let _read = stream.read(&mut request).await;
    let _sent = stream.write_all(&html("<p>secure")).await;
    let _closed = stream.shutdown().await;
}

async fn server(identity: Identity) -> Secure {
    Secure::start(identity, &[], page).await
}

#[tokio::test]
async fn a_trusted_certificate_is_accepted_and_known() {
    let fetched = server(Identity::valid()).await.get("/").await;
    let exchange = fetched.response().unwrap();
    assert_eq!(exchange.body.bytes, b"<p>secure");
    assert_eq!(exchange.certificate.as_ref().unwrap().not_after.to_string(), "2099-01-01T00:00:00.000Z");
    assert!(exchange.timing.tls_ms.is_some());
}

#[tokio::test]
async fn s01_s02_certificates_that_do_not_hold_are_told_apart() {
    for (name, years, wanted) in [
        ("site.test", (2020, 2021), "cert_expired"),
        ("site.test", (2098, 2099), "cert_not_yet_valid"),
        ("other.test", (2020, 2099), "cert_name_mismatch"),
    ] {
        assert_eq!(reason(&server(Identity::new(name, years)).await.get("/").await), wanted);
    }
    assert_eq!(reason(&server(Identity::valid()).await.get_untrusting().await), "cert_untrusted");
}

#[tokio::test]
async fn r09_a_redirect_to_http_is_followed_and_carries_nothing_over() {
    let second = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let target = format!("http://127.0.0.2:{}/next", second.local_addr().unwrap().port());
    let answer = format!("HTTP/1.1 302 Found\r\nSet-Cookie: a=b\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n");
    let first = Secure::start(Identity::valid(), &[], move |mut stream| {
        let answer = answer.clone();
        async move {
            let _read = stream.read(&mut [0; 4_096]).await;
            let _sent = stream.write_all(answer.as_bytes()).await;
            let _closed = stream.shutdown().await;
        }
    })
    .await;
    let asked = tokio::spawn(async move {
        let (mut stream, _) = second.accept().await.unwrap();
        let mut request = [0; 4_096];
        let read = stream.read(&mut request).await.unwrap();
        stream.write_all(&html("<p>plain")).await.unwrap();
        String::from_utf8_lossy(&request[..read]).to_lowercase()
    });
    let fetched = first.get("/").await;
    let exchange = fetched.response().unwrap();
    assert_eq!((exchange.url.as_str(), exchange.hops.len()), (target.as_str(), 1));
    assert_eq!(exchange.body.bytes, b"<p>plain");
    let head = asked.await.unwrap();
    let mut names: Vec<&str> = head.lines().skip(1).filter_map(|line| Some(line.split_once(':')?.0)).collect();
    names.sort_unstable();
    assert_eq!(names, ["accept", "accept-encoding", "accept-language", "connection", "host", "user-agent"]);
}

/// A record of the handshake, or of an alert (RFC 8446 §5.1).
fn record(kind: u8, version: [u8; 2], fragment: &[u8]) -> Vec<u8> {
    let length = u16::try_from(fragment.len()).unwrap().to_be_bytes();
    [&[kind], &version[..], &length, fragment].concat()
}

/// A ServerHello (RFC 5246 §7.4.1.3) of this version, suite and protocol.
fn server_hello(version: [u8; 2], suite: [u8; 2], alpn: Option<&[u8]>) -> Vec<u8> {
    let extensions = alpn.map_or_else(Vec::new, |name| {
        let (name_length, list) = (u8::try_from(name.len()).unwrap(), u8::try_from(name.len() + 1).unwrap());
        [&[0, list + 6, 0, 16, 0, list + 2, 0, list, name_length], name].concat()
    });
    let hello = [&version[..], &[1; 32], &[0], &suite, &[0], &extensions].concat();
    let length = u8::try_from(hello.len()).unwrap();
    record(22, version, &[&[2, 0, 0, length], hello.as_slice()].concat())
}

const TLS12: [u8; 2] = [3, 3];
/// An ordinary suite of TLS 1.2: ECDHE, RSA, AES-128-GCM.
const SUITE: [u8; 2] = [0xC0, 0x2F];

/// The reason after these bytes in answer to the first message of the handshake.
async fn after(bytes: Vec<u8>) -> String {
    after_within(config(), bytes).await
}

async fn after_within(config: FetchConfig, bytes: Vec<u8>) -> String {
    let site = Site::allowed(move |_| Answer::Stall(bytes.clone())).await;
    reason(&get_with(config, &format!("https://{}/", site.address)).await).to_owned()
}

#[tokio::test]
async fn s03_servers_without_a_version_or_suite_of_today_are_told() {
    for version in [[3, 0], [3, 1], [3, 2]] {
        assert_eq!(after(server_hello(version, SUITE, None)).await, "tls_version", "{version:?}");
    }
    let (fatal, handshake_failure, protocol_version) = (2, 40, 70);
    assert_eq!(after(record(21, TLS12, &[fatal, protocol_version])).await, "tls_version");
    assert_eq!(after(record(21, TLS12, &[fatal, handshake_failure])).await, "tls_handshake");
    let (null, export) = ([0x00, 0x02], [0x00, 0x03]);
    for suite in [null, export] {
        assert_eq!(after(server_hello(TLS12, suite, None)).await, "tls_handshake", "{suite:?}");
    }
}

#[tokio::test]
async fn s04_s05_a_stalled_handshake_and_plain_http_are_told() {
    assert_eq!(after_within(limited(|limits| limits.tls = SOON), Vec::new()).await, "tls");
    let plain = Site::allowed(|_| Answer::Bytes(html("plain"))).await;
    assert_eq!(reason(&get(&format!("https://{}/", plain.address)).await), "tls_handshake");
}

#[tokio::test]
async fn s06_a_protocol_that_was_not_offered_ends_the_handshake() {
    for name in [&b"h3"[..], b"spdy/3.1", b"http/1.0", b"H2"] {
        assert_eq!(after(server_hello(TLS12, SUITE, Some(name))).await, "tls_handshake", "{name:?}");
    }
    // The very same answer with what was offered: the client waits for the rest.
    for name in [&b"h2"[..], b"http/1.1"] {
        let config = limited(|limits| limits.tls = SOON);
        assert_eq!(after_within(config, server_hello(TLS12, SUITE, Some(name))).await, "tls", "{name:?}");
    }
}

#[tokio::test]
async fn s07_a_chain_of_certificates_over_the_limit_is_refused() {
    let large = server(Identity::valid().and_ballast(60 * 1024)).await;
    assert!(large.get("/").await.response().is_some());
    let huge = server(Identity::valid().and_ballast(101 * 1024)).await;
    let fetched = huge.get("/").await;
    assert_eq!((kind(&fetched), reason(&fetched)), (Some(FailureKind::Unreachable), "tls_handshake"));
}
