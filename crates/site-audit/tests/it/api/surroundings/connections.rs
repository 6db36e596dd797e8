//! Connections: slow, half-open, too many, and those that are there when the server stops.

use std::time::Duration;

use api::request::Patience;
use api::web::Bounds;
use testkit::{SiteAnswer, TestDatabase, TestSite};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::watch;

use crate::app::{Call, TestApp, read};

testkit::on_both_databases! {
    l02_slow_callers_are_told_and_cut_off,
    slow_bodies_keep_nobody_else_out,
    health_is_told_however_much_is_going_on,
    a_network_has_so_many_connections,
    stopping_lets_running_calls_end_and_waits_for_no_half_open_client,
}

async fn l02_slow_callers_are_told_and_cut_off(database: TestDatabase) {
    let patience =
        Patience { head: Duration::from_millis(300), body: Duration::from_millis(300), ..Patience::default() };
    let app = TestApp::start_with(database, patience, |_| {}).await;
    let mut slow_head = app.connect([127, 0, 0, 1].into()).await;
    slow_head.write_all(b"GET /api/health HTTP/1.1\r\nhost: a\r\nx-a").await.unwrap();
    let response = read(&mut slow_head).await;
    assert_eq!(response.refusal(), (408, "request_timeout".to_owned()));
    assert_eq!((response.header("connection"), response.header("x-content-type-options")), ("close", "nosniff"));
    let mut slow_body = app.connect([127, 0, 0, 1].into()).await;
    slow_body.write_all(b"POST /api/audit HTTP/1.1\r\nhost: a\r\ncontent-length: 20\r\n\r\n{").await.unwrap();
    let response = read(&mut slow_body).await;
    assert_eq!(response.refusal(), (408, "request_timeout".to_owned()));
    assert_eq!(response.header("connection"), "close");
    // An idle connection ends without a word.
    let mut idle = app.connect([127, 0, 0, 1].into()).await;
    let mut bytes = Vec::new();
    idle.read_to_end(&mut bytes).await.unwrap();
    assert_eq!(bytes, b"");
}

async fn slow_bodies_keep_nobody_else_out(database: TestDatabase) {
    let bounds = Bounds { calls: 1, ..Bounds::default() };
    let app = TestApp::start_within(database, Patience::default(), bounds, |_| {}).await;
    let mut slow = Vec::new();
    for path in ["/api/audit", "/api/audit", "/"] {
        let mut stream = app.connect([127, 0, 0, 1].into()).await;
        let head = format!("POST {path} HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        // It is said when the body is waited for.
        let mut go_on = [0; "HTTP/1.1 100 Continue\r\n\r\n".len()];
        stream.read_exact(&mut go_on).await.unwrap();
        slow.push(stream);
    }
    assert_eq!(app.call(Call::get("/api/gate")).await.status, 200);
    assert_eq!(app.call(Call::audit("ftp://a/")).await.refusal(), (400, "invalid_url".to_owned()));
    // Once the body is in, there is a place for its call again.
    slow[0].write_all(b"{}").await.unwrap();
    let mut answer = [0; 12];
    slow[0].read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 400");
}

async fn health_is_told_however_much_is_going_on(database: TestDatabase) {
    let bounds = Bounds { calls: 0, ..Bounds::default() };
    let app = TestApp::start_within(database, Patience::default(), bounds, |_| {}).await;
    for path in ["/api/gate", "/api/", "/"] {
        let refused = app.call(Call::get(path)).await;
        assert_eq!(refused.refusal(), (503, "overloaded".to_owned()), "{path}");
        assert_eq!(refused.header("retry-after"), "1");
    }
    assert_eq!(app.call(Call::get("/api/health")).await.status, 200);
}

async fn a_network_has_so_many_connections(database: TestDatabase) {
    const FULL: [u8; 4] = [127, 0, 0, 3];
    const PROXY: [u8; 4] = [127, 0, 0, 9];
    let bounds = Bounds { connections_per_network: 2, ..Bounds::default() };
    let app = TestApp::start_within(database, Patience::default(), bounds, |config| {
        config.trusted_proxies = vec!["127.0.0.9/32".parse().unwrap()];
    })
    .await;
    let mut open = Vec::new();
    for from in [FULL, FULL, PROXY, PROXY, PROXY] {
        open.push(app.connect(from.into()).await);
    }
    // Connections are taken in the order in which they came, so all of these count by now.
    let mut one_more = app.connect(FULL.into()).await;
    let refused = read(&mut one_more).await;
    assert_eq!(refused.refusal(), (503, "overloaded".to_owned()));
    assert_eq!((refused.header("retry-after"), refused.header("connection")), ("1", "close"));
    assert_eq!(app.call(Call::get("/api/health").from([127, 0, 0, 4])).await.status, 200);
    assert_eq!(app.call(Call::get("/api/health").from(PROXY)).await.status, 200);
    // One that ends makes room.
    let mut ending = open.swap_remove(0);
    ending.write_all(b"GET /api/health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await.unwrap();
    assert_eq!(read(&mut ending).await.status, 200);
    drop(ending);
    loop {
        let mut again = app.connect(FULL.into()).await;
        again.write_all(b"GET /api/health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await.unwrap();
        let mut status = [0; 12];
        if again.read_exact(&mut status).await.is_ok() && &status == b"HTTP/1.1 200" {
            break;
        }
    }
}

/// Bodies that stood still held up the end for 15 seconds, heads for 10.
async fn stopping_lets_running_calls_end_and_waits_for_no_half_open_client(database: TestDatabase) {
    const HOUR: Duration = Duration::from_secs(3_600);
    let (go_on, released) = watch::channel(false);
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 16\r\n\r\n<title>t</title>";
    let site = TestSite::start(move |asked| match asked.path.as_str() {
        "/" => SiteAnswer::Held(Box::new(SiteAnswer::Raw(page.into())), released.clone()),
        _ => SiteAnswer::missing(),
    })
    .await;
    let patience = Patience { head: HOUR, body: HOUR, answer: HOUR };
    let app = TestApp::start_with(database, patience, |_| {}).await;
    let connect = || app.connect([127, 0, 0, 1].into());
    let (mut idle, mut half_head, mut half_body, mut busy) =
        (connect().await, connect().await, connect().await, connect().await);
    half_head.write_all(b"GET /api/health HTTP/1.1\r\nhost: a\r\nx-a").await.unwrap();
    let head = "POST /api/audit HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 20\r\n\r\n";
    half_body.write_all(head.as_bytes()).await.unwrap();
    // It is said when the body is waited for.
    let mut told = [0; "HTTP/1.1 100 Continue\r\n\r\n".len()];
    half_body.read_exact(&mut told).await.unwrap();
    let body = format!("{{\"url\":\"{}\"}}", site.url("/"));
    let call = format!("POST /api/audit HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    busy.write_all(call.as_bytes()).await.unwrap();
    while site.asked().is_empty() {
        assert_eq!(app.call(Call::get("/api/health")).await.status, 200);
    }
    let address = app.address();
    let stopping = tokio::spawn(app.stop());
    // These end while the call of another is still in the making.
    for half_open in [&mut idle, &mut half_head] {
        half_open.read_to_end(&mut Vec::new()).await.unwrap();
    }
    assert_eq!(read(&mut half_body).await.refusal(), (408, "request_timeout".to_owned()));
    go_on.send_replace(true);
    let answer = read(&mut busy).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    stopping.await.unwrap();
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}
