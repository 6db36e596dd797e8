//! A DNS server that answers what a test scripts, over UDP and TCP on one port, and remembers what it was asked.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use fetch::FetchConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

use crate::site::config;

/// Bytes of a UDP answer; a longer one is cut and asked for again over TCP (RFC 1035 §4.2.1).
const UDP_BYTES: usize = 512;
/// Length of a message head.
const HEAD: usize = 12;

pub(crate) const A: u16 = 1;
pub(crate) const CNAME: u16 = 5;
pub(crate) const TXT: u16 = 16;
pub(crate) const AAAA: u16 = 28;

pub(crate) const SERVFAIL: u8 = 2;
pub(crate) const NXDOMAIN: u8 = 3;
pub(crate) const REFUSED: u8 = 5;

/// One question, as it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    /// Lower case, with the dot at the end.
    pub(crate) name: String,
    pub(crate) kind: u16,
    /// How often the same had been asked before.
    pub(crate) before: usize,
    pub(crate) over_tcp: bool,
}

/// One record of an answer. Names are lists of labels, so that a label can hold any byte.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    owner: Option<Vec<u8>>,
    kind: u16,
    ttl: u32,
    data: Vec<u8>,
}

impl Record {
    /// The address of the name that was asked for, or of `owner`.
    pub(crate) fn address(ip: &str) -> Self {
        let (kind, data) = match ip.parse().unwrap() {
            IpAddr::V4(ip) => (A, ip.octets().to_vec()),
            IpAddr::V6(ip) => (AAAA, ip.octets().to_vec()),
        };
        Self { owner: None, kind, ttl: 0, data }
    }

    pub(crate) fn alias(target: &[&[u8]]) -> Self {
        Self { owner: None, kind: CNAME, ttl: 0, data: wire(target) }
    }

    pub(crate) fn text(bytes: &[u8]) -> Self {
        let length = u8::try_from(bytes.len()).unwrap();
        Self { owner: None, kind: TXT, ttl: 0, data: [&[length], bytes].concat() }
    }

    pub(crate) fn of(self, owner: &[&[u8]]) -> Self {
        Self { owner: Some(wire(owner)), ..self }
    }

    pub(crate) fn kept_for(self, ttl: u32) -> Self {
        Self { ttl, ..self }
    }
}

/// What a question gets.
pub(crate) enum Reply {
    Silence,
    Code(u8),
    Records(Vec<Record>),
}

impl Reply {
    /// Those of the addresses that the question is about.
    pub(crate) fn addresses(question: &Question, ips: &[&str]) -> Self {
        let all = ips.iter().map(|ip| Record::address(ip));
        Self::Records(all.filter(|record| record.kind == question.kind).collect())
    }
}

pub(crate) struct Dns {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Question>>>,
}

type Script = Arc<dyn Fn(&Question) -> Reply + Send + Sync>;

impl Dns {
    pub(crate) async fn start(script: impl Fn(&Question) -> Reply + Send + Sync + 'static) -> Self {
        let (udp, tcp) = sockets().await;
        let address = udp.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let script: Script = Arc::new(script);
        tokio::spawn(over_udp(udp, Arc::clone(&script), Arc::clone(&asked)));
        let log = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = tcp.accept().await {
                tokio::spawn(over_tcp(stream, Arc::clone(&script), Arc::clone(&log)));
            }
        });
        Self { address, asked }
    }

    /// Answers every name with these addresses.
    pub(crate) async fn fixed(ips: &[&str]) -> Self {
        let ips: Vec<String> = ips.iter().map(|ip| (*ip).to_owned()).collect();
        Self::start(move |question| {
            let ips: Vec<&str> = ips.iter().map(String::as_str).collect();
            Reply::addresses(question, &ips)
        })
        .await
    }

    /// The client of the other tests, with this server for a resolver.
    pub(crate) fn config(&self) -> FetchConfig {
        FetchConfig { dns: Some(self.address), ..config() }
    }

    pub(crate) fn asked(&self) -> Vec<Question> {
        self.asked.lock().unwrap().clone()
    }

    /// Times that one kind of record was asked for.
    pub(crate) fn count(&self, kind: u16) -> usize {
        self.asked().iter().filter(|question| question.kind == kind).count()
    }
}

