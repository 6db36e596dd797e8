//! What the operator's monitoring reads: the list in docs/metrics.md is whole, and the dashboard finds its numbers with a
//! real Prometheus.
#![expect(clippy::print_stdout, reason = "a test says what it passes over")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use service::config::{Config, SecretText};
use service::jobs;
use service::payments::worker;
use testkit::TestDatabase;
use testkit::facilitator::TestFacilitator;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::api::people::OPERATOR;
use crate::app::Call;
use crate::payments::{Shop, pix, signed};
use crate::tidy::root;

testkit::on_both_databases! { every_metric_is_described }

/// Must be set where the tests have to find Prometheus.
const REQUIRED: &str = "SITE_AUDIT_TEST_REQUIRE_PROMETHEUS";

/// A service that has something to tell by every metric.
async fn busy(database: TestDatabase) -> Shop {
    let change = |config: &mut Config| {
        config.operator.token = Some(SecretText::new(OPERATOR));
        // Nobody receives there: spans wait.
        config.otel.endpoint = Some("http://127.0.0.2:1".to_owned());
        pix::on(config);
    };
    let shop = Shop::beside(TestFacilitator::start().await, database, change).await;
    worker::check(&shop.app.app).await;
    let bought = signed(&shop.app.call(shop.audit()).await, 1, 2);
    assert_eq!(shop.app.call(bought.pays(shop.audit())).await.status, 200);
    jobs::schedule(&shop.app.app, shop.app.app.ports().now()).await.unwrap();
    jobs::work_off(&shop.app.app).await.unwrap();
    // One that waits.
    jobs::schedule(&shop.app.app, shop.app.app.ports().now().plus_ms(3_600_000)).await.unwrap();
    shop
}

async fn read(shop: &Shop) -> String {
    let call = Call::get("/metrics").header("authorization", &format!("Bearer {OPERATOR}"));
    let answer = shop.app.call(call).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

/// Type and labels of each metric, by the name that a query has; of histograms without `_bucket`, `_sum` and `_count`.
fn told(text: &str) -> BTreeMap<String, (String, BTreeSet<String>)> {
    let mut metrics = BTreeMap::new();
    let mut current = (String::new(), String::new(), String::new());
    for line in text.lines() {
        if let Some(described) = line.strip_prefix("# TYPE ") {
            let (name, kind) = described.split_once(' ').unwrap();
            let ending = match kind {
                "counter" => "_total",
                "info" => "_info",
                _ => "",
            };
            current = (name.to_owned(), kind.to_owned(), format!("{name}{ending}"));
        }
        if line.starts_with('#') {
            continue;
        }
        let (name, labels) = line.split_once(['{', ' ']).unwrap();
        assert!(name.starts_with(&current.0), "{line}");
        let labels = if line.contains('{') { labels.rsplit_once('}').unwrap().0 } else { "" };
        let keys = labels.split("\",").filter_map(|label| label.split_once('=')).map(|(key, _)| key.to_owned());
        let keys = keys.filter(|key| key != "le");
        let entry: &mut (String, BTreeSet<String>) =
            metrics.entry(current.2.clone()).or_insert((current.1.clone(), BTreeSet::new()));
        entry.1.extend(keys);
    }
    metrics
}

/// The same as docs/metrics.md has it: rows of name, type, labels and meaning.
fn described() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let document = std::fs::read_to_string(root().join("docs/metrics.md")).unwrap();
    let (_, section) = document.split_once("\n## Every metric\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        let labels = cells[2].split('`').skip(1).step_by(2).map(str::to_owned).collect();
        (cells[0].trim_end_matches('`').to_owned(), (cells[1].to_owned(), labels))
    })
    .collect()
}

async fn every_metric_is_described(database: TestDatabase) {
    let shop = busy(database).await;
    let (told, mut described) = (told(&read(&shop).await), described());
    if shop.app.database.is_postgres() {
        // Nobody counts who waits for a connection there.
        described.remove("db_client_connection_pending_requests");
    }
    for (name, metric) in &told {
        assert_eq!(described.get(name), Some(metric), "{name}");
    }
    let missing: Vec<&String> = described.keys().filter(|name| !told.contains_key(*name)).collect();
    assert_eq!(missing, [""; 0]);
}

