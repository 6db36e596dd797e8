//! Messages to the team, against a real mail server.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use service::config::{Config, SecretText};
use service::jobs;
use store::JobState;
use testkit::{MailServer, Mood, TestDatabase};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::app::{Call, Response, TestApp, join_all, read};
use crate::command_line::program;

testkit::on_both_databases! {
    a_message_reaches_the_team_and_is_forgotten,
    a_proposal_has_its_details,
    messages_of_a_network_take_turns,
    turns_go_on_after_midnight,
    many_at_once_take_one_turn_each_up_to_twenty,
    a_thousand_wait_at_most,
    without_a_mailbox_or_a_mail_server_there_is_no_form,
    the_code_is_that_of_the_first_wrong_field,
    a_message_survives_a_kill_before_it_is_sent,
}

const TEAM: &str = "team@example.com";

/// Sets mailbox and mail server of a configuration.
pub(crate) fn receiving(server: &MailServer) -> impl FnOnce(&mut Config) {
    let url = server.url();
    move |config| {
        config.smtp.url = Some(SecretText::new(url));
        config.smtp.from = Some("Site Audit <audit@example.com>".to_owned());
        config.contact.to = Some(TEAM.to_owned());
    }
}

fn message(change: &Value) -> Call<'static> {
    let mut body = json!({"name": "Ana Lima", "email": "ana@example.com", "message": "Olá,\r\n.\r\numa pergunta."});
    body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    Call::new("POST", "/api/contact").body(&body.to_string())
}

fn plain() -> Call<'static> {
    message(&json!({}))
}

async fn work_off(app: &TestApp) -> usize {
    jobs::work_off(&app.app).await.unwrap()
}

async fn count(database: &TestDatabase, sql: &'static str) -> i64 {
    sqlx::Row::get(&database.row(sql).await, 0)
}

async fn a_message_reaches_the_team_and_is_forgotten(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, receiving(&server)).await;
    let accepted = app.call(plain()).await;
    assert_eq!((accepted.status, accepted.json()), (200, json!({"ok": true})), "{}", accepted.body);
    let waiting = app.app.database().store().jobs(JobState::Waiting, 10).await.unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!(work_off(&app).await, 1);
    let letters = server.letters();
    let letter = letters.first().unwrap();
    assert_eq!((letters.len(), &letter.to), (1, &vec![TEAM.to_owned()]));
    for (name, value) in [
        ("From", "\"Site Audit\" <audit@example.com>".to_owned()),
        ("Reply-To", "ana@example.com".to_owned()),
        ("Subject", "Site Audit: contact message".to_owned()),
        ("Message-ID", format!("<{}@127.0.0.1>", waiting[0].id)),
        ("Content-Type", "text/plain; charset=utf-8".to_owned()),
        ("Auto-Submitted", String::new()),
    ] {
        assert_eq!(letter.header(name), value, "{name}");
    }
    let text = letter.text();
    assert!(text.starts_with("Olá,\n.\numa pergunta.\n\nName: Ana Lima\nEmail: ana@example.com\n"), "{text}");
    // Nothing of it stays, and its turn is forgotten with the next round of housekeeping.
    assert_eq!(count(&app.database, "SELECT COUNT(*) FROM jobs WHERE payload <> ''").await, 0);
    assert_eq!(count(&app.database, "SELECT COUNT(*) FROM contacts").await, 1);
    app.pass(Duration::from_secs(10));
    jobs::purge(&app.app).await.unwrap();
    assert_eq!(count(&app.database, "SELECT COUNT(*) FROM contacts").await, 0);
}

async fn a_proposal_has_its_details(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, receiving(&server)).await;
    let proposal = json!({"tipo": "patrocinio", "empresa": "Acme", "site": "https://acme.example/", "orcamento": "100_500",
        "duracao": 90, "pagamento": "usdc", "name": "Ana"});
    assert_eq!(app.call(message(&proposal).header("accept-language", "pt-BR")).await.status, 200);
    work_off(&app).await;
    let letter = server.letters().remove(0);
    assert_eq!(letter.header("Subject"), "Site Audit: proposta =?utf-8?b?KHBhdHJvY8OtbmlvKQ==?=");
    let text = letter.text();
    for line in ["Empresa: Acme", "Site: https://acme.example/", "Orçamento: 100_500", "Dias: 90", "Pagamento: usdc"] {
        assert!(text.contains(&format!("\n{line}\n")), "{line}: {text}");
    }
}

