//! The program as a process that may be killed, and clients that do not give up.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use sqlx::Row as _;
use testkit::TestDatabase;
use testkit::facilitator::TestFacilitator;
use testkit::wallet::{TransferAuthorization, Wallet};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::{PAY_TO, encoded};
use crate::app::{Response, read};

/// Between two tries of a client, and two looks at a condition.
const TRY_EVERY: Duration = Duration::from_millis(20);
/// However slow the machine, a test that waits for longer is stuck.
const STUCK_AFTER: Duration = Duration::from_secs(1_800);
/// Where the program says that it is: the same however often it is started.
const BASE_URL: &str = "http://audit.example";
/// Seconds that a payment is good for: longer than a loaded machine takes.
const GOOD_FOR: u64 = 3_600;

/// What can be seen of the program from outside, counted.
pub(crate) type Events = Arc<watch::Sender<u64>>;

/// Notes that something happened.
pub(crate) fn note(events: &Events) {
    events.send_modify(|count| *count += 1);
}

/// Where the program listens while it runs, and where clients note that they have an answer.
#[derive(Clone)]
pub(crate) struct Place {
    address: watch::Receiver<Option<SocketAddr>>,
    events: Events,
}

/// The program, started and killed any number of times.
pub(crate) struct Program {
    file: PathBuf,
    slowest_start: Duration,
    running: Option<Child>,
    environment: Vec<(&'static str, String)>,
    address: watch::Sender<Option<SocketAddr>>,
}

impl Program {
    /// One that charges for everything, not started yet.
    pub(crate) fn new(database: &TestDatabase, facilitator: &TestFacilitator) -> Self {
        let environment = vec![
            ("SITE_AUDIT_LISTEN", "127.0.0.1:0".to_owned()),
            ("SITE_AUDIT_BASE_URL", BASE_URL.to_owned()),
            ("SITE_AUDIT_DATABASE_URL", database.url().to_owned()),
            ("SITE_AUDIT_PAYMENTS__PAY_TO", PAY_TO.to_owned()),
            ("SITE_AUDIT_PAYMENTS__FACILITATOR", facilitator.url()),
            ("SITE_AUDIT_PAYMENTS__RPC_URL", facilitator.node_url()),
            ("SITE_AUDIT_FETCH__ALLOW_PRIVATE", "127.0.0.2/32".to_owned()),
            ("SITE_AUDIT_FETCH__ALLOW_PORTS", "*".to_owned()),
            ("SITE_AUDIT_LIMITS__FREE_AUDITS_PER_DAY", "0".to_owned()),
            ("SITE_AUDIT_LIMITS__AUDITS_PER_HOUR", "1000000".to_owned()),
        ];
        Self {
            file: env!("CARGO_BIN_EXE_site-audit").into(),
            slowest_start: Duration::ZERO,
            running: None,
            environment,
            address: watch::Sender::new(None),
        }
    }

    /// The same of another file: another version of the program.
    pub(crate) fn of(mut self, file: PathBuf) -> Self {
        self.replace(file);
        self
    }

    /// Takes another file at the next start.
    pub(crate) fn replace(&mut self, file: PathBuf) {
        self.file = file;
    }

    /// The same with another setting.
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.environment.push((name, value.to_owned()));
        self
    }

    /// Where it listens, for clients that note their answers here.
    pub(crate) fn place(&self, events: &Events) -> Place {
        Place { address: self.address.subscribe(), events: Arc::clone(events) }
    }

    /// Starts it, and waits until it listens.
    pub(crate) async fn start(&mut self) {
        self.spawn("off", Stdio::null()).await;
    }

    /// The same, with what it logs.
    pub(crate) async fn start_with_log(&mut self) -> ChildStderr {
        self.spawn("info", Stdio::piped()).await;
        self.running.as_mut().unwrap().stderr.take().unwrap()
    }

    async fn spawn(&mut self, filter: &str, log: Stdio) {
        let begun = Instant::now();
        let mut command = Command::new(&self.file);
        command.stdout(Stdio::piped());
        command.args(["serve", "--config", "/dev/null"]).envs(self.environment.clone());
        command.env("SITE_AUDIT_LOG__FILTER", filter);
        let mut child = command.stdin(Stdio::null()).stderr(log).spawn().unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        self.running = Some(child);
        let line = tokio::task::spawn_blocking(move || said.lines().next().unwrap().unwrap()).await.unwrap();
        let (_, address) = line.split_once(" listens on ").unwrap_or_else(|| panic!("{line}"));
        let address = address.split(": ").next().unwrap().parse().unwrap();
        self.address.send_replace(Some(address));
        self.slowest_start = self.slowest_start.max(begun.elapsed());
    }

    /// The longest that a start took so far.
    pub(crate) fn slowest_start(&self) -> Duration {
        self.slowest_start
    }

    /// The id of its process.
    pub(crate) fn process(&self) -> u32 {
        self.running.as_ref().unwrap().id()
    }

