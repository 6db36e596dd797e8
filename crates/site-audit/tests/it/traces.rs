//! Traces, as a receiver of OpenTelemetry gets them.

use std::io::Write as _;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use service::config::{Config, SecretText};
use service::jobs;
use testkit::{MailServer, SiteAnswer, TestDatabase, TestSite};
use tokio::time::Instant;

use crate::api::contact::receiving;
use crate::api::people::OPERATOR;
use crate::app::{Call, TestApp};
use crate::judges::{beside, pip};

testkit::on_both_databases! {
    an_audit_and_its_parts_are_in_the_trace_of_the_caller,
    a_job_is_in_the_trace_of_what_queued_it,
    a_receiver_that_is_away_costs_spans_only,
    nothing_of_a_caller_is_in_a_span,
    what_nobody_records_is_not_traced,
}

/// The trace of a caller, and the caller's span.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";
/// A secret for the receiver.
const RECEIVER_TOKEN: &str = "Bearer low sings a yellow canary";

/// A receiver of OTLP over HTTP, and what it was sent.
struct Receiver {
    site: TestSite,
    sent: Arc<Mutex<Vec<Value>>>,
    status: Arc<Mutex<u16>>,
}

impl Receiver {
    async fn start() -> Self {
        let (sent, status) = (Arc::<Mutex<Vec<Value>>>::default(), Arc::new(Mutex::new(200)));
        let (received, answered) = (Arc::clone(&sent), Arc::clone(&status));
        let site = TestSite::start(move |asked| {
            let status = *answered.lock().unwrap();
            if status == 200 {
                received.lock().unwrap().push(serde_json::from_str(&asked.body).unwrap());
            }
            SiteAnswer::page(status, "application/json", "{}")
        })
        .await;
        Self { site, sent, status }
    }

    fn configure(&self) -> impl FnOnce(&mut Config) + use<> {
        let endpoint = self.site.url("/in");
        move |config| {
            config.otel.endpoint = Some(endpoint);
            config.otel.authorization = Some(SecretText::new(RECEIVER_TOKEN));
            config.operator.token = Some(SecretText::new(OPERATOR));
        }
    }

    /// Every span so far, and what sent it.
    fn spans(&self) -> Vec<Value> {
        let sent = self.sent.lock().unwrap();
        let mut spans = Vec::new();
        for asked in self.site.asked() {
            let head = asked.head.to_ascii_lowercase();
            assert!(head.starts_with("post /in/v1/traces http/1.1\r\n"), "{head}");
            for line in ["content-type: application/json", &format!("authorization: {RECEIVER_TOKEN}").to_lowercase()] {
                assert!(head.contains(line), "{line} is not in {head}");
            }
        }
        for request in sent.iter() {
            for of_resource in request["resourceSpans"].as_array().unwrap() {
                let attributes = &of_resource["resource"]["attributes"];
                assert_eq!(attributes[0]["value"]["stringValue"], "site-audit", "{attributes}");
                for of_scope in of_resource["scopeSpans"].as_array().unwrap() {
                    spans.extend(of_scope["spans"].as_array().unwrap().iter().cloned());
                }
            }
        }
        spans
    }
}

async fn export(app: &TestApp) {
    let until = Instant::now() + Duration::from_secs(60);
    app.app.traces().export(app.app.engine().fetcher(), until).await;
}

fn named<'s>(spans: &'s [Value], name: &str) -> &'s Value {
    let found: Vec<&Value> = spans.iter().filter(|span| span["name"] == name).collect();
    assert_eq!(found.len(), 1, "{name}: {spans:#?}");
    found[0]
}

fn attribute<'s>(span: &'s Value, key: &str) -> &'s Value {
    let attributes = span["attributes"].as_array().unwrap();
    let found = attributes.iter().find(|attribute| attribute["key"] == key);
    found.map_or(&Value::Null, |attribute| attribute["value"].as_object().unwrap().values().next().unwrap())
}

fn nanoseconds(span: &Value, key: &str) -> u64 {
    span[key].as_str().unwrap().parse().unwrap()
}

