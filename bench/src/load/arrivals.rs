//! Calls that arrive at a constant rate, over connections that are kept.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::service;

/// An answer takes no longer than this, or it is counted as none.
const PATIENCE: Duration = Duration::from_secs(60);
/// Addresses of this machine that calls come from in turn: each is a network of its own.
const NETWORKS: u8 = 200;

/// A request, whole.
#[derive(Debug, Clone)]
pub(super) struct Request(Arc<[u8]>);

impl Request {
    /// `fields`: whole header lines.
    pub(super) fn new(method: &str, path: &str, fields: &str, body: &str) -> Self {
        let kind = if body.is_empty() { "" } else { "content-type: application/json\r\n" };
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nhost: a\r\n{kind}{fields}content-length: {length}\r\n\r\n");
        Self(format!("{head}{body}").into_bytes().into())
    }
}

/// Connections that are free at the moment.
pub(super) struct Pool {
    address: SocketAddr,
    idle: Mutex<Vec<TcpStream>>,
    opened: std::sync::atomic::AtomicU8,
}

impl Pool {
    pub(super) fn new(address: &str) -> Result<Self> {
        Self::beginning_at(address, 0)
    }

    /// Its first connection comes from the network of this number.
    pub(super) fn beginning_at(address: &str, network: u8) -> Result<Self> {
        Ok(Self { address: address.parse()?, idle: Mutex::default(), opened: network.into() })
    }

    /// One call; status and body.
    pub(super) async fn call(&self, request: &Request) -> Result<(u16, Vec<u8>)> {
        let (head, body) = self.call_with_head(request).await?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no status")?;
        Ok((status, body))
    }

    /// One call; head and body.
    pub(super) async fn call_with_head(&self, request: &Request) -> Result<(String, Vec<u8>)> {
        let idle = self.idle.lock().map_err(|_| anyhow::anyhow!("a caller panicked"))?.pop();
        let is_fresh = idle.is_none();
        let stream = match idle {
            Some(stream) => stream,
            None => self.connect().await?,
        };
        match self.exchange(stream, request).await {
            // The service may have closed one that was idle for long.
            Err(_) if !is_fresh => self.exchange(self.connect().await?, request).await,
            answer => answer,
        }
    }

    async fn connect(&self) -> Result<TcpStream> {
        let number = self.opened.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % NETWORKS;
        let socket = TcpSocket::new_v4()?;
        socket.bind(([127, 2, number, 1], 0).into())?;
        let stream = socket.connect(self.address).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    async fn exchange(&self, mut stream: TcpStream, request: &Request) -> Result<(String, Vec<u8>)> {
        stream.write_all(&request.0).await?;
        let mut answer = Vec::with_capacity(32 * 1024);
        loop {
            if stream.read_buf(&mut answer).await? == 0 {
                bail!("the service closed the connection");
            }
            let Some(head) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let text = String::from_utf8_lossy(answer.get(..head).unwrap_or_default()).into_owned();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            let length = length.context("an answer without a length")?;
            if answer.len() >= head + 4 + length {
                if !text.contains("connection: close") {
                    self.idle.lock().map_err(|_| anyhow::anyhow!("a caller panicked"))?.push(stream);
                }
                return Ok((text, answer.split_off(head + 4)));
            }
        }
    }
}

/// How long answers took, by status; 0 where there was none.
#[derive(Debug, Default)]
pub(super) struct Answers(BTreeMap<u16, Vec<Duration>>);

impl Answers {
    /// A line for each status.
    pub(super) fn print(&self, name: &str) {
        for (status, times) in &self.0 {
            let mut times = times.clone();
            times.sort();
            let at = |part| service::at(&times, part);
            println!(
                "{name:<52} {status:>3}: {:>6}, median {:>7.1} ms, p99 {:>8.1} ms, most {:>8.1} ms",
                times.len(),
                at(0.5),
                at(0.99),
                at(1.0)
            );
        }
    }
}

/// Makes the calls, one after the other in turn, so many a second, and waits until all are answered.
pub(super) async fn run(pool: &Arc<Pool>, requests: &[Request], rate: u32, lasts: Duration) -> Result<Answers> {
    let begun = Instant::now();
    let apart = Duration::from_secs(1) / rate;
    let calls = lasts.as_micros() / apart.as_micros().max(1);
    let mut flying: JoinSet<(u16, Duration)> = JoinSet::new();
    let mut answers = Answers::default();
    for (number, request) in (0..u32::try_from(calls)?).zip(requests.iter().cycle()) {
        let due = begun + apart * number;
        tokio::time::sleep_until(due.into()).await;
        let (pool, request) = (Arc::clone(pool), request.clone());
        flying.spawn(async move {
            let answer = tokio::time::timeout(PATIENCE, pool.call(&request)).await;
            let status = answer.ok().and_then(Result::ok).map_or(0, |(status, _)| status);
            (status, due.elapsed())
        });
        while let Some(answered) = flying.try_join_next() {
            let (status, took) = answered?;
            answers.0.entry(status).or_default().push(took);
        }
    }
    while let Some(answered) = flying.join_next().await {
        let (status, took) = answered?;
        answers.0.entry(status).or_default().push(took);
    }
    Ok(answers)
}

/// The JSON of an answer, which has to be a 200.
pub(super) async fn json(pool: &Pool, request: &Request) -> Result<Value> {
    let (status, body) = pool.call(request).await?;
    if status != 200 {
        bail!("the service answered {status}: {}", String::from_utf8_lossy(&body));
    }
    Ok(serde_json::from_slice(&body)?)
}

/// A field of it, a text.
pub(super) fn text(value: &Value, key: &str) -> Result<String> {
    Ok(value[key].as_str().with_context(|| format!("no {key} in {value}"))?.to_owned())
}
