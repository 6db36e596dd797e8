//! A server that is killed in the middle of a run over a site, on the embedded database: the run ends with each page once.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use crate::command_line::program;

/// How many kills; 50 take some minutes.
const KILLS: &str = "SITE_AUDIT_TEST_SITE_KILLS";
const USUAL_KILLS: usize = 2;
/// Pages of the site.
const PAGES: usize = 60;
/// Between two looks at a condition.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A running server and its address.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(database: &TestDatabase) -> Self {
        let mut child = program()
            .args(["--config", "/dev/null", "--listen", "127.0.0.1:0", "--database-url", database.url()])
            .env("SITE_AUDIT_FETCH__ALLOW_PRIVATE", "127.0.0.2/32")
            .env("SITE_AUDIT_FETCH__ALLOW_PORTS", "*")
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (_, rest) = line.split_once("http://").unwrap_or_else(|| panic!("{line}"));
        let address = rest.split(['/', ' ', '\n']).next().unwrap().to_owned();
        Self { child, address }
    }

    fn call(&self, method: &str, path: &str, token: &str, body: &str) -> Value {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let token = if token.is_empty() { String::new() } else { format!("x-guest-token: {token}\r\n") };
        let head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", self.address);
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

async fn until(mut is_reached: impl FnMut() -> bool) {
    let mut looks = tokio::time::interval(LOOK_EVERY);
    while !is_reached() {
        looks.tick().await;
    }
}

/// A site of many pages, and how many of them were answered.
async fn site() -> (TestSite, Arc<AtomicUsize>) {
    let answered = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&answered);
    let site = TestSite::start(move |asked| {
        if asked.path != "/" && !asked.path.starts_with("/page-") {
            return SiteAnswer::missing();
        }
        count.fetch_add(1, Ordering::SeqCst);
        let links: String = (1..PAGES).map(|n| format!("<a href=/page-{n}>Page {n}</a> ")).collect();
        let path = &asked.path;
        SiteAnswer::html(&format!("<!doctype html><html lang=en><title>Page {path}</title><h1>{path}</h1>{links}"))
    })
    .await;
    (site, answered)
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_goes_on_with_its_run_over_a_site() {
    let kills = std::env::var(KILLS).map_or(USUAL_KILLS, |count| count.parse().unwrap());
    let database = TestDatabase::sqlite();
    let (site, answered) = site().await;
    let mut server = Server::start(&database);
    let token = server.call("POST", "/api/guest", "", "")["token"].as_str().unwrap().to_owned();
    let body = json!({"url": site.url("/"), "max_pages": PAGES}).to_string();
    let begun = server.call("POST", "/api/sites", &token, &body);
    let path = format!("/api/sites/{}", begun["site"]["id"].as_str().unwrap_or_else(|| panic!("{begun}")));
    let mut killed = 0;
    while killed < kills {
        // At another place of the run each time, and at its end no more.
        let target = (killed + 1) * PAGES / (kills + 1);
        until(|| answered.load(Ordering::SeqCst) >= target.min(PAGES - 1)).await;
        server.kill();
        killed += 1;
        // The claims of the dead run out, which takes a while otherwise.
        database.execute("UPDATE jobs SET locked_until = 0 WHERE lane = 'site' AND state = 'waiting'").await;
        server = Server::start(&database);
    }
    let run = loop {
        let run = server.call("GET", &format!("{path}?wait=25"), &token, "");
        if run["status"] != "running" {
            break run;
        }
    };
    assert_eq!((&run["status"], &run["progress"]["audited"]), (&json!("finished"), &json!(PAGES)), "{run}");
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for asked in site.asked().into_iter().filter(|asked| asked.path == "/" || asked.path.starts_with("/page-")) {
        *times.entry(asked.path).or_default() += 1;
    }
    let again: usize = times.values().map(|times| times - 1).sum();
    // What two seats were asking for at each kill, and the first page where it was not stored yet.
    assert!(again <= kills * 3, "{again} pages were asked again: {times:?}");
    let pages = server.call("GET", &format!("{path}/pages"), &token, "");
    assert_eq!(pages["pages"].as_array().unwrap().len(), PAGES, "each page once");
    server.kill();
}