fn traced(call: Call<'_>) -> Call<'_> {
    call.header("traceparent", &format!("00-{TRACE}-{CALLER}-01"))
}

async fn an_audit_and_its_parts_are_in_the_trace_of_the_caller(database: TestDatabase) {
    let receiver = Receiver::start().await;
    let site = TestSite::start(|_| SiteAnswer::html("<title>Bread</title>")).await;
    let app = TestApp::start(database, receiver.configure()).await;
    assert_eq!(app.call(traced(Call::audit(&site.url("/")))).await.status, 200);
    export(&app).await;
    let spans = receiver.spans();
    let call = named(&spans, "POST /api/audit");
    assert_eq!((&call["traceId"], &call["parentSpanId"], &call["kind"]), (&TRACE.into(), &CALLER.into(), &2.into()));
    assert_eq!(attribute(call, "http.route"), "/api/audit");
    assert_eq!(attribute(call, "http.response.status_code"), "200");
    let audit = named(&spans, "audit");
    assert_eq!((&audit["parentSpanId"], attribute(audit, "site_audit.outcome")), (&call["spanId"], &"ok".into()));
    for part in ["fetch", "parse", "judge"] {
        let part = named(&spans, part);
        assert_eq!((&part["traceId"], &part["parentSpanId"]), (&TRACE.into(), &audit["spanId"]));
        for (inner, outer) in [(part, audit), (audit, call)] {
            assert!(nanoseconds(inner, "startTimeUnixNano") >= nanoseconds(outer, "startTimeUnixNano"));
            assert!(nanoseconds(inner, "endTimeUnixNano") <= nanoseconds(outer, "endTimeUnixNano"));
        }
    }
    let writes: Vec<&Value> = spans.iter().filter(|span| span["name"] == "database write").collect();
    let system = if app.database.is_postgres() { "postgresql" } else { "sqlite" };
    assert!(writes.iter().any(|write| write["parentSpanId"] == audit["spanId"]), "{spans:#?}");
    assert!(writes.iter().all(|write| attribute(write, "db.system.name") == system), "{spans:#?}");
    // A target that can't be reached is no failure of ours.
    assert_eq!(app.call(Call::audit("http://127.0.0.2:1/")).await.status, 502);
    export(&app).await;
    let spans = receiver.spans();
    let failed = spans.iter().find(|span| attribute(span, "site_audit.outcome") == "target_unreachable").unwrap();
    assert_ne!(failed["traceId"], TRACE, "a call without a trace begins one");
    assert_eq!(read_by_the_definitions(&receiver), Some(spans.len()).filter(|_| pip("python").is_some()));
    let ids: std::collections::BTreeSet<&str> = spans.iter().map(|span| span["spanId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), spans.len());
}

/// How many spans the published definitions of OTLP read in all that was sent; `None` where they are not installed.
fn read_by_the_definitions(receiver: &Receiver) -> Option<usize> {
    let mut python = pip("python")?;
    let mut child = python
        .arg(beside("otlp.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for request in receiver.sent.lock().unwrap().iter() {
        writeln!(input, "{request}").unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().trim().parse().unwrap())
}

async fn a_job_is_in_the_trace_of_what_queued_it(database: TestDatabase) {
    let (receiver, mail) = (Receiver::start().await, MailServer::start().await);
    let configure = receiver.configure();
    let app = TestApp::start(database, |config| {
        configure(config);
        receiving(&mail)(config);
    })
    .await;
    let message = r#"{"name":"Ana","email":"ana@example.com","message":"hello"}"#;
    assert_eq!(app.call(traced(Call::new("POST", "/api/contact").body(message))).await.status, 200);
    // Another server, or this one after a restart, has nothing but the row.
    let configure = receiver.configure();
    let other = TestApp::start_on(&app, |config| {
        configure(config);
        receiving(&mail)(config);
    })
    .await;
    jobs::work_off(&other.app).await.unwrap();
    assert_eq!(mail.letters().len(), 1);
    export(&app).await;
    export(&other).await;
    let spans = receiver.spans();
    let (call, job) = (named(&spans, "POST /api/contact"), named(&spans, "job contact"));
    assert_eq!((&job["traceId"], &job["kind"]), (&TRACE.into(), &5.into()));
    assert_eq!(job["parentSpanId"], call["spanId"]);
    assert_eq!(attribute(job, "site_audit.outcome"), "done");
    assert!(!format!("{spans:?}").contains("ana@"), "{spans:#?}");
}

async fn counted(app: &TestApp, name: &str) -> u64 {
    let call = Call::get("/metrics").header("authorization", &format!("Bearer {OPERATOR}"));
    let body = app.call(call).await.body;
    let line = body.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name}: {body}")).parse().unwrap()
}

async fn a_receiver_that_is_away_costs_spans_only(database: TestDatabase) {
    const MOST: u64 = 2_048;
    let receiver = Receiver::start().await;
    let app = TestApp::start(database, receiver.configure()).await;
    *receiver.status.lock().unwrap() = 503;
    for _ in 0..3 {
        assert_eq!(app.call(Call::get("/api/checks")).await.status, 200);
    }
    export(&app).await;
    assert_eq!(counted(&app, "otel_sdk_processor_span_queue_size").await, 3);
    // One that does not come back: the queue is full, and what is more is lost.
    for _ in 0..MOST {
        app.app.traces().begin(app.app.ports(), None).unwrap().end(
            "x",
            service::traces::SpanKind::Internal,
            Vec::new(),
            false,
        );
    }
    export(&app).await;
    assert_eq!(app.call(Call::get("/api/checks")).await.status, 200);
    assert_eq!(counted(&app, "otel_sdk_processor_span_queue_size").await, MOST);
    assert_eq!(counted(&app, "otel_sdk_processor_span_processed_total{error_type=\"queue_full\"}").await, 4);
    *receiver.status.lock().unwrap() = 200;
    export(&app).await;
    assert_eq!(counted(&app, "otel_sdk_exporter_span_exported_total{error_type=\"\"}").await, MOST);
    assert_eq!(receiver.spans().len() as u64, MOST);
    // What it refuses for good is not sent again.
    *receiver.status.lock().unwrap() = 400;
    assert_eq!(app.call(Call::get("/api/checks")).await.status, 200);
    export(&app).await;
    assert_eq!(counted(&app, "otel_sdk_exporter_span_exported_total{error_type=\"rejected\"}").await, 1);
    assert_eq!(counted(&app, "otel_sdk_processor_span_queue_size").await, 0);
}

async fn nothing_of_a_caller_is_in_a_span(database: TestDatabase) {
    let receiver = Receiver::start().await;
    let site = TestSite::start(|_| SiteAnswer::html("<title>Bread</title>")).await;
    let app = TestApp::start(database, receiver.configure()).await;
    let token = app.guest().await;
    let url = site.url("/path-canary?query-canary=ana@example.com#fragment-canary");
    let audited = app.call(Call::audit(&url).token(&token)).await.json();
    let id = audited["id"].as_str().unwrap().to_owned();
    for call in [
        Call::get(&format!("/api/audits/{id}?guest_token={token}")),
        Call::get("/reports/path-canary?mail=ana@example.com").header("user-agent", "agent-canary/1"),
        Call::get("/nothing/path-canary").header("referer", "https://referrer-canary.example/"),
        Call::new("METHOD-CANARY", "/"),
        Call::get("/tools").header("traceparent", "00-traceparent-canary-ana@example.com"),
        Call::get("/tools").header("cookie", "mm-guest=cookie-canary"),
    ] {
        app.call(call).await;
    }
    export(&app).await;
    let sent = format!("{:?}", receiver.sent.lock().unwrap());
    assert!(sent.contains("GET /api/audits/{id}") && sent.contains("_OTHER"), "{sent}");
    let port = site.address().port().to_string();
    for secret in ["canary", "CANARY", "ana@", &token, &id, "127.0.0", "?", "Bread", &format!(":{port}"), OPERATOR] {
        assert!(!sent.contains(secret), "{secret} is in {sent}");
    }
}

async fn what_nobody_records_is_not_traced(database: TestDatabase) {
    let receiver = Receiver::start().await;
    let app = TestApp::start(database, receiver.configure()).await;
    for call in [
        Call::get("/api/gate").header("traceparent", &format!("00-{TRACE}-{CALLER}-00")),
        Call::get("/api/health"),
        Call::get("/metrics").header("authorization", &format!("Bearer {OPERATOR}")),
    ] {
        assert_eq!(app.call(call).await.status, 200);
    }
    export(&app).await;
    assert_eq!(receiver.spans(), [Value::Null; 0]);
    // Without a receiver there are no traces, and no metrics of them.
    let off = TestApp::start_on(&app, |config| config.operator.token = Some(SecretText::new(OPERATOR))).await;
    off.call(traced(Call::get("/api/gate"))).await;
    let metrics = off.call(Call::get("/metrics").header("authorization", &format!("Bearer {OPERATOR}"))).await;
    assert!(!metrics.body.contains("otel_"), "{}", metrics.body);
}
