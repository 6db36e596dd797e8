//! HTTP/2 from ordinary servers: the same exchange as over HTTP/1.1.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use hyper::body::Bytes;
use hyper::{Request, Response, http};
use model::capture::{BodyCut, Coding, FailureKind};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::Duration;

use crate::secure::{HOST, Identity, Secure};
use crate::site::{Answer, NEVER, SOON, Site, config, html, kind, limited, page, reason};

/// What came with the requests.
type Asked = Arc<Mutex<Vec<http::request::Parts>>>;

/// A server of HTTP/2 with whole responses; `answer` gets the path.
async fn server(answer: impl Fn(&str) -> Response<Vec<u8>> + Send + Sync + 'static) -> (Secure, Asked) {
    let asked = Asked::default();
    let (log, answer) = (Arc::clone(&asked), Arc::new(answer));
    let server = Secure::start(Identity::valid(), &[b"h2"], move |stream| {
        let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
        async move {
            let mut connection = h2::server::handshake(stream).await.unwrap();
            while let Some(Ok((request, mut respond))) = connection.accept().await {
                let (head, body) = answer(request.uri().path()).into_parts();
                log.lock().unwrap().push(request.into_parts().0);
                let mut sender = respond.send_response(Response::from_parts(head, ()), false).unwrap();
                sender.send_data(Bytes::from(body), true).unwrap();
            }
        }
    })
    .await;
    (server, asked)
}

fn found(location: &str) -> Response<Vec<u8>> {
    Response::builder().status(302).header("location", location).body(Vec::new()).unwrap()
}

#[tokio::test]
async fn a_page_arrives_whole_with_the_same_request_as_over_http1() {
    let (server, asked) =
        server(|_| Response::builder().header("content-type", "text/html").body(b"<p>two".to_vec()).unwrap()).await;
    let fetched = server.get("/a?b=%C3%A9#c").await;
    let exchange = fetched.response().unwrap();
    assert_eq!((exchange.status, exchange.body.bytes.as_slice(), exchange.body.cut), (200, &b"<p>two"[..], None));
    assert_eq!((exchange.timing.http_version.as_str(), exchange.timing.bytes), ("HTTP/2", 6));
    assert_eq!(exchange.header("content-type"), Some("text/html"));
    assert!(exchange.certificate.is_some() && exchange.timing.ttfb_ms.is_some() && !exchange.ambiguous_length);
    let asked = asked.lock().unwrap();
    let request = Request::from_parts(asked[0].clone(), ());
    assert_eq!(request.uri().to_string(), server.url("/a?b=%C3%A9"));
    let mut names: Vec<&str> = request.headers().keys().map(http::HeaderName::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["accept", "accept-encoding", "accept-language", "user-agent"]);
}

#[tokio::test]
async fn a_server_that_chooses_http1_or_nothing_is_asked_in_it() {
    for alpn in [&[&b"http/1.1"[..]][..], &[]] {
        let server = Secure::start(Identity::valid(), alpn, |mut stream| async move {
            let mut request = vec![0; 4_096];
            let read = stream.read(&mut request).await.unwrap();
            assert!(request[..read].starts_with(b"GET / HTTP/1.1\r\nhost: site.test:"));
            stream.write_all(&html("<p>one")).await.unwrap();
        })
        .await;
        let fetched = server.get("/").await;
        let exchange = fetched.response().unwrap();
        assert_eq!(
            (exchange.body.bytes.as_slice(), exchange.timing.http_version.as_str()),
            (&b"<p>one"[..], "HTTP/1.1")
        );
    }
}

#[tokio::test]
async fn t11_a_server_that_speaks_another_version_than_it_chose_is_refused() {
    let one_for_two = Secure::start(Identity::valid(), &[b"h2"], |mut stream| async move {
        let _sent = stream.write_all(&html("<p>one")).await;
        let _left = stream.read_to_end(&mut Vec::new()).await;
    })
    .await;
    assert_eq!(reason(&one_for_two.get("/").await), "protocol");
    let two_for_one = Secure::start(Identity::valid(), &[b"http/1.1"], |mut stream| async move {
        let _sent = stream.write_all(b"\0\0\0\x04\0\0\0\0\0").await;
        let _left = stream.read_to_end(&mut Vec::new()).await;
    })
    .await;
    assert_eq!(reason(&two_for_one.get("/").await), "protocol");
}

#[tokio::test]
async fn redirects_are_followed_each_on_a_connection_of_its_own() {
    let (server, asked) = server(|path| match path {
        "/1" => found("/2"),
        "/2" => found("//site.test.:0/"),
        "/3" => found("/4"),
        _ => Response::new(b"<p>end".to_vec()),
    })
    .await;
    let fetched = server.get("/3").await;
    let exchange = fetched.response().unwrap();
    assert_eq!((exchange.url.clone(), exchange.hops.len()), (server.url("/4"), 1));
    server.nobody_left().await;
    assert_eq!((server.accepts(), asked.lock().unwrap().len()), (2, 2));
    assert_eq!(kind(&server.get("/1").await), Some(FailureKind::RedirectNotAllowed));
}

