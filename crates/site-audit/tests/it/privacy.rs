//! What callers send does not stay: neither in the log nor in the database, beyond what they asked to be kept. On the real
//! program, with everything that it logs, and everything that its database holds afterwards.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use sqlx::{AssertSqlSafe, Executor as _, Row as _};
use testkit::{MailServer, SiteAnswer, TestDatabase, TestSite};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;

use crate::app::{Response, read};
use crate::command_line::program;

testkit::on_both_databases! { nothing_of_a_caller_stays_in_the_log_or_the_database }

/// The finest log of our own crates.
const FILTER: &str = "info,site_audit=trace,api=trace,pages=trace,service=trace,engine=trace,render=trace,store=trace,\
    fetch=trace,audit=trace,lab=trace";
const OPERATOR: &str = "operator-canary-of-many-characters";
/// Where the caller is.
const ADDRESS: [u8; 4] = [127, 0, 0, 77];

/// What is sent, with the tables that may hold it, as that is what they are for.
const CANARIES: [(&str, &[&str]); 10] = [
    ("127.0.0.77", &[]),
    ("ana.canary@example.com", &[]),
    ("writer.canary@example.com", &[]),
    ("5511987654321", &[]),
    ("query-canary", &[]),
    ("password canary of many words", &[]),
    ("agent-canary", &[]),
    ("referrer-canary", &[]),
    (OPERATOR, &[]),
    // The address of an audited page is part of its report.
    ("audited-canary", &["audits"]),
];

struct Caller {
    server: SocketAddr,
}

impl Caller {
    async fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(ADDRESS.into(), 0)).unwrap();
        let mut stream = socket.connect(self.server).await.unwrap();
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\ncontent-length: {}\r\n\
             user-agent: Mozilla/5.0 Firefox/150.0 agent-canary ana.canary@example.com 5511987654321\r\n\
             referer: https://example.com/referrer-canary?query-canary\r\norigin: http://{server}\r\n",
            body.len(),
            server = self.server
        );
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{request}\r\n{body}").as_bytes()).await.unwrap();
        read(&mut stream).await
    }
}

async fn nothing_of_a_caller_stays_in_the_log_or_the_database(database: TestDatabase) {
    let mail = MailServer::start().await;
    let site = TestSite::start(|_| SiteAnswer::html("<title>Bread</title>")).await;
    let (mut child, server) = start(&database, &mail);
    let log = std::thread::spawn({
        let mut stderr = child.stderr.take().unwrap();
        move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        }
    });
    let caller = Caller { server };
    let token = call_everything(&caller, &site).await;
    // Handed over, the message is gone.
    assert_eq!(mail.wait_for(1).await.len(), 1);
    let stopped = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success() && tokio::task::spawn_blocking(move || child.wait()).await.unwrap().unwrap().success());
    let log = log.join().unwrap();
    assert!(log.contains("\"audited\"") && log.contains("a job is done"), "{log}");
    let tables = dump(&database).await;
    let text = |table: &str| tables.iter().find(|(name, _)| name == table).map(|(_, rows)| rows.as_str());
    assert!(text("day_counts").is_some_and(|rows| rows.contains("pagina/pessoa")), "{tables:?}");
    assert!(text("hour_counts").is_some_and(|rows| rows.contains("UI-JS-001")), "{tables:?}");
    let own = [(token.as_str(), [].as_slice())];
    for (canary, allowed) in CANARIES.into_iter().chain(own) {
        assert!(!log.contains(canary), "{canary} is in the log: {log}");
        for (table, rows) in tables.iter().filter(|(table, _)| !allowed.contains(&table.as_str())) {
            assert!(!rows.contains(canary), "{canary} is in {table}: {rows}");
        }
    }
    let kept = text("audits").unwrap();
    assert!(kept.contains("audited-canary"), "what may be found is found: {kept}");
}

