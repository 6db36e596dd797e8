//! The browser's only way out: a forward proxy on loopback whose connections are those of [`fetch::Fetcher::tunnel`].
//!
//! Redirects, frames, scripts, WebSockets and addresses as numbers all come here, since the browser resolves no names and
//! opens no connections by itself. It takes `CONNECT` (RFC 9110 §9.3.6) and requests in absolute form (RFC 9112 §3.2.2).
//!
//! It lives as long as one run. Only the user that this process runs as may use it: other users of the machine are told
//! apart by the owner of their socket, where the system tells it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fetch::{Fetcher, NoTunnel};
use http_body_util::{Either, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderName};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::Instant;
use url::Url;

use crate::lighthouse::metered::{ByteAllowance, Metered};
use crate::lighthouse::peer;

/// Connections of the browser at once. Chromium opens 32 to a proxy.
pub(crate) const CONNECTIONS: usize = 128;
/// Bytes of one run in both directions, over all connections. The heaviest pages of the web have some tens of megabytes.
pub(crate) const RUN_BYTES: u64 = 256 * 1024 * 1024;
/// Timeout of a connection to a target, with the resolution of its name.
const CONNECT: Duration = Duration::from_secs(15);
/// Size limit of the head of a request or of a response, in bytes.
const HEAD_BYTES: usize = 256 * 1024;
/// Limit of the header fields of a request or of a response.
const MOST_FIELDS: usize = 200;
/// Fields that belong to one connection and are not passed on (RFC 9110 §7.6.1).
const OF_ONE_CONNECTION: [HeaderName; 7] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::UPGRADE,
];

type Body = Either<Incoming, Empty<Bytes>>;
type Tasks = Arc<Mutex<JoinSet<()>>>;

/// A listening proxy. Dropping it closes every connection.
#[derive(Debug)]
pub(crate) struct Proxy {
    listener: TcpListener,
    address: SocketAddr,
    relay: Relay,
    places: Arc<Semaphore>,
    owner: u32,
}

/// What the connections of one proxy share.
#[derive(Debug, Clone)]
struct Relay {
    fetcher: Fetcher,
    allowance: ByteAllowance,
    tasks: Tasks,
}

impl Proxy {
    /// Listens on a free port of loopback, for the processes of the user `owner`.
    #[expect(clippy::disallowed_methods, reason = "the browser's proxy, on loopback")]
    pub(crate) async fn listen(fetcher: Fetcher, owner: u32) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let relay = Relay { fetcher, allowance: ByteAllowance::new(RUN_BYTES), tasks: Tasks::default() };
        Ok(Self { listener, address, relay, places: Arc::new(Semaphore::new(CONNECTIONS)), owner })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes connections until it can't: no file descriptor is left.
    pub(crate) async fn serve(&self) -> io::Error {
        loop {
            // The semaphore is never closed.
            let Ok(place) = Arc::clone(&self.places).acquire_owned().await else { return io::ErrorKind::Other.into() };
            let (stream, from) = match self.listener.accept().await {
                Ok(accepted) => accepted,
                // The browser has left before it was its turn.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(error) => return error,
            };
            if !peer::is_of(self.owner, from, self.address) {
                tracing::warn!("another user of this machine tried to use the proxy of a lab test");
                continue;
            }
            let relay = self.relay.clone();
            self.relay.task(async move {
                relay.connection(stream).await;
                drop(place);
            });
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // Tasks hold the set that holds them.
        self.relay.tasks.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }
}

impl Relay {
    fn task(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(work);
    }

