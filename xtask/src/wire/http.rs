//! An HTTP/1.1 client that shows what came as it came (RFC 9112): order and case of headers, every byte of the body.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

/// The longest that an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// One request.
#[derive(Debug, Clone, Default)]
pub(super) struct HttpRequest {
    pub(super) method: String,
    /// Path and query.
    pub(super) target: String,
    /// Without `content-length`, which follows from the body.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// One answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Response {
    pub(super) status: u16,
    /// Status line and headers as they came, without the empty line.
    pub(super) head: String,
    pub(super) headers: Vec<(String, String)>,
    /// Out of its chunks, where it came in chunks.
    pub(super) body: Vec<u8>,
}

impl HttpRequest {
    /// The value of a header, whatever its case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// The head as it is sent, without the empty line.
    pub(super) fn head(&self) -> String {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.body.is_empty() || matches!(self.method.as_str(), "POST" | "PUT" | "PATCH") {
            head.push_str(&format!("content-length: {}\r\n", self.body.len()));
        }
        head
    }
}

impl Response {
    /// The first value of a header, whatever its case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// The body, where it is text.
    pub(super) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.body).ok()
    }
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// Sends a request on a connection of its own, and reads until the other end closes it.
pub(super) fn send(address: SocketAddr, request: &HttpRequest) -> Result<Response> {
    let mut stream = TcpStream::connect(address).with_context(|| format!("{address} does not listen"))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut bytes = format!("{}\r\n", request.head()).into_bytes();
    bytes.extend_from_slice(&request.body);
    // Who refuses a body may close before all of it was sent; the answer counts.
    let written = stream.write_all(&bytes);
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    if answer.is_empty() {
        written?;
        read?;
    }
    parse(&answer).with_context(|| format!("the answer to {} {}", request.method, request.target))
}

fn parse(answer: &[u8]) -> Result<Response> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").context("no end of the head")?;
    let (head, rest) = answer.split_at(end);
    let head = String::from_utf8_lossy(head).replace("\r\n", "\n");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no status")?;
    let headers: Vec<(String, String)> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    let body = rest.get(4..).unwrap_or_default();
    let is_chunked = header(&headers, "transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
    let body = if is_chunked { unchunked(body)? } else { body.to_vec() };
    Ok(Response { status, head, headers, body })
}

/// The content of chunks (RFC 9112 §7.1).
fn unchunked(mut chunks: &[u8]) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    while !chunks.is_empty() {
        let end = chunks.windows(2).position(|two| two == b"\r\n").context("no end of a chunk's size")?;
        let (size, rest) = chunks.split_at(end);
        let size = usize::from_str_radix(std::str::from_utf8(size)?.trim(), 16)?;
        let rest = rest.get(2..).unwrap_or_default();
        ensure!(rest.len() >= size, "a chunk is cut");
        let (chunk, rest) = rest.split_at(size);
        content.extend_from_slice(chunk);
        chunks = rest.get(2..).unwrap_or_default();
        if size == 0 {
            break;
        }
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_keeps_the_order_of_its_headers() {
        let answer = parse(b"HTTP/1.1 200 OK\r\nB: 1\r\na: 2\r\n\r\nbody").unwrap();
        assert_eq!((answer.status, answer.head.as_str()), (200, "HTTP/1.1 200 OK\nB: 1\na: 2"));
        assert_eq!((answer.header("b"), answer.text()), (Some("1"), Some("body")));
    }

    #[test]
    fn chunks_are_joined() {
        let answer = parse(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
        assert_eq!(answer.unwrap().text(), Some("abcde"));
    }
}
