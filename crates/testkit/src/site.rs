//! A web site on a loopback address of its own, with scripted answers.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

/// Size limit of a request head in bytes.
const HEAD_BYTES: usize = 64 * 1024;
/// Size limit of a request body in bytes: more than an export of traces takes.
const BODY_BYTES: usize = 1024 * 1024;

/// A received request.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// Path with query, as sent.
    pub path: String,
    /// The whole head.
    pub head: String,
    /// The body, as long as `Content-Length` says.
    pub body: String,
}

/// An answer of the site.
#[derive(Debug, Clone)]
pub enum SiteAnswer {
    /// These bytes, then the connection is closed.
    Raw(Vec<u8>),
    /// The answer within, once the value is true.
    Held(Box<Self>, watch::Receiver<bool>),
    /// Nothing, until the caller gives up.
    Silence,
}

impl SiteAnswer {
    /// A whole response with a body.
    pub fn page(status: u16, content_type: &str, body: &str) -> Self {
        Self::Raw(
            format!(
                "HTTP/1.1 {status} X\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            )
            .into_bytes(),
        )
    }

    /// A 200 with HTML.
    pub fn html(body: &str) -> Self {
        Self::page(200, "text/html; charset=utf-8", body)
    }

    /// A 404 with a word.
    pub fn missing() -> Self {
        Self::page(404, "text/plain", "missing")
    }

    /// A redirect.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::Raw(
            format!("HTTP/1.1 {status} X\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                .into_bytes(),
        )
    }
}

/// A running site; stops when dropped.
#[derive(Debug)]
pub struct TestSite {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
    serving: JoinHandle<()>,
}

impl TestSite {
    /// Starts a site at `127.0.0.2` on a free port. `answer` is called once a request.
    pub async fn start(answer: impl Fn(&ReceivedRequest) -> SiteAnswer + Send + Sync + 'static) -> Self {
        Self::start_at([127, 0, 0, 2].into(), answer).await
    }

    /// Starts a site at an address of the machine.
    pub async fn start_at(ip: IpAddr, answer: impl Fn(&ReceivedRequest) -> SiteAnswer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((ip, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, answer) = (Arc::clone(&requests), Arc::new(answer));
        let serving = tokio::spawn(async move {
            // Aborted with the site: connections live in this task's set.
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                connections.spawn(async move { serve(stream, &log, &*answer).await });
                while connections.try_join_next().is_some() {}
            }
        });
        Self { address, requests, serving }
    }

    /// Its address and port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of a path on it.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Every request so far, in order.
    pub fn asked(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for TestSite {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(
    mut stream: TcpStream,
    log: &Mutex<Vec<ReceivedRequest>>,
    answer: &(dyn Fn(&ReceivedRequest) -> SiteAnswer + Send + Sync),
) {
    let mut head = Vec::new();
    let mut piece = [0; 4096];
    while !head.windows(4).any(|four| four == b"\r\n\r\n") && head.len() < HEAD_BYTES {
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return,
            Ok(read) => head.extend_from_slice(piece.get(..read).unwrap_or_default()),
        }
    }
    let body = body(&mut stream, &head).await;
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let request = ReceivedRequest { path, head, body };
    log.lock().unwrap().push(request.clone());
    let mut given = answer(&request);
    while let SiteAnswer::Held(within, mut released) = given {
        // Released, or the test has ended.
        let _ended = released.wait_for(|is_released| *is_released).await;
        given = *within;
    }
    match given {
        // The caller may have gone.
        SiteAnswer::Raw(bytes) => drop(stream.write_all(&bytes).await),
        SiteAnswer::Held(..) | SiteAnswer::Silence => {
            while matches!(stream.read(&mut piece).await, Ok(read) if read > 0) {}
        }
    }
}

/// The body of a request, of which `received` has the head and what came with it.
async fn body(stream: &mut TcpStream, received: &[u8]) -> String {
    let end = received.windows(4).position(|four| four == b"\r\n\r\n").map_or(received.len(), |at| at + 4);
    let (head, body) = received.split_at(end);
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    let mut body = body.to_vec();
    let mut piece = [0; 4096];
    while body.len() < length.unwrap_or_default().min(BODY_BYTES) {
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => break,
            Ok(read) => body.extend_from_slice(piece.get(..read).unwrap_or_default()),
        }
    }
    String::from_utf8_lossy(&body).into_owned()
}