    /// Serves one connection of the browser.
    async fn connection(&self, stream: TcpStream) {
        let service = service_fn(|request| async { Ok::<_, std::convert::Infallible>(self.answer(request).await) });
        let mut server = hyper::server::conn::http1::Builder::new();
        server.max_headers(MOST_FIELDS).max_buf_size(HEAD_BYTES);
        // A connection that breaks ends here: the browser sees it.
        let _ended = server.serve_connection(TokioIo::new(stream), service).with_upgrades().await;
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let is_connect = request.method() == Method::CONNECT;
        let Some(url) = destination(request.uri(), is_connect) else { return refusal(StatusCode::BAD_REQUEST) };
        let stream = match self.fetcher.tunnel(&url, Instant::now() + CONNECT).await {
            Ok(stream) => Metered::new(stream, self.allowance.clone()),
            Err(NoTunnel::Refused) => return refusal(StatusCode::FORBIDDEN),
            Err(NoTunnel::Unreachable(_)) => return refusal(StatusCode::BAD_GATEWAY),
        };
        if is_connect {
            self.join(request, stream);
            return Response::new(Either::Right(Empty::new()));
        }
        self.forward(request, &url, stream).await.unwrap_or_else(|_| refusal(StatusCode::BAD_GATEWAY))
    }

    /// Passes bytes in both directions until one side ends.
    fn join(&self, request: Request<Incoming>, mut stream: Metered<TcpStream>) {
        self.task(async move {
            let Ok(browser) = hyper::upgrade::on(request).await else { return };
            // How a tunnel ends is seen by both of its ends.
            let _ended = tokio::io::copy_bidirectional(&mut TokioIo::new(browser), &mut stream).await;
        });
    }

    /// Sends a request on a connection that is closed with it.
    #[expect(clippy::disallowed_methods, reason = "the connection is one that `fetch` opened")]
    async fn forward(
        &self,
        request: Request<Incoming>,
        url: &Url,
        stream: Metered<TcpStream>,
    ) -> hyper::Result<Response<Body>> {
        let mut client = hyper::client::conn::http1::Builder::new();
        client.max_headers(MOST_FIELDS).max_buf_size(HEAD_BYTES);
        let (mut sender, driver) = client.handshake(TokioIo::new(stream)).await?;
        self.task(async move {
            let _ended = driver.await;
        });
        let (mut head, body) = request.into_parts();
        pass_on(&mut head.headers);
        head.uri = origin_form(&head.uri);
        head.headers.insert(header::CONNECTION, header::HeaderValue::from_static("close"));
        // The authority of an absolute form replaces the host that the browser sent (RFC 9112 §3.2.2).
        if let Ok(host) = header::HeaderValue::from_str(&authority(url)) {
            head.headers.insert(header::HOST, host);
        }
        let mut response = sender.send_request(Request::from_parts(head, body)).await?;
        pass_on(response.headers_mut());
        Ok(response.map(Either::Left))
    }
}

/// Where a request leads; `None` for what is no request to a proxy.
fn destination(uri: &Uri, is_connect: bool) -> Option<Url> {
    let authority = uri.authority()?;
    let text = match (is_connect, uri.scheme_str()) {
        // The port decides; the scheme only says how a host is read.
        (true, None) => format!("https://{authority}/"),
        (false, Some("http")) => uri.to_string(),
        _ => return None,
    };
    Url::parse(&text).ok()
}

fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn origin_form(uri: &Uri) -> Uri {
    uri.path_and_query().and_then(|target| Uri::try_from(target.as_str()).ok()).unwrap_or_default()
}

/// Removes the fields that belong to one connection, also those that `Connection` names.
fn pass_on(fields: &mut HeaderMap) {
    let named: Vec<HeaderName> = fields
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named.iter().chain(&OF_ONE_CONNECTION) {
        fields.remove(name);
    }
}

fn refusal(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Either::Right(Empty::new()));
    *response.status_mut() = status;
    response
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a client of the proxy")]
mod tests {
    use super::*;
    use fetch::FetchConfig;
    use testkit::{SiteAnswer, TestSite};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    /// What the proxy answers to these bytes; the site's own address is the one that is allowed.
    async fn answer(to_proxy: &[u8]) -> String {
        let config = FetchConfig {
            allow_private: vec!["127.0.0.2/32".parse().unwrap()],
            allow_ports: Vec::new(),
            ..FetchConfig::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let owner = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(folder.path()).unwrap());
        let proxy = Proxy::listen(Fetcher::new(config).unwrap(), owner).await.unwrap();
        let asks = async {
            let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
            stream.write_all(to_proxy).await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            answer
        };
        tokio::select! { answer = asks => answer, error = proxy.serve() => panic!("{error}") }
    }

