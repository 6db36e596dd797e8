//! Audits beside a flood of page views and errors of browsers: 10,000 calls over a thousand connections that are kept.
//!
//! The flood comes from a process of its own at the lowest priority: what it costs this machine to make calls must not count as
//! what it costs the service to take them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::crowd;
use crate::service::{Service, at, cpu_ms, site, start_logging, through};

/// The argument with which this program is the sender.
pub(crate) const SENDER: &str = "flood-sender";

/// Networks of a flood: each reports within its limits of a minute.
const NETWORKS: u8 = 100;
/// Connections of each.
const CONNECTIONS: usize = 10;
/// Calls over each, one after another.
const CALLS: usize = 10;
/// Rounds of each number in flight, alone and beside the flood.
const ROUNDS: u8 = 8;
/// Audits of a round without a flood.
const ALONE: usize = 100;
/// Audits in flight.
const IN_FLIGHT: [usize; 2] = [1, 4];
/// What a sender says once its connections are open.
const READY: &str = "ready";

/// Calls of a flood.
const fn calls() -> usize {
    NETWORKS as usize * CONNECTIONS * CALLS
}

/// Sends a flood: opens its connections, says so, waits for a line, and makes its calls. `round` is part of the addresses
/// that it comes from.
pub(crate) fn send(address: &str, round: u8) -> Result<()> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let address: SocketAddr = address.parse()?;
        let mut streams = Vec::new();
        for network in 1..=NETWORKS {
            for _ in 0..CONNECTIONS {
                let socket = TcpSocket::new_v4()?;
                socket.bind(([127, 1, round, network], 0).into())?;
                let stream = socket.connect(address).await?;
                stream.set_nodelay(true)?;
                streams.push(stream);
            }
        }
        println!("{READY}");
        std::io::stdout().flush()?;
        let mut go = String::new();
        std::io::stdin().read_line(&mut go)?;
        let mut senders = JoinSet::new();
        for stream in streams {
            senders.spawn(calls_over(stream));
        }
        while let Some(sent) = senders.join_next().await {
            sent??;
        }
        Ok(())
    })
}

/// The calls of one connection: in turn a page view and an error.
async fn calls_over(mut stream: TcpStream) -> Result<()> {
    let request = |path: &str, body: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nuser-agent: Mozilla/5.0 (X11; Linux \
             x86_64; rv:150.0) Gecko/20100101 Firefox/150.0\r\naccept-language: pt-BR,pt;q=0.9\r\ncontent-length: \
             {}\r\n\r\n{body}",
            body.len()
        )
    };
    let visit = request("/api/visit", r#"{"p":"/checks"}"#);
    let error = request(
        "/api/erro-cliente",
        r#"{"code":"UI-JS-001","phase":"run","path":"/checks","message":"TypeError: x is undefined","stack":"open@https://audit.example/assets/app.js:1:2\nrun@https://audit.example/assets/app.js:3:4","line":1,"column":2}"#,
    );
    let mut answer = Vec::with_capacity(4096);
    for call in 0..CALLS {
        let (request, wanted) = if call % 2 == 0 { (&visit, " 200 ") } else { (&error, " 204 ") };
        stream.write_all(request.as_bytes()).await?;
        answer.clear();
        loop {
            if stream.read_buf(&mut answer).await? == 0 {
                bail!("the service closed the connection: {}", String::from_utf8_lossy(&answer));
            }
            let Some(head) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let text = String::from_utf8_lossy(answer.get(..head).unwrap_or_default());
            if !text.lines().next().is_some_and(|line| line.contains(wanted)) {
                bail!("the service answered {text}");
            }
            let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            if answer.len() >= head + 4 + length.unwrap_or_default() {
                break;
            }
        }
    }
    Ok(())
}

/// A sender whose connections are open.
struct Sender(Child);

impl Sender {
    fn open(address: &str, round: u8) -> Result<Self> {
        let mut child = Command::new("nice")
            .args(["-n", "19"])
            .arg(std::env::current_exe()?)
            .args([SENDER, address, &round.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("nice")?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("the sender's output")?).read_line(&mut line)?;
        if line.trim_end() != READY {
            bail!("the sender could not open its connections");
        }
        Ok(Self(child))
    }

    /// Makes its calls and waits until all are answered. To be called off the async workers.
    fn send(mut self) -> Result<()> {
        self.0.stdin.take().context("the sender's input")?.write_all(b"go\n")?;
        if !self.0.wait()?.success() {
            bail!("a call of the flood was not answered as it should be");
        }
        Ok(())
    }
}

/// Measures and prints.
pub(crate) fn measure(program: &Path) -> Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let origin = site().await?;
        // With its usual log: a line for each call is a part of what a call costs.
        let (service, _) = start_logging(program, "flood", "info", Stdio::null())?;
        through(&service.address, &origin, ALONE, 1).await?;
        let mut round = 0;
        let mut next = || {
            round += 1;
            round
        };
        cost(&service, next()).await?;
        for at_once in IN_FLIGHT {
            let (mut alone, mut beside) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                alone.extend(through(&service.address, &origin, ALONE, at_once).await?.1);
                beside.extend(audits_beside(&service, &origin, at_once, next()).await?);
            }
            println!("\naudits, {at_once} in flight");
            for (name, times) in [("alone", &mut alone), ("beside the flood", &mut beside)] {
                times.sort();
                let at = |part| at(times, part);
                let (median, p90, p99) = (at(0.5), at(0.9), at(0.99));
                println!("{name:<18} {:>5}: median {median:.2} ms, p90 {p90:.2} ms, p99 {p99:.2} ms", times.len());
            }
            let ratio = |part| (at(&beside, part) / at(&alone, part) - 1.0) * 100.0;
            println!("difference: median {:+.1} %, p90 {:+.1} %, p99 {:+.1} %", ratio(0.5), ratio(0.9), ratio(0.99));
        }
        Ok(())
    })
}

/// What a call of a flood costs the service where nothing else is asked of it.
async fn cost(service: &Service, round: u8) -> Result<()> {
    let sender = Sender::open(&service.address, round)?;
    let (spent, begun) = (cpu_ms(service.child_id()), Instant::now());
    tokio::task::spawn_blocking(|| sender.send()).await??;
    let (spent, took) = (cpu_ms(service.child_id()) - spent, begun.elapsed());
    let calls = calls() as f64;
    println!(
        "\n{calls} page views and errors at once, of {} connections: {:.0} a second, {:.0} us of CPU of the service each",
        usize::from(NETWORKS) * CONNECTIONS,
        calls / took.as_secs_f64(),
        spent * 1e3 / calls
    );
    Ok(())
}

/// Audits while a flood goes on.
async fn audits_beside(service: &Service, origin: &str, at_once: usize, round: u8) -> Result<Vec<Duration>> {
    let sender = Sender::open(&service.address, round)?;
    let stop = Arc::new(AtomicBool::new(false));
    let audits = crowd::others(&service.address, origin, at_once, Arc::clone(&stop));
    let flood = async {
        let sent = tokio::task::spawn_blocking(|| sender.send()).await?;
        stop.store(true, Ordering::Relaxed);
        sent
    };
    let (times, sent) = tokio::join!(audits, flood);
    sent?;
    times
}