#[tokio::test]
async fn r01_a_redirect_to_a_private_address_is_refused_without_a_connection() {
    let canary = Site::start(Ipv4Addr::LOCALHOST.into(), |_| Answer::Bytes(html("secret"))).await;
    let to = format!("https://127.0.0.1:{}/", canary.address.port());
    let (server, _) = server(move |_| found(&to)).await;
    assert_eq!(kind(&server.get("/").await), Some(FailureKind::RedirectNotAllowed));
    assert_eq!(canary.accepts(), 0);
}

#[tokio::test]
async fn t17_no_connection_is_used_again() {
    let (server, _) = server(|_| Response::new(b"<p>page".to_vec())).await;
    let fetcher = server.fetcher(config());
    for nth in 1..=3 {
        assert!(page(&fetcher, &server.url("/")).await.response().is_some());
        // Each leaves before the next comes.
        server.nobody_left().await;
        assert_eq!(server.accepts(), nth);
    }
}

#[tokio::test]
async fn the_final_dot_of_a_name_is_not_sent() {
    let (server, asked) = server(|_| Response::new(Vec::new())).await;
    let fetcher = server.fetcher(config());
    assert!(page(&fetcher, &format!("https://{HOST}.:{}/", server.port)).await.response().is_some());
    assert_eq!(asked.lock().unwrap()[0].uri.to_string(), server.url("/"));
}

#[tokio::test]
async fn z01_a_bomb_stops_at_the_cap() {
    let bomb = crate::bombs::gzip();
    let (server, _) =
        server(move |_| Response::builder().header("content-encoding", "gzip").body(bomb.clone()).unwrap()).await;
    let fetched = server.get("/").await;
    let body = &fetched.response().unwrap().body;
    assert_eq!((body.cut, &body.coding), (Some(BodyCut::Size), &Coding::Decoded("gzip".to_owned())));
    assert!(body.bytes.len() <= fetch::PAGE_BYTES);
}

#[tokio::test]
async fn t12_more_than_a_hundred_fields_are_refused() {
    for (count, wanted) in [(100, "response"), (101, "headers_too_large")] {
        let (server, _) = server(move |_| {
            let head = (0..count).fold(Response::builder(), |head, n| head.header(format!("x-{n}"), "y"));
            head.body(Vec::new()).unwrap()
        })
        .await;
        assert_eq!(reason(&server.get("/").await), wanted, "{count}");
    }
}

/// A server whose body never ends: pieces with a pause between.
async fn dripping(piece: &'static [u8], pause: Duration) -> Secure {
    Secure::start(Identity::valid(), &[b"h2"], move |stream| async move {
        let mut connection = h2::server::handshake(stream).await.unwrap();
        let Some(Ok((_, mut respond))) = connection.accept().await else { return };
        let mut sender = respond.send_response(Response::new(()), false).unwrap();
        sender.send_data(Bytes::from_static(b"<p>"), false).unwrap();
        let drip = async {
            loop {
                sender.reserve_capacity(piece.len());
                let room = std::future::poll_fn(|context| sender.poll_capacity(context)).await;
                if !matches!(room, Some(Ok(_))) || sender.send_data(Bytes::from_static(piece), false).is_err() {
                    return;
                }
                tokio::time::sleep(pause).await;
            }
        };
        tokio::select! {
            () = drip => {}
            // The client has left.
            _ = connection.accept() => {}
        }
    })
    .await
}

#[tokio::test]
async fn t04_a_slow_body_ends_by_idleness_least_speed_or_the_whole_time() {
    for (body_idle, floor_window, body, pause) in [
        (SOON, NEVER, NEVER, NEVER),
        (NEVER, SOON, NEVER, Duration::from_millis(5)),
        (NEVER, NEVER, SOON, Duration::from_millis(5)),
    ] {
        let server = dripping(b"x", pause).await;
        let config =
            limited(|limits| (limits.body_idle, limits.floor_window, limits.body) = (body_idle, floor_window, body));
        let fetched = server.get_within(config).await;
        let body = &fetched.response().unwrap().body;
        assert!(body.bytes.starts_with(b"<p>"));
        assert_eq!(body.cut, Some(BodyCut::Time));
        server.nobody_left().await;
    }
}

#[tokio::test]
async fn t05_an_endless_body_stops_at_the_cap() {
    let server = dripping(&[b'a'; 65_536], Duration::ZERO).await;
    let fetched = server.get("/").await;
    let body = &fetched.response().unwrap().body;
    assert_eq!((body.bytes.len(), body.cut), (fetch::PAGE_BYTES, Some(BodyCut::Size)));
    server.nobody_left().await;
}