/// Calls of every kind that carry something; a guest's token, which is one of them.
async fn call_everything(caller: &Caller, site: &TestSite) -> String {
    let json = [("content-type", "application/json")];
    let guest = caller.call("POST", "/api/guest", &[], "").await.json();
    let token = guest["token"].as_str().unwrap().to_owned();
    for path in [
        format!("/checks?query-canary=ana.canary@example.com&guest_token={token}"),
        "/nothing/ana.canary@example.com?phone=5511987654321".to_owned(),
        format!("/api/audits/5511987654321?guest_token={token}"),
    ] {
        caller.call("GET", &path, &[], "").await;
    }
    let visit = json!({"p": "/checks", "q": "query-canary"}).to_string();
    caller.call("POST", "/api/visit?query-canary", &json, &visit).await;
    let error = json!({
        "code": "UI-JS-001", "phase": "run", "path": "/checks?query-canary=1",
        "message": format!("ana.canary@example.com 5511987654321 {token} https://example.com/?query-canary"),
        "stack": format!("Error: {token}\n at https://example.com/a.js?query-canary:1:2\n ana.canary@example.com"),
    });
    assert_eq!(caller.call("POST", "/api/erro-cliente", &json, &error.to_string()).await.status, 204);
    let message = json!({
        "name": "Ana", "email": "writer.canary@example.com", "message": "call 5511987654321, ana.canary@example.com"
    });
    assert_eq!(caller.call("POST", "/api/contact", &json, &message.to_string()).await.status, 200);
    let opened = caller.call("GET", "/api/auth/bootstrap", &[], "").await;
    let csrf = opened.json()["csrf"].as_str().unwrap().to_owned();
    let cookie = opened.header("set-cookie").split(';').next().unwrap().to_owned();
    let credentials = json!({"email": "ana.canary@example.com", "password": "password canary of many words"});
    let of_page = [json[0], ("x-csrf-token", csrf.as_str()), ("cookie", cookie.as_str())];
    let refused = caller.call("POST", "/api/auth/sign-in", &of_page, &credentials.to_string()).await;
    assert_eq!(refused.status, 401, "{}", refused.body);
    let form = [("content-type", "application/x-www-form-urlencoded")];
    assert_eq!(caller.call("POST", "/operator", &form, &format!("token={OPERATOR}")).await.status, 303);
    let bearer = format!("Bearer {OPERATOR}");
    assert_eq!(caller.call("GET", "/api/vitrine/operador", &[("authorization", &bearer)], "").await.status, 200);
    let audit = json!({"url": site.url("/bread?audited-canary=1")}).to_string();
    let audited = caller.call("POST", "/api/audit", &[json[0], ("x-guest-token", &token)], &audit).await;
    assert_eq!(audited.status, 200, "{}", audited.body);
    token
}

fn start(database: &TestDatabase, mail: &MailServer) -> (Child, SocketAddr) {
    let mut child = program()
        .args(["serve", "--config", "/dev/null"])
        .env("SITE_AUDIT_LISTEN", "127.0.0.1:0")
        .env("SITE_AUDIT_DATABASE_URL", database.url())
        .env("SITE_AUDIT_FETCH__ALLOW_PRIVATE", "127.0.0.2/32")
        .env("SITE_AUDIT_FETCH__ALLOW_PORTS", "*")
        .env("SITE_AUDIT_AUTH__SECRET", "a secret of tests, of 32 bytes or more")
        .env("SITE_AUDIT_OPERATOR__TOKEN", OPERATOR)
        .env("SITE_AUDIT_SMTP__URL", mail.url())
        .env("SITE_AUDIT_SMTP__FROM", "audit@example.com")
        .env("SITE_AUDIT_CONTACT__TO", "team@example.com")
        .env("SITE_AUDIT_LOG__FILTER", FILTER)
        .env("SITE_AUDIT_LOG__FORMAT", "json")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (_, address) = line.split_once(" listens on ").unwrap_or_else(|| panic!("{line}"));
    (child, address.split(": ").next().unwrap().parse().unwrap())
}

/// Every row of every table, as text.
async fn dump(database: &TestDatabase) -> Vec<(String, String)> {
    let mut connection = database.connection().await;
    let tables = if database.is_postgres() {
        "SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
    } else {
        "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1"
    };
    let tables: Vec<String> =
        connection.fetch_all(tables).await.unwrap().iter().map(|row| row.get::<String, _>(0)).collect();
    assert!(tables.len() > 20, "{tables:?}");
    let mut found = Vec::new();
    for table in tables {
        let sql = if database.is_postgres() {
            format!("SELECT CAST(t AS TEXT) FROM \"{table}\" AS t")
        } else {
            let columns = format!("SELECT name FROM pragma_table_info('{table}')");
            let columns = connection.fetch_all(AssertSqlSafe(columns)).await.unwrap();
            let columns = columns.iter().map(|row| format!("quote(\"{}\")", row.get::<String, _>(0)));
            format!("SELECT {} FROM \"{table}\"", columns.collect::<Vec<_>>().join(" || ' ' || "))
        };
        let rows = connection.fetch_all(AssertSqlSafe(sql)).await.unwrap();
        let rows: Vec<String> = rows.iter().map(|row| row.get::<String, _>(0)).collect();
        found.push((table, rows.join("\n")));
    }
    found
}
