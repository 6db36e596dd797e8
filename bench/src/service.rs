//! The service under measurement: the real program as a process of its own, the site that it audits, and audits through
//! it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::dense;

/// Concurrent audits while memory is measured.
pub(crate) const CROWD: usize = 64;

/// Starts the site: page, robots.txt with a sitemap, a sitemap that lists the page, 404 for the rest.
pub(crate) async fn site() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.2:0").await?;
    let origin = format!("http://{}", listener.local_addr()?);
    let answer = |status: &str, kind: &str, body: &str| -> Arc<[u8]> {
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
        .into()
    };
    let sitemap = format!(
        "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>{origin}/</loc></url></urlset>"
    );
    let page = answer("200 OK", "text/html; charset=utf-8", &dense::steps());
    let robots = answer("200 OK", "text/plain", &format!("User-agent: *\nAllow: /\nSitemap: {origin}/sitemap.xml\n"));
    let sitemap = answer("200 OK", "application/xml", &sitemap);
    let missing = answer("404 Not Found", "text/plain", "missing");
    tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let answers = [&page, &robots, &sitemap, &missing].map(Arc::clone);
            connections.spawn(async move {
                let mut head = [0; 2048];
                let Ok(read) = stream.read(&mut head).await else { return };
                let [page, robots, sitemap, missing] = answers;
                let request = head.get(..read).unwrap_or_default();
                let answer = match () {
                    () if request.starts_with(b"GET / ") => page,
                    () if request.starts_with(b"GET /robots.txt ") => robots,
                    () if request.starts_with(b"GET /sitemap.xml ") => sitemap,
                    () => missing,
                };
                drop(stream.write_all(&answer).await);
            });
            while connections.try_join_next().is_some() {}
        }
    });
    Ok(origin)
}

/// The service; killed when dropped.
pub(crate) struct Service {
    program: std::path::PathBuf,
    child: Child,
    pub(crate) address: String,
    folder: std::path::PathBuf,
}

impl Service {
    pub(crate) fn child_id(&self) -> u32 {
        self.child.id()
    }

    /// Where its database is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Asks it to stop, and waits until it has; its database stays.
    pub(crate) fn stop(mut self) -> Result<Self> {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        self.child.wait()?;
        Ok(self)
    }

