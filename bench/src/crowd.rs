//! The hostile crowd: how long the audits of other callers take while 64 audits of hostile pages run.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::service::{self, Service};

/// Audits of hostile pages at once.
const HOSTILE: usize = 64;
/// Others at once.
const OTHERS: usize = 4;
/// Audits of the others without the crowd.
const IDLE_AUDITS: usize = 400;
/// Bytes that the compressed page unfolds to.
const BOMB: usize = 200_000_000;
/// Bytes of the page of lists.
const NESTED: usize = 1_000_000;

/// What the hostile site answers, by path: a head sent byte by byte, a decompression bomb, nested lists.
const PATHS: [&str; 3] = ["/drip", "/bomb", "/nested"];

async fn hostile_site() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.2:0").await?;
    let origin = format!("http://{}", listener.local_addr()?);
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![0; 1_000_000];
    for _ in 0..BOMB / zeros.len() {
        bomb.write_all(&zeros)?;
    }
    let answer = |fields: &str, body: &[u8]| -> Arc<[u8]> {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n{fields}content-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), body].concat().into()
    };
    let bomb = answer("content-encoding: gzip\r\n", &bomb.finish()?);
    let nested = answer("", "<ul><li>".repeat(NESTED / 8).as_bytes());
    tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let (bomb, nested) = (Arc::clone(&bomb), Arc::clone(&nested));
            connections.spawn(async move {
                let mut head = [0; 2048];
                let Ok(read) = stream.read(&mut head).await else { return };
                let request = head.get(..read).unwrap_or_default();
                if request.starts_with(b"GET /bomb ") {
                    drop(stream.write_all(&bomb).await);
                } else if request.starts_with(b"GET /nested ") {
                    drop(stream.write_all(&nested).await);
                } else {
                    // All other files of this site are sent byte by byte too: robots.txt, sitemaps, probes.
                    drop(stream.write_all(b"HTTP/1.1 200 OK\r\nx: ").await);
                    while stream.write_all(b"a").await.is_ok() {
                        tokio::time::sleep(Duration::from_millis(200)).await;
                    }
                }
            });
            while connections.try_join_next().is_some() {}
        }
    });
    Ok(origin)
}

/// Audits, so many in flight, until `stop`; how long each took, in order of length.
pub(crate) async fn others(
    address: &str,
    origin: &str,
    at_once: usize,
    stop: Arc<AtomicBool>,
) -> Result<Vec<Duration>> {
    let mut clients = JoinSet::new();
    for _ in 0..at_once {
        let (address, request, stop) = (address.to_owned(), service::request(origin, "/"), Arc::clone(&stop));
        clients.spawn(async move {
            let mut stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            let mut times = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                times.push(service::audit(&mut stream, &request).await?);
            }
            Ok::<_, anyhow::Error>(times)
        });
    }
    let mut times = Vec::new();
    while let Some(done) = clients.join_next().await {
        times.extend(done??);
    }
    times.sort();
    Ok(times)
}

/// One audit of a hostile page, whatever its outcome.
async fn hostile(address: String, request: Arc<[u8]>) -> Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(&request).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(())
}

/// Keeps as many hostile audits going until a moment; how many there were.
pub(crate) async fn keep_hostile(address: String, until: Instant) -> Result<usize> {
    let site = hostile_site().await?;
    let mut crowd = JoinSet::new();
    for path in PATHS.iter().cycle().take(HOSTILE) {
        let (address, request) = (address.clone(), service::closing_request(&site, path));
        crowd.spawn(async move {
            let mut calls = 0;
            while Instant::now() < until {
                hostile(address.clone(), Arc::clone(&request)).await?;
                calls += 1;
            }
            Ok::<_, anyhow::Error>(calls)
        });
    }
    let mut calls = 0;
    while let Some(done) = crowd.join_next().await {
        calls += done??;
    }
    Ok(calls)
}

/// Measures and prints.
pub(crate) async fn measure(service: &Service, origin: &str) -> Result<()> {
    let (_, mut idle) = service::through(&service.address, origin, IDLE_AUDITS, OTHERS).await?;
    idle.sort();
    let site = hostile_site().await?;
    let stop = Arc::new(AtomicBool::new(false));
    let others = others(&service.address, origin, OTHERS, Arc::clone(&stop));
    let crowd = async {
        let mut crowd = JoinSet::new();
        for path in PATHS.iter().cycle().take(HOSTILE) {
            crowd.spawn(hostile(service.address.clone(), service::closing_request(&site, path)));
        }
        while let Some(done) = crowd.join_next().await {
            done??;
        }
        stop.store(true, Ordering::Relaxed);
        Ok::<_, anyhow::Error>(())
    };
    let (crowded, done) = tokio::join!(others, crowd);
    done?;
    let crowded = crowded?;
    let (_, peak) = service::memory(service.child_id()).unwrap_or_default();
    println!("\n{HOSTILE} hostile audits at once, {OTHERS} other callers\n");
    for (name, times) in [("others alone", &idle), ("others with the crowd", &crowded)] {
        let at = |part| service::at(times, part);
        println!("{name:<22} median {:>6.1} ms, p99 {:>6.1} ms, {} audits", at(0.5), at(0.99), times.len());
    }
    println!("p99 ratio              {:>6.2}", service::at(&crowded, 0.99) / service::at(&idle, 0.99));
    println!("memory                 highest {} MB", peak / 1024);
    Ok(())
}
