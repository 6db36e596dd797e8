//! A server in a process of its own, which a test kills.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use testkit::TestDatabase;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::app::{Response, read};
use crate::command_line::program;

/// Between two looks at a condition.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A running server and its address.
pub(crate) struct ServerProcess {
    child: Child,
    address: String,
}

impl ServerProcess {
    /// Starts a server that may fetch from sites of tests. `settings`: names below `SITE_AUDIT_` and values.
    pub(crate) fn start(database: &TestDatabase, settings: &[(&str, &str)]) -> Self {
        let mut child = program()
            .args(["--config", "/dev/null", "--listen", "127.0.0.1:0", "--database-url", database.url()])
            .env("SITE_AUDIT_FETCH__ALLOW_PRIVATE", "127.0.0.2/32")
            .env("SITE_AUDIT_FETCH__ALLOW_PORTS", "*")
            .envs(settings.iter().map(|(name, value)| (format!("SITE_AUDIT_{name}"), value)))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (_, rest) = line.split_once("http://").unwrap_or_else(|| panic!("{line}"));
        let address = rest.split(['/', ' ', '\n']).next().unwrap().to_owned();
        Self { child, address }
    }

    /// The id of its process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Where it listens, as host and port.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// A call with a credential, a whole header line; none where it is empty.
    pub(crate) async fn call(&self, method: &str, path: &str, credential: &str, body: &str) -> Response {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        let credential = if credential.is_empty() { String::new() } else { format!("{credential}\r\n") };
        let head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", self.address);
        let head = format!("{head}{credential}content-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(head.as_bytes()).await.unwrap();
        read(&mut stream).await
    }

    /// The header line of a new guest.
    pub(crate) async fn guest(&self) -> String {
        let guest = self.call("POST", "/api/guest", "", "").await.json();
        format!("x-guest-token: {}", guest["token"].as_str().unwrap())
    }

    /// Kills it in the middle of whatever it does.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // A test that fails leaves no server behind.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Waits until a condition holds.
pub(crate) async fn until(mut is_reached: impl AsyncFnMut() -> bool) {
    let mut looks = tokio::time::interval(LOOK_EVERY);
    while !is_reached().await {
        looks.tick().await;
    }
}
