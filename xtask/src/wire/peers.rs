//! What the recorded program talks to: a web site with fixed pages, a payment facilitator that believes everybody, and a
//! mail server. All listen on fixed loopback addresses, since those are part of what is recorded.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::letter::RecordedMail;

/// Where the site is. The servers resolve its name to this.
const SITE: ([u8; 4], u16) = ([127, 0, 0, 2], 47_080);
/// Where the facilitator is.
const FACILITATOR: ([u8; 4], u16) = ([127, 0, 0, 1], 47_090);
/// Where the mail server is.
const MAIL: ([u8; 4], u16) = ([127, 0, 0, 1], 47_091);
/// The address that pages are audited under.
pub(super) const SITE_URL: &str = "http://www.example.com:47080";
/// How long another recording on this machine is waited for.
const OTHERS: Duration = Duration::from_secs(900);
/// How long a mail is waited for.
const MAIL_TIME: Duration = Duration::from_secs(30);

/// Pages of the site: path, status and headers, content.
const PAGES: [(&str, &str, &str); 16] = [
    ("/", "200 OK\ncontent-type: text/html; charset=utf-8", include_str!("site/good.html")),
    ("/good", "200 OK\ncontent-type: text/html; charset=utf-8", include_str!("site/good.html")),
    ("/bad", "200 OK\ncontent-type: text/html", include_str!("site/bad.html")),
    ("/products", "200 OK\ncontent-type: text/html; charset=utf-8", include_str!("site/products.html")),
    ("/pt", "200 OK\ncontent-type: text/html; charset=utf-8", include_str!("site/pt.html")),
    (
        "/noindex",
        "200 OK\ncontent-type: text/html\nx-robots-tag: noindex, nofollow",
        "<title>Hidden</title><h1>Hidden</h1>",
    ),
    ("/empty", "200 OK\ncontent-type: text/html", ""),
    ("/text", "200 OK\ncontent-type: text/plain", "Plain text, no page.\n"),
    ("/moved", "301 Moved Permanently\nlocation: /good", ""),
    ("/moved-twice", "302 Found\nlocation: /moved", ""),
    ("/loop", "302 Found\nlocation: /loop", ""),
    ("/gone", "410 Gone\ncontent-type: text/html", "<title>Gone</title><h1>Gone</h1>"),
    ("/broken", "500 Internal Server Error\ncontent-type: text/html", "<title>Error</title><h1>Error</h1>"),
    ("/busy", "429 Too Many Requests\nretry-after: 60", ""),
    ("/robots.txt", "200 OK\ncontent-type: text/plain", include_str!("site/robots.txt")),
    ("/sitemap.xml", "200 OK\ncontent-type: application/xml", include_str!("site/sitemap.xml")),
];

/// The peers, while a recording is made.
#[derive(Debug)]
pub(super) struct Peers {
    letters: Arc<Mutex<Vec<RecordedMail>>>,
    /// Letters that were asked for already, by number.
    taken: Vec<usize>,
}

/// The source of a page of the site.
pub(super) fn page(name: &str) -> Result<&'static str> {
    let page = PAGES.iter().find(|(path, ..)| path.strip_prefix('/') == Some(name));
    page.map(|(.., source)| *source).with_context(|| format!("the site has no page {name}"))
}

impl Peers {
    /// Starts them; another recording is waited for.
    pub(super) fn start() -> Result<Self> {
        let site = bind_patiently(SITE)?;
        let letters = Arc::default();
        let taken = Arc::clone(&letters);
        serve(site, |stream| answer(&stream, site_page));
        serve(bind(FACILITATOR)?, |stream| answer(&stream, facilitate));
        serve(bind(MAIL)?, move |stream| receive(&stream, &taken));
        Ok(Self { letters, taken: Vec::new() })
    }

    /// The next letter to an address that has a text, once it has come. Letters of one moment come in any order.
    pub(super) fn letter(&mut self, address: &str, text: &str) -> Result<RecordedMail> {
        let until = Instant::now() + MAIL_TIME;
        while Instant::now() < until {
            let letters = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
            let next = letters.iter().enumerate().find(|(number, letter)| {
                !self.taken.contains(number)
                    && letter.text.contains(text)
                    && letter.to.iter().any(|to| to.eq_ignore_ascii_case(address))
            });
            if let Some((number, letter)) = next {
                self.taken.push(number);
                return Ok(letter.clone());
            }
            drop(letters);
            thread::sleep(Duration::from_millis(50));
        }
        bail!("no mail to {address} came that has {text:?}")
    }
}

fn bind(place: ([u8; 4], u16)) -> Result<TcpListener> {
    let address = SocketAddr::from(place);
    TcpListener::bind(address).with_context(|| format!("{address} is taken"))
}

