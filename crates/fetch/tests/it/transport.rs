//! What servers do on the wire: every ugly answer is a value.

use model::capture::{BodyCut, Coding, FailureKind, Fetched};

use crate::site::{Answer, Site, get, html, reason};

async fn answered(answer: Answer) -> Fetched {
    let site = Site::allowed(move |_| answer.clone()).await;
    get(&site.url("/")).await
}

async fn bytes(text: &str) -> Fetched {
    answered(Answer::Bytes(text.as_bytes().to_vec())).await
}

#[tokio::test]
async fn a_plain_page_arrives_whole_with_its_headers_and_times() {
    let fetched = answered(Answer::Bytes(html("<p>é"))).await;
    let exchange = fetched.response().unwrap();
    assert_eq!(exchange.body.bytes, "<p>é".as_bytes());
    assert_eq!((exchange.header("content-type"), exchange.body.cut), (Some("text/html"), None));
    assert!(
        exchange.timing.ttfb_ms.is_some() && exchange.timing.connect_ms.is_some() && exchange.timing.dns_ms.is_none()
    );
}

#[tokio::test]
async fn t02_t03_silence_and_an_unfinished_head_time_out() {
    for sent in ["", "HTTP/1.1 200 OK\r\nX: y\r\n"] {
        let fetched = answered(Answer::Stall(sent.as_bytes().to_vec())).await;
        let Fetched::Failed(failure) = fetched else { panic!("{sent:?} gave a response") };
        assert_eq!(failure.kind, FailureKind::Timeout);
    }
}

#[tokio::test]
async fn t04_t05_t07_bodies_without_end_or_cut_short_keep_what_came() {
    let stalled = answered(Answer::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<p>part".to_vec())).await;
    assert_eq!(stalled.response().unwrap().body.cut, Some(BodyCut::Time));
    let short = bytes("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<p>part").await;
    let body = &short.response().unwrap().body;
    assert_eq!((body.bytes.as_slice(), body.cut), (&b"<p>part"[..], Some(BodyCut::Connection)));
    let endless = answered(Answer::Endless(b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b'a'; 65_536])).await;
    let body = &endless.response().unwrap().body;
    assert_eq!((body.bytes.len(), body.cut), (fetch::PAGE_BYTES, Some(BodyCut::Size)));
}

#[tokio::test]
async fn t06_bytes_after_the_announced_length_are_ignored() {
    let fetched = bytes("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcpoison").await;
    assert_eq!(fetched.response().unwrap().body.bytes, b"abc");
}

#[tokio::test]
async fn t08_t10_t11_t19_broken_framing_is_a_protocol_failure() {
    for sent in [
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nabc",
        "<p>no head at all",
        "\u{16}\u{3}\u{1}tls",
        "HTTP/1.1 200 OK\r\nX : y\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: y\r\n folded\r\n\r\n",
        "HTTP/1.1 000 Odd\r\n\r\n",
        "HTTP/1.1 -20 Odd\r\n\r\n",
    ] {
        assert_eq!(reason(&bytes(sent).await), "protocol", "{sent:?}");
    }
    let chunk = bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nabc").await;
    assert!(chunk.response().is_none_or(|exchange| exchange.body.cut.is_some()));
}

#[tokio::test]
async fn t09_two_lengths_are_told() {
    let fetched =
        bytes("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n").await;
    let exchange = fetched.response().unwrap();
    assert_eq!(exchange.body.bytes, b"abc");
    assert!(exchange.ambiguous_length);
}

#[tokio::test]
async fn t12_t13_heads_over_the_limits_are_refused() {
    let many: String = (0..101).map(|n| format!("X-{n}: y\r\n")).collect();
    assert_eq!(reason(&bytes(&format!("HTTP/1.1 200 OK\r\n{many}\r\n")).await), "headers_too_large");
    let fields =
        |count: usize, size: usize| (0..count).map(|n| format!("X-{n}: {}\r\n", "y".repeat(size))).collect::<String>();
    for head in [fields(1, 300_000), fields(64, 8_192)] {
        assert_eq!(reason(&bytes(&format!("HTTP/1.1 200 OK\r\n{head}\r\n")).await), "headers_too_large");
    }
}

#[tokio::test]
async fn t15_t16_t18_odd_statuses_and_bytes_are_reported() {
    assert_eq!(bytes("HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n").await.response().unwrap().status, 999);
    assert_eq!(bytes("HTTP/1.1 204 Nothing\r\n\r\nbody").await.response().unwrap().body.bytes, b"");
    let high = answered(Answer::Bytes(b"HTTP/1.1 200 OK\r\nX-A: \xFF\r\nContent-Length: 0\r\n\r\n".to_vec())).await;
    assert_eq!(high.response().unwrap().header("x-a"), Some("\u{fffd}"));
    assert_eq!(reason(&bytes("HTTP/1.1 200 OK\r\nX-A: a\0b\r\n\r\n").await), "protocol");
}

#[tokio::test]
async fn z05_an_unknown_coding_gives_no_bytes() {
    let fetched = bytes("HTTP/1.1 200 OK\r\nContent-Encoding: exi\r\nContent-Length: 1\r\n\r\nx").await;
    let body = &fetched.response().unwrap().body;
    assert_eq!((body.bytes.len(), &body.coding), (0, &Coding::Unknown("exi".to_owned())));
}

#[tokio::test]
async fn t01_nobody_listening_is_a_connect_failure() {
    let listener = std::net::TcpListener::bind("127.0.0.2:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    assert_eq!(reason(&get(&format!("http://{address}/")).await), "connect");
}
