//! What servers do on the wire: every ugly answer is a value.

use fetch::{Budget, FetchConfig, Fetcher};
use model::capture::{BodyCut, Coding, FailureKind, Fetched, Want, WantKind};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::time::Instant;

use crate::site::{Answer, NEVER, SOON, Site, config, get_with, html, limited, page, reason};

async fn answered(answer: Answer) -> Fetched {
    answered_within(config(), answer).await
}

async fn answered_within(config: FetchConfig, answer: Answer) -> Fetched {
    let site = Site::allowed(move |_| answer.clone()).await;
    get_with(config, &site.url("/")).await
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
        let stalled = Answer::Stall(sent.as_bytes().to_vec());
        let fetched = answered_within(limited(|limits| limits.head = SOON), stalled).await;
        let Fetched::Failed(failure) = fetched else { panic!("{sent:?} gave a response") };
        assert_eq!(failure.kind, FailureKind::Timeout);
    }
}

#[tokio::test]
async fn t04_t05_t07_bodies_without_end_or_cut_short_keep_what_came() {
    let part = Answer::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<p>part".to_vec());
    let stalled = answered_within(limited(|limits| limits.body_idle = SOON), part).await;
    assert_eq!(stalled.response().unwrap().body.cut, Some(BodyCut::Time));
    let short = bytes("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<p>part").await;
    let body = &short.response().unwrap().body;
    assert_eq!((body.bytes.as_slice(), body.cut), (&b"<p>part"[..], Some(BodyCut::Connection)));
    let endless = answered(Answer::Endless(b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b'a'; 65_536])).await;
    let body = &endless.response().unwrap().body;
    assert_eq!((body.bytes.len(), body.cut), (fetch::PAGE_BYTES, Some(BodyCut::Size)));
}

/// Each piece costs the same whatever its size: two million of one byte took seconds of a core.
#[tokio::test]
async fn t05_a_body_in_tiny_pieces_is_cut_after_so_many() {
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    let tiny = answered(Answer::Endless(head.clone(), b"1\r\nx\r\n".repeat(10_000))).await;
    let body = &tiny.response().unwrap().body;
    assert_eq!((body.bytes.len(), body.cut), (65_536, Some(BodyCut::Size)));
    let small =
        answered(Answer::Endless(head, format!("40\r\n{}\r\n", "x".repeat(64)).repeat(1_000).into_bytes())).await;
    let body = &small.response().unwrap().body;
    assert_eq!((body.bytes.len(), body.cut), (fetch::PAGE_BYTES, Some(BodyCut::Size)));
}

#[tokio::test]
async fn t04_a_body_that_drips_ends_by_the_least_speed_or_the_whole_time() {
    for (floor_window, body) in [(SOON, NEVER), (NEVER, SOON)] {
        let config =
            limited(|limits| (limits.body_idle, limits.floor_window, limits.body) = (NEVER, floor_window, body));
        let site = Site::allowed(|_| Answer::Drops(b"HTTP/1.1 200 OK\r\n\r\n<p>".to_vec(), b"x".to_vec())).await;
        let fetched = get_with(config, &site.url("/")).await;
        let body = &fetched.response().unwrap().body;
        assert!(body.bytes.starts_with(b"<p>"));
        assert_eq!(body.cut, Some(BodyCut::Time));
        site.nobody_left().await;
    }
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
        "HTTP/1.1 200 OK\r\nContent-Length: three\r\n\r\nabc",
        "<p>no head at all",
        "\u{16}\u{3}\u{1}tls",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX : y\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: y\r\n folded\r\n\r\n",
        "HTTP/1.1 000 Odd\r\n\r\n",
        "HTTP/1.1 -20 Odd\r\n\r\n",
    ] {
        assert_eq!(reason(&bytes(sent).await), "protocol", "{sent:?}");
    }
    for size in ["ZZ", "-5", "10000000000000003", &format!("3;{}", "x".repeat(100_000))] {
        for before in ["", "3\r\nabc\r\n"] {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
            let fetched = bytes(&format!("{head}{before}{size}\r\nabc")).await;
            let is_cut = fetched.response().map(|exchange| exchange.body.cut.is_some());
            assert!(is_cut.unwrap_or_else(|| reason(&fetched) == "protocol"), "{before:?} {:.20}", size);
        }
    }
}

