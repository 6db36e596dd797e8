//! `cargo xtask order`: writes which functions a start of the program and an audit run, for the linker to put beside each
//! other. What a process runs is then a few hundred pages of its file instead of all of them, of which the system maps many
//! that nothing asked for.

use std::collections::HashSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use testkit::made_site::{MadeOptions, MadeServer, MadeSite};

use crate::command::{has, run};
use crate::packages;

/// Where the lists are kept: one for each profile, since names of functions hold a hash of it.
const LISTS: &str = "crates/site-audit/order";
/// Profiles that have one when none is named.
const PROFILES: [&str; 2] = ["release", "dist"];
/// Waits for the first answer of the program, which runs some 50 times slower when it is watched.
const MOST_TRIES: usize = 600;
/// How long it is left alone after that, for what it does by itself.
const IDLE: Duration = Duration::from_secs(10);

/// Builds the program in a profile, or both, and writes its list.
pub(crate) fn order(root: &Path, profiles: impl Iterator<Item = String>) -> Result<()> {
    if !has("valgrind", &["--version"]) {
        packages::install(root, "valgrind", "noting what a program runs")?;
    }
    let named: Vec<String> = profiles.collect();
    let profiles = if named.is_empty() { PROFILES.map(str::to_owned).to_vec() } else { named };
    for profile in profiles {
        if !PROFILES.contains(&profile.as_str()) {
            bail!("there is no list for the profile {profile}: order takes {}", PROFILES.join(" or "));
        }
        run(root, "cargo", &["build", "--profile", &profile, "--locked", "--package", "site-audit"])?;
        let program = root.join("target").join(&profile).join("site-audit");
        // A start first, since that is all that an idle process has run.
        let mut names = run_by(&program, |_| Vec::new())?;
        names.extend(run_by(&program, visits)?);
        let mut known = HashSet::new();
        names.retain(|name| known.insert(name.clone()));
        let list = root.join(LISTS).join(format!("{profile}.txt"));
        std::fs::create_dir_all(root.join(LISTS))?;
        std::fs::write(&list, names.join("\n") + "\n")?;
        println!("{}: {} functions", list.display(), names.len());
        run(root, "cargo", &["build", "--profile", &profile, "--locked", "--package", "site-audit"])?;
    }
    Ok(())
}

/// What is asked of the program besides its health: pages, and an audit of `site`.
fn visits(site: &str) -> Vec<String> {
    let get =
        |path: &str| format!("GET {path} HTTP/1.1\r\nhost: a\r\naccept-encoding: gzip\r\nconnection: close\r\n\r\n");
    let body = format!("{{\"url\":\"{site}/\"}}");
    let head = "POST /api/audit HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nconnection: close\r\n";
    let audit = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
    vec![get("/"), get("/example"), audit, get("/docs"), get("/api/")]
}

/// The functions that a watched program runs from its start to its end, in the order in which they stand in the note.
fn run_by(program: &Path, visits: fn(&str) -> Vec<String>) -> Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let note = folder.path().join("callgrind.out");
    let site = MadeSite::new(MadeOptions { pages: 20, bytes: 20_000, planted: false, shuffled: false });
    let site = MadeServer::start(site)?;
    let address = testkit::free_address().to_string();
    let mut watched = Watched::start(program, &note, folder.path(), &address)?;
    let answer = watched.first_answer(&address)?;
    if !answer.starts_with("HTTP/1.1 200") {
        bail!("the program answered {answer}");
    }
    std::thread::sleep(IDLE);
    for visit in visits(&site.url()) {
        let answer = asked(&address, &visit)?;
        if !answer.starts_with("HTTP/1.1 200") {
            let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
            bail!("{} was answered with {}", first(&visit), first(&answer));
        }
    }
    watched.stop()?;
    let text = std::fs::read_to_string(&note).context("callgrind wrote no note")?;
    Ok(functions(&text))
}

/// Names of the functions in a note of callgrind, each once (valgrind manual, "Callgrind Format Specification"): those that a
/// linker may know.
fn functions(note: &str) -> Vec<String> {
    let mut known = HashSet::new();
    let named = note.lines().filter_map(|line| {
        let (_, name) = line.strip_prefix("fn=").or_else(|| line.strip_prefix("cfn="))?.split_once(' ')?;
        // A function within itself has a number behind a quote.
        let name = name.split('\'').next().unwrap_or(name);
        let is_symbol = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$'));
        (is_symbol && !name.starts_with("0x")).then(|| name.to_owned())
    });
    named.filter(|name| known.insert(name.clone())).collect()
}

/// A running program under callgrind; stopped when dropped.
struct Watched {
    child: Child,
    program: PathBuf,
}

impl Watched {
    fn start(program: &Path, note: &Path, folder: &Path, address: &str) -> Result<Self> {
        let child = Command::new("valgrind")
            .args(["--tool=callgrind", "--quiet", "--demangle=no"])
            .arg(format!("--callgrind-out-file={}", note.display()))
            .arg(program)
            .current_dir(folder)
            .env("HOME", folder)
            .env("SITE_AUDIT_LISTEN", address)
            .env("SITE_AUDIT_FETCH__ALLOW_PRIVATE", "127.0.0.0/8")
            .env("SITE_AUDIT_FETCH__ALLOW_PORTS", "*")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("valgrind could not be started")?;
        Ok(Self { child, program: program.to_owned() })
    }

    /// What it answers to the first question that it takes.
    fn first_answer(&mut self, address: &str) -> Result<String> {
        for _ in 0..MOST_TRIES {
            if let Some(status) = self.child.try_wait()? {
                bail!("{} ended before it answered: {status}", self.program.display());
            }
            if let Ok(answer) = asked(address, "GET /api/health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n") {
                return Ok(answer);
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        bail!("{} did not answer", self.program.display())
    }

    /// Has it end by itself, so that the note is written.
    fn stop(&mut self) -> Result<()> {
        let status = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        if !status.success() {
            bail!("the watched program could not be stopped");
        }
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // It has ended where it was stopped; else there is nobody left to tell.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

/// One question over a connection of its own.
fn asked(address: &str, question: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(120)))?;
    stream.write_all(question.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_note_are_read_once() {
        let note = "fl=(1) a.c\nfn=(1) main\n1 5\ncfn=(2) _ZN5audit5judge3run17h0123456789abcdefE\ncalls=1 1\n1 4\n\
            fn=(2)\n1 4\nfn=(3) _ZN5audit5judge3run17h0123456789abcdefE'2\nfn=(4) 0x000000000001ab70\nfn=(5) (below main)\n\
            cfn=(6) memcpy@@GLIBC_2.14\n";
        assert_eq!(functions(note), ["main", "_ZN5audit5judge3run17h0123456789abcdefE"]);
    }
}
