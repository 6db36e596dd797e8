//! Commands of the documents: the program takes each of them, and those of the quick start and of operating a server are run.

use std::path::Path;

use clap::Parser as _;
use serde_json::Value;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use crate::api::people;
use crate::app::TestApp;
use crate::command_line::{code, program, stderr, stdout};
use crate::tidy::root;

/// Documents whose commands are read.
const DOCUMENTS: [&str; 12] = [
    "README.md",
    "docs/agents.md",
    "docs/configuration.md",
    "docs/installing.md",
    "docs/lab.md",
    "docs/metrics.md",
    "docs/operating.md",
    "docs/payments.md",
    "docs/python.md",
    "docs/quick-start.md",
    "docs/receipts.md",
    "docs/site-runs.md",
];

/// Commands of our program in a document, as their arguments: in blocks of shell, and in the text.
fn commands(document: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(root().join(document)).unwrap();
    let mut found = Vec::new();
    let (mut is_block, mut is_shell) = (false, false);
    for line in text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            is_block = !is_block;
            is_shell = is_block && matches!(language, "sh" | "shell" | "bash");
        } else if is_shell {
            found.extend(arguments(line));
        } else if !is_block {
            let inline = line.split('`').skip(1).step_by(2).filter(|code| code.starts_with("site-audit "));
            // A placeholder for a command, or the beginning of one, is no command.
            found.extend(inline.filter(|code| !code.contains("COMMAND") && !code.ends_with('…')).flat_map(arguments));
        }
    }
    found
}

/// The arguments of our program in a line of shell; `None` where it starts another.
fn arguments(line: &str) -> Option<Vec<String>> {
    let line = line.replace("$(date +%F)", "2026-11-24").replace("$(date +\\%F)", "2026-11-24");
    let mut words = words(&line).into_iter();
    loop {
        let word = words.next()?;
        let is_user = word == "-u" || word == "--user";
        if is_user {
            words.next();
        } else if word == "site-audit" {
            break;
        } else if !matches!(word.as_str(), "sudo" | "|" | "$") {
            // Another program: ours may read what it writes.
            loop {
                if words.next()? == "|" {
                    break;
                }
            }
        }
    }
    Some(words.take_while(|word| !matches!(word.as_str(), "|" | ">" | ">>" | "&&" | "<" | ";")).collect())
}

/// Words of a line of shell, quotes read, without its comment.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ') => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[test]
fn lines_of_shell_are_read_as_a_shell_does() {
    for (line, wanted) in [
        ("site-audit audit x --lang 'pt-BR'   # a comment", Some("audit x --lang pt-BR")),
        ("sudo -u site-audit site-audit backup /b/$(date +%F).db", Some("backup /b/2026-11-24.db")),
        ("curl -s http://x/ | site-audit verify --html - > y", Some("verify --html -")),
        ("curl -s http://x/", None),
        ("", None),
    ] {
        assert_eq!(arguments(line).map(|words| words.join(" ")).as_deref(), wanted, "{line}");
    }
}

#[test]
fn the_program_takes_every_command_of_the_documents() {
    let mut count = 0;
    for document in DOCUMENTS {
        for arguments in commands(document) {
            let (line, is_name) = (arguments.join(" "), arguments.len() == 1);
            let parsed = site_audit::cli::Cli::try_parse_from(["site-audit".to_owned()].into_iter().chain(arguments));
            if let Err(error) = parsed {
                use clap::error::ErrorKind;
                // The name of a command stands for the command, not for a call without its arguments.
                let is_missing =
                    matches!(error.kind(), ErrorKind::MissingSubcommand | ErrorKind::MissingRequiredArgument);
                let is_shown = matches!(
                    error.kind(),
                    ErrorKind::DisplayHelp
                        | ErrorKind::DisplayVersion
                        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                );
                assert!(is_shown || is_name && is_missing, "{document}: site-audit {line}: {error}");
            }
            count += 1;
        }
    }
    assert!(count > 40, "{count} commands were found");
}