fn bind_patiently(place: ([u8; 4], u16)) -> Result<TcpListener> {
    let until = Instant::now() + OTHERS;
    loop {
        match bind(place) {
            Err(_) if Instant::now() < until => thread::sleep(Duration::from_millis(500)),
            bound => return bound,
        }
    }
}

fn serve(listener: TcpListener, conversation: impl Fn(TcpStream) + Send + Sync + 'static) {
    let conversation = Arc::new(conversation);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let conversation = Arc::clone(&conversation);
            thread::spawn(move || conversation(stream));
        }
    });
}

/// Answers one HTTP request. Whoever goes away before that has no answer.
fn answer(stream: &TcpStream, respond: fn(&str, &Value) -> (String, String)) {
    let mut reader = BufReader::new(stream);
    let (mut line, mut first, mut length) = (String::new(), String::new(), 0_usize);
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        if first.is_empty() {
            first.clone_from(&line);
        } else if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or_default();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let path = first.split(' ').nth(1).unwrap_or_default();
    let (head, content) = respond(path, &serde_json::from_slice(&body).unwrap_or_default());
    let head = head.replace('\n', "\r\n");
    let length = content.len();
    let content = if first.starts_with("HEAD ") { String::new() } else { content };
    let answer = format!("HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{content}");
    let mut writer = stream;
    let _gone = writer.write_all(answer.as_bytes());
}

fn site_page(path: &str, _: &Value) -> (String, String) {
    let path = path.split('?').next().unwrap_or_default();
    let page = PAGES.iter().find(|(known, _, _)| *known == path);
    let (_, head, content) =
        page.copied().unwrap_or(("", "404 Not Found\ncontent-type: text/html", "<title>Not found</title>"));
    (head.to_owned(), content.replace("{site}", SITE_URL))
}

/// What a facilitator of x402 answers that believes every signature but those of nonces that end with `dead`.
fn facilitate(path: &str, question: &Value) -> (String, String) {
    let authorization = question.pointer("/paymentPayload/payload/authorization");
    let text = |name: &str| authorization.and_then(|a| a.get(name)).and_then(Value::as_str).unwrap_or_default();
    let (payer, nonce) = (text("from"), text("nonce"));
    let is_good = !nonce.ends_with("dead");
    let reason = "invalid_exact_evm_signature";
    let content = match path {
        "/supported" => json!({
            "kinds": [{"x402Version": 2, "scheme": "exact", "network": "eip155:84532"}],
            "extensions": [], "signers": {"eip155:*": ["0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"]},
        }),
        "/verify" if is_good => json!({"isValid": true, "payer": payer}),
        "/verify" => json!({"isValid": false, "invalidReason": reason, "payer": payer}),
        "/settle" => {
            json!({"success": true, "transaction": nonce, "network": "eip155:84532", "payer": payer})
        }
        _ => return ("404 Not Found".to_owned(), String::new()),
    };
    ("200 OK\ncontent-type: application/json".to_owned(), content.to_string())
}

/// Takes mail (RFC 5321, the part that clients use).
fn receive(stream: &TcpStream, letters: &Mutex<Vec<RecordedMail>>) {
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    let mut say = |text: &str| writer.write_all(text.as_bytes()).is_ok();
    if !say("220 mail.test ESMTP\r\n") {
        return;
    }
    let (mut to, mut line) = (Vec::new(), String::new());
    while reader.read_line(&mut line).is_ok_and(|read| read > 0) {
        let command = line.trim_end().to_ascii_uppercase();
        let answer = match command.split([' ', ':']).next().unwrap_or_default() {
            "QUIT" => "221 bye\r\n",
            "RCPT" => {
                let address = line.split(['<', '>']).nth(1).unwrap_or_default();
                to.push(address.to_owned());
                "250 ok\r\n"
            }
            "DATA" if say("354 go on\r\n") => {
                let source = message(&mut reader);
                let letter = RecordedMail::new(std::mem::take(&mut to), &source);
                letters.lock().unwrap_or_else(PoisonError::into_inner).push(letter);
                "250 ok\r\n"
            }
            _ => "250 ok\r\n",
        };
        if !say(answer) || command == "QUIT" {
            return;
        }
        line.clear();
    }
}

/// Lines up to the single dot, ending in LF, without the dots that were added (RFC 5321 §4.5.2).
fn message(reader: &mut BufReader<&TcpStream>) -> String {
    let (mut source, mut line) = (String::new(), Vec::new());
    while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        if text == "." {
            break;
        }
        source.push_str(text.strip_prefix('.').unwrap_or(text));
        source.push('\n');
        line.clear();
    }
    source
}
