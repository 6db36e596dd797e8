//! Reads of what is stored already: a report, by its owner; its public page and its badge, by anybody; and each of them by
//! a reader who has it.
//!
//! Readers share this process, the service is its own. Reads a second are of the wall clock; what the service alone could do
//! is told by the time of a processor that it spends on a read.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::service::{cpu_ms, site, start};

/// Readers at once, each with a connection that is kept.
const READERS: usize = 8;
/// Reads of each.
const READS: usize = 500;
/// Bytes of an answer that are read at most.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// Seconds that one answer may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// An answer: its head, with names of fields in lower case as the service writes them, and its body.
struct Answer {
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.body).with_context(|| format!("no JSON after {}", self.head))
    }
}

/// Sends a request, and reads its whole answer.
async fn ask(stream: &mut TcpStream, request: &[u8]) -> Result<Answer> {
    tokio::time::timeout(ANSWER_WITHIN, answered(stream, request)).await.context("no answer came in time")?
}

async fn answered(stream: &mut TcpStream, request: &[u8]) -> Result<Answer> {
    stream.write_all(request).await?;
    let mut read = Vec::with_capacity(64 * 1024);
    while read.len() < MOST_BYTES {
        if stream.read_buf(&mut read).await? == 0 {
            bail!("the service closed the connection");
        }
        let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(read.get(..end).unwrap_or_default()).into_owned();
        let mut answer = Answer { head, body: Vec::new() };
        let has_body = !answer.head.starts_with("HTTP/1.1 304");
        let length = answer.header("content-length").map_or(Ok(0), str::parse::<usize>)?;
        if !has_body || read.len() >= end + 4 + length {
            answer.body = read.split_off(end + 4);
            return Ok(answer);
        }
    }
    bail!("an answer is longer than {MOST_BYTES} bytes")
}

fn request(method: &str, path: &str, fields: &[(&str, &str)], body: &str) -> String {
    let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let of_body = format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    let of_body = if body.is_empty() { "" } else { &of_body };
    format!("{method} {path} HTTP/1.1\r\nhost: a\r\n{fields}{of_body}\r\n{body}")
}

/// Measures each kind of read.
pub(crate) fn measure(program: &Path) -> Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let origin = site().await?;
        let (service, _) = start(program, "reads")?;
        let mut stream = TcpStream::connect(&service.address).await?;
        let audit = request("POST", "/api/audit", &[], &format!("{{\"url\":\"{origin}/\",\"guest\":true}}"));
        let audited = ask(&mut stream, audit.as_bytes()).await?.json()?;
        let text = |value: &Value, name: &str| -> Result<String> {
            Ok(value.get(name).and_then(Value::as_str).with_context(|| format!("no {name} in {value}"))?.to_owned())
        };
        let (id, token) = (text(&audited, "id")?, text(&audited, "guest_token")?);
        let own = [("x-guest-token", token.as_str())];
        let share = request("POST", &format!("/api/audits/{id}/share"), &own, "{}");
        let shared = ask(&mut stream, share.as_bytes()).await?.json()?;
        println!("{:<24} {:>9} {:>10} {:>22}", "read", "bytes", "reads/s", "CPU of the service");
        for (name, path, fields) in [
            ("report", format!("/api/audits/{id}"), &own[..]),
            ("public page", text(&shared, "path")?, &[]),
            ("badge", text(&shared, "badge")?, &[]),
            ("health", "/api/health".to_owned(), &[]),
        ] {
            let first = ask(&mut stream, request("GET", &path, fields, "").as_bytes()).await?;
            read_many(name, &service.address, service.child_id(), request("GET", &path, fields, "")).await?;
            if let Some(etag) = first.header("etag") {
                let known = [fields, &[("if-none-match", etag)]].concat();
                let again = request("GET", &path, &known, "");
                read_many(&format!("{name}, known"), &service.address, service.child_id(), again).await?;
            }
        }
        println!();
        Ok(())
    })
}

/// Reads one thing many times, and prints how that went.
async fn read_many(name: &str, address: &str, pid: u32, request: String) -> Result<()> {
    let request: Arc<[u8]> = request.into_bytes().into();
    let (begun, cpu) = (Instant::now(), cpu_ms(pid));
    let mut readers = JoinSet::new();
    for _ in 0..READERS {
        let (request, address) = (Arc::clone(&request), address.to_owned());
        readers.spawn(async move {
            let mut stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            let mut bytes = 0;
            for _ in 0..READS {
                let answer = ask(&mut stream, &request).await?;
                if !["HTTP/1.1 200", "HTTP/1.1 304"].iter().any(|fine| answer.head.starts_with(fine)) {
                    bail!("the service answered {}", answer.head);
                }
                bytes = answer.body.len();
            }
            Ok(bytes)
        });
    }
    let mut bytes = 0;
    while let Some(done) = readers.join_next().await {
        bytes = done??;
    }
    let reads = (READERS * READS) as f64;
    let (rate, cost) = (reads / begun.elapsed().as_secs_f64(), (cpu_ms(pid) - cpu) * 1e3 / reads);
    println!("{name:<24} {bytes:>9} {rate:>10.0} {cost:>19.0} µs");
    Ok(())
}