    /// Whether it was started and has not ended.
    pub(crate) fn is_running(&mut self) -> bool {
        self.running.as_mut().is_some_and(|child| child.try_wait().unwrap().is_none())
    }

    /// Asks it to stop, as a supervisor does.
    pub(crate) fn ask_to_stop(&self) {
        let id = self.running.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    }

    /// Waits until it has ended by itself.
    pub(crate) async fn wait(&mut self) -> ExitStatus {
        self.address.send_replace(None);
        let mut child = self.running.take().unwrap();
        tokio::task::spawn_blocking(move || child.wait().unwrap()).await.unwrap()
    }

    /// Kills it: nothing of it gets to tidy up.
    pub(crate) fn kill(&mut self) {
        self.address.send_replace(None);
        if let Some(mut child) = self.running.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Asks for an audit until there is an answer with this status, wherever the program listens.
pub(crate) async fn insist(place: Place, url: &str, payment: Option<&str>, wanted: u16) -> Response {
    let answer = tokio::time::timeout(STUCK_AFTER, ask_again(place, url, payment, wanted)).await;
    answer.unwrap_or_else(|_| panic!("no answer of {wanted} came"))
}

async fn ask_again(mut place: Place, url: &str, payment: Option<&str>, wanted: u16) -> Response {
    let mut tries = tokio::time::interval(TRY_EVERY);
    loop {
        let address = place.address.wait_for(Option::is_some).await.unwrap().unwrap();
        let answer = call(address, url, payment).await;
        note(&place.events);
        match answer {
            Some(response) if response.status == wanted => return response,
            // Still at it, unclear, or a part of it was found missing.
            Some(response) if matches!(response.status, 409 | 429 | 502 | 503) => {}
            Some(response) => panic!("{}: {}", response.status, response.body),
            None => {}
        }
        tries.tick().await;
    }
}

/// One audit; `None` when the program was not there, or died in the middle.
async fn call(address: SocketAddr, url: &str, payment: Option<&str>) -> Option<Response> {
    let payment = payment.map(|payment| format!("PAYMENT-SIGNATURE: {payment}\r\n")).unwrap_or_default();
    exchange(address, "POST /api/audit", &payment, &json!({ "url": url }).to_string()).await
}

impl Place {
    /// A place that never moves: a proxy in front of several programs.
    pub(crate) fn at(address: SocketAddr, events: &Events) -> Self {
        Self { address: watch::Sender::new(Some(address)).subscribe(), events: Arc::clone(events) }
    }

    /// One call with these header lines, wherever the program listens; `None` when it died in the middle.
    pub(crate) async fn call(&mut self, target: &str, headers: &str, body: &str) -> Option<Response> {
        let address = self.address.wait_for(Option::is_some).await.unwrap().unwrap();
        let answer = exchange(address, target, headers, body).await;
        note(&self.events);
        answer
    }

    /// Waits a moment before another try.
    pub(crate) async fn pause(&mut self) {
        tokio::time::sleep(TRY_EVERY).await;
    }
}

/// A request and its answer; `None` when the program was not there, or died in the middle.
async fn exchange(address: SocketAddr, target: &str, headers: &str, body: &str) -> Option<Response> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    let request = format!(
        "{target} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.ok()?;
    stream.readable().await.ok()?;
    let mut first = [0; 1];
    // A head that never came is no answer.
    if stream.peek(&mut first).await.ok()? == 0 {
        return None;
    }
    let response = read(&mut stream).await;
    let is_whole = response.header("content-length").parse().ok() == Some(response.body.len());
    is_whole.then_some(response)
}

/// A payment of what was asked for, from this address, signed by a wallet, which should be its.
pub(crate) fn payment(wallet: &Wallet, from: &str, accepted: &Value, nonce: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let authorization = TransferAuthorization {
        from: from.to_owned(),
        to: PAY_TO.to_owned(),
        value: accepted["amount"].as_str().unwrap().to_owned(),
        valid_after: "0".to_owned(),
        valid_before: (now + GOOD_FOR).to_string(),
        nonce: format!("0x{nonce:064x}"),
    };
    let payload = json!({"signature": wallet.sign(&authorization), "authorization": authorization.json()});
    encoded(&json!({"x402Version": 2, "accepted": accepted, "payload": payload}))
}

/// Waits for a condition.
pub(crate) async fn wait_for(condition: impl AsyncFn() -> bool) {
    let mut looks = tokio::time::interval(TRY_EVERY);
    let met = async {
        while !condition().await {
            looks.tick().await;
        }
    };
    tokio::time::timeout(STUCK_AFTER, met).await.expect("what was waited for never came");
}

/// Waits until PostgreSQL has noticed that a program is gone, so that nothing of it is written any more.
pub(crate) async fn wait_until_gone(database: &TestDatabase) {
    const OTHERS: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM pg_stat_activity \
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    wait_for(async || database.row(OTHERS).await.get::<i64, _>(0) == 0).await;
}
