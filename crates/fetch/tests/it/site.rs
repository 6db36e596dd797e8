//! A server that answers each connection with exact bytes, and counts them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fetch::{FetchConfig, FetchTimeouts, Fetcher};
use model::capture::{FailureKind, Fetched};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::Instant;

/// What a connection gets.
#[derive(Clone)]
pub(crate) enum Answer {
    /// These bytes, then the end of the connection.
    Bytes(Vec<u8>),
    /// These bytes, and then nothing more until the client leaves.
    Stall(Vec<u8>),
    /// These bytes, then a reset of the connection.
    Reset(Vec<u8>),
    /// These bytes over and over until the client leaves.
    Endless(Vec<u8>, Vec<u8>),
    /// The first bytes, then the second ones over and over with a pause, until the client leaves.
    Drops(Vec<u8>, Vec<u8>),
}

pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    accepts: Arc<AtomicUsize>,
    open: watch::Sender<usize>,
}

impl Site {
    /// Listens on an address; `answer` maps a request target to what is sent.
    pub(crate) async fn start(ip: IpAddr, answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind((ip, 0)).await.unwrap(), answer)
    }

    /// The same at a port that another stub has on another address.
    pub(crate) async fn at(
        address: SocketAddr,
        answer: impl Fn(&str) -> Answer + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        TcpListener::bind(address).await.map(|listener| Self::on(listener, answer))
    }

    /// A stub on `::1`, unless the machine has no IPv6.
    pub(crate) async fn on_ipv6_loopback(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Option<Self> {
        TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).await.ok().map(|listener| Self::on(listener, answer))
    }

    fn on(listener: TcpListener, answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let address = listener.local_addr().unwrap();
        let accepts = Arc::new(AtomicUsize::new(0));
        let open = watch::Sender::new(0);
        let (counter, opened, answer) = (Arc::clone(&accepts), open.clone(), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counter.fetch_add(1, Ordering::SeqCst);
                opened.send_modify(|open| *open += 1);
                let (answer, opened) = (Arc::clone(&answer), opened.clone());
                tokio::spawn(async move {
                    let mut request = vec![0; 8_192];
                    let read = stream.read(&mut request).await.unwrap_or(0);
                    let text = String::from_utf8_lossy(&request[..read]).into_owned();
                    let target = text.split(' ').nth(1).unwrap_or("/").to_owned();
                    match answer(&target) {
                        Answer::Bytes(bytes) => {
                            let _sent = stream.write_all(&bytes).await;
                        }
                        Answer::Stall(bytes) => {
                            let _sent = stream.write_all(&bytes).await;
                            // Ends when the client does.
                            let _left = stream.read(&mut request).await;
                        }
                        Answer::Reset(bytes) => {
                            let _sent = stream.write_all(&bytes).await;
                            let _lingers = stream.set_zero_linger();
                        }
                        Answer::Endless(head, piece) => {
                            let _sent = stream.write_all(&head).await;
                            while stream.write_all(&piece).await.is_ok() {}
                        }
                        Answer::Drops(head, piece) => {
                            let _sent = stream.write_all(&head).await;
                            while stream.write_all(&piece).await.is_ok() {
                                tokio::time::sleep(Duration::from_millis(5)).await;
                            }
                        }
                    }
                    opened.send_modify(|open| *open -= 1);
                });
            }
        });
        Self { address, accepts, open }
    }

    /// A stub on 127.0.0.2, the one address that tests allow.
    pub(crate) async fn allowed(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        Self::start(Ipv4Addr::new(127, 0, 0, 2).into(), answer).await
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn accepts(&self) -> usize {
        self.accepts.load(Ordering::SeqCst)
    }

    /// Waits until the client has left every connection.
    pub(crate) async fn nobody_left(&self) {
        self.open.subscribe().wait_for(|open| *open == 0).await.unwrap();
    }
}

/// A stub on 127.0.0.2 and a canary on 127.0.0.1, at the same port: which one a name leads to is then seen.
pub(crate) async fn pair(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> (Site, Site) {
    loop {
        let site = TcpListener::bind((Ipv4Addr::new(127, 0, 0, 2), 0)).await.unwrap();
        let port = site.local_addr().unwrap().port();
        // Somebody else may have that port of the other address.
        if let Ok(canary) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            return (Site::on(site, answer), Site::on(canary, |_| Answer::Bytes(html("secret"))));
        }
    }
}

/// A wait that no test lives through.
pub(crate) const NEVER: Duration = Duration::from_secs(3_600);
/// A fetch that takes longer hangs.
const LONGEST_FETCH: Duration = Duration::from_secs(25);

/// The limit of what a test expects to run out.
pub(crate) const SOON: Duration = Duration::from_millis(200);
/// All other limits: what has an end comes to it before, on any machine.
const PATIENT: Duration = Duration::from_secs(20);

/// Long waits, and 127.0.0.2 alone allowed.
pub(crate) fn config() -> FetchConfig {
    FetchConfig {
        allow_private: vec!["127.0.0.2/32".parse().unwrap()],
        allow_ports: Vec::new(),
        limits: FetchTimeouts {
            dns: PATIENT,
            connect: PATIENT,
            connect_all: PATIENT,
            tls: PATIENT,
            head: PATIENT,
            body_idle: PATIENT,
            body: PATIENT,
            floor_window: PATIENT,
        },
        ..FetchConfig::default()
    }
}

/// The same with other limits.
pub(crate) fn limited(change: impl FnOnce(&mut FetchTimeouts)) -> FetchConfig {
    let mut config = config();
    change(&mut config.limits);
    config
}

pub(crate) async fn get_with(config: FetchConfig, url: &str) -> Fetched {
    page(&Fetcher::new(config).unwrap(), url).await
}

/// Fetches with a deadline that is never reached: the limits of the configuration have to end it.
pub(crate) async fn page(fetcher: &Fetcher, url: &str) -> Fetched {
    match fetcher.intake(url) {
        Ok(url) => {
            let done = fetcher.page(&url, Instant::now() + NEVER);
            tokio::time::timeout(LONGEST_FETCH, done).await.expect("a fetch that ends")
        }
        Err(failure) => Fetched::Failed(failure),
    }
}

pub(crate) async fn get(url: &str) -> Fetched {
    get_with(config(), url).await
}

/// What a fetch failed with: its kind.
pub(crate) fn kind(fetched: &Fetched) -> Option<FailureKind> {
    match fetched {
        Fetched::Failed(failure) => Some(failure.kind),
        Fetched::Response(_) => None,
    }
}

/// What a fetch failed with: its reason.
pub(crate) fn reason(fetched: &Fetched) -> &str {
    match fetched {
        Fetched::Failed(failure) => &failure.reason,
        Fetched::Response(_) => "response",
    }
}

pub(crate) fn html(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

pub(crate) fn redirect(to: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n").into_bytes()
}
