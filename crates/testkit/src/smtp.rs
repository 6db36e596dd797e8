//! A mail server on a loopback address (RFC 5321, the part that clients use) that receives, refuses, stalls or drops.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

/// What the server does with mail from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// Takes it.
    Accept,
    /// Refuses every recipient permanently: 550.
    Refuse,
    /// Refuses every recipient temporarily: 451.
    Busy,
    /// Stalls, without a greeting.
    Stall,
    /// Receives the whole message, and drops the connection instead of accepting it.
    Drop,
}

/// A message that was taken.
#[derive(Debug, Clone)]
pub struct ReceivedMail {
    /// Recipients of the envelope.
    pub to: Vec<String>,
    /// Header and body as they came, lines ending in LF.
    pub source: String,
}

/// A running mail server; stops when dropped.
#[derive(Debug)]
pub struct MailServer {
    address: SocketAddr,
    mood: Arc<Mutex<Mood>>,
    has_smtputf8: Arc<AtomicBool>,
    letters: watch::Receiver<Vec<ReceivedMail>>,
    connections: watch::Receiver<usize>,
    serving: JoinHandle<()>,
}

impl MailServer {
    /// Starts one on a free port, which accepts mail.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mood = Arc::new(Mutex::new(Mood::Accept));
        let (taken, letters) = watch::channel(Vec::new());
        let (connected, connections) = watch::channel(0);
        let has_smtputf8 = Arc::new(AtomicBool::new(false));
        let (moods, announced, taken) = (Arc::clone(&mood), Arc::clone(&has_smtputf8), Arc::new(taken));
        let serving = tokio::spawn(async move {
            // Aborted with the server: connections live in this task's set.
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let mood = *moods.lock().unwrap();
                open.spawn(serve(stream, mood, announced.load(Ordering::Relaxed), Arc::clone(&taken)));
                connected.send_modify(|count| *count += 1);
                while open.try_join_next().is_some() {}
            }
        });
        Self { address, mood, has_smtputf8, letters, connections, serving }
    }

    /// Its address, as `smtp.url` takes it.
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// Sets its behaviour for new connections.
    pub fn set(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// From now on it announces SMTPUTF8 (RFC 6531), or no longer. Without it, and without the parameter of `MAIL`, it refuses
    /// addresses outside ASCII, in the envelope and in headers.
    pub fn announce_smtputf8(&self, has_it: bool) {
        self.has_smtputf8.store(has_it, Ordering::Relaxed);
    }

    /// Connections so far.
    pub fn connections(&self) -> usize {
        *self.connections.borrow()
    }

    /// Every message so far, in order.
    pub fn letters(&self) -> Vec<ReceivedMail> {
        self.letters.borrow().clone()
    }

    /// Waits until `count` connections have come.
    pub async fn connected(&self, count: usize) {
        self.connections.clone().wait_for(|connections| *connections >= count).await.unwrap();
    }

    /// Waits until there are `count` messages; all of them.
    pub async fn wait_for(&self, count: usize) -> Vec<ReceivedMail> {
        let mut letters = self.letters.clone();
        letters.wait_for(|letters| letters.len() >= count).await.unwrap().clone()
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl ReceivedMail {
    /// A field of the message's header, unfolded; empty where there is none.
    pub fn header(&self, name: &str) -> String {
        let head = self.source.split("\n\n").next().unwrap_or_default();
        field(head, name)
    }

    /// The plain text.
    pub fn text(&self) -> String {
        self.part("text/plain")
    }

    /// The HTML.
    pub fn html(&self) -> String {
        self.part("text/html")
    }

    /// The first address in the plain text that begins so, up to white space.
    pub fn link(&self, beginning: &str) -> String {
        let text = self.text();
        let start = text.find(beginning).unwrap_or_else(|| panic!("no {beginning} in {text}"));
        text[start..].split_whitespace().next().unwrap().to_owned()
    }

    /// The first part of a media type, decoded.
    fn part(&self, media_type: &str) -> String {
        let (head, body) = self.source.split_once("\n\n").unwrap();
        let content = field(head, "content-type");
        let Some((_, after)) = content.split_once("boundary=") else { return decoded(head, body) };
        let boundary = format!("--{}", after.trim_matches('"'));
        let part = body.split(&boundary).find_map(|part| {
            let (head, body) = part.trim_start().split_once("\n\n")?;
            field(head, "content-type").starts_with(media_type).then(|| decoded(head, body))
        });
        part.unwrap_or_else(|| panic!("no {media_type} in {}", self.source))
    }
}

fn field(head: &str, name: &str) -> String {
    let unfolded = head.replace("\n ", " ").replace("\n\t", " ");
    let mut fields = unfolded.lines().filter_map(|line| line.split_once(": "));
    fields.find(|(key, _)| key.eq_ignore_ascii_case(name)).map_or(String::new(), |(_, value)| value.to_owned())
}

/// A body without its transfer encoding (RFC 2045 §6).
fn decoded(head: &str, body: &str) -> String {
    match field(head, "content-transfer-encoding").as_str() {
        "base64" => String::from_utf8(STANDARD.decode(body.replace('\n', "")).unwrap()).unwrap(),
        "quoted-printable" => unquoted(body),
        _ => body.to_owned(),
    }
}

fn unquoted(body: &str) -> String {
    let joined = body.replace("=\n", "");
    let mut bytes = Vec::new();
    let mut rest = joined.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'='
            && let Some((hex, after)) = rest.split_at_checked(2)
            && let Ok(code) = u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16)
        {
            bytes.push(code);
            rest = after;
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// Serves one connection, until the client closes it.
async fn serve(stream: TcpStream, mood: Mood, has_smtputf8: bool, taken: Arc<watch::Sender<Vec<ReceivedMail>>>) {
    let (reading, mut writing) = stream.into_split();
    let mut reading = BufReader::new(reading);
    if mood == Mood::Stall {
        // Until the client hangs up.
        let _ended = reading.read_to_end(&mut Vec::new()).await;
        return;
    }
    let _ended = converse(&mut reading, &mut writing, (mood, has_smtputf8), &taken).await;
}

async fn converse(
    reading: &mut BufReader<OwnedReadHalf>,
    writing: &mut OwnedWriteHalf,
    (mood, has_smtputf8): (Mood, bool),
    taken: &watch::Sender<Vec<ReceivedMail>>,
) -> std::io::Result<()> {
    writing.write_all(b"220 mail.test ESMTP\r\n").await?;
    let mut to = Vec::new();
    let mut is_international = false;
    let mut line = String::new();
    loop {
        line.clear();
        if reading.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let verb = line.split([' ', '\r']).next().unwrap_or_default().to_ascii_uppercase();
        let answer: &[u8] = match verb.as_str() {
            "EHLO" | "HELO" if has_smtputf8 => b"250-mail.test\r\n250-SMTPUTF8\r\n250 8BITMIME\r\n",
            "EHLO" | "HELO" => b"250-mail.test\r\n250 8BITMIME\r\n",
            "MAIL" => {
                is_international = line.trim_end().split(' ').any(|parameter| parameter == "SMTPUTF8");
                if is_international && !has_smtputf8 { b"555 5.5.4 SMTPUTF8?\r\n" } else { b"250 ok\r\n" }
            }
            "RCPT" if !is_international && !line.is_ascii() => b"553 5.6.7 not ASCII\r\n",
            "RCPT" if mood == Mood::Refuse => b"550 5.1.1 no such mailbox\r\n",
            "RCPT" if mood == Mood::Busy => b"451 4.3.0 try again later\r\n",
            "RCPT" => {
                to.push(line.split(['<', '>']).nth(1).unwrap_or_default().to_owned());
                b"250 ok\r\n"
            }
            "DATA" => {
                writing.write_all(b"354 go on\r\n").await?;
                let source = message(reading).await?;
                if mood == Mood::Drop {
                    return Ok(());
                }
                if !is_international && !source.is_ascii() {
                    writing.write_all(b"554 5.6.7 headers are not ASCII\r\n").await?;
                    continue;
                }
                let letter = ReceivedMail { to: std::mem::take(&mut to), source };
                taken.send_modify(|letters| letters.push(letter));
                b"250 taken\r\n"
            }
            "QUIT" => {
                writing.write_all(b"221 bye\r\n").await?;
                return Ok(());
            }
            _ => b"250 ok\r\n",
        };
        writing.write_all(answer).await?;
    }
}

/// Reads a message up to the lone dot, without the dots that lines were stuffed with (RFC 5321 §4.5.2).
async fn message(reading: &mut BufReader<OwnedReadHalf>) -> std::io::Result<String> {
    let mut source = String::new();
    let mut line = String::new();
    loop {
        line.clear();
        if reading.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let text = line.trim_end_matches(['\r', '\n']);
        if text == "." {
            return Ok(source);
        }
        source.push_str(text.strip_prefix('.').unwrap_or(text));
        source.push('\n');
    }
}
