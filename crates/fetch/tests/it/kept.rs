//! Connections that are kept between requests of a crawl.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fetch::{Fetcher, KeptConnections};
use model::capture::Fetched;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::time::Instant;

use crate::site::config;

/// A server whose connections serve `most` requests each, then close without a word; how many connections it had.
async fn server(most: usize, answer: fn(&str) -> String) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind((Ipv4Addr::new(127, 0, 0, 2), 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                for _ in 0..most {
                    let mut request = Vec::new();
                    let mut piece = [0; 1024];
                    while !request.ends_with(b"\r\n\r\n") {
                        match stream.read(&mut piece).await {
                            Ok(read) if read > 0 => request.extend_from_slice(&piece[..read]),
                            _ => return,
                        }
                    }
                    let bytes = answer(&String::from_utf8(request).unwrap());
                    stream.write_all(bytes.as_bytes()).await.unwrap();
                }
            });
        }
    });
    (address, connections)
}

async fn statuses(address: SocketAddr, requests: usize) -> Vec<u16> {
    let fetcher = Fetcher::new(config()).unwrap();
    let kept = KeptConnections::default();
    let mut statuses = Vec::new();
    for number in 0..requests {
        let url = fetcher.intake(&format!("http://{address}/{number}")).unwrap();
        let answer = fetcher.answer(&url, None, &kept, Instant::now() + Duration::from_secs(20)).await;
        let Fetched::Response(exchange) = answer else { panic!("{answer:?}") };
        assert!(exchange.url.ends_with(&format!("/{number}")));
        statuses.push(exchange.status);
    }
    statuses
}

fn plain(request: &str) -> String {
    assert!(!request.to_ascii_lowercase().contains("connection: close"), "{request}");
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".to_owned()
}

#[tokio::test]
async fn one_connection_serves_one_request_after_the_other() {
    let (address, connections) = server(100, plain).await;
    assert_eq!(statuses(address, 10).await, [200; 10]);
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_opened_again() {
    let (address, connections) = server(3, plain).await;
    assert_eq!(statuses(address, 10).await, [200; 10]);
    assert_eq!(connections.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn a_response_without_a_clear_end_is_the_last_of_its_connection() {
    let unclear = |_: &str| {
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n".to_owned()
    };
    let (address, connections) = server(100, unclear).await;
    assert_eq!(statuses(address, 3).await, [200; 3]);
    assert_eq!(connections.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn an_address_that_is_not_allowed_is_refused_whatever_is_kept() {
    let (address, connections) = server(100, plain).await;
    let fetcher = Fetcher::new(fetch::FetchConfig { allow_private: Vec::new(), ..config() }).unwrap();
    let url = url::Url::parse(&format!("http://{address}/")).unwrap();
    let answer =
        fetcher.answer(&url, None, &KeptConnections::default(), Instant::now() + Duration::from_secs(20)).await;
    assert!(matches!(answer, Fetched::Failed(_)), "{answer:?}");
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn head_asks_for_no_body() {
    let head = |request: &str| {
        assert!(request.starts_with("HEAD / "), "{request}");
        "HTTP/1.1 404 Not Found\r\ncontent-length: 1000\r\n\r\n".to_owned()
    };
    let (address, _) = server(1, head).await;
    let fetcher = Fetcher::new(config()).unwrap();
    let url = fetcher.intake(&format!("http://{address}/")).unwrap();
    let answer = fetcher.head(&url, Instant::now() + Duration::from_secs(20)).await;
    let Fetched::Response(exchange) = answer else { panic!("{answer:?}") };
    assert_eq!((exchange.status, exchange.body.bytes.len()), (404, 0));
}