    /// Starts it again on its database.
    pub(crate) fn start_again(mut self) -> Result<Self> {
        (self.child, self.address) = spawn(&self.program, &self.folder, "error", Stdio::inherit(), &[])?;
        Ok(self)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// Starts the program with a database of its own and a log of errors alone; also how long it takes to its first answer.
pub(crate) fn start(program: &Path, name: &str) -> Result<(Service, Duration)> {
    start_logging(program, name, "error", Stdio::inherit())
}

/// The same with another filter of its log, which goes to `log`.
pub(crate) fn start_logging(program: &Path, name: &str, filter: &str, log: Stdio) -> Result<(Service, Duration)> {
    let begun = Instant::now();
    Ok((start_in(program, name, filter, log, &[])?, begun.elapsed()))
}

/// The same with settings: names below `SITE_AUDIT_` and values.
pub(crate) fn start_with(program: &Path, name: &str, settings: &[(&str, &str)]) -> Result<Service> {
    start_in(program, name, "error", Stdio::null(), settings)
}

fn start_in(program: &Path, name: &str, filter: &str, log: Stdio, settings: &[(&str, &str)]) -> Result<Service> {
    let folder = std::env::temp_dir().join(format!("site-audit-bench-{}-{name}", std::process::id()));
    let (child, address) = spawn(program, &folder, filter, log, settings)?;
    let service = Service { program: program.to_owned(), child, address, folder };
    let mut stream = std::net::TcpStream::connect(&service.address)?;
    std::io::Write::write_all(&mut stream, b"GET /api/health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer)?;
    if !answer.starts_with("HTTP/1.1 200") {
        bail!("the service answered {answer}");
    }
    Ok(service)
}

/// The process, and where it listens.
fn spawn(
    program: &Path,
    folder: &Path,
    filter: &str,
    log: Stdio,
    settings: &[(&str, &str)],
) -> Result<(Child, String)> {
    let mut child = Command::new(program)
        .env_clear()
        .env("SITE_AUDIT_LISTEN", "127.0.0.1:0")
        .env("SITE_AUDIT_DATABASE_URL", format!("sqlite://{}/bench.db", folder.display()))
        .env("SITE_AUDIT_FETCH__ALLOW_PRIVATE", "127.0.0.2/32")
        .env("SITE_AUDIT_FETCH__ALLOW_PORTS", "*")
        .env("SITE_AUDIT_LIMITS__AUDITS_PER_HOUR", "100000000")
        // One caller here makes the calls of the crowd and of the others.
        .env("SITE_AUDIT_LIMITS__FETCHES_PER_CALLER", (2 * CROWD).to_string())
        .env("SITE_AUDIT_LIMITS__FETCHES", (2 * CROWD).to_string())
        .env("SITE_AUDIT_LOG__FILTER", filter)
        .envs(settings.iter().map(|(name, value)| (format!("SITE_AUDIT_{name}"), value)))
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .with_context(|| format!("{} could not be started", program.display()))?;
    let mut line = String::new();
    let out = child.stdout.take().context("the program has an output")?;
    BufReader::new(out).read_line(&mut line)?;
    let address =
        line.split_once("listens on ").and_then(|(_, rest)| rest.split_once(": ")).map(|(address, _)| address);
    let address = address.with_context(|| format!("the program said: {line}"))?.to_owned();
    Ok((child, address))
}

/// One audit over a connection that is kept; how long it took.
pub(crate) async fn audit(stream: &mut TcpStream, request: &[u8]) -> Result<Duration> {
    let begun = Instant::now();
    stream.write_all(request).await?;
    let mut answer = Vec::with_capacity(32 * 1024);
    loop {
        if stream.read_buf(&mut answer).await? == 0 {
            bail!("the service closed the connection: {}", String::from_utf8_lossy(&answer));
        }
        let Some(head) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let text = String::from_utf8_lossy(answer.get(..head).unwrap_or_default());
        if !text.starts_with("HTTP/1.1 200") {
            bail!("the service answered {text}");
        }
        let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        if length.is_some_and(|length| answer.len() >= head + 4 + length) {
            return Ok(begun.elapsed());
        }
    }
}

/// The request for an audit.
pub(crate) fn request(origin: &str, path: &str) -> Arc<[u8]> {
    request_with(origin, path, "")
}

/// The same over a connection that ends with it.
pub(crate) fn closing_request(origin: &str, path: &str) -> Arc<[u8]> {
    request_with(origin, path, "connection: close\r\n")
}

fn request_with(origin: &str, path: &str, fields: &str) -> Arc<[u8]> {
    let body = format!("{{\"url\":\"{origin}{path}\"}}");
    let head = "POST /api/audit HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n";
    format!("{head}{fields}content-length: {}\r\n\r\n{body}", body.len()).into_bytes().into()
}

/// Audits through the service: audits a second, and how long each took.
pub(crate) async fn through(
    address: &str,
    origin: &str,
    audits: usize,
    at_once: usize,
) -> Result<(f64, Vec<Duration>)> {
    let request = request(origin, "/");
    let left = Arc::new(AtomicUsize::new(audits));
    let begun = Instant::now();
    let mut clients = JoinSet::new();
    for _ in 0..at_once {
        let (request, left, address) = (Arc::clone(&request), Arc::clone(&left), address.to_owned());
        clients.spawn(async move {
            let mut stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            let mut times = Vec::new();
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
                times.push(audit(&mut stream, &request).await?);
            }
            Ok::<_, anyhow::Error>(times)
        });
    }
    let mut times = Vec::new();
    while let Some(done) = clients.join_next().await {
        times.extend(done??);
    }
    Ok((audits as f64 / begun.elapsed().as_secs_f64(), times))
}

/// Resident kilobytes of a process: now, and at its highest.
pub(crate) fn memory(pid: u32) -> Option<(u64, u64)> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    Some((field("VmRSS:")?, field("VmHWM:")?))
}

/// Milliseconds of CPU that a process has spent. `stat(5)`: fields 14 and 15, in hundredths of a second.
pub(crate) fn cpu_ms(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The second field, a name in parentheses, may hold spaces; the third is the first behind it.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    fields.skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() * 10.0
}

pub(crate) fn at(sorted: &[Duration], part: f64) -> f64 {
    let index = (sorted.len() as f64 * part) as usize;
    sorted.get(index.min(sorted.len().saturating_sub(1))).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}