    #[tokio::test]
    async fn tunnels_and_requests_lead_to_the_site() {
        let site = TestSite::start(|request| SiteAnswer::html(&request.path)).await;
        let at = site.address();
        let tunnelled =
            answer(format!("CONNECT {at} HTTP/1.1\r\nHost: {at}\r\n\r\nGET /t HTTP/1.1\r\n\r\n").as_bytes()).await;
        assert!(tunnelled.starts_with("HTTP/1.1 200 ") && tunnelled.ends_with("/t"), "{tunnelled}");
        let fields = "Host: other.example\r\nProxy-Connection: keep-alive\r\nConnection: close\r\nX-Kept: 1";
        let passed_on = answer(format!("GET http://{at}/a?b HTTP/1.1\r\n{fields}\r\n\r\n").as_bytes()).await;
        assert!(passed_on.starts_with("HTTP/1.1 200 ") && passed_on.ends_with("/a?b"), "{passed_on}");
        let head = site.asked().last().unwrap().head.to_ascii_lowercase();
        assert!(head.contains(&format!("host: {at}")) && head.contains("x-kept: 1"), "{head}");
        assert!(!head.contains("other.example") && !head.contains("proxy-connection"), "{head}");
    }

    #[tokio::test]
    async fn what_the_guard_refuses_is_403_and_sees_nobody() {
        let canary = TestSite::start_at(Ipv4Addr::LOCALHOST.into(), |_| SiteAnswer::html("secret")).await;
        let port = canary.address().port();
        for host in ["127.0.0.1", "2130706433", "localhost", "[::1]", "[::ffff:7f00:1]"] {
            for request in [format!("CONNECT {host}:{port}"), format!("GET http://{host}:{port}/")] {
                let answer =
                    answer(format!("{request} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").as_bytes()).await;
                assert!(answer.starts_with("HTTP/1.1 403 "), "{request}: {answer}");
            }
        }
        assert!(canary.asked().is_empty());
        let answer = answer(b"GET / HTTP/1.1\r\nHost: 127.0.0.2\r\nConnection: close\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    }

    #[tokio::test]
    async fn another_user_gets_nothing() {
        let proxy = Proxy::listen(Fetcher::new(FetchConfig::default()).unwrap(), u32::MAX - 1).await.unwrap();
        let asks = async {
            let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
            let mut answer = Vec::new();
            // Closed or reset.
            let _ended = stream.read_to_end(&mut answer).await;
            answer
        };
        let answer = tokio::select! { answer = asks => answer, error = proxy.serve() => panic!("{error}") };
        assert_eq!(answer, b"");
    }

    #[test]
    fn requests_to_a_proxy_name_their_destination() {
        let check = |text: &str, is_connect, wanted: Option<&str>| {
            let url = destination(&text.parse().unwrap(), is_connect);
            assert_eq!(url.as_ref().map(Url::as_str), wanted, "{text}");
        };
        check("example.com:443", true, Some("https://example.com/"));
        check("example.com:80", true, Some("https://example.com:80/"));
        check("2130706433:443", true, Some("https://127.0.0.1/"));
        check("http://example.com/a?b", false, Some("http://example.com/a?b"));
        check("/a", false, None);
        check("https://example.com/", false, None);
        check("ftp://example.com/", false, None);
    }

    #[test]
    fn fields_of_one_connection_are_not_passed_on() {
        let mut fields = HeaderMap::new();
        for (name, value) in [("connection", "close, X-Own"), ("x-own", "a"), ("proxy-connection", "b"), ("x", "c")] {
            fields.insert(name, value.parse().unwrap());
        }
        pass_on(&mut fields);
        assert_eq!(fields.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["x"]);
    }
}
