//! The real service on a real port, and a client that speaks plain HTTP to it.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use api::request::Patience;
use api::site::Site;
use api::web::{self, Bounds};
use model::capture::Coding;
use model::time::Timestamp;
use serde_json::Value;
use service::Services;
use service::config::Config;
use service::ports::{Clock, Ports};
use service::services::Waits;
use testkit::TestDatabase;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::canary;
use crate::schema::{misfit, undescribed};

/// When every test begins: 2026-01-31T09:30:00Z.
pub(crate) const NOW: Timestamp = Timestamp(1_769_851_800_000);

/// How long the service waits for its database: far longer than with callers who wait, as a loaded machine may be slow. What
/// is held up on purpose is ended by the database's own patience, before this.
const DATABASE_PATIENCE: Duration = Duration::from_secs(60);

/// A clock that a test sets.
#[derive(Debug)]
pub(crate) struct TestClock(AtomicI64);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

/// A running service; stops when dropped.
pub(crate) struct TestApp {
    pub(crate) app: Services,
    pub(crate) site: Site,
    address: SocketAddr,
    clock: Arc<TestClock>,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<()>>,
    /// Held, so that the database outlives the service.
    pub(crate) database: Arc<TestDatabase>,
}

/// One answer.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// Status and code, for tables.
    pub(crate) fn refusal(&self) -> (u16, String) {
        (self.status, self.json()["code"].as_str().unwrap_or_default().to_owned())
    }
}

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Call<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    from: IpAddr,
}

impl<'a> Call<'a> {
    pub(crate) fn new(method: &'a str, path: &str) -> Self {
        Self { method, path: path.to_owned(), headers: Vec::new(), body: String::new(), from: [127, 0, 0, 1].into() }
    }

    pub(crate) fn get(path: &str) -> Self {
        Self::new("GET", path)
    }

    pub(crate) fn audit(url: &str) -> Self {
        Self::new("POST", "/api/audit").body(&serde_json::json!({ "url": url }).to_string())
    }

    pub(crate) fn body(mut self, body: &str) -> Self {
        self.body = body.to_owned();
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With another value of a header that it has.
    pub(crate) fn replace(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.header(name, value)
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("x-guest-token", token)
    }

    /// From another address of this machine.
    pub(crate) fn from(mut self, ip: [u8; 4]) -> Self {
        self.from = ip.into();
        self
    }
}

impl TestApp {
    /// Starts the service with what a test changes of the configuration. Sites at 127.0.0.2 may be audited.
    pub(crate) async fn start(database: TestDatabase, change: impl FnOnce(&mut Config)) -> Self {
        Self::start_with(database, Patience::default(), change).await
    }

    pub(crate) async fn start_with(
        database: TestDatabase,
        patience: Patience,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        Self::start_within(database, patience, Bounds::default(), change).await
    }

    pub(crate) async fn start_within(
        database: TestDatabase,
        patience: Patience,
        bounds: Bounds,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        Self::open(Arc::new(database), patience, bounds, None, change).await
    }

    /// Starts the service for sites that hold a page back until the test has done its work, however long that takes.
    pub(crate) async fn start_holding(database: TestDatabase, change: impl FnOnce(&mut Config)) -> Self {
        let target = Some(Duration::from_secs(600));
        Self::open(Arc::new(database), Patience::default(), Bounds::default(), target, change).await
    }

    /// Another service on the database of `other`.
    pub(crate) async fn start_on(other: &Self, change: impl FnOnce(&mut Config)) -> Self {
        Self::open(Arc::clone(&other.database), Patience::default(), Bounds::default(), None, change).await
    }