/// A Prometheus that reads the service; killed when dropped.
struct Prometheus {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        // One that has ended already can't be killed.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Prometheus {
    /// `None`, with a line printed, where it is not installed and not required.
    fn start(target: &str) -> Option<Self> {
        if Command::new("prometheus").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            assert!(std::env::var_os(REQUIRED).is_none(), "prometheus is not installed");
            println!("the dashboard is not tried: prometheus is not installed (Debian package prometheus)");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let configuration = format!(
            "global: {{scrape_interval: 250ms, scrape_timeout: 200ms}}\n\
             scrape_configs:\n- job_name: site-audit\n  authorization: {{credentials: \"{OPERATOR}\"}}\n  \
             static_configs: [{{targets: ['{target}']}}]\n"
        );
        let file = folder.path().join("prometheus.yml");
        std::fs::write(&file, configuration).unwrap();
        let port = testkit::free_port();
        let child = Command::new("prometheus")
            .arg(format!("--config.file={}", file.display()))
            .arg(format!("--storage.tsdb.path={}", folder.path().join("data").display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.path().join("log")).unwrap())
            .spawn()
            .unwrap();
        Some(Self { child, port, folder })
    }

    /// The answer to a query; `None` while it does not listen yet.
    async fn query(&self, expression: &str) -> Option<Value> {
        let query: String = url::form_urlencoded::byte_serialize(expression.as_bytes()).collect();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.ok()?;
        let request = format!("GET /api/v1/query?query={query} HTTP/1.0\r\nhost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).await.ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.ok()?;
        let (_, body) = answer.split_once("\r\n\r\n")?;
        serde_json::from_str(body).ok()
    }
}

/// Every expression of the dashboard, with the title of its panel. Intervals are those of a minute.
fn expressions() -> Vec<(String, String)> {
    let dashboard = std::fs::read_to_string(root().join("docs/grafana-dashboard.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let mut found = Vec::new();
    for panel in panels.iter().filter(|panel| panel["type"] != "row") {
        let title = panel["title"].as_str().unwrap().to_owned();
        let targets = panel["targets"].as_array().unwrap();
        assert!(!targets.is_empty(), "{title}");
        let expressions = targets.iter().map(|target| target["expr"].as_str().unwrap());
        found.extend(expressions.map(|expression| (title.clone(), expression.replace("$__rate_interval", "1m"))));
    }
    assert!(found.len() > 20, "{found:?}");
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn the_dashboard_finds_its_numbers_with_prometheus() {
    let shop = busy(TestDatabase::sqlite()).await;
    let Some(mut prometheus) = Prometheus::start(&shop.app.address().to_string()) else { return };
    // A rate needs two readings, and something that happened between them.
    loop {
        let log = || std::fs::read_to_string(Path::new(prometheus.folder.path()).join("log")).unwrap_or_default();
        assert_eq!(prometheus.child.try_wait().unwrap().map(|status| status.code()), None, "{}", log());
        shop.app.call(Call::get("/api/gate")).await;
        let readings = prometheus.query("count_over_time(site_audit_build_info[1m])").await;
        let readings = readings.and_then(|answer| answer["data"]["result"][0]["value"][1].as_str()?.parse().ok());
        if readings.is_some_and(|readings: u32| readings >= 4) {
            break;
        }
    }
    let mut problems = Vec::new();
    for (title, expression) in expressions() {
        let answer = prometheus.query(&expression).await.unwrap_or_default();
        if answer["status"] != "success" || answer["data"]["result"].as_array().is_none_or(Vec::is_empty) {
            problems.push(format!("{title}: {expression}: {answer}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    // A token that is not the operator's reads nothing.
    let up = prometheus.query("up").await.unwrap();
    assert_eq!(up["data"]["result"][0]["value"][1], "1");
}