/// Runs a command of a document in a folder; its exit code, and what it wrote.
async fn run(folder: &Path, arguments: Vec<String>) -> (i32, String) {
    let mut command = program();
    command.args(arguments).current_dir(folder).stdin(std::process::Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    (code(&output), stdout(&output) + &stderr(&output))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_quick_start_does_what_it_says() {
    /// Commands that go on until they are stopped: `command_line/server.rs` and `command_line/mcp.rs` run them.
    const LASTING: [&str; 3] = ["serve", "mcp", "healthcheck"];
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" | "/bread" => SiteAnswer::html(
            "<!doctype html><html lang=en><meta charset=utf-8><title>Bread</title><link rel=canonical href=/bread><h1>Bread</h1>",
        ),
        _ => SiteAnswer::missing(),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("index.html"), "<!doctype html><title>Bread</title>").unwrap();
    let mut ran = 0;
    for arguments in commands("docs/quick-start.md") {
        if LASTING.contains(&arguments[0].as_str()) {
            continue;
        }
        let is_fetching =
            matches!(arguments[0].as_str(), "audit" | "site") && !arguments.contains(&"--html".to_owned());
        let mut arguments: Vec<String> = arguments
            .iter()
            .map(|argument| match is_fetching {
                true => argument
                    .replace("https://example.com", &site.url(""))
                    .replace("http://localhost:3000", &site.url("")),
                false => argument.clone(),
            })
            .collect();
        if is_fetching && !arguments.contains(&"--allow-private".to_owned()) {
            arguments.push("--allow-private".to_owned());
        }
        let line = arguments.join(" ");
        let (code, text) = run(folder.path(), arguments).await;
        let wanted = i32::from(line.contains("--fail-on error") && text.contains("errors") && code == 1);
        assert_eq!(code, wanted, "site-audit {line}: {text}");
        ran += 1;
    }
    assert!(ran >= 8, "{ran} commands were run");
    assert!(std::fs::read_to_string(folder.path().join("report.md")).unwrap().contains("canonical_relative"));
    let pages = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    assert!(pages.filter(|path| path.is_dir()).any(|path| path.join("report.html").is_file()), "a site's report");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_operated_as_the_document_says() {
    /// Commands that need a stopped server or two databases: `command_line/backup.rs`, `migrate.rs` and `storage.rs` run them.
    const ELSEWHERE: [&str; 3] = ["restore", "migrate", "doctor"];
    /// Commands that need a job, a payment, mail or a second factor: `api/accounts/operator.rs` and `command_line/server.rs`.
    const DECISIONS: [&str; 5] = ["retry", "purge", "payments", "reset", "remove-factor"];
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    people::account(&app, "ana").await;
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let database = &app.app.config().database_url;
    let settings = format!("listen = '{}'\ndatabase_url = '{database}'\n", app.address());
    std::fs::write(place("site-audit.toml"), settings).unwrap();
    let mut ran = Vec::new();
    for arguments in commands("docs/operating.md") {
        if ELSEWHERE.contains(&arguments[0].as_str()) || arguments == ["--version"] {
            continue;
        }
        if DECISIONS.contains(&arguments.get(1).map_or("", String::as_str)) {
            continue;
        }
        let mut arguments: Vec<String> = arguments
            .iter()
            .map(|argument| {
                argument
                    .replace("/etc/site-audit/site-audit.toml", &place("site-audit.toml"))
                    .replace("/var/backups/site-audit", folder.path().to_str().unwrap())
            })
            .collect();
        if !arguments.contains(&"--config".to_owned()) {
            arguments.extend(["--config".to_owned(), place("site-audit.toml")]);
        }
        let line = arguments.join(" ");
        let (code, text) = run(folder.path(), arguments).await;
        assert_eq!(code, 0, "site-audit {line}: {text}");
        ran.push(line);
    }
    for part in ["healthcheck", "backup", "operator accounts", "operator suspend", "operator end-sessions"] {
        assert!(ran.iter().any(|line| line.starts_with(part)), "{part} was not run: {ran:?}");
    }
    // The backup of the document is restored beside it, as its drill does.
    let backup = place("2026-11-24.db");
    let drill = format!("sqlite://{}", place("drill.db"));
    let restored = ["restore", &backup, "--database-url", &drill].map(str::to_owned).to_vec();
    let (code, text) = run(folder.path(), restored).await;
    assert_eq!(code, 0, "{text}");
    let doctor = ["doctor", "--json", "--database-url", &drill].map(str::to_owned).to_vec();
    let (code, text) = run(folder.path(), doctor).await;
    assert_eq!(code, 0, "{text}");
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["ok"], true, "{text}");
}