async fn messages_of_a_network_take_turns(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, receiving(&server)).await;
    // The network is a /24: another address of it takes its turn too, one of another /24 does not wait.
    for call in [plain(), plain().from([127, 0, 0, 9]), plain(), plain().from([127, 0, 7, 1])] {
        assert_eq!(app.call(call).await.status, 200);
    }
    for (seconds, sent) in [(0, 2), (9, 2), (1, 3), (9, 3), (1, 4)] {
        app.pass(Duration::from_secs(seconds));
        work_off(&app).await;
        assert_eq!(server.letters().len(), sent);
    }
    // A turn in the far future is one that was taken before the clock was set back.
    app.go_back(Duration::from_secs(86_400));
    assert_eq!(app.call(plain()).await.status, 200);
    assert_eq!((work_off(&app).await, server.letters().len()), (1, 5));
}

/// The key of a network is another one after midnight (UTC).
async fn turns_go_on_after_midnight(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, receiving(&server)).await;
    // From 09:30 to 23:59:55.
    app.pass(Duration::from_secs(14 * 3_600 + 29 * 60 + 55));
    for _ in 0..3 {
        assert_eq!(app.call(plain()).await.status, 200);
    }
    app.pass(Duration::from_secs(6));
    jobs::purge(&app.app).await.unwrap();
    for call in [plain(), plain().from([127, 0, 7, 1])] {
        assert_eq!(app.call(call).await.status, 200);
    }
    let turns = "SELECT COUNT(DISTINCT send_at) FROM contacts";
    assert_eq!(count(&app.database, turns).await, 5, "one each");
    for (seconds, sent) in [(0, 2), (4, 3), (9, 3), (1, 4), (9, 4), (1, 5)] {
        app.pass(Duration::from_secs(seconds));
        work_off(&app).await;
        assert_eq!(server.letters().len(), sent);
    }
    // The salt of yesterday is forgotten once no turn of yesterday can wait any more.
    let salts = "SELECT COUNT(*) FROM daily_salts";
    app.pass(Duration::from_secs(200));
    jobs::purge(&app.app).await.unwrap();
    assert_eq!(count(&app.database, salts).await, 1);
}

async fn many_at_once_take_one_turn_each_up_to_twenty(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, receiving(&server)).await;
    let mut answers = Vec::new();
    for _ in 0..5 {
        answers.extend(join_all((0..5).map(|_| app.call(plain()))).await);
    }
    let refused: Vec<&Response> = answers.iter().filter(|answer| answer.status != 200).collect();
    assert_eq!(refused.len(), 5);
    for answer in refused {
        assert_eq!((answer.refusal(), answer.header("retry-after")), ((429, "rate_limited".to_owned()), "10"));
    }
    let turns = "SELECT COUNT(DISTINCT send_at) FROM contacts";
    let way = "SELECT MAX(send_at) - MIN(send_at) FROM contacts";
    assert_eq!((count(&app.database, turns).await, count(&app.database, way).await), (20, 190_000));
    assert_eq!(app.call(plain().from([127, 0, 7, 1])).await.status, 200);
    // One that was sent makes room for one.
    work_off(&app).await;
    assert_eq!(server.letters().len(), 2);
    assert_eq!(app.call(plain()).await.status, 200);
    assert_eq!(app.call(plain()).await.status, 429);
}

async fn a_thousand_wait_at_most(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, receiving(&server)).await;
    let rows = |row: &dyn Fn(u16) -> String| (0..1_000).map(row).collect::<Vec<_>>().join(", ");
    app.database
        .execute(&format!(
            "INSERT INTO jobs (id, lane, payload, state, run_at, attempts, locked_until, fence, created_at) VALUES {}",
            rows(&|n| format!("('{n}', 'contact', 'x', 'waiting', 1, 0, 0, 0, 1)"))
        ))
        .await;
    let turns = rows(&|n| format!("('{n}', 'n{n}', 1)"));
    app.database.execute(&format!("INSERT INTO contacts (job_id, network, send_at) VALUES {turns}")).await;
    let full = app.call(plain()).await;
    assert_eq!(full.refusal(), (503, "contact_queue_full".to_owned()));
    assert_eq!(full.header("retry-after"), "60");
    app.database.execute("UPDATE jobs SET state = 'done' WHERE id = '7'").await;
    assert_eq!(app.call(plain()).await.status, 200);
    assert_eq!(app.call(plain()).await.status, 503);
}