#[tokio::test]
async fn t20_a_reset_is_told_by_what_had_come() {
    for head in ["", "HTTP/1.1 200 OK\r\nX: y\r\n"] {
        let fetched = answered(Answer::Reset(head.as_bytes().to_vec())).await;
        assert_eq!(reason(&fetched), "protocol", "{head:?}");
    }
    let part = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<p>part".to_vec();
    let fetched = answered(Answer::Reset(part)).await;
    // What the machine had not handed on yet when the reset came is lost.
    assert!(b"<p>part".starts_with(&fetched.response().unwrap().body.bytes));
    assert_eq!(fetched.response().unwrap().body.cut, Some(BodyCut::Connection));
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

fn after_interim(count: usize) -> String {
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n".repeat(count);
    format!("{hints}HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
}

#[tokio::test]
async fn t14_sixteen_interim_responses_pass_and_more_do_not() {
    for count in [1, 16] {
        let fetched = bytes(&after_interim(count)).await;
        let exchange = fetched.response().unwrap();
        assert_eq!((exchange.status, exchange.body.bytes.as_slice()), (200, &b"abc"[..]));
        assert_eq!(exchange.header("link"), None);
    }
    for count in [17, 200] {
        assert_eq!(reason(&bytes(&after_interim(count)).await), "protocol", "{count}");
    }
    let endless = Answer::Endless(Vec::new(), b"HTTP/1.1 100 Continue\r\n\r\n".to_vec());
    assert_eq!(reason(&answered(endless).await), "protocol");
}

#[tokio::test]
async fn t17_bytes_after_a_response_never_reach_the_next_audit() {
    let poison = html("<p>poison");
    // The connection stays open, as one that could be used again.
    let site = Site::allowed(move |_| Answer::Stall([html("<p>page"), poison.clone()].concat())).await;
    let fetcher = Fetcher::new(config()).unwrap();
    for nth in 1..=3 {
        let fetched = page(&fetcher, &site.url("/")).await;
        assert_eq!(fetched.response().unwrap().body.bytes, b"<p>page");
        site.nobody_left().await;
        assert_eq!(site.accepts(), nth);
    }
}

#[tokio::test]
async fn t18_statuses_without_a_body_are_reported_at_once() {
    for status in ["101 Switching Protocols", "204 No Content", "205 Reset Content", "304 Not Modified"] {
        let upgrade = if status.starts_with("101") { "Upgrade: other\r\nConnection: upgrade\r\n" } else { "" };
        // Nothing more comes, and nothing more is waited for.
        let fetched = answered(Answer::Stall(format!("HTTP/1.1 {status}\r\n{upgrade}\r\n").into_bytes())).await;
        let exchange = fetched.response().unwrap();
        assert_eq!((exchange.status.to_string().as_str(), exchange.body.cut), (&status[..3], None));
    }
}

#[tokio::test]
async fn a_fetch_that_runs_out_of_time_leaves_no_connection() {
    for head in [&b""[..], b"HTTP/1.1 200 OK\r\n\r\n<p>"] {
        let site = Site::allowed(move |_| Answer::Stall(head.to_vec())).await;
        let fetcher = Fetcher::new(config()).unwrap();
        let url = fetcher.intake(&site.url("/")).unwrap();
        let _late = fetcher.page(&url, Instant::now() + SOON).await;
        site.nobody_left().await;
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
async fn of_a_picture_only_the_start_is_asked_for_and_without_a_coding() {
    let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let url = format!("http://{}/a.png", listener.local_addr().unwrap());
    let asked = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 4_096];
        let read = stream.read(&mut request).await.unwrap();
        let answer = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-2/9\r\nContent-Length: 3\r\n\r\nGIF";
        stream.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8_lossy(&request[..read]).to_lowercase()
    });
    let want = Want { kind: WantKind::OgImage, url };
    let fetched = Fetcher::new(config()).unwrap().extra(&want, &Budget::new(1), Instant::now() + NEVER).await;
    let exchange = fetched.response().unwrap();
    assert_eq!((exchange.status, exchange.body.bytes.as_slice()), (206, &b"GIF"[..]));
    let head = asked.await.unwrap();
    for line in ["range: bytes=0-65535", "accept-encoding: identity"] {
        assert!(head.lines().any(|found| found == line), "{head}");
    }
}