    async fn open(
        database: Arc<TestDatabase>,
        patience: Patience,
        bounds: Bounds,
        target: Option<Duration>,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        let mut config = Config { database_url: database.url().to_owned(), ..Config::default() };
        config.fetch.allow_private = vec!["127.0.0.2/32".parse().unwrap()];
        config.fetch.allow_ports = service::config::TargetPorts::Any;
        config.auth.secret = Some(service::config::SecretText::new("a secret of tests, of 32 bytes or more"));
        // Cheaper than a configuration file may ask for: what a hash costs is judged beside the code that makes it.
        (config.auth.argon2_kib, config.auth.argon2_passes) = (64, 1);
        change(&mut config);
        canary::listen();
        let clock = Arc::new(TestClock(AtomicI64::new(NOW.0)));
        let ports = Ports { clock: Arc::<TestClock>::clone(&clock), ..Ports::real() };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let waits = Waits { database: DATABASE_PATIENCE, target };
        let site = site_audit::open_patient(config, ports, address, waits).await.unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let routes = web::router(site.clone(), ::pages::pages()).within(bounds);
        let serving = tokio::spawn(async move {
            web::serve(listener, routes, patience, async {
                let _dropped = stopped.await;
            })
            .await;
        });
        Self { app: site.services().clone(), site, address, clock, stop: Some(stop), serving: Some(serving), database }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Damages every stored report: a call that reads one fails from now on.
    pub(crate) async fn damage_reports(&self) {
        let body = if self.database.is_postgres() { "'\\x0102'" } else { "x'0102'" };
        self.database.execute(&format!("UPDATE audits SET body = {body}")).await;
    }

    /// Time goes on.
    pub(crate) fn pass(&self, time: Duration) {
        self.clock.0.fetch_add(i64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }

    /// The clock is the machine's from now on, but for its going on.
    pub(crate) fn set_to_machine(&self) {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        self.clock.0.store(i64::try_from(now.as_millis()).unwrap(), Ordering::SeqCst);
    }

    /// The clock is set back.
    pub(crate) fn go_back(&self, time: Duration) {
        self.clock.0.fetch_sub(i64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }

    /// Asks the service to stop and waits until it has.
    pub(crate) async fn stop(mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        self.serving.take().unwrap().await.unwrap();
        self.app.database().store().close().await;
    }

    /// Calls the service. Every answer must be described by the operation that gave it, and no secret comes back that was not
    /// to.
    pub(crate) async fn call(&self, call: Call<'_>) -> Response {
        self.call_and(call, || ()).await
    }

    /// The same, with something done once the answer begins.
    pub(crate) async fn call_and(&self, call: Call<'_>, meanwhile: impl FnOnce()) -> Response {
        canary::sent(&call);
        let mut stream = self.send(&call).await;
        stream.peek(&mut [0]).await.unwrap();
        meanwhile();
        let response = read(&mut stream).await;
        self.check_declared(&call, &response);
        canary::answered(&call, &response);
        response
    }

    /// Calls the service; head and body as they came, for what is no text.
    pub(crate) async fn raw(&self, call: Call<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.send(&call).await.read_to_end(&mut bytes).await.unwrap();
        bytes
    }

    async fn send(&self, call: &Call<'_>) -> TcpStream {
        let mut stream = self.connect(call.from).await;
        let mut request = format!("{} {} HTTP/1.1\r\nconnection: close\r\n", call.method, call.path);
        if !call.headers.iter().any(|(name, _)| name == "host") {
            request.push_str(&format!("host: {}\r\n", self.address));
        }
        for (name, value) in &call.headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if !call.body.is_empty() {
            request.push_str(&format!("content-length: {}\r\n", call.body.len()));
        }
        request.push_str("\r\n");
        request.push_str(&call.body);
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    pub(crate) async fn connect(&self, from: IpAddr) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(from, 0)).unwrap();
        socket.connect(self.address).await.unwrap()
    }

    /// `/openapi.json`.
    fn description(&self) -> &'static Value {
        // The same for every configuration, but for addresses and prices.
        static DESCRIPTION: OnceLock<Value> = OnceLock::new();
        DESCRIPTION.get_or_init(|| serde_json::from_slice(self.site.documents().get("/openapi.json").unwrap()).unwrap())
    }

    /// Whether there is such a call.
    pub(crate) fn describes(&self, method: &str, path: &str) -> bool {
        described(self.description(), path.split('?').next().unwrap(), &method.to_ascii_lowercase()).is_some()
    }

    /// Fields of the answer of a GET that are not described.
    pub(crate) fn undescribed(&self, path: &str, answer: &Value) -> Vec<String> {
        let description = self.description();
        let operation = described(description, path, "get").unwrap();
        let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        undescribed(answer, schema, description)
    }

    /// What comes back is described: its status, its media type, its shape, and the code of a refusal.
    fn check_declared(&self, call: &Call<'_>, response: &Response) {
        let description = self.description();
        let path = call.path.split('?').next().unwrap_or_default();
        let method = if call.method == "HEAD" { "get".to_owned() } else { call.method.to_ascii_lowercase() };
        let Some(operation) = described(description, path, &method) else { return };
        let (status, name) = (response.status.to_string(), &operation["operationId"]);
        let declared = operation["responses"].get(&status);
        let declared = declared.unwrap_or_else(|| panic!("{name} answers {status}: {}", response.body));
        if response.body.is_empty() {
            return;
        }
        let media_type = response.header("content-type").split(';').next().unwrap_or_default();
        let content = declared["content"].get(media_type);
        let content = content.unwrap_or_else(|| panic!("{name} answers {status} as {media_type}"));
        if media_type.ends_with("json") {
            let misfit = misfit(&response.json(), &content["schema"], description);
            assert!(misfit.is_none(), "{name} answers {status} with {}", misfit.unwrap_or_default());
        }
        if response.status >= 400 && content["examples"].is_object() {
            let code = response.json()["code"].as_str().unwrap().to_owned();
            assert!(content["examples"].get(&code).is_some(), "{name} answers {code}");
        }
    }

    /// A new guest's token.
    pub(crate) async fn guest(&self) -> String {
        let response = self.call(Call::new("POST", "/api/guest")).await;
        assert_eq!(response.status, 200, "{}", response.body);
        response.json()["token"].as_str().unwrap().to_owned()
    }

    /// Free audits left for the network of 127.0.0.1.
    pub(crate) async fn free_remaining(&self) -> u64 {
        self.call(Call::get("/api/gate")).await.json()["free_remaining"].as_u64().unwrap()
    }
}

/// Reads a whole response until the connection ends; a body in a coding is decoded.
pub(crate) async fn read(stream: &mut TcpStream) -> Response {
    let mut bytes = Vec::new();
    // A server that refuses a body may close before it has read all of it; what it said counts.
    let _ended = stream.read_to_end(&mut bytes).await;
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let body = bytes.split_off(end.unwrap_or_else(|| panic!("no head: {:?}", String::from_utf8_lossy(&bytes))));
    let (head, body) = (String::from_utf8(bytes).unwrap(), body[4..].to_vec());
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    for line in lines {
        let (name, value) = line.split_once(": ").unwrap();
        let known = headers.entry(name.to_ascii_lowercase()).or_default();
        if !known.is_empty() {
            known.push_str(", ");
        }
        known.push_str(value);
    }
    let coding = headers.get("content-encoding").map(String::as_str).filter(|_| !body.is_empty());
    let decoded = fetch::decoded(coding, body, None, 16 * 1024 * 1024);
    assert!(matches!(decoded.coding, Coding::Identity | Coding::Decoded(_)), "{:?}", decoded.coding);
    Response { status, headers, body: String::from_utf8(decoded.bytes.to_vec()).unwrap() }
}

/// What a description says of a method and path; a path without parameters goes before one with them.
fn described<'d>(description: &'d Value, path: &str, method: &str) -> Option<&'d Value> {
    let matches = |pattern: &str| {
        let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
        pattern.len() == path.len() && pattern.iter().zip(&path).all(|(p, s)| p == s || p.starts_with('{'))
    };
    let paths = description["paths"].as_object().unwrap();
    paths.get(path).or_else(|| paths.iter().find(|(pattern, _)| matches(pattern)).map(|(_, item)| item))?.get(method)
}

/// All of them at once.
pub(crate) async fn join_all<T>(futures: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut futures: Vec<_> = futures.map(Box::pin).collect();
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|cx| {
        for (future, done) in futures.iter_mut().zip(&mut done).filter(|(_, done)| done.is_none()) {
            if let std::task::Poll::Ready(value) = future.as_mut().poll(cx) {
                *done = Some(value);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}
