//! The made site behind a listening port: HTTP/1.1 with connections that stay open.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::MadeSite;

/// A running server; stops when dropped.
#[derive(Debug)]
pub struct MadeServer {
    address: SocketAddr,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    stops: AtomicBool,
    connections: AtomicUsize,
    requests: Mutex<BTreeMap<String, usize>>,
}

impl MadeServer {
    /// Serves a site at `127.0.0.1` on a free port.
    pub fn start(site: MadeSite) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let (site, counts) = (Arc::new(site), Arc::new(Counts::default()));
        let counting = Arc::clone(&counts);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if counting.stops.load(Ordering::SeqCst) {
                    return;
                }
                counting.connections.fetch_add(1, Ordering::SeqCst);
                let (site, counts) = (Arc::clone(&site), Arc::clone(&counting));
                // Whoever asks may leave at any moment.
                std::thread::spawn(move || drop(serve(&site, stream, &counts)));
            }
        });
        Ok(Self { address, counts })
    }

    /// The address of the first page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Connections so far.
    pub fn connections(&self) -> usize {
        self.counts.connections.load(Ordering::SeqCst)
    }

    /// Requests so far, by path.
    pub fn requests(&self) -> BTreeMap<String, usize> {
        self.counts.requests.lock().unwrap().clone()
    }

    /// The number of requests so far.
    pub fn asked(&self) -> usize {
        self.counts.requests.lock().unwrap().values().sum()
    }
}

impl Drop for MadeServer {
    fn drop(&mut self) {
        self.counts.stops.store(true, Ordering::SeqCst);
        // Wakes the thread that listens.
        drop(TcpStream::connect(self.address));
    }
}

fn serve(site: &MadeSite, mut stream: TcpStream, counts: &Counts) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut lines = BufReader::new(stream.try_clone()?);
    loop {
        let mut first = String::new();
        if lines.read_line(&mut first)? == 0 {
            return Ok(());
        }
        let (mut host, mut closes) = (String::new(), false);
        loop {
            let mut line = String::new();
            if lines.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            let Some((name, value)) = line.split_once(':') else { continue };
            match name.to_ascii_lowercase().as_str() {
                "host" => host = value.trim().to_owned(),
                "connection" => closes = value.trim().eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        let mut words = first.split(' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        *counts.requests.lock().unwrap().entry(path.to_owned()).or_default() += 1;
        let answer = site.answer(path, &host);
        let location = answer.location.map(|to| format!("location: {to}\r\n")).unwrap_or_default();
        let connection = if closes { "connection: close\r\n" } else { "" };
        let mut bytes = format!(
            "HTTP/1.1 {} X\r\ncontent-type: {}\r\n{location}{connection}content-length: {}\r\n\r\n",
            answer.status,
            answer.content_type,
            answer.body.len()
        )
        .into_bytes();
        if method != "HEAD" {
            bytes.extend_from_slice(answer.body.as_bytes());
        }
        stream.write_all(&bytes)?;
        if closes {
            return Ok(());
        }
    }
}