/// The same free port over UDP and TCP.
async fn sockets() -> (UdpSocket, TcpListener) {
    loop {
        let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        // Somebody else may have the TCP port of that number.
        if let Ok(tcp) = TcpListener::bind(udp.local_addr().unwrap()).await {
            return (udp, tcp);
        }
    }
}

async fn over_udp(socket: UdpSocket, script: Script, asked: Arc<Mutex<Vec<Question>>>) {
    let mut query = vec![0; 4_096];
    while let Ok((length, peer)) = socket.recv_from(&mut query).await {
        if let Some(answer) = answer(&query[..length], false, &script, &asked) {
            let _sent = socket.send_to(&answer, peer).await;
        }
    }
}

async fn over_tcp(mut stream: TcpStream, script: Script, asked: Arc<Mutex<Vec<Question>>>) {
    while let Ok(length) = stream.read_u16().await {
        let mut query = vec![0; usize::from(length)];
        if stream.read_exact(&mut query).await.is_err() {
            return;
        }
        if let Some(answer) = answer(&query, true, &script, &asked) {
            let length = u16::try_from(answer.len()).unwrap();
            let _sent = stream.write_all(&[&length.to_be_bytes(), answer.as_slice()].concat()).await;
        }
    }
}

/// The message for a query; `None` is silence.
fn answer(query: &[u8], over_tcp: bool, script: &Script, asked: &Mutex<Vec<Question>>) -> Option<Vec<u8>> {
    let (name, rest) = name(&query[HEAD..]);
    let asked_part = &query[HEAD..query.len() - rest.len() + 4];
    let kind = u16::from_be_bytes([rest[0], rest[1]]);
    let question = {
        let mut asked = asked.lock().unwrap();
        let before = asked.iter().filter(|old| old.name == name && old.kind == kind).count();
        let question = Question { name, kind, before, over_tcp };
        asked.push(question.clone());
        question
    };
    let (code, records) = match script(&question) {
        Reply::Silence => return None,
        Reply::Code(code) => (code, Vec::new()),
        Reply::Records(records) => (0, records),
    };
    let whole = message(&query[..2], asked_part, code, &records, false);
    let too_long = !over_tcp && whole.len() > UDP_BYTES;
    Some(if too_long { message(&query[..2], asked_part, code, &[], true) } else { whole })
}

fn message(id: &[u8], question: &[u8], code: u8, records: &[Record], cut: bool) -> Vec<u8> {
    // A response to a query that wants recursion, with recursion.
    let flags = [0x81 | u8::from(cut) << 1, 0x80 | code];
    let count = u16::try_from(records.len()).unwrap().to_be_bytes();
    let mut message = [id, &flags, &[0, 1], &count, &[0, 0, 0, 0], question].concat();
    for record in records {
        // A pointer to the name of the question, unless the record has its own.
        message.extend_from_slice(record.owner.as_deref().unwrap_or(&[0xC0, 12]));
        message.extend_from_slice(&record.kind.to_be_bytes());
        message.extend_from_slice(&[0, 1]);
        message.extend_from_slice(&record.ttl.to_be_bytes());
        message.extend_from_slice(&u16::try_from(record.data.len()).unwrap().to_be_bytes());
        message.extend_from_slice(&record.data);
    }
    message
}

/// The name that a question starts with, and what follows it.
fn name(mut bytes: &[u8]) -> (String, &[u8]) {
    let mut name = String::new();
    loop {
        let length = usize::from(bytes[0]);
        let label = &bytes[1..=length];
        bytes = &bytes[1 + length..];
        if length == 0 {
            return (name.to_ascii_lowercase(), bytes);
        }
        name.push_str(&String::from_utf8_lossy(label));
        name.push('.');
    }
}

/// A name of these labels on the wire.
fn wire(labels: &[&[u8]]) -> Vec<u8> {
    let mut wire = Vec::new();
    for label in labels {
        wire.push(u8::try_from(label.len()).unwrap());
        wire.extend_from_slice(label);
    }
    wire.push(0);
    wire
}