async fn without_a_mailbox_or_a_mail_server_there_is_no_form(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, |_| {}).await;
    let without_server = TestApp::start_on(&app, |config| config.contact.to = Some(TEAM.to_owned())).await;
    let without_mailbox = TestApp::start_on(&app, |config| {
        receiving(&server)(config);
        config.contact.to = None;
    })
    .await;
    for app in [&app, &without_server, &without_mailbox] {
        assert_eq!(app.call(plain()).await.refusal(), (503, "contact_unconfigured".to_owned()));
        // Before the fields are read.
        assert_eq!(app.call(message(&json!({"name": 7}))).await.status, 503);
    }
}

async fn the_code_is_that_of_the_first_wrong_field(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, receiving(&server)).await;
    for (change, code) in [
        (json!({"name": 7, "email": "ana"}), "invalid_name"),
        (json!({"email": "ana", "message": ""}), "invalid_email"),
        (json!({"message": "a\u{0}"}), "invalid_message"),
        (json!({"tipo": "x", "empresa": 1}), "invalid_tipo"),
        (json!({"tipo": "anuncio", "duracao": 31}), "invalid_duracao"),
    ] {
        assert_eq!(app.call(message(&change)).await.refusal(), (400, code.to_owned()), "{change}");
    }
    // The longest message, each character escaped, fits into a body.
    assert_eq!(app.call(message(&json!({"message": "ü".repeat(8_000)}))).await.status, 200);
    let escaped = "\\ud83d\\ude00".repeat(8_000);
    let body = format!(r#"{{"name":"A","email":"a@example.com","message":"{escaped}"}}"#);
    assert_eq!(app.call(Call::new("POST", "/api/contact").body(&body)).await.status, 200);
}

/// The program with a mail server, and where it listens.
async fn start(database: &TestDatabase, server: &MailServer) -> (Child, SocketAddr) {
    let mut command = program();
    command.args(["serve", "--config", "/dev/null", "--listen", "127.0.0.1:0", "--database-url", database.url()]);
    command.env("SITE_AUDIT_SMTP__URL", server.url()).env("SITE_AUDIT_SMTP__FROM", "audit@example.com");
    command.env("SITE_AUDIT_CONTACT__TO", TEAM).env("SITE_AUDIT_BASE_URL", "http://audit.example");
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let line = tokio::task::spawn_blocking(move || output.lines().next().unwrap().unwrap()).await.unwrap();
    let (_, address) = line.split_once(" listens on ").unwrap_or_else(|| panic!("{line}"));
    (child, address.split(": ").next().unwrap().parse().unwrap())
}

async fn write(address: SocketAddr) -> Response {
    let body = json!({"name": "Ana", "email": "ana@example.com", "message": "Hello"}).to_string();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /api/contact HTTP/1.1\r\nhost: audit.example\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    read(&mut stream).await
}

async fn a_message_survives_a_kill_before_it_is_sent(database: TestDatabase) {
    let server = MailServer::start().await;
    server.set(Mood::Stall);
    let (mut child, address) = start(&database, &server).await;
    assert_eq!(write(address).await.status, 200);
    // It is killed while it talks to the mail server.
    server.connected(1).await;
    child.kill().unwrap();
    child.wait().unwrap();
    server.set(Mood::Accept);
    let id: String = sqlx::Row::get(&database.row("SELECT job_id FROM contacts").await, 0);
    // Else the next server waits until the lease of the killed one is over.
    database.execute("UPDATE jobs SET locked_until = 0").await;
    let (mut child, _) = start(&database, &server).await;
    let first = server.wait_for(1).await.remove(0);
    // Killed again, maybe before the mail was recorded as sent: then it comes twice, with the same id.
    child.kill().unwrap();
    child.wait().unwrap();
    database.execute("UPDATE jobs SET locked_until = 0").await;
    let (mut child, address) = start(&database, &server).await;
    assert_eq!(write(address).await.status, 200);
    while server.letters().last().unwrap().header("Message-ID") == first.header("Message-ID") {
        server.wait_for(server.letters().len() + 1).await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(first.header("Message-ID"), format!("<{id}@audit.example>"));
    let letters = server.letters();
    let copies = letters.iter().filter(|letter| letter.header("Message-ID") == first.header("Message-ID")).count();
    assert!(matches!(copies, 1 | 2) && letters.len() == copies + 1, "{letters:?}");
}
