//! A server that is killed in the middle of a lab test, on the embedded database: after its return each test ends.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Executor as _, Row as _};
use testkit::{LabServer, TestDatabase, TestSite};

use crate::api::lab::page;
use crate::command_line::program;

/// How many kills; 50 take about a minute.
const KILLS: &str = "SITE_AUDIT_TEST_LAB_KILLS";
const USUAL_KILLS: usize = 2;

/// Between two looks at a condition.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A running server and its address.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(database: &TestDatabase, lab: &LabServer) -> Self {
        let mut child = program()
            .args(["--config", "/dev/null", "--listen", "127.0.0.1:0", "--database-url", database.url()])
            .env("SITE_AUDIT_FETCH__ALLOW_PRIVATE", "127.0.0.2/32")
            .env("SITE_AUDIT_FETCH__ALLOW_PORTS", "*")
            .env("SITE_AUDIT_LAB__PROVIDER", "pagespeed")
            .env("SITE_AUDIT_LAB__URL", lab.url())
            .env("SITE_AUDIT_LAB__KEY", "lab-canary-of-kills")
            .env("SITE_AUDIT_LAB__PER_HOUR", "1000")
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (_, rest) = line.split_once("http://").unwrap_or_else(|| panic!("{line}"));
        let address = rest.split(['/', ' ', '\n']).next().unwrap().to_owned();
        Self { child, address }
    }

    fn post(&self, path: &str, token: &str, body: &Value) -> Value {
        let (mut stream, body) = (TcpStream::connect(&self.address).unwrap(), body.to_string());
        let token = if token.is_empty() { String::new() } else { format!("x-guest-token: {token}\r\n") };
        let head = format!("POST {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", self.address);
        write!(stream, "{head}{token}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

async fn until(mut is_reached: impl AsyncFnMut() -> bool) {
    let mut looks = tokio::time::interval(LOOK_EVERY);
    while !is_reached().await {
        looks.tick().await;
    }
}

async fn state(database: &TestDatabase) -> String {
    let query = sqlx::query(AssertSqlSafe("SELECT state FROM lab_tests".to_owned()));
    database.connection().await.fetch_one(query).await.unwrap().get(0)
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_ends_its_lab_test_after_its_return() {
    let kills = std::env::var(KILLS).map_or(USUAL_KILLS, |count| count.parse().unwrap());
    let (database, lab) = (TestDatabase::sqlite(), LabServer::start().await);
    let site: TestSite = page().await;
    let mut server = Server::start(&database, &lab);
    let token = server.post("/api/guest", "", &json!({}))["token"].as_str().unwrap().to_owned();
    let audit = server.post("/api/audit", &token, &json!({"url": site.url("/")}));
    let path = format!("/api/audits/{}/lab", audit["id"].as_str().unwrap_or_else(|| panic!("{audit}")));
    for kill in 0..kills {
        lab.hold();
        let asked = lab.asked().len();
        let begun = server.post(&path, &token, &json!({}));
        assert_eq!(begun["ok"], true, "{begun}");
        // Every other one is killed before its job was claimed, or at that moment.
        if kill % 2 == 0 {
            until(async || lab.asked().len() > asked).await;
        }
        server.kill();
        assert_eq!(state(&database).await, "running", "nobody has told of its end");
        // The claim of the dead runs out, which takes minutes otherwise.
        database.execute("UPDATE jobs SET locked_until = 0 WHERE lane = 'lab' AND state = 'waiting'").await;
        lab.release();
        server = Server::start(&database, &lab);
        until(async || state(&database).await != "running").await;
        assert_eq!(state(&database).await, "finished", "kill {kill}");
    }
    server.kill();
}
